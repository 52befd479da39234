"""The contract every selector keeps: fit once, get a ranked list."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, RealNotInt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _num_samples,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from s2fs._search.choices import n_features_to_choose
from s2fs._util.columns import reject_nonfinite_columns, reject_text_columns
from s2fs._util.tables import as_table
from s2fs._util.types import Indices


class RankingSelector(SelectorMixin, BaseEstimator):
    """Base of all selectors: supervised, ordered, scikit-learn compatible.

    A subclass defines its constructor with ``n_features_to_select`` first, extends
    ``_parameter_constraints``, and implements :meth:`_rank`, or :meth:`fit` if it takes more than
    ``X`` and ``y``.

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
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ]
    }
    #: The sparse format the selector takes, or False.
    _accept_sparse: ClassVar[str | bool] = False
    n_features_to_select: Any  # a number or a fraction; a selector may take more

    def _rank(self, X: NDArray[Any], codes: Indices, k: int) -> tuple[Indices, NDArray[np.float64]]:
        """Rank the best ``k`` features.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Finite numbers, not scaled.
        codes : ndarray of shape (n_samples,)
            For each instance the position of its label in ``classes_``.
        k : int
            How many features to choose, between 1 and ``n_features``.

        Returns
        -------
        indices, scores : ndarray of shape (k,)
            The features in order of choice and the criterion after each choice.
        """
        raise NotImplementedError

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Rank the features of ``X`` by how well they tell the classes ``y`` apart.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numeric features without missing values.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.

        Returns
        -------
        Self
            The fitted selector.
        """
        X, y = self._validate(X, y)
        codes = self._encode(y)
        k = n_features_to_choose(self.n_features_to_select, X.shape[1])
        return self._set_ranking(*self._rank(X, codes, k))

    def _set_ranking(self, indices: Indices, scores: NDArray[np.float64]) -> Self:
        """Set the fitted attributes that follow from the features in order of choice."""
        self.indices_, self.scores_ = indices, scores
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[indices] = True
        self.ranking_ = np.full(self.n_features_in_, len(indices) + 1)
        self.ranking_[indices] = np.arange(1, len(indices) + 1)
        return self

    def _encode(self, y: NDArray[Any]) -> Indices:
        """For each label its position in ``classes_``, which is set here."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only ({self.classes_[0]}); {type(self).__name__} needs at "
                "least two to tell apart."
            )
        return codes

    def _validate(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Check the input; every complaint names the argument and the columns."""
        reject_text_columns(X)
        if y is not None and hasattr(X, "__len__") and _num_samples(X) != _num_samples(y):
            raise ValueError(
                f"y has {_num_samples(y)} label(s) for the {_num_samples(X)} row(s) of X; "
                "give one label per row."
            )
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=self._accept_sparse,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=2,
        )
        y = column_or_1d(y)
        check_classification_targets(y)
        reject_nonfinite_columns(X, getattr(self, "feature_names_in_", None))
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
        names = self.get_feature_names_out()  # in the order of the columns
        features = names[self.indices_.argsort().argsort()].astype(str)
        return as_table({"rank": ranks, "feature": features, **self._score_columns()})

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        """The columns of :meth:`ranking_table` that follow rank and feature."""
        return {"score": self.scores_}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = bool(self._accept_sparse)
        return tags
