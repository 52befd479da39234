"""Time of S²FS in this environment against another one, such as one with an earlier version.

Run ``S2FS_DATA=folder python bench/studies/before.py path/to/other/bin/python``. Each environment
has one process that stays warm, and the two take turns, fit by fit, with one thread each. Printed
are medians of the time one waits, of the time the processor works, which a busy machine changes
less, and whether both chose the same features. ``--large`` measures the two large tables instead,
with the peak of memory beyond the loaded input (Linux only).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import PAPER, classes_in_noise, machine, paper_data, table

#: Rows, features, classes and features to select.
LARGE = {
    "tall": {"n": 1_000_000, "m": 200, "p": 10, "k": 20},
    "wide": {"n": 500, "m": 200_000, "p": 4, "k": 50},
}


def load(task: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The table of a task."""
    if task["data"] in LARGE:
        size = LARGE[task["data"]]
        return classes_in_noise(size["n"], size["m"], size["p"], np.float32)
    X, y = paper_data(task["data"])
    if task.get("extents"):  # features in units that differ by many orders of magnitude
        X = X * 10.0 ** np.random.default_rng(0).integers(-3, 4, X.shape[1])
    return X, y


def memory(line: str) -> float:
    """A line of the process's status, in MB."""
    return float(Path("/proc/self/status").read_text().split(line)[1].split()[0]) / 1024


def serve() -> None:
    """Fit what is asked for on standard input, a line each, and tell how long it took."""
    from s2fs import S2FS

    X = y = table_of = None
    for line in sys.stdin:
        task = json.loads(line)
        if (task["data"], task.get("extents")) != table_of:
            X = y = None
            X, y = load(task)
            table_of = task["data"], task.get("extents")
        selector = S2FS(task["k"], n_jobs=1, **task["options"])
        before = memory("VmRSS:")
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
        start, worked = time.perf_counter(), time.process_time()
        selector.fit(X, y)
        times = time.perf_counter() - start, time.process_time() - worked
        print(json.dumps([*times, memory("VmHWM:") - before, selector.indices_.tolist()]))
        sys.stdout.flush()


class Environment:
    """A warm process of an environment."""

    def __init__(self, python: str) -> None:
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [python, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env=os.environ | threads,
        )  # fmt: skip

    def fit(self, task: dict[str, Any]) -> list[Any]:
        """Seconds waited and worked, MB, and the chosen features."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(task), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate()


def compare(task: dict[str, Any], pair: list[Environment], repeats: int) -> list[str]:
    """The cells of a row: medians here and there, and their ratios."""
    runs: list[list[Any]] = [[], []]
    for environment in pair:
        environment.fit(task)  # loads the table, and warms up
    for _ in range(repeats):
        for environment, found in zip(pair, runs, strict=True):
            found.append(environment.fit(task))
    waited, worked, peak = (
        [statistics.median(run[i] for run in found) for found in runs] for i in range(3)
    )
    return [
        *(f"{t * 1e3:.0f} ms" for t in waited), f"{waited[1] / waited[0]:.1f}",
        f"{worked[1] / worked[0]:.1f}", *(f"{mb:.0f} MB" for mb in peak),
        "yes" if runs[0][0][3] == runs[1][0][3] else "no",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="?", help="the interpreter of the other environment")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-k", type=int, default=150)
    parser.add_argument("--alpha", type=float, help="weights of direction, the default if left out")
    parser.add_argument("--scale", help="of both, where their defaults differ")
    parser.add_argument("--extents", action="store_true", help="scale=None, units far apart")
    parser.add_argument("--large", action="store_true", help="the two large tables")
    parser.add_argument("--datasets", nargs="*", default=PAPER)
    parser.add_argument("--repeats", type=int, default=15)
    args = parser.parse_args()
    if args.serve:
        serve()
        return
    if args.python is None:
        parser.error("name the interpreter of the other environment.")
    options: dict[str, Any] = {}
    if args.alpha is not None:
        options |= {"alpha": args.alpha, "beta": args.alpha}
    if args.scale:
        options["scale"] = args.scale
    if args.extents:
        options["scale"] = None
    print(machine(), end="\n\n")
    pair = [Environment(sys.executable), Environment(args.python)]
    rows = []
    for name in LARGE if args.large else args.datasets:
        k = LARGE[name]["k"] if args.large else args.k
        task = {"data": name, "k": k, "options": options, "extents": args.extents}
        rows.append([name, *compare(task, pair, args.repeats)])
        print(*rows[-1], sep="  ", flush=True, file=sys.stderr)
    for environment in pair:
        environment.end()
    header = ["data", "here", "there", "there / here", "of processor time", "peak here",
              "peak there", "same features"]  # fmt: skip
    print(table(header, rows))


if __name__ == "__main__":
    main()
