"""Options of ``read_table``, checked."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Real
from os import PathLike
from typing import Any, Literal

from s2fs._utils.arguments import Argument, ArgumentError
from s2fs._utils.cells import MISSING
from s2fs._utils.messages import did_you_mean
from s2fs.io._number_format import NumberFormat
from s2fs.io.memory import parse_memory


@dataclass(frozen=True)
class ReadOptions:
    """Options of :func:`s2fs.read_table`."""

    target: str | int | None = None
    drop: Sequence[str | int] = ()
    transpose: bool = False
    layer: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    comment: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: Iterable[str] = ()
    sheet: str | None = None
    samples: str | PathLike[str] | None = None
    sample_id: str | int | None = None
    by_position: bool = False
    target_from_names: str | None = None
    id: str | int | None = None
    keep: Sequence[str | int] = ()
    group: str | int | None = None
    covariates: Sequence[str | int] = ()
    drop_unlabelled: bool | None = None
    log2: bool = False
    impute: Literal["median", "knn", "keep"] | None = None
    drop_missing: float | None = None
    numeric_only: bool = False
    max_memory: int | str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ArgumentError(
                Argument("delimiter"), f" is {self.delimiter!r}; give one character, such as ';'."
            )
        if self.decimal not in (None, ".", ","):
            raise ArgumentError(Argument("decimal"), f" is {self.decimal!r}; give '.' or ','.")
        mark = self.thousands
        if mark is not None and (len(mark) != 1 or mark.isalnum() or mark in "+-"):
            raise ArgumentError(
                Argument("thousands"), f" is {mark!r}; give one character, such as ','."
            )
        if mark is not None and mark == self.decimal:
            raise ArgumentError(
                Argument("thousands"),
                " and ",
                Argument("decimal"),
                f" are both {mark!r}; a number could not be read.",
            )
        if self.delimiter is not None and self.delimiter == self.decimal:
            raise ArgumentError(
                Argument("delimiter"),
                " and ",
                Argument("decimal"),
                f" are both {self.decimal!r}; a number could not be read.",
            )
        if self.impute not in (None, "median", "knn", "keep"):
            raise ArgumentError(
                Argument("impute"), f" is {self.impute!r}; choose median, knn or keep."
            )
        share = self.drop_missing
        if share is not None and not (isinstance(share, Real) and 0 <= share <= 1):
            raise ArgumentError(
                Argument("drop_missing"), f" is {share!r}; give a share from 0 to 1, such as 0.2."
            )
        if self.sample_id is not None and self.samples is None:
            raise ArgumentError(
                Argument("sample_id"),
                " is a column of the file of samples; give that file with ",
                Argument("samples"),
                ".",
            )
        if self.by_position and (self.samples is None or self.sample_id is not None):
            raise ArgumentError(
                Argument("by_position"),
                " is for a file of samples (",
                Argument("samples"),
                ") in the order of the rows, without ",
                Argument("sample_id"),
                ".",
            )
        if self.target_from_names is not None:
            if self.target is not None:
                raise ArgumentError(
                    Argument("target"),
                    " and ",
                    Argument("target_from_names"),
                    " both name classes; choose one.",
                )
            try:
                re.compile(self.target_from_names)
            except re.error as error:
                raise ArgumentError(
                    Argument("target_from_names"),
                    f" is {self.target_from_names!r}, which is no regular "
                    f"expression ({error}); give one such as '^[A-Za-z]+'.",
                ) from None
        parse_memory(self.max_memory)

    @property
    def descriptions(self) -> list[tuple[str, str | int]]:
        """The columns that describe rows, each with the keyword that names it."""
        found: list[tuple[str, str | int | None]] = [("group", self.group)]
        found += [(f"covariates:{name}", name) for name in self.covariates]
        return [(keyword, name) for keyword, name in found if name is not None]

    @classmethod
    def of(cls, given: dict[str, Any]) -> "ReadOptions":
        """Options by name; a name that is not known is refused with the closest one."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise TypeError(
                    f"read_table has no option {name!r}"
                    f"{did_you_mean(name, known) or '; it has ' + ', '.join(known)}."
                )
        return cls(**given)

    @cached_property
    def missing_words(self) -> frozenset[str]:
        """All words that stand for "not known", in lower case."""
        own = [self.missing] if isinstance(self.missing, str) else self.missing
        return MISSING | {word.strip().lower() for word in own}

    @property
    def number_format(self) -> NumberFormat | None:
        """How numbers are written, if anything was said about it."""
        if self.decimal is None and self.thousands is None:
            return None
        return NumberFormat(self.decimal or ("," if self.thousands == "." else "."), self.thousands)

    @property
    def limit(self) -> int:
        """The number of bytes that the content may take."""
        return parse_memory(self.max_memory)


def check_options(**options: Any) -> None:
    """Raise if options of :func:`s2fs.read_table` cannot be, or not together.

    ``read_table`` does so before it opens the file; this does it without one.

    Parameters
    ----------
    **options
        Keywords of :func:`s2fs.read_table`.

    Raises
    ------
    ValueError
        If an option has a value that it cannot have, or contradicts another one.
    """
    ReadOptions.of(options)
