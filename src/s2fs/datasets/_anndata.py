"""Annotated matrices of single cells: the AnnData object and its ``.h5ad`` file.

The matrix stays as sparse as it is. Of a file only what a selection needs is read: one matrix, the
annotation of the cells and the names of the genes.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, issparse

from s2fs._util.messages import did_you_mean, some_of
from s2fs.datasets._cells import is_missing


class Cells(NamedTuple):
    """What is read of an ``.h5ad`` file.

    Attributes
    ----------
    X : ndarray or csc_array, of shape (n_cells, n_genes)
        Real numbers; float32 if the file has them, else float64.
    obs : pandas.DataFrame
        The annotation of the cells.
    gene_names : list of str
        Names that are unique: where the file has one twice, the later ones get ``-1``, ``-2``, …,
        as AnnData's own ``var_names_make_unique`` does.
    """

    X: Any
    obs: Any
    gene_names: list[str]


def read_h5ad(path: Path, layer: str | None) -> Cells:
    """Read a matrix of an ``.h5ad`` file without making it dense."""
    try:
        import h5py
        from anndata.io import read_elem
        from anndata.utils import make_index_unique
    except ImportError:
        raise ValueError(
            f"{path} is an AnnData file, which needs anndata: pip install 's2fs[bio]'."
        ) from None
    try:
        file = h5py.File(path, "r")
    except OSError:
        raise ValueError(f"{path} is damaged or no .h5ad file.") from None
    with file:
        if not {"obs", "var"} <= set(file):
            raise ValueError(f"{path} is an HDF5 file but no .h5ad file: it lacks obs and var.")
        if not all(isinstance(file[part], h5py.Group) for part in ("obs", "var")):
            raise ValueError(
                f"{path} is in the format that AnnData wrote before version 0.7; open and save it "
                "with a newer one."
            )
        key = _key_of_matrix(file, layer, str(path))
        try:
            X, obs, var = (read_elem(file[part]) for part in (key, "obs", "var"))
        except Exception as error:  # whatever a damaged file makes the HDF5 library raise
            reason = str(error).splitlines()[0].rstrip(".")
            raise ValueError(f"{path} cannot be read as .h5ad ({reason}).") from None
    names = make_index_unique(var.index.astype(str)).tolist()
    return Cells(_as_floats(X, f"{key} of {path}"), obs, names)


def matrix_of(adata: Any, layer: str | None) -> Any:
    """The matrix of an AnnData, or one of its layers, in memory and as sparse as it is."""
    key = _key_of_matrix({"X": adata.X, "layers": adata.layers}, layer, "adata")
    X = adata.X if layer is None else adata.layers[layer]
    if hasattr(X, "to_memory"):  # a sparse matrix on disk
        X = X.to_memory()
    elif type(X).__module__.startswith("h5py"):  # a dense one
        X = X[()]
    # Other kinds of arrays, such as those of Dask, are for the selector to take or refuse.
    return _as_floats(X, key) if issparse(X) or isinstance(X, np.ndarray) else X


def label_codes(column: Any, source: str) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Codes of a column of labels, −1 where the label is missing, and the sorted classes.

    Whole numbers and truth values stay what they are; anything else is text. Text that says "not
    known", such as "nan", is a missing label, as in every file that is read.
    """
    import pandas as pd

    codes, found = pd.factorize(column)
    values = np.asarray(found)
    if values.dtype.kind == "f":
        known = np.isfinite(values)
        if (fractions := values[known & (values != np.floor(values))]).size:
            raise ValueError(
                f"{source} holds fractions such as {fractions[0]:g}, so it is a quantity and not a "
                "class; choose another column or group the values."
            )
        values = np.where(known, values, 0).astype(np.int64)
    elif values.dtype.kind in "biu":
        known = np.ones(len(values), dtype=bool)
    else:
        values = values.astype(str)
        known = np.array([not is_missing(value) for value in values], dtype=bool)
    classes, order = np.unique(values[known], return_inverse=True)
    if len(classes) == 1:
        raise ValueError(f"{source} has one class only ({classes[0]}); at least two are needed.")
    code_of = np.full(len(values) + 1, -1)  # the last is what code −1 refers to
    code_of[:-1][known] = order
    return code_of[codes], classes


def _key_of_matrix(store: Any, layer: str | None, source: str) -> str:
    """Where the matrix is; a complaint names the layers there are."""
    layers = sorted(store["layers"]) if "layers" in store else []
    there = f"its layers are {some_of(layers)}" if layers else "it has no layers"
    if layer is None:
        if "X" not in store or store["X"] is None:
            raise ValueError(f"{source} has no matrix X; choose a layer ({there}).")
        return "X"
    if layer not in layers:
        raise ValueError(
            f"layer is {layer!r}, but {source} has no such layer"
            f"{did_you_mean(str(layer), layers) or f'; {there}'}."
        )
    return f"layers/{layer}"


def _as_floats(X: Any, source: str) -> Any:
    """Real numbers, float32 or float64; sparse ones by columns, which is how they are used."""
    if not hasattr(X, "dtype") or X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(f"{source} is no matrix of real numbers; choose another layer.")
    if issparse(X):
        X = csc_array(X)  # an array whatever it was: the operators of a matrix mean other things
    return X.astype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64, copy=False)
