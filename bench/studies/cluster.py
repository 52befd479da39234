"""S²FS on Dask: two workers against one, memory of a worker, bytes per step.

Run ``python bench/studies/cluster.py``; it takes some minutes. Samples are made on the workers,
which have one thread each. The yardstick for two workers is what the same two threads of the
machine reach when two local fits on half of the rows run side by side, without any cluster.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from relay import Relay
from timing import machine, table

from s2fs import S2FS

WEIGHT = 0.0316  # of direction, as S2FS has it by default


def some_rows(first: int, n: int, m: int, p: int) -> np.ndarray:
    """Rows ``first`` … of a table of p classes that differ a little in every feature."""
    X = np.random.default_rng(first).standard_normal((n, m), dtype=np.float32)
    X += np.random.default_rng(0).normal(size=(p, m)).astype(np.float32)[labels(first, n, p)]
    return X


def labels(first: int, n: int, p: int) -> np.ndarray:
    return np.arange(first, first + n) % p


def there(n: int, m: int, p: int, chunk: int) -> tuple[da.Array, da.Array]:
    """The table as chunks that are made where they are needed."""

    def block(block_info=None):
        first, last = block_info[None]["array-location"][0]
        return some_rows(first, last - first, m, p)

    X = da.map_blocks(block, chunks=((chunk,) * (n // chunk), (m,)), dtype=np.float32)
    return X, da.arange(n, chunks=chunk) % p


def status(line: str) -> float:
    """A line of this process's status in MB."""
    return float(Path("/proc/self/status").read_text().split(line)[1].split()[0]) / 1024


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def fit_there(
    n_workers: int, size: dict[str, int], k: int, weight: float, counted: bool = False
) -> dict[str, float]:
    """Fit on a cluster of its own: time, processor time and MB of the worst worker, its bytes.

    The bytes are right if they are counted, which takes time.
    """
    m, p = size["m"], size["p"]
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        Relay(cluster.scheduler_address) as wire,
        Client(wire.address if counted else cluster.scheduler_address) as client,
    ):
        warm = there(2000, m, p, 2000 // n_workers)
        S2FS(2, alpha=weight, beta=weight).fit(*warm)  # loads the compiled loops
        before, used = client.run(status, "VmRSS:"), client.run(time.process_time)
        client.run(forget_peak)
        travelled = wire.sent + wire.received
        start = time.perf_counter()
        S2FS(k, alpha=weight, beta=weight).fit(*there(**size))
        seconds = time.perf_counter() - start
        travelled = wire.sent + wire.received - travelled
        peaks, now = client.run(status, "VmHWM:"), client.run(time.process_time)
        return {
            "seconds": seconds,
            "cpu": max(now[worker] - used[worker] for worker in now),
            "peak": max(peaks[worker] - before[worker] for worker in peaks),
            "bytes": travelled / n_workers,
        }


def fit_here(first: int, n: int, m: int, p: int, k: int, weight: float) -> None:
    """A local fit on some rows, in one thread; waits for a line on standard input to begin."""
    X, y = some_rows(first, n, m, p), labels(first, n, p)
    S2FS(2, alpha=weight, beta=weight).fit(X[:3000], y[:3000])
    print("ready", flush=True)
    sys.stdin.readline()
    start = time.perf_counter()
    S2FS(k, alpha=weight, beta=weight).fit(X, y)
    print(time.perf_counter() - start)


def side_by_side(n_processes: int, size: dict[str, int], k: int, weight: float) -> float:
    """Seconds of the slowest of some local fits that share the rows and run at the same time."""
    n, m, p = size["n"] // n_processes, size["m"], size["p"]
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, "--here", json.dumps([i * n, n, m, p, k, weight])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        for i in range(n_processes)
    ]  # fmt: skip
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return max(float(process.communicate()[0]) for process in processes)


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("-k", type=int, default=10)
    args = parser.parse_args()
    if args.here:
        fit_here(*json.loads(args.here))
        return
    size = {"n": args.rows, "m": 300, "p": 10, "chunk": args.rows // 8}
    n, m, p, k = args.rows, 300, 10, args.k
    print(machine("dask", "distributed"), f", load {os.getloadavg()[0]:.1f}", end="\n\n")

    one, two, alone, halves = [], [], [], []
    for _ in range(args.repeats):  # in turn, so that a change of the machine's load meets all
        one.append(fit_there(1, size, k, WEIGHT))
        two.append(fit_there(2, size, k, WEIGHT))
        alone.append(side_by_side(1, size, k, WEIGHT))
        halves.append(side_by_side(2, size, k, WEIGHT))
        print(f"<!-- {one[-1]} {two[-1]} {alone[-1]:.1f} {halves[-1]:.1f} -->", flush=True)
    first, second = medians(one), medians(two)
    both, half = statistics.median(alone), statistics.median(halves)
    print(f"### {n} × {m}, {p} classes, k = {k}, α = β = {WEIGHT:g}: medians of {args.repeats}\n")
    print(table(
        ["", "one", "two", "ratio"],
        [("Dask workers of one thread", f"{first['seconds']:.1f} s", f"{second['seconds']:.1f} s",
          f"{first['seconds'] / second['seconds']:.2f}"),
         ("processor time of the busier worker", f"{first['cpu']:.1f} s", f"{second['cpu']:.1f} s",
          f"{first['cpu'] / second['cpu']:.2f}"),
         ("local fits of one thread, the rows shared", f"{both:.1f} s", f"{half:.1f} s",
          f"{both / half:.2f}")],
    ), end="\n\n")  # fmt: skip

    rows = []
    for workers, run in ((1, first), (2, second)):
        shard, state = 4 * n * m / workers / 2**20, 16 * n * p / workers / 2**20
        rows.append((workers, f"{shard:.0f} MB", f"{state:.0f} MB", f"{run['peak']:.0f} MB",
                     f"{(run['peak'] - state) / shard:.2f}"))  # fmt: skip
    header = ["workers", "float32 shard", "state (16 n p)",
              "peak beyond the idle worker", "(peak − state) / shard"]  # fmt: skip
    print(table(header, rows), end="\n\n")

    small = {"n": 4000, "m": m, "p": p, "chunk": 2000}
    few, many = fit_there(2, small, 5, WEIGHT), fit_there(2, small, 45, WEIGHT)
    per_step = (many["seconds"] - few["seconds"]) / 40
    few, many = fit_there(2, small, 5, WEIGHT, True), fit_there(2, small, 45, WEIGHT, True)
    wide = {"n": 400, "m": 20_000, "p": p, "chunk": 200}
    few_wide, many_wide = fit_there(2, wide, 2, WEIGHT, True), fit_there(2, wide, 7, WEIGHT, True)
    for features, less, more, steps in ((m, few, many, 40), (20_000, few_wide, many_wide, 5)):
        per_worker = (more["bytes"] - less["bytes"]) / steps
        print(f"{features} features: {per_worker:.0f} bytes per step and worker, "
              f"{per_worker / features:.1f} for each feature (32 are allowed)")  # fmt: skip
    print(f"\n{1e3 * per_step:.0f} ms on the clock for a step with few samples")


if __name__ == "__main__":
    main()
