"""Files that hold arrays by key: NumPy's ``.npz`` and MATLAB's ``.mat``."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError
from scipy.sparse import issparse

from s2fs._util.messages import some_of
from s2fs.datasets._tables import reject_duplicates

Arrays = dict[str, NDArray[Any]]


def read_npz(path: Path) -> Arrays:
    """Read every array of an ``.npz`` file; pickled objects are refused, for they can run code."""
    try:
        if not zipfile.is_zipfile(path):  # np.load would take it for a pickle
            raise zipfile.BadZipFile
        with np.load(path, allow_pickle=False) as file:
            return {key: _plain(path, file, key) for key in file.files}
    except (zipfile.BadZipFile, EOFError):
        raise ValueError(f"{path} is damaged or no .npz file.") from None


def read_mat(path: Path) -> Arrays:
    """Read every variable of a ``.mat`` file of version 4 to 7.2; sparse ones become dense."""
    try:
        content = loadmat(path, spmatrix=False)
    except NotImplementedError:
        raise ValueError(
            f"{path} is a MATLAB 7.3 file, which is not supported; "
            "save it in MATLAB with save(…, '-v7')."
        ) from None
    except (MatReadError, ValueError, TypeError, KeyError, EOFError, IndexError, OSError):
        raise ValueError(f"{path} is damaged or no MATLAB file.") from None
    return {
        key: value.toarray() if issparse(value) else _strings(np.asarray(value))
        for key, value in content.items()
        if not key.startswith("__")
    }


def matrix_with_names(
    path: Path, arrays: Arrays, *, transpose: bool
) -> tuple[NDArray[np.float64], list[str]]:
    """The array ``X`` of a file, with the names of its columns."""
    if "X" not in arrays:
        raise ValueError(f"{path} must hold the array 'X'; it has {some_of(arrays) or 'none'}.")
    X = arrays["X"]
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"X in {path} must be a matrix of real numbers; it has shape {X.shape} and type "
            f"{X.dtype}."
        )
    X = (X.T if transpose else X).astype(np.float64)
    m = X.shape[1]
    named = arrays.get("feature_names", np.array([f"x{f}" for f in range(m)])).ravel()
    names = [name.strip() for name in named.astype(str)]
    if len(names) != m:
        raise ValueError(f"X in {path} has {m} column(s) but feature_names has {len(names)}.")
    reject_duplicates(path, names)
    return X, names


def _plain(path: Path, file: Any, key: str) -> NDArray[Any]:
    try:
        return np.asarray(file[key])
    except ValueError:
        raise ValueError(
            f"{path} holds pickled objects under {key!r}, which are refused because they can run "
            "code; save plain arrays of numbers or text."
        ) from None


def _strings(value: NDArray[Any]) -> NDArray[Any]:
    """Unpack a MATLAB cell array of strings into an array of text."""
    if value.dtype != object:
        return value
    return np.array(["".join(np.asarray(cell, dtype=str).ravel()) for cell in value.ravel()])
