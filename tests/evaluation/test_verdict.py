"""What is said about accuracy holds: on noise, with repeated subjects, and on every surface."""

import html
import itertools
import json
import re
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import settings
from scipy import stats
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from statsmodels.stats.proportion import proportion_confint

from s2fs import S2FS, PairCover, SelectorCV, compare
from s2fs.baselines import AnovaF
from s2fs.cli import main
from s2fs.evaluation import evaluate_selector
from s2fs.evaluation.statistics import compare_paired, compute_sign_flip_p_value
from s2fs.report import Report
from strategies import FULL

#: The whole protocol in the long profile; fewer tables and repeats keep the short one short.
N_TABLES, N_REPEATS = (200, 5) if settings.default.max_examples == FULL else (16, 1)
SMALL_GRID = {
    "selector": S2FS(), "alphas": [0.03, 1.0], "betas": [0.03, 1.0], "max_features": 5, "cv": 3,
}  # fmt: skip


def noise(seed, sizes, m=40):
    """A table in which no feature has to do with the classes."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(seed).normal(size=(len(y), m)), y


def with_gaps(X, seed):
    """The table with a tenth of its values missing."""
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.1, np.nan, X)


def plain(selector, X, y, **options):
    return compare(X, y, k=5, selectors=[selector], n_repeats=N_REPEATS, **options)


def tuned(X, y):
    return evaluate_selector(SelectorCV(**SMALL_GRID), X, y, n_selected=5)


def imputed(X, y):
    return plain(PairCover(), with_gaps(X, 1), y, imputer=SimpleImputer())


def weighted(X, y):
    weight = np.random.default_rng(2).integers(1, 4, len(y))
    return plain(PairCover(), X, y, sample_weight=weight)


def in_groups(X, y):
    return plain(PairCover(), X, y, groups=np.arange(len(y)) // 2)


DESIGNS = {
    "PairCover": (partial(plain, PairCover()), (20, 20)),
    "S2FS": (partial(plain, S2FS()), (20, 20)),
    "38:2": (partial(plain, PairCover()), (38, 2)),
    "36:4": (partial(plain, S2FS()), (36, 4)),
    "20:2:2:2:2": (partial(plain, PairCover()), (20, 2, 2, 2, 2)),
    "tune": (tuned, (20, 20)),
    "impute": (imputed, (20, 20)),
    "missing": (lambda X, y: plain(S2FS(), with_gaps(X, 1), y), (20, 20)),
    "log": (lambda X, y: plain(PairCover(), np.log2(1 + np.exp(X)), y), (20, 20)),
    "weights": (weighted, (20, 20)),
    "groups": (in_groups, (20, 20)),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_noise_is_no_better_than_the_majority_class(design):
    run, sizes = DESIGNS[design]
    accuracies, balanced, n_better = [], [], 0
    for seed in range(N_TABLES):
        found = run(*noise(seed, sizes))
        accuracies.append(found.rows[0]["accuracy"])
        balanced.append(found.rows[0]["balanced_accuracy"])
        n_better += found.recommended.beats_majority

    def half_width(values):
        return stats.t.ppf(0.995, N_TABLES - 1) * max(np.std(values, ddof=1), 1e-9) / N_TABLES**0.5

    assert np.mean(accuracies) <= max(sizes) / sum(sizes) + half_width(accuracies)
    assert np.mean(balanced) == pytest.approx(1 / len(sizes), abs=half_width(balanced) + 1e-9)
    assert n_better <= N_TABLES * 0.05 + 2 * (N_TABLES * 0.05 * 0.95) ** 0.5


def donors(seed=0):
    """20 donors with 6 samples each; the features know the donor and nothing else."""
    donor = np.repeat(np.arange(20), 6)
    rng = np.random.default_rng(seed)
    return rng.normal(size=(20, 50))[donor] + 0.05 * rng.normal(size=(120, 50)), donor % 2, donor


def test_samples_of_one_donor_are_held_out_together():
    by_row, by_donor = [], []
    for seed in range(10):
        X, y, donor = donors(seed)
        by_row.append(compare(X, y, k=10, n_repeats=1))
        by_donor.append(compare(X, y, k=10, groups=donor, n_repeats=2))
    assert np.mean([found.rows[0]["accuracy"] for found in by_row]) > 0.95
    grouped = [found.rows[0]["accuracy"] for found in by_donor]
    assert np.mean(grouped) == pytest.approx(0.5, abs=2.3 * np.std(grouped, ddof=1) / 10**0.5)
    assert not any(found.beats_majority for found in by_donor)
    assert by_donor[0].n_units == 20  # what its interval is made of
    row = by_donor[0].rows[0]
    low, high = proportion_confint(20 * row["accuracy"], 20, method="wilson")
    assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx((low, high))
    assert "whole groups held out" in str(by_donor[0])


SPLITTERS = {
    "groups": (StratifiedGroupKFold(5), 1, 5),
    "one group": (LeaveOneGroupOut(), 1, 20),
    "repeated": (RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0), 4, 3),
    "list": (list(StratifiedKFold(4).split(np.zeros(120), donors()[1])), 1, 4),
}


@pytest.mark.parametrize("kind", SPLITTERS)
def test_any_splitter_makes_the_folds(kind):
    splitter, n_repeats, n_splits = SPLITTERS[kind]
    X, y, donor = donors()
    groups = donor if "group" in kind else None
    found = compare(X, y, k=3, selectors=["anovaf"], cv=splitter, groups=groups)
    assert (found.n_repeats, found.n_splits) == (n_repeats, n_splits)
    folds = splitter if kind == "list" else splitter.split(X, y, groups)
    sizes = [len(test) for _, test in folds]
    assert [len(a) for a in found.accuracies.values()] == [len(sizes)] * 4
    held_out = found.predictions["majority class"] >= 0
    assert held_out.sum() == sum(sizes)


def test_splits_that_overlap_are_repeats_of_their_own():
    X, y = load_wine(return_X_y=True)
    splitter = StratifiedShuffleSplit(4, test_size=0.5, random_state=0)
    found = compare(X, y, k=3, selectors=["anovaf"], cv=splitter)
    assert found.n_repeats == 4
    assert ((found.predictions["ANOVA F"] >= 0).sum(axis=1) == 89).all()


def test_groups_on_both_sides_of_a_fold_are_refused():
    X, y, donor = donors()
    with pytest.raises(ValueError, match="samples of one group on both sides of a fold"):
        compare(X, y, k=3, cv=StratifiedKFold(5, shuffle=True, random_state=0), groups=donor)


def test_balanced_accuracy_of_a_constant_guess():
    X, y = noise(0, (38, 2))
    found = compare(X, y, k=5)
    rows = {row["selector"]: row for row in found.rows}
    assert rows["majority class"]["balanced_accuracy"] == 0.5
    assert rows["majority class"]["accuracy"] == 0.95
    assert found.n_splits == 2
    assert found.notes == ["Class 1 has 2 samples, so there are 2 folds instead of 5."]


def test_a_class_of_one_sample_is_named_and_left_out():
    X, y = noise(0, (10, 10, 1))
    names = np.array(["ewing", "burkitt", "rare"])[y]
    found = compare(X, names, k=3, n_repeats=1)
    assert found.notes == ["Class 'rare' has a single sample, so it is left out of the evaluation."]
    assert found.n_units == 20
    assert (found.predictions["PairCover"][:, 20] == -1).all()


def test_difference_is_the_corrected_interval_over_all_folds():
    X, y = load_wine(return_X_y=True)
    found = compare(X, y, k=2)
    assert (found.n_repeats, found.n_splits) == (5, 5)
    paired = found.accuracies["PairCover"] - found.accuracies["ANOVA F"]
    folds = [
        fold
        for s in range(5)
        for fold in StratifiedKFold(5, shuffle=True, random_state=s).split(X, y)
    ]
    ratio = np.mean([len(test) / len(train) for train, test in folds])
    error = (paired.var(ddof=1) * (1 / 25 + ratio)) ** 0.5
    margin = stats.t.ppf(0.975, 24) * error
    gap = found.difference("PairCover", "ANOVA F")
    assert gap[:3] == pytest.approx((paired.mean(), paired.mean() - margin, paired.mean() + margin))
    assert gap.p_value is None


def test_the_majority_class_is_tested_by_mcnemar():
    X, y = noise(3, (30, 20))
    X[:, 0] += 1.2 * y
    found = compare(X, y, k=3)
    p_values = []
    for predicted in found.predictions["PairCover"]:
        right, guessed = predicted == y, y == 0
        gained, lost = (right & ~guessed).sum(), (~right & guessed).sum()
        p_values.append(stats.binomtest(int(gained), int(gained + lost)).pvalue)
    gap = found.difference("PairCover", "majority class")
    assert gap.p_value == pytest.approx(min(1, 2 * np.median(p_values)))
    assert (gap.relation == "better than") == (gap.p_value <= 0.05 and gap.mean > 0)


@pytest.mark.parametrize("seed", range(20))
def test_sign_flips_are_counted_exactly(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(-4, 5, rng.integers(1, 11))
    sums = [abs(np.dot(signs, values)) for signs in itertools.product([-1, 1], repeat=len(values))]
    expected = np.mean(np.array(sums) >= abs(values.sum()))
    assert compute_sign_flip_p_value(values) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("differences", "n", "relation"),
    [
        ([0.1, 0.12, 0.08, 0.11, 0.1], 100, "better than"),
        ([-0.1, -0.12, -0.08, -0.11, -0.1], 100, "worse than"),
        ([0.0, 0.01, -0.01, 0.0, 0.0], 100, "as good as"),
        ([0.0, 0.0, 0.0, 0.0, 0.0], 40, "cannot be told from"),  # one sample is 2.5 points
        ([0.2, -0.1, 0.1, -0.05, 0.15], 100, "cannot be told from"),
    ],
)
def test_words_follow_from_the_interval(differences, n, relation):
    gap = compare_paired(np.array(differences), 0.25, n)
    assert gap.relation == relation


class Worst(SelectorMixin, BaseEstimator):
    """Selects the features that say least."""

    def __init__(self, k=5):
        self.k = k

    def fit(self, X, y):
        self.order_ = AnovaF("all").fit(X, y).indices_[::-1]
        self.support_ = np.isin(np.arange(X.shape[1]), self.order_[: self.k])
        return self

    def _get_support_mask(self):
        return self.support_


def test_a_selector_below_random_is_said_to_be_so_first():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 60))
    X[:, :50] += 1.5 * rng.normal(size=(3, 50))[y]
    found = compare(X, y, k=5, selectors=[Worst()])
    assert found.relation("random features") == "worse than"
    assert found.verdict.startswith("Worse than random features: ")
    draws = {row["selector"]: row for row in found.rows}["random features"]
    assert draws["n_features"] == 5


def test_the_recommended_number_is_within_one_standard_error_of_the_best():
    X, y = load_wine(return_X_y=True)
    found = compare(X, y, k=[1, 2, 3, 4, 5, 7, 10])
    folds = {k: found.at(k).accuracies["PairCover"] for k in found.sizes}
    best = max(found.sizes, key=lambda k: (folds[k].mean(), -k))
    enough = []
    for k in found.sizes:
        behind = folds[best] - folds[k]
        error = (behind.var(ddof=1) * (1 / 25 + found.test_share)) ** 0.5
        if behind.mean() <= error:
            enough.append(k)
    assert found.recommendation[:2] == (min(enough), best)
    assert found.verdict.startswith(f"{min(enough)} features by PairCover")
    assert found.recommended.rows == found.at(min(enough)).rows


def test_a_curve_that_still_rises_is_told():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = rng.normal(size=(300, 40)) + 0.7 * (2 * y - 1)[:, None]
    found = compare(X, y, k=[1, 2, 5], selectors=["anovaf"])
    assert found.recommendation.still_rising
    assert found.verdict.endswith("More than 5 features: accuracy is still rising.")
    everything = compare(X[:, :5], y, k=[1, 2, 5], selectors=["anovaf"])
    assert not everything.recommendation.still_rising  # there are no more


def test_a_tuned_selector_is_evaluated_with_its_tuning():
    shown, best = [], []
    for seed in range(6):
        X, y = noise(seed, (20, 20), m=100)
        tuner = SelectorCV(**{**SMALL_GRID, "max_features": 20, "one_standard_error": False})
        tuned = clone(tuner).fit(X, y)
        page = Report(tuned, X, y, n_halves=2)
        if seed == 0:
            fresh = evaluate_selector(tuner, X, y, n_selected=len(tuned.indices_))
            assert page.summary["verdict"]["headline"] == fresh.headline
        shown.append(page.comparison.rows[0]["accuracy"])
        best.append(tuned.best_score_)
    assert np.mean(shown) < 0.56
    assert np.mean(best) > np.mean(shown) + 0.05  # what a leak would show


def write_wine(path, n_features):
    data = load_wine(as_frame=True)
    some = data.data.iloc[:, :n_features]
    some.assign(cultivar=data.target.map(lambda c: f"cv{c}")).to_csv(path, index=False)
    return path


#: Options, what they stand for, and how many features there are: "auto" permutes at every step.
SURFACES = {
    "default": (["-k", 6], lambda: PairCover(6), 13),
    "s2fs": (["-k", 4, "--method", "s2fs"], lambda: S2FS(4), 13),
    "tune": (["--tune"], lambda: SelectorCV(selector=PairCover()), 13),
    "auto": (["-k", "auto"], lambda: PairCover("auto"), 3),
}


@pytest.mark.parametrize("kind", SURFACES)
def test_every_surface_says_the_same(tmp_path, kind):
    options, make, n_features = SURFACES[kind]
    table = write_wine(tmp_path / "wine.csv", n_features)
    page, output = tmp_path / "page.html", tmp_path / "r.json"
    command = ["select", table, "-t", "cultivar", *options, "--report", page, "-o", output]
    result = CliRunner().invoke(main, [str(part) for part in command])
    assert result.exit_code == 0, result.output
    saved = json.loads(output.read_text())
    X, y = load_wine(return_X_y=True)
    X, n_selected = X[:, :n_features], len(saved["rows"])
    truth = evaluate_selector(make(), X, y, n_selected=n_selected)
    assert saved["evaluation"]["verdict"] == truth.verdict
    assert saved["evaluation"]["recommended"] == truth.recommendation.size
    terminal = " ".join(result.stdout.split())
    assert truth.verdict in terminal
    assert " ".join(truth.title.split()) in terminal
    text = " ".join(html.unescape(re.sub("<[^>]*>", " ", page.read_text())).split())
    assert f"{truth.headline} {truth.rest}" in text
    for row in truth.recommended.rows:
        digits = f"{100 * row['accuracy']:.1f}"
        pattern = rf"{re.escape(row['selector'])} +(\d+(\.\d)? +)?{digits} % "
        assert re.search(pattern, result.stdout)
        assert f"{row['selector']} {digits} " in text
    for check in saved["checks"]:
        assert check["text"] in text
        if not check["passed"]:
            assert check["text"] in terminal
