"""How a file is to be read: what users may say about it, checked in one place."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Real
from os import PathLike
from typing import Any, Literal

from s2fs._util.inputs import MISSING
from s2fs._util.messages import did_you_mean

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
#: Where the system does not say how much memory it has.
_USUAL_MEMORY = 8 * 2**30


@dataclass(frozen=True)
class ReadOptions:
    """What may be said about a file beside its target; see :func:`read_table`."""

    delimiter: str | None = None
    decimal: str | None = None
    comment: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: Iterable[str] = ()
    sheet: str | None = None
    samples: str | PathLike[str] | None = None
    sample_id: str | int | None = None
    id: str | int | None = None
    batch: str | int | None = None
    drop_unlabelled: bool = False
    log2: bool = False
    impute: Literal["median", "knn", "keep"] | None = None
    drop_missing: float | None = None
    numeric_only: bool = False
    encode: bool = False
    max_memory: int | str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ValueError(
                f"delimiter (--delimiter) is {self.delimiter!r}; give one character, such as ';'."
            )
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal (--decimal) is {self.decimal!r}; give '.' or ','.")
        if self.delimiter is not None and self.delimiter == self.decimal:
            raise ValueError(
                f"delimiter and decimal are both {self.decimal!r}; a number could not be read."
            )
        if self.impute not in (None, "median", "knn", "keep"):
            raise ValueError(f"impute (--impute) is {self.impute!r}; choose median, knn or keep.")
        share = self.drop_missing
        if share is not None and not (isinstance(share, Real) and 0 <= share <= 1):
            raise ValueError(
                f"drop_missing (--drop-missing) is {share!r}; give a share from 0 to 1, such as "
                "0.2."
            )
        if self.numeric_only and self.encode:
            raise ValueError(
                "numeric_only (--numeric-only) leaves text out and encode (--encode) takes it in; "
                "choose one."
            )
        if self.sample_id is not None and self.samples is None:
            raise ValueError(
                "sample_id (--sample-id) is a column of the file of samples; give that file with "
                "samples (--samples)."
            )
        bytes_of(self.max_memory)

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

    @property
    def missing_words(self) -> frozenset[str]:
        """All words that stand for "not known", in lower case."""
        own = [self.missing] if isinstance(self.missing, str) else self.missing
        return MISSING | {word.strip().lower() for word in own}

    @property
    def limit(self) -> int:
        """The number of bytes that the content may take."""
        return bytes_of(self.max_memory)


def bytes_of(amount: int | str | None) -> int:
    """An amount of memory in bytes; None is what the machine has."""
    if amount is None:
        try:
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):  # not a Unix system
            return _USUAL_MEMORY
    found = _AMOUNT.fullmatch(str(amount).strip())
    if found is None:
        raise ValueError(
            f"max_memory (--max-memory) is {amount!r}; give a number of bytes, or an amount such "
            "as 500M or 4G."
        )
    return int(float(found[1]) * _UNITS[found[2].upper()])
