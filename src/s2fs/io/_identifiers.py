"""Columns that number or name the rows."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import as_numbers, is_missing
from s2fs._utils.messages import format_named
from s2fs._utils.types import Floats
from s2fs.io._frame import Frame
from s2fs.io._remarks import warn_reader

#: How pandas and R leave row numbers behind.
_UNNAMED = re.compile(r"(Unnamed: 0|__index_level_\d+__)?(\.\d+)?")
NUMBER_WORD = r"(?:no\.?|nr\.?|num|number|name|code|id)"
#: Names of identifiers, whatever whole numbers they hold.
_ID_NAME = re.compile(
    r"(?:.*[\s_.-])?(?:id|ids|uuid|guid|barcode|identifier)|"
    r"(?:sample|patient|subject|donor|person|participant|individual|animal|specimen|accession)s?"
    rf"[\s_.-]?{NUMBER_WORD}?",
    re.IGNORECASE,
)
_CAMEL_ID = re.compile(r".*[a-z]I[dD]")
#: As in hospid and ptid; acid, thyroid and the like are other words.
_JOINED_ID = re.compile(
    r"(?!.*(?:ac|lip|rap|flu|liqu|squ|val|sol|gr|[abkmov])id$)[a-z]{2,}id",
    re.IGNORECASE,
)
#: What counts from the start again in every group may be a time; names of other counters are not.
_TIME_NAME = re.compile(
    r"(?:.*[\s_.-])?(?:year|month|week|day|hour|minute|min|sec|second|time|t|visit|wave|session|"
    r"period|trial|cycle|round|age|order|position|rank|dose|step)s?",
    re.IGNORECASE,
)
#: Names that are those of an identifier only if its values are all different.
_COUNTER_NAME = re.compile(
    rf"idx|index|row|rownames?|no\.?|nr\.?|number|#|(?:case|record|row|obs|observation)[\s_.-]?{NUMBER_WORD}?",
    re.IGNORECASE,
)
#: With fewer rows, whole numbers in order may well be measured.
_FEWEST_COUNTED = 10
#: Codes have at least so many digits.
_CODE_DIGITS = 4
#: Large codes name patients though some come again: of all values at least this share is different,
#: half of them are as large as this, and hardly more end in 0 than by chance.
_MOST_DIFFERENT, _LARGE_CODE, _MOST_ROUND = 0.8, 100_000, 0.25
#: No other column has values of which half are as large as this share of large codes.
_LEAST_ALIKE = 0.01
#: A counter without the name of one has so many rows in a group, on average.
_LONG_RUN = 10
#: So many columns show what kind of numbers a table has.
_SOME_COLUMNS = 50
#: With more columns named like an identifier than this, and this share, the names are of features.
_MOST_IDS, _MOST_IDS_SHARE = 3, 0.05


def remark_on_row_numbers(source: str, names: list[str]) -> None:
    """Say which columns count the rows."""
    warn_reader(
        f"{source} counts the rows in {format_named('column', names)}; left out, unless ",
        Argument("keep"),
        " names them.",
        kind="row numbers",
        columns=names,
    )


def name_rows_by_text(frame: Frame, positions: Iterable[int]) -> None:
    """Let the first of some columns of text that is different in every row name the rows."""
    for f in sorted(positions, key=lambda f: not is_id_name(frame.names[f])):
        if _is_different_in_every_row(frame.cells[f]):
            name_rows_by(frame, f)
            return


def _has_names_in_text(frame: Frame) -> bool:
    """Whether a column of text is different in every row."""
    return any(
        _is_different_in_every_row(cells) and frame.parse(cells) is None
        for cells in frame.cells.values()
    )


def _is_different_in_every_row(column: Any) -> bool:
    cells = [str(cell).strip() for cell in column]
    return len(set(cells)) == len(cells) and not any(map(is_missing, cells))


def is_id_name(name: str) -> bool:
    """Whether a column has the name of an identifier."""
    return any(pattern.fullmatch(name) for pattern in (_ID_NAME, _CAMEL_ID, _JOINED_ID))


def find_row_counters(X: Floats) -> list[int]:
    """The columns of an array that are 0, 1, … or 1, 2, … in the order of the rows."""
    n = len(X)
    if n < _FEWEST_COUNTED:
        return []
    first, last = X[0], X[-1]
    likely = np.flatnonzero(((first == 0) | (first == 1)) & (last == first + n - 1))
    return [f for f in likely.tolist() if (X[:, f] == np.arange(n) + first[f]).all()]


def find_unnamed_row_names(frame: Frame, positions: Iterable[int]) -> set[int]:
    """Those of the columns that have no name and only count or name the rows."""
    found = set()
    for position in (j for j in positions if _UNNAMED.fullmatch(frame.names[j])):
        column = frame.column(position)
        numbers = as_numbers(column)
        if numbers is not None and not are_distinct_whole_numbers(numbers):
            continue
        what = "numbers the rows" if numbers is not None else "names the rows"
        warn_reader(
            f"{frame.source} {what} in a column without a name; it is not taken for a feature.",
            kind="row numbers" if numbers is not None else "sample names",
            columns=[""],
        )
        name_rows_by(frame, position)
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


def find_identifiers(frame: Frame, positions: list[int]) -> set[int]:
    """Columns of numbers that number or name the rows; remarks say which."""
    X = _numbers(frame, positions)
    counting = find_row_counters(X)
    counters = {positions[j] for j in counting}
    is_named = frame.row_names is not None or bool(counters) or _has_names_in_text(frame)
    by_name = _named_identifiers(frame, positions) if not frame.transposed else set()
    by_value = {positions[j] for j in _valued_identifiers(X, counting, has_names=is_named)}
    if frame.transposed:
        by_value = set()
    elif positions:
        counters |= _find_restarting_counters(frame, positions, X)
        is_alone = not is_named and not _have_large_values(X[:, 1:], X[:, 0])
        if is_alone and are_large_codes(X[:, 0]):
            by_value.add(positions[0])
    named_counters = {f for f in by_name if _counts(_number_column(frame, f))}
    counters |= named_counters
    identifiers = (by_name | by_value) - counters
    for kind, found in (("row numbers", counters), ("identifiers", identifiers)):
        if not found:
            continue
        names = [frame.names[f] for f in sorted(found)]
        if kind == "row numbers":
            remark_on_row_numbers(frame.source, names)
        else:
            warn_reader(
                f"{frame.source} names samples in {format_named('column', names)}; left out, "
                "unless ",
                Argument("keep"),
                " names them.",
                kind=kind,
                columns=names,
            )
        for f in sorted(found):
            if are_distinct_whole_numbers(_number_column(frame, f)):
                name_rows_by(frame, f)
    return counters | identifiers


def name_identifiers(source: str, columns: Mapping[str, Any]) -> list[str]:
    """The columns that number or name the rows of a table which stays in a database.

    Parameters
    ----------
    source : str
        What remarks call the table.
    columns : dict of str to ndarray or list
        The first values of each column: an array of float64, or a list of anything else.

    Returns
    -------
    list of str
        Those of numbers that are left out; remarks say why.
    """
    names = list(columns)
    frame = Frame.of_columns(source, names, list(columns.values()))
    numbers = [f for f in range(len(names)) if f not in frame.cells]
    found = find_unnamed_row_names(frame, numbers)
    found |= find_identifiers(frame, [f for f in numbers if f not in found])
    return [names[f] for f in sorted(found)]


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
        is_counter = is_counter_name and (are_distinct_whole_numbers(column) or _counts(column))
        if is_whole and (is_counter or not is_counter_name):
            found.add(f)
    if len(found) > max(_MOST_IDS, _MOST_IDS_SHARE * len(positions)):
        return set()
    return found


def _find_restarting_counters(frame: Frame, positions: list[int], X: Floats) -> set[int]:
    """Columns that count the rows of long groups, unless they are called a time."""
    if len(X) < 2 * _LONG_RUN:
        return set()
    begins = np.isin(X[0], (0, 1)) & (np.diff(X[:4], axis=0) == 1).all(axis=0)
    found = set()
    for j in np.flatnonzero(begins).tolist():
        n_runs = int((X[:, j] == X[0, j]).sum())
        is_time = _TIME_NAME.fullmatch(frame.names[positions[j]]) is not None
        if not is_time and 1 < n_runs <= len(X) / _LONG_RUN and _counts(X[:, j]):
            found.add(positions[j])
    return found if len(found) <= max(1, len(positions) // 10) else set()


def are_large_codes(column: Floats) -> bool:
    """Whether whole numbers are large and mostly different, as numbers of patients are."""
    if len(column) < _FEWEST_COUNTED or not (np.floor(column) == column).all():
        return False
    is_round = column % 10 == 0
    return bool(
        column.min() >= 0
        and np.median(column) >= _LARGE_CODE
        and len(np.unique(column)) >= _MOST_DIFFERENT * len(column)
        and is_round.mean() <= _MOST_ROUND
    )


def _have_large_values(X: Floats, codes: Floats) -> bool:
    """Whether another column has values like large codes: then these are measured, too."""
    some = X[:, :: max(1, X.shape[1] // _SOME_COLUMNS)]
    known = np.isfinite(some).any(axis=0)
    medians = np.nanmedian(np.abs(some[:, known]), axis=0)
    return bool((medians >= _LEAST_ALIKE * np.median(codes)).any())


def _valued_identifiers(X: Floats, counters: list[int], *, has_names: bool) -> set[int]:
    """Columns of whole numbers whose values can hardly be measured ones, beside the counters.

    A first column of numbers that are all different names the rows, unless something else does
    (``has_names``) and its numbers have not all the same number of digits.
    """
    n = len(X)
    if n < _FEWEST_COUNTED or not X.size:
        return set()
    with np.errstate(invalid="ignore"):
        steps = X[[1, n // 2, -1]] - X[[0, 1, n // 2]]
        is_rising = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
        is_run = X.max(axis=0) - X.min(axis=0) == n - 1
    is_first = (np.arange(X.shape[1]) == 0) & (not _are_counts(X[:, 1:]))
    if has_names and not _are_codes(X[:, 0]):
        is_first[0] = False
    in_order: set[int] = set()
    runs: set[int] = set()
    first: set[int] = set()
    likely = (is_rising | is_run | is_first) & (np.floor(X[0]) == X[0])
    likely[counters] = False
    for f in np.flatnonzero(likely).tolist():
        column = X[:, f]
        if not are_distinct_whole_numbers(column):
            continue
        differences = np.diff(column)
        if bool((differences > 0).all() or (differences < 0).all()):
            in_order.add(f)
        elif is_run[f]:
            runs.add(f)
        elif is_first[f]:
            first.add(f)
    # Numbers of one kind all over are ranks or counts.
    most = max(1, X.shape[1] // 10)
    found = first if len(in_order | runs) <= most else set()
    return found | {f for kind in (in_order, runs) if len(kind) <= most for f in kind}


def _are_codes(column: Floats) -> bool:
    """Whether all numbers have the same number of digits, several, as codes have."""
    least, largest = column.min(), column.max()
    is_long = np.isfinite(largest) and least >= 10 ** (_CODE_DIGITS - 1)
    return bool(is_long) and bool(np.floor(np.log10(least)) == np.floor(np.log10(largest)))


def _are_counts(X: Floats) -> bool:
    """Whether most columns are whole numbers that are all different, as counts of much are."""
    some = X[:, :: max(1, X.shape[1] // _SOME_COLUMNS)]
    n_alike = sum(are_distinct_whole_numbers(column) for column in some.T)
    return n_alike > some.shape[1] / 2


def counts_rows(frame: Frame, position: int) -> bool:
    """Whether a column counts the rows, in every group if it has some."""
    return _counts(_number_column(frame, position))


def has_codes(frame: Frame, position: int) -> bool:
    """Whether a column holds large whole numbers that are mostly different."""
    return position not in frame.cells and are_large_codes(frame.column(position))


def _counts(column: Floats) -> bool:
    """Whether a column counts the rows from 0 or 1, perhaps from the start again in every group."""
    first = column[0]
    if first not in (0, 1) or not column.max() > first + 2:  # 0 and 1 in turn may be a category
        return False
    is_start = column[1:] == first
    return bool(((np.diff(column) == 1) | is_start).all())


def are_distinct_whole_numbers(values: Floats) -> bool:
    return bool((np.floor(values) == values).all()) and len(np.unique(values)) == len(values)


def name_rows_by(frame: Frame, position: int) -> None:
    """Let a column name the rows, if nothing else does."""
    if frame.row_names is None:
        column = frame.column(position)
        shown = column.astype(np.int64) if isinstance(column, np.ndarray) else column
        frame.row_names = [str(cell).strip() for cell in shown]
