"""The panel: the selected features with one linear model, as a scikit-learn classifier."""

from dataclasses import replace
from hashlib import blake2b
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_array,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from s2fs._utils.columns import reject_nonfinite_columns, reject_text_columns
from s2fs._utils.labels import encode_classes, reject_one_class
from s2fs._utils.messages import format_names
from s2fs._utils.named import with_names
from s2fs._utils.public import set_module
from s2fs._utils.tables import as_table
from s2fs._utils.types import Floats, Indices
from s2fs._utils.warn import warn_user
from s2fs.criteria.logistic import fit_logistic
from s2fs.criteria.weights import ClassWeight, are_small, check_sample_weight, row_weights
from s2fs.evaluation.candidates import find_selected
from s2fs.evaluation.compare import evaluate_selector
from s2fs.evaluation.comparison import Comparison
from s2fs.evaluation.folds import DEFAULT_FOLDS
from s2fs.panel.elsewhere import fetch_selected, stays_elsewhere
from s2fs.panel.features import describe_features, fill_gaps, find_nearest_features, take_columns
from s2fs.panel.first_cohort import FirstCohort
from s2fs.panel.model_file import PanelModel
from s2fs.panel.new_samples import make_table, name_rows
from s2fs.panel.second_cohort import encode_new_labels, find_shared_in, validate_samples
from s2fs.panel.steps import Steps
from s2fs.panel.validation import Validation
from s2fs.selectors.base import (
    check_table,
    features_in_order,
    fit_selector,
    name_features,
)
from s2fs.selectors.pair_cover import PairCover
from s2fs.selectors.selection import Selection
from s2fs.selectors.selection_file import read_parts, write_parts

if TYPE_CHECKING:
    from pandas import DataFrame

#: How many features the default selector is asked for.
N_SELECTED = 10


@set_module("s2fs")
class Panel(ClassifierMixin, TransformerMixin, BaseEstimator):
    """Select features and fit one linear model to them.

    The steps are: select, fill gaps by the medians of the training samples, standardise by their
    means and standard deviations, ridge logistic regression. It is the model that the verdicts of
    this package are about, so the held-out accuracy of a selection is that of its panel.

    Parameters
    ----------
    selector : estimator, default=None
        What selects: any selector of this package or of scikit-learn, or a pipeline of them.
        ``None`` is ``PairCover(10)``, or all features where there are fewer.
    C : float, default=1.0
        The inverse of the strength of the ridge penalty, as in scikit-learn.
    class_weight : "balanced" or dict, default=None
        How much each class counts in the model; the selector has its own.
    positive : label, default=None
        Of two classes the one that sensitivity is about; by default the second in sorted order.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    indices_ : ndarray of shape (n_selected,)
        The selected features in order of selection.
    feature_names_ : ndarray of shape (n_selected,)
        Their names, in the same order.
    coef_ : ndarray of shape (n_classes, n_selected), or (1, n_selected) for two classes
        The coefficients of the standardised features.
    intercept_ : ndarray of shape (n_classes,), or (1,)
        What is added.
    selector_ : estimator
        The fitted selector; a panel from a file has none.
    selection_ : Selection
        Which features were selected, and by what.
    n_features_in_ : int
        The number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``X`` has them.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import PairCover, Panel
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> panel = Panel(PairCover(3)).fit(X, y)
    >>> panel.feature_names_.tolist()
    ['flavanoids', 'proline', 'color_intensity']
    >>> panel.predict(X[X.columns[::-1]].head(2)).tolist()  # columns are found by name
    [0, 0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "selector": "no_validation",
        "C": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "positive": "no_validation",
    }
    #: A panel from a file has no training table.
    _is_loaded: bool = False
    #: What is done to a new table before the model sees it.
    _steps = Steps()
    #: What held-out samples of the training table have said.
    _first_cohort: FirstCohort | None = None

    def __init__(
        self,
        selector: Any = None,
        *,
        C: float = 1.0,
        class_weight: ClassWeight = None,
        positive: Any = None,
    ) -> None:
        self.selector = selector
        self.C = C
        self.class_weight = class_weight
        self.positive = positive

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, groups: Any = None
    ) -> Self:
        """Select features of ``X`` and fit the model to them.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features; NaN is a missing value. A lazy frame or a Dask collection stays where
            it is, if the selector takes it: the selected columns alone are fetched.
        y : array-like of shape (n_samples,), or str
            Class labels, at least two distinct ones; of a lazy frame the name of their column.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts, for the selector if it takes weights, and for the model.
        groups : array-like of shape (n_samples,), optional
            Samples that belong together, for a selector that takes them.

        Returns
        -------
        Self
            The fitted panel.
        """
        self._reject_if_loaded("fitted")
        self._validate_params()
        if stays_elsewhere(X):
            return self._fit_elsewhere(X, y, sample_weight)
        X, y = check_table(self, X, y, accept_sparse="csc", allow_nan=True)
        groups = None if groups is None else np.asarray(groups)
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, len(y))
            counts = weight > 0
            X, y, weight = X[counts], y[counts], weight[counts]
            groups = None if groups is None else groups[counts]
        classes, codes = encode_classes(y)
        reject_one_class(classes)
        counts = _count_in(classes, codes, weight)
        if not counts.all():
            X, codes = X[counts], codes[counts]
            weight = None if weight is None else weight[counts]
            groups = None if groups is None else groups[counts]
        self._first_cohort = None
        self.selector_ = self._fit_selector(X, classes[codes], sample_weight=weight, groups=groups)
        self._fit_model(X, classes, codes, weight, self._name_features())
        return self

    def _fit_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Select where the samples are, and fetch the selected columns alone."""
        if sample_weight is not None:
            raise ValueError(
                "sample_weight needs the samples in memory, and X stays elsewhere; leave it out."
            )
        self.selector_ = fit_selector(self._make_selector(), X, y, {}, warn=True)
        self._first_cohort = None
        self.n_features_in_ = self.selector_.n_features_in_
        if (names := getattr(self.selector_, "feature_names_in_", None)) is not None:
            self.feature_names_in_ = names
        self._fit_fetched(X, y)
        return self

    def _fit_fetched(self, X: Any, y: Any, max_memory: str | None = None) -> None:
        """Fit the model to the selected columns, which are fetched; no other can substitute."""
        names = self._name_features()
        indices = np.asarray(self.selector_.indices_, dtype=np.intp)
        values, labels = fetch_selected(X, y, indices, names, max_memory)
        classes, codes = encode_classes(labels)
        counts = _count_in(classes, codes, None)
        self._fit_model(
            values[counts], classes, codes[counts], None, names, has_selected_alone=True
        )

    def _fit_samples(self, X: Any, classes: NDArray[Any], codes: Indices, names: Any) -> None:
        """Fit the model to samples with classes that are encoded, in the order they are given."""
        counts = _count_in(classes, codes, None)
        self._fit_model(X[np.flatnonzero(counts)], classes, codes[counts], None, names)

    def _fit_model(
        self,
        X: Any,
        classes: NDArray[Any],
        codes: Indices,
        weight: Floats | None,
        names: Any,
        *,
        has_selected_alone: bool = False,
    ) -> None:
        """Fit the model to what the fitted selector has selected."""
        is_there = np.bincount(codes, minlength=len(classes)) > 0
        codes = (np.cumsum(is_there) - 1)[codes]
        self.classes_ = classes[is_there]
        self._check_positive()
        order = features_in_order(self.selector_)
        indices = find_selected(self.selector_, self.n_features_in_) if order is None else order
        self.selection_ = Selection.of_indices(self.selector_, indices, names)
        places = np.arange(len(indices)) if has_selected_alone else indices
        values = take_columns(X, places)
        medians, complete = fill_gaps(values)
        weights = np.bincount(codes, row_weights(weight, self.class_weight, self.classes_[codes]))
        model = PanelModel(
            self.classes_,
            np.bincount(codes).tolist(),
            (weights / weights.sum()).tolist(),
            fit_logistic(
                complete, codes, C=self.C, sample_weight=weight, class_weight=self._code_weights()
            ),
            medians,
            describe_features(values, codes, len(self.classes_)),
            [None] * len(indices)
            if has_selected_alone
            else find_nearest_features(X, indices, names, weight),
            self.C,
            self.class_weight,
            self.positive,
            hash_samples(values, codes),
        )
        self._set_model(model)

    def _code_weights(self) -> ClassWeight:
        """The weights of the classes by their codes."""
        if not isinstance(self.class_weight, dict):
            return self.class_weight
        labels = self.classes_.tolist()
        return {q: self.class_weight.get(label, 1.0) for q, label in enumerate(labels)}

    def evaluate(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
        scoring: str = "accuracy",
        cv: Any = DEFAULT_FOLDS,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> Comparison:
        """Say how good such a panel is on held-out samples: features are selected in every fold.

        What is said of the table that the panel was fitted to goes into its file, and
        :meth:`validate` compares a second cohort with it.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            A table as for :meth:`fit`.
        y : array-like of shape (n_samples,)
            Class labels.
        groups : array-like of shape (n_samples,), optional
            What each sample belongs to: samples of one group are held out together.
        sample_weight : array-like of shape (n_samples,), optional
            Given to a selector that takes it; every sample counts once in the accuracies.
        scoring : {"accuracy", "balanced_accuracy", "auc"}, default="accuracy"
            What the verdict is about.
        cv : int, splitter or iterable of (train, test), default=5
            As for :func:`s2fs.compare`.
        random_state : int, default=0
            Seed of the folds.
        n_jobs : int, optional
            Number of threads, which share the folds.

        Returns
        -------
        Comparison
            With the panel as its first row.
        """
        self._reject_if_loaded("evaluated")
        check_is_fitted(self)
        selector = self._make_selector()
        learner: Any = "logistic"
        if self.C != 1 or self.class_weight is not None:
            learner = make_pipeline(
                StandardScaler(),
                LogisticRegression(
                    C=self.C, class_weight=self._code_weights(), tol=1e-7, max_iter=10_000
                ),
            )
        found = evaluate_selector(
            selector,
            X,
            y,
            n_selected=len(self.indices_),
            is_ranked=features_in_order(self.selector_) is not None,
            learner=learner,
            scoring=scoring,
            positive=self.positive,
            cv=cv,
            groups=groups,
            sample_weight=sample_weight,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        if learner != "logistic":
            found = _call_logistic(found)
        if self._is_of_training(X, y, sample_weight):
            self._set_first_cohort(found)
        return found

    def _set_first_cohort(self, found: Comparison) -> None:
        """Keep what held-out samples of the training table have said."""
        labels = list(map(str, self.classes_))
        is_kept = np.array([str(label) in labels for label in found.classes])
        self._first_cohort = FirstCohort.of_comparison(found, is_kept)

    def _is_of_training(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> bool:
        """Whether a table is the one that the panel was fitted to."""
        labels = np.asarray(y)
        counts = np.isin(labels, self.classes_)
        if sample_weight is not None:
            counts &= np.asarray(sample_weight) > 0
        codes = np.searchsorted(self.classes_, labels[counts])
        return hash_samples(self.transform(X)[counts], codes) == self._model.training_hash

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            New samples; NaN is a missing value. The columns of a data frame are found by name:
            their order is free, and others may be there. An array has the columns of the training
            table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        values = self.transform(X)
        complete = np.where(np.isnan(values), self._model.medians, values)
        return self._model.logistic.predict_proba(complete)

    def predict(self, X: Any, reject: float | None = None) -> NDArray[Any]:
        """Return the class of the largest probability; of equal ones the first.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            New samples, as for :meth:`predict_proba`.
        reject : float, optional
            Answer ``None`` where no class has at least this probability.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels; of dtype object with ``reject``.
        """
        if reject is not None and not 0 < reject <= 1:
            raise ValueError(f"reject is {reject!r}; give a probability above 0, up to 1.")
        probabilities = self.predict_proba(X)
        labels = self.classes_[probabilities.argmax(axis=1)]
        if reject is None:
            return labels
        labels = labels.astype(object)
        labels[probabilities.max(axis=1) < reject] = None
        return labels

    def transform(self, X: Any) -> Floats:
        """Return the selected columns of new samples, in order of selection, gaps as they are.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            As for :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
            Their values.
        """
        check_is_fitted(self)
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame) and self._knows_names:
            self.selection_.positions_in(frame.columns)  # raises if one is missing
            return _as_numbers(frame.select(*self.feature_names_).to_native(), self.feature_names_)
        if self._is_loaded and np.shape(X)[1:] == self.indices_.shape:  # the selected columns alone
            return _as_numbers(X, self.feature_names_)
        reject_text_columns(X)
        table = validate_data(
            self,
            X,
            accept_sparse="csc",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            reset=False,
        )
        return _as_numbers(take_columns(table, self.indices_), self.feature_names_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that :meth:`transform` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of all features, for a panel that was fitted on an array.

        Returns
        -------
        ndarray of shape (n_selected,)
            In order of selection.
        """
        check_is_fitted(self)
        if self._is_loaded:
            return self.feature_names_
        names: NDArray[Any] = _check_feature_names_in(self, input_features)
        return names[self.indices_]

    def validate(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        *,
        log2: bool = False,
        unlog2: bool = False,
        rescale: bool = False,
        first: tuple[Any, Any] | None = None,
    ) -> Validation:
        """Say what a second cohort tells of the panel.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Samples that the panel has not seen, as for :meth:`predict_proba`. A feature that is
            missing is replaced by its substitute, or by the training median if the model hardly
            needs it.
        y : array-like of shape (n_samples,)
            Their classes; samples of classes that the panel never saw are left out.
        groups : array-like of shape (n_samples,), optional
            What each sample belongs to, such as a patient.
        log2, unlog2 : bool, default=False
            Take log2(1 + x), or 2ˣ − 1, of all values first.
        rescale : bool, default=False
            Standardise features by the means and standard deviations of the new samples.
        first : tuple of (X, y), optional
            The table that the panel was fitted to, to see whether samples are in both.

        Returns
        -------
        Validation
            One word, a sentence, and the numbers behind it. If :meth:`evaluate` has said how good
            the panel is on held-out samples of its own table, both cohorts are compared.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from s2fs import PairCover, Panel
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> panel = Panel(PairCover(3)).fit(X[:200], y[:200])
        >>> _ = panel.evaluate(X[:200], y[:200])
        >>> panel.validate(X[200:], y[200:]).word
        'holds'
        """
        check_is_fitted(self)
        if log2 and unlog2:
            raise ValueError("log2 and unlog2 contradict each other; leave one of them out.")
        table = make_table(self, X)
        labels = np.asarray(y)
        if labels.shape != (table.n_samples,):
            raise ValueError(
                f"y has the shape {labels.shape} for the {table.n_samples} samples of X; give one "
                "label per sample."
            )
        if groups is not None and np.shape(groups) != labels.shape:
            raise ValueError(
                f"groups has the shape {np.shape(groups)} for the {table.n_samples} samples of X; "
                "give one per sample."
            )
        names = name_rows(X, table.n_samples)
        shared, first_names = None, list[str]()
        if first is not None:
            whole, codes = make_table(self, first[0]), encode_classes(np.asarray(first[1]))[1]
            first_names = name_rows(first[0], whole.n_samples)
            shared = find_shared_in(whole, codes, table)
        return validate_samples(
            self,
            table,
            encode_new_labels(labels.tolist(), self.classes_.tolist()),
            groups=None if groups is None else np.asarray(groups),
            change="log2" if log2 else "unlog2" if unlog2 else None,
            rescale=rescale,
            sample_names=names,
            shared=shared,
            first_names=first_names,
        )

    def table(self) -> "DataFrame":
        """Return all that the model is made of, one row for each selected feature.

        Returns
        -------
        DataFrame or structured ndarray
            ``feature``, ``centre`` and ``sd`` that standardise it, ``median``, ``minimum`` and
            ``maximum`` of the training samples, a ``coefficient`` for each class (of two classes
            for the second), and the ``substitute`` with its correlation ``r``.
        """
        check_is_fitted(self)
        model, logistic = self._model, self._model.logistic
        columns: dict[str, NDArray[Any]] = {
            "feature": self.feature_names_.astype(str),
            "centre": logistic.means,
            "sd": logistic.scales,
            "median": model.medians,
            "minimum": np.array([one.minimum for one in model.features]),
            "maximum": np.array([one.maximum for one in model.features]),
        }
        labels = self.classes_[1:] if len(self.coef_) == 1 else self.classes_
        for label, row in zip(labels, self.coef_, strict=True):
            columns[f"coefficient {label}"] = row
        found = model.substitutes
        columns["substitute"] = np.array(["" if one is None else one.name for one in found])
        columns["r"] = np.array([np.nan if one is None else one.r for one in found])
        return as_table(columns)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the panel to a JSON file: the whole file or, if anything fails, nothing.

        Parameters
        ----------
        path : str or path-like
            A name that ends in ``.json``. The file holds numbers and text, and no sample.
        """
        check_is_fitted(self)
        write_parts(path, self._describe())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Panel":
        """Read a panel that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        Panel
            It predicts, transforms and validates. It cannot be fitted, evaluated or cloned: the
            parameters of its selector are in the file, but its training table is not.
        """
        parts = read_parts(path)
        selection = Selection.of_part(parts["selection"], str(path))
        if parts["model"] is None:
            raise ValueError(
                f"{path} holds a selection without a model; fit a Panel, and save that."
            )
        model = PanelModel.of_dict(parts["model"], len(selection.indices), str(path))
        panel = cls(C=model.C, class_weight=model.class_weight, positive=model.positive)
        panel._is_loaded, panel._steps = True, Steps.of_dict(parts["steps"], str(path))
        if parts["first_cohort"] is not None:
            panel._first_cohort = FirstCohort.of_dict(
                parts["first_cohort"], len(model.classes), str(path)
            )
        panel.classes_, panel.n_features_in_ = model.classes, selection.n_features_in
        panel.selection_ = selection
        panel._set_model(model)
        return panel

    def _describe(self) -> dict[str, Any]:
        """The parts of a file."""
        first = self._first_cohort
        return {
            "selection": self.selection_.to_dict(),
            "steps": self._steps.to_dict(),
            "model": self._model.to_dict(),
            "first_cohort": None if first is None else first.to_dict(),
        }

    def _set_model(self, model: PanelModel) -> None:
        """Set the fitted attributes that follow from the model and the selection."""
        self._model = model
        self.indices_ = np.array(self.selection_.indices, dtype=np.intp)
        self.feature_names_ = np.array(self.selection_.feature_names, dtype=object)
        self.coef_, self.intercept_ = model.logistic.coefficients, model.logistic.intercepts

    def _fit_selector(self, X: Any, y: NDArray[Any], **of_samples: Any) -> Any:
        """Fit a clone of the selector, which gets missing values only if it takes them."""
        selector = self._make_selector()
        tags = get_tags(selector).input_tags
        if issparse(X) and not (tags.sparse and (tags.allow_nan or not np.isnan(X.data).any())):
            X = X.toarray()
        if not issparse(X) and not tags.allow_nan:
            X = fill_gaps(X)[1]
        arguments = {
            name: values
            for name, values in of_samples.items()
            if values is not None and has_fit_parameter(selector, name)
        }
        if (names := self._get_input_names()) is not None:
            X = with_names(X, names)
        return fit_selector(selector, X, y, arguments, warn=True)

    def _make_selector(self) -> Any:
        """A fresh selector."""
        if self.selector is None:
            return PairCover(min(N_SELECTED, self.n_features_in_))
        return clone(self.selector)

    def _name_features(self) -> NDArray[Any]:
        """The names of all features, or x0, x1, …."""
        return name_features(np.arange(self.n_features_in_), self._get_input_names())

    def _check_positive(self) -> None:
        """Raise if the positive class is none of two."""
        labels = self.classes_.tolist()
        if self.positive is not None and (len(labels) != 2 or self.positive not in labels):
            shown = ", ".join(map(str, labels))
            raise ValueError(
                f"positive is {self.positive!r}, but the classes are {shown}; name one of two."
            )

    def _get_input_names(self) -> Any:
        """The names of all features, if the training table had some."""
        return getattr(self, "feature_names_in_", None)

    @property
    def _knows_names(self) -> bool:
        """Whether columns are found by name: a file always has names."""
        return self._is_loaded or self._get_input_names() is not None

    def _reject_if_loaded(self, what: str) -> None:
        if self._is_loaded:
            raise ValueError(
                f"A panel from a file cannot be {what}: its training table is not in the file; "
                "make a new Panel."
            )

    def __sklearn_clone__(self) -> "Panel":
        self._reject_if_loaded("cloned")
        parameters = self.get_params(deep=False)
        return type(self)(**{name: clone(value, safe=False) for name, value in parameters.items()})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _count_in(classes: NDArray[Any], codes: Indices, weight: Floats | None) -> NDArray[np.bool_]:
    """Which samples count: those of classes with two of them; a warning names the others."""
    is_small = are_small(np.bincount(codes, weight).astype(np.float64))
    if not is_small.any() or (~is_small).sum() < 2:
        return np.ones(len(codes), dtype=bool)
    names, is_one = format_names(classes[is_small]), is_small.sum() == 1
    have, are = ("Class {} has", "it is") if is_one else ("Classes {} have", "they are")
    warn_user(f"{have.format(names)} fewer than two samples, so {are} left out.")
    return np.asarray(~is_small[codes])


def _call_logistic(found: Comparison) -> Comparison:
    """The same with the name of the learner that a pipeline stands for."""
    by_size = {size: replace(at, learner="logistic") for size, at in found.by_size.items()}
    return replace(found, learner="logistic", by_size=by_size)


def hash_samples(values: Floats, codes: Indices) -> str:
    """What a training table is known by: its selected columns and classes, sample by sample."""
    digest = blake2b(np.ascontiguousarray(values, dtype="<f8").tobytes(), digest_size=16)
    digest.update(np.ascontiguousarray(codes, dtype="<i8").tobytes())
    return digest.hexdigest()


def _as_numbers(columns: Any, names: NDArray[Any]) -> Floats:
    """Selected columns as float64, NaN where a value is missing; infinity is refused by name."""
    reject_text_columns(columns)
    values = check_array(columns, dtype=np.float64, ensure_all_finite=False, ensure_min_features=0)
    reject_nonfinite_columns(values, names.tolist(), allow_nan=True)
    return values
