"""The PairCover estimator."""

from collections.abc import Iterable
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from s2fs._core.pairs import Moments
from s2fs._core.weights import (
    ClassWeight,
    check_sample_weight,
    class_factors,
    counting_factor,
    reject_extreme_weights,
)
from s2fs._engine.copies import Copies
from s2fs._engine.native_pairs import NativeCorrelations, cover_of, moments_of
from s2fs._engine.pairs import Cover, checked, counted, merged, spread_out
from s2fs._engine.twins import CorrelationsOf, are_copies
from s2fs._selectors.base import Search, SearchSelector
from s2fs._util.inputs import check_labels
from s2fs._util.tables import as_table
from s2fs._util.types import Floats, HowMany, Indices

_PAIRS = np.dtype(
    [
        ("feature", np.intp),
        ("first", np.intp),
        ("second", np.intp),
        ("before", np.float64),
        ("after", np.float64),
    ]
)


def _takes_batches(selector: Any) -> bool:
    """Whether rows may come in batches; if not, the error says why."""
    if selector.correlation != 0:
        raise AttributeError(
            f"partial_fit needs correlation=0, but it is {selector.correlation!r}: that takes all "
            "rows at every step; use fit."
        )
    if selector.max_correlation is not None:
        raise AttributeError(
            f"partial_fit cannot serve max_correlation={selector.max_correlation}, which takes all "
            "rows at every step; use fit."
        )
    if selector.class_weight is not None or selector.n_features_to_select == "auto":
        raise AttributeError(
            "partial_fit cannot serve class_weight or n_features_to_select='auto', which need all "
            "rows at once; use fit."
        )
    return True


class Seen(NamedTuple):
    """What :meth:`PairCover.partial_fit` knows of the rows so far.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    known : Moments
        The moments, by the weights as they came.
    n_samples : int
        Rows with a weight above 0.
    weight, lightest, heaviest : float
        The sum of their weights, the smallest and the largest of them.
    """

    classes: NDArray[Any]
    known: Moments
    n_samples: int
    weight: float
    lightest: float
    heaviest: float

    def joined(self, more: "Seen") -> "Seen":
        """With more rows, of the same classes or new ones among them."""
        lightest, heaviest = (
            min(self.lightest, more.lightest),
            max(self.heaviest, more.heaviest),
        )
        reject_extreme_weights(np.array([lightest, heaviest]))
        return Seen(
            more.classes,
            merged(spread_out(self.known, self.classes, more.classes), more.known),
            self.n_samples + more.n_samples,
            self.weight + more.weight,
            lightest,
            heaviest,
        )

    def counted(self) -> Moments:
        """The moments with counts of samples."""
        factor = counting_factor(self.weight, self.n_samples)
        return counted(self.known, np.full(len(self.classes), factor))


class PairCover(SearchSelector):
    """Select features so that every two classes are told apart.

    Greedy forward selection by a bound on the error between every two classes: each step adds the
    feature that lowers the mean bound over all pairs of classes most. A pair that is already far
    apart stops counting, so the next feature is chosen for the pairs that are still close. What a
    feature gains by chance is subtracted. This criterion is our own, not the paper's.

    Parameters
    ----------
    n_features_to_select : int, float, "all" or "auto", default=10
        How many features to select: a number (all if there are fewer), a fraction of the features
        in (0, 1], "all", or "auto": as many as do better than chance, which may be none; see
        ``level``.
    correlation : float or "auto", default="auto"
        How much the correlation of features inside the classes counts, from 0 to 1. Above 0,
        features that repeat what others say count less, and the rows are needed at every step.
        "auto" takes more the further the correlations of the table are above chance, at most 0.5:
        it was better than any fixed value on tables kept apart (``docs/unseen.md``). 0 needs one
        pass over the rows, and is what :meth:`partial_fit` takes.
    search : {"forward", "floating", "beam"}, default="forward"
        As for :class:`S2FS`.
    beam_width : int, default=5
        How many sets ``search="beam"`` follows.
    level, tol : float, default=0.1 and 0.005
        For ``n_features_to_select="auto"``, as for :class:`S2FS`.
    include, exclude : list of str or int, default=None
        Features that are in from the start, in this order, and features that are never chosen; by
        column name or position.
    feature_groups : list of lists, or a label per feature, default=None
        Features that are chosen together, as for :class:`S2FS`.
    max_correlation : float, default=None
        The largest correlation |r| of two selected features, as for :class:`S2FS`.
    costs, budget : array-like of shape (n_features,) and float, default=None
        What each feature costs, and what the selected ones may cost together: in every step only
        features that still fit into the budget are considered.
    max_time : float, default=None
        Seconds after which ``fit`` ends with what it has found, at least one feature, and warns.
    stand_ins : float, default=None
        Also find features that could take the place of a selected one: 0.01 is those with which
        the criterion loses at most 1 %; see ``stand_ins_``.
    class_weight : "balanced" or dict, default=None
        How much the rows of a class count in the variance inside the classes. ``"balanced"`` lets
        every class count alike.
    n_jobs : int, default=None
        Not used; here because every selector has it.
    verbose : int, default=0
        With 1 or more, a progress bar on standard error if that is a terminal.

    Attributes
    ----------
    indices_ : ndarray of shape (n_selected,)
        The selected features in order of choice.
    scores_ : ndarray of shape (n_selected,)
        The criterion Q after each choice: the mean error bound over the pairs is ``exp(-Q)``.
    path_ : structured ndarray of shape (n_selected,)
        Per step ``feature``, ``cover`` (Q), ``gain`` and ``closest``, the separation of the pair of
        classes that is still the closest, as a squared distance in units of the spread.
    pairs_ : structured ndarray of shape (n_selected,)
        Per step ``feature``, the pair of classes whose error bound it lowers most (positions
        ``first`` and ``second`` in ``classes_``), and that bound ``before`` and ``after``.
    separation_ : ndarray of shape (n_classes, n_classes)
        The separation of every two classes by all selected features.
    correlation_ : float
        The ``correlation`` that was used.
    stand_ins_ : list of structured ndarray
        Only if asked for. For each selected feature, in order of choice, up to 20 others that could
        take its place, the best first: ``feature``, ``score``, the criterion after the swap, and
        ``r``, the correlation of the two. A column of ``ranking_table`` names them.
    ranking_, support_, classes_, n_features_in_, feature_names_in_
        As for :class:`S2FS`.

    Notes
    -----
    Missing values (NaN) are left out of sums and counts, feature by feature and class by class, and
    the fewer values a feature has, the more of its gain counts as chance. Equal gains go to the
    smaller feature index. Constant features, and exact copies of a selected feature, wait until no
    other is left. Sums over rows can be taken in batches, see :meth:`partial_fit`, but copies are
    not told there. The sum of the weights is the number of samples; weights that sum to less than
    the number of rows are scaled to it.

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
    _score_name: ClassVar[str] = "cover"
    _part_names: ClassVar[tuple[str, ...]] = ("closest",)
    _allow_nan: ClassVar[bool] = True
    _sturdier: ClassVar[str] = ""
    algorithm_version: ClassVar[int] = 2
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchSelector._parameter_constraints,
        "correlation": [Interval(Real, 0, 1, closed="both"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        n_features_to_select: HowMany | Literal["auto"] = 10,
        *,
        correlation: float | Literal["auto"] = "auto",
        search: Search = "forward",
        beam_width: int = 5,
        level: float = 0.1,
        tol: float = 0.005,
        include: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        feature_groups: Iterable[Any] | None = None,
        max_correlation: float | None = None,
        costs: ArrayLike | None = None,
        budget: float | None = None,
        max_time: float | None = None,
        stand_ins: float | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.correlation = correlation
        self.search = search
        self.beam_width = beam_width
        self.level = level
        self.tol = tol
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.max_correlation = max_correlation
        self.costs = costs
        self.budget = budget
        self.max_time = max_time
        self.stand_ins = stand_ins
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose

    @available_if(_takes_batches)
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take in a batch of rows, and select from all rows seen so far.

        The result is that of :meth:`fit` on all batches together, except that exact copies of a
        feature may be selected, since batches are not kept. Not available with a
        ``correlation`` above 0, a ``class_weight`` or "auto", which need all rows at once.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features; NaN is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), optional
            Labels that will come, for a first batch that holds one class only.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        Self
            The fitted selector.
        """
        self._validate_params()
        seen: Seen | None = getattr(self, "_seen", None)
        X, y = self._validate(X, y, reset=seen is None)
        labels = [y, *([] if classes is None else [check_labels(classes, "classes")])]
        self._encode(np.concatenate(labels if seen is None else [seen.classes, *labels]))
        codes = np.searchsorted(self.classes_, y)
        weight = check_sample_weight(sample_weight, len(y))
        counts = np.flatnonzero(weight)
        X, codes, weight = X[counts], codes[counts], weight[counts]
        known = moments_of(X, codes, len(self.classes_), weight)
        found = Seen(self.classes_, known, len(weight), weight.sum(), weight.min(), weight.max())
        self._seen = found if seen is None else seen.joined(found)
        choices, k = self._to_choose()
        criterion = cover_of(self._seen.counted())
        return self._record(criterion, self._steps(criterion, k, choices), k)

    def coverage(self) -> Any:
        """Return the error bound of every two classes, as a table of classes × classes.

        Returns
        -------
        DataFrame or structured ndarray
            ``exp(-separation / 8)`` for the selected features; 1 where two classes cannot be told
            apart, as on the diagonal. The first column names the class.
        """
        check_is_fitted(self)
        bound = np.exp(-self.separation_ / 8)
        names = [str(label) for label in self.classes_]
        return as_table({"class": np.array(names), **dict(zip(names, bound.T, strict=True))})

    def _row_weights(self, sample_weight: Any, y: NDArray[Any]) -> Floats | None:
        """How many samples each row stands for; the weights of the classes follow later."""
        weight = super()._row_weights(sample_weight, y)
        if weight is None or (sample_weight is None and weight.all()):
            return None
        samples = np.where(weight > 0, check_sample_weight(sample_weight, len(y)), 0.0)
        factor = counting_factor(float(samples.sum()), int(np.count_nonzero(samples)))
        if factor > 1 and samples.min() == samples.max():
            return None  # 1 each, without the rounding
        return samples * factor

    def _criterion(self, X: Any, codes: Indices, sample_weight: Floats | None) -> Cover:
        p, weight = len(self.classes_), sample_weight
        if self.class_weight is None:
            known = moments_of(X, codes, p, weight)
        else:
            samples = np.ones(len(codes)) if sample_weight is None else sample_weight
            of_class = np.bincount(codes, samples, p).astype(np.float64)
            factors = class_factors(self.class_weight, of_class, self.classes_.tolist())
            factors *= of_class.sum() / (of_class @ factors)
            weight = samples * factors[codes]
            known = counted(moments_of(X, codes, p, weight), 1 / factors)
        copies = Copies(checked(known), partial(are_copies, X, sample_weight))
        if self.correlation == 0:
            return cover_of(known, copies=copies)
        products = NativeCorrelations(X, codes, known, weight)
        return cover_of(known, self.correlation, products, copies)

    def _criterion_on_cluster(
        self, client: Any, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Cover, CorrelationsOf | None]:
        from s2fs.distributed import cluster_cover  # loads Dask

        criterion, classes, overall = cluster_cover(self, client, X, y, sample_weight)
        self._encode(classes)
        return criterion, overall

    def _explain(self, criterion: Cover) -> None:
        self.correlation_ = float(criterion.correlation)
        p, k = len(self.classes_), len(self.indices_)
        first, second = np.triu_indices(p, k=1)
        bounds = np.exp(-np.array([np.zeros(len(first)), *criterion.separations[:k]]) / 8)
        served = (bounds[:-1] - bounds[1:]).argmax(axis=1)
        steps = np.arange(k)
        self.pairs_ = np.empty(k, dtype=_PAIRS)
        self.pairs_["feature"] = self.indices_
        self.pairs_["first"], self.pairs_["second"] = first[served], second[served]
        self.pairs_["before"] = bounds[steps, served]
        self.pairs_["after"] = bounds[steps + 1, served]
        self.separation_ = np.zeros((p, p))
        if k:
            self.separation_[first, second] = criterion.separations[k - 1]
            self.separation_ += self.separation_.T
