"""The contract every selector keeps, and the base of those that search by a criterion."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from numbers import Integral, Real
from time import monotonic
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    validate_data,
)

from s2fs._core.covariates import check_complete, covariate_columns, encode_covariates
from s2fs._core.weights import ClassWeight, check_sample_weight, row_weights
from s2fs._engine.protocol import Criterion
from s2fs._engine.twins import CorrelationsOf, OverallCorrelations, Twins
from s2fs._search.choices import Choices, n_to_choose, resolve
from s2fs._search.forward import Step, forward
from s2fs._search.permutations import Samples, check_groups, sort_by_contents
from s2fs._search.stopping import PermutationStop
from s2fs._search.subsets import beam, floating
from s2fs._search.swaps import swaps
from s2fs._selectors.onnx import OnnxConversion
from s2fs._util.inputs import (
    canonical,
    check_labels,
    current_client,
    encode_classes,
    in_memory,
    is_dask,
    is_inner_fit,
    reject_nonfinite_columns,
    reject_one_class,
    reject_text_columns,
    warn_of_fragile,
)
from s2fs._util.named import names_of
from s2fs._util.progress import progress
from s2fs._util.tables import as_table
from s2fs._util.types import Floats, Indices

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
except ImportError:  # an experimental part of scikit-learn; without it there are no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Takes no callbacks."""


Item = TypeVar("Item")
#: A feature that could take the place of another, the score then, and how the two correlate.
_STAND_IN = np.dtype([("feature", np.intp), ("score", np.float64), ("r", np.float64)])
Search = Literal["forward", "floating", "beam"]


class RankingSelector(OnnxConversion, SelectorMixin, BaseEstimator):
    """Base of all selectors: supervised, ordered, scikit-learn compatible.

    A subclass defines its constructor with ``n_features_to_select`` first, extends
    ``_parameter_constraints``, and implements ``fit``: check the input by :meth:`_validate` and
    :meth:`_encode`, rank, and end with :meth:`_set_ranking`.

    Attributes
    ----------
    indices_ : ndarray of shape (n_selected,)
        The chosen features in order of choice.
    scores_ : ndarray of shape (n_selected,)
        The criterion after each choice.
    ranking_ : ndarray of shape (n_features_in_,)
        Per feature its rank, 1 for the first chosen; features that were not chosen share the rank
        ``n_selected + 1``.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen features.
    feature_names_ : ndarray of shape (n_selected,)
        The names of the chosen features in order of choice.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            StrOptions({"all"}),
        ]
    }
    #: To be raised when the same parameters may select other features than before: results of the
    #: bench are kept by it.
    algorithm_version: ClassVar[int] = 1
    #: The sparse format the selector takes, or False.
    _accept_sparse: ClassVar[str | bool] = False
    #: Whether NaN stands for a missing value, or is refused.
    _allow_nan: ClassVar[bool] = False
    #: What to use for features that rest on few rows, if that is another selector.
    _sturdier: ClassVar[str] = "PairCover"
    #: What ``fit`` was given beside X and y: an evaluation needs the same.
    _fitted_with: tuple[str, ...] = ()
    n_features_to_select: Any  # a number or a fraction; a selector may take more
    #: The largest |r| of two selected features; a selector may have no such parameter.
    max_correlation: float | None = None

    def _set_ranking(self, indices: Indices, scores: NDArray[np.float64]) -> Self:
        """Set the fitted attributes that follow from the features in order of choice."""
        self.indices_, self.scores_ = indices, scores
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[indices] = True
        self.ranking_ = np.full(self.n_features_in_, len(indices) + 1)
        self.ranking_[indices] = np.arange(1, len(indices) + 1)
        names = getattr(self, "feature_names_in_", None)
        if names is None:  # those that scikit-learn gives to columns without a name
            self.feature_names_ = np.array([f"x{f}" for f in indices], dtype=object)
        else:
            self.feature_names_ = names[indices]
        return self

    def _warn_of_fragile(self, X: Any, codes: Indices, weight: Floats | None = None) -> Self:
        """Warn of selected features that rest on very few rows, in one place for all selectors."""
        ways = [self._sturdier, "exclude" if hasattr(self, "exclude") else "leaving them out"]
        tails = ["compactness='rms'"] if getattr(self, "compactness", "") == "mean" else []
        warn_of_fragile(X, codes, weight, self.indices_, self.feature_names_, ways, tails)
        return self

    def _warn_of_too_few(self, n_found: int, k: int) -> None:
        """Warn if ``max_correlation`` left fewer features than were asked for."""
        no_number = self.n_features_to_select in ("auto", "all")
        if self.max_correlation is None or no_number or n_found >= k or is_inner_fit():
            return
        grouped = getattr(self, "feature_groups", None) is not None
        unfit = ", or is in a group that does not fit" if grouped else ""
        warnings.warn(
            f"max_correlation={self.max_correlation} leaves {n_found} of the {k} feature(s) "
            f"asked for: every other one correlates more than that with a selected one{unfit}; "
            "ask for fewer, or raise it.",
            stacklevel=2,
        )

    def _encode(self, y: NDArray[Any]) -> Indices:
        """For each label its position in ``classes_``, which is set here."""
        self.classes_, codes = encode_classes(y)
        reject_one_class(self.classes_)
        return codes

    def _validate(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
        """Check the input; error messages name the argument and the columns."""
        reject_text_columns(X)
        y = None if y is None else check_labels(y)
        if y is not None and hasattr(X, "__len__") and _num_samples(X) != _num_samples(y):
            raise ValueError(
                f"y has {_num_samples(y)} label(s) for the {_num_samples(X)} row(s) of X; "
                "give one label per row."
            )
        own_names = names_of(X)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=self._accept_sparse,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=2,
            reset=reset,
        )
        if reset and own_names is not None:  # scikit-learn sees the names of data frames only
            self.feature_names_in_ = own_names
        y = column_or_1d(y)
        if 2 * len(np.unique(y)) >= len(y):  # already checked; this only warns
            check_classification_targets(y)
        X = canonical(X)
        names = getattr(self, "feature_names_in_", None)
        reject_nonfinite_columns(X, names, allow_nan=self._allow_nan)
        return X, y

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def ranking_table(self) -> Any:
        """Return the ranking as a table, one row per chosen feature.

        Returns
        -------
        DataFrame or structured ndarray
            A pandas data frame where pandas is installed, else a polars one, else a structured
            array; with columns ``rank``, ``feature`` and the selector's scores.
        """
        check_is_fitted(self)
        ranks = self.ranking_[self.indices_]
        features = self.feature_names_.astype(str)
        return as_table({"rank": ranks, "feature": features, **self._score_columns()})

    def report(self, X: Any, y: Any, **options: Any) -> Any:
        """Show what was selected: how good on unseen rows, how stable, how redundant, and why.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            The data the selector was fitted on.
        y : array-like of shape (n_samples,)
            The class labels.
        **options
            ``title``, ``random_state``, ``n_jobs`` and others of :class:`s2fs.report.Report`.

        Returns
        -------
        s2fs.report.Report
            Shows itself in a notebook; ``.save("report.html")`` writes it to a file.
        """
        from s2fs.report import Report  # the one import that points up, and only when called

        return Report(self, X, y, **options)

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        """The columns of :meth:`ranking_table` that follow rank and feature."""
        return {"score": self.scores_}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = bool(self._accept_sparse)
        tags.input_tags.allow_nan = self._allow_nan
        return tags


class SearchSelector(CallbackSupportMixin, RankingSelector):
    """Base of the selectors that search for a set of features by a criterion.

    A subclass says which criterion, by :meth:`_criterion`, and how its path is called, by
    ``_score_name`` and ``_part_names``. Searches, constraints, weights, "auto", progress and
    callbacks are here.
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
    #: What the progress bar says.
    _label: ClassVar[str]
    #: The columns of ``path_``: the criterion, and the quantities it is made of.
    _score_name: ClassVar[str]
    _part_names: ClassVar[tuple[str, ...]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            *RankingSelector._parameter_constraints["n_features_to_select"],
            StrOptions({"auto"}),
        ],
        "search": [StrOptions({"forward", "floating", "beam"})],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "include": ["array-like", None],
        "exclude": ["array-like", None],
        "feature_groups": ["array-like", None],
        "max_correlation": [Interval(Real, 0, 1, closed="both"), None],
        "costs": ["array-like", None],
        "budget": [Interval(Real, 0, None, closed="neither"), None],
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "stand_ins": [Interval(Real, 0, 1, closed="left"), None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "n_jobs": [
            Interval(Integral, None, -1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
            None,
        ],
        "verbose": ["verbose"],
    }
    search: Search
    beam_width: int
    level: float
    tol: float
    include: Iterable[str | int] | None
    exclude: Iterable[str | int] | None
    feature_groups: Iterable[Any] | None
    costs: ArrayLike | None
    budget: float | None
    max_time: float | None
    stand_ins: float | None
    #: When the fit has to end, if there is a ``max_time``.
    _deadline: float | None = None
    class_weight: ClassWeight
    n_jobs: int | None
    verbose: int

    @abstractmethod
    def _criterion(self, X: Any, codes: Indices, sample_weight: Floats | None) -> Criterion:
        """The criterion of the empty subset.

        Parameters
        ----------
        X : ndarray or sparse array of shape (n_samples, n_features)
            Finite numbers, not scaled; sparse input in CSC format.
        codes : ndarray of shape (n_samples,)
            For each instance the position of its label in ``classes_``.
        sample_weight : ndarray of shape (n_samples,) or None
            How much each instance counts, positive; None is 1 each.
        """

    def _criterion_on_cluster(
        self, client: Any, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Criterion, CorrelationsOf | None]:
        """The same for rows that stay on the cluster of a Dask client; sets ``classes_``.

        With ``max_correlation`` the correlations over all rows follow.
        """
        raise ValueError(
            f"X is on a Dask cluster, and {type(self).__name__} needs its rows here; give "
            "X.compute(), or use S2FS or PairCover."
        )

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        covariates: Any = None,
        groups: Any = None,
    ) -> Self:
        """Select features of ``X`` that tell the classes ``y`` apart.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features without missing values. A Dask array or data frame stays on the cluster
            of the current ``distributed.Client``; without one it is computed here.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts: weight 2 is two equal samples, weight 0 is none.
        covariates : array-like or data frame of shape (n_samples,) or (n_samples, n_covariates), \
optional
            What else is known of each sample, such as the laboratory it was measured in or the age
            of the patient. What covariates explain is taken away, so a feature that only tells
            laboratories apart is not selected. Columns of integers and floats are numbers, and
            each has a straight line as its effect; text, booleans, categories and objects are
            categories. Turn numbers that stand for categories into text. The classes must share
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
        self._fitted_with = given_names(sample_weight=sample_weight, covariates=covariates)
        self._deadline = None if self.max_time is None else monotonic() + self.max_time
        if is_dask(X) and (client := current_client()) is not None:
            self._reject_on_cluster(covariates)
            criterion, overall = self._criterion_on_cluster(client, X, y, sample_weight)
            choices, k = self._to_choose(overall)
            return self._record(criterion, self._steps(criterion, k, choices), k)
        X, y, sample_weight = in_memory(X, y, sample_weight)
        samples, choices, k = self._prepare(X, y, sample_weight, covariates, groups)
        X, codes, weight = samples.adjusted, samples.codes, samples.sample_weight
        if auto := self.n_features_to_select == "auto":
            permuted = PermutationStop(
                sort_by_contents(samples), self._criterion, self.level, self.tol
            )
            criterion = permuted.start()
            steps: Iterable[Step] = permuted.forward(criterion, choices)
            if self.search != "forward":
                k = len(list(progress(steps, k, self._label, show=self.verbose > 0)))
        if not auto or self.search != "forward":
            criterion = self._criterion(X, codes, weight)
            steps = self._steps(criterion, k, choices) if k else ()
        self._record(criterion, steps, k)
        del criterion, steps  # the largest things in memory
        if auto:
            self._say_if_empty(permuted.smallest_p_value)
        self._warn_of_fragile(X, codes, weight)
        return self._find_stand_ins(X, codes, weight, choices)

    def _find_stand_ins(
        self, X: Any, codes: Indices, weight: Floats | None, choices: Choices
    ) -> Self:
        """Set ``stand_ins_``, if it is asked for."""
        if self.stand_ins is None:
            return self
        chosen = self.indices_.tolist()
        found = {}
        if chosen:
            found = swaps(self._criterion(X, codes, weight), chosen, choices, self.stand_ins)
        correlation = OverallCorrelations(X, weight)
        self.stand_ins_ = [
            np.array(
                list(zip(*swap, correlation(feature)[swap.features], strict=True)), dtype=_STAND_IN
            )
            for feature, swap in ((feature, found[feature]) for feature in chosen)
        ]
        return self

    def _late(self) -> bool:
        return self._deadline is not None and monotonic() > self._deadline

    def _say_if_empty(self, smallest_p_value: float) -> None:
        if not len(self.indices_):
            hopeless = smallest_p_value > self.level * (1 + 1e-9)
            few = f" (with so few samples no p-value is below {smallest_p_value:.2g})"
            warnings.warn(
                f"No feature does better than chance at level={self.level}{few * hopeless}, so "
                "none is selected; give n_features_to_select a number to see the best ones anyway.",
                stacklevel=2,
            )

    def _reject_on_cluster(self, covariates: Any) -> None:
        """Raise if something is asked for that needs all rows in one place."""
        for given, what, instead in (
            (covariates is not None, "covariates", "leave them out"),
            (self.stand_ins is not None, f"stand_ins={self.stand_ins}", "leave it None"),
            (
                self.n_features_to_select == "auto",
                "n_features_to_select='auto'",
                "give a number of features",
            ),
        ):
            if given:
                raise ValueError(
                    f"{what} needs all rows in one place, but X is on a Dask cluster; give "
                    f"X.compute(), or {instead}."
                )

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any, covariates: Any = None, groups: Any = None
    ) -> tuple[Samples, Choices, int]:
        """Check the input: the samples that count, and what to choose."""
        X, y = self._validate(X, y)
        table = None if covariates is None else covariate_columns(covariates, len(y))
        groups = None if groups is None else check_groups(groups, len(y))
        weight = self._row_weights(sample_weight, y)
        if weight is not None and not weight.all():
            there = weight > 0
            X, y, weight = X[there], y[there], weight[there]
            table = None if table is None else table[there]
            groups = None if groups is None else groups[there]
        codes = self._encode(y)
        if table is None:
            samples = Samples(X, codes, weight, groups=groups)
        else:
            check_complete(X)
            samples = Samples(X, codes, weight, encode_covariates(table, codes), groups)
        guarded = self.max_correlation is not None
        correlations = OverallCorrelations(samples.adjusted, weight) if guarded else None
        choices, k = self._to_choose(correlations)
        return samples, choices, k

    def _row_weights(self, sample_weight: Any, y: NDArray[Any]) -> Floats | None:
        """How much each row counts; None is 1 each."""
        if sample_weight is None and self.class_weight is None:
            return None
        return row_weights(sample_weight, self.class_weight, y)

    def _to_choose(self, overall: CorrelationsOf | None = None) -> tuple[Choices, int]:
        """What may be chosen of the features seen, and how many of them.

        The correlations over all rows are needed for ``max_correlation``.
        """
        m = self.n_features_in_
        choices = resolve(
            self.include,
            self.exclude,
            self.feature_groups,
            m,
            getattr(self, "feature_names_in_", None),
        )
        k = n_to_choose(choices, self.n_features_to_select, m)
        if self.costs is not None or self.budget is not None:
            choices = choices.priced(self.costs, self.budget, m)
        if self.max_correlation is not None and overall is not None:
            choices = choices.guarded(Twins(overall, self.max_correlation))
        return choices, k

    def _steps(self, criterion: Criterion, k: int, choices: Choices) -> Iterable[Step]:
        """The selected features in order, ``k`` of them if groups and twins allow it."""
        if self.search == "forward":
            return self._counted(forward(criterion, k, choices), k)
        if self.search == "floating":
            found = floating(criterion.copy(), k, choices, self._late)
        else:
            found = beam(criterion.copy(), k, choices, self.beam_width, self._late)
        steps = forward(criterion, k, choices.only(found[max(found)].groups))
        return self._counted(steps, k)

    def _counted(self, steps: Iterable[Step], k: int) -> Iterator[Step]:
        """The steps; a warning at their end if the guard against twins left too few to choose."""
        n_steps = 0
        for step in steps:
            n_steps += 1
            yield step
        self._warn_of_too_few(n_steps, k)

    def _record(self, criterion: Criterion, steps: Iterable[Step], k: int) -> Self:
        """Take the steps as they come, at most ``k``, and set the fitted attributes."""
        rows: list[tuple[float, ...]] = []

        def so_far() -> dict[str, Any]:
            known = copy(self)._set_path(rows)
            known._explain(criterion)
            return {name: value for name, value in vars(known).items() if name.endswith("_")}

        if self.verbose or getattr(self, "_skl_callbacks", None):
            steps = watched(self, steps, k, self._label, so_far)
        for step in steps:
            rows.append((step.feature, step.score, step.gain, *step.parts))
            if self._late() and self.search == "forward":
                break
        if self._late() and len(rows) < k:
            warnings.warn(
                f"max_time={self.max_time} was over before the search ended; {len(rows)} "
                "feature(s) are selected.",
                stacklevel=2,
            )
        self._set_path(rows)
        self._explain(criterion)
        return self

    def _explain(self, criterion: Any) -> None:
        """Set fitted attributes that only this criterion has, after ``path_`` is set."""

    def _set_path(self, rows: list[tuple[float, ...]]) -> Self:
        tested = self.n_features_to_select == "auto" and self.search == "forward"
        measures = (self._score_name, "gain", *self._part_names, *(["p_value"] if tested else []))
        fields = [("feature", np.intp), *((name, np.float64) for name in measures)]
        self.path_ = np.array(rows, dtype=fields)
        scores = self.path_[self._score_name].copy()
        return self._set_ranking(self.path_["feature"].copy(), scores)

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        columns = path_columns(self.path_)
        if self.stand_ins is not None:
            names = getattr(self, "feature_names_in_", None)
            columns["stand_ins"] = np.array(
                [
                    ", ".join(f"x{f}" if names is None else str(names[f]) for f in some["feature"])
                    for some in self.stand_ins_
                ]
            )
        return columns


def features_in_order(selector: Any) -> Indices | None:
    """The features that any fitted selector has chosen, in order of choice.

    Those of scikit-learn that score every feature are in order of their scores; None stands for a
    selector that gives no order.
    """
    if hasattr(selector, "indices_"):
        return np.asarray(selector.indices_, dtype=np.intp)
    scores = getattr(selector, "scores_", None)
    if scores is None or not hasattr(selector, "get_support"):
        return None
    chosen, values = np.flatnonzero(selector.get_support()), np.asarray(scores)
    if values.shape != selector.get_support().shape:
        return None
    return chosen[np.argsort(-np.nan_to_num(values[chosen], nan=-np.inf), kind="stable")]


def given_names(**arguments: Any) -> tuple[str, ...]:
    """The names of the arguments that are not None."""
    return tuple(name for name, value in arguments.items() if value is not None)


def fit_arguments(selector: Any, params: dict[str, Any], n: int) -> dict[str, NDArray[Any]]:
    """What ``fit`` of a selector gets beside X and y, checked: an array with a value for each row.

    The ``params`` are what the user gave, such as ``sample_weight``; None is left out.
    """
    arguments = {}
    for name, values in params.items():
        if not has_fit_parameter(selector, name):
            raise ValueError(
                f"{name} is given, but selector is a {type(selector).__name__}, whose fit does not "
                "take it; leave it out, or use S2FS or PairCover."
            )
        if name == "sample_weight" and values is not None:
            arguments[name] = check_sample_weight(values, n)
        elif name == "covariates" and values is not None:
            arguments[name] = covariate_columns(values, n)
        elif values is not None:
            arguments[name] = column_or_1d(values)
            check_consistent_length(np.empty(n), arguments[name])
    return arguments


def path_columns(path: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The columns of a path that follow the feature."""
    return {name: path[name] for name in path.dtype.names[1:]}  # type: ignore[index]


def watched(
    estimator: Any,
    items: Iterable[Item],
    total: int,
    label: str,
    so_far: Callable[[], dict[str, Any]] | None = None,
) -> Iterator[Item]:
    """Yield what a fit makes piece by piece, and let the callbacks of the estimator follow.

    Each of the ``items``, at most ``total``, is a task for the callbacks, which may end the work
    early. With ``verbose`` above 0 there is a progress bar, too. ``so_far`` gives the fitted
    attributes as they would be if the work ended with the last item.
    """
    shown = progress(items, total, label, show=True) if estimator.verbose else iter(items)
    if not getattr(estimator, "_skl_callbacks", None):
        yield from shown
        return
    root = estimator._init_callback_context(max_subtasks=total)
    root.call_on_fit_task_begin(estimator=estimator)
    for _ in range(total):
        task = root.subcontext(task_name=label)
        task.call_on_fit_task_begin(estimator=estimator)
        item = next(shown, None)  # None once there are no more
        if item is not None:
            yield item
        stop = task.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=so_far)
        if stop or item is None:
            break
    root.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=so_far)
