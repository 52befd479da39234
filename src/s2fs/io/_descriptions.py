"""What a file says about each sample beside features and classes: groups and covariates."""

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import is_missing
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame
from s2fs.io._options import ReadOptions
from s2fs.io._sheet import cells_in_order

#: A covariate of at most so many different whole numbers names categories.
MOST_CATEGORIES = 10


class Description(NamedTuple):
    """What a file says about each row beside features and classes, such as its patient."""

    name: str
    cells: Sequence[Any]
    position: int | None  # in the table, if it is a column of it
    numbers: Floats | None = None


#: By the keyword that names it: "group", or "covariates:NAME".
Descriptions = dict[str, Description]


def describe_samples(
    frame: Frame, sheet: Frame | None, sheet_rows: list[int] | None, options: ReadOptions
) -> Descriptions:
    """The columns that are no features: of the sheet, of the preamble or of the table."""
    return {
        keyword: _describe(frame, sheet, sheet_rows, wanted, keyword.partition(":")[0])
        for keyword, wanted in options.descriptions
    }


def _describe(
    frame: Frame,
    sheet: Frame | None,
    sheet_rows: list[int] | None,
    wanted: str | int,
    argument: str,
) -> Description:
    """One column, by its name or position."""
    if sheet is not None and sheet_rows is not None and str(wanted) in sheet.names:
        position = sheet.names.index(str(wanted))
        cells = cells_in_order(sheet, position, sheet_rows)
        return Description(sheet.names[position], cells, None, frame.parse(cells))
    if str(wanted) in frame.annotation:
        cells = frame.annotation[str(wanted)]
        return Description(str(wanted), cells, None, frame.parse(cells))
    position = Columns.of_file(frame.names, frame.source).position(wanted, Argument(argument))
    column = frame.column(position)
    numbers = column if isinstance(column, np.ndarray) else frame.parse([str(c) for c in column])
    return Description(frame.names[position], column, position, numbers)


def keep_samples(descriptions: Descriptions, kept: NDArray[np.bool_]) -> Descriptions:
    """The descriptions of some of the samples, by a mask."""
    result = {}
    for keyword, description in descriptions.items():
        cells = list(compress(description.cells, kept.tolist()))
        numbers = None if description.numbers is None else description.numbers[kept]
        result[keyword] = description._replace(cells=cells, numbers=numbers)
    return result


def sort_descriptions(
    descriptions: Descriptions, source: str
) -> tuple[NDArray[np.str_] | None, dict[str, NDArray[Any]] | None]:
    """The groups and the covariates of a dataset; every sample must have them."""
    groups, covariates = None, {}
    for keyword, (name, cells, _, numbers) in descriptions.items():
        kind = keyword.partition(":")[0]
        gaps = [row for row, cell in enumerate(cells, start=1) if is_missing(cell)]
        if gaps:
            raise UnreadableError(
                f"{name!r} of {source} (`{kind}`) is missing in {format_count(len(gaps), 'row')}, "
                f"the first is data row {gaps[0]}; fill it in, or leave `{kind}` out.",
                reason="missing description",
                columns=[name],
            )
        words = np.array([_as_word(cell) for cell in cells])
        if kind == "group":
            groups = words
        elif numbers is None or _are_category_codes(numbers):
            covariates[name] = words
        else:
            covariates[name] = numbers
    return groups, covariates or None


def _are_category_codes(numbers: NDArray[np.float64]) -> bool:
    """Whether a few whole numbers stand for categories, as those of a batch do."""
    different = np.unique(numbers)
    return len(different) <= MOST_CATEGORIES and bool((different == np.rint(different)).all())


def _as_word(cell: Any) -> str:
    """A label as text; whole numbers in floating point without their point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()
