"""One fold of a comparison: select from the training samples, predict the held-out ones."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import get_tags

from s2fs._utils.features import Features
from s2fs._utils.training_rows import TrainingRows
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.correlation import prefix_redundancy
from s2fs.criteria.logistic import decide_classes, logistic
from s2fs.evaluation import all_features
from s2fs.evaluation.candidates import (
    NUMBER_NAMES,
    Candidate,
    Selected,
    is_greedy,
    make_path_selector,
    needs_prepared,
    select_features,
)
from s2fs.evaluation.comparison import RANDOM, name_all_features
from s2fs.evaluation.folds import Fold
from s2fs.evaluation.learners import check_n_train, predict_prefixes
from s2fs.evaluation.samples import EvaluationSamples, take_columns


class Answers(NamedTuple):
    """What a learner says of the held-out samples: their classes, and a score for each class."""

    predicted: Indices
    scores: Floats | None


class Scored(NamedTuple):
    """What one row of the comparison reaches in one fold with one number of features."""

    selected: Indices
    answers: Answers
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
    n_classes : int
        The number of classes in all folds.
    fold : tuple of ndarray
        The samples to learn from, and those that are held out.
    learner : estimator or callable
        What predicts.
    features : Features
        Which columns are one feature.
    """

    def __init__(
        self,
        values: Any,
        codes: Indices,
        n_classes: int,
        fold: Fold,
        learner: Any,
        features: Features,
    ) -> None:
        self.values, self.codes, self.n_classes, self.learner = values, codes, n_classes, learner
        self.train, self.test = fold
        self.features = features
        self.classes, self._train_codes = np.unique(codes[self.train], return_inverse=True)
        if len(self.classes) < 2:
            raise ValueError(
                "a fold has training samples of one class only; use fewer folds, or other groups."
            )
        check_n_train({"": learner}, len(self.train))

    def predict(self, columns: Indices, sizes: Sequence[int] | Indices) -> list[Answers]:
        """What is said of the held-out samples, for each number of first columns."""
        columns = columns[: sizes[-1]]
        trained_on = take_columns(self.values, self.train, columns)
        held_out = take_columns(self.values, self.test, columns)
        if self.learner is not logistic:  # which standardises features itself
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
        return [self._name_classes(of_size) for of_size in answers]

    def _name_classes(self, answers: Indices | Floats) -> Answers:
        """Predicted classes, or probabilities, of all classes and not only of the training ones."""
        predicted = self.classes[decide_classes(answers)]
        if answers.ndim == 1:
            return Answers(predicted, None)
        scores = np.zeros((len(answers), self.n_classes))
        scores[:, self.classes] = answers
        return Answers(predicted, scores)

    def predict_by_all(self) -> Answers:
        """What is said of the held-out samples by all features."""
        m = self.values.shape[1]
        if self.learner is logistic:
            fold = (self.train, self.test)
            answers = all_features.predict_by_all_features(self.values, self.codes, fold)
            return self._name_classes(answers)
        return self.predict(np.arange(m), [m])[0]

    def guess_largest(self) -> Answers:
        """What can be said without a feature: the classes are those of the training samples."""
        shares = self.class_shares
        predicted = np.full(len(self.test), shares.argmax())
        return Answers(predicted, np.tile(shares, (len(self.test), 1)))

    @property
    def class_shares(self) -> Floats:
        """The share of each class in the training samples."""
        counts = np.bincount(self.codes[self.train], minlength=self.n_classes)
        return np.asarray(counts / len(self.train))

    def score(self, selected: Selected, sizes: Sequence[int]) -> list[Scored]:
        """Predict with the first features of a selection, for each number of them."""
        ranking, seconds = selected.features, selected.seconds
        sizes = [min(size, len(ranking)) for size in sizes]
        steps = sorted({size for size in sizes if size > 0})
        by_size = {0: Scored(ranking[:0], self.guess_largest(), None, seconds)}
        if steps:
            columns, n_columns = self.features.expand(ranking[: steps[-1]])
            answers = self.predict(columns, n_columns[steps])
            values = take_columns(self.values, self.train, columns)
            redundancy = prefix_redundancy(values, n_columns[steps])
            for size, of_size, r in zip(steps, answers, redundancy, strict=True):
                mean_r = None if np.isnan(r) else float(r)
                by_size[size] = Scored(ranking[:size], of_size, mean_r, seconds)
        return [by_size[size] for size in sizes]

    def score_random(self, sizes: Sequence[int], seed: list[int]) -> list[Scored]:
        """Predict with random features: one draw, whose first features are those of each size."""
        m = self.features.n
        draw = np.random.default_rng(seed).choice(m, max(sizes), replace=False)
        return [
            scored._replace(redundancy=None, seconds=None)
            for scored in self.score(Selected(draw, True, 0.0), sizes)
        ]


def run_fold(
    samples: EvaluationSamples,
    fold: Fold,
    candidates: list[Candidate],
    sizes: Sequence[int | None],
    k: int | None,
    learner: Any,
    seed: list[int],
    rows: TrainingRows,
) -> dict[str, list[Scored]]:
    """Run every candidate and the rows that frame them; for each row a result per size.

    The ``rows`` are those of all folds.
    """
    train, _ = fold
    complete = samples.fill(train)
    values = samples.adjust(complete, train)
    n_classes = len(samples.classes)
    trial = Trial(values, samples.codes, n_classes, fold, learner, samples.features)
    by_row = _run_candidates(candidates, samples, complete, trial, sizes, k, rows)
    m = samples.n_features
    by_row[name_all_features(m)] = [Scored(np.arange(m), trial.predict_by_all())] * len(sizes)
    first = by_row[candidates[0].name]
    by_row[RANDOM] = trial.score_random([len(scored.selected) for scored in first], seed)
    return by_row


def _run_candidates(
    candidates: list[Candidate],
    samples: EvaluationSamples,
    complete: Any,
    trial: Trial,
    sizes: Sequence[int | None],
    k: int | None,
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
        by_row[candidate.name] = _run_candidate(candidate, X, samples, trial, sizes, k)
    return by_row


def _run_candidate(
    candidate: Candidate,
    X: Any,
    samples: EvaluationSamples,
    trial: Trial,
    sizes: Sequence[int | None],
    k: int | None,
) -> list[Scored]:
    """Fit a selector as often as its sizes need, and score each of them.

    One that adds feature after feature is fitted once, with the largest number: its first features
    are those it selects if it is asked for fewer. The row of the number asked for is of exactly
    what was run.
    """
    if np.count_nonzero(np.bincount(samples.codes[trial.train]) > 1) < 2:
        # Nothing can be selected for classes of one sample: the largest class is guessed.
        nothing = Selected(np.empty(0, dtype=np.intp), is_ranked=True, seconds=0.0)
        return trial.score(nothing, [0]) * len(sizes)

    def select(selector: Any) -> Selected:
        return select_features(selector, X, samples, trial.train)

    _, selector, is_sized = candidate
    parameters = [name for name in NUMBER_NAMES if name in selector.get_params(deep=False)]
    numbers = [size for size in sizes if size is not None]

    def ask_for(size: int) -> Any:
        return clone(selector).set_params(**dict.fromkeys(parameters, size))

    if not numbers or (is_sized and not parameters):  # it has no number to be told
        selected = select(selector)
        return trial.score(selected, [len(selected.features)]) * len(sizes)
    if parameters and is_greedy(selector):
        return trial.score(select(ask_for(numbers[-1])), numbers)
    as_run = select(ask_for(k) if is_sized and k is not None else selector)
    own = trial.score(as_run, [len(as_run.features)])[0]
    others = [size for size in numbers if size != k]
    if not others:
        return [own]
    path = make_path_selector(as_run.fitted, numbers[-1])
    if path is not None:
        by_size = dict(zip(others, trial.score(select(path), others), strict=True))
    elif is_sized and not as_run.is_ranked:
        by_size = {size: trial.score(select(ask_for(size)), [size])[0] for size in others}
    elif is_sized:
        by_size = dict(zip(others, trial.score(select(ask_for(numbers[-1])), others), strict=True))
    else:
        by_size = dict(zip(others, trial.score(as_run, others), strict=True))
    return [own if size == k else by_size[size] for size in numbers]
