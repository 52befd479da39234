"""Time and memory that reading a delimited file takes, beside those of other readers.

Run ``python bench/studies/reading.py``: every reader gives the numbers as one float64 array, in a
process of its own. Processor time and growth of the peak memory are medians over alternating
repetitions, and ratios to ``pandas.read_csv``. pandas rounds the last digit of some numbers unless
it is asked to take more time; s2fs and pyarrow never do. Needs Linux, for the memory.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from timing import table

REPETITIONS = 3
SHAPES = {"long": (3000, 500), "wide": (801, 20_531), "wider": (100, 30_000)}
#: What is imported before the clock starts, and what gives the array X.
READERS = {
    "pandas": ("import pandas", "X = pandas.read_csv(path).iloc[:, :-1].to_numpy()"),
    "pandas, exact": (
        "import pandas",
        "X = pandas.read_csv(path, float_precision='round_trip').iloc[:, :-1].to_numpy()",
    ),
    "polars": ("import polars", "X = polars.read_csv(path).drop('kind').to_numpy()"),
    "pyarrow": (
        "import numpy, pyarrow.csv",
        "options = pyarrow.csv.ReadOptions(block_size=1 << 24)\n"
        "columns = pyarrow.csv.read_csv(path, options).columns[:-1]\n"
        "X = numpy.column_stack([column.to_numpy() for column in columns])",
    ),
    "s2fs": ("from s2fs import read_table", "X = read_table(path, 'kind').X"),
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


def measured(reader: str, path: Path) -> tuple[float, float]:
    imports, read = READERS[reader]
    code = MEASURE.format(imports=imports, read=read)
    command = [sys.executable, "-c", code, str(path)]
    seconds, kilobytes = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    return float(seconds), float(kilobytes) / 1024


def main() -> None:
    rng = np.random.default_rng(0)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, shape in SHAPES.items():
            path = Path(folder) / f"{name}.csv"
            labels = rng.choice(["a", "b", "c"], shape[0])
            pd.DataFrame(rng.normal(size=shape)).assign(kind=labels).to_csv(path, index=False)
            results: dict[str, list[tuple[float, float]]] = {reader: [] for reader in READERS}
            for _ in range(REPETITIONS):
                for reader, found in results.items():
                    found.append(measured(reader, path))
            seconds, megabytes = (
                {reader: median(values[i] for values in found) for reader, found in results.items()}
                for i in (0, 1)
            )
            size = path.stat().st_size / 1e6
            rows += [
                (
                    f"{name}, {shape[0]} × {shape[1]}, {size:.0f} MB",
                    reader,
                    f"{seconds[reader]:.2f} s",
                    f"{seconds[reader] / seconds['pandas']:.2f}",
                    f"{megabytes[reader]:.0f} MB",
                    f"{megabytes[reader] / megabytes['pandas']:.2f}",
                )
                for reader in READERS
            ]
    print(table(["file", "reader", "time", "to pandas", "memory", "to pandas"], rows))


if __name__ == "__main__":
    main()
