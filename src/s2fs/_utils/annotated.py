"""The parts of annotated cells (AnnData) that a selection uses; a sparse matrix stays sparse."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csc_array, issparse

from s2fs._utils.messages import did_you_mean, format_names


def matrix_of(adata: Any, layer: str | None, *, use_raw: bool = False) -> Any:
    """The matrix of an AnnData, a layer or the raw one, in memory and as sparse as it is."""
    if use_raw:
        if layer is not None:
            raise ValueError(f"use_raw is True, but layer is {layer!r}; give use_raw=False.")
        if adata.raw is None:
            raise ValueError("use_raw is True, but adata has no raw matrix; give use_raw=False.")
        key, X = "raw", adata.raw.X
    else:
        key = key_of_matrix(adata.layers, layer, "adata", has_X=adata.X is not None)
        X = adata.X if layer is None else adata.layers[layer]
    if hasattr(X, "to_memory"):  # a sparse matrix on disk
        X = X.to_memory()
    elif type(X).__module__.startswith("h5py"):  # a dense one
        X = X[()]
    # Other kinds of arrays, such as those of Dask, are for the selector to take or refuse.
    return as_floats(X, key) if issparse(X) or isinstance(X, np.ndarray) else X


def key_of_matrix(
    names: Iterable[str | None], layer: str | None, source: str, *, has_X: bool
) -> str:
    """Where the matrix is; an error message names the layers there are."""
    # Since anndata 0.13 X is among the layers, under None.
    layers = sorted(name for name in names if name is not None)
    known = f"its layers are {format_names(layers)}" if layers else "it has no layers"
    if layer is None:
        if not has_X:
            raise ValueError(f"{source} has no matrix X; choose a layer ({known}).")
        return "X"
    if layer not in layers:
        raise ValueError(
            f"layer is {layer!r}, but {source} has no such layer"
            f"{did_you_mean(str(layer), layers) or f'; {known}'}."
        )
    return f"layers/{layer}"


def as_floats(X: Any, source: str) -> Any:
    """Real numbers, float32 or float64; sparse ones by columns, which is how they are used."""
    if not hasattr(X, "dtype") or X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(f"{source} is not a matrix of real numbers; choose another layer.")
    if issparse(X):
        X = csc_array(X)  # an array whatever it was: the operators of a matrix mean other things
    return X.astype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64, copy=False)
