"""A canonical order of the samples, so that a permutation does not depend on how they come.

The order is that of distances from the mean, in scaled features. Order and names of the classes,
and order, sign and scale of the features do not matter either.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from s2fs._utils.types import Floats, Indices
from s2fs.criteria.covariates import explained_by_covariates
from s2fs.criteria.problem import blocks
from s2fs.search.samples import Samples

#: Whole weights become copies of a sample if this makes the table at most so many times as long.
MOST_COPIES = 10
#: Of how many repeated samples the distance to the others is looked at.
N_COMPARED = 10


def sort_canonically(samples: Samples) -> Samples:
    """Put the samples into an order that depends on their values only.

    Copies of one sample become one that has their weight, and other samples of a whole weight
    become so many, so a sample of weight 2 is as good as two equal ones.
    """
    X, weight = samples.X, samples.sample_weight
    if samples.covariates is not None:
        X = X - explained_by_covariates(X, samples.covariates, weight)
    weight = np.ones(len(samples.codes)) if weight is None else weight
    distance, fourth, line, gaps = np.round(_sort_keys(X, weight), 10)

    def rank(labels: NDArray[Any]) -> Indices:
        """The rank of each label by weight and sums of keys of its samples."""
        codes = np.unique(labels, return_inverse=True)[1]
        sums = [np.bincount(codes, weight * key).round(8) for key in (1.0, distance, fourth)]
        order = np.lexsort(sums)
        ranks = np.empty(len(order), dtype=np.intp)
        ranks[order] = np.arange(len(order))
        return ranks[codes]

    labels = [samples.codes]
    labels += [] if samples.groups is None else [samples.groups]
    labels += [] if samples.covariates is None else [samples.covariates.strata]
    order = np.lexsort((*map(rank, labels), gaps, line, fourth, distance))
    return _merge_copies(samples[order], distance[order])


def _sort_keys(X: Any, weight: Floats) -> Floats:
    """Four numbers for each sample that tell samples apart, relative to the largest.

    They are the sums over the features of the second and the fourth power of its difference from
    the mean, and, for samples equally far from it, the projections of the sample and of its missing
    values on a fixed random line.
    """
    n, m = X.shape
    line = np.random.default_rng(0).random(m)
    keys = np.zeros((4, n))
    for features in blocks(np.arange(m), n):
        columns = X[:, features]
        columns = (columns.toarray() if sparse.issparse(X) else columns).T.astype(np.float64)
        missing = np.isnan(columns)
        lower = np.fmin.reduce(columns, axis=1)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):  # a range may overflow: refused later
            columns -= lower
            width = np.fmax.reduce(columns, axis=1)[:, None]
            columns /= np.where(width > 0, width, 1.0)
        columns[missing] = 0.0
        count = (~missing * weight).sum(axis=1)[:, None]
        columns -= (columns @ weight)[:, None] / np.where(count > 0, count, 1.0)
        columns[missing] = 0.0
        keys[2] += line[features] @ columns
        keys[3] += line[features] @ missing
        columns *= columns
        keys[0] += columns.sum(axis=0)
        columns *= columns
        keys[1] += columns.sum(axis=0)
    most = np.abs(keys).max(axis=1, keepdims=True)
    return keys / np.where(most > 0, most, 1.0)


def _merge_copies(samples: Samples, key: Floats) -> Samples:
    """Join copies of a sample to a weighted one, or repeat samples of whole weights.

    Two samples may be equal because one was copied, or because few values are possible. Copies add
    no information and stay together. Where few values are possible, equal samples are independent:
    joining them would lose most permutations.
    """
    n, weight = len(samples.codes), samples.sample_weight
    equal = _equal_previous_sample(samples.X, key)
    repeats = equal & _have_labels_of_previous_sample(samples)
    if not repeats.any() and (weight is None or (weight == 1).all()):
        return replace(samples, sample_weight=None)
    weight = np.ones(n) if weight is None else weight
    kept = np.flatnonzero(~repeats)
    if _are_copies(samples.X, np.flatnonzero(~equal), float(weight.sum())):
        return replace(samples[kept], sample_weight=np.add.reduceat(weight, kept))
    if (weight == np.round(weight)).all() and weight.sum() <= MOST_COPIES * n:
        repeated = np.repeat(np.arange(n), weight.astype(np.intp))
        return replace(samples[repeated], sample_weight=None)
    return samples


def _equal_previous_sample(X: Any, key: Floats) -> NDArray[np.bool_]:
    """Mask of the samples whose features equal those of the sample before; NaN equals NaN."""
    suspects = np.flatnonzero(key[1:] == key[:-1]) + 1
    equal = np.zeros(X.shape[0], dtype=bool)
    first, second = X[suspects - 1], X[suspects]
    if sparse.issparse(X):
        first, second = first.toarray(), second.toarray()
    equal[suspects] = ((first == second) | (np.isnan(first) & np.isnan(second))).all(axis=1)
    return equal


def _have_labels_of_previous_sample(samples: Samples) -> NDArray[np.bool_]:
    """Mask of the samples with the class, group and covariates of the sample before."""
    labels: list[NDArray[Any]] = [samples.codes[:, None]]
    labels += [] if samples.groups is None else [samples.groups[:, None]]
    if samples.covariates is not None:
        labels += [samples.covariates.strata[:, None], samples.covariates.design]
    equal = np.zeros(len(samples.codes), dtype=bool)
    equal[1:] = np.all([(one[1:] == one[:-1]).all(axis=1) for one in labels], axis=0)
    return equal


def _are_copies(X: Any, distinct: Indices, n_samples: float) -> bool:
    """Whether equal samples must be copies.

    They must be if some feature differs between any two distinct samples, or if distinct samples
    differ in three features or more: by chance, one or two differences would be more frequent than
    none. A table in which a few samples are repeated many times has few possible values instead.
    """
    if 4 * len(distinct) < n_samples:
        return False
    distances = np.zeros((N_COMPARED, len(distinct)))
    # Samples spread over the whole table, which is sorted by distance from the mean.
    compared = np.unique(np.linspace(0, len(distinct) - 1, N_COMPARED).astype(np.intp))
    for features in blocks(np.arange(X.shape[1]), len(distinct) * N_COMPARED):
        columns = X[:, features]
        columns = (columns.toarray() if sparse.issparse(X) else columns)[distinct]
        for column in columns.T:
            known = column[~np.isnan(column)]
            if 4 * len(known) >= n_samples and len(np.unique(known)) == len(known):
                return True
        known = ~np.isnan(columns)
        for i, sample in enumerate(compared):
            differ = (columns != columns[sample]) & (known | known[sample])
            distances[i] += differ.sum(axis=1)
    distances = distances[: len(compared)]
    distances[np.arange(len(compared)), compared] = np.inf
    return bool(distances.min() >= 3)
