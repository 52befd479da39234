"""Small cases: three tables and one with many samples, options, commands, and the import.

The tables of the paper are read from the folder that S2FS_DATA names; without it those cases are
left out. Every fit selects 30 features with one thread.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from s2fs import S2FS, PairCover
from s2fs.datasets import load_srbct


def many_samples(n_samples=20_000, n_features=500, n_classes=5):
    """Classes whose means differ in every tenth feature, in noise."""
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % n_classes
    X = rng.standard_normal((n_samples, n_features))
    X[:, ::10] += rng.standard_normal((n_classes, n_features // 10))[y]
    return X, y


def read(table):
    """X and y of a case; raises NotImplementedError, as asv wants it, where the file is missing."""
    if table == "SRBCT":
        data = load_srbct()
        return data.X, data.y
    if table == "20000x500":
        return many_samples()
    path = Path(os.environ.get("S2FS_DATA", "no folder"), f"{table.lower()}.npz")
    if not path.exists():
        raise NotImplementedError(f"S2FS_DATA names no folder with {path.name}")
    with np.load(path) as file:
        return file["X"].astype(float), file["y"]


def as_frame(X):
    """The table as a frame; raises NotImplementedError, as asv wants it, without pandas."""
    try:
        import pandas as pd
        import pyarrow  # noqa: F401 # what writes Parquet, and has the type of the columns
    except ImportError:
        raise NotImplementedError("pandas and pyarrow are not installed") from None
    return pd.DataFrame(X, columns=[f"g{f}" for f in range(X.shape[1])])


class Fit:
    """Time and memory of a fit."""

    params = (["SRBCT", "ORL", "Isolet", "20000x500"], ["S2FS", "PairCover"])
    param_names = ("table", "selector")
    timeout = 120

    def setup(self, table, selector):
        """Read the table, and load the native library."""
        self.X, self.y = read(table)
        options = {"n_jobs": 1} if selector == "S2FS" else {}
        self.selector = {"S2FS": S2FS, "PairCover": PairCover}[selector](30, **options)
        self.selector.fit(*many_samples(50, 100))

    def time_fit(self, table, selector):
        """Seconds of a fit."""
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, table, selector):
        """Memory of the process at its largest, data included."""
        self.selector.fit(self.X, self.y)


class Import:
    """Time of a new process that imports the package."""

    def time_import(self):
        """Seconds until the names are there, without loading what is behind them."""
        subprocess.run([sys.executable, "-c", "import s2fs"], check=True)

    def time_import_selector(self):
        """Seconds until a selector can be made."""
        subprocess.run([sys.executable, "-c", "from s2fs import PairCover"], check=True)


class Cases:
    """Time of fits whose time has jumped once, on 500 × 2,000 values."""

    params = ("ordinary", "groups", "copies", "ranks", "covariates", "max_correlation", "Arrow")
    param_names = ("case",)

    def setup(self, case):
        """Make the table, and load the native library."""
        X, self.y = many_samples(500, 2_000)
        self.given = {}
        options = {
            "groups": {"feature_groups": np.arange(2_000) // 4},
            "ranks": {"scale": "rank"},
            "max_correlation": {"max_correlation": 0.9},
        }
        self.selector = PairCover(20, **options.get(case, {}))
        if case == "copies":
            X[:, ::2] = X[:, [0]]
        if case == "covariates":
            self.given = {"covariates": np.random.default_rng(1).normal(size=(500, 2))}
        if case == "Arrow":
            X = as_frame(X).astype("double[pyarrow]")
        self.X = X
        PairCover(1).fit(*many_samples(50, 100))

    def time_fit(self, case):
        """Seconds of a fit."""
        self.selector.fit(self.X, self.y, **self.given)


class Command:
    """Time of commands that need little of the package, and of reading a file of all digits."""

    timeout = 120

    def setup_cache(self):
        """Write a table of 500 × 4,000 values once as text of all digits, and once as Parquet."""
        X, y = many_samples(500, 4_000)
        frame = as_frame(X)
        frame.insert(0, "class", y)
        folder = Path(tempfile.mkdtemp())
        frame.to_csv(folder / "table.csv", index=False)
        frame.to_parquet(folder / "table.parquet")
        return str(folder)

    def time_help(self, folder):
        """Seconds until the options are shown."""
        run("select", "--help")

    def time_missing_file(self, folder):
        """Seconds until a mistyped name is refused."""
        run("select", "no-such-file.csv", check=False)

    def time_csv(self, folder):
        """Seconds of a selection from text, without a verdict."""
        run("select", str(Path(folder, "table.csv")), "--target", "class", "--no-verdict")

    def time_parquet(self, folder):
        """Seconds of a selection from Parquet, without a verdict."""
        run("select", str(Path(folder, "table.parquet")), "--target", "class", "--no-verdict")


def run(*arguments, check=True):
    """Run a command of s2fs in a process of its own."""
    subprocess.run([sys.executable, "-m", "s2fs", *arguments], check=check, capture_output=True)
