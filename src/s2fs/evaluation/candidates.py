"""The selectors that are compared: by name or as given, and what they select in a fold."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from s2fs._utils.columns import Columns
from s2fs._utils.named import names_of
from s2fs._utils.types import Indices
from s2fs.baselines import AnovaF, best_of_several
from s2fs.baselines.registry import WithBaselines, explain_unknown
from s2fs.evaluation.names import name_selector
from s2fs.evaluation.samples import EvaluationSamples
from s2fs.selectors.base import RankingSelector, features_in_order, fit_selector
from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.pair_cover import PairCover
from s2fs.selectors.s2fs import S2FS
from s2fs.selectors.stability import StabilitySelector

#: What makes each selector that has a name, by that name in lower case.
SELECTORS: Mapping[str, Callable[..., Any]] = WithBaselines(
    {
        "paircover": PairCover,
        "s2fs": S2FS,
        "s2fs-rms": partial(S2FS, compactness="rms"),
        "best": best_of_several,
    },
    str.lower,
)
#: What a selector may call the number of features.
NUMBER_NAMES = ("n_features_to_select", "k")
#: Parameters that do not change what a selector selects, or that all of a run share.
_INCIDENTAL = {"n_features_to_select", "n_jobs", "random_state", "feature_groups"}


class Candidate(NamedTuple):
    """A selector to evaluate; a sized one may be told how many features to select."""

    name: str
    selector: Any
    is_sized: bool


class Selected(NamedTuple):
    """What a selector selects in one fold."""

    features: Indices
    is_ranked: bool
    seconds: float
    fitted: Any = None


def resolve_selectors(selectors: Any, k: int | None, random_state: int) -> dict[str, Any]:
    """The selectors by the names of their rows, set to ``k`` features."""
    if selectors is None:
        selectors = [PairCover(), S2FS(), AnovaF()]
    if isinstance(selectors, str) or not isinstance(selectors, Iterable):
        raise ValueError(f"selectors is {selectors!r}; give a list, or a dict of names.")
    if isinstance(selectors, Mapping):
        named = {
            str(name): _make_selector(selector, k, random_state)
            for name, selector in selectors.items()
        }
    else:
        named, n_of_name = {}, Counter[str]()
        for given in selectors:
            selector = _make_selector(given, k, random_state)
            name = name_selector(selector)
            n_of_name[name] += 1
            if n_of_name[name] > 1:  # two of one name: the second is called so
                name = f"{name} {n_of_name[name]}"
            named[name] = selector
    if not named:
        raise ValueError("selectors is empty; give at least one.")
    return named


def _make_selector(selector: Any, k: int | None, random_state: int) -> Any:
    """A fresh selector by name or object, set to ``k`` features if it has a number of them."""
    settings: dict[str, Any] = {}
    if isinstance(selector, str):
        make = SELECTORS.get(selector.lower())
        if make is None:
            ending = explain_unknown(selector, SELECTORS, ", or give a selector")
            raise ValueError(f"selectors has {selector!r}{ending}")
        selector = make()
        settings["random_state"] = random_state
    if not (hasattr(selector, "fit") and hasattr(selector, "get_params")):
        raise ValueError(f"selectors has {selector!r}; give an estimator with get_support.")
    if k is not None:
        settings |= dict.fromkeys(NUMBER_NAMES, k)
    parameters = selector.get_params(deep=False)
    known = {name: value for name, value in settings.items() if name in parameters}
    return clone(selector).set_params(**known)


def are_same_selector(first: Any, second: Any) -> bool:
    """Whether two selectors differ in nothing that matters but the number of features."""
    if type(first) is not type(second):
        return False
    parameters, others = first.get_params(deep=False), second.get_params(deep=False)
    return all(
        parameters[name] is others[name] or parameters[name] == others[name]
        for name in parameters.keys() - _INCIDENTAL
    )


def is_greedy(selector: Any) -> bool:
    """Whether the first features of a larger selection are those of a smaller one.

    So it is where feature is added to feature, and the number alone says when to stop.
    """
    if not isinstance(selector, RankingSelector) or isinstance(
        selector, SelectorCV | StabilitySelector
    ):
        return False
    if getattr(selector, "min_per_class", None) is not None:
        return False
    return bool(selector.n_features_to_select != "auto")


def can_go_on(selector: Any) -> bool:
    """Whether more features than a selector has selected can be had of it, in the same order."""
    return isinstance(selector, RankingSelector) and not isinstance(selector, StabilitySelector)


def count_free_features(selector: Any, samples: EvaluationSamples) -> int:
    """How many of the features a selector may select."""
    if isinstance(selector, SelectorCV):
        selector = selector.selector
    excluded = getattr(selector, "exclude", None)
    if excluded is None:
        return samples.n_features
    m, names = samples.n_columns, names_of(samples.X)
    columns = Columns(None if names is None else names.tolist(), m)
    left = np.delete(np.arange(m), columns.positions(excluded, "exclude"))
    return len(np.unique(samples.features.of_column[left]))


def make_path_selector(fitted: Any, k: int) -> Any:
    """A selector that goes on where one that has decided when to stop did; None if none can.

    With what it has chosen on its samples: its weights, or one selector of several.
    """
    if isinstance(fitted, SelectorCV):
        fitted = fitted.selector_
    if not can_go_on(fitted):
        return None
    return clone(fitted).set_params(n_features_to_select=k)


def needs_prepared(selector: Any, samples: EvaluationSamples) -> bool:
    """Whether a selector cannot take missing values, sparse tables or covariates itself."""
    tags = get_tags(selector).input_tags
    if samples.has_missing and samples.imputer is None and not tags.allow_nan:
        return True
    return samples.covariates is not None and not has_fit_parameter(selector, "covariates")


def select_features(selector: Any, X: Any, samples: EvaluationSamples, train: Indices) -> Selected:
    """Let a fresh clone select from the training samples, whose table is ``X``."""
    of_samples = {
        "sample_weight": samples.sample_weight,
        "covariates": samples.covariates,
        "groups": samples.groups,
    }
    arguments = {
        name: values[train]
        for name, values in of_samples.items()
        if values is not None and has_fit_parameter(selector, name)
    }
    start = perf_counter()
    fitted = fit_selector(clone(selector), X, samples.y[train], arguments)
    seconds = perf_counter() - start
    order = None if isinstance(fitted, Pipeline) else features_in_order(fitted)
    if order is None:
        selected = find_selected(fitted, samples.n_columns)
        return Selected(samples.features.find(selected), False, seconds, fitted)
    return Selected(samples.features.find(order), True, seconds, fitted)


def find_selected(fitted: Any, m: int) -> Indices:
    """Which of ``m`` features a fitted selector, or a pipeline that holds some, lets through."""
    if not isinstance(fitted, Pipeline):
        if hasattr(fitted, "get_support"):
            return np.flatnonzero(fitted.get_support())
        raise ValueError(
            f"selectors has a {type(fitted).__name__}, which has no get_support after fit; give a "
            "selector."
        )
    selected = np.arange(m)
    for _, step in fitted.steps:
        if step in (None, "passthrough"):
            continue
        selects = isinstance(step, Pipeline) or hasattr(step, "get_support")
        predicts = hasattr(step, "predict") and not selects
        makes_features = getattr(step, "n_features_in_", len(selected)) != len(selected)
        if predicts or makes_features:
            raise ValueError(
                f"selectors has a pipeline that does more than select before or in its step "
                f"{type(step).__name__}; leave out what makes features or predicts."
            )
        if selects:
            selected = selected[find_selected(step, len(selected))]
    return selected
