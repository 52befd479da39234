import json
import tracemalloc
from html import unescape

import literal_evaluation as literal
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectFpr, SelectKBest, SelectorMixin, VarianceThreshold
from sklearn.metrics import accuracy_score, recall_score, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler, minmax_scale
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from rankers import Guessed
from s2fs import S2FS, PairCover, SelectorCV, compare
from s2fs.baselines import AnovaF
from s2fs.evaluation import evaluate_selector, stability

X, Y = load_wine(return_X_y=True)
MAJORITY, RANDOM = "majority class", "random features"


def tree():
    return RFE(DecisionTreeClassifier(random_state=0))


@pytest.fixture(scope="module")
def several():
    return compare(X, Y, k=[1, 2, 4], selectors=[S2FS(), SelectKBest(), tree()], n_repeats=2)


def row_of(result, name):
    (row,) = (row for row in result.rows if row.selector == name)
    return row


def test_each_size_is_the_comparison_of_that_size_alone(several):
    assert several.sizes == [1, 2, 4]
    for k in several.sizes:
        alone = compare(X, Y, k=[k], selectors=[S2FS(), SelectKBest(), tree()], n_repeats=2)
        assert alone.sizes == []
        assert alone.recommendation is None
        for name, predictions in several.at(k).predictions.items():
            if name != RANDOM:  # whose one draw has as many features as the largest number
                np.testing.assert_array_equal(predictions, alone.predictions[name])
                scores = several.at(k).class_scores[name]
                np.testing.assert_allclose(scores, alone.class_scores[name], atol=1e-6)
        assert [row.n_features for row in several.at(k).rows] == [k, k, k, 13, k, 0]
    names = ["S²FS", "SelectKBest", "RFE", "all 13 features", RANDOM, MAJORITY]
    assert [row.selector for row in several.rows] == names
    assert [row.scores["accuracy"].value for row in several.rows] == [
        row.scores["accuracy"].value for row in several.at(4).rows
    ]


def test_predictions_are_those_of_the_fold_that_had_not_seen_the_sample(several):
    repeats = literal.repeated_folds(Y, n_repeats=2)
    predicted = literal.pooled_predictions(X, Y, repeats, lambda A, b: S2FS(2).fit(A, b).indices_)
    assert several.at(2).predictions["S²FS"].tolist() == predicted.tolist()


def test_random_features_are_one_draw_of_each_fold(several):
    repeats = literal.repeated_folds(Y, n_repeats=2)
    for k in several.sizes:
        predicted = np.full((2, len(Y)), -1)
        for number, fold in enumerate(fold for repeat in repeats for fold in repeat):
            draw = np.random.default_rng([0, number]).choice(13, 4, replace=False)
            predicted[number // 5, fold[1]] = literal.predict(X, Y, fold, draw[:k])
        np.testing.assert_array_equal(several.at(k).predictions[RANDOM], predicted)
        scores = row_of(several.at(k), RANDOM).scores
        assert scores["accuracy"].value == pytest.approx(literal.accuracy(predicted, Y)[0])


def test_what_the_first_is_beside_others():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    noise = rng.normal(size=(60, 30))
    told_apart = np.column_stack([noise, y + rng.normal(scale=0.1, size=60)])
    double, twice = np.tile(minmax_scale(told_apart), (4, 1)), np.tile(y, 4)
    result = compare(double, twice, k=[1], selectors=[S2FS(), AnovaF()], n_repeats=2)
    assert result.rows[0].scores["accuracy"].value == result.rows[1].scores["accuracy"].value == 1
    assert result.relation(MAJORITY) == result.relation(RANDOM) == "better than"
    assert result.relation("ANOVA F") == "as good as"
    few = compare(told_apart[:40], y[:40], k=[1], selectors=[S2FS(), AnovaF()], n_repeats=2)
    assert few.rows[0].scores["accuracy"].value == few.rows[1].scores["accuracy"].value
    assert few.relation("ANOVA F") == "cannot be told from"  # two samples of 40 are 5 points
    blind = {"blind": SelectKBest(lambda X, y: X.std(0)), "seeing": AnovaF()}
    against = compare(told_apart, y, k=[1], selectors=blind, n_repeats=2)
    assert against.relation("seeing") == "worse than"
    assert " All 31 features do better: 100.0 % (+" in against.verdict
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()


@pytest.mark.parametrize("k", [0, [2, 2], [3, 1], [], "3", 1.5])
def test_wrong_numbers_of_features_are_refused(k):
    with pytest.raises(ValueError, match="whole number from 1, increasing ones, or None"):
        compare(X, Y, k=k, selectors=[AnovaF()])


def test_sizes_beyond_the_features_are_all_of_them():
    result = compare(X, Y, k=[1, 13, 40], selectors=[AnovaF()], n_repeats=1)
    assert result.sizes == [1, 13]
    with pytest.raises(ValueError, match="k is 40, but these sizes were compared: 1, 13"):
        result.at(40)


SELECTORS = {
    "paper": S2FS(4),
    "cover": PairCover(4),
    "best": SelectKBest(k=4),
    "after a step": make_pipeline(StandardScaler(), VarianceThreshold(), SelectKBest(k=4)),
}
LEARNERS = [
    ("knn", KNeighborsClassifier(5)),
    ("svm", SVC(C=10.0)),
    ("logistic", literal.make_learner()),
    (GaussianNB(), GaussianNB()),
]


@pytest.mark.parametrize(("learner", "model"), LEARNERS, ids=str)
def test_accuracies_are_those_of_pipelines(learner, model):
    options = {"learner": learner, "cv": 4, "n_repeats": 2, "random_state": 3}
    result = compare(X, Y, k=None, selectors=SELECTORS, **options)
    repeats = literal.repeated_folds(Y, 4, 2, seed=3)
    for name, steps in {**SELECTORS, "all 13 features": "passthrough"}.items():
        pipeline = make_pipeline(steps, MinMaxScaler(), model)
        predicted = np.array([cross_val_predict(pipeline, X, Y, cv=folds) for folds in repeats])
        row = row_of(result, name)
        for score in ("accuracy", "balanced_accuracy"):
            if score == "balanced_accuracy" and result.class_scores[name] is not None:
                continue  # its own decision: test_metrics has it
            mean, _ = getattr(literal, score)(predicted, Y)
            assert row.scores[score].value == pytest.approx(mean, abs=1e-12)
        ends = literal.wilson(row.scores["accuracy"].value, 0.75 * len(Y))
        assert (row.scores["accuracy"].low, row.scores["accuracy"].high) == pytest.approx(
            ends, abs=1e-12
        )
    guess = row_of(result, MAJORITY)
    assert guess.scores["accuracy"].value == (np.bincount(Y).max() / len(Y))
    assert guess.scores["balanced_accuracy"].value == pytest.approx(1 / 3)
    assert (guess.scores["accuracy"].se, guess.n_features) == (0, 0)
    assert ("auc" in result.rows[0].scores) == (learner not in ("knn", "svm"))
    assert (result.n_splits, result.n_repeats, result.n_units) == (4, 2, len(Y))


def test_five_times_five_folds_by_default():
    result = compare(X, Y, k=2, selectors=["anovaf"])
    predicted = literal.pooled_predictions(
        X, Y, literal.repeated_folds(Y), lambda A, b: AnovaF(2).fit(A, b).indices_
    )
    np.testing.assert_array_equal(result.predictions["ANOVA F"], predicted)
    assert len(result.selected["ANOVA F"]) == 25
    title = "Accuracy on held-out samples (logistic regression, 5 × 5 folds, features"
    assert result.title.startswith(title)
    assert result.sizes == [1, 2, 4]


def test_one_repeat_has_a_wider_interval():
    """Of 0.8 times as many samples as a training set has: the chance of one partition."""
    result = compare(X, Y, k=2, selectors=["anovaf"], n_repeats=1)
    estimate = result.rows[0].scores["accuracy"]
    ends = literal.wilson(estimate.value, 0.8 * 0.8 * len(Y))
    assert estimate[1:3] == pytest.approx(ends, abs=1e-12)


def test_scores_are_those_of_scikit_learn_on_what_is_stored():
    y = Y[Y > 0]
    A = X[Y > 0]
    result = compare(A, y, k=3, selectors=["anovaf"], n_repeats=3, positive=1)
    held_out, scores = result.held_out["ANOVA F"], result.rows[0].scores
    assert (result.positive, result.positive_name) == (0, "1")
    aucs, recalls, accuracies = [], [], []
    for predicted, probability, folds in zip(
        held_out.predicted, held_out.scores, held_out.folds, strict=True
    ):
        of_folds = [probability[folds == v, 0] for v in range(5)]
        truth = [(y == 1)[folds == v] for v in range(5)]
        aucs.append(np.mean([roc_auc_score(*pair) for pair in zip(truth, of_folds, strict=True)]))
        is_positive = probability[:, 0] >= held_out.shares[0, folds, 0]
        recalls.append([recall_score(y == 1, is_positive), recall_score(y != 1, ~is_positive)])
        accuracies.append(accuracy_score(y - 1, predicted))
    assert scores["auc"].value == pytest.approx(np.mean(aucs))
    assert scores["accuracy"].value == pytest.approx(np.mean(accuracies))
    sensitivity, specificity = np.mean(recalls, axis=0)
    assert scores["sensitivity"].value == pytest.approx(sensitivity)
    assert scores["specificity"].value == pytest.approx(specificity)
    assert scores["balanced_accuracy"].value == pytest.approx((sensitivity + specificity) / 2)
    told = " ".join(str(result).split())
    assert "sensitivity for 1 " in told
    at = result.sensitivity_at_specificity.estimate
    assert "At a specificity of 90 %, by a cut that the folds of a repeat share: " in told
    assert f"sensitivity for 1 {100 * at.value:.1f} % ({100 * at.low:.1f} to" in told
    assert result.to_dict()["sensitivity_at_specificity"]["value"] == at.value


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "auc"])
def test_the_verdict_is_about_the_metric_asked_for(scoring):
    result = compare(X, Y, k=2, selectors=["paircover", "anovaf"], n_repeats=2, scoring=scoring)
    plain = compare(X, Y, k=2, selectors=["paircover", "anovaf"], n_repeats=2)
    assert [row.scores for row in result.rows] == [row.scores for row in plain.rows]
    value, low, high, _ = result.rows[0].scores[scoring]
    told = {
        "balanced_accuracy": f"balanced accuracy {100 * value:.1f} % on held-out samples "
        f"({100 * low:.1f} to {100 * high:.1f})",
        "auc": f"AUC {value:.2f} on held-out samples ({low:.2f} to {high:.2f})",
    }[scoring]
    assert result.headline == f"2 features by PairCover: {told}."
    assert result.guess == {"balanced_accuracy": pytest.approx(1 / 3), "auc": 0.5}[scoring]
    gap = result.difference("PairCover", MAJORITY)
    assert gap == pytest.approx((value - result.guess, low - result.guess, high - result.guess))
    assert result.title.startswith(told.split(" ")[0][0].upper())


def test_stability_redundancy_and_number_of_features():
    selectors = ["paircover", SelectFpr(alpha=1e-20)]
    result = compare(X, Y, k=3, selectors=selectors, n_repeats=2)
    sets = {"PairCover": [], "SelectFpr": []}
    redundancy = {"PairCover": [], "SelectFpr": []}
    for train, _ in (fold for folds in literal.repeated_folds(Y, n_repeats=2) for fold in folds):
        for name, selector in (("PairCover", PairCover(3)), ("SelectFpr", SelectFpr(alpha=1e-20))):
            selected = selector.fit(X[train], Y[train]).get_support(indices=True)
            r = np.abs(np.corrcoef(X[np.ix_(train, selected)].T))
            sets[name].append(selected)
            redundancy[name].append(r[np.triu_indices(len(selected), 1)].mean())
    for row in result.rows[:2]:
        name = row.selector
        assert row.n_features == pytest.approx(np.mean([len(one) for one in sets[name]]))
        assert row.stability == pytest.approx(stability(sets[name], 13).value)
        assert row.redundancy == pytest.approx(np.mean(redundancy[name]))
        assert row.seconds > 0
    assert result.rows[1].n_features > 3  # one without a number keeps its own
    for row in result.rows[2:]:
        assert row.stability is row.redundancy is row.seconds is None


@pytest.mark.parametrize("k", [3, [2, 3]])
def test_a_selector_without_a_number_or_an_order_keeps_all_that_it_selects(k):
    inner = make_pipeline(StandardScaler(), SelectKBest(k=5))
    selectors = {"every": VarianceThreshold(), "five": inner}
    result = compare(X, Y, k=k, selectors=selectors, n_repeats=1)
    assert [row.n_features for row in result.rows[:2]] == [13, 5]
    everything = result.predictions["all 13 features"]
    np.testing.assert_array_equal(result.predictions["every"], everything)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_difference_is_over_the_samples(seed):
    options = {"n_repeats": 3, "random_state": seed}
    result = compare(X, Y, k=2, selectors=["randomorder", "anovaf"], **options)
    predicted = [result.predictions[name] for name in ("random order", "ANOVA F")]
    found = result.difference("random order", "ANOVA F")
    mean, low, high = literal.interval(*predicted, Y)
    assert found == pytest.approx((mean, low, high), abs=1e-12)
    assert result.relation("ANOVA F") == found.relation == literal.words(low, high)
    values = [row.scores["accuracy"].value for row in result.rows[:2]]
    assert found.value == pytest.approx(values[0] - values[1])


def noisy(n, shift, seed):
    y = (np.arange(n) % 3 == 0).astype(int)
    return np.random.default_rng(seed).normal(size=(n, 12)) + shift * y[:, None], y


@pytest.mark.parametrize(("shift", "seed"), [(0, 0), (0.15, 1), (0.3, 2), (2, 3)])
def test_guessing_has_no_error_of_its_own(shift, seed):
    A, y = noisy(51, shift, seed)
    result = compare(A, y, k=3, selectors=["anovaf"], n_repeats=4)
    gap = result.difference("ANOVA F", MAJORITY)
    estimate = result.rows[0].scores["accuracy"]
    assert gap == pytest.approx(tuple(one - 34 / 51 for one in estimate[:3]), abs=1e-12)
    assert gap.relation == literal.words(*gap[1:])
    assert result.beats_majority == (gap.relation == "better than")
    turned = result.difference(MAJORITY, "ANOVA F")
    assert turned == pytest.approx((-gap.value, -gap.high, -gap.low))


def test_the_tests_above_see_both_outcomes():
    found = {
        compare(*noisy(51, shift, seed), k=3, selectors=["anovaf"], n_repeats=4).relation(MAJORITY)
        for shift, seed in ((0, 0), (2, 3))
    }
    assert found == {"better than", "cannot be told from"}


def test_sizes_below_and_above_the_number_asked_for():
    """The row of the number asked for is of exactly that; others are prefixes of the same path."""
    result = compare(X, Y, k=4, selectors=["paircover", SelectKBest()], n_repeats=2)
    assert result.sizes == [1, 2, 4, 5, 8]
    assert result.size == 4
    repeats = literal.repeated_folds(Y, n_repeats=2)
    for k in result.sizes:
        for name, make in (("PairCover", PairCover), ("SelectKBest", None)):

            def select(B, c, k=k, make=make):
                if make is None:
                    return SelectKBest(k=k).fit(B, c).get_support(indices=True)
                return make(k).fit(B, c).indices_

            predicted = literal.pooled_predictions(X, Y, repeats, select)
            np.testing.assert_array_equal(result.at(k).predictions[name], predicted)
    assert result.rows == result.at(4).rows
    assert compare(X, Y, k=9, selectors=["anovaf"], n_repeats=1).sizes == [1, 2, 5, 9, 10, 13]
    assert compare(X, Y, k=40, selectors=["anovaf"], n_repeats=1).notes == [
        "40 features were asked for, but there are 13: all are selected."
    ]


def test_fewer_features_that_do_as_well_are_named():
    y = (X[:, 6] > np.median(X[:, 6])).astype(int)  # one feature says it all
    table = np.column_stack([y + 0.1 * minmax_scale(X[:, 6]), minmax_scale(X)])
    result = compare(table, y, k=4, selectors={"stump": AnovaF()}, n_repeats=3)
    assert result.recommendation == (1, 1)
    assert result.headline.startswith("4 features by stump: accuracy ")
    name, values = "stump", [result.at(k).rows[0].scores["accuracy"].value for k in (1, 4)]
    predicted = [result.at(k).predictions[name] for k in (1, 4)]
    mean, low, high = literal.interval(*predicted, y)
    assert mean == pytest.approx(values[0] - values[1])
    told = {"better than": "does better", "as good as": "does as well"}.get(
        literal.words(low, high), "did as well here"
    )
    assert result.rest.startswith(f"The first one {told}: {100 * values[0]:.1f} % (")
    plain = result.to_dict()
    assert (plain["size"], plain["size_as_good"]) == (4, 1)
    assert [row["scores"]["accuracy"]["value"] for row in plain["by_size"]["1"]] == [
        row.scores["accuracy"].value for row in result.at(1).rows
    ]
    assert result.columns()["top 4"][0] == f"{100 * values[1]:.1f} %"


def test_accuracy_that_still_rises_is_said_to_rise():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    codes = np.column_stack([y % 2, y // 2])  # either feature alone gets half
    A = np.column_stack([codes + 0.05 * rng.normal(size=(120, 2)), rng.normal(size=(120, 3))])
    result = compare(A, y, k=[1, 2], selectors=["paircover"], n_repeats=2)
    assert result.recommendation == (2, 2)
    assert result.rest == "Accuracy is still rising at 2 features."
    assert result.headline.startswith("2 features by PairCover: accuracy 100.0 %")
    whole = compare(A[:, :2], y, k=[1, 2], selectors=["paircover"], n_repeats=2)
    assert whole.rest == ""  # there are no more
    more = compare(A, y, k=1, selectors=["paircover"], n_repeats=2)
    assert more.sizes == [1, 2]
    assert more.rest.startswith("2 features do better: 100.0 % (+")
    assert "; still rising; try -k 2." in more.rest


def test_noise_is_not_said_to_beat_the_majority_class():
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(60, 40)), np.arange(60) % 3
    result = compare(table, y, k=5, selectors=["paircover"])
    value = result.rows[0].scores["accuracy"].value
    assert result.headline == (
        "These 60 samples do not show that 5 features beat guessing the largest class "
        f"({100 * value:.0f} % against 33 %)."
    )
    assert not result.beats_majority


def test_a_guess_of_unequal_classes_is_worth_nothing_when_balanced():
    """A mean over the folds gives a constant guess far more: most folds have one class only."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [38, 4])
    result = compare(rng.normal(size=(42, 30)), y, k=2, selectors=["anovaf"])
    assert result.notes == ["Class 1 has 4 samples, so there are 4 folds instead of 5."]
    assert (result.n_splits, result.n_repeats) == (4, 5)
    assert row_of(result, MAJORITY).scores["balanced_accuracy"].value == 0.5
    assert row_of(result, MAJORITY).scores["accuracy"].value == 38 / 42
    assert not result.beats_majority


def test_a_selector_below_random_features_is_said_to_be_so():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    A = np.column_stack([rng.normal(size=(90, 2)), y[:, None] + rng.normal(size=(90, 20)) * 0.5])

    class Worst(SelectorMixin, BaseEstimator):
        def fit(self, X, y):
            self.n_features_in_ = X.shape[1]
            return self

        def _get_support_mask(self):
            return np.arange(self.n_features_in_) < 2

    result = compare(A, y, k=2, selectors={"worst": Worst()}, n_repeats=2)
    assert result.relation(RANDOM) == "worse than"
    assert "do better: " in result.verdict


def test_groups_are_held_out_together():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(14), 4)
    y = np.repeat(np.arange(14) % 2, 4)
    subject = rng.normal(size=(14, 20))[groups]  # nothing but the subject
    A = subject + 0.05 * rng.normal(size=(56, 20))
    result = compare(A, y, k=3, selectors=["anovaf"], groups=groups, n_repeats=3)
    repeats = literal.repeated_folds(y, n_repeats=3, groups=groups)
    for train, test in (fold for folds in repeats for fold in folds):
        assert not {*groups[train]} & {*groups[test]}
    predicted = literal.pooled_predictions(A, y, repeats, lambda B, c: AnovaF(3).fit(B, c).indices_)
    np.testing.assert_array_equal(result.predictions["ANOVA F"], predicted)
    row = result.rows[0]
    ends = literal.wilson(row.scores["accuracy"].value, 0.8 * 14)
    assert (row.scores["accuracy"].low, row.scores["accuracy"].high) == pytest.approx(
        ends, abs=1e-12
    )
    assert (result.n_units, result.is_grouped) == (14, True)
    assert not result.beats_majority
    everything = result.predictions["all 20 features"]
    truth = literal.interval(predicted, everything, y, groups)
    assert result.difference("ANOVA F", "all 20 features") == pytest.approx(truth)
    assert "5 folds, whole groups held out" in result.title
    named = pd.Series(groups, name="patient")
    result = compare(A, y, k=3, selectors=["anovaf"], groups=named, n_repeats=1)
    assert "whole groups held out (patient)" in result.title
    apart = compare(A, y, k=3, selectors=["anovaf"], n_repeats=3)
    assert apart.relation(MAJORITY) == "better than"  # the subject is on both sides
    assert not apart.is_grouped


def test_groups_and_weights_are_for_the_selectors_that_take_them():
    class Seen(SelectorMixin, BaseEstimator):
        def fit(self, X, y, sample_weight=None, groups=None):
            assert len(sample_weight) == len(groups) == len(y)
            np.testing.assert_array_equal(sample_weight, 1 + X[:, 0])
            np.testing.assert_array_equal(groups, X[:, 1])
            self.n_features_in_ = X.shape[1]
            return self

        def _get_support_mask(self):
            return np.arange(self.n_features_in_) < 2

    rng = np.random.default_rng(0)
    groups, y = np.arange(40) // 2, np.arange(40) // 2 % 2
    A = np.column_stack([rng.random(40), groups, rng.normal(size=(40, 3))])
    weight = 1 + A[:, 0]
    options = {"k": 2, "n_repeats": 2, "groups": groups, "sample_weight": weight}
    result = compare(A, y, selectors={"seen": Seen(), "pairs": PairCover(2)}, **options)
    repeats = literal.repeated_folds(y, n_repeats=2, groups=groups)
    predicted = np.full((2, 40), -1)
    for row, folds in zip(predicted, repeats, strict=True):
        for fold in folds:
            selector = PairCover(2).fit(A[fold[0]], y[fold[0]], sample_weight=weight[fold[0]])
            row[fold[1]] = literal.predict(A, y, fold, selector.indices_)
    np.testing.assert_array_equal(result.predictions["pairs"], predicted)
    with pytest.raises(ValueError, match="sample_weight"):
        compare(A, y, k=2, selectors=["paircover"], sample_weight=weight[1:])


SPLITTERS = [
    (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), 2, 3),
    (LeaveOneOut(), 1, 60),
    (ShuffleSplit(3, test_size=0.5, random_state=0), 3, 1),
]


@pytest.mark.parametrize(("cv", "n_repeats", "n_splits"), SPLITTERS, ids=lambda one: str(one)[:12])
def test_any_splitter_whose_repeats_stay_apart(cv, n_repeats, n_splits):
    some = np.r_[0:20, 60:80, 140:160]
    A, y = X[some], Y[some]
    result = compare(A, y, k=2, selectors=["anovaf"], cv=cv)
    assert (result.n_repeats, result.n_splits) == (n_repeats, n_splits)
    folds = list(cv.split(A, y))
    repeats = [folds[i : i + n_splits] for i in range(0, len(folds), n_splits)]
    predicted = literal.pooled_predictions(A, y, repeats, lambda B, c: AnovaF(2).fit(B, c).indices_)
    np.testing.assert_array_equal(result.predictions["ANOVA F"], predicted)
    shares = [(row[row >= 0] == y[row >= 0]).mean() for row in predicted]
    row = result.rows[0]
    assert row.scores["accuracy"].value == pytest.approx(np.mean(shares))
    assert result.has_intervals == (n_splits > 1)
    if result.has_intervals:
        n = (1 - 1 / n_splits) * (0.8 if n_repeats == 1 else 1.0) * len(y)
        ends = literal.wilson(row.scores["accuracy"].value, n)
        assert row.scores["accuracy"][1:3] == pytest.approx(ends, abs=1e-12)
    else:
        assert np.isnan(row.scores["accuracy"].low)
        assert result.verdict == (
            f"2 features by ANOVA F: accuracy {100 * np.mean(shares):.1f} % on held-out samples."
        )
        assert "so nothing has an interval" in " ".join(str(result).split())
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()
    given = compare(A, y, k=2, selectors=["anovaf"], cv=iter(folds))
    np.testing.assert_equal(given.predictions, result.predictions)


def test_splitters_that_do_not_serve_are_refused():
    groups = np.arange(len(Y)) // 2
    apart = list(SPLITTERS[0][0].split(X, Y))
    with pytest.raises(ValueError, match="cv has samples of one group on both sides"):
        compare(X, Y, k=2, selectors=["anovaf"], cv=apart, groups=groups)
    kept = compare(X, Y, k=2, selectors=["anovaf"], cv=GroupKFold(3), groups=groups)
    assert (kept.n_splits, kept.n_units) == (3, 89)
    with pytest.raises(ValueError, match=r"cv makes 1 fold; at least two"):
        compare(X, Y, k=2, selectors=["anovaf"], cv=[(np.arange(100), np.arange(100, 178))])
    with pytest.raises(ValueError, match="cv is 'five'; give a number of folds, a splitter"):
        compare(X, Y, k=2, selectors=["anovaf"], cv="five")


def test_classes_of_one_sample_are_left_out_with_a_note():
    y = np.array(list("abcd"))[np.r_[Y, 3, 0]]
    y[-1] = "e"
    A = np.vstack([X, X[:2] * 50])
    result = compare(A, y, k=2, selectors=["anovaf"], n_repeats=2)
    assert result.notes == [
        "Classes 'd', 'e' have a single sample each, so they are left out of the evaluation."
    ]
    without = compare(X, Y, k=2, selectors=["anovaf"], n_repeats=2)
    predicted = result.predictions["ANOVA F"]
    assert (predicted[:, -2:] == -1).all()
    np.testing.assert_array_equal(predicted[:, :-2], without.predictions["ANOVA F"])
    for one, other in zip(result.rows, without.rows, strict=True):
        assert one.scores == other.scores
    one = compare(A[:-1], y[:-1], k=2, selectors=["anovaf"], n_repeats=1)
    assert one.notes == ["Class 'd' has a single sample, so it is left out of the evaluation."]
    assert one.notes[0] in str(one)
    assert one.notes[0] in unescape(one._repr_html_())


def test_frames_sparse_tables_and_names():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(13)])
    labels = np.array(["u", "v", "w"])[Y]
    options = {"k": 4, "n_repeats": 2}
    named = compare(frame, labels, selectors=[S2FS(include=["f3"]), S2FS()], **options)
    other = {"a": S2FS(include=[3]), "b": S2FS()}
    plain = compare(sparse.csr_array(X), Y, selectors=other, **options)
    assert [row.selector for row in named.rows[:2]] == ["S²FS", "S²FS 2"]
    for one, two in zip(named.rows, plain.rows, strict=True):
        assert one.scores["accuracy"].value == two.scores["accuracy"].value
    threads = compare(X, Y, selectors=other, n_jobs=2, **options)
    np.testing.assert_equal(threads.predictions, plain.predictions)


def test_rows_have_the_names_readers_know():
    selectors = [PairCover(), S2FS(), S2FS(compactness="rms"), AnovaF(), Guessed(),
                 SelectorCV(selector=PairCover()), SelectKBest()]  # fmt: skip
    few = np.r_[0:10, 60:70]
    result = compare(X[few], Y[few], k=2, selectors=selectors, n_repeats=1, cv=2)
    assert [row.selector for row in result.rows] == [
        "PairCover", "S²FS", "S²FS-rms", "ANOVA F", "Guessed (reconstructed)", "PairCover, tuned",
        "SelectKBest", "all 13 features", RANDOM, MAJORITY,
    ]  # fmt: skip


def test_as_text_and_as_html():
    name = "a very <long> name of a selector"
    options = {"k": 2, "n_repeats": 2}
    result = compare(X, Y, selectors={name: AnovaF(), "paircover": PairCover()}, **options)
    assert max(map(len, str(result).splitlines())) <= 80
    assert " ".join(str(result).split("\n\n")[-1].split()) == result.verdict
    page = result._repr_html_()
    assert "a very &lt;long&gt; name" in page
    assert "<long>" not in page


def test_a_selector_is_evaluated_with_all_that_it_chooses():
    """The number that is chosen by cross-validation is chosen again in every fold."""
    few = np.r_[0:25, 60:85]
    A, y = X[few], Y[few]
    tuned = SelectorCV(selector=AnovaF())
    result = evaluate_selector(tuned, A, y, n_selected=4, n_repeats=2)
    assert result.sizes == [1, 2, 4, 5, 8]
    assert [row.selector for row in result.rows] == [
        "ANOVA F, tuned", "PairCover", "S²FS", "ANOVA F", "all 13 features", RANDOM, MAJORITY,
    ]  # fmt: skip
    repeats = literal.repeated_folds(y, n_repeats=2)

    def select(B, c):
        return SelectorCV(selector=AnovaF()).fit(B, c).indices_

    predicted = literal.pooled_predictions(A, y, repeats, select)
    np.testing.assert_array_equal(result.predictions["ANOVA F, tuned"], predicted)
    for k in (2, 8):  # what it ranks with what it has chosen, whatever it has chosen to stop at
        predicted = literal.pooled_predictions(
            A, y, repeats, lambda B, c, k=k: AnovaF(k).fit(B, c).indices_
        )
        np.testing.assert_array_equal(result.at(k).predictions["ANOVA F, tuned"], predicted)
    predicted = literal.pooled_predictions(A, y, repeats, lambda B, c: S2FS(2).fit(B, c).indices_)
    np.testing.assert_array_equal(result.at(2).predictions["S²FS"], predicted)


def test_what_is_run_is_not_beside_itself():
    options = {"n_selected": 2, "n_repeats": 1, "cv": 2}
    named = {
        one: [row.selector for row in evaluate_selector(selector, X, Y, **options).rows[:-3]]
        for one, selector in {
            "alike": PairCover(2, n_jobs=1),
            "other": PairCover(2, max_correlation=0.5),
            "sklearn": SelectKBest(k=2),
        }.items()
    }
    assert named == {
        "alike": ["PairCover", "S²FS", "ANOVA F"],
        "other": ["PairCover", "PairCover (default)", "S²FS", "ANOVA F"],
        "sklearn": ["SelectKBest", "PairCover", "S²FS", "ANOVA F"],
    }


def test_missing_values_are_filled_in_inside_the_folds():
    """PairCover takes them as they are; for others, and the learner, training medians stand in."""
    rng = np.random.default_rng(0)
    holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    result = compare(holes, Y, k=3, selectors=["paircover", "anovaf"], n_repeats=2)
    predicted = {name: np.full((2, len(Y)), -1) for name in ("PairCover", "ANOVA F")}
    for number, folds in enumerate(literal.repeated_folds(Y, n_repeats=2)):
        for train, test in folds:
            medians = np.nanmedian(holes[train], axis=0)
            whole = np.where(np.isnan(holes), medians, holes)
            fitted_selectors = {
                "PairCover": PairCover(3).fit(holes[train], Y[train]),
                "ANOVA F": AnovaF(3).fit(whole[train], Y[train]),
            }
            for name, fitted in fitted_selectors.items():
                held_out = literal.predict(whole, Y, (train, test), fitted.indices_)
                predicted[name][number, test] = held_out
    for name, predictions in predicted.items():
        np.testing.assert_array_equal(result.predictions[name], predictions)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selectors": ["paircove"]}, r"'paircove' \(did you mean 'paircover'\?\); choose from"),
        ({"selectors": "paircover"}, "selectors is 'paircover'; give a list, or a dict of names"),
        ({"selectors": []}, "selectors is empty; give at least one"),
        ({"selectors": [3]}, "selectors has 3; give an estimator with get_support"),
        ({"selectors": {MAJORITY: S2FS()}}, "'majority class', which is the name of another row"),
        ({"selectors": {RANDOM: S2FS()}}, "'random features', which is the name of another row"),
        ({"selectors": [GaussianNB()]}, "selectors has a GaussianNB, which has no get_support"),
        ({"learner": "svn"}, r"learner is 'svn' \(did you mean 'svm'\?\); choose from logistic"),
        ({"learner": S2FS()}, "learner is S2FS.*or give a classifier"),
        ({"scoring": "acuracy"}, r"scoring is 'acuracy' \(did you mean 'accuracy'\?\)"),
        ({"scoring": "auc", "learner": "knn"}, "scoring is 'auc', which needs a learner"),
        ({"positive": 1}, "positive is 1, but there are 3 classes; it is for two"),
        ({"cv": 1}, "cv is 1; give at least two folds"),
        ({"n_repeats": 0}, "n_repeats is 0; give a whole number from 1"),
    ],
)  # fmt: skip
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        compare(X, Y, k=2, **options)


def test_bad_tables():
    with pytest.raises(ValueError, match="8 samples are too few to say how good this is"):
        compare(X[56:64], Y[56:64], k=2)
    with pytest.raises(ValueError, match="y has fewer than two classes with at least two samples"):
        compare(X[:11], np.arange(11) // 10, k=2)
    with pytest.raises(ValueError, match="all 6 samples of class 0 are of one group"):
        compare(X[:11], np.arange(11) // 6, k=2, groups=np.arange(11) // 6)
    with pytest.raises(ValueError, match="X has infinity in column"):
        compare(np.where(np.arange(X.size).reshape(X.shape) == 5, np.inf, X), Y, k=2)
    predicts = make_pipeline(SelectKBest(k=2), GaussianNB())
    with pytest.raises(ValueError, match="a pipeline that does more than select"):
        compare(X, Y, k=None, selectors=[predicts])


def test_a_sparse_table_is_never_dense_as_a_whole():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    X = sparse.random_array((600, 20_000), density=0.03, format="csc", rng=rng)
    compare(X[:, :200], y, k=3, cv=2, n_repeats=1)  # what is loaded once does not count
    tracemalloc.start()
    try:
        result = compare(X, y, k=3, cv=2, n_repeats=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [row.selector for row in result.rows[:3]] == ["PairCover", "S²FS", "ANOVA F"]
    assert peak < X.shape[0] * X.shape[1] * 8 / 2
