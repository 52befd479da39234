"""Files of annotated cells (``.h5ad``).

Only what a selection needs is read: one matrix, one column of the annotation of the cells, and the
names of cells and genes.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

from s2fs._utils.annotated import as_floats, key_of_matrix
from s2fs._utils.arguments import Argument
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_names
from s2fs._utils.optional import need
from s2fs.io._dataset import Dataset
from s2fs.io._descriptions import Description, Descriptions
from s2fs.io._errors import UnreadableError, reader_errors
from s2fs.io._frame import numbered
from s2fs.io._labels import encode_labels
from s2fs.io._meaning import from_matrix
from s2fs.io._options import ReadOptions
from s2fs.io._source import Source
from s2fs.io._worker import WorkerResult


class Cells(NamedTuple):
    """What an ``.h5ad`` file says of its cells; labels only if a target was given."""

    X: Any
    gene_names: list[str]
    cell_names: list[str]
    labels: list[Any] | None
    described: Descriptions
    where: str


def from_cells(source: Source, options: ReadOptions) -> Dataset:
    """The dataset in an ``.h5ad`` file, with the labels in a column of obs."""
    X, names, cell_names, labels, described, where = read_cells(source, options, needs_target=True)
    found = encode_labels(labels or [], where, options.missing_words)
    return from_matrix(source.name, X, names, found, where, options, cell_names, described)


def read_cells(source: Source, options: ReadOptions, *, needs_target: bool = False) -> Cells:
    """What a selection, or a panel, needs of an ``.h5ad`` file."""
    target, layer = options.target, options.layer
    need("h5py", extra="bio", purpose=f"Reading {source.name}")
    with reader_errors(source.name, ".h5ad"):
        beside = [str(wanted) for _, wanted in options.descriptions]
        wanted_labels = None if target is None else str(target)
        answer = WorkerResult("h5ad", source, layer=layer, target=wanted_labels, beside=beside)
        outline, arrays = answer.header, answer.arrays
    key = key_of_matrix(outline["layers"], layer, source.name, has_X=outline["has_X"])
    columns = outline["columns"]
    if not columns and needs_target:
        raise UnreadableError(
            f"{source.name} has no column in obs, so no classes; add one in Python, as in "
            "adata.obs['kind'] = …, and save it again."
        )
    if target is None and needs_target:
        raise UnreadableError(
            Argument("target", bare=True),
            f" is missing: say which column of obs in {source.name} holds the classes; "
            f"it has {format_names(columns) or 'none'}.",
        )
    if "column" not in outline and target is not None:
        Columns.of_file(columns, f"obs in {source.name}").position(target, "target")
        raise UnreadableError(f"{source.name} is damaged: a part of it cannot be found.")
    for number, (argument, wanted) in enumerate(options.descriptions):
        if outline["beside"][number] is None:
            keyword = Argument(argument.partition(":")[0])
            Columns.of_file(columns, f"obs in {source.name}").position(wanted, keyword)
    with reader_errors(source.name, ".h5ad"):
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
        described = {
            argument: _description(outline["beside"][number], _labels(arrays, f"{number}:"))
            for number, (argument, _) in enumerate(options.descriptions)
        }
        labels = None if target is None else _labels(arrays)
        if labels is not None and len(labels) != len(cell_names):
            raise UnreadableError(
                f"{source.name} is damaged: {outline['column']!r} has {len(labels)} labels for "
                f"{len(cell_names)} cells."
            )
    X = as_floats(X, f"{key} of {source.name}")
    where = f"column {outline.get('column')!r} of {source.name}"
    return Cells(X, numbered(gene_names, "-"), cell_names, labels, described, where)


def _description(name: str, values: list[Any]) -> Description:
    """What a column of obs says about each cell."""
    known = [value for value in values if value is not None]
    is_number = all(isinstance(value, int | float) for value in known)
    numbers = np.array([np.nan if v is None else v for v in values], float) if is_number else None
    return Description(name, values, None, numbers)


def _labels(arrays: dict[str, Any], prefix: str = "") -> list[Any]:
    """One label for each cell, None where it is missing; of a column with a prefix to its parts."""
    parts = {part: arrays.get(f"{prefix}{part}") for part in ("values", "codes", "mask")}
    arrays = {part: array for part, array in parts.items() if array is not None}
    values = arrays["values"].tolist()
    if "codes" in arrays:
        codes = arrays["codes"]
        if codes.size and codes.max() >= len(values):
            raise ValueError("a code without a category")
        return [None if code < 0 else values[code] for code in codes.tolist()]
    if "mask" in arrays:
        return [None if gap else v for v, gap in zip(values, arrays["mask"], strict=True)]
    return values
