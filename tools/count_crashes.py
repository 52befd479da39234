"""Which libraries a damaged file can crash, or make ask for memory without end.

Run ``python tools/count_crashes.py [20000]``: so many damaged files of each format that has a
process of its own are read by the same program inside one process; where that dies, another goes on
behind the file. Printed are the signals it died of, and its peak of memory. A format without either
needs no process: ``src/s2fs/io/_worker.py``. Needs Linux.
"""

import io
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "io")]
LIMIT = 64 << 20


def read_some(name: str, first: int, count: int) -> None:
    """Read damaged files from one number on; print each number before its file is read."""
    import resource
    import warnings

    from test_fuzz import FORMATS, damaged, written

    from s2fs.io import _worker

    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    file, write, target, _ = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file
        whole = written(write)(path)
        request = {"path": str(path), "limit": LIMIT, "name": file, "layer": None}
        request |= {"target": target, "beside": []}
        for case in range(first, count):
            path.write_bytes(damaged(whole, np.random.default_rng([case, *name.encode()])))
            print(case, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, flush=True)
            with suppress(Exception):
                if path.suffix == ".feather":
                    _worker._feather(str(path), io.BytesIO())
                else:
                    {".mat": _worker._mat, ".h5ad": _worker._h5ad}[path.suffix](request)
        print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, flush=True)


def count_crashes(name: str, count: int) -> tuple[Counter[str], int, int]:
    """The signals, the number of files during which a process died, and the peak in megabytes."""
    signals: Counter[str] = Counter()
    first, peak = 0, 0
    while first < count:
        command = [sys.executable, __file__, name, str(first), str(count)]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [line.split() for line in found.stdout.splitlines()]
        if not lines:
            raise RuntimeError(found.stderr)
        peak = max(peak, *(int(megabytes) for _, megabytes in lines))
        if found.returncode:
            code = -found.returncode
            signals[signal.Signals(code).name if code > 0 else f"exit {-code}"] += 1
        first = int(lines[-1][0]) + 1
    return signals, sum(signals.values()), peak


def main() -> None:
    """Print a line for each format."""
    from test_fuzz import FORMATS

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print("| format | files | died | of | peak |", "| --- | --- | --- | --- | --- |", sep="\n")
    for name in [name for name, (*_, is_alone) in FORMATS.items() if is_alone]:
        signals, n_died, peak = count_crashes(name, count)
        of = ", ".join(f"{what} {n}" for what, n in signals.most_common())
        print(f"| {name} | {count} | {n_died} | {of} | {peak} MB |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        read_some(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
