"""Which features are exact copies of another: the same values up to sign, scale and offset.

Copies have the same share of their variance between the classes, which is known of every feature.
So rows are looked at for few candidates only, and only of features that are selected.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from s2fs._core.pairs import Moments, squares_between
from s2fs._util.types import Indices

#: Two features with |r| above 1 less this are copies, which leaves room for rounding.
ROUNDING_OF_R = 1e-11
#: Two unit vectors with such an r differ by at most √(2 ROUNDING_OF_R), and their shares by at most
#: twice that; this leaves room for the rounding of the shares.
ROUNDING_OF_SHARE = 1e-5
#: Gives for a feature and some others a mask of those that repeat it.
AreCopies = Callable[[int, Indices], NDArray[np.bool_]]


class Copies:
    """The exact copies of each feature of a table.

    Parameters
    ----------
    known : Moments
        What one pass over the rows tells.
    are_copies : callable
        Compares a feature with some others on the rows.

    Attributes
    ----------
    shares : ndarray of shape (n_features,)
        The share of the variance of each feature that is between the classes; NaN for a constant
        feature, which is no copy of any.
    """

    def __init__(self, known: Moments, are_copies: AreCopies) -> None:
        self._are_copies = are_copies
        between = squares_between(known)
        total = between + known.squares
        self.shares = np.full(len(total), np.nan)
        np.divide(between, total, out=self.shares, where=known.varying & (total > 0))

    def of(self, feature: int) -> Indices:
        """The copies of ``feature``, increasing, without itself."""
        return self.among(feature, np.arange(len(self.shares)))

    def among(self, feature: int, others: Indices) -> Indices:
        """The copies of ``feature`` among some others."""
        close = np.abs(self.shares[others] - self.shares[feature]) <= ROUNDING_OF_SHARE
        others = others[close & (others != feature)]
        return others[self._are_copies(feature, others)] if len(others) else others
