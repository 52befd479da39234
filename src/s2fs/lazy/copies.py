"""Exact copies among the columns of a table that stays where it is."""

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from s2fs._native.correlations import COPY_ROUNDING
from s2fs._utils.types import Floats, Indices
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
        return is_copy

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

    def _residual(self, feature: int) -> nw.Expr:
        """A value less the mean of all."""
        value = known_value(self._table.features[feature])
        return (value - float(self._shift[feature])) - float(self._offset[feature])
