"""The PairCover estimator."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from s2fs._native.correlated_features import ExactCopies, find_copies
from s2fs._native.pair_cover import AnyPairCover, make_pair_cover
from s2fs._native.summary import summarize
from s2fs._utils.docstrings import substitute
from s2fs._utils.labels import check_labels
from s2fs._utils.messages import format_names
from s2fs._utils.public import set_module
from s2fs._utils.tables import as_table
from s2fs._utils.types import Floats, HowMany
from s2fs.criteria.class_moments import check_squares, count_samples
from s2fs.criteria.ranks import rank_features
from s2fs.criteria.summary import Summary, merge_summaries
from s2fs.criteria.weights import (
    ClassWeight,
    are_small,
    check_sample_weight,
    class_factors,
    count_per_row,
)
from s2fs.search.forward import forward
from s2fs.selectors.available import available_unless
from s2fs.selectors.search_selector import Prepared, SearchSelector
from s2fs.selectors.shared_docs import SHARED_DOCS
from s2fs.selectors.sources import ALL_SAMPLES, InBatches, InMemory, Need, Source, Summarized

if TYPE_CHECKING:
    from pandas import DataFrame

_CLASS_PAIRS = np.dtype(
    [
        ("feature", np.intp),
        ("first", np.intp),
        ("second", np.intp),
        ("before", np.float64),
        ("after", np.float64),
    ]
)


def _why_no_batches(selector: "PairCover") -> str:
    """Why the samples cannot come in batches, or nothing."""
    return InBatches.find_refusal(selector._list_needs())


@set_module("s2fs")
@substitute(SHARED_DOCS)
class PairCover(SearchSelector):
    """Select features so that every two classes are told apart.

    Greedy forward selection by a bound on the error between every two classes: each step adds the
    feature that lowers the mean bound over all class pairs most. Two classes that are already far
    apart stop counting, so the next feature is selected for the class pairs that are still close.
    What a feature without any difference between the classes would gain is subtracted. This
    criterion is our own, not the paper's.

    Parameters
    ----------
    {n_features_to_select}
    correlation : float or "auto", default="auto"
        How much the correlation of features inside the classes counts, from 0 to 1. Above 0,
        features that repeat what others say count less, and the samples are needed at every step.
        "auto": 0 if features are uncorrelated, up to 0.5 if strongly correlated; it was better
        than any fixed value on tables kept apart (``docs/unseen.md``). 0 needs one pass over the
        samples. Where they do not come together, in a Dask collection, a lazy frame or in batches,
        "auto" is 0 and more is refused.
    scale : "rank" or None, default=None
        ``"rank"`` selects by the ranks of each feature on the samples given to ``fit``, with mean
        ranks for equal values, so that only the order of the values counts; ``transform`` returns
        the input values. It can gain where values have long tails or many zeros, and lose
        elsewhere. ``None`` takes the values: the criterion divides by standard deviations itself.
    {level, tol}
    {include, exclude}
    {feature_groups}
    {max_correlation}
    {min_per_class}
    class_weight : "balanced" or dict, default=None
        How much the samples of a class count in the variance inside the classes. ``"balanced"``
        lets every class count alike.
    {n_jobs}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        The criterion Q after each selection: the mean error bound over the class pairs is
        ``exp(-Q)``.
    path_ : structured ndarray of shape (n_selected,)
        Per step ``feature``, ``cover`` (Q), ``gain`` and ``closest``, the class distance of
        the two classes that are still the closest.
    class_pairs_ : structured ndarray of shape (n_selected,)
        Per step ``feature``, the class pair whose error bound it lowers most (positions
        ``first`` and ``second`` in ``classes_``), and that bound ``before`` and ``after``.
    class_distances_ : ndarray of shape (n_classes, n_classes)
        The class distance of every two classes by all selected features: squared, in units of the
        within-class s.d., and corrected for noise.
    correlation_ : float
        The ``correlation`` that was used: of "auto" what was found, and 0 where the samples did not
        come together.
    {fitted}

    Notes
    -----
    Missing values (NaN) are left out of sums and counts, feature by feature and class by class, and
    a feature with few values counts as much as a complete one of equal evidence. Equal gains go to
    the smaller feature index. Constant features, and exact copies of a selected feature, wait until
    no other is left. Samples can come in batches, see :meth:`partial_fit`, but copies are not told
    there. The sum of the weights is the number of samples; weights that sum to less than that are
    scaled to it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import PairCover
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = PairCover(3).fit(X, y)
    >>> selector.feature_names_.tolist()
    ['flavanoids', 'proline', 'color_intensity']
    """

    _label: ClassVar[str] = "PairCover"
    _leaves_out_small_classes: ClassVar[bool] = True
    _score_name: ClassVar[str] = "cover"
    _part_names: ClassVar[tuple[str, ...]] = ("closest",)
    #: What batches have told, after ``partial_fit``.
    _seen: dict[str, Any]
    _allow_nan: ClassVar[bool] = True
    _robust_alternative: ClassVar[str] = ""
    algorithm_version: ClassVar[int] = 3
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchSelector._parameter_constraints,
        "correlation": [Interval(Real, 0, 1, closed="both"), StrOptions({"auto"})],
        "scale": [StrOptions({"rank"}), None],
    }

    def __init__(
        self,
        n_features_to_select: HowMany | Literal["auto"] = 10,
        *,
        correlation: float | Literal["auto"] = "auto",
        scale: Literal["rank"] | None = None,
        level: float = 0.1,
        tol: float = 0.005,
        include: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        feature_groups: Iterable[Any] | None = None,
        max_correlation: float | None = None,
        min_per_class: int | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            level=level,
            tol=tol,
            include=include,
            exclude=exclude,
            feature_groups=feature_groups,
            max_correlation=max_correlation,
            min_per_class=min_per_class,
            class_weight=class_weight,
            n_jobs=n_jobs,
        )
        self.correlation = correlation
        self.scale = scale

    @available_unless(_why_no_batches)
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take in a batch of samples, and select from all samples seen so far.

        The result is that of ``fit`` with ``correlation=0`` on all batches together, except that
        exact copies of a feature may be selected, since batches are not kept. A class counts from
        its second sample on, and before two classes do, nothing is selected: the selector is not
        fitted. What needs all samples at once is refused: a ``correlation`` above 0, ``scale``,
        ``max_correlation`` and "auto" for the number of features.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features, of one sample or more; NaN is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), optional
            The labels that may come; any other one in ``y`` is an error.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.

        Returns
        -------
        Self
            The selector, fitted if two classes have two samples.
        """
        self._validate_params()
        state: dict[str, Any] | None = getattr(self, "_seen", None)
        seen = None if state is None else Summary.of_state(state)
        X, y = self._validate(X, y, reset=seen is None, in_batches=True)
        if classes is not None:
            _reject_other_labels(y, check_labels(classes, "classes"))
        weight = check_sample_weight(sample_weight, len(y), may_vanish=True)
        counts = weight > 0
        if counts.any():
            batch = summarize(X[counts], y[counts], weight[counts], self._n_threads)
            seen = merge_summaries([seen, batch])
        if seen is None:
            return self
        source = self._open_batches(seen)
        self._seen = seen.as_state()
        if source is None or len(source.classes) < 2:
            return self
        self.classes_ = source.classes
        with catch_warnings():
            if hasattr(self, "indices_"):  # what there is to say was said of the batch before
                simplefilter("ignore")
            constraints, k = self._make_constraints(source)
        criterion = self._make_criterion(source)
        path = self._follow(forward(criterion, k, constraints), criterion, constraints, k)
        return self._set_fitted_attributes(path, criterion, constraints)

    def _open_batches(self, seen: Summary) -> InBatches | None:
        """The samples seen so far of the classes that count, if there are two of these."""
        seen.find_factors(None)  # looks at the weights
        some = seen.keep(~are_small(seen.weights * seen.per_weight))
        if len(some.classes) < 2:
            return None
        class_weight = self.class_weight
        if isinstance(class_weight, Mapping):  # other classes may still come
            known = set(some.classes.tolist())
            class_weight = {name: w for name, w in class_weight.items() if name in known}
        return InBatches(some, class_weight)

    def __sklearn_is_fitted__(self) -> bool:
        if not hasattr(self, "indices_") and hasattr(self, "_seen"):
            raise NotFittedError(
                "PairCover has not yet seen two samples of two classes each, so nothing is "
                "selected; give partial_fit more samples."
            )
        return hasattr(self, "indices_")

    def error_bounds(self) -> "DataFrame":
        """Return the error bound of every two classes, as a table of classes × classes.

        Returns
        -------
        DataFrame or structured ndarray
            ``exp(-class distance / 8)`` for the selected features; 1 where two classes cannot be
            told apart, as on the diagonal. The first column names the class.
        """
        check_is_fitted(self)
        bounds = _bound_errors(self.class_distances_)
        names = [str(label) for label in self.classes_]
        return as_table({"class": np.array(names), **dict(zip(names, bounds.T, strict=True))})

    def _rescale(self, X: Any, sample_weight: Floats | None) -> Any:
        return rank_features(X, sample_weight) if self.scale == "rank" else X

    def _weigh_samples(self, sample_weight: Any, y: NDArray[Any]) -> Floats | None:
        """How many samples each row stands for; the weights of the classes follow later."""
        weight = super()._weigh_samples(sample_weight, y)
        if weight is None or (sample_weight is None and weight.all()):
            return None
        counts = count_per_row(sample_weight, weight > 0)
        least, most = counts.min(), counts.max()
        if least == most and np.isclose(least, 1):
            return None  # 1 each, without the rounding
        return counts

    @property
    def _is_columnwise(self) -> bool:
        return self.correlation != "auto"

    @property
    def _adjusts_sparse(self) -> bool:
        return self.n_features_to_select != "auto"  # whose permutations take rows apart

    def _list_needs(
        self, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> list[Need]:
        needs = super()._list_needs(sample_weight, covariates, groups)
        if self.correlation not in ("auto", 0):
            what = f"correlation={self.correlation!r}"
            needs.append(Need(what, ALL_SAMPLES, "set correlation='auto', which is 0 there"))
        if self.scale is not None:
            needs.append(Need(f"scale={self.scale!r}", ALL_SAMPLES, "leave it None"))
        return needs

    @contextmanager
    def _prepare(self, *data: Any) -> Iterator[Prepared]:
        if hasattr(self, "_seen"):  # a fit begins anew
            del self._seen
        with super()._prepare(*data) as prepared:
            yield prepared

    def _make_criterion(self, source: Source) -> AnyPairCover:
        n_threads = self._n_threads
        if isinstance(source, Summarized):
            moments = source.count_moments()
            return make_pair_cover(moments, copies=source.copies(moments), n_threads=n_threads)
        assert isinstance(source, InMemory)  # for mypy # nosec B101
        X, codes = source.samples.adjusted, source.samples.codes
        sample_weight = weight = source.samples.sample_weight
        n_classes = len(source.classes)
        if self.class_weight is None:
            moments = source.compute_class_moments(weight, n_threads)
        else:
            counts = np.ones(len(codes)) if sample_weight is None else sample_weight
            class_counts = np.bincount(codes, counts, n_classes).astype(np.float64)
            factors = class_factors(self.class_weight, class_counts, source.classes.tolist())
            factors *= class_counts.sum() / (class_counts @ factors)
            weight = counts * factors[codes]
            weighted = source.compute_class_moments(weight, n_threads)
            moments = count_samples(weighted, 1 / factors)
        copies = ExactCopies(check_squares(moments), partial(find_copies, X, sample_weight))
        if self.correlation == 0:
            return make_pair_cover(moments, copies=copies, n_threads=n_threads)
        correlations = source.correlate_within_classes(moments, weight, n_threads)
        return make_pair_cover(moments, self.correlation, correlations, copies, n_threads)

    def _set_criterion_attributes(self, criterion: AnyPairCover) -> None:
        self.correlation_ = float(criterion.correlation)
        n_classes, k = len(self.classes_), len(self.indices_)
        first, second = np.triu_indices(n_classes, k=1)
        # Before the first step no two classes are apart.
        distances = np.array([np.zeros(len(first)), *criterion.class_distances[:k]])
        bounds = _bound_errors(distances)
        served = (bounds[:-1] - bounds[1:]).argmax(axis=1)
        steps = np.arange(k)
        self.class_pairs_ = np.empty(k, dtype=_CLASS_PAIRS)
        self.class_pairs_["feature"] = self.indices_
        self.class_pairs_["first"] = first[served]
        self.class_pairs_["second"] = second[served]
        self.class_pairs_["before"] = bounds[steps, served]
        self.class_pairs_["after"] = bounds[steps + 1, served]
        self.class_distances_ = np.zeros((n_classes, n_classes))
        self.class_distances_[first, second] = distances[-1]
        self.class_distances_ += self.class_distances_.T


def _bound_errors(class_distances: Floats) -> Floats:
    """Bhattacharyya's bound on the error between two Gaussian classes at these distances."""
    return np.exp(-class_distances / 8)


def _reject_other_labels(y: NDArray[Any], classes: NDArray[Any]) -> None:
    """Raise if a sample has a label that was not announced."""
    if others := sorted(set(y.tolist()) - set(classes.ravel().tolist()), key=str):
        raise ValueError(
            f"y has the labels {format_names(others)}, which classes does not have; give classes "
            "all labels that may come, or leave it out."
        )
