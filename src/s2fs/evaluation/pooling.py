"""From what was said in the folds to the rows of a comparison."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from s2fs._utils.stability import stability
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.weights import ClassWeight, row_weights
from s2fs.evaluation.comparison import MAJORITY, ComparisonRow
from s2fs.evaluation.folds import Splits
from s2fs.evaluation.metrics import METRICS, Estimate, HeldOut, Metric, make_estimate
from s2fs.evaluation.samples import EvaluationSamples
from s2fs.evaluation.trial import Scored


class Pool(NamedTuple):
    """What all rows share: which sample was held out when, and the classes of the models.

    Attributes
    ----------
    codes, units : ndarray of shape (n_samples,)
        The class and the unit of each sample.
    n_classes : int
        The number of classes.
    positive : int
        Of two classes the one that sensitivity is about.
    folds : ndarray of shape (n_repeats, n_samples)
        The fold in which a sample was held out, −1 for none.
    shares : ndarray of shape (n_repeats, n_folds, n_classes)
        The share of each class in the weights of the training samples.
    tests : list of list of ndarray
        The held-out samples of each fold of each repeat.
    n_splits : int
        The number of folds in a repeat.
    has_intervals : bool
        Whether the folds hold every sample out equally often.
    n_features : int
        How many there are to select from.
    """

    codes: Indices
    units: Indices
    n_classes: int
    positive: int
    folds: Indices
    shares: Floats
    tests: list[list[Indices]]
    n_splits: int
    has_intervals: bool
    n_features: int


def make_pool(
    samples: EvaluationSamples, splits: Splits, positive: int, class_weight: ClassWeight = None
) -> Pool:
    """What is the same for every row and every number of features.

    The ``class_weight`` is the learner's, which sees classes as 0, 1, ….
    """
    n, n_classes = len(samples.y), len(samples.classes)
    units = np.arange(n)
    if samples.groups is not None:
        units = np.unique(samples.groups, return_inverse=True)[1]
    n_folds = max(map(len, splits.repeats))
    folds = np.full((len(splits.repeats), n), -1)
    shares = np.ones((len(splits.repeats), n_folds, n_classes))
    for r, repeat in enumerate(splits.repeats):
        for v, (train, test) in enumerate(repeat):
            folds[r, test] = v
            codes = samples.codes[train]
            weight = row_weights(None, class_weight, codes) if class_weight else None
            counts = np.bincount(codes, weight, minlength=n_classes)
            # A class that the model has not seen has the score 0, whatever that is divided by.
            shares[r, v] = np.where(counts > 0, counts / counts.sum(), 1.0)
    return Pool(
        codes=samples.codes,
        units=units,
        n_classes=n_classes,
        positive=positive,
        folds=folds,
        shares=shares,
        tests=[[test for _, test in repeat] for repeat in splits.repeats],
        n_splits=len(splits.repeats[0]),
        has_intervals=splits.has_intervals,
        n_features=samples.n_features,
    )


def pool_answers(pool: Pool, scored: list[Scored]) -> HeldOut:
    """One class, and one score per class, for each sample and repeat."""
    n_repeats, n = pool.folds.shape
    predicted = np.full((n_repeats, n), -1)
    has_scores = all(in_fold.answers.scores is not None for in_fold in scored)
    scores = np.full((n_repeats, n, pool.n_classes), np.nan) if has_scores else None
    of_fold = iter(scored)
    for r, tests in enumerate(pool.tests):
        for test in tests:
            answers = next(of_fold).answers
            predicted[r, test] = answers.predicted
            if scores is not None:
                scores[r, test] = answers.scores
    return HeldOut(
        codes=pool.codes,
        units=pool.units,
        predicted=predicted,
        scores=scores,
        folds=pool.folds,
        shares=pool.shares,
        n_classes=pool.n_classes,
        n_splits=pool.n_splits,
        positive=pool.positive,
    )


class Scores(Mapping[str, Estimate]):
    """The estimates of a row by metric, each made when it is first asked for.

    Most of what is compared is looked at by one metric alone.

    Parameters
    ----------
    held_out : HeldOut
        What was said of the samples.
    has_intervals : bool
        Whether the folds hold every sample out equally often.
    """

    def __init__(self, held_out: HeldOut, *, has_intervals: bool) -> None:
        self._held_out, self._has_intervals = held_out, has_intervals
        self._known: dict[str, Estimate | None] = {}

    def _find(self, key: str) -> Estimate | None:
        if key not in self._known:
            metric = METRICS[key]
            if metric.is_of_positive and self._held_out.n_classes != 2:
                self._known[key] = None
            elif self._has_intervals:
                self._known[key] = metric.estimate(self._held_out)
            else:
                self._known[key] = _average(metric, self._held_out)
        return self._known[key]

    def __getitem__(self, key: str) -> Estimate:
        estimate = self._find(key) if key in METRICS else None
        if estimate is None:
            raise KeyError(key)
        return estimate

    def __iter__(self) -> Iterator[str]:
        return (key for key in METRICS if self._find(key) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


def _average(metric: Metric, held_out: HeldOut) -> Estimate | None:
    """The mean over the repeats alone."""
    by_repeat = metric.compute_by_repeat(held_out)
    if np.isnan(by_repeat).all():
        return None
    return Estimate(float(np.nanmean(by_repeat)), *[float("nan")] * 3)


def make_row(
    name: str, scored: list[Scored], scores: Mapping[str, Estimate], n_features: int
) -> ComparisonRow:
    """A row: its estimates, and what its sets of features are like."""
    sets = [in_fold.selected for in_fold in scored]
    share = sum(map(len, sets)) / (len(sets) * n_features)
    index = None
    if scored[0].seconds is not None and 0 < share < 1 and len(sets) > 1:
        index = stability(sets, n_features).value
    return ComparisonRow(
        selector=name,
        n_features=share * n_features,
        scores=scores,
        stability=index,
        redundancy=_mean_or_none([in_fold.redundancy for in_fold in scored]),
        seconds=_mean_or_none([in_fold.seconds for in_fold in scored]),
    )


def make_guess_row(held_out: HeldOut) -> ComparisonRow:
    """The row of guessing, which is known exactly."""
    codes = held_out.codes[held_out.is_held_out]
    scores = {}
    for key, metric in METRICS.items():
        guess = metric.compute_guess(codes, held_out.n_classes)
        if guess is not None and (held_out.scores is not None or metric.decision != "scores"):
            scores[key] = make_estimate(guess, guess, guess)
    return ComparisonRow(MAJORITY, 0.0, scores, None, None, None)


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None
