"""What is said about accuracy holds: on noise, with repeated subjects, and on every surface."""

import html
import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import settings
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.stats.proportion import proportion_confint

from s2fs import S2FS, PairCover, SelectorCV, compare
from s2fs.baselines import AnovaF
from s2fs.cli import main
from s2fs.evaluation import evaluate_selector, plan
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
    return compare(X, y, k=[5], selectors=[selector], n_repeats=N_REPEATS, **options)


def tuned(X, y):
    return evaluate_selector(SelectorCV(**SMALL_GRID), X, y, n_selected=5)


def imputed(X, y):
    return plain(PairCover(), with_gaps(X, 1), y, imputer=SimpleImputer())


def weighted(X, y):
    weight = np.random.default_rng(2).integers(1, 4, len(y))
    return plain(PairCover(), X, y, sample_weight=weight)


def in_groups(X, y):
    return plain(PairCover(), X, y, groups=np.arange(len(y)) // 2)


def adjusted(X, y):
    batch = np.random.default_rng(3).integers(0, 2, len(y)).astype(str)
    return plain(PairCover(), X, y, covariates={"batch": batch})


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
    "covariates": (adjusted, (20, 20)),
    "weights": (weighted, (20, 20)),
    "groups": (in_groups, (20, 20)),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_noise_is_no_better_than_guessing(design):
    """The mean never above the guess; as far as classes count the same, not below it either."""
    run, sizes = DESIGNS[design]
    guesses = {"accuracy": max(sizes) / sum(sizes), "balanced_accuracy": 1 / len(sizes), "auc": 0.5}
    values, n_better = {key: [] for key in guesses}, dict.fromkeys(guesses, 0)
    for seed in range(N_TABLES):
        found = run(*noise(seed, sizes))
        for key, guess in guesses.items():
            estimate = found.rows[0].scores[key]
            values[key].append(estimate.value)
            n_better[key] += estimate.low > guess
    for key, guess in guesses.items():
        mean, error = np.mean(values[key]), np.std(values[key], ddof=1) / N_TABLES**0.5
        assert mean <= guess + 2 * error
        if key != "accuracy" or len({*sizes}) == 1:
            assert mean >= guess - max(2 * error, 0.02)
        assert n_better[key] <= N_TABLES * 0.05 + 2 * (N_TABLES * 0.05 * 0.95) ** 0.5


def test_the_number_that_does_as_well_loses_little():
    """Ten weak markers: what is read off the folds is measured on new samples."""
    n_tables = 40 if N_TABLES == 200 else 6
    lost = []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        y = np.arange(1060) % 2
        X = rng.normal(size=(1060, 100))
        X[:, :10] += 0.5 * y[:, None]
        found = compare(X[:60], y[:60], k=10, selectors=["paircover"])
        ranking = PairCover(20).fit(X[:60], y[:60]).indices_
        shares = {}
        for k in found.sizes:
            model = make_pipeline(StandardScaler(), LogisticRegression())
            columns = ranking[:k]
            model.fit(X[:60, columns], y[:60])
            shares[k] = model.score(X[60:, columns], y[60:])
        lost.append(max(shares.values()) - shares[found.recommendation.size])
    slack = 0.0 if n_tables == 40 else 2 * np.std(lost, ddof=1) / n_tables**0.5
    assert np.mean(lost) <= 0.045 + slack


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
    assert np.mean([found.rows[0].scores["accuracy"].value for found in by_row]) > 0.95
    grouped = [found.rows[0].scores["accuracy"].value for found in by_donor]
    assert np.mean(grouped) == pytest.approx(0.5, abs=2.3 * np.std(grouped, ddof=1) / 10**0.5)
    assert not any(found.beats_majority for found in by_donor)
    assert by_donor[0].n_units == 20  # what its interval is made of
    row = by_donor[0].rows[0]
    n = 20 * 0.8  # of a training set
    low, high = proportion_confint(n * row.scores["accuracy"].value, n, method="wilson")
    assert (row.scores["accuracy"].low, row.scores["accuracy"].high) == pytest.approx((low, high))
    assert "whole groups held out" in by_donor[0].title


@pytest.mark.parametrize("noise_of_each", [0.0, 0.3])
def test_samples_measured_more_than_once_are_told(tmp_path, noise_of_each):
    rng = np.random.default_rng(0)
    n_copies = 2 if noise_of_each == 0 else 4
    subject = np.repeat(np.arange(15), n_copies)
    X = rng.normal(size=(15, 60))[subject]
    X += noise_of_each * rng.normal(size=X.shape)
    y = subject % 2
    found = compare(X, y, k=3, n_repeats=1)
    assert "samples look measured more than once" in found.repeated
    assert found.repeated in found.notes
    grouped = compare(X, y, k=3, n_repeats=1, groups=subject)
    assert not grouped.repeated
    assert not [note for note in grouped.notes if "nearly the same" in note]
    page = Report(PairCover(3).fit(X, y), X, y).summary
    (check,) = (one for one in page["checks"] if one["name"] == "repeated")
    assert not check["passed"]
    table = tmp_path / "t.csv"
    pd.DataFrame(X).add_prefix("g").assign(kind=np.array(["u", "v"])[y]).to_csv(table, index=False)
    shown = CliRunner().invoke(main, ["select", str(table), "-t", "kind", "-k", "3"]).stdout
    assert "belong together by --group COLUMN." in " ".join(shown.split())
    apart = compare(rng.normal(size=(60, 60)), np.arange(60) % 2, k=3, n_repeats=1)
    assert not apart.repeated


def test_work_is_counted_where_a_table_is_large(monkeypatch):
    """The same command gives the same answer on any machine."""
    X, y = noise(0, (900, 300), m=10)
    X[:, 0] += y
    whole = compare(X, y, k=3, selectors=["anovaf"])
    assert whole.n_repeats == 5
    monkeypatch.setattr(plan, "MOST_WORK", 1200 * 10 * 5 * 5 * 3)
    fewer = compare(X, y, k=3, selectors=["anovaf"])
    assert (fewer.n_repeats, fewer.n_samples) == (3, 1200)
    assert "The table is large: the folds are drawn 3 times, not 5 times." in fewer.notes
    monkeypatch.setattr(plan, "MOST_WORK", 600 * 10 * 5 * 5)
    some = compare(X, y, k=3, selectors=["anovaf"])
    n = some.n_samples
    assert some.n_repeats == 1
    assert 600 <= n <= 604  # and two of each class in any case
    assert f"{n} of 1,200 samples" in some.title
    counts = np.bincount(y[(some.predictions["ANOVA F"] >= 0)[0]])
    np.testing.assert_allclose(counts / n, [0.75, 0.25], atol=0.01)
    estimate = some.rows[0].scores["accuracy"]
    n *= 0.8 * 0.8
    low, high = proportion_confint(n * estimate.value, n, method="wilson")
    assert estimate[1:3] == pytest.approx((low, high))
    again = compare(X, y, k=3, selectors=["anovaf"])
    np.testing.assert_array_equal(again.predictions["ANOVA F"], some.predictions["ANOVA F"])


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
    assert [len(sets) for sets in found.selected.values()] == [len(sizes)] * 3
    held_out = found.predictions["ANOVA F"] >= 0
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
    rows = {row.selector: row for row in found.rows}
    assert rows["majority class"].scores["balanced_accuracy"].value == 0.5
    assert rows["majority class"].scores["accuracy"].value == 0.95
    assert found.n_splits == 2
    assert found.notes == ["Class 1 has 2 samples, so there are 2 folds instead of 5."]


def test_a_class_of_one_sample_is_named_and_left_out():
    X, y = noise(0, (10, 10, 1))
    names = np.array(["ewing", "burkitt", "rare"])[y]
    found = compare(X, names, k=3, n_repeats=1)
    assert found.notes == ["Class 'rare' has a single sample, so it is left out of the evaluation."]
    assert found.n_units == 20
    assert (found.predictions["PairCover"][:, 20] == -1).all()


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


def test_a_selector_below_random_is_said_to_be_so():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 60))
    X[:, :50] += 1.5 * rng.normal(size=(3, 50))[y]
    found = compare(X, y, k=5, selectors=[Worst()])
    assert found.relation("random features") == "worse than"
    assert " do better: " in found.verdict
    draws = {row.selector: row for row in found.rows}["random features"]
    assert draws.n_features == 5


def test_a_tuned_selector_is_evaluated_with_its_tuning():
    shown, best = [], []
    for seed in range(6):
        X, y = noise(seed, (20, 20), m=100)
        tuner = SelectorCV(**{**SMALL_GRID, "max_features": 20, "one_standard_error": False})
        tuned = clone(tuner).fit(X, y)
        page = Report(tuned, X, y)
        if seed == 0:
            fresh = evaluate_selector(tuner, X, y, n_selected=len(tuned.indices_))
            assert page.summary["verdict"]["headline"] == fresh.headline
        shown.append(page.comparison.rows[0].scores["accuracy"].value)
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
    assert saved["evaluation"]["size_as_good"] == truth.recommendation.size
    terminal = " ".join(result.stdout.split())
    assert truth.verdict in terminal
    assert " ".join(truth.title.split()) in terminal
    text = " ".join(html.unescape(re.sub("<[^>]*>", " ", page.read_text())).split())
    assert f"{truth.headline} {truth.rest}" in text
    for row in truth.rows:
        digits = f"{100 * row.scores['accuracy'].value:.1f}"
        pattern = rf"{re.escape(row.selector)} +(\d+(\.\d)? +)?{digits} % "
        assert re.search(pattern, result.stdout)
        assert f"{row.selector} {digits} " in text
    for check in saved["checks"]:
        assert check["text"] in text
        assert (f"! {check['text']}" in terminal) != check["passed"]
    n_passed = sum(check["passed"] for check in saved["checks"])
    assert f"✓ {n_passed} checks passed" in terminal
    assert f"✓ {n_passed} checks passed" in text
    listed = [row["selected_in"] for row in saved["rows"]]
    position = {f: i for i, f in enumerate(load_wine().feature_names)}
    features = [position[row["feature"]] for row in saved["rows"]]
    assert listed == truth.count_selections(features)
