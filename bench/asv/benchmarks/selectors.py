"""Five small cases: three tables, one with many samples, and the import.

The tables of the paper are read from the folder that S2FS_DATA names; without it those cases are
left out. Every fit selects 30 features with one thread.
"""

import os
import subprocess
import sys
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
