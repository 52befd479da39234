import json
import tracemalloc
from html import unescape

import literal_evaluation as literal
import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectFpr, SelectKBest, SelectorMixin, VarianceThreshold
from sklearn.linear_model import LogisticRegression
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

from s2fs import S2FS, PairCover, SelectorCV, compare
from s2fs.baselines import FGZEFSR, AnovaF
from s2fs.evaluation import evaluate_selector, stability

X, Y = load_wine(return_X_y=True)
MAJORITY, RANDOM = "majority class", "random features"


def tree():
    return RFE(DecisionTreeClassifier(random_state=0))


@pytest.fixture(scope="module")
def several():
    return compare(X, Y, k=[1, 2, 4], selectors=[S2FS(), SelectKBest(), tree()], n_repeats=2)


def row_of(result, name):
    (row,) = (row for row in result.rows if row["selector"] == name)
    return row


def test_each_size_is_the_comparison_of_that_size_alone(several):
    assert several.sizes == [1, 2, 4]
    for k in several.sizes:
        alone = compare(X, Y, k=k, selectors=[S2FS(), SelectKBest(), tree()], n_repeats=2)
        assert alone.sizes == []
        assert alone.recommendation is None
        for name, predictions in several.at(k).predictions.items():
            np.testing.assert_array_equal(predictions, alone.predictions[name])
            np.testing.assert_array_equal(several.at(k).accuracies[name], alone.accuracies[name])
        assert [row["n_features"] for row in several.at(k).rows] == [k, k, k, 13, k, 0]
    names = ["S²FS", "SelectKBest", "RFE", "all 13 features", RANDOM, MAJORITY]
    assert [row["selector"] for row in several.rows] == names
    assert [row["accuracy"] for row in several.rows] == [
        row["accuracy"] for row in several.at(4).rows
    ]


def test_predictions_are_those_of_the_fold_that_had_not_seen_the_sample(several):
    repeats = literal.repeated_folds(Y, n_repeats=2)
    predicted = literal.pooled_predictions(X, Y, repeats, lambda A, b: S2FS(2).fit(A, b).indices_)
    assert several.at(2).predictions["S²FS"].tolist() == predicted.tolist()
    shares = literal.fold_accuracies(predicted, Y, repeats)
    assert several.at(2).accuracies["S²FS"].tolist() == shares.tolist()


def test_random_features_are_the_mean_of_ten_draws_of_each_fold(several):
    repeats = literal.repeated_folds(Y, n_repeats=2)
    folds = [fold for repeat in repeats for fold in repeat]
    right = np.zeros((10, 2, len(Y)))
    for number, fold in enumerate(folds):
        rng = np.random.default_rng([0, number])
        for draw in right:
            columns = rng.choice(13, 4, replace=False)
            draw[number // 5, fold[1]] = literal.predict(X, Y, fold, columns) == Y[fold[1]]
    row = row_of(several, RANDOM)
    assert row["accuracy"] == pytest.approx(right.mean())
    assert row["accuracy_std"] == pytest.approx(right.mean(axis=(0, 2)).std(ddof=1))
    balanced = [[[repeat[q == Y].mean() for q in range(3)] for repeat in draw] for draw in right]
    assert row["balanced_accuracy"] == pytest.approx(np.mean(balanced))
    by_fold = [right[:, n // 5, test].mean() for n, (_, test) in enumerate(folds)]
    np.testing.assert_allclose(several.accuracies[RANDOM], by_fold)
    assert RANDOM not in several.predictions


def test_what_the_first_is_beside_others():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    noise = rng.normal(size=(60, 30))
    told_apart = np.column_stack([noise, y + rng.normal(scale=0.1, size=60)])
    result = compare(minmax_scale(told_apart), y, k=1, selectors=[S2FS(), AnovaF()], n_repeats=2)
    assert result.rows[0]["accuracy"] == result.rows[1]["accuracy"] == 1
    assert result.relation(MAJORITY) == result.relation(RANDOM) == "better than"
    assert result.relation("ANOVA F") == "as good as"
    few = compare(told_apart[:40], y[:40], k=1, selectors=[S2FS(), AnovaF()], n_repeats=2)
    assert few.rows[0]["accuracy"] == few.rows[1]["accuracy"]
    assert few.relation("ANOVA F") == "cannot be told from"  # one sample of 40 is 2.5 points
    blind = {"blind": SelectKBest(lambda X, y: X.std(0)), "seeing": AnovaF()}
    against = compare(told_apart, y, k=1, selectors=blind, n_repeats=2)
    assert against.relation("seeing") == "worse than"
    assert against.verdict.split(". ")[1].startswith("Worse than seeing (−")
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
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=10_000))
LEARNERS = [
    ("logistic", LOGISTIC),
    ("knn", KNeighborsClassifier(5)),
    ("svm", SVC(C=10.0)),
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
            mean, deviation = getattr(literal, score)(predicted, Y)
            assert row[score] == pytest.approx(mean, abs=1e-12)
            assert row[f"{score}_std"] == pytest.approx(deviation, abs=1e-12)
        ends = literal.wilson(row["accuracy"], len(Y))
        assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx(ends, abs=1e-12)
    guess = row_of(result, MAJORITY)
    assert guess["accuracy"] == (np.bincount(Y).max() / len(Y))
    assert guess["balanced_accuracy"] == pytest.approx(1 / 3)
    assert (guess["accuracy_std"], guess["n_features"]) == (0, 0)
    assert (result.n_splits, result.n_repeats, result.n_units) == (4, 2, len(Y))


def test_five_times_five_folds_by_default():
    result = compare(X, Y, k=2, selectors=["anovaf"])
    predicted = literal.pooled_predictions(
        X, Y, literal.repeated_folds(Y), lambda A, b: AnovaF(2).fit(A, b).indices_
    )
    np.testing.assert_array_equal(result.predictions["ANOVA F"], predicted)
    assert len(result.accuracies["ANOVA F"]) == 25
    assert result.title.startswith("Accuracy on held-out samples (5-NN, 5 × 5 folds, features")


def test_one_repeat_has_the_interval_of_scipy():
    result = compare(X, Y, k=2, selectors=["anovaf"], n_repeats=1)
    row, n = result.rows[0], len(Y)
    truth = stats.binomtest(round(row["accuracy"] * n), n).proportion_ci(method="wilson")
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx((truth.low, truth.high))
    assert row["accuracy_std"] == row["balanced_accuracy_std"] == 0


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
        name = row["selector"]
        assert row["n_features"] == pytest.approx(np.mean([len(one) for one in sets[name]]))
        assert row["stability"] == pytest.approx(stability(sets[name], 13).value)
        assert row["redundancy"] == pytest.approx(np.mean(redundancy[name]))
        assert row["seconds"] > 0
    assert result.rows[1]["n_features"] > 3  # one without a number keeps its own
    for row in result.rows[2:]:
        assert row["stability"] is row["redundancy"] is row["seconds"] is None


@pytest.mark.parametrize("k", [3, [2, 3]])
def test_a_selector_without_a_number_or_an_order_keeps_all_that_it_selects(k):
    inner = make_pipeline(StandardScaler(), SelectKBest(k=5))
    selectors = {"every": VarianceThreshold(), "five": inner}
    result = compare(X, Y, k=k, selectors=selectors, n_repeats=1)
    assert [row["n_features"] for row in result.rows[:2]] == [13, 5]
    everything = result.predictions["all 13 features"]
    np.testing.assert_array_equal(result.predictions["every"], everything)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_difference_is_that_of_the_corrected_t_test(seed):
    options = {"n_repeats": 3, "random_state": seed}
    result = compare(X, Y, k=2, selectors=["randomorder", "anovaf"], **options)
    repeats = literal.repeated_folds(Y, n_repeats=3, seed=seed)
    paired = [
        literal.fold_accuracies(result.predictions[name], Y, repeats)
        for name in ("random order", "ANOVA F")
    ]
    found = result.difference("random order", "ANOVA F")
    mean, low, high = literal.interval(paired[0] - paired[1], repeats)
    assert found[:3] == pytest.approx((mean, low, high), abs=1e-12)
    assert result.relation("ANOVA F") == found.relation == literal.words(low, high)
    assert found.p_value is None


def noisy(n, shift, seed):
    y = (np.arange(n) % 3 == 0).astype(int)
    return np.random.default_rng(seed).normal(size=(n, 12)) + shift * y[:, None], y


@pytest.mark.parametrize(("shift", "seed"), [(0, 0), (0.15, 1), (0.3, 2), (2, 3)])
def test_the_majority_class_is_told_from_by_the_exact_test_of_mcnemar(shift, seed):
    A, y = noisy(51, shift, seed)
    result = compare(A, y, k=3, selectors=["anovaf"], n_repeats=4)
    predicted, guess = result.predictions["ANOVA F"], np.zeros((4, 51), dtype=int)
    np.testing.assert_array_equal(result.predictions[MAJORITY], guess)
    gap = result.difference("ANOVA F", MAJORITY)
    assert gap.p_value == pytest.approx(literal.p_value_against(predicted, guess, y))
    repeats = literal.repeated_folds(y, n_repeats=4)
    mine, theirs = (literal.fold_accuracies(one, y, repeats) for one in (predicted, guess))
    mean, low, high = literal.interval(mine - theirs, repeats)
    assert gap[:3] == pytest.approx((mean, low, high), abs=1e-12)
    if gap.p_value <= 0.05:
        assert gap.relation == ("better than" if mean > 0 else "worse than")
    else:
        assert gap.relation in ("as good as", "cannot be told from")
    assert result.beats_majority == (gap.relation == "better than")


def test_the_tests_above_see_both_outcomes():
    found = {
        compare(*noisy(51, shift, seed), k=3, selectors=["anovaf"], n_repeats=4).relation(MAJORITY)
        for shift, seed in ((0, 0), (2, 3))
    }
    assert found == {"better than", "cannot be told from"}


def by_hand(result, repeats, y):
    name = result.rows[0]["selector"]
    predicted = {size: result.at(size).predictions[name] for size in result.sizes}
    return literal.recommended(
        {size: literal.fold_accuracies(one, y, repeats) for size, one in predicted.items()}, repeats
    )


SIZES = [1, 2, 3, 4, 5, 6, 7, 9, 12]


@pytest.mark.parametrize(("name", "verb"), [("paircover", "are"), ("s2fs", "are"), ("stump", "is")])
def test_the_recommended_number_is_within_one_standard_error_of_the_best(name, verb):
    y, selectors, table = Y, [name], X
    if name == "stump":  # one feature says it all
        y, selectors = (X[:, 6] > np.median(X[:, 6])).astype(int), {"stump": AnovaF()}
        table = np.column_stack([y + 0.1 * minmax_scale(X[:, 6]), minmax_scale(X)])
    result = compare(table, y, k=SIZES, selectors=selectors, n_repeats=3)
    size, best, rising = by_hand(result, literal.repeated_folds(y, n_repeats=3), y)
    assert result.recommendation == (size, best, rising)
    assert (size == 1) if verb == "is" else (1 < size < best)
    assert not rising
    assert result.recommended is result.at(size)
    row = result.at(size).rows[0]
    shown = [f"{100 * row[key]:.1f}" for key in ("accuracy", "accuracy_low", "accuracy_high")]
    assert result.headline == (
        f"{size} feature{'s' if size > 1 else ''} by {row['selector']} {verb} enough: accuracy "
        f"{shown[0]} % on held-out samples (95 % interval {shown[1]} to {shown[2]})."
    )
    assert result.columns()[f"top {size}"][0] == f"{shown[0]} %"
    assert result.columns()["top 12"][0] == f"{100 * result.rows[0]['accuracy']:.1f} %"
    assert result.columns()["top 12"][-1] == ""  # the majority class has no features
    plain = result.to_dict()
    assert (plain["recommended"], plain["still_rising"]) == (size, rising)
    assert [row["accuracy"] for row in plain["by_size"][str(size)]] == [
        row["accuracy"] for row in result.at(size).rows
    ]


def test_accuracy_that_still_rises_is_said_to_rise():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    codes = np.column_stack([y % 2, y // 2])  # either feature alone gets half
    A = np.column_stack([codes + 0.05 * rng.normal(size=(120, 2)), rng.normal(size=(120, 3))])
    result = compare(A, y, k=[1, 2], selectors=["paircover"], n_repeats=2)
    assert by_hand(result, literal.repeated_folds(y, n_repeats=2), y) == (2, 2, True)
    assert result.recommendation == (2, 2, True)
    assert result.verdict.endswith(" More than 2 features: accuracy is still rising.")
    assert result.headline.startswith("2 features by PairCover: accuracy 100.0 %")
    whole = compare(A[:, :2], y, k=[1, 2], selectors=["paircover"], n_repeats=2)
    assert whole.recommendation == (2, 2, False)  # there are no more


def test_noise_is_not_said_to_beat_the_majority_class():
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(60, 40)), np.arange(60) % 3
    result = compare(table, y, k=5, selectors=["paircover"])
    assert result.verdict.startswith(
        "Not shown to be better than the majority class: 5 features by PairCover: accuracy "
    )
    assert not result.beats_majority


def test_a_guess_of_unequal_classes_is_worth_nothing_when_balanced():
    """A mean over the folds gives a constant guess far more: most folds have one class only."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [38, 4])
    result = compare(rng.normal(size=(42, 30)), y, k=2, selectors=["anovaf"])
    assert result.notes == ["Class 1 has 4 samples, so there are 4 folds instead of 5."]
    assert (result.n_splits, result.n_repeats) == (4, 5)
    assert row_of(result, MAJORITY)["balanced_accuracy"] == 0.5
    assert row_of(result, MAJORITY)["accuracy"] == 38 / 42
    assert result.verdict.startswith("Not shown to be better than the majority class: ")


def test_a_selector_below_random_features_is_said_to_be_so_first():
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
    assert result.verdict.startswith("Worse than random features: 2 features by worst: ")


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
    ends = literal.wilson(row["accuracy"], 14)
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx(ends, abs=1e-12)
    assert (result.n_units, result.is_grouped) == (14, True)
    guess = result.predictions[MAJORITY]
    gap = result.difference("ANOVA F", MAJORITY)
    assert gap.p_value == pytest.approx(literal.p_value_against(predicted, guess, y, groups))
    assert gap.relation == "cannot be told from"
    assert "5 folds, whole groups held out" in result.title
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
    assert row["accuracy"] == pytest.approx(np.mean(shares))
    n_held_out = int((predicted >= 0).any(axis=0).sum())
    ends = literal.wilson(row["accuracy"], n_held_out)
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx(ends, abs=1e-12)
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
    for key in ("accuracy", "accuracy_low", "balanced_accuracy"):
        for one, other in zip(result.rows, without.rows, strict=True):
            assert one[key] == other[key]
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
    assert [row["selector"] for row in named.rows[:2]] == ["S²FS", "S²FS 2"]
    for one, two in zip(named.rows, plain.rows, strict=True):
        assert one["accuracy"] == two["accuracy"]
    threads = compare(X, Y, selectors=other, n_jobs=2, **options)
    np.testing.assert_equal(threads.accuracies, plain.accuracies)
    np.testing.assert_equal(threads.predictions, plain.predictions)


def test_rows_have_the_names_readers_know():
    selectors = [PairCover(), S2FS(), S2FS(compactness="rms"), AnovaF(), FGZEFSR(),
                 SelectorCV(selector=PairCover()), SelectKBest()]  # fmt: skip
    few = np.r_[0:10, 60:70]
    result = compare(X[few], Y[few], k=2, selectors=selectors, n_repeats=1, cv=2)
    assert [row["selector"] for row in result.rows] == [
        "PairCover", "S²FS", "S²FS-rms", "ANOVA F", "FGZEFSR (reconstructed)", "PairCover, tuned",
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
    assert result.sizes == [1, 2, 3, 4]
    assert [row["selector"] for row in result.rows] == [
        "ANOVA F, tuned", "PairCover", "S²FS", "ANOVA F", "all 13 features", RANDOM, MAJORITY,
    ]  # fmt: skip
    repeats = literal.repeated_folds(y, n_repeats=2)

    def select(B, c):
        return SelectorCV(selector=AnovaF()).fit(B, c).indices_

    predicted = literal.pooled_predictions(A, y, repeats, select)
    np.testing.assert_array_equal(result.predictions["ANOVA F, tuned"], predicted)
    predicted = literal.pooled_predictions(A, y, repeats, lambda B, c: select(B, c)[:2])
    np.testing.assert_array_equal(result.at(2).predictions["ANOVA F, tuned"], predicted)
    predicted = literal.pooled_predictions(A, y, repeats, lambda B, c: S2FS(2).fit(B, c).indices_)
    np.testing.assert_array_equal(result.at(2).predictions["S²FS"], predicted)


def test_what_is_run_is_not_beside_itself():
    options = {"n_selected": 2, "n_repeats": 1, "cv": 2}
    named = {
        one: [row["selector"] for row in evaluate_selector(selector, X, Y, **options).rows[:-3]]
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
        ({"cv": 1}, "cv is 1; give at least two folds"),
        ({"n_repeats": 0}, "n_repeats is 0; give a whole number from 1"),
    ],
)  # fmt: skip
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        compare(X, Y, k=2, **options)


def test_bad_tables():
    with pytest.raises(ValueError, match="y has fewer than two classes with at least two samples"):
        compare(X[:11], np.arange(11) // 10, k=2)
    with pytest.raises(ValueError, match="fewer than two classes with at least two groups"):
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
    assert [row["selector"] for row in result.rows[:3]] == ["PairCover", "S²FS", "ANOVA F"]
    assert peak < X.shape[0] * X.shape[1] * 8 / 2
