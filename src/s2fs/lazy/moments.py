"""Counts, means, squares and ranges of each class and feature, by a query in any engine.

One ``group_by(target)`` for each batch of columns. Squares are sums of (x − shift)², so a large
offset would cancel in them unless the shift is near the values. Any shift between the smallest and
the largest value is near enough: no within-class s.d. below 1 % of the range is ever used, so at
most four of sixteen digits cancel. The first samples give such a shift; where it turns out to be
far outside the range, the columns are asked for once more with a shift inside.
"""

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from s2fs._utils.cells import is_missing
from s2fs._utils.labels import check_labels, encode_classes, reject_one_class
from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import ClassMoments
from s2fs.criteria.summary import ClassSummary, Summary, reject_many_classes
from s2fs.lazy.frames import LazyTable

#: How many columns a query is about: engines plan queries of some hundred expressions quickly.
BATCH = 100
#: How many of the first samples are looked at for a shift.
FIRST_SAMPLES = 100
#: A shift that is further outside the range than this many times the range is not near enough.
MAX_DISTANCE = 10.0
#: What is asked of each class and feature.
_MEASURES = ("count", "sum", "squares", "lower", "upper")


@dataclass
class QueriedMoments:
    """What the engine tells of a table.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    labels : list
        The same labels as the engine writes them.
    sizes : ndarray of shape (n_classes,)
        How many samples each class has.
    counts, offset, squares : ndarray of shape (n_classes, n_features)
        Of each class and feature the number of known values, their mean less ``shift``, and the
        sum of their squared differences to the mean.
    lower, upper : ndarray of shape (n_classes, n_features)
        The smallest and the largest value; NaN where there is none.
    shift : ndarray of shape (n_features,)
        A number near the values of each feature. Means are kept relative to it: added up, they
        would lose digits.
    """

    classes: NDArray[Any]
    labels: list[Any]
    sizes: Floats
    counts: Floats
    offset: Floats
    squares: Floats
    lower: Floats
    upper: Floats
    shift: Floats

    def as_summary(self) -> Summary:
        """The same as a summary, whose means are relative to ``shift``: only differences matter."""
        of_class = []
        for q, size in enumerate(self.sizes.tolist()):
            moments = ClassMoments(
                self.counts[[q]],
                self.offset[[q]],
                self.squares[q],
                self.lower[q],
                self.upper[q],
                self.counts[q] < size,
                self.sizes[[q]],
            )
            of_class.append(ClassSummary(int(size), size, 1.0, 1.0, moments))
        return Summary(self.classes, tuple(of_class))


def query_moments(table: LazyTable) -> QueriedMoments:
    """Ask the engine for the moments of all features, batch by batch."""
    sizes_of_labels = _query_class_sizes(table)
    classes, codes = encode_classes(check_labels(list(sizes_of_labels), table.target))
    reject_one_class(classes, repr(table.target))
    codes_of_labels = dict(zip(sizes_of_labels, codes.tolist(), strict=True))
    labels = sorted(codes_of_labels, key=codes_of_labels.__getitem__)
    sizes = np.zeros(len(classes))
    sizes[codes] = list(sizes_of_labels.values())
    n_features = len(table.features)
    counts, offset, squares, lower, upper = np.zeros((len(_MEASURES), len(classes), n_features))
    moments = QueriedMoments(
        classes, labels, sizes, counts, offset, squares, lower, upper, shift=np.zeros(n_features)
    )
    for start in range(0, n_features, BATCH):
        features = np.arange(start, min(start + BATCH, n_features))
        shift = _query_shift(table, features)
        _fill(moments, features, table, shift, codes_of_labels, may_have_nan=False)
        has_nan = np.isnan(moments.offset[:, features]).any(axis=0)
        if has_nan.any():
            _fill(moments, features[has_nan], table, shift[has_nan], codes_of_labels)
        least = np.fmin.reduce(moments.lower[:, features], axis=0)
        largest = np.fmax.reduce(moments.upper[:, features], axis=0)
        with np.errstate(invalid="ignore"):  # infinity is reported when all ranges are known
            is_far = np.maximum(least - shift, shift - largest) > MAX_DISTANCE * (largest - least)
        if is_far.any():
            _fill(moments, features[is_far], table, least[is_far], codes_of_labels)
    return moments


def _query_class_sizes(table: LazyTable) -> dict[Any, int]:
    """How many samples have each label, as the engine writes it."""
    frame = table.frame.select(label=nw.col(table.target))
    found = frame.group_by("label").agg(nw.len().alias("size")).collect()
    sizes = dict(zip(_as_list(found, "label"), _as_list(found, "size"), strict=True))
    reject_many_classes(len(sizes), repr(table.target))
    n_missing = sum(size for label, size in sizes.items() if is_missing(label, frozenset()))
    if n_missing:
        raise ValueError(
            f"{table.target!r} is missing in {format_count(n_missing, 'sample')}; filter the lazy "
            "frame, so that every sample has a class."
        )
    if not sizes:
        raise ValueError("X has no samples; give a table that is not empty.")
    return sizes


def _query_shift(table: LazyTable, features: Indices) -> Floats:
    """A number near the values of each feature: the mean of the first ones."""
    names = [table.features[f] for f in features]
    values = [
        known_value(name, table.schema[name]).alias(f"value_{i}") for i, name in enumerate(names)
    ]
    first = table.frame.head(FIRST_SAMPLES).select(*values).collect()
    shift = np.zeros(len(features))
    for i in range(len(features)):
        known = [value for value in _as_list(first, f"value_{i}") if value is not None]
        with np.errstate(all="ignore"):
            mean = np.mean(known) if known else 0.0
        shift[i] = mean if np.isfinite(mean) else 0.0
    return shift


def _fill(
    moments: QueriedMoments,
    features: Indices,
    table: LazyTable,
    shift: Floats,
    codes_of_labels: dict[Any, int],
    may_have_nan: bool = True,
) -> None:
    """Ask for the moments of some features, as sums of differences to a shift of each.

    To look at each value for NaN takes a third of the time. Where that was not done, and there is
    one, the mean is NaN.
    """
    label, columns, queries = nw.col(table.target).alias("label"), [], []
    for i, feature in enumerate(features):
        name = table.features[feature]
        value = known_value(name, table.schema[name]) if may_have_nan else as_float(name)
        columns.append(value.alias(f"value_{i}"))
    values = table.frame.select(label, *columns)
    columns = []
    for i, start in enumerate(shift.tolist()):
        value = nw.col(f"value_{i}")
        columns += [
            value,
            (value - start).alias(f"difference_{i}"),
            ((value - start) * (value - start)).alias(f"square_{i}"),
        ]
        queries += [
            nw.col(f"value_{i}").count().alias(f"count_{i}"),
            nw.col(f"difference_{i}").sum().alias(f"sum_{i}"),
            nw.col(f"square_{i}").sum().alias(f"squares_{i}"),
            nw.col(f"value_{i}").min().alias(f"lower_{i}"),
            nw.col(f"value_{i}").max().alias(f"upper_{i}"),
        ]
    queries.append(nw.len().alias("size"))
    found = values.select("label", *columns).group_by("label").agg(*queries).collect()
    sizes = dict(zip(_as_list(found, "label"), _as_list(found, "size"), strict=True))
    expected = dict(zip(moments.labels, moments.sizes.astype(int).tolist(), strict=True))
    if sizes != expected:
        raise ValueError(_describe_change(table.target, expected, sizes))
    codes = [codes_of_labels[label] for label in sizes]
    sums = np.full((len(_MEASURES), len(moments.classes), len(features)), np.nan)
    for row, measure in enumerate(_MEASURES):
        for i in range(len(features)):
            numbers = [np.nan if v is None else float(v) for v in _as_list(found, f"{measure}_{i}")]
            sums[row, codes, i] = numbers
    counts, totals, squares, lower, upper = sums
    with np.errstate(invalid="ignore"):  # infinity is reported when all ranges are known
        means = np.where(counts > 0, totals, 0.0) / np.maximum(counts, 1.0)
        # Rounding may leave less than nothing of a class whose values are all equal.
        within = np.maximum(np.where(counts > 0, squares, 0.0) - counts * means**2, 0.0)
    moments.counts[:, features] = counts
    moments.offset[:, features] = means
    moments.squares[:, features] = within
    moments.lower[:, features] = lower
    moments.upper[:, features] = upper
    moments.shift[features] = shift


def _describe_change(target: str, before: dict[Any, int], after: dict[Any, int]) -> str:
    """What happened to a table that somebody writes to while it is summed up."""
    label = next(one for one in {**before, **after} if before.get(one) != after.get(one))
    had, has = (format_count(sizes.get(label, 0), "sample") for sizes in (before, after))
    return (
        f"{target!r} had {had} of class {str(label)!r} when they were counted, and has {has} now; "
        "wait until nobody writes to the table, then fit again."
    )


def as_float(name: str) -> nw.Expr:
    """A column as floating-point numbers."""
    return nw.col(name).cast(nw.Float64)


def known_value(name: str, dtype: Any) -> nw.Expr:
    """The same; NaN, which engines order and sum differently, is NULL. Only a float may be NaN."""
    value = as_float(name)
    return nw.when(~value.is_nan()).then(value) if dtype.is_float() else value


def _as_list(frame: "nw.DataFrame[Any]", name: str) -> list[Any]:
    return frame.get_column(name).to_list()
