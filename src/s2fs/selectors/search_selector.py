"""The base of the selectors that search forward by a criterion: ``fit`` on one page."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from s2fs._native.correlated_features import CorrelatedFeatures
from s2fs._utils.arguments import Argument, ArgumentError
from s2fs._utils.labels import encode_classes, reject_quantity
from s2fs._utils.messages import format_names
from s2fs._utils.public import claim_method
from s2fs._utils.tables import as_table
from s2fs._utils.types import Floats
from s2fs._utils.warn import warn_user
from s2fs.criteria.covariates import check_complete, covariate_columns, encode_covariates
from s2fs.criteria.protocol import Criterion
from s2fs.criteria.weights import (
    TOO_FEW_SAMPLES,
    ClassWeight,
    are_small,
    count_per_row,
    row_weights,
)
from s2fs.search.canonical_order import sort_canonically
from s2fs.search.constraints import (
    Constraints,
    count_to_select,
    find_served_classes,
    resolve_constraints,
)
from s2fs.search.forward import Step, forward
from s2fs.search.samples import Samples, check_groups
from s2fs.search.stopping import PermutationStop
from s2fs.search.substitutes import Substitutes, find_substitutes
from s2fs.selectors.base import RankingSelector, list_given, name_features
from s2fs.selectors.callbacks import CallbackSupportMixin, iterate_with_callbacks
from s2fs.selectors.sources import (
    ALL_SAMPLES,
    CORRELATIONS,
    EVERY_STEP,
    WEIGHTS,
    InDatabase,
    InMemory,
    Need,
    OnCluster,
    Source,
    find_place,
)

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Prepared:
    """What a search begins with.

    Attributes
    ----------
    selector : SearchSelector
        Whose search it is.
    source : Source
        The samples, wherever they are.
    constraints : Constraints
        What may be selected.
    k : int
        How many features are asked for.
    """

    selector: "SearchSelector"
    source: Source
    constraints: Constraints
    k: int

    def make_criterion(self) -> Any:
        """The criterion of the empty subset."""
        return self.selector._make_criterion(self.source)

    def warn_if_short(self, n_selected: int) -> None:
        """Warn if ``max_correlation`` left fewer features than were asked for."""
        self.selector._warn_if_short(n_selected, self.k)


class SearchSelector(CallbackSupportMixin, RankingSelector):
    """Base of the selectors that search for a set of features by a criterion.

    A subclass says which criterion, by :meth:`_make_criterion`, and how its path is called, by
    ``_score_name`` and ``_part_names``. Its constructor has the parameters of this one and its own.
    Search, constraints, weights, "auto" and callbacks are here.
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
    _takes_integers: ClassVar[bool] = True
    #: What callbacks call a step.
    _label: ClassVar[str]
    #: The columns of ``path_``: the criterion, and the quantities it is made of.
    _score_name: ClassVar[str]
    _part_names: ClassVar[tuple[str, ...]]
    #: Whether classes of fewer than two samples are left out, or kept and warned of.
    _leaves_out_small_classes: ClassVar[bool] = False
    #: Whether the criterion asks the samples at every step, and not only for class moments.
    _needs_every_step: ClassVar[bool] = False
    #: The smallest p-value that "auto" could have found on the samples of the last fit.
    _smallest_p_value: float = 0.0
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            *RankingSelector._parameter_constraints["n_features_to_select"],
            StrOptions({"auto"}),
        ],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "include": ["array-like", None],
        "exclude": ["array-like", None],
        "feature_groups": ["array-like", None],
        "max_correlation": [Interval(Real, 0, 1, closed="both"), None],
        "min_per_class": [Interval(Integral, 1, None, closed="left"), None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: Any = 10,
        *,
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
        self.n_features_to_select = n_features_to_select
        self.level = level
        self.tol = tol
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.max_correlation = max_correlation
        self.min_per_class = min_per_class
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        claim_method(cls, "fit")

    @property
    def _n_threads(self) -> int:
        """The threads of a long step: more than there are cores would only take memory."""
        n_jobs = effective_n_jobs(self.n_jobs)
        return 1 if n_jobs == 1 else min(n_jobs, cpu_count())  # to count cores takes a while

    @property
    def _is_columnwise(self) -> bool:
        """Whether the score of a set of features depends on no feature outside of it."""
        return True

    @property
    def _adjusts_sparse(self) -> bool:
        """Whether a sparse table can be adjusted for categories."""
        return False

    @abstractmethod
    def _make_criterion(self, source: Source) -> Criterion:
        """The criterion of the empty subset, of samples wherever they are."""

    def _open_collection(self, X: Any, y: Any, sample_weight: Any) -> OnCluster:
        """The samples of a Dask collection, as the criterion needs them."""
        return OnCluster(
            X,
            y,
            sample_weight,
            self.class_weight,
            stay=self._needs_every_step or self.max_correlation is not None,
            in_every_sum=self._needs_every_step,
            allow_nan=self._allow_nan,
        )

    def _list_needs(
        self, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> list[Need]:
        """What a fit with these arguments needs beside the class moments."""
        limit, name = self.max_correlation, type(self).__name__
        asked = {
            Need("sample_weight", WEIGHTS, "leave it out"): sample_weight is not None,
            Need("covariates", ALL_SAMPLES, "leave them out"): covariates is not None,
            Need("groups", ALL_SAMPLES, "leave them out"): groups is not None,
            Need("n_features_to_select='auto'", ALL_SAMPLES, "give a number of features"): (
                self.n_features_to_select == "auto"
            ),
            Need(f"max_correlation={limit}", CORRELATIONS, "leave it out"): limit is not None,
            Need(name, EVERY_STEP, "use PairCover"): self._needs_every_step,
        }
        return [need for need, is_asked in asked.items() if is_asked]

    def _set_criterion_attributes(self, criterion: Any) -> None:
        """Set fitted attributes that only this criterion has, after ``path_`` is set."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        covariates: Any = None,
        groups: Any = None,
    ) -> Self:
        """Select features of ``X`` that tell the classes ``y`` apart.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features; PairCover takes NaN as missing, others refuse it. Small integers and
            truth values, such as genotypes as int8, are not copied as float64. A Dask array or data
            frame stays where it is: on the cluster of the current ``distributed.Client``, or in the
            care of Dask in this process. So does a lazy frame, such as a DuckDB relation, which
            PairCover takes. What needs all samples in one place is refused for both.
        y : array-like of shape (n_samples,), or str
            Class labels, at least two distinct ones; of a lazy frame the name of their column.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts: weight 2 is two equal samples, weight 0 is none.
        covariates : array-like or data frame of shape (n_samples,) or (n_samples, n_covariates), \
optional
            What else is known of each sample, such as the laboratory it was measured in or the age
            of the patient. What covariates explain is taken away, so a feature that only tells
            laboratories apart is not selected. Columns of integers and floats are numbers, and
            each has a straight line as its effect; text, booleans, categories and objects are
            categories. Turn numbers that stand for categories into text. A sparse table is adjusted
            for categories by PairCover, which leaves it sparse. The classes must share
            covariate values: each needs samples in a category that has another class, too.
        groups : array-like of shape (n_samples,), optional
            Samples that belong together, such as those of one patient. Only "auto" uses them: its
            permutations move whole groups that have one class each, and stay inside groups that
            have several.

        Returns
        -------
        Self
            The fitted selector.
        """
        return self._fit(X, y, sample_weight, covariates, groups)

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        covariates: Any = None,
        groups: Any = None,
        *,
        warn: bool = True,
    ) -> Self:
        """Do what :meth:`fit` does; a fit that is one of many does not warn of what it selects."""
        if warn and y is not None and find_place(X) is InMemory:
            reject_quantity(y)
        self._fitted_with = list_given(sample_weight=sample_weight, covariates=covariates)
        with self._prepare(X, y, sample_weight, covariates, groups) as prepared:
            source, constraints, k = prepared.source, prepared.constraints, prepared.k
            if self.n_features_to_select == "auto":
                criterion, steps = self._search_open_end(source, constraints)
            else:
                criterion = prepared.make_criterion()
                steps = forward(criterion, k, constraints)
            is_constant = not criterion.distinct.any()
            path = self._follow(steps, criterion, constraints, k)
        self._set_fitted_attributes(path, criterion, constraints)
        if warn:
            self._warn_if_constant(is_constant=is_constant)
            prepared.warn_if_short(self._n_selected)
            self._warn_if_none_selected()
            self._warn_small_classes(source.small_classes)
            if (samples := source.samples) is not None:
                self._warn_fragile(samples.adjusted, samples.codes, samples.sample_weight)
        return self

    @contextmanager
    def _prepare(
        self, X: Any, y: Any, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> Iterator[Prepared]:
        """What a search begins with; what it keeps elsewhere is let go of at the end."""
        place = find_place(X)
        if refusal := place.find_refusal(self._list_needs(sample_weight, covariates, groups)):
            raise ValueError(refusal)
        source: Source
        if place is InMemory:
            samples, small = self._check_samples(X, y, sample_weight, covariates, groups)
            source = InMemory(samples, self.classes_, small)
        else:
            elsewhere: OnCluster | InDatabase
            if place is OnCluster:
                elsewhere = self._open_collection(X, y, sample_weight)
            else:
                elsewhere = InDatabase(X, y, self.class_weight)
            source = elsewhere
            self._take_columns(elsewhere.n_features, elsewhere.feature_names)
            self.classes_ = source.classes
        try:
            yield Prepared(self, source, *self._make_constraints(source))
        finally:
            source.close()

    def _take_columns(self, n_features: int, names: Any) -> None:
        """Set what scikit-learn's checks set of a table in memory."""
        self.n_features_in_ = n_features
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _search_open_end(
        self, source: Source, constraints: Constraints
    ) -> tuple[Criterion, Iterator[Step]]:
        """The search that ends where permuted features do as well."""
        assert source.samples is not None  # for mypy # nosec B101
        search = PermutationStop(
            sort_canonically(source.samples),
            lambda *some: self._make_criterion(
                InMemory(Samples(*some), source.classes, source.small_classes)
            ),
            self.level,
            self.tol,
            is_columnwise=self._is_columnwise,
        )
        self._smallest_p_value = search.smallest_p_value
        criterion = search.start()
        return criterion, search.forward(criterion, constraints)

    def _check_samples(
        self, X: Any, y: Any, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> tuple[Samples, NDArray[Any]]:
        """Check the input, encode classes and covariates, and drop samples that do not count.

        Those have the weight 0, or are of a class that is left out. Also returned are the labels of
        the classes with fewer than two samples.
        """
        X, y = self._validate(X, y)
        table = None if covariates is None else covariate_columns(covariates, len(y))
        groups = None if groups is None else check_groups(groups, len(y))
        weight = self._weigh_samples(sample_weight, y)
        is_small, small = self._find_small_classes(
            y, None if weight is None else count_per_row(sample_weight, weight > 0)
        )
        counts = ~(is_small & self._leaves_out_small_classes)
        if weight is not None:
            counts &= weight > 0
        if not counts.all():
            X, y = X[counts], y[counts]
            weight = None if weight is None else weight[counts]
            table = None if table is None else table[counts]
            groups = None if groups is None else groups[counts]
        X = self._rescale(X, weight)
        codes = self._encode(y)
        if table is None:
            return Samples(X, codes, weight, groups=groups), small
        covariates = encode_covariates(table, codes)
        check_complete(X, takes_sparse=self._adjusts_sparse and not covariates.has_numbers)
        return Samples(X, codes, weight, covariates, groups), small

    def _find_small_classes(
        self, y: NDArray[Any], n_samples: Floats | None
    ) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Which rows are of classes with fewer than two samples, and the labels of these.

        ``n_samples`` says how many samples each row stands for; None is 1 each.
        """
        classes, codes = encode_classes(y)
        counts = np.bincount(codes, n_samples).astype(np.float64)
        is_small = are_small(counts)
        if self._leaves_out_small_classes and is_small.any() and (~is_small).sum() < 2:
            if np.count_nonzero(counts) > 1:
                raise ValueError(TOO_FEW_SAMPLES)
            is_small[:] = False  # a single class is refused as such
        return is_small[codes], classes[is_small & (counts > 0)]

    def _warn_small_classes(self, small: NDArray[Any]) -> None:
        """Warn of classes with fewer than two samples, which are left out or rest on one."""
        if not len(small):
            return
        one = len(small) == 1
        have = "Class {} has" if one else "Classes {} have"
        if self._leaves_out_small_classes:
            end = f"{'it is' if one else 'they are'} left out"
        else:
            end = f"what tells {'it' if one else 'each'} apart rests on one sample"
        warn_user(f"{have.format(format_names(small))} fewer than two samples, so {end}.")

    def _rescale(self, X: Any, sample_weight: Floats | None) -> Any:
        """The features as the search is to see them."""
        return X

    def _weigh_samples(self, sample_weight: Any, y: NDArray[Any]) -> Floats | None:
        """How much each sample counts; None is 1 each."""
        if sample_weight is None and self.class_weight is None:
            return None
        return row_weights(sample_weight, self.class_weight, y)

    def _make_constraints(self, source: Source) -> tuple[Constraints, int]:
        """What may be selected of the features seen, and how many of them."""
        m = self.n_features_in_
        constraints = resolve_constraints(
            self.include, self.exclude, self.feature_groups, m, self._input_names()
        )
        k = count_to_select(constraints, self.n_features_to_select, m)
        if self.max_correlation is not None:
            correlated = CorrelatedFeatures(source.correlations(), self.max_correlation)
            constraints = constraints.limit_correlation(correlated)
        if self.min_per_class is not None:
            if self.n_features_to_select == "auto":
                raise ArgumentError(
                    Argument("min_per_class", bare=True),
                    " and ",
                    Argument("n_features_to_select", "auto", bare=True),
                    " cannot be met together; give a number of features.",
                )
            groups = (*constraints.included, *constraints.groups)
            served = find_served_classes(source.class_means(), groups)
            names = self.classes_.tolist()
            constraints = constraints.with_quota(self.min_per_class, served, names, k)
        return constraints, k

    def _follow(
        self, steps: Iterable[Step], criterion: Criterion, constraints: Constraints, k: int
    ) -> list[Step]:
        """Take the steps of a search for ``k`` features, while callbacks follow."""
        path: list[Step] = []
        most = constraints.count_columns(k)

        def partial_attributes() -> dict[str, Any]:
            partial = copy(self)._set_fitted_attributes(path, criterion, constraints)
            return {name: value for name, value in vars(partial).items() if name.endswith("_")}

        for step in iterate_with_callbacks(self, steps, most, self._label, partial_attributes):
            path.append(step)  # noqa: PERF402 - callbacks ask for what is there
        return path

    def _set_fitted_attributes(
        self, path: list[Step], criterion: Criterion, constraints: Constraints
    ) -> Self:
        """Set all that follows from the steps of a search."""
        measures = [self._score_name, "gain", *self._part_names]
        if self.n_features_to_select == "auto":
            measures.append("p_value")
        fields = [("feature", np.intp), *((name, np.float64) for name in measures)]
        rows = [(step.feature, step.score, step.gain, *step.parts) for step in path]
        self.path_ = np.array(rows, dtype=fields)
        self._set_ranking(self.path_["feature"].copy(), self.path_[self._score_name].copy())
        if constraints.quota is not None:
            self.served_classes_ = constraints.quota.served_class[self.indices_]
        self._set_criterion_attributes(criterion)
        return self

    def substitutes(
        self,
        X: Any,
        y: Any,
        tolerance: float = 0.01,
        *,
        sample_weight: ArrayLike | None = None,
        covariates: Any = None,
    ) -> "DataFrame":
        """Find the features that could take the place of a selected one.

        A substitute keeps the criterion of all selected features, with it in the place of the
        selected one, up to the share ``tolerance``. The constraints of the selector hold for it,
        too; features of a group have none.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            The features the selector was fitted on.
        y : array-like of shape (n_samples,)
            The class labels.
        tolerance : float, default=0.01
            The share of the criterion that may be lost, from 0 to below 1.
        sample_weight : array-like of shape (n_samples,), optional
            As given to ``fit``.
        covariates : array-like or data frame, optional
            As given to ``fit``.

        Returns
        -------
        DataFrame or structured ndarray
            A row for each selected feature and substitute, at most 20 for a feature, the best
            first: ``feature`` and ``substitute`` by name, the ``score`` with the substitute, and
            ``r``, the correlation of the two.
        """
        found = self._find_substitutes(
            X, y, tolerance, sample_weight=sample_weight, covariates=covariates
        )
        counts = [len(one.features) for one in found]
        substitutes = np.concatenate([np.arange(0), *(one.features for one in found)])
        return as_table(
            {
                "feature": np.repeat(self.feature_names_, counts).astype(str),
                "substitute": name_features(substitutes, self._input_names()).astype(str),
                "score": np.concatenate([np.zeros(0), *(one.scores for one in found)]),
                "r": np.concatenate([np.zeros(0), *(one.correlations for one in found)]),
            }
        )

    def _find_substitutes(
        self,
        X: Any,
        y: Any,
        tolerance: float = 0.01,
        *,
        sample_weight: ArrayLike | None = None,
        covariates: Any = None,
    ) -> list[Substitutes]:
        """The substitutes of each selected feature, by position."""
        check_is_fitted(self)
        if not 0 <= tolerance < 1:
            raise ValueError(f"tolerance is {tolerance!r}; give a share from 0 to below 1.")
        fresh = clone(self)  # checks of the input set attributes
        fresh.set_params(n_features_to_select="all", min_per_class=None)
        wanted = Need("substitutes", CORRELATIONS, "leave them out")
        if refusal := find_place(X).find_refusal([wanted]):
            raise ValueError(refusal)
        with fresh._prepare(X, y, sample_weight, covariates) as prepared:
            if fresh.n_features_in_ != self.n_features_in_:
                raise ValueError(
                    f"X has {fresh.n_features_in_} features, but the selector was fitted on "
                    f"{self.n_features_in_}; give the same table."
                )
            correlations = prepared.source.correlations()
            criterion, selected = prepared.make_criterion(), self.indices_.tolist()
            return find_substitutes(
                criterion, selected, prepared.constraints, correlations, tolerance
            )

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        return path_columns(self.path_)

    def _warn_if_none_selected(self) -> None:
        """Warn if "auto" has found no feature that beats permuted ones."""
        if len(self.indices_):
            return
        is_hopeless = self._smallest_p_value > self.level * (1 + 1e-9)
        few = f" (with so few samples no p-value is below {self._smallest_p_value:.2g})"
        warn_user(
            f"No feature does better than permuted ones at level={self.level}"
            f"{few if is_hopeless else ''}, so none is selected; give n_features_to_select a "
            "number to see the best ones anyway.",
        )


@contextmanager
def prepare_search(selector: SearchSelector, *data: Any) -> Iterator[Prepared]:
    """What a search of a selector begins with; the arguments are those of its ``fit``."""
    with selector._prepare(*data) as prepared:
        yield prepared


def path_columns(path: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The columns of a path that follow the feature."""
    return {name: path[name] for name in path.dtype.names[1:]}  # type: ignore[index]
