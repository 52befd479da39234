"""One fold of a comparison: select from the training samples, predict the held-out ones."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import get_tags

from s2fs._native.neighbours import knn
from s2fs._utils.training_rows import TrainingRows
from s2fs._utils.types import Indices
from s2fs.criteria.correlation import prefix_redundancy
from s2fs.criteria.logistic import decide_classes, logistic
from s2fs.evaluation import all_features
from s2fs.evaluation.candidates import NUMBER_NAMES, Candidate, needs_prepared, select_features
from s2fs.evaluation.comparison import MAJORITY, RANDOM
from s2fs.evaluation.folds import Fold
from s2fs.evaluation.learners import check_n_train, predict_prefixes
from s2fs.evaluation.neighbours import FEWEST_FEATURES, predict_by_all_features
from s2fs.evaluation.samples import EvaluationSamples, take_columns

#: How many random sets of features are drawn in each fold.
N_RANDOM_DRAWS = 10


class Scored(NamedTuple):
    """What one row of the comparison reaches in one fold with one number of features."""

    selected: Indices
    predicted: Indices  # (n_draws, n_test)
    redundancy: float | None = None
    seconds: float | None = None


class Trial:
    """A learner in one fold: trained on some features of the training samples, tested on the rest.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table as it is in this fold, complete.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    fold : tuple of ndarray
        The samples to learn from, and those that are held out.
    learner : estimator or callable
        What predicts.
    predicted_by_all : ndarray of shape (n_test,), optional
        What nearest neighbours by all features predict, if that is known.
    """

    def __init__(
        self,
        values: Any,
        codes: Indices,
        fold: Fold,
        learner: Any,
        predicted_by_all: Indices | None = None,
    ) -> None:
        self.values, self.codes, self.learner = values, codes, learner
        self.train, self.test = fold
        self._predicted_by_all = predicted_by_all
        self.classes, self._train_codes = np.unique(codes[self.train], return_inverse=True)
        if len(self.classes) < 2:
            raise ValueError(
                "a fold has training samples of one class only; use fewer folds, or other groups."
            )
        check_n_train({"": learner}, len(self.train))

    def predict(self, ranking: Indices, sizes: Sequence[int]) -> Indices:
        """The predicted classes of the held-out samples, for each number of first features."""
        columns = ranking[: sizes[-1]]
        trained_on = take_columns(self.values, self.train, columns)
        held_out = take_columns(self.values, self.test, columns)
        low = trained_on.min(axis=0)
        width = trained_on.max(axis=0) - low
        width[width == 0] = 1.0
        for part in (trained_on, held_out):
            part -= low
            part /= width
        # Column after column: every size reads the first ones.
        trained_on, held_out = np.asfortranarray(trained_on), np.asfortranarray(held_out)
        answers = predict_prefixes(
            self.learner, trained_on, self._train_codes, held_out, np.array(sizes)
        )
        return self.classes[decide_classes(answers)]

    def predict_by_all(self) -> Indices:
        """The predicted classes of the held-out samples by all features."""
        if self._predicted_by_all is not None:
            return self._predicted_by_all[None]
        m = self.values.shape[1]
        if self.learner is logistic:
            answers = all_features.predict_by_all_features(
                self.values, self.codes, (self.train, self.test)
            )
            return self.classes[decide_classes(answers)][None]
        if self.learner is not knn or m < FEWEST_FEATURES:
            return self.predict(np.arange(m), [m])
        fold = (self.train, self.test)
        return predict_by_all_features(self.values, self.codes, [fold])[0][None]

    def guess_largest(self) -> Indices:
        """What can be predicted without a feature: the largest class of the training samples."""
        return np.full((1, len(self.test)), np.bincount(self.codes[self.train]).argmax())

    def score(self, ranking: Indices, sizes: Sequence[int], seconds: float) -> list[Scored]:
        """Predict with the first features of a ranking, for each number of them."""
        steps = sorted({size for size in sizes if size > 0})
        by_size = {0: Scored(ranking[:0], self.guess_largest(), None, seconds)}
        if steps:
            predicted = self.predict(ranking, steps)
            columns = take_columns(self.values, self.train, ranking)
            redundancy = prefix_redundancy(columns, np.array(steps))
            for size, of_size, r in zip(steps, predicted, redundancy, strict=True):
                mean_r = None if np.isnan(r) else float(r)
                by_size[size] = Scored(ranking[:size], of_size[None], mean_r, seconds)
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
    samples: EvaluationSamples,
    fold: Fold,
    candidates: list[Candidate],
    sizes: Sequence[int | None],
    learner: Any,
    seed: list[int],
    rows: TrainingRows,
    predicted_by_all: Indices | None = None,
) -> dict[str, list[Scored]]:
    """Run every candidate and the rows that frame them; for each row a result per size.

    The ``rows`` are those of all folds. What all features predict may be known, if the table is the
    same in every fold.
    """
    train, test = fold
    complete = samples.fill(train)
    values = samples.adjust(complete, train)
    trial = Trial(values, samples.codes, fold, learner, predicted_by_all)
    by_row = _run_candidates(candidates, samples, complete, trial, sizes, rows)
    m = samples.n_features
    by_row[name_all_features(m)] = [Scored(np.arange(m), trial.predict_by_all())] * len(sizes)
    first = by_row[candidates[0].name]
    by_row[RANDOM] = trial.score_random([len(scored.selected) for scored in first], seed)
    largest = np.bincount(samples.codes[np.concatenate(fold)]).argmax()  # of equal ones the first
    guess = np.full((1, len(test)), largest)
    by_row[MAJORITY] = [Scored(np.arange(0), guess)] * len(sizes)
    return by_row


def name_all_features(m: int) -> str:
    """What the row of all features is called."""
    return f"all {m:,} features"


def _run_candidates(
    candidates: list[Candidate],
    samples: EvaluationSamples,
    complete: Any,
    trial: Trial,
    sizes: Sequence[int | None],
    rows: TrainingRows,
) -> dict[str, list[Scored]]:
    """Let every candidate select from the training samples; score what it has selected."""
    given = rows.take(samples.X if samples.imputer is None else complete, trial.train)
    by_row = {}
    for candidate in candidates:
        X = given
        if needs_prepared(candidate.selector, samples):
            X = trial.values[trial.train]
        if issparse(X) and not get_tags(candidate.selector).input_tags.sparse:
            X = X.toarray()
        by_row[candidate.name] = _run_candidate(candidate, X, samples, trial, sizes)
    return by_row


def _run_candidate(
    candidate: Candidate,
    X: Any,
    samples: EvaluationSamples,
    trial: Trial,
    sizes: Sequence[int | None],
) -> list[Scored]:
    """Fit a selector, once if it ranks, and score each number of its first features."""
    _, selector, is_sized = candidate
    selected = select_features(selector, X, samples, trial.train)
    n_selected = len(selected.features)
    number_parameters = [name for name in NUMBER_NAMES if name in selector.get_params(deep=False)]
    if is_sized and not number_parameters:  # it has no number to be told
        return trial.score(selected.features, [n_selected] * len(sizes), selected.seconds)
    if is_sized and not selected.is_ranked and len(sizes) > 1:
        results = []
        for size in sizes[:-1]:
            smaller = clone(selector).set_params(**dict.fromkeys(number_parameters, size))
            fewer = select_features(smaller, X, samples, trial.train)
            results += trial.score(fewer.features, [len(fewer.features)], fewer.seconds)
        return results + trial.score(selected.features, [n_selected], selected.seconds)
    # What a selector leaves open, such as "auto", is up to it: its last number is its own.
    n_features = [n_selected] * len(sizes)
    if selected.is_ranked:
        n_features[:-1] = [min(n_selected, size or n_selected) for size in sizes[:-1]]
    return trial.score(selected.features, n_features, selected.seconds)
