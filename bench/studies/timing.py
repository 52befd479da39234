"""What the benchmark scripts share: data, timing and tables."""

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

PAPER = ("all_aml_3", "all_aml_4", "glioma", "srbct", "warpar10p", "warppie10p", "yale", "orl",
         "isolet")  # fmt: skip


def paper_data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """One of the paper's datasets, from the folder that S2FS_DATA names."""
    folder = os.environ.get("S2FS_DATA")
    if not folder:
        sys.exit("S2FS_DATA is not set; let it name the folder with the paper's datasets.")
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as file:
        return file["X"].astype(np.float64), file["y"].astype(np.intp)


def classes_in_noise(n: int, m: int, p: int, dtype: Any = np.float64) -> tuple[Any, Any]:
    """A table of p classes that differ a little in every feature."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % p
    X = rng.standard_normal((n, m), dtype=np.float32)
    X += rng.normal(size=(p, m)).astype(np.float32)[y]
    return X.astype(dtype, copy=False), y


def seconds(
    run: Callable[..., Any],
    *arguments: Any,
    repeats: int = 5,
    patience: float = 10.0,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Median time of a call after one warm-up; a call that takes long is its own warm-up."""
    times = []
    for _ in range(repeats + 1):
        start = clock()
        run(*arguments)
        times.append(clock() - start)
        if times[-1] > patience:
            return times[-1]
    return statistics.median(times[1:])


def medians_in_turns(
    runs: Sequence[Callable[[], Any]], repeats: int, clock: Callable[[], float] = time.process_time
) -> list[float]:
    """Median time of each call after a warm-up; they take turns, so a slow minute slows all."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(repeats + 1):
        for run, own_times in zip(runs, times, strict=True):
            start = clock()
            run()
            own_times.append(clock() - start)
    return [statistics.median(own_times[1:]) for own_times in times]


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [list(map(str, header)), ["---"] * len(header), *(list(map(str, r)) for r in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def processor() -> str:
    """The name of the processor, as Linux has it; elsewhere its architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine(*packages: str) -> str:
    """One line on what the numbers were measured with."""
    found = []
    for package in ("s2fs", "numpy", "scikit-learn", "numba", *packages):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    cores = os.cpu_count()
    return f"{processor()}, {cores} cores, Python {platform.python_version()}, " + ", ".join(found)
