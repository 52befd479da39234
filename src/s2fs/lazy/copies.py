"""Exact copies among the columns of a table that stays where it is."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from s2fs._native.correlated_features import stay_copies
from s2fs._native.correlations import COPY_ROUNDING
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.class_moments import common_offset
from s2fs.lazy.frames import LazyTable
from s2fs.lazy.moments import BATCH, QueriedMoments, known_value


class LazyCopies:
    """Tells exact copies of a feature, by a query about the few that may be one.

    Parameters
    ----------
    table : LazyTable
        The table.
    moments : QueriedMoments
        Its moments.
    is_kept : ndarray of shape (n_classes,)
        The classes whose samples count.
    """

    def __init__(
        self, table: LazyTable, moments: QueriedMoments, is_kept: NDArray[np.bool_]
    ) -> None:
        self._table, self._frame = table, table.frame
        if not is_kept.all():
            labels = [moments.labels[q] for q in np.flatnonzero(is_kept)]
            self._frame = table.frame.filter(nw.col(table.target).is_in(labels))
        counts = moments.counts[is_kept]
        self._counts = counts.sum(axis=0)
        totals = (counts * moments.offset[is_kept]).sum(axis=0)
        self._shift, self._offset = moments.shift, totals / np.maximum(self._counts, 1.0)

    def __call__(self, feature: int, others: Indices) -> NDArray[np.bool_]:
        """Mask of the ``others`` that equal ``feature`` up to sign, scale and offset."""
        is_copy = np.zeros(len(others), dtype=bool)
        for start in range(0, len(others), BATCH):
            batch = slice(start, start + BATCH)
            is_copy[batch] = self._compare(feature, others[batch])
        for i in np.flatnonzero(is_copy):
            is_copy[i] = self._stays_copy(feature, int(others[i]))
        return is_copy

    def _stays_copy(self, feature: int, other: int) -> bool:
        """Whether two columns are copies without the row with the largest share in their r, too."""
        pair = self._frame.select(
            self._value(feature).alias("x"),
            self._value(other).alias("z"),
            (self._residual(feature) * self._residual(other)).abs().alias("share"),
        ).filter(~nw.col("share").is_null())
        largest = _first(pair.select(nw.col("share").max()), "share")[0]
        row = pair.filter(nw.col("share") >= largest).head(1)
        x, z = _first(row, "x", "z")
        others = pair.filter((nw.col("x") != x) | (nw.col("z") != z))
        ends = [getattr(nw.col(name), end)().alias(f"{name}_{end}")
                for end in ("min", "max") for name in ("x", "z")]  # fmt: skip
        ranges = _first(others.select(*ends), "x_min", "z_min", "x_max", "z_max")
        lower, upper = np.reshape(ranges, (2, 2, 1))
        offset = common_offset(lower, upper).ravel().tolist()
        own, second = nw.col("x") - offset[0], nw.col("z") - offset[1]
        terms = {"z": second, "zz": second * second, "x": own, "xx": own * own, "xz": own * second}
        found = others.select(*(term.alias(name) for name, term in terms.items())).select(
            nw.col("z").count().alias("n"), *(nw.col(name).sum().alias(name) for name in terms)
        )
        sums = np.array(_first(found, "n", *terms))[:, None]
        return bool(stay_copies(lower, upper, sums)[0])

    def _compare(self, feature: int, others: Indices) -> NDArray[np.bool_]:
        count, product, own_squares, other_squares = self._query_sums(feature, others)
        have_same_gaps = (count == self._counts[feature]) & (count == self._counts[others])
        norm = np.sqrt(own_squares * other_squares)
        return have_same_gaps & (norm > 0) & (np.abs(product) >= (1 - COPY_ROUNDING) * norm)

    def _query_sums(self, feature: int, others: Indices) -> Floats:
        """Over the samples that have both values: their number, and three sums of products."""
        columns = [self._residual(feature).alias("own")]
        columns += [self._residual(other).alias(f"other_{i}") for i, other in enumerate(others)]
        own, products, queries = nw.col("own"), [], []
        for i in range(len(others)):
            other = nw.col(f"other_{i}")
            has_both = ~own.is_null() & ~other.is_null()
            products += [
                (own * other).alias(f"product_{i}"),
                nw.when(has_both).then(own * own).alias(f"own_square_{i}"),
                nw.when(has_both).then(other * other).alias(f"other_square_{i}"),
            ]
            queries += [
                nw.col(f"product_{i}").count().alias(f"n_{i}"),
                nw.col(f"product_{i}").sum().alias(f"sum_product_{i}"),
                nw.col(f"own_square_{i}").sum().alias(f"sum_own_{i}"),
                nw.col(f"other_square_{i}").sum().alias(f"sum_other_{i}"),
            ]
        found = self._frame.select(*columns).select(*products).select(*queries).collect()
        sums = np.zeros((4, len(others)))
        for row, name in enumerate(("n", "sum_product", "sum_own", "sum_other")):
            for i in range(len(others)):
                sums[row, i] = found.get_column(f"{name}_{i}").to_list()[0] or 0.0
        return sums

    def _value(self, feature: int) -> nw.Expr:
        name = self._table.features[feature]
        return known_value(name, self._table.schema[name])

    def _residual(self, feature: int) -> nw.Expr:
        """A value less the mean of all."""
        return (self._value(feature) - float(self._shift[feature])) - float(self._offset[feature])


def _first(frame: "nw.LazyFrame[Any]", *names: str) -> list[float]:
    """The first row of a few columns."""
    found = frame.collect()
    return [float(found.get_column(name).to_list()[0]) for name in names]
