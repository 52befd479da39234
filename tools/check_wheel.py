"""Check an installed s2fs: each build of its native library against NumPy, and a whole fit.

cibuildwheel runs this on every system a wheel is made for, and ``build_wheels.py`` here. With
``--pure`` there must be no native library, and NumPy does the work.
"""

import argparse
import os

import numpy as np

from s2fs import S2FS, PairCover
from s2fs._native.library import INSTRUCTION_SETS, engine, load
from s2fs.datasets import load_srbct
from s2fs.info import info


def fit(name: str) -> list[np.ndarray]:
    """Paths and criteria of both selectors by one of the libraries, or by NumPy."""
    os.environ["S2FS_ENGINE"] = name
    load.cache_clear()  # it is chosen once per process
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 40)), rng.integers(0, 3, 90)
    X[:, :5] += 0.7 * y[:, None]
    found = [selector(10).fit(X, y) for selector in (S2FS, PairCover)]
    return [values for selector in found for values in (selector.indices_, selector.scores_)]


def check_libraries() -> None:
    """Compare what each build that this processor can run selects with what NumPy does."""
    library = load()
    assert library is not None, "the native library is missing"
    expected = fit("numpy")
    for name in INSTRUCTION_SETS[: library.s2fs_instruction_set() + 1]:
        for ours, numpys in zip(fit(name), expected, strict=True):
            np.testing.assert_allclose(ours, numpys, rtol=1e-9, err_msg=name)
        print("ran", engine())
    del os.environ["S2FS_ENGINE"]
    load.cache_clear()


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
