"""What a fresh installation takes until its first answer, against ``import sklearn``.

Run ``python bench/studies/coldstart.py``. It installs s2fs into a new virtual environment (with
``--wheel`` a built wheel instead of this source tree) and runs each command in a process of its
own, the import of scikit-learn's feature selection before every one of them. The first run of all
is told apart, as s2fs has never run in that environment before. After it come the medians of
further runs, as ratios to the medians of the import: of the time one waits, and of the time the
processor works, which a busy machine changes less.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
import venv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from timing import machine, table

from s2fs.datasets import load_srbct

ROOT = Path(__file__).resolve().parents[2]
PEER = "import sklearn.feature_selection"
FIT = """
import numpy as np
from s2fs import S2FS
with np.load({data!r}) as file:
    S2FS(20).fit(file["X"].astype(float), file["y"].astype(int))
"""


class Times(NamedTuple):
    """How long a process took, and how long the processor worked for it."""

    waited: float
    worked: float


def times(command: list[str], folder: str) -> Times:
    """Run a process from its start to its end."""
    start, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    after = os.times()
    worked = after.children_user + after.children_system
    worked -= before.children_user + before.children_system
    return Times(time.perf_counter() - start, worked)


def medians(runs: list[Times]) -> Times:
    """The medians over runs."""
    return Times(*map(statistics.median, zip(*runs, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", default=str(ROOT), help="what to install: a wheel or a folder")
    parser.add_argument("--repeats", type=int, default=5, help="runs after the first, 5 by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        venv.create(environment, with_pip=True)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")
        python, s2fs = str(programs / "python"), str(programs / "s2fs")
        quiet = ["--quiet", "--disable-pip-version-check"]
        what = f"{options.wheel}[cli,report]"
        subprocess.run([python, "-m", "pip", "install", *quiet, what], check=True)
        data = str(Path(folder) / "srbct.npz")
        srbct = load_srbct()
        np.savez(data, X=srbct.X, y=np.unique(srbct.y, return_inverse=True)[1])
        commands = {
            "S2FS(20).fit on SRBCT": [python, "-c", FIT.format(data=data)],
            "import s2fs": [python, "-c", "import s2fs"],
            "from s2fs import S2FS": [python, "-c", "from s2fs import S2FS"],
            "s2fs select -k 20": [s2fs, "select", data, "-k", "20"],
            "s2fs demo": [s2fs, "demo"],
        }
        rows = []
        for name, command in commands.items():
            peer, ours = [], []
            for _ in range(options.repeats + 1):
                peer.append(times([python, "-c", PEER], folder))
                ours.append(times(command, folder))
            unit, usual = medians(peer[1:]), medians(ours[1:])
            told = (ours[0].waited, usual.waited, unit.waited)
            ratios = usual.waited / unit.waited, usual.worked / unit.worked
            rows.append((name, *(f"{t:.2f} s" for t in told), *(f"{r:.2f}" for r in ratios)))
    print(f"{machine()}\n")
    print(
        table(("command", "first run", "median", f"`{PEER}`", "ratio", "of processor time"), rows)
    )


if __name__ == "__main__":
    main()
