"""Metrics of held-out samples against scikit-learn, literal formulas and each other."""

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    recall_score,
    roc_auc_score,
    roc_curve,
)
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from s2fs.evaluation import areas
from s2fs.evaluation.areas import compute_placements, compute_roc
from s2fs.evaluation.intervals import compute_auc_interval, compute_wilson_interval
from s2fs.evaluation.metrics import (
    METRICS,
    SCORINGS,
    HeldOut,
    decide_by_share,
    find_sensitivity_at,
)


def make(n_of_classes, *, n_splits=5, n_repeats=3, group_size=1, digits=2, gap=1.0, seed=0):
    """Scores that tell the classes to a degree, rounded so that some are equal."""
    rng = np.random.default_rng(seed)
    n_classes = len(n_of_classes)
    codes = np.repeat(np.arange(n_classes), n_of_classes)
    units = np.arange(len(codes)) // group_size
    folds, scores, shares = [], [], []
    for repeat in range(n_repeats):
        split = (StratifiedGroupKFold if group_size > 1 else StratifiedKFold)(
            n_splits, shuffle=True, random_state=repeat
        )
        fold = np.full(len(codes), -1)
        of_folds = []
        for number, (train, test) in enumerate(
            split.split(codes, codes, units if group_size > 1 else None)
        ):
            fold[test] = number
            of_folds.append(np.bincount(codes[train], minlength=n_classes) / len(train))
        raw = rng.normal(size=(len(codes), n_classes))
        raw[np.arange(len(codes)), codes] += gap
        raw = np.round(np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True), digits)
        raw[:, -1] = 1 - raw[:, :-1].sum(axis=1)
        folds.append(fold)
        scores.append(raw)
        shares.append(of_folds)
    scores = np.array(scores)
    return HeldOut(
        codes=codes,
        units=units,
        predicted=scores.argmax(axis=2),
        scores=scores,
        folds=np.array(folds),
        shares=np.array(shares),
        n_classes=n_classes,
        n_splits=n_splits,
    )


def estimate(key, held_out):
    return METRICS[key].estimate(held_out)


def test_shares_of_right_answers_are_those_of_scikit_learn():
    held_out = make((30, 14, 8))
    codes, plain, by_share = held_out.codes, held_out.predicted, held_out.predicted_by_share
    assert (plain != by_share).any()
    assert estimate("accuracy", held_out).value == pytest.approx((plain == codes).mean())
    expected = np.mean([balanced_accuracy_score(codes, said) for said in by_share])
    assert estimate("balanced_accuracy", held_out).value == pytest.approx(expected)


def test_sensitivity_and_specificity_are_recalls():
    held_out = make((30, 14))
    codes, said = held_out.codes, held_out.predicted_by_share
    for key, label in (("sensitivity", 1), ("specificity", 0)):
        expected = np.mean([recall_score(codes, each, pos_label=label) for each in said])
        found = estimate(key, held_out)
        assert found.value == pytest.approx(expected)
        n = 0.8 * (codes == label).sum()
        assert found[1:3] == pytest.approx(compute_wilson_interval(expected, n))
    both = estimate("balanced_accuracy", held_out)
    halves = [estimate(key, held_out).value for key in ("sensitivity", "specificity")]
    assert both.value == pytest.approx(np.mean(halves))


def test_groups_of_a_class_count_by_their_samples():
    held_out = make((16, 15), n_splits=3, group_size=3)
    sizes = [[3] * 5 + [1], [2] + [3] * 4 + [1]]
    units = held_out.units
    assert [
        np.unique(units[held_out.codes == q], return_counts=True)[1].tolist() for q in range(2)
    ] == sizes
    n_of_classes = [sum(of) ** 2 / sum(g * g for g in of) for of in sizes]
    n = (1 - 1 / 3) * 4 / sum(1 / n for n in n_of_classes)
    found = estimate("balanced_accuracy", held_out)
    assert found[1:3] == pytest.approx(compute_wilson_interval(found.value, n))


def test_auc_is_the_mean_over_folds_of_that_of_scikit_learn():
    two, three = make((30, 14)), make((20, 14, 9), seed=1)
    for held_out in (two, three):
        of_folds = []
        for scores, folds in zip(held_out.scores, held_out.folds, strict=True):
            for fold in range(5):
                test = folds == fold
                of_class = scores[test, 1] if held_out.n_classes == 2 else scores[test]
                area = roc_auc_score(held_out.codes[test], of_class, multi_class="ovo")
                of_folds.append(area)
        assert estimate("auc", held_out).value == pytest.approx(np.mean(of_folds))
    by_repeat = METRICS["auc"].compute_by_repeat(two)[:, None]
    expected = compute_auc_interval(by_repeat, np.array([[30, 14]]), 5, 44)
    assert estimate("auc", two)[:3] == pytest.approx(expected)


def compute_influence(held_out, repeat):
    """LeDell's influence values of two classes, sample by sample; all folds of equal size."""
    values = np.zeros(len(held_out.codes))
    scores, folds, codes = held_out.scores[repeat, :, 1], held_out.folds[repeat], held_out.codes
    for fold in np.unique(folds):
        members = np.flatnonzero(folds == fold)
        positive = [i for i in members if codes[i] == 1]
        negative = [i for i in members if codes[i] == 0]

        def is_above(i, j):
            return float(scores[i] > scores[j]) + float(scores[i] == scores[j]) / 2

        area = np.mean([is_above(i, j) for i in positive for j in negative])
        for i in positive:
            share = np.mean([is_above(i, j) for j in negative])
            values[i] = (share - area) / (len(positive) / len(members))
        for j in negative:
            share = np.mean([is_above(i, j) for i in positive])
            values[j] = (share - area) / (len(negative) / len(members))
    return values


def test_influence_values_are_those_of_ledell():
    held_out = make((30, 15), digits=1)
    for repeat, found in enumerate(held_out.fold_areas):
        assert found.influences == pytest.approx(compute_influence(held_out, repeat))


@pytest.mark.parametrize("sizes", [(30, 17), (14, 9, 12)])
def test_influence_is_what_a_heavier_sample_changes(sizes):
    """The derivative of the AUC by the weight of a sample, by finite differences."""
    held_out = make(sizes, n_repeats=1)
    codes, scores, folds = held_out.codes, held_out.scores[0], held_out.folds[0]
    influence = held_out.fold_areas[0].influences

    def compute_area(weights):
        found = []
        for a in range(len(sizes)):
            for b in range(a + 1, len(sizes)):
                for column, label in ((a, a), (b, b)):
                    found.append(
                        np.mean(
                            [
                                roc_auc_score(
                                    codes[test] == label,
                                    scores[test, column],
                                    sample_weight=weights[test],
                                )
                                for fold in range(5)
                                for test in [(folds == fold) & np.isin(codes, (a, b))]
                            ]
                        )
                    )
        return np.mean(found)

    n, step = len(codes), 1e-5
    for i in range(0, n, 5):
        heavier, lighter = np.ones(n), np.ones(n)
        heavier[i], lighter[i] = 1 + step, 1 - step
        slope = (compute_area(heavier) - compute_area(lighter)) / (2 * step)
        assert slope == pytest.approx(influence[i] / n, abs=1e-8)


@pytest.mark.parametrize("key", SCORINGS)
def test_two_rows_are_compared_on_the_same_units(key):
    a, b = make((30, 14, 9), gap=1.5), make((30, 14, 9), gap=0.5, seed=3)
    metric = METRICS[key]
    found = metric.compare(a, b)
    expected = metric.estimate(a).value - metric.estimate(b).value
    assert found.value == pytest.approx(expected)
    assert found.low < found.value < found.high
    mirrored = metric.compare(b, a)
    assert tuple(found) == pytest.approx((-mirrored.value, -mirrored.high, -mirrored.low))
    # Two units, of the number to which three unequal classes amount where each counts the same.
    n = 9 / (1 / 30 + 1 / 14 + 1 / 9) if key == "balanced_accuracy" else 53
    assert tuple(metric.compare(a, a)) == pytest.approx((0.0, -2 / n, 2 / n))


def test_the_difference_of_two_aucs_by_hand():
    a, b = make((30, 15), gap=1.5), make((30, 15), gap=0.5, seed=3)
    gaps = METRICS["auc"].compute_by_repeat(a) - METRICS["auc"].compute_by_repeat(b)
    within = np.mean(
        [np.var(compute_influence(a, r) - compute_influence(b, r), ddof=1) / 45 for r in range(3)]
    )
    half = 2.015367574 * np.sqrt(within + gaps.var(ddof=1))  # t with 44 degrees of freedom
    found = METRICS["auc"].compare(a, b)
    assert tuple(found) == pytest.approx((gaps.mean(), gaps.mean() - half, gaps.mean() + half))


@pytest.mark.parametrize("sizes", [(150, 150), (80, 90, 100)])
def test_many_scores_are_sorted_and_few_compared(sizes, monkeypatch):
    held_out = make(sizes, digits=2, n_repeats=1)
    found = compute_placements(held_out.scores[0], held_out.codes)
    assert sum(sizes) ** 2 * len(sizes) > areas.MOST_COMPARED
    monkeypatch.setattr(areas, "MOST_COMPARED", 10**9)
    compared = compute_placements(held_out.scores[0], held_out.codes)
    np.testing.assert_array_equal(found, compared)


def test_guesses():
    codes = np.repeat([0, 1, 2], [20, 15, 5])
    guesses = {key: metric.compute_guess(codes, 3) for key, metric in METRICS.items()}
    assert guesses == {
        "accuracy": 0.5,
        "balanced_accuracy": pytest.approx(1 / 3),
        "auc": 0.5,
        "sensitivity": None,
        "specificity": None,
    }


def test_the_decision_by_share():
    scores = np.array([[0.75, 0.25], [0.76, 0.24], [0.5, 0.5]])
    assert decide_by_share(scores, np.array([0.75, 0.25])).tolist() == [1, 0, 1]
    assert decide_by_share(scores, np.array([0.75, 0.25]), positive=0).tolist() == [0, 0, 1]
    assert decide_by_share(scores, np.array([3.0, 1.0])).tolist() == [1, 0, 1]
    three = np.array([[0.5, 0.3, 0.2], [0.25, 0.25, 0.5], [0.6, 0.2, 0.2]])
    assert decide_by_share(three, np.array([0.6, 0.2, 0.2])).tolist() == [1, 2, 0]
    balanced = np.full(3, 1 / 3)
    assert decide_by_share(three, balanced).tolist() == three.argmax(axis=1).tolist()


def test_a_learner_without_scores_gives_its_classes():
    held_out = make((30, 14))
    plain = HeldOut(
        codes=held_out.codes,
        units=held_out.units,
        predicted=held_out.predicted,
        scores=None,
        folds=held_out.folds,
        shares=held_out.shares,
        n_classes=2,
        n_splits=5,
    )
    assert plain.predicted_by_share is plain.predicted
    assert estimate("auc", plain) is None
    assert METRICS["auc"].compare(plain, plain) is None
    assert find_sensitivity_at(plain) is None
    assert estimate("balanced_accuracy", plain) is not None


def test_a_pair_that_no_fold_holds_is_named():
    held_out = make((12, 12, 2), n_splits=2, n_repeats=2)
    folds = held_out.folds.copy()
    assert held_out.missing_pairs == []
    folds[:, held_out.codes == 0] = 0
    folds[:, held_out.codes == 1] = np.arange(12) % 2
    folds[:, held_out.codes == 2] = 1
    apart = HeldOut(
        codes=held_out.codes,
        units=held_out.units,
        predicted=held_out.predicted,
        scores=held_out.scores,
        folds=folds,
        shares=None,
        n_classes=3,
        n_splits=2,
    )
    assert apart.missing_pairs == [(0, 2)]
    assert estimate("auc", apart) is not None


def compute_area(curve):
    x, y = curve.false_positive_rate, curve.sensitivity
    return float(np.diff(x) @ (y[1:] + y[:-1]) / 2)


def test_the_area_of_the_mean_curve_is_the_auc():
    held_out = make((31, 14), digits=1)
    curve = compute_roc(held_out.scores[..., 1], held_out.codes, held_out.folds, 1)
    assert compute_area(curve) == pytest.approx(estimate("auc", held_out).value)
    assert (np.diff(curve.sensitivity) >= -1e-12).all()
    assert (curve.false_positive_rate[[0, -1]] == [0, 1]).all()
    assert curve.sensitivity[-1] == 1
    assert curve.std.max() > 0


def test_the_curve_of_one_fold_is_that_of_scikit_learn():
    held_out = make((300, 250), n_repeats=1, digits=1)
    folds = np.zeros((1, 550), int)
    scores = held_out.scores[..., 1]
    curve = compute_roc(scores, held_out.codes, folds, 1)
    x, y, _ = roc_curve(held_out.codes, scores[0])
    middle = (curve.false_positive_rate[1:] + curve.false_positive_rate[:-1]) / 2
    found = np.interp(middle, curve.false_positive_rate, curve.sensitivity)
    inside = np.diff(curve.false_positive_rate) > 0
    assert found[inside] == pytest.approx(np.interp(middle[inside], x, y))
    assert (curve.std == 0).all()
    fine = make((300, 250), n_repeats=1, digits=12)
    curve = compute_roc(fine.scores[..., 1], fine.codes, folds, 1)
    assert len(curve.sensitivity) <= 101
    area = roc_auc_score(fine.codes, fine.scores[0, :, 1])
    assert compute_area(curve) == pytest.approx(area, abs=0.002)


def test_a_class_against_the_others():
    held_out = make((20, 14, 9))
    curve = compute_roc(held_out.scores[..., 2], held_out.codes, held_out.folds, 2)
    of_folds = [
        roc_auc_score(held_out.codes[test] == 2, scores[test, 2])
        for scores, folds in zip(held_out.scores, held_out.folds, strict=True)
        for fold in range(5)
        for test in [folds == fold]
    ]
    assert compute_area(curve) == pytest.approx(np.mean(of_folds))
    assert compute_roc(held_out.scores[..., 2], np.zeros(43, int), held_out.folds, 2) is None


def test_sensitivity_at_a_specificity():
    held_out = make((40, 25), digits=2)
    found = find_sensitivity_at(held_out)
    reached = []
    for scores, cut in zip(held_out.scores[..., 1], found.cuts, strict=True):
        negative, positive = scores[held_out.codes == 0], scores[held_out.codes == 1]
        assert (negative < cut).mean() >= 0.9
        # No lower cut keeps the specificity.
        lower = max(score for score in scores if score < cut)
        assert (negative < lower).mean() < 0.9
        reached.append((positive >= cut).mean())
        x, y, _ = roc_curve(held_out.codes, scores, drop_intermediate=False)
        assert reached[-1] == pytest.approx(max(y[x <= 0.1 + 1e-9]))
    assert found.estimate.value == pytest.approx(np.mean(reached))
    assert found.cut == np.median(found.cuts)
    assert found.estimate.low < found.estimate.value < found.estimate.high


def test_formats():
    accuracy, area = METRICS["accuracy"], METRICS["auc"]
    assert [accuracy.write(0.976), area.write(0.934)] == ["97.6 %", "AUC 0.93"]
    assert [accuracy.write_named(0.976), area.write_named(0.934)] == [
        "accuracy 97.6 %",
        "AUC 0.93",
    ]
    assert [accuracy.format_signed(gap) for gap in (0.031, -0.0004, 0.0, -0.004)] == [
        "+3.1",
        "0.0",
        "0.0",
        "−0.4",
    ]
    assert [accuracy.format_signed_limit(gap) for gap in (0.0002, -0.0000123, 1e-12)] == [
        "+0.02",
        "−0.001",
        "0.0",
    ]
    assert [area.format_limit(limit) for limit in (0.5002, 0.4996, 0.5, 0.506)] == [
        "0.5002",
        "0.4996",
        "0.50",
        "0.51",
    ]
    assert [area.format_signed_limit(gap) for gap in (0.0002, -0.031)] == ["+0.0002", "−0.03"]
    assert accuracy.write_against(0.583, 0.5) == "58 % against 50 %"
    assert area.write_against(0.5, 0.5) == "AUC 0.50 against 0.5"
    assert METRICS["sensitivity"].describe("malignant") == "sensitivity for malignant"
    assert METRICS["accuracy"].describe("malignant") == "accuracy"
