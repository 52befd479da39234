"""A table of samples beside the data: which of its rows describes which sample."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from s2fs._utils.arguments import Argument, Message
from s2fs._utils.cells import is_counter
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_count, format_names
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader

#: How the files of samples end whose paths some programs write into the header.
_SUFFIXES = re.compile(r"(?:[._](?:sorted|bam|sam|cram|cel|fastq|fq|gz|mzml|mzxml|raw))+$")


#: With so many names it is tried what stands before and behind them.
_SOME_NAMES = 20
#: Of several measurements of every sample those are taken whose name has the first of these words.
_MEASUREMENTS = ("lfq", "normali", "intensity", "abundance", "area", "quantity", "count", "reads")


class Affix(NamedTuple):
    """What stands before and behind the names of samples, as in ``LFQ intensity H1``."""

    before: str
    behind: str

    def __str__(self) -> str:
        return f"{self.before}…{self.behind}"

    def strip(self, name: str) -> str:
        """A name without it; other names stay."""
        return name.removeprefix(self.before).removesuffix(self.behind)


class _Match(NamedTuple):
    """A column of the table (None: the names of its rows) and one of the sheet, by position.

    Names are the same, or loosely so, or they are after an affix of the table.
    """

    column: int | None
    key: int
    n_found: int
    is_exact: bool
    is_unique: bool
    affix: Affix | None = None


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
                f"{sheet.source} has {format_count(sheet.n_rows, 'row')} for the "
                f"{format_count(frame.n_rows, 'sample')} of {frame.source}, so ",
                Argument("by_position"),
                " cannot match them; give one row per sample.",
            )
        return SheetRows(list(range(frame.n_rows)), None)
    match = _best_match(frame, sheet, options)
    if match is None and _may_be_in_order(frame, sheet, options) and is_bare(sheet):
        warn_reader(
            f"{sheet.source} names no samples and has as many rows as {frame.source} has samples: "
            "they are taken in the same order (",
            Argument("by_position", True),
            ").",
            kind="by position",
        )
        return SheetRows(list(range(frame.n_rows)), None)
    if match is None:
        fixes = {"by_position": True} if _may_be_in_order(frame, sheet, options) else {}
        raise UnreadableError(
            _about_no_match(frame, sheet, options), reason="no sample matched", fixes=fixes
        )
    names = _names_in(frame, match.column)
    keys = _cells(sheet, match.key)
    if match.affix is not None:
        names = [match.affix.strip(name) for name in names]
    frame.row_names = names
    if options.id is None or options.sample_id is None or not match.is_exact:
        where = "its header" if frame.transposed else "the names of its rows"
        if match.column is not None:
            where = repr(frame.names[match.column]) if frame.names[match.column] else "unnamed"
        alike = "" if match.is_exact else ", but for case and marks"
        alike = f" after {str(match.affix)!r}" if match.affix is not None else alike
        warn_reader(
            f"{match.n_found} of {len(set(names))} samples of {frame.source} ({where}) are in "
            f"{_call_column(sheet.names[match.key])} of {sheet.source}{alike}.",
            kind="sample sheet",
        )
    if not match.is_exact:
        names, keys = list(map(_loosely, names)), list(map(_loosely, keys))
    row_of = {key: row for row, key in enumerate(keys) if key}
    if twice := _find_contradiction(sheet, keys, set(names), options):
        raise UnreadableError(
            f"{sheet.source} has a sample more than once in its column {sheet.names[match.key]!r}, "
            f"such as {twice!r}, and does not say the same of it; give each once, or another "
            "column with ",
            Argument("sample_id"),
            ".",
        )
    return SheetRows([row_of.get(name, -1) for name in names], match.column)


def _find_contradiction(
    sheet: Frame, keys: list[str], wanted: set[str], options: ReadOptions
) -> str | None:
    """A sample with two rows in the sheet that say something else of it, in what is asked for."""
    asked = [options.target, *(name for _, name in options.descriptions)]
    columns = [sheet.column(sheet.names.index(str(a))) for a in asked if str(a) in sheet.names]
    first: dict[str, list[Any]] = {}
    for row, key in enumerate(keys):
        if key in wanted:
            said = [column[row] for column in columns] or [row]
            if first.setdefault(key, said) != said:
                return key
    return None


def _call_column(name: str) -> str:
    """What messages call a column, which may have no name."""
    return f"column {name!r}" if name else "the column without a name"


def names_in_header(frame: Frame, sheet: Frame) -> frozenset[str]:
    """The columns of the table that the sheet names, if it does not name its rows.

    Features are in rows then; nothing if they are in columns. Names that are equal but for what R
    and spreadsheets change count only if none is equal.
    """
    for normalize in (str, _loosely):
        keys = [set(map(normalize, _cells(sheet, j))) - {""} for j in range(len(sheet.names))]
        header = {normalize(name): name for name in frame.names}
        named = max((key & header.keys() for key in keys), key=len)
        n_in_rows = 0
        for _, names in _candidates(frame):
            own = set(map(normalize, names))
            if not _counts_others(names, sheet):
                n_in_rows = max(n_in_rows, *(len(key & own) for key in keys))
        is_tie = len(named) == n_in_rows  # numbers may be in both: the smaller side is full
        is_in_header = len(named) > n_in_rows or (is_tie and len(header) < frame.n_rows)
        if len(named) > 1 and is_in_header:
            return frozenset(header[key] for key in named)
        if n_in_rows:
            return frozenset()
    affixes = [_find_affix(frame.names, _cells(sheet, j)) for j in range(len(sheet.names))]
    affix, n_found = max(affixes, key=lambda found: found[1])
    in_rows = _best_match(frame, sheet, ReadOptions())
    if affix is None or (in_rows is not None and in_rows.n_found >= n_found):
        return frozenset()
    known = {key for j in range(len(sheet.names)) for key in _cells(sheet, j)}
    return frozenset(name for name in frame.names if affix.strip(name) in known - {name})


def _find_affix(names: Sequence[str], keys: Sequence[str]) -> tuple[Affix | None, int]:
    """What stands around most keys in the names, and how many are found so; all are different."""
    known, wanted = set(names), list(dict.fromkeys(key for key in keys if key))
    tried: dict[Affix, None] = {}
    for key in wanted[:_SOME_NAMES]:
        for name in names:
            place = name.rfind(key) if len(name) > len(key) else -1
            before, behind = name[:place], name[place + len(key) :]
            if place >= 0 and not (before[-1:].isalnum() or behind[:1].isalnum()):
                tried[Affix(before, behind)] = None
    best: tuple[Affix | None, int] = (None, 0)
    for affix in sorted(tried, key=_rank_measurement):  # of equal ones the first
        n_found = sum(f"{affix.before}{key}{affix.behind}" in known for key in wanted)
        if n_found > max(1, len(wanted) / 2, best[1]):
            best = (affix, n_found)
    return best


def _rank_measurement(affix: Affix) -> int:
    """How likely an affix is that of the values to select from; of equal ones the first counts."""
    words = f"{affix.before} {affix.behind}".lower()
    return next((i for i, word in enumerate(_MEASUREMENTS) if word in words), len(_MEASUREMENTS))


def is_bare(sheet: Frame) -> bool:
    """Whether a sheet holds the classes alone, perhaps beside row numbers, and names nobody."""
    others = [j for j in range(len(sheet.names)) if not is_counter(_cells(sheet, j))]
    return len(others) == 1


def has_sheet_of_columns(frame: Frame, sheet: Frame, options: ReadOptions) -> bool:
    """Whether a sheet without names has a row for each column of numbers, not for each row."""
    is_open = not frame.transposed and options.id is None and options.sample_id is None
    n_columns = sum(not is_counter(_names_in(frame, f)) for f in _numeric(frame))
    fits = sheet.n_rows == n_columns and sheet.n_rows != frame.n_rows
    return bool(is_open and fits and is_bare(sheet))


def describes_samples(sheet: Frame, frame: Frame) -> bool:
    """Whether most rows of a sheet name the rows or the columns of a table."""
    match = _best_match(frame, sheet, ReadOptions())
    in_rows = 0 if match is None or not match.is_exact else match.n_found
    return max(in_rows, len(names_in_header(frame, sheet))) > sheet.n_rows / 2


def _numeric(frame: Frame) -> list[int]:
    """The columns of numbers by position."""
    return [f for f in range(len(frame.names)) if f not in frame.cells]


def cells_in_order(sheet: Frame, position: int, rows: list[int]) -> list[str]:
    """A column of the sheet in the order of the table, empty where a sample is not in it."""
    column = sheet.column(position)
    return ["" if row < 0 else str(column[row]).strip() for row in rows]


def _best_match(frame: Frame, sheet: Frame, options: ReadOptions) -> _Match | None:
    """The two columns that have most names in common; loosely the same only if none is equal."""
    if options.sample_id is None:
        keys = list(range(len(sheet.names)))
    else:
        columns = Columns.of_file(sheet.names, sheet.source)
        keys = [columns.position(options.sample_id, Argument("sample_id"))]
    tables = _candidates(frame) if options.id is None else [(None, frame.row_names or [])]
    # Row numbers of a longer table are not those of the samples.
    tables = [(c, names) for c, names in tables if not _counts_others(names, sheet)]
    cells = {key: _cells(sheet, key) for key in keys}
    is_unique = {key: len(set(cells[key])) == len(cells[key]) for key in keys}
    for is_exact in (True, False):
        matches = []
        for column, names in tables:
            own = set(names) if is_exact else set(map(_loosely, names))
            for key in keys:
                if len(names) != sheet.n_rows and is_counter(names) and is_counter(cells[key]):
                    continue  # row numbers of two different things
                known = set(cells[key]) if is_exact else set(map(_loosely, cells[key]))
                n_found = len(own & (known - {""}))
                matches.append(_Match(column, key, n_found, is_exact, is_unique[key]))
        best = max(matches, key=lambda match: (match.n_found, match.is_unique), default=None)
        if best is not None and best.n_found:
            return best
    for column, names in tables:
        for key in keys:
            affix, n_found = _find_affix(names, cells[key])
            if affix is not None:
                return _Match(column, key, n_found, True, is_unique[key], affix)
    return None


def _counts_others(names: list[str], sheet: Frame) -> bool:
    """Whether names are row numbers of a table much longer than the sheet."""
    return len(names) > 2 * sheet.n_rows and is_counter(names)


def _candidates(frame: Frame) -> list[tuple[int | None, list[str]]]:
    """What may name the rows: row names, columns of text, whole numbers that are all different."""
    found: list[tuple[int | None, list[str]]] = []
    if frame.row_names is not None:
        found.append((None, frame.row_names))
    if frame.transposed:
        return found
    found += [(f, _names_in(frame, f)) for f in frame.cells]
    n, numbers = frame.n_rows, _numeric(frame)
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
    """A name without what R, spreadsheets and pipelines change in it.

    These are case, marks, X before a digit, and the folder and suffixes of a file of the sample.
    """
    stem = _SUFFIXES.sub("", re.split(r"[/\\]", name.strip().lower())[-1])
    return re.sub(r"^x(?=\d)", "", re.sub(r"[\W_]+", ".", stem))


def _may_be_in_order(frame: Frame, sheet: Frame, options: ReadOptions) -> bool:
    """Whether the rows of both may be in one order, as nothing was said of names."""
    return sheet.n_rows == frame.n_rows and options.sample_id is None


def _about_no_match(frame: Frame, sheet: Frame, options: ReadOptions) -> Message:
    """Why no sample was found, and what to do."""
    shown: Sequence[Any] = frame.row_names or []
    example = f", such as {shown[0]!r}" if shown else ""
    keys = next(
        (c for j in range(len(sheet.names)) if len(set(c := _cells(sheet, j))) == len(c)), []
    )
    here = f" (it names {format_names(keys, 2)})" if keys and not is_counter(keys) else ""
    column = "" if options.sample_id is None else f" in its column {options.sample_id!r}"
    ways: list[str | Argument] = [Argument("id"), " and ", Argument("sample_id")]
    if _may_be_in_order(frame, sheet, options):
        ways += [", or that the rows are in the same order with ", Argument("by_position", True)]
    return Message(
        f"{sheet.source}{here} has none of the samples of {frame.source}{column}{example}; say "
        "where they are with ",
        *ways,
        ".",
    )
