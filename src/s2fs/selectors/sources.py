"""Where the samples of a fit are, and what can be asked of them there.

Samples in memory can be asked anything. A Dask collection stays where it is, and is gone through
chunk by chunk; a lazy frame is summed up by the engine that holds it; batches are gone when the
next one comes. Of these a summary of each class is known, and not much else.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._native.class_moments import compute_class_moments
from s2fs._native.correlated_features import ExactCopies
from s2fs._native.correlations import (
    CorrelationsOf,
    OverallCorrelations,
    WithinClassCorrelations,
)
from s2fs._utils.columns import reject_columns
from s2fs._utils.dask_inputs import is_dask
from s2fs._utils.labels import reject_one_class, reject_quantity_of_counts
from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats
from s2fs.criteria.class_moments import ClassMoments, check_squares
from s2fs.criteria.summary import Summary
from s2fs.criteria.weights import TOO_FEW_SAMPLES, ClassWeight, are_small
from s2fs.lazy.copies import LazyCopies
from s2fs.lazy.frames import LazyTable, is_lazy_frame
from s2fs.lazy.moments import query_moments
from s2fs.search.adjusted_sparse import AdjustedSparse
from s2fs.search.samples import Samples

#: What a fit may need that not every source has.
ALL_SAMPLES = "all samples in one place"
EVERY_STEP = "the samples at every step"
CORRELATIONS = "the correlations over all samples"
WEIGHTS = "a weight beside each sample"


class Need(NamedTuple):
    """Something a fit was asked for: what it is called, what it needs, and what to do without."""

    what: str
    needed: str
    remedy: str


class Source(ABC):
    """The samples of a fit.

    Attributes
    ----------
    samples : Samples or None
        The samples themselves, if they are in memory.
    classes : ndarray of shape (n_classes,)
        The labels of the classes that count, sorted.
    small_classes : ndarray
        The labels of those with fewer than two samples by weight, whether they count or not.
    """

    #: Where the samples are, and how to have them in memory, in the words of an error.
    place: ClassVar[str]
    remedy: ClassVar[str]
    #: Which needs are met.
    gives: ClassVar[frozenset[str]]
    samples: Samples | None = None
    classes: NDArray[Any]
    small_classes: NDArray[Any]

    @classmethod
    def find_refusal(cls, needs: Iterable[Need]) -> str:
        """A sentence on the first need that is not met; empty if there is none."""
        for need in needs:
            if need.needed not in cls.gives:
                return (
                    f"{need.what} needs {need.needed}, but {cls.place}; {cls.remedy}, or "
                    f"{need.remedy}."
                )
        return ""

    @abstractmethod
    def class_means(self) -> Floats:
        """The mean of every feature in every class; NaN where a class has no value."""

    def correlations(self) -> CorrelationsOf:
        """Gives for a feature its correlation with every feature, over all samples."""
        raise NotImplementedError

    def close(self) -> None:  # noqa: B027 - most keep nothing elsewhere
        """Let go of what is kept elsewhere for the fit."""


class InMemory(Source):
    """Samples in memory.

    Parameters
    ----------
    samples : Samples
        The samples.
    classes, small_classes : ndarray
        Their labels, sorted, and those of the classes of fewer than two samples.
    """

    place = "X is in memory"
    gives = frozenset({ALL_SAMPLES, EVERY_STEP, CORRELATIONS, WEIGHTS})
    samples: Samples

    def __init__(
        self, samples: Samples, classes: NDArray[Any], small_classes: NDArray[Any]
    ) -> None:
        self.samples, self.classes, self.small_classes = samples, classes, small_classes

    def class_means(self) -> Floats:
        """The mean of every feature in every class; NaN where a class has no value."""
        moments = self.compute_class_moments(self.samples.sample_weight)
        return np.where(moments.counts > 0, moments.means, np.nan)

    def correlations(self) -> CorrelationsOf:
        """Gives for a feature its correlation with every feature, over all samples."""
        X = self.samples.adjusted
        if isinstance(X, AdjustedSparse):
            return X.correlate
        return OverallCorrelations(X, self.samples.sample_weight)

    def compute_class_moments(self, weight: Floats | None, n_threads: int = 1) -> ClassMoments:
        """The moments of the features without what covariates explain."""
        X, codes = self.samples.adjusted, self.samples.codes
        if isinstance(X, AdjustedSparse):
            return X.compute_class_moments(weight, n_threads)
        return compute_class_moments(X, codes, len(self.classes), weight, n_threads)

    def correlate_within_classes(
        self, moments: ClassMoments, weight: Floats | None, n_threads: int = 1
    ) -> WithinClassCorrelations:
        """The correlations inside the classes of a table with these moments."""
        X, codes = self.samples.adjusted, self.samples.codes
        if isinstance(X, AdjustedSparse):
            return X.correlate_within_classes(moments, weight, n_threads)
        return WithinClassCorrelations(X, codes, moments, weight, n_threads)


class Summarized(Source):
    """Samples of which a summary is known, wherever they are.

    Parameters
    ----------
    summary : Summary
        What the samples tell.
    class_weight : "balanced", dict or None
        How much the samples of a class count in the variance inside the classes.
    leaves_out_small : bool
        Whether classes of fewer than two samples do not count.

    Attributes
    ----------
    summary : Summary
        What the samples of the classes that count tell.
    """

    def __init__(
        self, summary: Summary, class_weight: ClassWeight, *, leaves_out_small: bool = True
    ) -> None:
        self.all_classes = summary.classes
        self._n_of_class = np.array([one.n_samples for one in summary.of_class])
        self.factors = summary.find_factors(class_weight)
        is_small = are_small(summary.weights * summary.per_weight)
        self.small_classes = summary.classes[is_small & (self.factors > 0)]
        self.is_kept = (self.factors > 0) & ~(leaves_out_small & is_small)
        self.summary, self.factors = summary.keep(self.is_kept), self.factors[self.is_kept]
        self.classes = self.summary.classes

    def check_classes(self) -> None:
        """Raise if fewer than two classes count, or if the labels are a quantity."""
        if self.all_classes.dtype.kind in "iuf":
            reject_quantity_of_counts(self.all_classes, self._n_of_class, "y")
        if len(self.classes) < 2 and len(self.small_classes):
            raise ValueError(TOO_FEW_SAMPLES)
        left = "" if len(self.all_classes) == 1 else " without the classes of weight 0"
        reject_one_class(self.classes, f"y{left}")

    def count_moments(self) -> ClassMoments:
        """The moments of all samples, with counts of samples in place of weights."""
        is_weighed = (self.factors != 1).any()
        return check_squares(self.summary.count_moments(self.factors if is_weighed else None))

    def copies(self, moments: ClassMoments) -> ExactCopies | None:
        """Tells exact copies of a feature, if the samples can be looked at again."""
        return None

    def class_means(self) -> Floats:
        """The mean of every feature in every class; NaN where a class has no value."""
        counts = np.concatenate([one.moments.counts for one in self.summary.of_class])
        return np.where(counts > 0, self.summary.means, np.nan)


class InBatches(Summarized):
    """Samples that came in batches, and are gone."""

    place = "partial_fit sees them in batches"
    remedy = "use fit"
    gives = frozenset({WEIGHTS})


class OnCluster(Summarized):
    """A Dask collection, on the cluster of the current client or in the care of Dask here.

    Parameters
    ----------
    X : dask array or data frame of shape (n_samples, n_features)
        Numbers, dense or sparse, in chunks of samples.
    y, sample_weight : dask array or series, or array-like, of shape (n_samples,)
        Labels and weights.
    class_weight : "balanced", dict or None
        How much the samples of a class count.
    stay : bool
        Whether the samples stay in the memory of the workers.
    in_every_sum : bool
        Whether the weights of the classes count in every sum, and not only in the variance inside
        the classes.
    allow_nan : bool
        Whether NaN stands for a missing value, or is refused.
    """

    place = "X is a Dask collection"
    remedy = "give X.compute()"
    gives = frozenset({EVERY_STEP, CORRELATIONS, WEIGHTS})

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        class_weight: ClassWeight,
        *,
        stay: bool,
        in_every_sum: bool,
        allow_nan: bool,
    ) -> None:
        from s2fs.dask.samples import ClusterSamples  # loads Dask

        self.cluster_samples = ClusterSamples(X, y, sample_weight, stay=stay)
        self.n_features = self.cluster_samples.n_features
        self.feature_names = self.cluster_samples.feature_names
        try:
            summary = self.cluster_samples.summarize()
            n_samples = 0 if summary is None else summary.n_samples
            if summary is None or n_samples < 2:
                raise ValueError(
                    f"X has {format_count(n_samples, 'sample')} that count; give at least two."
                )
            super().__init__(summary, class_weight, leaves_out_small=not in_every_sum)
            self.check_classes()
            _reject_nonfinite(self.summary, self.feature_names, allow_nan=allow_nan)
            factors = np.zeros(len(self.all_classes))
            factors[self.is_kept] = self.factors if in_every_sum else 1.0
            self.cluster_samples.weigh(self.all_classes, factors)
            if in_every_sum:
                self.summary = self.summary.times(self.factors)
        except BaseException:
            self.close()
            raise

    def copies(self, moments: ClassMoments) -> ExactCopies | None:
        """Tells exact copies of a feature, by one more pass where there may be one."""
        from s2fs.dask.correlations import ClusterCopies

        return ExactCopies(moments, ClusterCopies(self.cluster_samples, self.summary))

    def correlations(self) -> CorrelationsOf:
        """Gives for a feature its correlation with every feature, over all samples."""
        from s2fs.dask.correlations import ClusterCorrelations

        return ClusterCorrelations(self.cluster_samples, self.summary)

    def close(self) -> None:
        """Let go of what is on the cluster."""
        self.cluster_samples.scheduler.close()


class InDatabase(Summarized):
    """A lazy frame, which the engine that holds it sums up.

    Parameters
    ----------
    X : lazy frame
        The table, with the classes in one column.
    y : str
        The name of that column.
    class_weight : "balanced", dict or None
        How much the samples of a class count.
    """

    place = "X is a lazy frame"
    remedy = "collect it"
    gives = frozenset[str]()

    def __init__(self, X: Any, y: Any, class_weight: ClassWeight) -> None:
        self._table = LazyTable.from_native(X, y)
        self.n_features = len(self._table.features)
        self.feature_names = np.array(self._table.features, dtype=object)
        self._queried = query_moments(self._table)
        super().__init__(self._queried.as_summary(), class_weight)
        self.check_classes()
        _reject_nonfinite(self.summary, self._table.features, allow_nan=True)

    def copies(self, moments: ClassMoments) -> ExactCopies | None:
        """Tells exact copies of a feature, by a query about the few that may be one."""
        return ExactCopies(moments, LazyCopies(self._table, self._queried, self.is_kept))

    def class_means(self) -> Floats:
        """The mean of every feature in every class; NaN where a class has no value."""
        return super().class_means() + self._queried.shift


def find_place(X: Any) -> type[Source]:
    """Where the samples of a table are."""
    if is_dask(X):
        return OnCluster
    return InDatabase if is_lazy_frame(X) else InMemory


def _reject_nonfinite(summary: Summary, names: Any, *, allow_nan: bool) -> None:
    """Raise if a feature holds infinity, or NaN unless that is allowed."""
    lower, upper = summary.range
    wrong = {"infinity": (lower == -np.inf) | (upper == np.inf)}
    if not allow_nan:
        wrong["NaN"] = summary.has_missing
    columns = {value: np.flatnonzero(mask).tolist() for value, mask in wrong.items()}
    reject_columns(columns, names, len(lower))
