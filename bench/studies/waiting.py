"""Where users wait: processor time and memory of what takes longest, here and in another version.

Run ``python bench/studies/waiting.py path/to/other/bin/python``, or without a path for this version
alone; ``--only report auto`` measures some. Every measurement is a process of its own, with one
thread, and the two environments take turns. Printed are the medians of processor time, start of
Python and imports left out but for commands, and the peak of memory (Linux only). ``S2FS_DATA``
names the folder of the paper's datasets, which two rows need.
"""

import argparse
import inspect
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import random_array
from timing import machine, paper_data, table

#: What runs in processes of their own.
COMMANDS = ("report", "csv", "parquet", "help", "quick")
#: What is measured, by name.
TASKS: dict[str, tuple[str, Callable[[Path], Callable[[], Any]]]] = {}


def task(name: str, title: str) -> Callable[..., Any]:
    """Register what makes the data, and returns what is timed."""

    def register(prepare: Callable[[Path], Callable[[], Any]]) -> Callable[..., Any]:
        TASKS[name] = title, prepare
        return prepare

    return register


def classes_in_few(n: int, m: int, p: int = 4, n_good: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Noise, and some features in which the classes differ."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % p
    means = np.zeros((p, m))
    means[:, :n_good] = 0.7 * rng.normal(size=(p, n_good))
    return rng.normal(size=(n, m)) + means[y], y


def run_command(*arguments: str) -> None:
    """Run ``s2fs`` with some arguments in a process of its own."""
    subprocess.run([sys.executable, "-m", "s2fs", *arguments], check=True, capture_output=True)


@task("report", "`select --report`, 2,000 × 20,000, a CSV file of 256 MB")
def report(folder: Path) -> Callable[[], Any]:
    file = folder / "large.csv"
    if not file.exists():
        X, y = classes_in_few(2000, 20_000, n_good=60)
        with file.open("w") as lines:
            lines.write(",".join(["class", *(f"g{j}" for j in range(X.shape[1]))]) + "\n")
            for row, label in zip(X, y, strict=True):
                lines.write(",".join(["abcd"[label], *(f"{value:.3f}" for value in row)]) + "\n")
    page = str(folder / "page.html")
    return lambda: run_command("select", str(file), "--target", "class", "--report", page)


def write_digits(folder: Path, ending: str) -> str:
    """A table of 2,000 × 4,000 values with all their digits, as text or as Parquet."""
    import pandas as pd

    file = folder / f"digits.{ending}"
    if not file.exists():
        X, y = classes_in_few(2000, 4_000, n_good=60)
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
        frame.insert(0, "class", np.array(list("abcd"))[y])
        frame.to_csv(file, index=False) if ending == "csv" else frame.to_parquet(file)
    return str(file)


@task("csv", "`select --no-verdict`, 2,000 × 4,000, a CSV file of all digits")
def csv(folder: Path) -> Callable[[], Any]:
    file = write_digits(folder, "csv")
    return lambda: run_command("select", file, "--target", "class", "--no-verdict")


@task("parquet", "the same table as Parquet")
def parquet(folder: Path) -> Callable[[], Any]:
    file = write_digits(folder, "parquet")
    return lambda: run_command("select", file, "--target", "class", "--no-verdict")


@task("help", "`select --help`")
def help_of_select(folder: Path) -> Callable[[], Any]:
    return lambda: run_command("select", "--help")


@task("auto", '`S2FS("auto")`, 1,000 × 2,000')
def auto(folder: Path) -> Callable[[], Any]:
    from s2fs import S2FS

    X, y = classes_in_few(1000, 2000)
    S2FS("auto").fit(X[:100, :50], y[:100])
    return lambda: S2FS("auto").fit(X, y)


@task("auto-paircover", '`PairCover("auto")`, 1,000 × 2,000')
def auto_pair_cover(folder: Path) -> Callable[[], Any]:
    from s2fs import PairCover

    X, y = classes_in_few(1000, 2000)
    PairCover("auto").fit(X[:100, :50], y[:100])
    return lambda: PairCover("auto").fit(X, y)


@task("cv", "`SelectorCV()`, ALL-AML-3, 72 × 7,129")
def selector_cv(folder: Path) -> Callable[[], Any]:
    from s2fs import SelectorCV

    X, y = paper_data("all_aml_3")
    SelectorCV(max_features=2).fit(X[:, :100], y)
    return lambda: SelectorCV().fit(X, y)


@task("cv-s2fs", "`SelectorCV(selector=S2FS())`, ALL-AML-3, 72 × 7,129")
def selector_cv_of_weightings(folder: Path) -> Callable[[], Any]:
    return tune_weightings("standard")


@task("cv-minmax", '`SelectorCV(selector=S2FS(scale="minmax"))`, ALL-AML-3, 72 × 7,129')
def selector_cv_of_ranges(folder: Path) -> Callable[[], Any]:
    return tune_weightings("minmax")


def tune_weightings(scale: str) -> Callable[[], Any]:
    """What tunes the 81 weightings of S²FS on the table with the most features."""
    from s2fs import S2FS, SelectorCV

    # Versions whose SelectorCV has the scale tune S²FS alone, and know ranges only.
    has_scale = "scale" in inspect.signature(SelectorCV).parameters
    options: dict[str, Any] = {} if has_scale else {"selector": S2FS(scale=scale)}
    X, y = paper_data("all_aml_3")
    SelectorCV(max_features=2, **options).fit(X[:, :100], y)
    return lambda: SelectorCV(**options).fit(X, y)


@task("stability", "`StabilitySelector()`, ALL-AML-3, 72 × 7,129")
def stability(folder: Path) -> Callable[[], Any]:
    from s2fs import StabilitySelector

    X, y = paper_data("all_aml_3")
    StabilitySelector().fit(X[:, :100], y)
    return lambda: StabilitySelector().fit(X, y)


@task("sparse", "`compare`, 10,000 × 30,000 sparse with 1 % stored, two folds")
def sparse(folder: Path) -> Callable[[], Any]:
    from s2fs import compare

    rng = np.random.default_rng(0)
    X = random_array((10_000, 30_000), density=0.01, format="csc", rng=rng)
    y = np.arange(10_000) % 3
    return lambda: compare(X, y, k=10, cv=2, n_repeats=1, selectors=["paircover"])


@task("quick", "`s2fs bench run quick`")
def quick(folder: Path) -> Callable[[], Any]:
    results = str(Path(tempfile.mkdtemp(dir=folder)) / "quick.sqlite")
    return lambda: run_command("bench", "run", "quick", "--results", results)


def measure(name: str, folder: Path) -> None:
    """Run a task once in this process, and print processor seconds and MB."""
    run = TASKS[name][1](folder)
    start = processor_time()
    run()
    who = resource.RUSAGE_CHILDREN if name in COMMANDS else resource.RUSAGE_SELF
    peak = resource.getrusage(who).ru_maxrss / 1024
    print(json.dumps([processor_time() - start, peak]))


def processor_time() -> float:
    """That of this process and of the commands it has run."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="?", help="the interpreter of the other environment")
    parser.add_argument("--only", nargs="*", choices=list(TASKS), help="what to measure")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the large file is kept")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp())
    if args.measure:
        measure(args.measure, folder)
        return
    print(machine(), end="\n\n")
    environments = [sys.executable, *([args.python] if args.python else [])]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    rows = []
    for name in args.only or TASKS:
        runs: list[list[list[float]]] = [[] for _ in environments]
        for _ in range(args.repeats):
            for python, results in zip(environments, runs, strict=True):
                command = [python, __file__, "--measure", name, "--folder", str(folder)]
                said = subprocess.run(
                    command, check=True, capture_output=True, text=True, env=os.environ | threads
                )
                results.append(json.loads(said.stdout.splitlines()[-1]))
        cells = []
        for results in runs:
            seconds, peak = (statistics.median(values) for values in zip(*results, strict=True))
            cells += [f"{seconds:.2f} s", f"{peak:.0f} MB"]
        rows.append([TASKS[name][0], *cells])
        print(*rows[-1], sep="  ", flush=True, file=sys.stderr)
    header = ["what", "here", "peak here", "there", "peak there"][: 1 + 2 * len(environments)]
    print(table(header, rows))


if __name__ == "__main__":
    main()
