"""In which class a feature stands out, and how far every two classes are apart in it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._util.types import Floats, Indices


class StandsOut(NamedTuple):
    """In which class each feature stands out, and whether it is high there or low."""

    class_: Indices
    high: NDArray[np.bool_]


def class_means(X: Floats, codes: Indices) -> Floats:
    """The mean of each class in each feature."""
    return np.array([X[codes == q].mean(axis=0) for q in range(int(codes.max()) + 1)])


def stands_out(X: Floats, codes: Indices) -> StandsOut:
    """Find the class whose mean is furthest above the next, or below; of equal gaps the upper."""
    means = class_means(X, codes)
    order = np.argsort(means, axis=0, kind="stable")
    ordered = np.sort(means, axis=0)
    high = ordered[-1] - ordered[-2] >= ordered[1] - ordered[0]
    return StandsOut(np.where(high, order[-1], order[0]), high)


def pair_distances(X: Floats, codes: Indices) -> Floats:
    """Distance of every two class means in each feature, in units of the spread inside the classes.

    0 for a feature that is constant; infinite where classes differ without any spread.
    """
    means = class_means(X, codes)
    freedom = max(1, len(X) - len(means))
    spread = np.sqrt(((X - means[codes]) ** 2).sum(axis=0) / freedom)
    apart = np.abs(means[:, None] - means[None])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(apart > 0, apart / spread, 0.0)
