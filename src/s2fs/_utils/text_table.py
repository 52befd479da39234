"""Tables and numbers as plain text, for terminals and pipes alike."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from s2fs._utils.messages import make_printable, truncate_middle

#: A terminal has 80 columns, and the last is left free.
PAGE_WIDTH = 79
#: Text is not cut to less than this to make a table fit.
_SHORTEST_TEXT = 8
_GAP = "  "


def format_number(value: float, digits: int = 3) -> str:
    """A number with three significant digits and a real minus sign."""
    if value == 0:
        return "0"
    text = f"{value:#.{digits}g}".removesuffix(".")
    return text.replace(".e", "e").replace("e+0", "e").replace("e-0", "e-").replace("-", "−")


def format_table(
    columns: Mapping[str, Sequence[Any]], numbers: Collection[str] = (), width: int = PAGE_WIDTH
) -> list[str]:
    """The lines of a table: text to the left, numbers to the right.

    Parameters
    ----------
    columns : mapping of str to sequence
        The cells below each heading; floats get three significant digits.
    numbers : collection of str, default=()
        Columns of text that are aligned to the right, too.
    width : int, default=79
        What the lines are to fit in: the longest text is cut in the middle as far as needed.

    Returns
    -------
    list of str
    """
    cells = {name: [_format_cell(value) for value in values] for name, values in columns.items()}
    is_text = {
        name: bool(values) and isinstance(values[0], str) and name not in numbers
        for name, values in columns.items()
    }
    widths = {name: max(map(len, [name, *column])) for name, column in cells.items()}
    excess = sum(widths.values()) + len(_GAP) * (len(widths) - 1) - width
    while excess > 0:
        shrinkable = [name for name in cells if is_text[name] and widths[name] > _SHORTEST_TEXT]
        if not shrinkable:
            break
        longest = max(shrinkable, key=lambda name: widths[name])
        widths[longest] -= 1
        excess -= 1
    lines = []
    for row in (list(cells), *zip(*cells.values(), strict=True)):
        aligned = [
            _align_cell(cell, widths[name], is_text=is_text[name])
            for name, cell in zip(cells, row, strict=True)
        ]
        lines.append(_GAP.join(aligned).rstrip())
    return lines


def _align_cell(cell: str, width: int, *, is_text: bool) -> str:
    """Text to the left, cut where it is too long; numbers, which are never cut, to the right."""
    if is_text:
        return truncate_middle(cell, width).ljust(width)
    return cell.rjust(width)


def _format_cell(value: Any) -> str:
    """A cell in one line that cannot steer a terminal."""
    if isinstance(value, float):
        return format_number(value)
    return make_printable(str(value).strip())
