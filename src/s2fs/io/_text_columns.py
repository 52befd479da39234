"""Columns of text: numbers with gaps in words, dates, names, categories."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import is_gap, is_missing
from s2fs._utils.messages import format_count, format_named, format_names
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame, as_plain_numbers
from s2fs.io._identifiers import is_id_name, name_rows_by
from s2fs.io._number_format import Advice, explain_marks
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader

_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( \d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}"
)
#: Numbers with words among them are categories if there are no more values than this.
_FEW_VALUES = 10
#: A word that is no gap among numbers, but one of them: 5more, 136A.
_CODE = re.compile(r"\s*(?:\d+\s?[A-Za-z]+|[A-Za-z]+\d+)\s*")
#: Numbers with more different words among them than this are text.
_MOST_GAP_WORDS = 5
#: Text with more words than this is no category.
MANY_WORDS = 100
#: Text is a category if it has at most so many words, or if each has so many rows: what has many
#: words for its rows may name who they belong to.
_FEW_WORDS, _ROWS_OF_EACH = 20, 20
#: Each of a few words has so many rows; up to five words may have two rows.
_FEWEST_ROWS, _VERY_FEW_WORDS = 4, 5


def fill_known_gaps(frame: Frame, position: int) -> bool:
    """Whether a column of cells is numbers, once units and usual gaps are left out."""
    cells = frame.cells[position]
    if frame.parse(cells) is not None:
        return True
    plain = as_plain_numbers(cells)
    if plain is not None and frame.parse(plain) is not None:
        frame.cells[position] = plain
        return True
    words = sorted({cell.strip() for cell in unread_cells(frame, position)})
    if not all(map(is_gap, words)):
        return False
    emptied = ["" if str(cell).strip() in words else cell for cell in cells]
    if all(is_missing(cell) for cell in emptied):
        return False
    frame.cells[position] = emptied
    warn_reader(
        f"{frame.source} has {format_names(words)} in column {frame.names[position]!r}, taken as a "
        "missing value (",
        Argument("missing", ",".join(words)),
        ").",
        kind="missing words",
    )
    return True


def unread_cells(frame: Frame, position: int) -> list[str]:
    """The cells of a column that are neither numbers nor missing."""
    cells = [str(cell) for cell in frame.cells[position]]
    is_unread = {word: frame.parse([word]) is None for word in set(cells)}  # words come again
    return [cell for cell in cells if is_unread[cell]]


def find_unclear_numbers(
    frame: Frame, text: list[int], obstacles: list[UnreadableError], *, has_others: bool
) -> set[int]:
    """Columns of numbers of which nobody has said what their commas or points mean.

    They can be left out if the table ``has_others`` that are features.
    """
    unclear: dict[str, list[int]] = {}  # columns by what helps, so that each is said once
    advice_for: dict[str, tuple[Advice, str]] = {}
    for f in text:
        unread = unread_cells(frame, f)
        if advice := explain_marks(unread, is_mixed=frame.has_mixed_marks):
            key = str(advice.fixes)
            unclear.setdefault(key, []).append(f)
            advice_for.setdefault(key, (advice, unread[0].strip()))
    for key, positions in unclear.items():
        advice, example = advice_for[key]
        names = [frame.names[f] for f in positions]
        obstacles.append(
            UnreadableError(
                f"{frame.source} has numbers in {format_named('column', names)} that are not "
                f"clear, such as {example!r}: ",
                advice.text,
                ".",
                reason="unclear numbers",
                columns=names,
                fixes=advice.fixes or ({"drop": names} if has_others else {}),
            )
        )
    return {f for positions in unclear.values() for f in positions}


def sort_text_columns(
    frame: Frame, text: list[int], insisted: set[int], options: ReadOptions
) -> tuple[list[int], set[int]]:
    """Columns of text: those to be encoded, and those that are left out with a remark."""
    encoded: list[int] = []
    categories: list[int] = []
    dates: list[int] = []
    names: list[int] = []
    others: list[int] = []
    for f in text:
        different = {str(cell).strip() for cell in frame.cells[f]}
        words = {word for word in different if not is_missing(word, options.missing_words)}
        if f in insisted:
            encoded.append(f)
        elif is_date_column(words):
            dates.append(f)
        elif len(words) == len(frame.cells[f]):
            names.append(f)
        elif not options.numeric_only and _is_category(frame, f, words):
            categories.append(f)
        else:
            others.append(f)
    if categories:
        _remark_on_categories(frame, categories)
    # The name of an identifier goes first, then the first column.
    for f in sorted(names, key=lambda f: not is_id_name(frame.names[f])):
        name_rows_by(frame, f)
    for kind, found, what in (
        ("sample names", names, "names samples in"),
        ("dates", dates, "has dates in"),
    ):
        if found:
            called = [frame.names[f] for f in found]
            warn_reader(
                f"{frame.source} {what} {format_named('column', called)}; left out.",
                kind=kind,
                columns=called,
            )
    _remark_on_text(frame, others, options)
    return sorted({*encoded, *categories}), {*dates, *names, *others}


def _is_category(frame: Frame, position: int, words: set[str]) -> bool:
    """Whether a column of text has a few words that come again, and no name of an identifier."""
    n_rows, n_words = len(frame.cells[position]), len(words)
    if n_words <= _VERY_FEW_WORDS:
        comes_again = 2 * n_words <= n_rows
    else:
        rows_of_each = _FEWEST_ROWS if n_words <= _FEW_WORDS else _ROWS_OF_EACH
        comes_again = n_words <= MANY_WORDS and rows_of_each * n_words <= n_rows
    if n_words < 2 or not comes_again or is_id_name(frame.names[position]):
        return False
    return is_text(frame, position) or len(words) <= _FEW_VALUES


def is_text(frame: Frame, position: int) -> bool:
    """Whether a column of cells holds more words than numbers."""
    n_known = sum(not is_missing(cell) for cell in frame.cells[position])
    return len(unread_cells(frame, position)) > n_known / 2


def _remark_on_categories(frame: Frame, positions: list[int]) -> None:
    """Say which columns of text are features."""
    called = [frame.names[f] for f in positions]
    warn_reader(
        f"{frame.source} has text with few values in {format_named('column', called)}; "
        f"{'each' if len(called) > 1 else 'it'} is one feature (",
        Argument("numeric_only", True),
        f" leaves {'them' if len(called) > 1 else 'it'} out).",
        kind="categories",
    )


def _remark_on_text(frame: Frame, text: list[int], options: ReadOptions) -> None:
    """Say which columns of text are left out, and what keeps it."""
    described = []
    for f in text:
        unread = unread_cells(frame, f)
        n_values = len({str(cell).strip() for cell in frame.cells[f]})
        are_levels = n_values <= _FEW_VALUES or any(map(_CODE.fullmatch, unread))
        if is_text(frame, f) or are_levels or len(set(unread)) > _MOST_GAP_WORDS:
            described.append(f)
            continue
        name, (word, n_times) = frame.names[f], Counter(c.strip() for c in unread).most_common(1)[0]
        words = sorted({cell.strip() for cell in unread})
        others = f" and {format_count(len(words) - 1, 'other word')}" if len(words) > 1 else ""
        warn_reader(
            f"{frame.source} has numbers in column {name!r}, but {word!r} in "
            f"{format_count(n_times, 'row')}{others}; left out; ",
            Argument("missing", ",".join(words)),
            " takes that as missing.",
            kind="numbers with text",
            columns=[name],
        )
    if not described:
        return
    called = [frame.names[f] for f in described]
    few = [f for f in described if len(set(frame.cells[f])) <= MANY_WORDS]
    hint: tuple[str | Argument, ...] = (".",)
    if few and not options.numeric_only:
        hint = ("; ", Argument("keep", frame.names[few[0]]), " keeps it as categories.")
    warn_reader(
        f"{frame.source} has text in {format_named('column', called)}; left out",
        *hint,
        kind="text",
        columns=called,
    )


def is_date_column(cells: Iterable[Any]) -> bool:
    known = [cell for cell in cells if not is_missing(cell)]
    return bool(known) and all(_DATE.fullmatch(str(cell)) for cell in known)
