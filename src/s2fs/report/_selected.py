"""What a fitted selector has selected, and the same selection repeated and evaluated."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from s2fs._utils.types import Indices
from s2fs.evaluation import Comparison, evaluate_selector
from s2fs.evaluation.names import name_selector
from s2fs.report._table import Table
from s2fs.selectors.base import features_in_order
from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.s2fs import S2FS
from s2fs.selectors.stability import StabilitySelector

#: On how many random halves of the samples the selection is repeated, if nothing else is asked for.
N_HALVES = 20


class SelectedFeatures(NamedTuple):
    """A fitted selector, its features in order, whether that order means anything, its name."""

    selector: Any
    indices: Indices
    is_ranked: bool
    name: str


class _InColumnOrder(BaseEstimator):
    """A selector that gives no order, with its features in the order of the columns."""

    def __init__(self, selector: Any = None) -> None:
        self.selector = selector

    def fit(self, X: Any, y: Any) -> "_InColumnOrder":
        fitted = clone(self.selector).fit(X, y)
        self.indices_ = np.flatnonzero(fitted.get_support())
        return self


def read_selection(selector: Any, table: Table) -> SelectedFeatures:
    """Check that a selector was fitted on these data, and read what it has selected."""
    if not hasattr(selector, "get_support"):
        raise TypeError(
            f"selector is a {type(selector).__name__}, which has no get_support; give a fitted "
            "selector."
        )
    check_is_fitted(selector)
    m = table.values.shape[1]
    if len(selector.get_support()) != m:
        raise ValueError(
            f"selector was fitted on {len(selector.get_support())} features, but X has {m}; give "
            "the data it was fitted on."
        )
    if len(table.classes) < 2:
        raise ValueError("y has one class only; at least two are needed.")
    shape = table.image_shape
    if shape is not None and shape[0] * shape[1] != m:
        raise ValueError(
            f"image_shape is {shape[0]} × {shape[1]}, which are {shape[0] * shape[1]} pixels, but "
            f"X has {m} features; give the shape of one picture."
        )
    order = features_in_order(selector)
    indices = np.flatnonzero(selector.get_support()) if order is None else order
    if not len(indices):
        raise ValueError("selector has selected no feature; let it select at least one.")
    _check_fitted_with(selector, table)
    return SelectedFeatures(selector, indices, order is not None, name_selector(selector))


def _check_fitted_with(selector: Any, table: Table) -> None:
    """Raise if the folds would leave out what the selector was fitted with."""
    for name in getattr(selector, "_fitted_with", ()):
        if getattr(table, name) is None:
            raise ValueError(
                f"selector was fitted with {name}, but the report was given none; give {name}, so "
                "that it is used inside the folds, too."
            )


def repeat_on_halves(
    selected: SelectedFeatures, table: Table, n_halves: int, random_state: int, n_jobs: int | None
) -> StabilitySelector | None:
    """The selection repeated on random halves of the samples, None if it cannot be."""
    selector = selected.selector
    if isinstance(selector, StabilitySelector):  # it has done this itself
        return selector
    if isinstance(selector, SelectorCV) and isinstance(selector.selector, S2FS):
        # With the weights it found: choosing them again on each half takes too long.
        selector = selector.selector_
    sized = _with_size(selector, len(selected.indices))
    repeated = StabilitySelector(
        selector=sized if selected.is_ranked else _InColumnOrder(sized),
        n_resamples=n_halves,
        n_permutations=0,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    X = table.X
    if issparse(X) and not get_tags(repeated).input_tags.sparse:
        X = X.toarray()
    arguments = {"sample_weight": table.sample_weight, "covariates": table.covariates}
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        with warnings.catch_warnings():
            # What there is to warn of was said when the selector was fitted.
            warnings.simplefilter("ignore", UserWarning)
            return repeated.fit(X, table.labels, groups=table.groups, **given)
    except ValueError:  # missing values that only this selector takes, or a half it cannot take
        return None


def _with_size(selector: Any, k: int) -> Any:
    """A fresh copy that selects as many features as this one has selected."""
    fresh = clone(selector)
    has = fresh.get_params(deep=False)
    sizes = {"n_features_to_select": k, "k": k}
    return fresh.set_params(**{name: value for name, value in sizes.items() if name in has})


def evaluate(
    selected: SelectedFeatures, table: Table, random_state: int, n_jobs: int | None
) -> tuple[Comparison | None, str]:
    """The evaluation of a fresh clone of the selector, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            comparison = evaluate_selector(
                clone(selected.selector),
                table.X if table.imputer is None else table.incomplete,
                table.labels,
                n_selected=len(selected.indices),
                is_ranked=selected.is_ranked,
                groups=table.groups,
                sample_weight=table.sample_weight,
                covariates=table.covariates,
                imputer=table.imputer,
                random_state=random_state,
                n_jobs=n_jobs,
                class_names=table.classes,
            )
    except ValueError as error:  # too few samples, or a fold that the selector cannot take
        return None, str(error)
    return comparison, ""
