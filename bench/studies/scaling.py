"""How time and memory of S²FS grow with n, m, p and k; large shapes for PairCover, too.

Run ``python bench/studies/scaling.py``. Each size is fitted in a process of its own, so that the
peak memory is that of the fit (Linux only); the exponents are slopes of log time over log size.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import classes_in_noise, machine, table

BASE = {"n": 2000, "m": 2000, "p": 8, "k": 20}
SWEEPS = {
    "n": [1000, 2000, 4000, 8000, 16000],
    "m": [1000, 2000, 4000, 8000, 16000],
    "p": [4, 8, 16, 32, 64],
    "k": [10, 20, 40, 80],
}
#: Shapes that must fit into memory: many cells, and methylation arrays.
LARGE = {
    "tall": {"n": 1_000_000, "m": 200, "p": 10, "k": 20},
    "wide": {"n": 500, "m": 200_000, "p": 4, "k": 50},
}


def selector(name: str, k: int, n_jobs: int, alpha: float) -> Any:
    from s2fs import S2FS, PairCover

    if name == "S²FS":
        return S2FS(k, n_jobs=n_jobs, alpha=alpha, beta=alpha)
    return PairCover(k, correlation=0) if name.endswith("0") else PairCover(k)


def fit(
    name: str, n: int, m: int, p: int, k: int, n_jobs: int, alpha: float, processor: bool
) -> None:
    """Fit once and print the time, and the memory before and at the peak of the fit in MB."""

    def memory(line: str) -> float:
        return float(Path("/proc/self/status").read_text().split(line)[1].split()[0]) / 1024

    X, y = classes_in_noise(n, m, p, np.float32)
    warm, labels = classes_in_noise(200, 3000, p)
    selector(name, 5, n_jobs, alpha).fit(warm, labels)  # loads the compiled loops
    before = memory("VmRSS:")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew, from what is there now
    clock = time.process_time if processor else time.perf_counter
    start = clock()
    selector(name, k, n_jobs, alpha).fit(X, y)
    print(json.dumps([clock() - start, before, memory("VmHWM:")]))


def measure(
    size: dict[str, int], n_jobs: int, alpha: float, processor: bool, name: str = "S²FS"
) -> tuple[float, float, float]:
    arguments = json.dumps([name, *size.values(), n_jobs, alpha, processor])
    call = [sys.executable, __file__, "--one", arguments]
    out = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    return tuple(json.loads(out))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument(
        "--alpha", type=float, default=1.0,
        help="weights of direction; at 1 hardly any candidate can be pruned",
    )  # fmt: skip
    parser.add_argument("--large", action="store_true", help="only the large shapes")
    parser.add_argument(
        "--ours", default="S²FS", choices=["S²FS", "PairCover", "PairCover, correlation 0"],
        help="what fits the large shapes",
    )  # fmt: skip
    parser.add_argument(
        "--processor-time", action="store_true", help="of all threads, where other programs run too"
    )
    args = parser.parse_args()
    if args.one:
        fit(*json.loads(args.one))
        return
    print(machine(), end="\n\n")
    if not args.large:
        for what, values in SWEEPS.items():
            runs = [
                measure(BASE | {what: v}, args.n_jobs, args.alpha, args.processor_time)
                for v in values
            ]
            times = [run[0] for run in runs]
            slope = np.polyfit(np.log(values), np.log(times), 1)[0]
            rows = [(v, f"{t:.2f} s") for v, t in zip(values, times, strict=True)]
            print(f"### {what}, others {BASE}: exponent {slope:.2f}\n")
            print(table([what, "time"], rows), end="\n\n", flush=True)
    rows = []
    for name, size in LARGE.items():
        taken, before, peak = measure(size, args.n_jobs, 0.0316, args.processor_time, args.ours)
        n, m, p = size["n"], size["m"], size["p"]
        data = 4 * n * m / 2**20
        if args.ours == "S²FS":
            allowed = data + 24 * n * p / 2**20
        else:
            allowed = 16 * m * (p + p * (p - 1) // 2) / 2**20
        rows.append(
            (name, f"{n} × {m}, {p} classes, k = {size['k']}", f"{taken:.1f} s", f"{data:.0f} MB",
             f"{peak:.0f} MB", f"{peak - before:.0f} MB", f"{allowed:.0f} MB")
        )  # fmt: skip
    what = "float32 copy + 24 n p" if args.ours == "S²FS" else "16 m (p + pairs)"
    header = ["", "size", "time", "input", "peak", "peak beyond the loaded input", what]
    print(table(header, rows))


if __name__ == "__main__":
    main()
