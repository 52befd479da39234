"""The contract that every selector keeps."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    validate_data,
)

from s2fs._native.table import SMALL_INTEGERS
from s2fs._utils.checks import warn_fragile
from s2fs._utils.columns import (
    reject_nonfinite_columns,
    reject_text_columns,
    sort_sparse,
    take_plain_numbers,
)
from s2fs._utils.dask_inputs import compute_dask
from s2fs._utils.features import Features
from s2fs._utils.labels import check_labels, encode_classes, reject_one_class
from s2fs._utils.messages import format_count
from s2fs._utils.named import names_of
from s2fs._utils.tables import as_table
from s2fs._utils.types import Floats, Indices
from s2fs._utils.warn import warn_user
from s2fs.criteria.covariates import covariate_columns
from s2fs.criteria.weights import check_sample_weight
from s2fs.lazy.frames import is_lazy_frame
from s2fs.search.constraints import find_features
from s2fs.selectors.onnx import OnnxConversion
from s2fs.selectors.sources import ALL_SAMPLES, InDatabase, Need

if TYPE_CHECKING:
    from pandas import DataFrame

    from s2fs.report import Report


class RankingSelector(OnnxConversion, SelectorMixin, BaseEstimator):
    """Base of all selectors: supervised, ordered, scikit-learn compatible.

    A subclass defines its constructor with ``n_features_to_select`` first, extends
    ``_parameter_constraints``, and implements :meth:`_fit`: check the input by :meth:`_validate`
    and :meth:`_encode`, rank, and end with :meth:`_set_ranking`.

    Attributes
    ----------
    indices_ : ndarray of shape (n_selected,)
        The selected columns in order of selection.
    scores_ : ndarray of shape (n_selected,)
        The criterion after each selection.
    ranking_ : ndarray of shape (n_features_in_,)
        Per column the rank of its feature, 1 for the first selected; those that were not selected
        share the next rank.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the selected features.
    feature_names_ : ndarray of shape (n_selected,)
        The names of the selected features in order of selection.
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
    #: Whether tables of small integers are taken as they are; others become float64 as a whole.
    _takes_integers: ClassVar[bool] = False
    #: What to use instead if features rest on few samples; empty if that is this selector itself.
    _robust_alternative: ClassVar[str] = "PairCover"
    #: What ``fit`` was given beside X and y: an evaluation needs the same.
    _fitted_with: tuple[str, ...] = ()
    n_features_to_select: Any  # a number or a fraction; a selector may take more
    #: The largest |r| of two selected features; a selector may have no such parameter.
    max_correlation: float | None = None

    @abstractmethod
    def _fit(self, X: Any, y: Any, *, warn: bool = True, **arguments: Any) -> Self:
        """Do what ``fit`` does; a fit that is one of many does not warn of what it selects."""

    def ranking_table(self) -> "DataFrame":
        """Return the ranking as a table, one row per selected column.

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

    def report(self, X: Any, y: Any, **options: Any) -> "Report":
        """Show what was selected: how good on held-out samples, how stable, how redundant, and why.

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

    def _validate_params(self) -> None:
        """Refuse what scikit-learn would take: truth values for numbers, and no thread at all."""
        for name, allowed in self._parameter_constraints.items():
            value = getattr(self, name, None)
            if isinstance(value, bool | np.bool_) and "boolean" not in allowed:
                raise ValueError(f"{name} is {value}, which is no number; give a number.")
        if getattr(self, "n_jobs", None) == 0:
            raise ValueError(
                "n_jobs is 0; give the number of threads, from 1, or -1 for all cores."
            )
        super()._validate_params()

    def _validate(
        self, X: Any, y: Any, *, reset: bool = True, in_batches: bool = False
    ) -> tuple[Any, Any]:
        """Check the input; error messages name the argument and the columns.

        A batch may be a single sample.
        """
        (X,) = compute_dask(X)
        own_need = Need(type(self).__name__, ALL_SAMPLES, "use PairCover")
        if is_lazy_frame(X) and (refusal := InDatabase.find_refusal([own_need])):
            raise ValueError(refusal)
        return check_table(
            self,
            X,
            y,
            accept_sparse=self._accept_sparse,
            allow_nan=self._allow_nan,
            reset=reset,
            in_batches=in_batches,
            keep_integers=self._takes_integers,
        )

    def _encode(self, y: NDArray[Any]) -> Indices:
        """For each label its position in ``classes_``, which is set here."""
        self.classes_, codes = encode_classes(y)
        reject_one_class(self.classes_)
        return codes

    def _input_names(self) -> Any:
        """The names of all features, if they have any."""
        return getattr(self, "feature_names_in_", None)

    def _find_features(self) -> Features:
        """Which columns are one feature."""
        groups = get_feature_groups(self)
        return find_features(groups, self.n_features_in_, self._input_names())

    def _set_ranking(
        self, indices: Indices, scores: Floats, features: Features | None = None
    ) -> Self:
        """Set the fitted attributes that follow from the columns in order of selection."""
        self.indices_, self.scores_ = indices, scores
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[indices] = True
        features = self._find_features() if features is None else features
        selected = features.find(indices)
        rank_of = np.full(features.n, len(selected) + 1)
        rank_of[selected] = np.arange(1, len(selected) + 1)
        self.ranking_ = np.where(self.support_, rank_of[features.of_column], len(selected) + 1)
        self.feature_names_ = name_features(indices, self._input_names())
        return self

    @property
    def _n_selected(self) -> int:
        """How many features are selected, however many columns they have."""
        return int(self.ranking_[self.indices_].max(initial=0))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        """The columns of :meth:`ranking_table` that follow rank and feature."""
        return {"score": self.scores_}

    def _warn_fragile(self, X: Any, codes: Indices, sample_weight: Floats | None = None) -> None:
        """Warn of selected features that rest on very few samples."""
        remedies = ["exclude these features"]
        if self._robust_alternative:
            remedies.insert(0, f"use {self._robust_alternative}")
        takes_mean = getattr(self, "compactness", "") == "mean"
        warn_fragile(
            X,
            codes,
            sample_weight,
            self.indices_,
            self.feature_names_,
            remedies,
            outlier_remedies=["set compactness='rms'"] if takes_mean else [],
        )

    def _warn_if_short(self, n_selected: int, k: int) -> None:
        """Warn if ``max_correlation`` left fewer features than were asked for."""
        asks_for_number = self.n_features_to_select not in ("auto", "all")
        if self.max_correlation is None or not asks_for_number or n_selected >= k:
            return
        warn_user(
            f"max_correlation={self.max_correlation} leaves {n_selected} of the "
            f"{format_count(k, 'feature')} asked for: every other one correlates more than that "
            "with a selected one; ask for fewer, or raise it.",
        )

    def _warn_if_constant(self, *, is_constant: bool) -> None:
        """Warn if there is nothing to select by."""
        if is_constant:
            warn_user(
                "Every feature of X is constant, so none tells the classes apart; check the table.",
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = bool(self._accept_sparse)
        tags.input_tags.allow_nan = self._allow_nan
        return tags


def get_feature_groups(selector: Any) -> Any:
    """What a selector, or one that it fits, was told of columns that are one feature."""
    groups = getattr(selector, "feature_groups", None)
    if groups is not None:
        return groups
    found = (get_feature_groups(one) for one in _list_inner(selector))
    return next((one for one in found if one is not None), None)


def set_feature_groups(selector: Any, groups: Any) -> None:
    """Tell a selector, and those that it fits, which columns are one feature; some cannot know."""
    if hasattr(selector, "get_params") and "feature_groups" in selector.get_params(deep=False):
        selector.set_params(feature_groups=groups)
    for inner in _list_inner(selector):
        set_feature_groups(inner, groups)


def _list_inner(selector: Any) -> list[Any]:
    """The selectors that a selector of this package fits."""
    inner = getattr(selector, "selector", None)
    if not isinstance(inner, list):
        return [] if inner is None else [inner]
    return [one[1] for one in inner if isinstance(one, tuple) and len(one) == 2]


def check_parameters(selector: RankingSelector) -> None:
    """Raise if a parameter of a selector is none it takes."""
    selector._validate_params()


def check_table(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    accept_sparse: str | bool,
    allow_nan: bool,
    reset: bool = True,
    in_batches: bool = False,
    keep_integers: bool = False,
) -> tuple[Any, NDArray[Any]]:
    """Check the table and the labels that an estimator is fitted on; errors name the columns.

    A batch may be a single sample. Small integers become float64, or stay if that is asked for.
    """
    frame = X
    if reset:
        X = take_plain_numbers(X)
    reject_text_columns(X)
    y = None if y is None else check_labels(y)
    if y is not None and hasattr(X, "__len__") and _num_samples(X) != _num_samples(y):
        raise ValueError(
            f"y has {format_count(_num_samples(y), 'label')} for the "
            f"{format_count(_num_samples(X), 'sample')} of X; give one label per sample."
        )
    own_names, had_columns = names_of(X), X is not frame
    kept_types = (*SMALL_INTEGERS, np.bool_) if keep_integers and isinstance(X, np.ndarray) else ()
    X, y = validate_data(
        estimator,
        X,
        y,
        accept_sparse=accept_sparse,
        dtype=[np.float64, np.float32, *kept_types],
        ensure_all_finite=False,
        ensure_min_samples=1 if in_batches else 2,
        reset=reset,
    )
    X = X.view(np.uint8) if X.dtype == bool else X
    if had_columns:
        validate_data(estimator, frame, skip_check_array=True, reset=reset)  # keeps their names
    if reset and own_names is not None:  # scikit-learn sees the names of data frames only
        estimator.feature_names_in_ = own_names
    y = column_or_1d(y)
    X = sort_sparse(X)
    names = getattr(estimator, "feature_names_in_", None)
    reject_nonfinite_columns(X, names, allow_nan=allow_nan)
    return X, y


def fit_selector(
    selector: Any, X: Any, y: Any, arguments: Mapping[str, Any] | None = None, *, warn: bool = False
) -> Any:
    """Fit any selector; those of this package do not warn of what they select unless asked to.

    Whoever fits a selector again and again, on folds or resamples, has nothing to say about the
    features of each fit. In a pipeline this holds for its last step. The ``arguments`` are those of
    ``fit`` beside X and y.
    """
    from sklearn.pipeline import Pipeline  # loads much of scikit-learn

    arguments = {} if arguments is None else arguments
    if _is_own(selector):
        return selector._fit(X, y, warn=warn, **arguments)
    if isinstance(selector, Pipeline) and len(selector.steps) > 1 and not arguments:
        *_, (_, last) = selector.steps
        if _is_own(last):
            fit_selector(last, selector[:-1].fit_transform(X, y), y, warn=warn)
            return selector
    return selector.fit(X, y, **arguments)


def _is_own(selector: Any) -> bool:
    """Whether a selector is of this package; a subclass from elsewhere may override ``fit``."""
    module = type(selector).__module__
    return isinstance(selector, RankingSelector) and module.partition(".")[0] == "s2fs"


def features_in_order(selector: Any) -> Indices | None:
    """The features that any fitted selector has selected, in order of selection.

    Those of scikit-learn that score every feature are in order of their scores; None stands for a
    selector that gives no order.
    """
    if hasattr(selector, "indices_"):
        return np.asarray(selector.indices_, dtype=np.intp)
    scores = getattr(selector, "scores_", None)
    if scores is None or not hasattr(selector, "get_support"):
        return None
    is_selected, values = selector.get_support(), np.asarray(scores)
    if values.shape != is_selected.shape:
        return None
    selected = np.flatnonzero(is_selected)
    best_first = np.argsort(-np.nan_to_num(values[selected], nan=-np.inf), kind="stable")
    return selected[best_first]


def name_features(indices: Indices, names: Sequence[Any] | NDArray[Any] | None) -> NDArray[Any]:
    """The names of some features; those without one are called x0, x1, … as by scikit-learn."""
    if names is None:
        return np.array([f"x{f}" for f in indices], dtype=object)
    return np.asarray(names)[indices]


def list_given(**arguments: Any) -> tuple[str, ...]:
    """The names of the arguments that are not None."""
    return tuple(name for name, value in arguments.items() if value is not None)


def check_fit_arguments(
    selector: Any, params: dict[str, Any], n_samples: int
) -> dict[str, NDArray[Any]]:
    """What ``fit`` of a selector gets beside X and y: arrays with a value for each sample.

    The ``params`` are what the user gave, such as ``sample_weight``; None is left out.
    """
    arguments = {}
    for name, values in params.items():
        if not has_fit_parameter(selector, name):
            raise ValueError(
                f"{name} is given, but selector is a {type(selector).__name__}, whose fit does not "
                "take it; leave it out, or use S2FS or PairCover."
            )
        if values is None:
            continue
        if name == "sample_weight":
            arguments[name] = check_sample_weight(values, n_samples)
        elif name == "covariates":
            arguments[name] = covariate_columns(values, n_samples)
        else:
            arguments[name] = column_or_1d(values)
            check_consistent_length(np.empty(n_samples), arguments[name])
    return arguments
