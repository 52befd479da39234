"""Which columns of a table are features, and which number, name or describe its rows.

Columns that cannot be features are left out, and a remark says which and why; ``keep`` insists on
one. By name and content these are

* row numbers: 0, 1, … or 1, 2, … in the order of the rows;
* identifiers: whole numbers in a column with the name of one, or that rise or fall with every row,
  or that are a run of numbers in any order; a first column of whole numbers that are all different;
* sample names: text that is different in every row;
* dates, and any other text, unless it is to be encoded.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2fs._util.inputs import as_numbers, is_missing
from s2fs._util.messages import some_of
from s2fs._util.types import Floats
from s2fs.datasets._errors import UnreadableError
from s2fs.datasets._frame import Frame, as_plain_numbers
from s2fs.datasets._number_format import explain_marks
from s2fs.datasets._source import ReadOptions, remark

#: What many programs write where a value is not known, in lower case.
_MISSING_TOKENS = {
    "#n/a",
    "#value!",
    "#div/0!",
    "-",
    "--",
    ".",
    "*",
    "nd",
    "n.d.",
    "none",
    "missing",
}
#: How pandas and R leave row numbers behind.
_UNNAMED = re.compile(r"(Unnamed: 0|__index_level_\d+__)?(\.\d+)?")
_NUMBER_WORD = r"(?:no\.?|nr\.?|num|number|name|code|id)"
#: Names of identifiers, whatever whole numbers they hold.
_ID_NAME = re.compile(
    r"(?:.*[\s_.-])?(?:id|ids|uuid|guid|barcode|identifier)|"
    r"(?:sample|patient|subject|donor|person|participant|individual|animal|specimen|accession)s?"
    rf"[\s_.-]?{_NUMBER_WORD}?",
    re.IGNORECASE,
)
_CAMEL_ID = re.compile(r".*[a-z]I[dD]")
#: Names that are those of an identifier only if its values are all different.
_COUNTER_NAME = re.compile(
    rf"idx|index|row|rownames?|no\.?|nr\.?|number|#|(?:case|record|row|obs|observation)[\s_.-]?{_NUMBER_WORD}?",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( \d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}"
)
#: With fewer rows, whole numbers in order may well be measured.
_FEWEST_COUNTED = 10
#: With more columns named like an identifier than this, and this share, the names are of features.
_MOST_IDS, _MOST_IDS_SHARE = 3, 0.05
#: Text with more words than this is no category.
MANY_WORDS = 50
#: Text with fewer words than this hardly says which rows belong together, unless its name does.
_FEWEST_GROUPS = 10


class Roles(NamedTuple):
    """The features of a table by position, and those of them that are text to be encoded."""

    features: list[int]
    encoded: list[int]


def find_features(
    frame: Frame,
    candidates: Sequence[int],
    kept: Iterable[int],
    options: ReadOptions,
    obstacles: list[UnreadableError],
) -> Roles:
    """Tell features from columns that number, name or describe the rows.

    Parameters
    ----------
    frame : Frame
        The table; its ``row_names`` are set if a column names the rows, and words that usually
        stand for a missing value are emptied in columns of numbers.
    candidates : sequence of int
        The columns that nothing was said about.
    kept : iterable of int
        Those among them that are features whatever they look like.
    options : ReadOptions
        Whether text is encoded, and what the user calls missing.
    obstacles : list of UnreadableError
        Gets what is in the way of a feature.

    Returns
    -------
    Roles
    """
    insisted = set(kept)
    text = [f for f in candidates if f in frame.cells and not _fill_known_gaps(frame, f)]
    left_out: set[int] = set()
    if not frame.turned:
        left_out |= _unnamed_row_names(frame, [f for f in candidates if f not in insisted])
    open_columns = [f for f in candidates if f not in insisted | left_out]
    is_text = set(text)
    left_out |= _leave_out_identifiers(frame, [f for f in open_columns if f not in is_text])
    unclear = _unclear_numbers(frame, [f for f in text if f not in left_out], obstacles)
    left_out |= unclear
    encoded, described = _sort_text(
        frame, [f for f in text if f not in left_out], insisted, options
    )
    left_out |= described
    return Roles([f for f in candidates if f not in left_out], encoded)


def remark_on_groups(frame: Frame, positions: Iterable[int]) -> None:
    """Say that rows belong together by a column that is no feature, as those of a patient do."""
    for f in positions:
        name = frame.names[f]
        cells = [str(cell).strip() for cell in frame.column(f)]
        n_values = len({cell for cell in cells if not is_missing(cell)})
        if is_id_name(name):
            has_groups = 2 <= n_values < len(cells)
        else:
            has_groups = _FEWEST_GROUPS <= n_values <= len(cells) / 1.5
        if not has_groups or _is_date_column(cells):
            continue
        word = re.sub(rf"[\s_.-]*{_NUMBER_WORD}$", "", name, flags=re.IGNORECASE).lower()
        remark(
            f"{name} has {n_values} values in {len(cells)} rows; `group={name!r}` keeps a "
            f"{word or 'sample'} in one fold.",
            "groups",
        )


def remark_on_row_numbers(source: str, names: list[str]) -> None:
    """Say which columns count the rows."""
    remark(
        f"{source} counts the rows in column(s) {some_of(names)}; left out, unless `keep` names "
        "them.",
        "row numbers",
        names,
    )


def name_rows_by_text(frame: Frame) -> None:
    """Let the first column of text that is different in every row name the rows."""
    for f in sorted(frame.cells, key=lambda f: not is_id_name(frame.names[f])):
        cells = [str(cell).strip() for cell in frame.cells[f]]
        if len(set(cells)) == len(cells) and not any(map(is_missing, cells)):
            _name_rows(frame, f)
            return


def is_id_name(name: str) -> bool:
    """Whether a column has the name of an identifier."""
    return any(pattern.fullmatch(name) for pattern in (_ID_NAME, _CAMEL_ID))


def find_row_counters(X: Floats) -> list[int]:
    """The columns of an array that are 0, 1, … or 1, 2, … in the order of the rows."""
    n = len(X)
    if n < _FEWEST_COUNTED:
        return []
    first, last = X[0], X[-1]
    likely = np.flatnonzero(((first == 0) | (first == 1)) & (last == first + n - 1))
    return [f for f in likely.tolist() if (X[:, f] == np.arange(n) + first[f]).all()]


def _unnamed_row_names(frame: Frame, positions: Iterable[int]) -> set[int]:
    """Those of the columns that have no name and only count or name the rows."""
    found = set()
    for position in (j for j in positions if _UNNAMED.fullmatch(frame.names[j])):
        column = frame.column(position)
        numbers = as_numbers(column)
        if numbers is not None and not _are_distinct_whole_numbers(numbers):
            continue
        what = "numbers the rows" if numbers is not None else "names the rows"
        remark(
            f"{frame.source} {what} in a column without a name; it is not taken for a feature.",
            "row numbers" if numbers is not None else "sample names",
            [frame.names[position]],
        )
        _name_rows(frame, position)
        found.add(position)
    return found


def _numbers(frame: Frame, positions: list[int]) -> Floats:
    """Columns as numbers, also those whose cells had to be read once more."""
    if not any(f in frame.cells for f in positions):
        return frame.take(positions)
    return np.column_stack([_number_column(frame, f) for f in positions])


def _number_column(frame: Frame, position: int) -> Floats:
    column = frame.column(position)
    numbers = column if isinstance(column, np.ndarray) else frame.parse(column)
    return np.full(len(column), np.nan) if numbers is None else numbers


def _leave_out_identifiers(frame: Frame, positions: list[int]) -> set[int]:
    """Columns of numbers that number or name the rows; remarks say which."""
    X = _numbers(frame, positions)
    counters = {positions[j] for j in find_row_counters(X)}
    by_name = _named_identifiers(frame, positions) if not frame.turned else set()
    by_value = {positions[j] for j in _valued_identifiers(X)} - counters
    if len(by_value) > max(1, len(positions) // 10):
        by_value = set()  # numbers of this kind all over are ranks or counts
    named_counters = {f for f in by_name if _counts_from_0_or_1(_number_column(frame, f))}
    counters |= named_counters
    identifiers = (by_name | by_value) - counters
    for kind, found in (("row numbers", counters), ("identifiers", identifiers)):
        if not found:
            continue
        names = [frame.names[f] for f in sorted(found)]
        if kind == "row numbers":
            remark_on_row_numbers(frame.source, names)
        else:
            remark(
                f"{frame.source} names samples in column(s) {some_of(names)}; left out, unless "
                "`keep` names them.",
                kind,
                names,
            )
        for f in sorted(found):
            if _are_distinct_whole_numbers(_number_column(frame, f)):
                _name_rows(frame, f)
    return counters | identifiers


def _named_identifiers(frame: Frame, positions: list[int]) -> set[int]:
    """Columns of whole numbers that have the name of an identifier."""
    found = set()
    for f in positions:
        name, is_counter_name = frame.names[f], bool(_COUNTER_NAME.fullmatch(frame.names[f]))
        if not (is_counter_name or is_id_name(name)):
            continue
        column = _number_column(frame, f)
        known = column[~np.isnan(column)]
        is_whole = len(known) > 0 and bool((np.floor(known) == known).all())
        if is_whole and (not is_counter_name or _are_distinct_whole_numbers(column)):
            found.add(f)
    if len(found) > max(_MOST_IDS, _MOST_IDS_SHARE * len(positions)):
        return set()
    return found


def _valued_identifiers(X: Floats) -> list[int]:
    """Columns of whole numbers whose values can hardly be measured ones."""
    n = len(X)
    if n < _FEWEST_COUNTED or not X.size:
        return []
    with np.errstate(invalid="ignore"):
        steps = X[[1, n // 2, -1]] - X[[0, 1, n // 2]]
        rising = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
        run = X.max(axis=0) - X.min(axis=0) == n - 1
    first = np.arange(X.shape[1]) == 0
    found = []
    for f in np.flatnonzero((rising | run | first) & (np.floor(X[0]) == X[0])).tolist():
        column = X[:, f]
        differences = np.diff(column)
        in_order = bool((differences > 0).all() or (differences < 0).all())
        if (in_order or run[f] or first[f]) and _are_distinct_whole_numbers(column):
            found.append(f)
    return found


def _counts_from_0_or_1(column: Floats) -> bool:
    return column[0] in (0, 1) and bool((np.diff(column) == 1).all())


def _are_distinct_whole_numbers(values: Floats) -> bool:
    return bool((np.floor(values) == values).all()) and len(np.unique(values)) == len(values)


def _name_rows(frame: Frame, position: int) -> None:
    """Let a column name the rows, if nothing else does."""
    if frame.row_names is None:
        column = frame.column(position)
        shown = column.astype(np.int64) if isinstance(column, np.ndarray) else column
        frame.row_names = [str(cell).strip() for cell in shown]


def _fill_known_gaps(frame: Frame, position: int) -> bool:
    """Whether a column of cells is numbers, once units and usual gaps are left out."""
    cells = frame.cells[position]
    if frame.parse(cells) is not None:
        return True
    plain = as_plain_numbers(cells)
    if plain is not None and frame.parse(plain) is not None:
        frame.cells[position] = plain
        return True
    words = sorted({cell.strip() for cell in unread_cells(frame, position)})
    if not {word.lower() for word in words} <= _MISSING_TOKENS:
        return False
    emptied = ["" if str(cell).strip() in words else cell for cell in cells]
    if all(is_missing(cell) for cell in emptied):
        return False
    frame.cells[position] = emptied
    remark(
        f"{frame.source} has {some_of(words)} in column {frame.names[position]!r}, taken as a "
        f"missing value (`missing={','.join(words)!r}`).",
        "missing words",
    )
    return True


def unread_cells(frame: Frame, position: int) -> list[str]:
    """The cells of a column that are neither numbers nor missing."""
    return [str(cell) for cell in frame.cells[position] if frame.parse([str(cell)]) is None]


def _unclear_numbers(frame: Frame, text: list[int], obstacles: list[UnreadableError]) -> set[int]:
    """Columns of numbers of which nobody has said what their commas or points mean."""
    found = set()
    for f in text:
        unread = unread_cells(frame, f)
        if advice := explain_marks(unread, is_mixed=frame.has_mixed_marks):
            found.add(f)
            obstacles.append(
                UnreadableError(
                    f"{frame.source} has numbers in column {frame.names[f]!r} that are not clear, "
                    f"such as {unread[0].strip()!r}: {advice.text}.",
                    fixes=advice.fixes or {"drop": [frame.names[f]]},
                )
            )
    return found


def _sort_text(
    frame: Frame, text: list[int], insisted: set[int], options: ReadOptions
) -> tuple[list[int], set[int]]:
    """Columns of text: those to be encoded, and those that are left out with a remark."""
    encoded: list[int] = []
    dates: list[int] = []
    names: list[int] = []
    others: list[int] = []
    for f in text:
        cells = [str(cell).strip() for cell in frame.cells[f]]
        known = [cell for cell in cells if not is_missing(cell, options.missing_words)]
        if f in insisted:
            encoded.append(f)
        elif _is_date_column(known):
            dates.append(f)
        elif len(known) == len(cells) == len(set(cells)):
            names.append(f)
        elif options.encode and len(set(known)) <= MANY_WORDS:
            encoded.append(f)
        else:
            others.append(f)
    # The name of an identifier goes first, then the first column.
    for f in sorted(names, key=lambda f: not is_id_name(frame.names[f])):
        _name_rows(frame, f)
    for kind, found, what in (
        ("sample names", names, "names samples in"),
        ("dates", dates, "has dates in"),
    ):
        if found:
            called = [frame.names[f] for f in found]
            remark(f"{frame.source} {what} column(s) {some_of(called)}; left out.", kind, called)
    _remark_on_text(frame, others, options)
    return encoded, {*dates, *names, *others}


def _remark_on_text(frame: Frame, text: list[int], options: ReadOptions) -> None:
    """Say which columns of text are left out, and what takes them in."""
    described = []
    for f in text:
        unread = unread_cells(frame, f)
        if len(unread) > len(frame.cells[f]) / 2:
            described.append(f)
            continue
        name, (word, n_times) = frame.names[f], Counter(c.strip() for c in unread).most_common(1)[0]
        others = f" and {len(set(unread)) - 1} other word(s)" if len(set(unread)) > 1 else ""
        remark(
            f"{frame.source} has numbers in column {name!r}, but {word!r} in {n_times} row(s)"
            f"{others}; left out; `missing={word!r}` takes that as missing.",
            "numbers with text",
            [name],
        )
    if not described:
        return
    called = [frame.names[f] for f in described]
    few = [f for f in described if len(set(frame.cells[f])) <= MANY_WORDS]
    hint = "; `encode=True` takes them in" if few and not options.numeric_only else ""
    remark(
        f"{frame.source} has text in column(s) {some_of(called)}, which are left out{hint}.",
        "text",
        called,
    )


def _is_date_column(cells: Iterable[Any]) -> bool:
    known = [cell for cell in cells if not is_missing(cell)]
    return bool(known) and all(_DATE.fullmatch(str(cell)) for cell in known)
