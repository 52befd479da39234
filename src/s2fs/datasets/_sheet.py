"""A table of samples beside the data: which of its rows describes which sample."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from s2fs._util.inputs import Columns
from s2fs.datasets._errors import UnreadableError
from s2fs.datasets._frame import Frame
from s2fs.datasets._source import ReadOptions, remark


class _Match(NamedTuple):
    """A column of the table (None: the names of its rows) and one of the sheet, by position."""

    column: int | None
    key: int
    n_found: int
    is_exact: bool


class SheetRows(NamedTuple):
    """For each row of the table a row of the sheet, −1 for none; the column of sample names."""

    rows: list[int]
    column: int | None


def match_samples(frame: Frame, sheet: Frame, options: ReadOptions) -> SheetRows:
    """Find the row of the sheet for every row of the table.

    The names in the sheet decide which column of either file names the samples, unless the user
    has said so. The column of the table becomes its ``row_names``.

    Parameters
    ----------
    frame : Frame
        The table of the data.
    sheet : Frame
        The table of samples, whose cells are all text.
    options : ReadOptions
        ``by_position``, ``id`` and ``sample_id``.

    Returns
    -------
    SheetRows
    """
    if options.by_position:
        if sheet.n_rows != frame.n_rows:
            raise UnreadableError(
                f"{sheet.source} has {sheet.n_rows} row(s) for the {frame.n_rows} sample(s) of "
                f"{frame.source}, so `by_position` cannot match them; give one row per sample."
            )
        return SheetRows(list(range(frame.n_rows)), None)
    match = _best_match(frame, sheet, options)
    if match is None or match.n_found == 0:
        fixes = {"by_position": True} if _may_be_in_order(frame, sheet, options) else {}
        raise UnreadableError(_about_no_match(frame, sheet, options), fixes)
    names = _names_in(frame, match.column)
    keys = _cells(sheet, match.key)
    frame.row_names = names
    if options.id is None or options.sample_id is None or not match.is_exact:
        where = "its header" if frame.turned else "the names of its rows"
        if match.column is not None:
            where = repr(frame.names[match.column]) if frame.names[match.column] else "unnamed"
        alike = "" if match.is_exact else ", but for case and marks"
        remark(
            f"{match.n_found} of {len(set(names))} samples of {frame.source} ({where}) are in "
            f"column {sheet.names[match.key]!r} of {sheet.source}{alike}.",
            "sample sheet",
        )
    if not match.is_exact:
        names, keys = list(map(_loosely, names)), list(map(_loosely, keys))
    row_of = {key: row for row, key in enumerate(keys) if key}
    wanted = set(names)
    if sum(key in wanted for key in keys) > sum(key in row_of for key in wanted):
        raise UnreadableError(
            f"{sheet.source} has a sample more than once in its column {sheet.names[match.key]!r}; "
            "give each once, or another column with `sample_id`."
        )
    return SheetRows([row_of.get(name, -1) for name in names], match.column)


def is_header_named(frame: Frame, sheet: Frame) -> bool:
    """Whether the sheet names the columns of the table, and not its rows: features are in rows."""
    keys = [set(_cells(sheet, j)) - {""} for j in range(len(sheet.names))]
    in_header = max(len(key.intersection(frame.names)) for key in keys)
    in_rows = max(
        (len(key.intersection(names)) for key in keys for _, names in _candidates(frame)), default=0
    )
    return in_header > max(in_rows, 1)


def _best_match(frame: Frame, sheet: Frame, options: ReadOptions) -> _Match | None:
    """The two columns that have most names in common; loosely the same only if none is equal."""
    if options.sample_id is None:
        keys = list(range(len(sheet.names)))
    else:
        columns = Columns.of_file(sheet.names, sheet.source)
        keys = [columns.position(options.sample_id, "`sample_id`")]
    tables = _candidates(frame) if options.id is None else [(None, frame.row_names or [])]
    cells = {key: _cells(sheet, key) for key in keys}
    for is_exact in (True, False):
        matches = []
        for column, names in tables:
            own = set(names) if is_exact else set(map(_loosely, names))
            for key in keys:
                known = set(cells[key]) if is_exact else set(map(_loosely, cells[key]))
                matches.append(_Match(column, key, len(own & (known - {""})), is_exact))
        best = max(matches, key=lambda match: match.n_found, default=None)
        if best is not None and best.n_found:
            return best
    return None


def _candidates(frame: Frame) -> list[tuple[int | None, list[str]]]:
    """What may name the rows: row names, columns of text, whole numbers that are all different."""
    found: list[tuple[int | None, list[str]]] = []
    if frame.row_names is not None:
        found.append((None, frame.row_names))
    if frame.turned:
        return found
    found += [(f, _names_in(frame, f)) for f in frame.cells]
    n, numbers = frame.n_rows, [f for f in range(len(frame.names)) if f not in frame.cells]
    whole = np.flatnonzero(
        (np.floor(frame.numbers[: min(n, 5)]) == frame.numbers[: min(n, 5)]).all(axis=0)
    )
    for place in whole.tolist():
        column = frame.numbers[:, place]
        if np.isfinite(column).all() and len(np.unique(column)) == n:
            found.append((numbers[place], _names_in(frame, numbers[place])))
    return found


def _names_in(frame: Frame, column: int | None) -> list[str]:
    """The names of the rows in a column, or those the table has."""
    if column is None:
        return list(frame.row_names or [])
    cells = frame.column(column)
    if isinstance(cells, np.ndarray):
        cells = [int(cell) if float(cell).is_integer() else cell for cell in cells.tolist()]
    return [str(cell).strip() for cell in cells]


def _cells(sheet: Frame, position: int) -> list[str]:
    return [str(cell).strip() for cell in sheet.column(position)]


def _loosely(name: str) -> str:
    """A name without what R and spreadsheets change in it: case, marks, and X before a digit."""
    return re.sub(r"^x(?=\d)", "", re.sub(r"[\W_]+", ".", name.lower()))


def _may_be_in_order(frame: Frame, sheet: Frame, options: ReadOptions) -> bool:
    """Whether the rows of both may be in one order, as nothing was said of names."""
    return sheet.n_rows == frame.n_rows and options.sample_id is None


def _about_no_match(frame: Frame, sheet: Frame, options: ReadOptions) -> str:
    """Why no sample was found, and what to do."""
    shown: Sequence[Any] = frame.row_names or []
    example = f", such as {shown[0]!r}" if shown else ""
    column = "" if options.sample_id is None else f" in its column {options.sample_id!r}"
    ways = "say where they are with `id` and `sample_id`"
    if _may_be_in_order(frame, sheet, options):
        ways += ", or that the rows are in the same order with `by_position=True`"
    return f"{sheet.source} has none of the samples of {frame.source}{column}{example}; {ways}."
