"""From predictions in the folds to the rows of a comparison."""

from collections.abc import Sequence

import numpy as np

from s2fs._utils.stability import stability
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.comparison import RANDOM, Comparison, ComparisonRow
from s2fs.evaluation.folds import Fold, Splits
from s2fs.evaluation.samples import EvaluationSamples
from s2fs.evaluation.statistics import compute_wilson_interval
from s2fs.evaluation.trial import Scored


def pool_rows(
    samples: EvaluationSamples, splits: Splits, folds: list[dict[str, Scored]], learner: str
) -> Comparison:
    """The comparison with one number of features, from what every row has reached in every fold."""
    held_out = np.unique(np.concatenate([test for _, test in splits.folds]))
    units = np.arange(len(samples.y))
    if samples.groups is not None:
        units = np.unique(samples.groups, return_inverse=True)[1]
    n_units = len(np.unique(units[held_out]))
    rows, accuracies, predictions = [], {}, {}
    for name in folds[0]:
        scored = [fold[name] for fold in folds]
        pooled = _pool_predictions(scored, splits.repeats, len(samples.y))
        rows.append(_summarise_row(name, scored, pooled, samples, n_units))
        accuracies[name] = np.array(
            [
                (in_fold.predicted == samples.codes[test]).mean()
                for in_fold, (_, test) in zip(scored, splits.folds, strict=True)
            ]
        )
        if name != RANDOM:  # ten draws have no single prediction
            predictions[name] = pooled[:, 0]
    return Comparison(
        rows=rows,
        accuracies=accuracies,
        predictions=predictions,
        classes=samples.classes,
        codes=samples.codes,
        units=units,
        learner=learner,
        n_splits=len(splits.repeats[0]),
        n_repeats=len(splits.repeats),
        test_share=splits.test_share,
        notes=list(splits.notes),
        n_features_in=samples.n_features,
    )


def _pool_predictions(scored: list[Scored], repeats: list[list[Fold]], n: int) -> Indices:
    """The class each sample was given in each repeat and draw, −1 where it was not held out."""
    n_draws = len(scored[0].predicted)
    pooled = np.full((len(repeats), n_draws, n), -1)
    of_fold = iter(scored)
    for repeat, folds in zip(pooled, repeats, strict=True):
        for _, test in folds:
            repeat[:, test] = next(of_fold).predicted
    return pooled


def _summarise_row(
    name: str, scored: list[Scored], pooled: Indices, samples: EvaluationSamples, n_units: int
) -> ComparisonRow:
    accuracy, balanced = _score_repeats(pooled, samples.codes, len(samples.classes))
    low, high = compute_wilson_interval(float(accuracy.mean()), n_units)
    sets, m = [in_fold.selected for in_fold in scored], samples.n_features
    share = sum(map(len, sets)) / (len(sets) * m)
    is_selection = scored[0].seconds is not None
    index = None
    if is_selection and 0 < share < 1:
        index = stability(sets, m).value
    return ComparisonRow(
        selector=name,
        n_features=share * m,
        accuracy=float(accuracy.mean()),
        accuracy_low=low,
        accuracy_high=high,
        accuracy_std=_compute_std(accuracy),
        balanced_accuracy=float(balanced.mean()),
        balanced_accuracy_std=_compute_std(balanced),
        stability=index,
        redundancy=_mean_or_none([in_fold.redundancy for in_fold in scored]),
        seconds=_mean_or_none([in_fold.seconds for in_fold in scored]),
    )


def _score_repeats(pooled: Indices, codes: Indices, n_classes: int) -> tuple[Floats, Floats]:
    """Accuracy and balanced accuracy of each repeat, of predictions pooled over its folds."""
    held_out = pooled >= 0
    right = pooled == codes
    accuracy = right.sum(axis=2) / held_out.sum(axis=2)
    members = codes == np.arange(n_classes)[:, None]
    n_held_out = held_out.astype(int) @ members.T.astype(int)  # repeats × draws × classes
    n_right = right.astype(int) @ members.T.astype(int)
    with np.errstate(invalid="ignore"):
        balanced = np.nanmean(n_right / np.where(n_held_out > 0, n_held_out, np.nan), axis=2)
    return accuracy.mean(axis=1), balanced.mean(axis=1)


def _compute_std(of_repeats: Floats) -> float:
    """The standard deviation over the repeats, 0 of a single one."""
    return float(of_repeats.std(ddof=1)) if len(of_repeats) > 1 else 0.0


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None
