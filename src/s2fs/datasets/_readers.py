"""One function that reads a user's file into numbers, class codes and names."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from s2fs._util.annotated import labels_of
from s2fs._util.inputs import (
    Columns,
    as_numbers,
    first_text,
    nonfinite_columns,
    read_labels,
    reject_one_class,
)
from s2fs._util.messages import some_of
from s2fs._util.types import Indices
from s2fs.datasets._anndata import Cells, read_h5ad
from s2fs.datasets._arrays import Arrays, matrix_with_names, read_mat, read_npz
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._tables import COMPRESSED, DELIMITERS, Table, read_columns, reject_duplicates

KNOWN_SUFFIXES = (*DELIMITERS, ".parquet", ".npz", ".mat", ".arff", ".h5ad")


def read_table(
    path: str | PathLike[str],
    target: str | int | None = None,
    *,
    drop: str | int | Iterable[str | int] = (),
    transpose: bool = False,
    layer: str | None = None,
) -> Dataset:
    r"""Read labelled data from a file; its suffix is its format.

    Tables are ``.csv`` (comma or semicolon), ``.tsv``, ``.tab``, ``.txt`` (tab; all of these in
    UTF-8 and optionally compressed as ``.gz``, ``.bz2`` or ``.xz``), ``.parquet`` and ``.arff``.
    Arrays are ``.npz`` and ``.mat`` with the keys ``X`` and ``y`` (or ``Y``), and optionally
    ``feature_names`` and ``classes`` (the names of the codes 0, 1, … in ``y``). Annotated cells are
    ``.h5ad`` (extra ``bio``): features are the columns of ``X``, classes a column of ``obs``; genes
    of the same name become ``name``, ``name-1``, ….

    Parameters
    ----------
    path : str or path-like
        The file to read.
    target : str or int, optional
        The column with the class labels: its name, or its position counted from 0, or from the
        end if negative. A name goes before a position written as text. For ``.npz`` and ``.mat``
        the key of the labels, by default ``y`` or ``Y``; for ``.h5ad`` the column of ``obs``.
    drop : str, int or iterable of these, default=()
        Columns to leave out, such as identifiers, by name or position.
    transpose : bool, default=False
        The table has features in rows, as is usual for gene expression: the first column holds
        their names, the header the names of the samples (which are not kept), and ``target`` and
        ``drop`` mean rows.
    layer : str, optional
        For ``.h5ad`` only: the layer to read instead of ``X``.

    Returns
    -------
    Dataset
        Named tuple ``(X, y, feature_names, class_names)``. Classes are sorted, labels that are
        numbers by value.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the content cannot be used; the message says where and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from s2fs.datasets import read_table
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.csv"
    >>> _ = file.write_text("id,height,width,kind\n1,2.5,1,fern\n2,0.5,3,moss\n")
    >>> data = read_table(file, "kind", drop="id")
    >>> data.X
    array([[2.5, 1. ],
           [0.5, 3. ]])
    >>> data.y, data.feature_names, data.class_names
    (array([0, 1]), ['height', 'width'], ['fern', 'moss'])
    """
    path = Path(path)
    suffix = _suffix(path)
    dropped = [drop] if isinstance(drop, str | int) else list(drop)
    if suffix == ".h5ad":
        if transpose:
            raise ValueError(f"transpose is not for .h5ad files: {path} has the cells in rows.")
        return _from_cells(path, read_h5ad(path, layer), target, dropped)
    if layer is not None:
        raise ValueError(f"layer is {layer!r}, but only .h5ad files have layers; leave it out.")
    if suffix in (".npz", ".mat"):
        arrays = read_npz(path) if suffix == ".npz" else read_mat(path)
        return _from_arrays(path, arrays, target, dropped, transpose=transpose)
    table = read_columns(path, suffix, transpose=transpose)
    return _from_table(path, table, target, dropped)


def read_unlabelled(path: str | PathLike[str], *, transpose: bool = False) -> Table:
    r"""Read all columns of a file as they are; nothing needs to be a class or a number.

    Parameters
    ----------
    path : str or path-like
        A table, or ``.npz`` or ``.mat`` with the array ``X`` and optionally ``feature_names``.
    transpose : bool, default=False
        The table has features in rows.

    Returns
    -------
    Table
        Named tuple ``(names, columns)``; the cells of a text file are text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from s2fs.datasets import read_unlabelled
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.csv"
    >>> _ = file.write_text("id,height\np1,2.50\np2,?\n")
    >>> read_unlabelled(file)
    Table(names=['id', 'height'], columns=[('p1', 'p2'), ('2.50', '?')])
    """
    path = Path(path)
    suffix = _suffix(path)
    if suffix == ".h5ad":
        raise ValueError(
            f"{path} is an AnnData file; take the genes in Python, as in adata[:, genes], or give "
            "a table."
        )
    if suffix in (".npz", ".mat"):
        arrays = read_npz(path) if suffix == ".npz" else read_mat(path)
        X, names = matrix_with_names(path, arrays, transpose=transpose)
        return Table(names, list(X.T))
    table = read_columns(path, suffix, transpose=transpose, as_text=True)
    reject_duplicates(path, table.names)
    return table


def _suffix(path: Path) -> str:
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}; check the path.")
    if path.is_dir():
        raise ValueError(f"{path} is a directory; give a file.")
    suffix = path.suffix.lower()
    if suffix in COMPRESSED:
        suffix = Path(path.stem).suffix.lower()
        known: Iterable[str] = DELIMITERS
    else:
        known = KNOWN_SUFFIXES
    if suffix not in known:
        raise ValueError(
            f"{path} has a suffix that is not known; known are {', '.join(KNOWN_SUFFIXES)}, and "
            f"{', '.join(COMPRESSED)} after {', '.join(DELIMITERS)}."
        )
    return suffix


def _from_table(
    path: Path, table: Table, target: str | int | None, drop: list[str | int]
) -> Dataset:
    names, columns = table
    reject_duplicates(path, names)
    if target is None:
        raise ValueError(
            f"target is missing: say which column of {path} holds the classes; "
            f"it has {some_of(names)}."
        )
    found = Columns.of_file(names, path)
    label = found.position(target, "target")
    kept = found.without(drop, label)
    X = np.empty((len(columns[label]), len(kept)))
    text = []
    for j, f in enumerate(kept):
        numbers = as_numbers(columns[f])
        if numbers is None:
            text.append(f)
        else:
            X[:, j] = numbers
    if text:
        raise ValueError(
            f"{path} has text in column(s) {some_of(names[f] for f in text)}, such as "
            f"{first_text(columns[text[0]])!r}; encode it as numbers or leave the columns out with "
            "drop (--drop)."
        )
    numbers = as_numbers(columns[label])
    labels = columns[label] if numbers is None else numbers
    y, class_names = _encoded(labels, f"column {names[label]!r} of {path}")
    return _checked(path, X, y, [names[f] for f in kept], class_names)


def _from_arrays(
    path: Path, arrays: Arrays, target: str | int | None, drop: list[str | int], *, transpose: bool
) -> Dataset:
    key = next((k for k in ("y", "Y") if k in arrays), "y") if target is None else str(target)
    if "X" not in arrays or key not in arrays:
        raise ValueError(
            f"{path} must hold the arrays 'X' and {key!r}; it has {some_of(arrays) or 'none'}."
        )
    labels = arrays[key].ravel()
    X, names = matrix_with_names(path, arrays, transpose=transpose)
    n, m = X.shape
    if len(labels) != n:
        hint = "; are the features in rows (transpose)?" if len(labels) == m else "."
        raise ValueError(f"X in {path} has {n} row(s) but {key} has {len(labels)} label(s){hint}")
    is_coded = labels.dtype.kind in "biu"
    labels = labels if is_coded or labels.dtype.kind == "f" else labels.astype(str)
    y, class_names = _encoded(labels, f"{key} of {path}")
    if "classes" in arrays and is_coded:
        given = [name.strip() for name in arrays["classes"].ravel().astype(str)]
        codes = np.unique(labels)
        if codes[0] < 0 or codes[-1] >= len(given):
            raise ValueError(
                f"{key} of {path} runs from {codes[0]} to {codes[-1]}, but classes names the "
                f"codes 0 to {len(given) - 1}."
            )
        class_names = [given[code] for code in codes]
    kept = Columns.of_file(names, path).without(drop, None)
    return _checked(path, X[:, kept], y, [names[f] for f in kept], class_names)


def _from_cells(
    path: Path, cells: Cells, target: str | int | None, drop: list[str | int]
) -> Dataset:
    X, obs, names = cells
    columns = [str(name) for name in obs.columns]
    if target is None:
        raise ValueError(
            f"target is missing: say which column of obs in {path} holds the classes; "
            f"it has {some_of(columns) or 'none'}."
        )
    label = Columns.of_file(columns, f"obs in {path}").position(target, "target")
    source = f"column {columns[label]!r} of {path}"
    classes, y = read_labels(labels_of(obs.iloc[:, label]), source)
    if (missing := y < 0).any():
        raise ValueError(
            f"{source} has {missing.sum()} missing label(s), the first for cell "
            f"{some_of(obs.index[missing][:1])}; label or remove these cells, or see unlabelled in "
            "s2fs.bio.select."
        )
    reject_one_class(classes, source)
    kept = Columns.of_file(names, path).without(drop, None)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[f] for f in kept]
    return _checked(path, X, y, names, [str(name) for name in classes])


def _encoded(labels: Any, source: str) -> tuple[Indices, list[str]]:
    """The labels of rows as codes, with the names of the classes; none may be missing."""
    classes, y = read_labels(labels, source)
    if (missing := y < 0).any():
        raise ValueError(
            f"{source} has {missing.sum()} missing label(s), the first in data row "
            f"{missing.argmax() + 1}; label or remove these rows."
        )
    reject_one_class(classes, source)
    return y, [str(name) for name in classes]


def _checked(
    path: Path, X: Any, y: Indices, feature_names: list[str], class_names: list[str]
) -> Dataset:
    """The last check of every reader: all numbers are there and finite."""
    found = nonfinite_columns(X)
    for kind, what in (("NaN", "missing"), ("infinity", "infinite")):
        if kind in found:
            raise ValueError(
                f"{path} has {what} values in column(s) "
                f"{some_of(feature_names[f] for f in found[kind])}; fill them in or leave the "
                "columns out with drop (--drop)."
            )
    return Dataset(X, y, feature_names, class_names)
