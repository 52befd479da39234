"""The columns of a table: found by name or position, and refused where they hold no numbers."""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from s2fs._utils.arguments import Argument, ArgumentError, as_argument
from s2fs._utils.dask_inputs import is_dask
from s2fs._utils.messages import did_you_mean, format_names

_WHOLE_NUMBER = re.compile(r"\s*[+-]?\d+\s*")


class Columns:
    """The columns of a table, to be found by name, if they have any, or position.

    With ``text_positions`` text that is no name may be a position, and a position may count from
    the end, as is usual on a command line. Error messages call the table ``source``.
    """

    def __init__(
        self,
        names: Sequence[str] | None,
        n_columns: int,
        source: str = "X",
        *,
        text_positions: bool = False,
    ) -> None:
        self._names = names
        self._n_columns = n_columns
        self._source = source
        self._text_positions = text_positions

    @cached_property
    def _positions_of(self) -> dict[str, list[int]]:
        """The positions of each name; made when the first one is looked for."""
        positions: dict[str, list[int]] = {}
        for f, name in enumerate(() if self._names is None else self._names):
            positions.setdefault(str(name), []).append(f)
        return positions

    @classmethod
    def of_file(cls, names: Sequence[str], source: Any) -> "Columns":
        """The columns of a file, which a command line may name."""
        return cls(names, len(names), str(source), text_positions=True)

    def position(self, wanted: Any, argument: str | Argument) -> int:
        """Find one column; an error message names the argument."""
        return self._find(wanted, as_argument(argument), "is")

    def positions(self, wanted: Iterable[Any] | None, argument: str | Argument) -> list[int]:
        """Find some columns, each given once; None is no column."""
        items = [] if wanted is None else list(wanted)
        if self._text_positions:
            items = [part for item in items for part in self._split(item)]
        mention = as_argument(argument)
        positions = [self._find(item, mention, "has") for item in items]
        if repeated := find_repeated(positions):
            names = self.shown(repeated)
            raise ArgumentError(mention, f" has {names} more than once; give each once.")
        return positions

    def without(self, drop: Iterable[Any], label: int | None) -> list[int]:
        """The positions of the features: all columns but the dropped ones and the target."""
        dropped = set(self.positions(drop, "drop"))
        if label in dropped:
            raise ArgumentError(
                f"{self.shown([label])} is both ",
                Argument("target", bare=True),
                " and in ",
                Argument("drop", bare=True),
                "; choose one.",
            )
        kept = [f for f in range(self._n_columns) if f != label and f not in dropped]
        if not kept:
            raise ValueError(
                f"{self._source} has no features left beside the target and the dropped columns."
            )
        return kept

    def shown(self, positions: Sequence[int]) -> str:
        """Quote some columns: by name if they have names, else by position."""
        return format_names(
            positions if self._names is None else [self._names[f] for f in positions]
        )

    def _find(self, wanted: Any, argument: Argument, verb: str) -> int:
        m, source = self._n_columns, self._source
        given = f" {verb} {wanted!r}, but"
        if isinstance(wanted, str):
            positions = self._positions_of.get(wanted, [])
            if len(positions) == 1:
                return positions[0]
            if positions:
                raise ArgumentError(
                    argument,
                    f"{given} {source} has {len(positions)} columns of this name; give the "
                    "position of the one you mean.",
                )
            if not (self._text_positions and _WHOLE_NUMBER.fullmatch(wanted)):
                raise ArgumentError(argument, f"{given} {source} {self._describe_lack(wanted)}.")
            wanted = int(wanted)
        lowest = -m if self._text_positions else 0
        is_position = isinstance(wanted, Integral) and not isinstance(wanted, bool)
        if is_position and lowest <= int(wanted) < m:
            return int(wanted) % m
        raise ArgumentError(
            argument, f"{given} the columns of {source} are numbered from 0 to {m - 1}."
        )

    def _split(self, wanted: Any) -> list[Any]:
        """Several columns in one text, as in ``a,b``; a name may itself contain a comma."""
        if not isinstance(wanted, str) or "," not in wanted or wanted in self._positions_of:
            return [wanted]
        return [part.strip() for part in next(csv.reader([wanted]))]

    def _describe_lack(self, wanted: str) -> str:
        """Why a name is not found, and what may be meant."""
        if self._names is None:
            return f"has no column names; give positions from 0 to {self._n_columns - 1}"
        hint = did_you_mean(wanted, self._positions_of)
        return f"has no such column{hint or f'; it has {format_names(self._positions_of)}'}"


def find_repeated(items: Iterable[Any]) -> list[Any]:
    """The items that are there more than once."""
    return [item for item, count in Counter(items).items() if count > 1]


def take_plain_numbers(X: Any) -> Any:
    """The values of a pandas frame, if its columns are numbers; all else as it is.

    Frames are looked at column by column, here and in scikit-learn: of thousands of columns that
    takes longer than to select from them.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(X, pandas.DataFrame) or not X.columns.is_unique:
        return X
    kinds = set(X.dtypes.to_numpy())
    if any(kind.kind not in "iuf" or isinstance(kind, pandas.SparseDtype) for kind in kinds):
        return X
    if all(isinstance(kind, np.dtype) for kind in kinds):
        return X.to_numpy()
    if any(kind.kind == "f" and kind.itemsize < 8 for kind in kinds):
        return X
    return X.to_numpy(np.float64, na_value=np.nan)  # of Arrow, or with masks


def reject_text_columns(X: Any) -> None:
    """Raise if a data frame has columns that are not numbers, or two of one name."""
    if isinstance(X, np.ndarray):
        return
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise ValueError(
            f"X has more than one column named {format_names(find_repeated(X.columns))}; give each "
            "its own name, or give X.to_numpy()."
        ) from None
    if isinstance(frame, nw.LazyFrame) and not is_dask(X):
        raise ValueError(f"X is a {type(X).__name__}, which is not read yet; give X.collect().")
    if not isinstance(frame, nw.DataFrame):
        return
    text = [
        name
        for name, kind in frame.schema.items()
        if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown))
        and not _holds_numbers(frame[name])
    ]
    reject_text(text)


def reject_text(columns: Sequence[str]) -> None:
    """Raise if there are columns that are not numbers."""
    if columns:
        raise ValueError(
            f"X has columns that are not numeric: {format_names(columns)}; drop or encode them."
        )


def sort_sparse(X: Any) -> Any:
    """The table; a sparse one with sorted entries, none stored twice: a copy if X is not so."""
    if not issparse(X):
        return X
    try:
        X.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"X is a damaged sparse array ({error}); build it again.") from None
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _holds_numbers(column: Any) -> bool:
    """Whether the categories of a categorical column are numbers, as pandas allows."""
    categories = getattr(getattr(column.to_native(), "dtype", None), "categories", None)
    kind = getattr(getattr(categories, "dtype", None), "kind", None)
    return kind in ("b", "i", "u", "f")


def find_nonfinite_columns(X: Any) -> dict[str, list[int]]:
    """The columns that hold "NaN" and those that hold "infinity", as far as there are any."""
    # Sums need no temporary of the size of X. That of all is quicker, and mostly says enough.
    with np.errstate(all="ignore"):
        if np.isfinite((X.data if issparse(X) else X).sum()):
            return {}
        suspects = np.flatnonzero(~np.isfinite(np.asarray(X.sum(axis=0)).ravel()))
    nonfinite: dict[str, list[int]] = {}
    for f in suspects.tolist():  # a sum may also have overflowed
        column = X[:, [f]].data if issparse(X) else X[:, f]
        if np.isnan(column).any():
            nonfinite.setdefault("NaN", []).append(f)
        if np.isinf(column).any():
            nonfinite.setdefault("infinity", []).append(f)
    return nonfinite


def reject_nonfinite_columns(
    X: Any, names: Sequence[str] | None, *, allow_nan: bool = False
) -> None:
    """Raise if a column holds infinity, or NaN unless that is allowed, and say which ones."""
    nonfinite = find_nonfinite_columns(X)
    if allow_nan:
        nonfinite.pop("NaN", None)
    reject_columns(nonfinite, names, X.shape[1])


def reject_columns(
    nonfinite: Mapping[str, Sequence[int]], names: Sequence[str] | None, n_columns: int
) -> None:
    """Raise if there are columns that hold "NaN" or "infinity", and say which ones."""
    columns = sorted({int(f) for positions in nonfinite.values() for f in positions})
    if not columns:
        return
    noun = "column" if len(columns) == 1 else "columns"
    shown = f"{noun} {Columns(names, n_columns).shown(columns)}"
    values = sorted(value for value, positions in nonfinite.items() if len(positions))
    hint = "drop them"
    if "NaN" in values:
        hint = (
            "drop them or put an imputer in front, as in "
            "make_pipeline(SimpleImputer(strategy='median'), S2FS()); PairCover takes NaN"
        )
    raise ValueError(f"X has {' and '.join(values)} in {shown}; {hint}.")
