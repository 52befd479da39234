"""How numbers are written in a text: which mark is the decimal one, which separates thousands.

A comma can be either: 1,5 and 0,123 have a decimal comma, 1,234,567 and 1,234.5 have separated
thousands, and 1,331 alone may be 1331 or 1.331. What nothing else in the file decides is not
guessed: such a cell stays text, and the column is refused if it is to be a feature.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from s2fs._utils.arguments import Argument, Message

#: What may separate thousands besides a comma or a point; a blank may be one that does not break.
_BLANKS = " \u00a0\u202f"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
#: What a cell with one kind of mark says about a file. The first pattern that fits counts.
_EVIDENCE = [
    ("thousands", ",", re.compile(r"\d{1,3}(?:,\d{3})+\.\d*|[1-9]\d{0,2}(?:,\d{3}){2,}")),
    ("thousands", ".", re.compile(r"\d{1,3}(?:\.\d{3})+,\d*|[1-9]\d{0,2}(?:\.\d{3}){2,}")),
    ("either", ",", re.compile(r"[1-9]\d{0,2},\d{3}")),
    ("either", ".", re.compile(r"[1-9]\d{0,2}\.\d{3}")),
    ("decimal", ",", re.compile(r"\d*,\d+" + _EXPONENT)),
    ("decimal", ".", re.compile(r"\d*\.\d*" + _EXPONENT)),
]
_LOOKS_LIKE_A_NUMBER = re.compile(
    rf"\s*[+-]?(?:\d[\d.,]*{_EXPONENT}|[.,]\d+{_EXPONENT}"
    rf"|\d{{1,3}}(?:[{_BLANKS}']\d{{3}})+(?:[.,]\d*)?)\s*"
)


class NumberFormat(NamedTuple):
    """The decimal mark, and what separates thousands, None if nothing does."""

    decimal: str = "."
    thousands: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether Python reads such numbers as they are."""
        return self.decimal == "." and self.thousands is None

    def as_plain(self, cell: str) -> str:
        """A number as Python reads it; one that is written otherwise becomes text."""
        if self.thousands is None:  # the decimal mark is a comma
            return cell.replace(",", ".") if "." not in cell else _as_text(cell)
        number, marks = cell.strip(), _BLANKS if self.thousands == " " else self.thousands
        if not any(mark in number for mark in (*marks, ",", ".")):
            return cell
        decimal, separator = re.escape(self.decimal), f"[{re.escape(marks)}]"
        grouped = rf"[+-]?\d{{1,3}}(?:{separator}\d{{3}})+(?:{decimal}\d*)?"
        single = rf"[+-]?(?:\d+(?:{decimal}\d*)?|{decimal}\d+){_EXPONENT}"
        if re.fullmatch(f"{grouped}|{single}", number) is None:
            return _as_text(cell)
        return re.sub(separator, "", number).replace(self.decimal, ".")


def _as_text(cell: str) -> str:
    """A cell that Python does not take for a number, though it may look like one."""
    return f"'{cell}"


#: Numbers as Python reads them.
PLAIN = NumberFormat()


class Evidence:
    """What the cells of a file say about the marks in it, with an example of each."""

    def __init__(self) -> None:
        self._examples: dict[tuple[str, str], str] = {}

    def add(self, cells: Sequence[str]) -> None:
        """Look at the cells of a row."""
        if ("decimal", ".") in self._examples and "," not in "".join(cells):
            return  # points are known, and there is nothing else
        for cell in cells:
            if "," not in cell and "." not in cell:
                continue
            number = cell.strip().removeprefix("-").removeprefix("+")
            for use, mark, pattern in _EVIDENCE:
                if pattern.fullmatch(number):
                    self._examples.setdefault((use, mark), cell.strip())
                    break

    @property
    def is_mixed(self) -> bool:
        """Whether some numbers have a decimal comma and others a decimal point."""
        return self._decimal_comma and self._decimal_point

    @property
    def is_certain(self) -> bool:
        """Whether something tells the decimal mark."""
        return self._decimal_comma or self._decimal_point

    @property
    def _decimal_comma(self) -> bool:
        return bool({("decimal", ","), ("thousands", ".")} & self._examples.keys())

    @property
    def _decimal_point(self) -> bool:
        return bool({("decimal", "."), ("thousands", ",")} & self._examples.keys())

    def number_format(self) -> NumberFormat:
        """How numbers are written, as far as that is certain; a decimal point if nothing is."""
        if self._decimal_comma == self._decimal_point:
            return NumberFormat()
        if self._decimal_comma:
            return NumberFormat(",", "." if ("thousands", ".") in self._examples else None)
        commas = {("thousands", ","), ("either", ",")} & self._examples.keys()
        return NumberFormat(".", "," if commas else None)

    def thousands_example(self) -> str | None:
        """A number with separated thousands, if there is one."""
        mark = self.number_format().thousands
        found = (self._examples.get((use, str(mark))) for use in ("thousands", "either"))
        return next(filter(None, found), None)


class Advice(NamedTuple):
    """What to say about a column, as the end of a sentence, and the keywords that help."""

    text: Message
    fixes: dict[str, str]


def explain_marks(cells: Sequence[str], *, is_mixed: bool) -> Advice | None:
    """What to do about cells that look like numbers but were not read as such.

    Parameters
    ----------
    cells : sequence of str
        The cells of a column that are neither numbers nor missing.
    is_mixed : bool
        Whether the file has numbers with either decimal mark.

    Returns
    -------
    Advice or None
        None if a cell does not look like a number.
    """
    if not all(_LOOKS_LIKE_A_NUMBER.fullmatch(cell) for cell in cells):
        return None
    example = cells[0].strip()
    for mark, characters in ((" ", _BLANKS), ("'", "'")):
        if any(character in example for character in characters):
            text = Message(f"if {example!r} is one number, say ", Argument("thousands", mark))
            return Advice(text, {"thousands": mark})
    evidence = Evidence()
    evidence.add(cells)
    known = evidence.number_format()
    if is_mixed or evidence.is_mixed:
        return Advice(
            Message(
                "the file has numbers with a decimal comma and with a decimal point; write all in "
                "one way, or leave the column out with ",
                Argument("drop"),
            ),
            {},
        )
    if known.thousands is not None:
        return Advice(
            Message(f"if {example!r} is one number, say ", Argument("thousands", known.thousands)),
            {"thousands": known.thousands},
        )
    mark = "," if "," in example else "."
    if evidence.is_certain:
        return Advice(
            Message(f"if {example!r} is a number, say ", Argument("decimal", mark)),
            {"decimal": mark},
        )
    return Advice(
        Message(
            f"{example!r} may be {re.sub('[.,]', '', example)} or {example.replace(',', '.')}; say "
            "which with ",
            Argument("thousands", mark),
            " or ",
            Argument("decimal", mark),
        ),
        {"thousands": mark},
    )
