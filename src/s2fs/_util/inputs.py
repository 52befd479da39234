"""What users hand in: columns, cells, labels as codes, Dask collections, and fragile features."""

import csv
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import compress
from numbers import Integral, Real
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from s2fs._util.messages import did_you_mean, some_of
from s2fs._util.types import Floats, Indices

#: Cells that stand for "not known", in any case. The word "none" is not among them: it is a
#: class label in many tables.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})
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
        self._positions_of: dict[str, list[int]] = {}
        for f, name in enumerate(() if names is None else names):
            self._positions_of.setdefault(str(name), []).append(f)

    @classmethod
    def of_file(cls, names: Sequence[str], source: Any) -> "Columns":
        """The columns of a file, which a command line may name."""
        return cls(names, len(names), str(source), text_positions=True)

    def position(self, wanted: Any, argument: str) -> int:
        """Find one column; an error message names the argument."""
        return self._find(wanted, f"{argument} is {wanted!r}")

    def positions(self, wanted: Iterable[Any] | None, argument: str) -> list[int]:
        """Find some columns, each given once; None is no column."""
        items = [] if wanted is None else list(wanted)
        if self._text_positions:
            items = [part for item in items for part in self._parts(item)]
        found = [self._find(item, f"{argument} has {item!r}") for item in items]
        if twice := repeated(found):
            raise ValueError(f"{argument} has {self.shown(twice)} more than once; give each once.")
        return found

    def without(self, drop: Iterable[Any], label: int | None) -> list[int]:
        """The positions of the features: all columns but the dropped ones and the target."""
        dropped = set(self.positions(drop, "drop"))
        if label in dropped:
            raise ValueError(f"{self.shown([label])} is both target and in drop; choose one.")
        kept = [f for f in range(self._n_columns) if f != label and f not in dropped]
        if not kept:
            raise ValueError(
                f"{self._source} has no features left beside the target and the dropped columns."
            )
        return kept

    def shown(self, positions: Sequence[int]) -> str:
        """Quote some columns: by name if they have names, else by position."""
        return some_of(positions if self._names is None else [self._names[f] for f in positions])

    def _find(self, wanted: Any, given: str) -> int:
        m, source = self._n_columns, self._source
        if isinstance(wanted, str):
            found = self._positions_of.get(wanted, [])
            if len(found) == 1:
                return found[0]
            if found:
                raise ValueError(
                    f"{given}, but {source} has {len(found)} columns of this name; give the "
                    "position of the one you mean."
                )
            if not (self._text_positions and _WHOLE_NUMBER.fullmatch(wanted)):
                raise ValueError(f"{given}, but {source} {self._lacks(wanted)}.")
            wanted = int(wanted)
        lowest = -m if self._text_positions else 0
        is_position = isinstance(wanted, Integral) and not isinstance(wanted, bool)
        if is_position and lowest <= int(wanted) < m:
            return int(wanted) % m
        raise ValueError(f"{given}, but the columns of {source} are numbered from 0 to {m - 1}.")

    def _parts(self, wanted: Any) -> list[Any]:
        """Several columns in one text, as in ``a,b``; a name may itself contain a comma."""
        if not isinstance(wanted, str) or "," not in wanted or wanted in self._positions_of:
            return [wanted]
        return [part.strip() for part in next(csv.reader([wanted]))]

    def _lacks(self, wanted: str) -> str:
        if self._names is None:
            return f"has no column names; give positions from 0 to {self._n_columns - 1}"
        hint = did_you_mean(wanted, self._positions_of)
        return f"has no such column{hint or f'; it has {some_of(self._positions_of)}'}"


def repeated(items: Iterable[Any]) -> list[Any]:
    """The items that are there more than once."""
    return [item for item, count in Counter(items).items() if count > 1]


def is_missing(cell: Any, missing: frozenset[str] = MISSING) -> bool:
    """Whether a cell is empty, or says that the value is not known."""
    if isinstance(cell, str):
        return cell.strip().lower() in missing
    return cell is None or bool(cell != cell)  # NaN is not equal to itself


def as_numbers(
    cells: Sequence[Any] | NDArray[Any], missing: frozenset[str] = MISSING
) -> Floats | None:
    """The cells as float64, NaN where one is missing; None if one of them is text."""
    if isinstance(cells, np.ndarray):
        return np.asarray(cells, dtype=np.float64)
    try:
        # Python reads 1_2 as twelve; in a data file it is an identifier.
        if "_" in "".join(cells):
            return None
        return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except (TypeError, ValueError):  # not all cells are text, or not all of the text is numbers
        pass
    try:
        return np.array([np.nan if is_missing(cell, missing) else float(cell) for cell in cells])
    except ValueError:
        return None


def reject_text_columns(X: Any) -> None:
    """Raise if a data frame has columns that are not numbers, or two of one name."""
    if isinstance(X, np.ndarray):
        return
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise ValueError(
            f"X has more than one column named {some_of(repeated(X.columns))}; give each its own "
            "name, or give X.to_numpy()."
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
    if text:
        raise ValueError(
            f"X has columns that are not numeric: {some_of(text)}; drop or encode them."
        )


def canonical(X: Any) -> Any:
    """The table; if it is sparse, with sorted rows, none twice: a copy if X itself is not so."""
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
    kind = getattr(getattr(categories, "dtype", None), "kind", "")
    return kind in "biuf" and kind != ""


def nonfinite_columns(X: Any) -> dict[str, list[int]]:
    """The columns that hold "NaN" and those that hold "infinity", as far as there are any."""
    # A sum per column needs no temporary of the size of X.
    with np.errstate(all="ignore"):
        suspects = np.flatnonzero(~np.isfinite(np.asarray(X.sum(axis=0)).ravel()))
    found: dict[str, list[int]] = {}
    for f in suspects.tolist():  # a sum may also have overflowed
        column = X[:, [f]].data if issparse(X) else X[:, f]
        if np.isnan(column).any():
            found.setdefault("NaN", []).append(f)
        if np.isinf(column).any():
            found.setdefault("infinity", []).append(f)
    return found


def reject_nonfinite_columns(
    X: Any, names: Sequence[str] | None, *, allow_nan: bool = False
) -> None:
    """Raise if a column holds infinity, or NaN unless that is allowed, and say which ones."""
    found = nonfinite_columns(X)
    if allow_nan:
        found.pop("NaN", None)
    reject_columns(found, names, X.shape[1])


def reject_columns(
    found: Mapping[str, Sequence[int]], names: Sequence[str] | None, n_columns: int
) -> None:
    """Raise if there are columns that hold "NaN" or "infinity", and say which ones."""
    columns = sorted({int(f) for positions in found.values() for f in positions})
    if columns:
        shown = Columns(names, n_columns).shown(columns)
        what = " and ".join(sorted(what for what, positions in found.items() if len(positions)))
        hint = "drop them"
        if "NaN" in what:
            hint = (
                "drop them or put an imputer in front, as in "
                "make_pipeline(SimpleImputer(strategy='median'), S2FS()); PairCover takes NaN"
            )
        raise ValueError(f"X has {what} in column(s) {shown}; {hint}.")


def check_labels(y: Any, source: str = "y") -> NDArray[Any]:
    """The labels of the rows as an array, if they are classes: whole numbers, truth values, text.

    Labels keep their kind, so 1 and "1" in a list are not taken for one class. A table of a single
    column is taken as it is. Error messages call the labels ``source``.
    """
    if issparse(y):
        raise ValueError(f"{source} is a sparse table of labels; give one class per row.")
    labels = np.array(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if labels.dtype == object:
        labels = _of_one_kind(labels.ravel(), source).reshape(labels.shape)
    if labels.dtype.names:
        raise ValueError(
            f"{source} holds records with the fields {some_of(labels.dtype.names)}, such as "
            "survival times; give one class per row."
        )
    if labels.ndim == 0 or labels.ndim > 2 or (labels.ndim == 2 and labels.shape[1] != 1):
        raise ValueError(
            f"{source} has the shape {labels.shape}, so the rows do not have one label each; give "
            "one class per row."
        )
    if labels.dtype.kind == "c":
        raise ValueError(f"{source}: Complex data not supported; give whole numbers or text.")
    if labels.dtype.kind not in "biufUTO":
        what = {"S": "bytes", "M": "dates", "m": "durations"}.get(labels.dtype.kind, labels.dtype)
        raise ValueError(f"{source} holds {what}; give whole numbers or text.")
    if labels.dtype.kind == "f":
        _reject_quantities(labels.ravel(), source)
    return labels


def _of_one_kind(labels: NDArray[Any], source: str) -> NDArray[Any]:
    """Labels that may be any objects as an array of numbers or text."""
    gaps = [row for row, label in enumerate(labels) if _is_gap(label)]
    if gaps:
        raise ValueError(
            f"{source} has missing labels (None, NaN or infinity) in row(s) {some_of(gaps)}; give "
            "every row a class."
        )
    kinds = {_kind(kind) for kind in set(map(type, labels.tolist()))}
    if len(kinds) > 1:
        raise ValueError(
            f"{source} has labels of different kinds ({', '.join(sorted(kinds))}); give all as "
            "whole numbers, or all as text."
        )
    if kinds == {"text"}:
        return labels
    if kinds and kinds != {"numbers"}:
        raise ValueError(f"{source} holds {kinds.pop()}; give whole numbers or text.")
    if all(isinstance(label, Integral) for label in labels):
        found = np.array(labels.tolist())
        if found.dtype.kind not in "biu":
            raise ValueError(
                f"{source} holds whole numbers of more than 63 bits; give them as text."
            )
        return found
    return labels.astype(np.float64)


def _kind(of: type) -> str:
    return "text" if issubclass(of, str) else "numbers" if issubclass(of, Real) else of.__name__


def _is_gap(label: Any) -> bool:
    try:
        return label is None or bool(label != label) or label in (math.inf, -math.inf)
    except (TypeError, ValueError):  # pandas does not say whether NA is NA
        return not isinstance(label, list | tuple | np.ndarray)


def _reject_quantities(labels: Floats, source: str) -> None:
    """Raise if numbers in floating point are no classes."""
    if (gaps := np.flatnonzero(~np.isfinite(labels))).size:
        raise ValueError(
            f"{source} has missing labels (NaN or infinity) in row(s) {some_of(gaps)}; give every "
            "row a class."
        )
    if (fractions := labels[labels != np.floor(labels)]).size:
        raise ValueError(
            f"{source} holds fractions such as {fractions[0]:g}, so it is a quantity (continuous) "
            "and not a class; group its values."
        )
    if (large := labels[np.abs(labels) >= 2**53]).size:
        raise ValueError(
            f"{source} holds {large[0]:.0f} in floating point, where neighbouring whole numbers of "
            "that size are equal; give integers or text."
        )


def encode_classes(y: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    """The classes of ``y``, sorted, and for each label the position of its class.

    The classes are the labels as they are given. None may be missing.
    """
    try:
        classes = np.unique(y)
        missing = classes.dtype.kind == "f" and bool(np.isnan(classes).any())
    except TypeError:  # labels that cannot be sorted
        missing = True
    if missing:
        raise ValueError(
            "y has missing labels, or labels of different kinds; give every row a class."
        )
    return classes, np.searchsorted(classes, y)


def read_labels(labels: Sequence[Any] | NDArray[Any], source: str) -> tuple[NDArray[Any], Indices]:
    """The classes of labels as found in a file, and their codes, −1 where a label is missing.

    Whole numbers and truth values stay what they are and are sorted by value; anything else is
    text. Missing are None, NaN, infinity, and text such as "NA".
    """
    position_of: dict[Any, int] = {}  # each distinct label is looked at once
    found = labels.tolist() if isinstance(labels, np.ndarray) else labels
    positions = [position_of.setdefault(label, len(position_of)) for label in found]
    infinite = (math.inf, -math.inf)
    known = [not is_missing(label) and label not in infinite for label in position_of]
    labels_of_classes = list(compress(position_of, known))
    values = np.array(labels_of_classes)
    if values.dtype.kind in "fO" and all(type(label) is int for label in labels_of_classes):
        values = np.array(labels_of_classes, dtype=object)  # beyond 64 bits; floats would round
    elif values.dtype.kind == "f":
        if (fractions := values[values != np.floor(values)]).size:
            raise ValueError(
                f"{source} holds fractions such as {fractions[0]:g}, so it is a quantity and not a "
                "class; choose another column or group the values."
            )
        small = (np.abs(values) < 2.0**63).all()
        values = values.astype(np.int64) if small else np.array([int(v) for v in values], object)
    elif values.dtype.kind not in "biu":
        values = np.char.strip(values.astype(str))
    classes, codes_of_known = np.unique(values, return_inverse=True)
    codes = np.full(len(known), -1)
    codes[known] = codes_of_known
    return classes, codes[positions]


def reject_one_class(classes: NDArray[Any], source: str = "y") -> None:
    """Raise if there is a single class."""
    if len(classes) == 1:
        raise ValueError(
            f"{source} has one class only ({some_of(classes)}); at least two are needed."
        )


def is_dask(values: Any) -> bool:
    """Whether ``values`` is a Dask array, data frame or series."""
    return type(values).__module__.partition(".")[0] == "dask"


def in_memory(*values: Any) -> tuple[Any, ...]:
    """The same values, with Dask collections computed."""
    if not any(map(is_dask, values)):
        return values
    import dask

    scheduler = dask.config.get("scheduler", None)
    if scheduler == "dask.distributed" and current_client() is None:
        scheduler = None  # a client that is gone may leave its mark
    with dask.config.set(scheduler=scheduler):
        return tuple(dask.compute(*values))


def current_client() -> Any:
    """The ``distributed.Client`` that is in force here, or None."""
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None


# Features whose separation of the classes rests on very few rows.
#
# Two rules, for tables of 50 rows or more; below that every row is 2 % of the table.
#
# 1. **Hardly varies.** The values differ from the most common one in fewer than 2 % of the rows.
# 2. **One row.** The separation of a feature is the mean gap from a class mean to the nearest other
#    one, over the mean distance of the rows from the mean of their class. Without the row that is
#    farthest from the mean of the feature, less than half of it is left. Features that separate no
#    more than 2.5 √(2 p / n) of themselves, which noise does among n rows of p classes, are left
#    out: half of nothing is no alarm.
#
# Only the features that were chosen are looked at.

#: Fewer rows are not looked at, and in more than this one row is not looked for.
_FEWEST_ROWS, _MOST_ROWS = 50, 100_000
#: How many numbers are taken at once.
_BLOCK = 1 << 17
#: Rule 1: the share of rows that differ from the most common value.
_RARE = 0.02
#: Rule 2: what is left of the separation without one row, and what noise separates.
_LEFT, _NOISE = 0.5, 2.5


#: Whether this is a fit inside another one.
_inner: ContextVar[bool] = ContextVar("s2fs_inner_fit", default=False)


@contextmanager
def inner_fit() -> Iterator[None]:
    """Inside, a selection is one of many: no warning about the features it has chosen.

    Unlike a filter of warnings it holds for the current thread alone.
    """
    token = _inner.set(True)
    try:
        yield
    finally:
        _inner.reset(token)


def is_inner_fit() -> bool:
    """Whether this selection is one of many."""
    return _inner.get()


def warn_of_fragile(
    X: Any,
    codes: Indices,
    sample_weight: Floats | None,
    indices: Indices,
    names: NDArray[Any],
    ways: Sequence[str],
    ways_with_tails: Sequence[str],
) -> None:
    """Warn of chosen features that rest on very few rows, unless this is an inner fit.

    The ``ways`` are what the user can do about features that hardly vary, those ``with_tails`` more
    about a single row; empty ones are left out.
    """
    if is_inner_fit():
        return
    k, found = len(indices), fragile(X, codes, sample_weight, indices)
    if found.rare.any():
        warnings.warn(
            f"{found.rare.sum()} of the {k} selected feature(s) differ from their most "
            f"common value in fewer than {_RARE:.0%} of the rows ({some_of(names[found.rare])}), "
            f"so very few rows decide; consider {', '.join(filter(None, ways))}.",
            stacklevel=5,
        )
    if (alone := found.row >= 0).any():
        use = ", ".join(filter(None, [*ways_with_tails, *ways]))
        warnings.warn(
            f"{alone.sum()} of the {k} selected feature(s) owe more than half of their separation "
            f"of the classes to the row with their most extreme value "
            f"({some_of(names[alone])}); consider logarithms of heavy-tailed values, {use}.",
            stacklevel=5,
        )


class Fragile(NamedTuple):
    """For each feature whether it hardly varies, and the row it depends on, or −1."""

    rare: NDArray[np.bool_]
    row: Indices


def fragile(
    X: Any, codes: Indices, sample_weight: Floats | None = None, indices: Indices | None = None
) -> Fragile:
    """Apply both rules to some columns, by default to all; NaN is missing.

    Constant columns are not fragile, and one that hardly varies has no row.
    """
    n, wanted = len(codes), np.arange(X.shape[1]) if indices is None else indices
    found = Fragile(np.zeros(len(wanted), dtype=bool), np.full(len(wanted), -1))
    if n < _FEWEST_ROWS:
        return found
    step = max(1, _BLOCK // n)
    for start in range(0, len(wanted), step):
        some = wanted[start : start + step]
        columns = X[:, some].toarray() if issparse(X) else np.take(X, some, axis=1)
        columns = columns.astype(np.float64, copy=False)
        differ = _n_uncommon(columns)
        found.rare[start : start + step] = (differ > 0) & (differ < _RARE * n)
        look = np.flatnonzero(differ >= max(_RARE * n, 1))
        if n <= _MOST_ROWS and len(look):
            found.row[start + look] = _decisive_rows(columns[:, look], codes, sample_weight)
    return found


def _n_uncommon(columns: Floats) -> Indices:
    """Of each column how many values are not the most common one; all, if that is not worth a look.

    A value of all but 2 % of the rows takes most of every 20th row as well, so it stands in the
    sorted ones from below the middle to above it. Where values are missing, all rows are looked at.
    """
    n, k = columns.shape
    missing = np.isnan(columns.sum(axis=0))
    sample = np.sort(columns[:: 1 if missing.any() else max(int(0.4 / _RARE), n // 1000)], axis=0)
    there = np.maximum((~np.isnan(sample)).sum(axis=0), 1)  # NaN comes last
    low, middle, high = (
        sample[at, np.arange(k)] for at in (2 * there // 5, (there - 1) // 2, 3 * there // 5)
    )
    look = np.flatnonzero((low == high) | missing)
    some, differ = columns[:, look], np.full(k, n)
    differ[look] = ((some < middle[look]) | (some > middle[look])).sum(axis=0)
    return differ


def _decisive_rows(X: Floats, codes: Indices, sample_weight: Floats | None) -> Indices:
    """Rule 2: for each column the row it depends on, or −1."""
    k = X.shape[1]
    row = np.full(k, -1)
    weights = np.ones(X.shape) if sample_weight is None else np.tile(sample_weight, (k, 1)).T
    if (missing := np.isnan(X)).any():
        X = np.where(missing, 0.0, X)
        weights[missing] = 0.0
    total = np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
    before = _separation(X, weights, codes)
    separates = np.flatnonzero(before > _NOISE * np.sqrt(2 * (codes.max() + 1) / total))
    if not len(separates):
        return row
    X, weights, before = X[:, separates], weights[:, separates], before[separates]
    centre = (weights * X).sum(axis=0) / total[separates]
    farthest = np.where(weights > 0, np.abs(X - centre), -1.0).argmax(axis=0)
    weights[farthest, np.arange(len(separates))] = 0.0
    after = _separation(X, weights, codes)
    # Not a number where no class is left beside another: nothing is, without that row.
    decides = ~(after >= _LEFT * before)
    row[separates[decides]] = farthest[decides]
    return row


def _separation(X: Floats, weights: Floats, codes: Indices) -> Floats:
    """The separation of every column; classes without weight are not there."""
    members = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
    counts = members @ weights
    there = counts > 0
    mean = members @ (weights * X) / np.where(there, counts, 1.0)
    inside = (weights * np.abs(X - mean[codes])).sum(axis=0)
    gaps = np.diff(np.sort(np.where(there, mean, np.nan), axis=0), axis=0)  # without rows last
    edge = np.full((1, X.shape[1]), np.nan)
    nearest = np.fmin(np.vstack([edge, gaps]), np.vstack([gaps, edge]))
    n_classes = there.sum(axis=0)
    between = np.nansum(nearest, axis=0) / np.maximum(n_classes, 1)
    between = np.where(n_classes > 1, between, np.nan)
    total = counts.sum(axis=0)
    tiny = 1e-12 * np.abs(X).max(axis=0)
    return between / np.maximum(inside / np.where(total > 0, total, 1.0), tiny)
