"""Permuted tables: what the data could look like if no feature depended on the classes.

A sample keeps its class, weight, covariates and group, and takes the features of another one. Which
samples may swap depends on what is known of them:

* Nothing: any two.
* Categories among the covariates: those with the same categories. What moves are the raw features,
  and covariates are taken away again from each permuted table, because taking them away uses the
  classes.
* Numbers among the covariates: there are no two samples alike, so only what the covariates do not
  explain moves, and is added to what they explain (Freedman and Lane, 1983), again among samples
  with the same categories.
* Groups of one class each: whole groups. A group of five takes five samples of another, some of
  them twice if there are fewer: so every class keeps its size, also if its groups are larger than
  those of others. Inside groups of several classes single samples swap.

Missing values stay where they are, so a class may lack more values than another. The values of a
feature move among its known ones: each place takes the next known value along the permutation. In
features that lack the same values this is the same permutation.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from s2fs._utils.types import Indices
from s2fs.criteria.covariates import explained_by_covariates
from s2fs.search.samples import Samples

#: How often a permutation is drawn, for each one wanted, before there are no more distinct ones.
N_DRAWS = 50


class Permutations:
    """Distinct permutations of the features that keep all but their tie to the classes.

    Parameters
    ----------
    samples : Samples
        The samples as they are.
    n_permutations : int
        How many permutations to draw; there are fewer if not so many are distinct.
    rng : numpy Generator or RandomState
        Where they are drawn from.

    Attributes
    ----------
    orders : list of ndarray of shape (n_samples,)
        For each permutation and each sample the one whose features it takes.
    """

    def __init__(self, samples: Samples, n_permutations: int, rng: Any) -> None:
        self._samples = samples
        self._with_missing = _find_features_with_missing(samples.X)
        self.orders = _draw_orders(samples, n_permutations, rng)
        self._is_one_to_one = all(len(np.unique(order)) == len(order) for order in self.orders)
        if len(self._with_missing) and not self._is_one_to_one:
            raise ValueError(
                "groups have unequal sizes and X has missing values, which cannot be permuted "
                "together; impute them, or leave groups out."
            )
        covariates = samples.covariates
        self._explained = None
        if covariates is not None and covariates.has_numbers:
            self._explained = explained_by_covariates(samples.X, covariates, samples.sample_weight)

    def __len__(self) -> int:
        return len(self.orders)

    @property
    def moves_whole_samples(self) -> bool:
        """Whether a permutation only reorders the samples of the table."""
        covariates = self._samples.covariates
        return covariates is None and not len(self._with_missing) and self._is_one_to_one

    def apply(self, order: Indices) -> Samples:
        """The samples with permuted features."""
        X = self._samples.X
        if len(self._with_missing):
            X = self._permute_known_values(order)
        elif self._explained is not None:
            X = self._explained + (X - self._explained)[order]
        else:
            X = X[order]
        return replace(self._samples, X=X)

    def _permute_known_values(self, order: Indices) -> Any:
        """Permute the known values of each feature; missing values stay where they are."""
        X = self._samples.X
        before = X[:, self._with_missing]
        before = before.toarray() if sparse.issparse(X) else before
        known = ~np.isnan(before)
        after = np.full_like(before, np.nan)
        places, features = np.nonzero(known)
        sources = order[places]
        # Every place that is known lies on a cycle, so that a known value follows.
        while len(missing := np.flatnonzero(~known[sources, features])):
            sources[missing] = order[sources[missing]]
        after[places, features] = before[sources, features]
        if not sparse.issparse(X):
            X = X[order]
            X[:, self._with_missing] = after
            return X
        complete = np.setdiff1d(np.arange(X.shape[1]), self._with_missing)
        parts = [X[order][:, complete], sparse.csc_array(after)]
        columns = np.argsort(np.concatenate([complete, self._with_missing]))
        return sparse.hstack(parts, format="csc")[:, columns]


def _find_features_with_missing(X: Any) -> Indices:
    if not sparse.issparse(X):
        return np.flatnonzero(np.isnan(X).any(axis=0))
    stored = sparse.coo_array(X)
    return np.unique(stored.col[np.isnan(stored.data)])


def _draw_orders(samples: Samples, n_permutations: int, rng: Any) -> list[Indices]:
    """Permutations that differ from each other and from the order as it is."""
    single_samples, whole_groups = _find_exchangeable(samples)
    n = len(samples.codes)
    seen = {_fingerprint(samples, np.arange(n))}
    orders: list[Indices] = []
    for _ in range(N_DRAWS * n_permutations):
        if len(orders) == n_permutations:
            break
        # The sample whose features each takes, and the one whose labels these features then have.
        order, label = np.arange(n), np.arange(n)
        for members in single_samples:
            order[members] = members[rng.permutation(len(members))]
            label[order[members]] = members
        for units in whole_groups:
            for unit, source in zip(units, rng.permutation(len(units)), strict=True):
                for members, others in zip(unit, units[source], strict=True):
                    order[members] = np.resize(others[rng.permutation(len(others))], len(members))
                    label[others] = np.resize(members, len(others))
        fingerprint = _fingerprint(samples, label)
        if fingerprint not in seen:
            seen.add(fingerprint)
            orders.append(order)
    return orders


def _find_exchangeable(samples: Samples) -> tuple[list[Indices], list[list[list[Indices]]]]:
    """Sets of samples that swap their features, and sets of groups that do so as a whole.

    A group is given by its samples, apart for each combination of categories. Only groups with the
    same combinations swap, so that each sample takes the features of one with its own categories.
    """
    n = len(samples.codes)
    strata = np.zeros(n, dtype=np.intp)
    if samples.covariates is not None:
        strata = number_by_appearance(samples.covariates.strata)
    if samples.groups is None:
        return _members(strata), []
    single_samples: list[Indices] = []
    whole_groups: dict[tuple[int, ...], list[list[Indices]]] = {}
    for group in _members(number_by_appearance(samples.groups)):
        parts = [group[part] for part in _members(strata[group])]
        if (samples.codes[group] == samples.codes[group[0]]).all():
            parts.sort(key=lambda rows: int(strata[rows[0]]))
            whole_groups.setdefault(tuple(int(strata[rows[0]]) for rows in parts), []).append(parts)
        else:
            single_samples += parts
    return single_samples, list(whole_groups.values())


def _members(labels: Indices) -> list[Indices]:
    """The samples with each label, labels in increasing order."""
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    return np.split(order, ends)


def number_by_appearance(labels: NDArray[Any]) -> Indices:
    """The labels as 0, 1, … in the order in which they come."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _fingerprint(samples: Samples, label: Indices) -> bytes:
    """Equal for permutations that no criterion can tell apart; names of classes do not matter."""
    parts = [number_by_appearance(samples.codes[label]).tobytes()]
    if samples.sample_weight is not None:
        parts.append(samples.sample_weight[label].tobytes())
    if samples.covariates is not None and samples.covariates.has_numbers:
        parts.append(samples.covariates.design[label].tobytes())
    return b"".join(parts)
