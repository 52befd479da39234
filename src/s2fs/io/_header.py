"""Whether the first line of a text names the columns, or is data."""

import re
from collections import Counter

import numpy as np

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import is_gap, is_missing
from s2fs.io._dialect import BLANKS, Dialect, sniff_delimiter, split_blanks
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader

#: How the line begins in which QIIME 2 says which columns are categories.
_TYPES_OF_QIIME = "#q2:types"
#: What Orange writes before a name: the role of the column, its type and ``#``.
_FLAGS = re.compile(r"([mciw]?)([CDSTN]?)#(.+)")
_ROLE_OF_FLAG = {"c": "class", "m": "meta", "i": "ignore", "w": "weight"}
#: No more lines than this stand below a header and say what is in the columns.
_MOST_HEADER_LINES = 3
#: With fewer numbers in a column its first cell tells nothing.
_FEWEST_NUMBERS = 3
#: No more lines than this are taken for a title above a table.
_MOST_TITLE_LINES = 20


def read_flags(names: list[str]) -> tuple[list[str], dict[str, str]]:
    """Names without the flags of Orange, as in ``mS#name`` and ``cD#kind``, and what these declare.

    Names such as ``C#4`` stay as they are unless others have the flag of a role.
    """
    flags = [_FLAGS.fullmatch(name) for name in names]
    if not any(flag and flag[1] for flag in flags):
        return names, {}
    bare = [flag[3] if flag else name for flag, name in zip(flags, names, strict=True)]
    return bare, {flag[3]: _ROLE_OF_FLAG[flag[1]] for flag in flags if flag and flag[1]}


def is_data(
    first: list[str], body: list[list[str]], dialect: Dialect, options: ReadOptions, source: str
) -> bool:
    """Whether the first line looks like those below it, and not like names.

    Parameters
    ----------
    first : list of str
        The cells of the first line.
    body : list of list of str
        Those of some lines below it.
    dialect : Dialect
        How cells are written.
    options : ReadOptions
        A line that holds the name of the target is a header; in a table with features in rows the
        first column is not looked at.
    source : str
        What remarks call the file.
    """
    if not body or _names_target(first, dialect, options):
        return False
    if all(len(row) == len(first) + 1 for row in body):
        return False  # as R's write.table has it, whose names may be numbers
    width = min(len(first), *map(len, body))
    numeric: list[int] = []  # the columns of numbers
    n_text = n_repeated = 0
    for j in range(int(options.transpose), width):
        below = [row[j] for row in body if not is_missing(row[j], dialect.missing)]
        if not below or is_missing(first[j], dialect.missing):
            if first[j].strip() == "":
                return False  # an unnamed column
            continue
        if dialect.numbers(below) is not None:
            if not dialect.is_number(first[j]):
                return False
            numeric.append(j)
        else:
            n_text += 1
            n_repeated += first[j] in below
    if not numeric:  # words of categories, all of which come again
        return 1 < n_text == n_repeated
    if n_text or len(numeric) < 2:
        return n_repeated > 0
    return not _counts_columns(first, body, numeric, dialect, source)


def _names_target(first: list[str], dialect: Dialect, options: ReadOptions) -> bool:
    """Whether a line holds the name of the target; a number may be data, and a position."""
    target = options.target
    if not isinstance(target, str) or dialect.is_number(target):
        return False
    return target in (cell.strip() for cell in first)


def count_header_lines(
    header: list[str], body: list[list[str]], dialect: Dialect, options: ReadOptions
) -> int:
    """How many lines below the header are no samples: question texts, units, types of columns.

    They have words where all other rows have numbers, and no numbers there; where the classes are
    known they have none of these. A table with features in rows may have its classes there.

    Parameters
    ----------
    header : list of str
        The cells of the header.
    body : list of list of str
        Those of some lines below it.
    dialect : Dialect
        How cells are written.
    options : ReadOptions
        The target, and whether features are in rows.
    """
    target = options.target
    is_by_name = isinstance(target, str) and not dialect.is_number(target)
    if options.transpose or (is_by_name and not _names_target(header, dialect, options)):
        return 0
    if target is None and options.samples is None and options.target_from_names is None:
        return 0
    position = [cell.strip() for cell in header].index(str(target)) if is_by_name else None
    for n in range(min(_MOST_HEADER_LINES, len(body) - _FEWEST_NUMBERS), 0, -1):
        rest = [row for row in body[n:] if len(row) == len(body[n])]
        lines = body[:n]
        if all(len(line) == len(rest[0]) for line in lines) and all(
            _describes_columns(line, rest, dialect, position) for line in lines
        ):
            return n
    return 0


def _describes_columns(
    line: list[str], rows: list[list[str]], dialect: Dialect, target: int | None
) -> bool:
    """Whether a line has words, but no numbers, where the rows below have numbers."""
    if line[0].strip().lower().startswith(_TYPES_OF_QIIME):
        return True
    n_words = n_new = n_again = 0
    for j, cell in enumerate(line):
        word = cell.strip()
        below = [row[j].strip() for row in rows if not is_missing(row[j], dialect.missing)]
        if is_missing(word, dialect.missing) or not below:
            continue
        if dialect.numbers(below) is not None:
            if dialect.is_number(word):
                return False
            n_words += len(below) >= _FEWEST_NUMBERS and not is_gap(word)
        elif j == target and word in below:
            return False
        elif len(set(below)) <= len(below) / 2:  # others are names, new in every row
            n_new, n_again = n_new + (word not in below), n_again + (word in below)
    return n_words > 1 or (n_words == 1 and n_new > 0 and n_again == 0)


def _counts_columns(
    first: list[str], body: list[list[str]], positions: list[int], dialect: Dialect, source: str
) -> bool:
    """Whether a first line of numbers is a header, such as 0, 1, 2, … or wavelengths.

    It rises or falls all along, which hardly any of the rows below does. A remark says so.
    """
    numbers = dialect.numbers([first[j] for j in positions])
    steps = np.diff(numbers)
    is_counted = bool((np.abs(steps) == 1).all())
    is_monotonic = len(steps) > 2 and bool((steps > 0).all() or (steps < 0).all())
    if not (is_counted or is_monotonic):
        return False
    n_alike = sum(_has_same_signs(row, positions, steps, dialect) for row in body)
    if not is_counted and n_alike > len(body) / 10:
        return False
    if len(numbers) > 3 and numbers[0] in (0, 1) and bool((steps == 1).all()):
        return True  # as pandas and R number columns; no row is likely to be so
    shown = ", ".join(first[j].strip() for j in positions[:3])
    warn_reader(
        f"{source} begins with {shown}, …, which is taken for a header as it counts, "
        "rises or falls; if it is data, say ",
        Argument("header", False),
        ".",
        kind="header of numbers",
    )
    return True


def _has_same_signs(
    row: list[str], positions: list[int], steps: np.ndarray, dialect: Dialect
) -> bool:
    """Whether a row rises and falls where the first line does."""
    numbers = dialect.numbers([row[j] for j in positions])
    if numbers is None:
        return False
    return bool((np.sign(np.diff(numbers)) == np.sign(steps)).all())


def count_title_lines(lines: list[str], delimiter: str | None, suffix: str) -> int:
    """How many lines stand above the table: a title, or notes, with hardly any cells.

    Parameters
    ----------
    lines : list of str
        The first lines of a file that are not blank.
    delimiter : str or None
        What separates cells, if that was said.
    suffix : str
        That of the name of the file.
    """
    below = lines[_MOST_TITLE_LINES:] or lines[len(lines) // 2 :]
    if len(lines) < 4 or any(line.count('"') % 2 for line in lines):
        return 0  # too few to tell, or a cell that runs over several lines
    mark = delimiter or sniff_delimiter(below, suffix)
    widths = [_count_cells(line, mark) for line in lines]
    usual = Counter(widths[len(lines) // 2 :]).most_common(1)[0][0]
    if usual < 3:
        return 0
    n_titles = 0
    while n_titles < min(_MOST_TITLE_LINES, len(lines) - 3) and widths[n_titles] <= usual / 2:
        n_titles += 1
    is_followed = all(width > usual / 2 for width in widths[n_titles : n_titles + 3])
    return n_titles if is_followed else 0


def _count_cells(line: str, mark: str) -> int:
    """How many cells of a line hold anything."""
    if mark in BLANKS:
        return len(split_blanks(line, mark))
    bare = re.sub('"[^"]*"', "x", line)
    return sum(1 for cell in bare.split(mark) if cell.strip())
