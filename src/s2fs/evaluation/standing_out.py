"""Which classes a feature is high or low in."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.features import Features
from s2fs._utils.labels import are_numbers
from s2fs._utils.messages import join_words
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.samples import take_columns

#: More classes than this are not all named beside a feature.
MOST_NAMED = 4


class StandsOut(NamedTuple):
    """Which classes a feature is high or low in, by ranks: one sample cannot turn it round.

    Attributes
    ----------
    members : ndarray of bool, shape (n_features, n_classes)
        The classes on the smaller side of the split; of equal sides the upper one.
    high : ndarray of bool, shape (n_features,)
        Whether the feature is high in them, or low.
    class_ : ndarray of int, shape (n_features,)
        The class among them that is furthest from the others.
    auc : ndarray of shape (n_features,)
        The chance that a sample of the upper side has the larger value, averaged over the pairs of
        classes; 0.5 says nothing, 1 never fails.
    """

    members: NDArray[np.bool_]
    high: NDArray[np.bool_]
    class_: Indices
    auc: Floats

    def in_words(self, feature: int, class_names: Sequence[str]) -> str:
        """Return ``high in BL``, ``low in classes 0 and 2``, or how many if there are many."""
        word = "high" if self.high[feature] else "low"
        named = [str(class_names[int(q)]) for q in np.flatnonzero(self.members[feature])]
        if len(named) > MOST_NAMED:
            return f"{word} in {len(named)} of {len(class_names)} classes"
        noun = ""
        if are_numbers(class_names):
            noun = "class " if len(named) == 1 else "classes "
        return f"{word} in {noun}{join_words(named)}"


def find_standing_out(X: Floats, codes: Indices) -> StandsOut:
    """Split the classes of every feature where the values of both sides overlap least.

    The classes are put in order by how often their samples have the larger value, and cut where
    the mean AUC of the pairs of classes across the cut is largest.
    """
    p = int(codes.max()) + 1
    members, high, extreme, auc = [], [], [], []
    for column in X.T:
        wins = compute_pairwise_auc(column, codes)
        order = np.argsort(wins.sum(axis=1), kind="stable")  # low classes first
        across = [wins[np.ix_(order[cut:], order[:cut])].mean() for cut in range(1, p)]
        cut = 1 + int(np.argmax(np.round(across, 12)))
        is_high = p - cut <= cut
        side = order[cut:] if is_high else order[:cut]
        members.append(np.isin(np.arange(p), side))
        high.append(is_high)
        extreme.append(order[-1] if is_high else order[0])
        auc.append(across[cut - 1])
    return StandsOut(
        np.array(members, dtype=bool).reshape(-1, p),
        np.array(high, dtype=bool),
        np.array(extreme, dtype=np.intp),
        np.array(auc, dtype=np.float64),
    )


def find_telling_columns(
    values: Any, codes: Indices, features: Features, columns: Indices
) -> Indices:
    """For each feature that has some of the columns, in their order, the one that tells most.

    Of several columns that is the one with the largest AUC, of equal ones the first.
    """
    found = []
    for feature in features.find(columns).tolist():
        own = np.array(features.columns_of(feature))
        if len(own) > 1:
            auc = find_standing_out(take_columns(values, None, own), codes).auc
            own = own[[int(np.argmax(np.round(auc, 12)))]]
        found.append(own[0])
    return np.array(found, dtype=np.intp)


def compute_pairwise_auc(values: Floats, codes: Indices) -> Floats:
    """For classes a and b the chance that a sample of a has the larger value; ties count half."""
    p = int(codes.max()) + 1
    levels, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place * p + codes, minlength=len(levels) * p).reshape(-1, p)
    below = np.cumsum(counts, axis=0) - counts  # per level and class
    sizes = counts.sum(axis=0)
    wins = counts.T @ (below + counts / 2)
    return wins / np.maximum(np.outer(sizes, sizes), 1)
