"""New samples for features that are known by name: their values, names, labels and groups."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import is_missing
from s2fs._utils.columns import Columns
from s2fs._utils.types import Floats
from s2fs.io._arrays import find_array_labels, matrix_with_names, read_arrays, read_sample_ids
from s2fs.io._cells import read_cells
from s2fs.io._descriptions import describe_samples, sort_descriptions
from s2fs.io._errors import UnreadableError
from s2fs.io._formats import read_frame
from s2fs.io._frame import Frame
from s2fs.io._identifiers import are_distinct_whole_numbers, is_id_name, name_rows_by
from s2fs.io._options import ReadOptions
from s2fs.io._readers import (
    find_needed_text,
    orient_by_sheet,
    read_sheet,
    split_workbook,
)
from s2fs.io._remarks import Remark, collect_remarks, warn_reader
from s2fs.io._sheet import match_samples
from s2fs.io._source import Source
from s2fs.io._target import find_labels, has_target_in_row
from s2fs.io._text_columns import fill_known_gaps, unread_cells

_NUMBER = re.compile(r"[\s\d.,'+-]*\d[\s\d.,'+-]*")


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of which some features are wanted.

    Attributes
    ----------
    source : str
        What messages call the file.
    names : list of str
        The columns that may be features.
    n_samples : int
        How many samples there are.
    take : callable
        Gives a column by its position as float64, NaN where a value is missing.
    read_words : callable
        Gives a column by its position as text.
    labels : list of str or None
        The class of each sample as text, empty where it is missing; None if nobody asked for it.
    sample_ids : list of str or None
        What the file calls the samples.
    groups : ndarray of shape (n_samples,) or None
        Which samples belong together.
    remarks : tuple of Remark
        What the reader has decided.
    repeated : frozenset of str
        Names of columns that the file has more than once.
    """

    source: str
    names: list[str]
    n_samples: int
    take: Callable[[int], Floats] = field(repr=False)
    read_words: Callable[[int], list[str]] = field(repr=False)
    labels: list[str] | None = None
    sample_ids: list[str] | None = None
    groups: NDArray[np.str_] | None = None
    remarks: tuple[Remark, ...] = ()
    repeated: frozenset[str] = frozenset()


def read_samples(
    path: str | PathLike[str],
    wanted: Collection[str],
    *,
    target: Any = None,
    labelled: bool = False,
    **options: Any,
) -> Samples:
    r"""Read samples of which some features are wanted, with or without labels.

    Nothing is left out because of what it looks like: the wanted features are known by name.

    Parameters
    ----------
    path : str or path-like
        The file to read; "-" is standard input.
    wanted : collection of str
        Names of features. Where the first column has them, and not the header, the table has
        features in rows.
    target : str or int, optional
        The column with the class labels, as for :func:`s2fs.read_table`.
    labelled : bool, default=False
        Whether labels are needed, and refused to be missing.
    **options
        As for :func:`s2fs.read_table`.

    Returns
    -------
    Samples
        Their names, labels and groups; the values of a column when it is asked for.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from s2fs.io import read_samples
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "new.csv"
    >>> _ = file.write_text("gene,p1,p2\nCD99,2.5,?\nFGFR4,1,3\n")
    >>> samples = read_samples(file, ["FGFR4", "CD99"])
    >>> samples.names, samples.sample_ids, samples.take(0)
    (['CD99', 'FGFR4'], ['p1', 'p2'], array([2.5, nan]))
    """
    how = ReadOptions.of({"target": target, **options})
    with collect_remarks() as remarks:
        samples = _read(path, how, frozenset(wanted), wants_labels=labelled)
    is_repeated = any(remark.kind == "equal names" for remark in remarks)
    repeated = {name for name in wanted if is_repeated and f"{name}.1" in samples.names}
    return replace(samples, remarks=tuple(remarks), repeated=frozenset(repeated))


def _read(
    path: str | PathLike[str], how: ReadOptions, wanted: frozenset[str], *, wants_labels: bool
) -> Samples:
    """The samples in a file, by the reader of its format."""
    source = Source(path, how.limit)
    if source.suffix == ".h5ad":
        cells = read_cells(source, how, needs_target=wants_labels)
        groups, _ = sort_descriptions(cells.described, source.name)
        labels = None if cells.labels is None else _as_words(cells.labels, how.missing_words)
        return _of_matrix(source.name, cells.X, cells.gene_names, labels, cells.cell_names, groups)
    if source.suffix in (".npz", ".mat"):
        arrays = read_arrays(source)
        X, names = matrix_with_names(source.name, arrays, transpose=how.transpose)
        labels, groups = None, None
        if how.target is None and wants_labels:
            how = replace(how, target=next((key for key in ("y", "Y") if key in arrays), "y"))
        if how.target is not None or how.descriptions:
            found, described = find_array_labels(source.name, arrays, len(X), how)
            labels = None if found is None else _as_words(found, how.missing_words)
            groups, _ = sort_descriptions(described, source.name)
        ids = read_sample_ids(arrays, len(X), source.name)
        return _of_matrix(source.name, X, names, labels, ids, groups)
    if how.samples is not None:
        how, sheet = read_sheet(how)
        frame, how = orient_by_sheet(source, how, sheet)
        return _of_frame(frame, how, wanted, sheet, wants_labels=wants_labels)
    if (pair := split_workbook(source, how)) is not None:
        how = replace(how, sheet=pair[0])
        frame, how = orient_by_sheet(source, how, pair[1])
        return _of_frame(frame, how, wanted, pair[1], wants_labels=wants_labels)
    frame = read_frame(source, how, find_needed_text(source, how))
    if not frame.transposed and _is_in_rows(frame, how, wanted):
        warn_reader(
            f"{source.name} has features in rows: its first column names them (",
            Argument("transpose", True),
            ").",
            kind="transposed",
        )
        how = replace(how, transpose=True)
        frame = read_frame(source, how, find_needed_text(source, how))
    return _of_frame(frame, how, wanted, None, wants_labels=wants_labels)


def _is_in_rows(frame: Frame, how: ReadOptions, wanted: frozenset[str]) -> bool:
    """Whether the first column, and not the header, names the wanted features."""
    if has_target_in_row(frame, how.target):
        return True
    first = frame.cells.get(0, frame.row_names if 0 not in frame.cells else None)
    if first is None:
        return False
    if 2 * len(wanted.intersection(frame.names)) > len(wanted):
        return False
    known = {_loosely(name) for name in wanted}
    n_in_rows = len(known & {_loosely(str(cell).strip()) for cell in first})
    return n_in_rows > len(known & {_loosely(name) for name in frame.names})


def _loosely(name: str) -> str:
    """A name without its case and without a number behind its last point."""
    return re.sub(r"\.\d+$", "", name).casefold()


def _of_frame(
    frame: Frame,
    how: ReadOptions,
    wanted: frozenset[str],
    sheet: Frame | None,
    *,
    wants_labels: bool,
) -> Samples:
    """The samples in a table."""
    columns = Columns.of_file(frame.names, frame.source)
    id_column = None if how.id is None else columns.position(how.id, Argument("id"))
    if id_column is not None:
        frame.row_names = [str(cell).strip() for cell in frame.column(id_column)]
    sheet_rows, name_column = None, None
    if sheet is not None:
        sheet_rows, name_column = match_samples(frame, sheet, how)
    descriptions = describe_samples(frame, sheet, sheet_rows, how)
    groups, _ = sort_descriptions(descriptions, frame.source)
    labels, label_column = None, None
    if wants_labels or how.target is not None or how.target_from_names is not None:
        where = find_labels(frame, how, sheet, sheet_rows)
        labels, label_column = _as_words(where.cells, how.missing_words), where.position
    beside = {id_column, name_column, label_column, 0 if frame.transposed else None}
    beside |= {description.position for description in descriptions.values()}
    kept = [f for f in columns.without(how.drop, None) if f not in beside]
    if frame.row_names is None and not frame.transposed:
        _name_rows(frame, [f for f in kept if frame.names[f] not in wanted])

    def take(position: int) -> Floats:
        f = kept[position]
        if f not in frame.cells:
            return np.asarray(frame.column(f), dtype=np.float64)
        fill_known_gaps(frame, f)
        numbers = frame.parse(frame.cells[f])
        if numbers is None:
            raise _about_text(frame, f)
        return numbers

    def read_words(position: int) -> list[str]:
        return [str(cell).strip() for cell in frame.column(kept[position])]

    return Samples(
        frame.source,
        [frame.names[f] for f in kept],
        frame.n_rows,
        take,
        read_words,
        labels,
        frame.row_names,
        groups,
    )


def _of_matrix(
    source: str,
    X: Any,
    names: list[str],
    labels: list[str] | None,
    sample_ids: list[str] | None,
    groups: NDArray[np.str_] | None,
) -> Samples:
    """The samples in a matrix."""

    def take(position: int) -> Floats:
        column = X[:, [position]].toarray().ravel() if issparse(X) else X[:, position]
        return np.asarray(column, dtype=np.float64)

    def read_words(position: int) -> list[str]:
        return [f"{value:g}" for value in take(position)]

    return Samples(source, names, X.shape[0], take, read_words, labels, sample_ids, groups)


def _as_words(cells: Sequence[Any] | NDArray[Any], missing: frozenset[str]) -> list[str]:
    """Labels as text, empty where one is missing."""
    given = cells.tolist() if isinstance(cells, np.ndarray) else cells
    words = []
    for cell in given:
        if is_missing(cell, missing):
            words.append("")
        elif isinstance(cell, float) and cell.is_integer():
            words.append(str(int(cell)))
        else:
            words.append(str(cell).strip())
    return words


def _name_rows(frame: Frame, positions: list[int]) -> None:
    """Let a column that is no wanted feature and different in every row name the rows."""
    for f in sorted(
        positions, key=lambda f: (not is_id_name(frame.names[f]), f not in frame.cells)
    ):
        column = frame.column(f)
        is_named = is_id_name(frame.names[f]) or not frame.names[f]
        if f in frame.cells:
            cells = [str(cell).strip() for cell in column]
            is_name = len(set(cells)) == len(cells) and not any(map(is_missing, cells))
            is_name &= is_named or frame.parse(cells) is None
        else:
            is_name = is_named and are_distinct_whole_numbers(column)
        if is_name:
            name_rows_by(frame, f)
            return


def _about_text(frame: Frame, position: int) -> UnreadableError:
    """Why a wanted feature cannot be used, and which option helps."""
    cell = unread_cells(frame, position)[0]
    start = f"{frame.source} has text in the feature {frame.names[position]!r}, such as {cell!r}; "
    if _NUMBER.fullmatch(cell):
        return UnreadableError(
            start, "say how numbers are written with ", Argument("thousands"), " or ",
            Argument("decimal"), ".",
        )  # fmt: skip
    return UnreadableError(
        start, "give numbers, or say what is missing with ", Argument("missing"), "."
    )
