"""Check an installed s2fs: each build of its native library against NumPy, and a whole fit.

cibuildwheel runs this on every system a wheel is made for, and ``build_wheels.py`` here. With
``--pure`` there must be no native library, and NumPy does the work.
"""

import argparse
import os

import numpy as np

from s2fs import PairCover
from s2fs._native.library import INSTRUCTION_SETS, engine, load
from s2fs._native.neighbours import knn
from s2fs.criteria.neighbours import knn as expected
from s2fs.datasets import load_srbct
from s2fs.info import info


def check_libraries() -> None:
    """Compare the nearest neighbours by each build this processor can run with NumPy's."""
    library = load()
    assert library is not None, "the native library is missing"
    rng = np.random.default_rng(0)
    data = rng.random((90, 20)), rng.integers(0, 3, 90), rng.random((30, 20)), np.arange(1, 21)
    for name in INSTRUCTION_SETS[: library.s2fs_instruction_set() + 1]:
        os.environ["S2FS_ENGINE"] = name
        assert (knn(*data) == expected(*data)).all(), name
        print("ran", engine())
    del os.environ["S2FS_ENGINE"]


def main() -> None:
    """Check the libraries, or that there is none, then fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pure", action="store_true", help="there must be no native library")
    if parser.parse_args().pure:
        assert engine() == "numpy", f"a pure wheel has the native library {engine()}"
        os.environ["S2FS_ENGINE"] = "numpy"  # no warning that it is missing
    else:
        check_libraries()
    data = load_srbct()
    selected = PairCover(n_features_to_select=5).fit(data.X, data.y).indices_
    # What README.md shows, found on Linux.
    assert selected.tolist() == [741, 1388, 1954, 1193, 1644], selected
    print(info())


if __name__ == "__main__":
    main()
