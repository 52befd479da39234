"""What is kept of samples that do not come together: the moments of each class.

A summary of some samples and one of others give that of all, so samples may come in batches, lie on
the workers of a cluster, or be summed up by a database. Each class has its own squares and range:
classes can be weighed, or left out, when all samples are in.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.labels import encode_classes
from s2fs._utils.types import Floats
from s2fs.criteria.class_moments import ClassMoments, count_samples, merge_moments
from s2fs.criteria.weights import (
    ClassWeight,
    counting_factor,
    reject_extreme_weights,
    row_weights,
)

#: More different labels than this are refused: each class takes some numbers for every feature.
MAX_CLASSES = 10_000


class ClassSummary(NamedTuple):
    """What some samples of one class tell.

    Attributes
    ----------
    n_samples : int
        Samples with a weight above 0.
    weight, min_weight, max_weight : float
        The sum of their weights, the smallest and the largest of them.
    moments : ClassMoments
        Their moments, as those of a table with one class, by the weights as they came.
    """

    n_samples: int
    weight: float
    min_weight: float
    max_weight: float
    moments: ClassMoments

    def merge(self, other: "ClassSummary") -> "ClassSummary":
        """Together with more samples of the class."""
        return ClassSummary(
            self.n_samples + other.n_samples,
            self.weight + other.weight,
            min(self.min_weight, other.min_weight),
            max(self.max_weight, other.max_weight),
            merge_moments(self.moments, other.moments),
        )

    def times(self, factor: float) -> "ClassSummary":
        """The same samples, each of which counts ``factor`` times."""
        moments = self.moments._replace(
            counts=self.moments.counts * factor,
            within_squares=self.moments.within_squares * factor,
            sizes=self.moments.sizes * factor,
        )
        weights = (factor * self.weight, factor * self.min_weight, factor * self.max_weight)
        return ClassSummary(self.n_samples, *weights, moments)


class Summary(NamedTuple):
    """What some samples tell.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    of_class : tuple of ClassSummary
        What the samples of each class tell.
    """

    classes: NDArray[Any]
    of_class: tuple[ClassSummary, ...]

    @property
    def n_samples(self) -> int:
        """Samples with a weight above 0."""
        return sum(one.n_samples for one in self.of_class)

    @property
    def weights(self) -> Floats:
        """The weight of the samples of each class."""
        return np.array([one.weight for one in self.of_class])

    @property
    def per_weight(self) -> float:
        """How many samples a weight of 1 stands for."""
        return counting_factor(float(self.weights.sum()), self.n_samples)

    @property
    def means(self) -> Floats:
        """The class means, of shape (n_classes, n_features)."""
        return np.concatenate([one.moments.means for one in self.of_class])

    @property
    def range(self) -> tuple[Floats, Floats]:
        """The smallest and the largest value of each feature; NaN where there is none."""
        lower = np.fmin.reduce([one.moments.lower for one in self.of_class])
        upper = np.fmax.reduce([one.moments.upper for one in self.of_class])
        return lower, upper

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Mask of the features with missing values."""
        return np.any([one.moments.has_missing for one in self.of_class], axis=0)

    def merge(self, other: "Summary") -> "Summary":
        """Together with the samples of another summary."""
        if _holds_text(self.classes) != _holds_text(other.classes):
            raise ValueError(
                "y has labels of different kinds (numbers, text); give all as whole numbers, or "
                "all as text."
            )
        found = dict(zip(self.classes.tolist(), self.of_class, strict=True))
        for label, one in zip(other.classes.tolist(), other.of_class, strict=True):
            found[label] = found[label].merge(one) if label in found else one
        reject_many_classes(len(found))
        classes, _ = encode_classes(np.concatenate([self.classes, other.classes]))
        return Summary(classes, tuple(found[label] for label in classes.tolist()))

    def keep(self, is_kept: NDArray[np.bool_]) -> "Summary":
        """The summary of some of the classes."""
        some = zip(self.of_class, is_kept.tolist(), strict=True)
        return Summary(self.classes[is_kept], tuple(one for one, kept in some if kept))

    def find_factors(self, class_weight: ClassWeight) -> Floats:
        """What the samples of each class are to be multiplied by; 0 for a class left out."""
        if class_weight is None:
            factors = np.ones(len(self.classes))
        else:
            factors = row_weights(self.weights, class_weight, self.classes) / self.weights
        with np.errstate(over="ignore", under="ignore"):
            ends = [(one.min_weight, one.max_weight) for one in self.of_class]
            reject_extreme_weights(np.ravel(ends) * np.repeat(factors, 2))
        return factors

    def times(self, factors: Floats) -> "Summary":
        """The same samples, those of each class multiplied by a factor above 0."""
        some = zip(self.of_class, factors.tolist(), strict=True)
        return Summary(self.classes, tuple(one.times(factor) for one, factor in some))

    def count_moments(self, factors: Floats | None = None) -> ClassMoments:
        """The moments of all samples, with counts of samples in place of weights.

        The samples of a class count ``factors`` times in the variance inside the classes.
        """
        weighed = self if factors is None else self.times(factors)
        moments = [one.moments for one in weighed.of_class]
        lower, upper = self.range
        has_missing = self.has_missing
        counts = np.concatenate([one.counts for one in moments])
        if not has_missing.any():  # one column of counts is that of all
            counts = np.broadcast_to(counts[:, :1].copy(), counts.shape)
        squares = np.sum([one.within_squares for one in moments], axis=0)
        combined = ClassMoments(
            counts, self.means, squares, lower, upper, has_missing, weighed.weights
        )
        per_weight = np.full(len(self.classes), self.per_weight)
        return count_samples(combined, per_weight if factors is None else per_weight / factors)

    def join_classes(self) -> ClassMoments:
        """The moments of all samples as one class, by the weights as they came."""
        with np.errstate(all="ignore"):
            return reduce(merge_moments, [one.moments for one in self.of_class])

    def as_state(self) -> dict[str, Any]:
        """All of it as plain arrays and numbers, so that a persisted selector names no class."""
        of_class = [{**one._asdict(), "moments": one.moments._asdict()} for one in self.of_class]
        return {"classes": self.classes, "of_class": of_class}

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> Self:
        """What :meth:`as_state` has made plain."""
        of_class = (
            ClassSummary(**{**one, "moments": ClassMoments(**one["moments"])})
            for one in state["of_class"]
        )
        return cls(state["classes"], tuple(of_class))


def merge_summaries(parts: Sequence[Summary | None]) -> Summary | None:
    """One summary of all, taken in their order; None if no sample is in any."""
    filled = [part for part in parts if part is not None]
    with np.errstate(all="ignore"):  # infinity is reported by whoever sees the ranges
        return reduce(Summary.merge, filled) if filled else None


def reject_many_classes(n_classes: int, source: str = "y") -> None:
    """Raise if there are so many different labels that they can be no classes."""
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"{source} has {n_classes} different values, more than {MAX_CLASSES} classes; give "
            "the column that holds the classes."
        )


def _holds_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind not in "biuf"
