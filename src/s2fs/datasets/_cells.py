"""Files of annotated cells (``.h5ad``).

Only what a selection needs is read: one matrix, one column of the annotation of the cells, and the
names of cells and genes.
"""

from typing import Any

from scipy.sparse import csc_array, csr_array

from s2fs._util.annotated import as_floats, key_of_matrix
from s2fs._util.inputs import Columns
from s2fs._util.messages import some_of
from s2fs._util.optional import need
from s2fs.datasets._child import Answer
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._frame import numbered
from s2fs.datasets._interpret import encode, from_matrix
from s2fs.datasets._source import ReadOptions, Source, UnreadableError, reading


def from_cells(source: Source, options: ReadOptions) -> Dataset:
    """The dataset in an ``.h5ad`` file, with the labels in a column of obs."""
    target, layer = options.target, options.layer
    need("h5py", extra="bio", purpose=f"Reading {source.name}")
    with reading(source.name, ".h5ad"):
        answer = Answer("h5ad", source, layer=layer, target=None if target is None else str(target))
        outline, arrays = answer.said, answer.arrays
    key = key_of_matrix(outline["layers"], layer, source.name, has_X=outline["has_X"])
    columns = outline["columns"]
    if target is None:
        raise UnreadableError(
            f"target is missing: say which column of obs in {source.name} holds the classes; "
            f"it has {some_of(columns) or 'none'}."
        )
    if "column" not in outline:
        Columns.of_file(columns, f"obs in {source.name}").position(target, "target")
        raise UnreadableError(f"{source.name} is damaged: a part of it cannot be found.")
    with reading(source.name, ".h5ad"):
        cell_names, gene_names = arrays["obs_names"].tolist(), arrays["var_names"].tolist()
        shape = tuple(outline["shape"])
        if shape != (len(cell_names), len(gene_names)):
            raise UnreadableError(
                f"{source.name} is damaged: {key} has the shape {shape}, but there are "
                f"{len(cell_names)} cells and {len(gene_names)} genes."
            )
        X: Any = arrays.get("X")
        if X is None:
            form = {"csr": csr_array, "csc": csc_array}[outline["format"]]
            X = form((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
            X.check_format(full_check=True)
        labels = _labels(arrays)
        if len(labels) != len(cell_names):
            raise UnreadableError(
                f"{source.name} is damaged: {outline['column']!r} has {len(labels)} labels for "
                f"{len(cell_names)} cells."
            )
    X = as_floats(X, f"{key} of {source.name}")
    where = f"column {outline['column']!r} of {source.name}"
    codes, names = encode(labels, where, options.missing_words), numbered(gene_names, "-")
    return from_matrix(source.name, X, names, codes, where, options, cell_names)


def _labels(arrays: dict[str, Any]) -> list[Any]:
    """One label for each cell, None where it is missing."""
    values = arrays["values"].tolist()
    if "codes" in arrays:
        codes = arrays["codes"]
        if codes.size and codes.max() >= len(values):
            raise ValueError("a code without a category")
        return [None if code < 0 else values[code] for code in codes.tolist()]
    if "mask" in arrays:
        return [None if gap else v for v, gap in zip(values, arrays["mask"], strict=True)]
    return values
