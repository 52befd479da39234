"""Samples that come in batches: what PairCover keeps of those it has seen."""

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs.criteria.class_moments import (
    ClassMoments,
    count_samples,
    expand_classes,
    merge_moments,
)
from s2fs.criteria.weights import counting_factor, reject_extreme_weights


class SeenSamples(NamedTuple):
    """What is known of the samples seen so far.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    moments : ClassMoments
        The moments, by the weights as they came.
    n_samples : int
        Samples with a weight above 0.
    weight, min_weight, max_weight : float
        The sum of their weights, the smallest and the largest of them.
    """

    classes: NDArray[Any]
    moments: ClassMoments
    n_samples: int
    weight: float
    min_weight: float
    max_weight: float

    def merge(self, batch: "SeenSamples") -> "SeenSamples":
        """Together with a later batch, which knows all classes seen so far."""
        min_weight = min(self.min_weight, batch.min_weight)
        max_weight = max(self.max_weight, batch.max_weight)
        reject_extreme_weights(np.array([min_weight, max_weight]))
        own = expand_classes(self.moments, self.classes, batch.classes)
        return SeenSamples(
            batch.classes,
            merge_moments(own, batch.moments),
            self.n_samples + batch.n_samples,
            self.weight + batch.weight,
            min_weight,
            max_weight,
        )

    def as_state(self) -> dict[str, Any]:
        """All of it as plain arrays and numbers, so that a persisted selector names no class."""
        return {**self._asdict(), "moments": self.moments._asdict()}

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> "SeenSamples":
        """What :meth:`as_state` has made plain."""
        return cls(**{**state, "moments": ClassMoments(**state["moments"])})

    def count_moments(self) -> ClassMoments:
        """The moments with counts of samples in place of weights."""
        factor = counting_factor(self.weight, self.n_samples)
        return count_samples(self.moments, np.full(len(self.classes), factor))


class available_unless:  # noqa: N801 - a decorator
    """Hide a method where there is a reason to; the AttributeError tells it.

    As scikit-learn's ``available_if``, but whoever calls the method reads why it is not there.
    """

    def __init__(self, find_reason: Callable[[Any], str]) -> None:
        self._find_reason = find_reason

    def __call__(self, method: Callable[..., Any]) -> "available_unless":
        """Take the method."""
        self._method = method
        update_wrapper(self, method)
        return self

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self._method
        if reason := self._find_reason(instance):
            raise AttributeError(reason)
        return MethodType(self._method, instance)
