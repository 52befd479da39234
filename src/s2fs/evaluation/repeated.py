"""Samples that belong together though no groups were given: measured more than once, nearly equal.

In a table of intrinsic dimension δ the power (d_j / d_{j+1})^(j δ) of the distances d₁ ≤ d₂ ≤ …
of a sample to all others is uniform; so Levina and Bickel (2005) estimate δ. A sample that was
measured more than once has a few others far nearer than that.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.plan import draw_rows
from s2fs.evaluation.samples import take_columns

#: Tables with fewer columns are not looked at.
FEWEST_COLUMNS = 20
#: A sample measured more than once is nearer than this share of the median distance in its class.
NEAR_SHARE = 0.5
#: Two samples nearer than this share are nearly the same.
SAME_SHARE = 0.1
#: How unlikely the gap after the nearest, second or third sample must be, and how many are tried.
UNLIKELY, N_GAPS = 0.001, 3
#: With this share of the samples measured more than once there is something to say.
MANY = 0.1
#: From and up to which neighbour distances tell the dimension.
_FIRST, _LAST = 5, 20
#: How many columns are looked at for their different values.
_MOST_COLUMNS = 1000
#: More products than these are not computed: fewer rows are compared with all rows.
_MOST_PRODUCTS = 5_000_000_000
#: How many values are standardised at a time: 16 MB.
_VALUES = 1 << 21


@dataclass(frozen=True, eq=False)
class RepeatedSamples:
    """What the distances of samples say.

    Attributes
    ----------
    looked_at : ndarray of shape (n_looked_at,)
        The samples that were compared with all others: all, or some of a large table.
    repeated : ndarray
        Those of them that look measured more than once.
    n_pairs : int
        How many pairs are nearly the same; one of each is among those looked at.
    closest : tuple of int
        The closest pair.
    dimension : float
        The intrinsic dimension δ of the table.
    """

    looked_at: Indices
    repeated: Indices
    n_pairs: int
    closest: tuple[int, int]
    dimension: float

    @property
    def are_many(self) -> bool:
        """Whether so many samples look measured more than once that accuracies are too good."""
        return len(self.repeated) >= MANY * len(self.looked_at)


def find_repeated_samples(values: Any, codes: Indices) -> RepeatedSamples | None:
    """Look whether samples belong together.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table; missing values are NaN and count as the mean of the column.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …

    Returns
    -------
    RepeatedSamples or None
        None of a table of few columns, or of counts or answers: these have few different values,
        and equal rows are nothing special.
    """
    n, m = values.shape
    if n <= _FIRST + 1 or not _has_many_different_values(values):
        return None
    rows = draw_rows(codes, min(n, max(2 * _LAST, int(_MOST_PRODUCTS // (n * m)))))
    squares, standardised = _compute_squares(values, rows)
    medians = _find_medians(squares[:, rows], codes[rows], int(codes.max()) + 1)
    dimension = _estimate_dimension(squares[:, rows])
    itself = np.arange(len(rows))
    squares[itself, rows] = np.inf
    nearest = np.argsort(squares, axis=1, kind="stable")[:, : N_GAPS + 1]
    own = standardised(rows)
    # Products leave rounding where rows are equal, so the nearest are compared value by value.
    for j in range(N_GAPS + 1):
        squares[itself, nearest[:, j]] = ((own - standardised(nearest[:, j])) ** 2).sum(axis=1)
    exact = np.take_along_axis(squares, nearest, axis=1)
    d = np.sqrt(np.sort(exact, axis=1))
    is_near = d[:, 0] < NEAR_SHARE * medians[codes[rows]]
    order = np.arange(1, N_GAPS + 1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        is_gap = (d[:, :-1] / d[:, 1:]) ** (order * dimension) < UNLIKELY
    repeated = rows[(d[:, 0] == 0) | (is_near & is_gap.any(axis=1))]
    limits = SAME_SHARE * np.fmax(medians[codes[rows], None], medians[codes])
    first, second = np.nonzero(squares < limits**2)
    pairs = {
        tuple(sorted(pair)) for pair in zip(rows[first].tolist(), second.tolist(), strict=True)
    }
    i = int(d[:, 0].argmin())
    one, other = sorted((int(rows[i]), int(nearest[i][exact[i].argmin()])))
    return RepeatedSamples(rows, repeated, len(pairs), (one, other), dimension)


def _has_many_different_values(values: Any) -> bool:
    """Whether half of the columns have more than a quarter as many values as there are rows."""
    n, m = values.shape
    if m < FEWEST_COLUMNS:
        return False
    columns = np.unique(np.linspace(0, m - 1, min(m, _MOST_COLUMNS)).astype(np.intp))
    step = max(1, _VALUES // n)
    parts = (
        np.sort(take_columns(values, None, columns[start : start + step]), axis=0)
        for start in range(0, len(columns), step)
    )
    n_values = np.concatenate([(np.diff(part, axis=0) > 0).sum(axis=0) + 1 for part in parts])

    def is_half(n_rows: int) -> bool:
        return 2 * int(np.count_nonzero(n_values > n_rows / 4)) >= len(columns)

    return is_half(n) or is_half(_count_different_rows(values))


def _count_different_rows(values: Any) -> int:
    if issparse(values):
        rows = values.tocsr()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return len({(rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()) for a, b in ends})
    return len({(row + 0.0).tobytes() for row in values})  # −0 is 0


def _compute_squares(values: Any, rows: Indices) -> tuple[Floats, Any]:
    """Squared distances of some rows to all, and what gives standardised rows."""
    n, m = values.shape
    means, scales = np.zeros(m), np.ones(m)
    dots, norms = np.zeros((len(rows), n)), np.zeros(n)
    step = max(1, _VALUES // n)
    for start in range(0, m, step):
        columns = np.arange(start, min(m, start + step))
        part = take_columns(values, None, columns)
        known = ~np.isnan(part)
        n_known = np.maximum(known.sum(axis=0), 1)
        peaks = np.where(known, np.abs(part), 0.0).max(axis=0)
        peaks[peaks == 0] = 1.0
        part /= peaks  # else squares overflow
        means[columns] = np.where(known, part, 0.0).sum(axis=0) / n_known
        part -= means[columns]
        part[~known] = 0.0
        own = np.sqrt((part**2).sum(axis=0) / n_known)
        own[own <= n * np.finfo(np.float64).eps] = 1.0
        part /= own
        means[columns] *= peaks
        scales[columns] = peaks * own
        dots += part[rows] @ part.T
        norms += np.einsum("ij,ij->i", part, part)

    def standardised(some: Indices) -> Floats:
        part = take_columns(values, some, np.arange(m))
        part -= means
        part /= scales
        return np.where(np.isnan(part), 0.0, part)

    return np.maximum(norms[rows, None] + norms - 2 * dots, 0.0), standardised


def _find_medians(squares: Floats, codes: Indices, n_classes: int) -> Floats:
    """The median distance between two samples of each class; NaN of a class of one."""
    medians = np.full(n_classes, np.nan)
    for q in range(n_classes):
        members = np.flatnonzero(codes == q)
        if len(members) > 1:
            above = np.triu_indices(len(members), 1)
            medians[q] = np.sqrt(np.median(squares[np.ix_(members, members)][above]))
    return medians


def _estimate_dimension(squares: Floats) -> float:
    """The intrinsic dimension of a table by Levina and Bickel, from the distances of its rows."""
    n = len(squares)
    last = min(_LAST, n - 1)
    others = squares.copy()
    np.fill_diagonal(others, np.inf)
    nearest = np.sqrt(np.sort(others, axis=1)[:, _FIRST - 1 : last])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(nearest[:, -1:] / nearest[:, :-1])
        means = logs.mean(axis=1)
        means[np.isnan(means)] = np.inf  # copies of more than that many rows
        return float(1 / np.median(means))


def describe_repeated_samples(found: RepeatedSamples | None, names: Any = None) -> list[str]:
    """What to say of the samples that belong together, in a sentence each.

    Parameters
    ----------
    found : RepeatedSamples or None
        What :func:`find_repeated_samples` has found.
    names : sequence of str, optional
        What samples are called; by default their rows, from 1.
    """
    if found is None:
        return []
    pair = " and ".join(f"row {i + 1}" if names is None else str(names[i]) for i in found.closest)
    sentences = []
    if found.are_many:
        sentences.append(
            f"{len(found.repeated)} of {len(found.looked_at)} samples look measured more than "
            f"once, {pair} the closest: samples of one subject on both sides of a fold make "
            "every accuracy too good. Say which belong together by groups."
        )
    if found.n_pairs:
        are = (
            "1 pair of samples is"
            if found.n_pairs == 1
            else f"{found.n_pairs} pairs of samples are"
        )
        sentences.append(f"{are} nearly the same: {pair} are the closest.")
    return sentences


class SharedSamples(NamedTuple):
    """Samples that are in two tables.

    Attributes
    ----------
    can_tell : bool
        Whether there are enough columns, of enough different values, to say so.
    pairs : list of tuple of int
        Samples of the first and of the second table that are equal or nearly the same, the closest
        pair first.
    """

    can_tell: bool
    pairs: list[tuple[int, int]]


def find_shared_samples(
    first: Floats, first_codes: Indices | None, second: Floats
) -> SharedSamples:
    """Look for samples of one table that are in another one, equal or nearly the same.

    Parameters
    ----------
    first, second : ndarray of shape (n_samples, n_columns)
        Both tables, with the same columns; missing values are NaN and count as the mean of the
        column in the first table, whose standard deviations are the units.
    first_codes : ndarray of shape (n_samples,), optional
        The class of each sample of the first table: a sample is near if it is nearer than a tenth
        of the median distance in the class of the other. Without it all are of one class.

    Returns
    -------
    SharedSamples
    """
    n = len(first)
    if n < 2 or not _has_many_different_values(first):
        return SharedSamples(False, [])
    codes = np.zeros(n, dtype=np.intp) if first_codes is None else first_codes
    known = ~np.isnan(first)
    n_known = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, first, 0.0).sum(axis=0) / n_known
    one = np.where(known, first - means, 0.0)
    scales = np.sqrt((one**2).sum(axis=0) / n_known)
    scales[scales <= n * np.finfo(np.float64).eps * np.abs(means)] = 1.0
    one /= scales
    two = np.where(np.isnan(second), 0.0, (second - means) / scales)
    norms = np.einsum("ij,ij->i", one, one)
    within = np.maximum(norms[:, None] + norms - 2 * (one @ one.T), 0.0)
    medians = _find_medians(within, codes, int(codes.max()) + 1)
    if np.isnan(medians).all():
        return SharedSamples(False, [])
    limits = SAME_SHARE * np.where(np.isnan(medians), np.nanmedian(medians), medians)[codes]
    between = norms[:, None] + np.einsum("ij,ij->i", two, two) - 2 * (one @ two.T)
    # Products leave rounding where rows are equal, so what may be near is compared value by value.
    likely = np.argwhere(between <= (limits**2)[:, None] + 1e-6 * norms[:, None])
    found = []
    for a, b in likely.tolist():
        distance = float(np.sqrt(((one[a] - two[b]) ** 2).sum()))
        if distance < limits[a]:
            found.append((distance, a, b))
    return SharedSamples(True, [(a, b) for _, a, b in sorted(found)])
