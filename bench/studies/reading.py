"""Time and memory that reading a file takes, beside those of other readers.

Run ``python bench/studies/reading.py``: every reader gives the numbers as one float64 array, in a
process of its own, of a table as a CSV file with all digits, with four decimals, and as a Parquet
file. Processor time and growth of the peak memory are medians over alternating repetitions; ratios
are to the reader named in the heading. pandas rounds the last digit of some numbers unless it is
asked to take more time; s2fs, polars and pyarrow never do. Needs Linux, for the memory.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from timing import table

REPETITIONS = 3
SHAPES = {"long": (20_000, 100), "wide": (200, 20_000)}
#: What is imported before the clock starts, and what gives the array X.
READERS = {
    ".csv": {
        "polars": ("import polars", "X = polars.read_csv(path).drop('kind').to_numpy()"),
        "pandas": ("import pandas", "X = pandas.read_csv(path).iloc[:, :-1].to_numpy()"),
        "pandas, exact": (
            "import pandas",
            "X = pandas.read_csv(path, float_precision='round_trip').iloc[:, :-1].to_numpy()",
        ),
        "pyarrow": (
            "import numpy, pyarrow.csv",
            "options = pyarrow.csv.ReadOptions(block_size=1 << 24)\n"
            "columns = pyarrow.csv.read_csv(path, options).columns[:-1]\n"
            "X = numpy.column_stack([column.to_numpy() for column in columns])",
        ),
        "s2fs": ("from s2fs import read_table", "X = read_table(path, 'kind').X"),
    },
    ".parquet": {
        "pyarrow": (
            "import numpy, pyarrow.parquet",
            "X = pyarrow.parquet.ParquetFile(path).read(use_threads=False)",
        ),
        "pyarrow, as array": (
            "import numpy, pyarrow.parquet",
            "columns = pyarrow.parquet.ParquetFile(path).read(use_threads=False).columns[:-1]\n"
            "X = numpy.column_stack([column.to_numpy() for column in columns])",
        ),
        "polars": ("import polars", "X = polars.read_parquet(path).drop('kind').to_numpy()"),
        "pandas": (
            "import pandas, pyarrow.parquet",
            "X = pandas.read_parquet(path).iloc[:, :-1].to_numpy()",
        ),
        "s2fs": (
            "import pyarrow.parquet\nfrom s2fs import read_table",
            "X = read_table(path, 'kind').X",
        ),
    },
}
MEASURE = """
import re, sys
from pathlib import Path
from time import process_time
{imports}
def kilobytes(kind):
    return int(re.search(kind + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
path = sys.argv[1]
before, start = kilobytes("VmRSS"), process_time()
{read}
print(process_time() - start, kilobytes("VmHWM") - before)
"""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


def measured(imports: str, read: str, path: Path) -> tuple[float, float]:
    """Seconds and megabytes of one reader in a process of its own."""
    code = MEASURE.format(imports=imports, read=read)
    seconds, kilobytes = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **ONE_THREAD},
    ).stdout.split()
    return float(seconds), float(kilobytes) / 1024


def compare(title: str, path: Path, array_size: float) -> list[tuple[str, ...]]:
    """A row for each reader of a file; the first one is 1."""
    readers = READERS[path.suffix]
    results: dict[str, list[tuple[float, float]]] = {reader: [] for reader in readers}
    for _ in range(REPETITIONS):
        for reader, found in results.items():
            found.append(measured(*readers[reader], path))
    seconds, megabytes = (
        {reader: median(values[i] for values in found) for reader, found in results.items()}
        for i in (0, 1)
    )
    first = next(iter(readers))
    return [
        (
            f"{title}, {path.stat().st_size / 1e6:.0f} MB",
            reader,
            f"{seconds[reader]:.2f} s",
            f"{seconds[reader] / seconds[first]:.2f}",
            f"{megabytes[reader]:.0f} MB",
            f"{megabytes[reader] / array_size:.1f}",
        )
        for reader in readers
    ]


def main() -> None:
    rng = np.random.default_rng(0)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, shape in SHAPES.items():
            frame = pd.DataFrame(rng.normal(size=shape)).rename(columns=str)
            frame["kind"] = rng.choice(["a", "b", "c"], shape[0])
            files = {
                "all digits": Path(folder) / f"{name}.csv",
                "four decimals": Path(folder) / f"{name}-rounded.csv",
                "Parquet": Path(folder) / f"{name}.parquet",
            }
            frame.to_csv(files["all digits"], index=False)
            frame.round(4).to_csv(files["four decimals"], index=False)
            frame.to_parquet(files["Parquet"])
            size = shape[0] * shape[1] * 8 / 2**20
            for what, path in files.items():
                rows += compare(f"{shape[0]:,} × {shape[1]:,}, {what}", path, size)
    print(table(["file", "reader", "time", "to the first", "memory", "to the array"], rows))


if __name__ == "__main__":
    main()
