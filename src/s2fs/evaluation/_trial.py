"""One fold of a comparison: select from the training samples, predict the held-out ones."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import has_fit_parameter

from s2fs._core.correlation import prefix_redundancy
from s2fs._selectors.base import features_in_order
from s2fs._util.inputs import inner_fit
from s2fs._util.types import Floats, Indices
from s2fs.evaluation._learners import check_rows, predict_prefixes
from s2fs.evaluation._samples import EvaluationData
from s2fs.evaluation._splits import Fold
from s2fs.evaluation.comparison import MAJORITY, RANDOM

#: How many random sets of features are drawn in each fold.
N_RANDOM_DRAWS = 10
#: What a selector may call the number of features.
NUMBER_NAMES = ("n_features_to_select", "k")


class Candidate(NamedTuple):
    """A selector to evaluate; a sized one may be told how many features to select."""

    name: str
    selector: Any
    is_sized: bool


class Scored(NamedTuple):
    """What one row has reached in one fold with one number of features."""

    selected: Indices
    predicted: Indices  # (n_draws, n_test)
    redundancy: float | None = None
    seconds: float | None = None


class Selected(NamedTuple):
    """What a selector selects in one fold."""

    features: Indices
    is_ranked: bool
    seconds: float


class Trial:
    """A learner in one fold: trained on some features of the training samples, tested on the rest.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        The table as it is in this fold, complete.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    fold : tuple of ndarray
        The samples to learn from, and those that are held out.
    learner : estimator or callable
        What predicts.
    """

    def __init__(self, values: Floats, codes: Indices, fold: Fold, learner: Any) -> None:
        self.values, self.codes, self.learner = values, codes, learner
        self.train, self.test = fold
        self.classes, self._trained = np.unique(codes[self.train], return_inverse=True)
        if len(self.classes) < 2:
            raise ValueError(
                "a fold has training samples of one class only; use fewer folds, or other groups."
            )
        check_rows({"": learner}, len(self.train))

    def predict(self, ranking: Indices, sizes: Sequence[int]) -> Indices:
        """The predicted classes of the held-out samples, for each number of first features."""
        columns = ranking[: sizes[-1]]
        known = self.values[np.ix_(self.train, columns)]
        held_out = self.values[np.ix_(self.test, columns)]
        low = known.min(axis=0)
        width = known.max(axis=0) - low
        width[width == 0] = 1.0
        # Column after column: every size reads the first ones.
        known = np.asfortranarray((known - low) / width)
        held_out = np.asfortranarray((held_out - low) / width)
        found = predict_prefixes(self.learner, known, self._trained, held_out, np.array(sizes))
        return self.classes[found]

    def guess_largest(self) -> Indices:
        """What can be said without a feature: the largest class of the training samples."""
        return np.full((1, len(self.test)), np.bincount(self.codes[self.train]).argmax())

    def score(self, ranking: Indices, sizes: Sequence[int], seconds: float) -> list[Scored]:
        """Predict with the first features of a ranking, for each number of them."""
        steps = sorted({size for size in sizes if size > 0})
        by_size = {0: Scored(ranking[:0], self.guess_largest(), None, seconds)}
        if steps:
            predicted = self.predict(ranking, steps)
            columns = self.values[np.ix_(self.train, ranking)]
            redundancy = prefix_redundancy(columns, np.array(steps))
            for size, said, r in zip(steps, predicted, redundancy, strict=True):
                known = None if np.isnan(r) else float(r)
                by_size[size] = Scored(ranking[:size], said[None], known, seconds)
        return [by_size[size] for size in sizes]

    def score_random(self, sizes: Sequence[int], seed: list[int]) -> list[Scored]:
        """Predict with random features, drawn ten times."""
        rng = np.random.default_rng(seed)
        steps = sorted({size for size in sizes if size > 0})
        by_size = {0: np.repeat(self.guess_largest(), N_RANDOM_DRAWS, axis=0)}
        draws = [
            rng.choice(self.values.shape[1], max(sizes), replace=False)
            for _ in range(N_RANDOM_DRAWS)
        ]
        if steps:
            predicted = np.array([self.predict(draw, steps) for draw in draws])
            by_size |= {size: predicted[:, i] for i, size in enumerate(steps)}
        return [Scored(draws[0][:size], by_size[size]) for size in sizes]


def run_fold(
    data: EvaluationData,
    fold: Fold,
    candidates: list[Candidate],
    sizes: Sequence[int | None],
    learner: Any,
    seed: list[int],
) -> dict[str, list[Scored]]:
    """Run every candidate and the rows that frame them; for each row a result per size."""
    train, test = fold
    complete = data.fill(train)
    values = data.adjust(complete, train)
    trial = Trial(values, data.codes, fold, learner)
    samples = _safe_indexing(data.X if data.imputer is None else complete, train)
    found = {}
    for candidate in candidates:
        own = values[train] if _needs_prepared(candidate.selector, data) else samples
        found[candidate.name] = _run_candidate(candidate, own, data, trial, sizes)
    m = data.n_features
    everything = trial.predict(np.arange(m), [m])
    found[name_all_features(m)] = [Scored(np.arange(m), everything)] * len(sizes)
    first = found[candidates[0].name]
    found[RANDOM] = trial.score_random([len(one.selected) for one in first], seed)
    largest = np.bincount(data.codes[np.concatenate(fold)]).argmax()  # of equal ones the first
    guess = np.full((1, len(test)), largest)
    found[MAJORITY] = [Scored(np.arange(0), guess)] * len(sizes)
    return found


def name_all_features(m: int) -> str:
    """What the row of all features is called."""
    return f"all {m} features"


def _needs_prepared(selector: Any, data: EvaluationData) -> bool:
    """Whether a selector cannot take missing values or covariates itself."""
    if data.has_missing and data.imputer is None and not get_tags(selector).input_tags.allow_nan:
        return True
    return data.covariates is not None and not has_fit_parameter(selector, "covariates")


def _run_candidate(
    candidate: Candidate,
    samples: Any,
    data: EvaluationData,
    trial: Trial,
    sizes: Sequence[int | None],
) -> list[Scored]:
    """Fit a selector, once if it ranks, and score each number of its first features."""
    _, selector, is_sized = candidate
    found = _select(selector, samples, data, trial.train)
    own = len(found.features)
    numbers_it_has = [n for n in NUMBER_NAMES if n in selector.get_params(deep=False)]
    if is_sized and not numbers_it_has:  # it selects what it selects, whatever was asked for
        return trial.score(found.features, [own] * len(sizes), found.seconds)
    if is_sized and not found.is_ranked and len(sizes) > 1:
        results = []
        for size in sizes[:-1]:
            smaller = clone(selector).set_params(**dict.fromkeys(numbers_it_has, size))
            fewer = _select(smaller, samples, data, trial.train)
            results += trial.score(fewer.features, [len(fewer.features)], fewer.seconds)
        return results + trial.score(found.features, [own], found.seconds)
    # What a selector leaves open, such as "auto", is up to it: its last number is its own.
    first = [min(own, size or own) if found.is_ranked else own for size in sizes[:-1]]
    return trial.score(found.features, [*first, own], found.seconds)


def _select(selector: Any, samples: Any, data: EvaluationData, train: Indices) -> Selected:
    """Let a fresh clone select from the training samples."""
    beside = {
        "sample_weight": data.sample_weight,
        "covariates": data.covariates,
        "groups": data.groups,
    }
    arguments = {
        name: given[train]
        for name, given in beside.items()
        if given is not None and has_fit_parameter(selector, name)
    }
    start = perf_counter()
    with inner_fit():
        fitted = clone(selector).fit(samples, data.y[train], **arguments)
    seconds = perf_counter() - start
    order = None if isinstance(fitted, Pipeline) else features_in_order(fitted)
    if order is None:
        return Selected(_kept_features(fitted, data.n_features), False, seconds)
    return Selected(order, True, seconds)


def _kept_features(fitted: Any, m: int) -> Indices:
    """Which of ``m`` features a fitted selector, or a pipeline that holds some, lets through."""
    if not isinstance(fitted, Pipeline):
        if hasattr(fitted, "get_support"):
            return np.flatnonzero(fitted.get_support())
        raise ValueError(
            f"selectors has a {type(fitted).__name__}, which has no get_support after fit; give a "
            "selector."
        )
    kept = np.arange(m)
    for _, step in fitted.steps:
        if step in (None, "passthrough"):
            continue
        selects = isinstance(step, Pipeline) or hasattr(step, "get_support")
        if getattr(step, "n_features_in_", len(kept)) != len(kept) or (
            hasattr(step, "predict") and not selects
        ):
            raise ValueError(
                f"selectors has a pipeline that does more than select before or in its step "
                f"{type(step).__name__}; leave out what makes features or predicts."
            )
        if selects:
            kept = kept[_kept_features(step, len(kept))]
    return kept
