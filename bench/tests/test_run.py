"""Runs and the results that are pooled from them, against the evaluation spelt out."""

import json
import sys
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import f_classif
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from s2fs import S2FS, PairCover
from s2fs.baselines import AnovaF
from s2fs.evaluation import evaluate_fold, pool_folds, prefix_curves, stability, stratified_folds
from s2fs_bench import (
    PAPER_LEARNERS,
    Ledger,
    Run,
    SelectorSpec,
    build_tables,
    iter_results,
    plan_for_file,
    run_plan,
    selection_times,
)

SIZES = (1, 2, 3, 5)
GRID = {"alphas": (0.01, 1.0), "betas": (0.0, 0.1, 1.0)}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(48) % 3
    return rng.normal(size=(48, 12)) + y[:, None] * rng.uniform(0, 1, size=12), y


def run_of(fold=0, **selector):
    return Run("d", "h", spec_of(**selector), "inside", fold, 4, 7, SIZES, tuple(PAPER_LEARNERS))


def spec_of(**selector):
    return SelectorSpec(**{"name": "S2FS", "method": "S2FS", "parameters": {}, **selector})


@pytest.fixture
def run(tmp_path):
    """The function that runs selectors on a table, by way of files, and names the results file."""

    def ran(X, y, *selectors, **changes):
        place = tmp_path / f"{len(list(tmp_path.iterdir()))}.csv"
        pd.DataFrame(X).add_prefix("x").assign(kind=y).to_csv(place, index=False)
        settings = {
            "learners": tuple(PAPER_LEARNERS), "sizes": SIZES, "folds": 4, "seeds": (7,),
            "score": "accuracy", "selectors": selectors,
        }  # fmt: skip
        plan = replace(plan_for_file(place, "kind"), **settings | changes)
        return run_plan(plan, place.with_suffix(".sqlite")), place.with_suffix(".sqlite")

    return ran


@pytest.fixture
def evaluate(run):
    """The function that runs selectors on a table and gives the results back."""

    def evaluated(*table_and_selectors, **changes):
        summary, place = run(*table_and_selectors, **changes)
        assert summary.failed == 0
        with Ledger(place) as ledger:
            return list(iter_results(ledger))

    return evaluated


def assert_same(one, other):
    """Equal curves of all learners, and equal agreement of the rankings."""
    assert list(one.curves) == list(other.curves)
    for learner, curve in one.curves.items():
        assert np.array_equal(curve.values, other.curves[learner].values)
    np.testing.assert_array_equal(one.stabilities, other.stabilities)
    np.testing.assert_array_equal(one.redundancies, other.redundancies)


@pytest.mark.parametrize("protocol", ["inside", "before"])
def test_folds_pooled_are_the_prefix_curves(data, evaluate, protocol):
    X, y = data
    (found,) = evaluate(X, y, spec_of(parameters={"alpha": 0.3}), protocol=protocol)
    truth = prefix_curves(
        X,
        y,
        S2FS(5, alpha=0.3),
        learners=PAPER_LEARNERS,
        sizes=SIZES,
        cv=4,
        random_state=7,
        protocol=protocol,
    )
    assert set(found.curves) == set(PAPER_LEARNERS)
    for learner in PAPER_LEARNERS:
        assert np.array_equal(found.curves[learner].values, truth[learner].values)
    for k, agreement in zip(SIZES, found.stabilities, strict=True):
        rankings = [ranking[:k] for ranking in truth.rankings]
        assert agreement == pytest.approx(stability(rankings, 12).value)


def test_only_the_learners_that_are_asked_for(data, evaluate):
    (found,) = evaluate(*data, spec_of(), learners=("knn",))
    assert list(found.curves) == ["knn"]


def test_grid_is_so_many_single_runs(data, evaluate):
    """Prefixes that rankings share are scored once; the numbers must not show it."""
    X, y = data
    pairs = [(a, b) for a in GRID["alphas"] for b in GRID["betas"]]
    rankings = [S2FS(5, alpha=a, beta=b).fit(X, y).indices_.tolist() for a, b in pairs]
    assert len({tuple(ranking) for ranking in rankings}) > 1
    assert len({ranking[0] for ranking in rankings}) < len(pairs)
    grid = evaluate(X, y, spec_of(**GRID))
    assert [one.weights for one in grid] == pairs
    single = [spec_of(name=f"{a}, {b}", parameters={"alpha": a, "beta": b}) for a, b in pairs]
    for of_grid, alone in zip(grid, evaluate(X, y, *single), strict=True):
        assert_same(of_grid, alone)


def test_a_limit_holds_in_single_runs_and_in_grids(data, evaluate):
    X, y = data
    limit = {"max_correlation": 0.4}
    grid = evaluate(X, y, spec_of(**GRID, parameters=limit))
    single = [
        spec_of(name=f"{a}, {b}", parameters={"alpha": a, "beta": b, **limit})
        for a, b in (one.weights for one in grid)
    ]
    for of_grid, alone in zip(grid, evaluate(X, y, *single), strict=True):
        assert_same(of_grid, alone)
    free = evaluate(X, y, spec_of(**GRID))
    assert any(
        not np.array_equal(one.redundancies, other.redundancies)
        for one, other in zip(grid, free, strict=True)
    )
    (baseline,) = evaluate(X, y, spec_of(name="F", method="AnovaF", parameters=limit))
    truth = prefix_curves(
        X, y, AnovaF(5, max_correlation=0.4), learners=PAPER_LEARNERS, sizes=SIZES, cv=4,
        random_state=7,
    )  # fmt: skip
    for learner in PAPER_LEARNERS:
        assert np.array_equal(baseline.curves[learner].values, truth[learner].values)


@pytest.mark.parametrize("selector", [GRID, GRID | {"tune": "inside"}])
def test_a_limit_that_leaves_a_grid_too_few_is_an_error(data, run, selector):
    summary, place = run(*data, spec_of(**selector, parameters={"max_correlation": 0.0}))
    assert summary.failed == 4
    with Ledger(place) as ledger:
        assert all("sizes goes up to" in entry.error for entry in ledger.entries())


SHORT = """
from sklearn.base import BaseEstimator

from s2fs import PairCover


class Short(BaseEstimator):
    def __init__(self, n_features_to_select=5):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        self.indices_ = PairCover(2).fit(X, y).indices_  # two features, whatever is asked for
        return self


class Repeating(Short):
    def fit(self, X, y):
        self.indices_ = [1, 1, 2]
        return self
"""


@pytest.fixture
def short(tmp_path, monkeypatch):
    (tmp_path / "shortlists.py").write_text(SHORT)
    monkeypatch.syspath_prepend(tmp_path)
    yield spec_of(name="short", method="shortlists:Short")
    sys.modules.pop("shortlists", None)


@pytest.mark.parametrize("rule", ["keep", "complete"])
def test_short_lists_are_kept_or_completed(data, run, short, rule):
    X, y = data
    _, place = run(X, y, short, short_lists=rule, learners=("knn", "kmeans"))
    with Ledger(place) as ledger:
        (found,) = iter_results(ledger)
    assert found.lengths == (2, 2, 2, 2)
    assert found.run.status == "own"
    parts = []
    for train, test in stratified_folds(y, 4, random_state=7):
        ranking = PairCover(2).fit(X[train], y[train]).indices_
        if rule == "complete":
            by_f = np.argsort(-f_classif(X[train], y[train])[0])
            ranking = [*ranking, *(f for f in by_f if f not in ranking)]
        by_size = [
            evaluate_fold(
                X[train], y[train], X[test], y[test], ranking,
                learners={name: PAPER_LEARNERS[name] for name in ("knn", "kmeans")},
                sizes=[min(size, len(ranking))],
            )
            for size in SIZES
        ]  # fmt: skip
        parts.append(by_size)
    for i, size in enumerate(SIZES):
        curves = pool_folds([of_fold[i] for of_fold in parts])
        for learner in ("knn", "kmeans"):
            assert found.curves[learner].values[i] == pytest.approx(curves[learner].values[0])
        sets = [np.asarray(of_fold[i].ranking)[:size] for of_fold in parts]
        assert found.stabilities[i] == pytest.approx(stability(sets, X.shape[1]).value)
    table = build_tables([found])[0]
    ending = "list as it is." if rule == "keep" else "features that are left."
    (remark,) = table.remarks
    assert remark.startswith(f"short gave 2 to 2 features on {found.run.dataset}: ")
    assert remark.endswith(ending)


def test_features_given_twice_are_an_error(data, run, short):
    summary, place = run(*data, spec_of(name="r", method="shortlists:Repeating"))
    assert summary.failed == 4
    with Ledger(place) as ledger:
        assert all("indices_ has a position twice" in entry.error for entry in ledger.entries())


def test_the_time_of_a_grid_is_that_of_one_weighting(data, run):
    _, place = run(*data, spec_of(**GRID), learners=("knn",))
    with Ledger(place) as ledger:
        found = list(iter_results(ledger))
        times = selection_times(found)
    for result in found:
        assert result.selection_seconds == pytest.approx(result.seconds / 6)
    assert times.selectors == ("S²FS",)
    assert times.milliseconds[0, 0] == pytest.approx(1000 * found[0].seconds / 6)


def inner_accuracy(X, y, alpha, beta):
    """Average accuracy of 5-NN over the sizes, by 5-fold cross-validation, the slow way."""
    right = 0
    for train, test in stratified_folds(y, 5, random_state=7):
        scaler = MinMaxScaler().fit(X[train])
        order = S2FS(5, alpha=alpha, beta=beta).fit(X[train], y[train]).indices_
        for k in SIZES:
            A, B = scaler.transform(X[train])[:, order[:k]], scaler.transform(X[test])[:, order[:k]]
            model = KNeighborsClassifier(5, algorithm="brute").fit(A, y[train])
            right += (model.predict(B) == y[test]).sum()
    return right / (len(y) * len(SIZES))


def test_weights_are_chosen_from_the_training_rows_alone(data, evaluate):
    X, y = data
    tuned = spec_of(**GRID, tune="inside")
    pairs = [(a, b) for a in GRID["alphas"] for b in GRID["betas"]]
    (found,) = evaluate(X, y, tuned)
    folds, parts = list(stratified_folds(y, 4, random_state=7)), []
    train = folds[0][0]
    scores = [inner_accuracy(X[train], y[train], *pair) for pair in pairs]
    assert max(scores) > min(scores)
    assert found.chosen[0] == pairs[int(np.argmax(scores))]
    for (train, test), (alpha, beta) in zip(folds, found.chosen, strict=True):
        ranking = S2FS(5, alpha=alpha, beta=beta).fit(X[train], y[train]).indices_
        rows = X[train], y[train], X[test], y[test]
        parts.append(evaluate_fold(*rows, ranking, learners=PAPER_LEARNERS, sizes=SIZES))
    for learner, curve in pool_folds(parts).items():
        assert np.array_equal(found.curves[learner].values, curve.values)
    # Test rows of another world change nothing in what was chosen.
    other = X.copy()
    other[folds[0][1]] = 1000
    (elsewhere,) = evaluate(other, y, tuned)
    assert elsewhere.chosen[0] == found.chosen[0]


def test_unit_survives_storage():
    one = run_of(**GRID, tune="inside", parameters={"scale": None})
    again = Run.from_fields(json.loads(json.dumps(asdict(one))))
    assert again == one
    assert again.key == one.key


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "e"},
        {"data_hash": "i"},
        {"protocol": "before"},
        {"fold": 1},
        {"n_folds": 5},
        {"seed": 8},
        {"sizes": (1, 2)},
        {"learners": ("knn",)},
        {"algorithm": "2"},
        {"settings": {"version": 9}},
        {"selector": SelectorSpec("other", "S2FS", {})},
        {"selector": SelectorSpec("S2FS", "FDM", {})},
        {"selector": SelectorSpec("S2FS", "S2FS", {"alpha": 0.1})},
        {"selector": SelectorSpec("S2FS", "S2FS", {}, (0.1,), (0.1,))},
        {"selector": SelectorSpec("S2FS", "S2FS", {}, (0.1,), (0.1,), "inside")},
    ],
    ids=str,
)
def test_key_depends_on_everything(change):
    assert replace(run_of(), **change).key != run_of().key


def test_key_does_not_depend_on_what_only_tables_show():
    changes = {
        "parameters": {"alpha": 0.2},
        "status": "wrapper",
        "n_features": 9,
        "dataset_title": "D",
        "score": "macro_f1",
    }
    assert replace(run_of(), **changes, version="9").key == run_of().key


def test_key_does_not_depend_on_the_order_of_parameters():
    one, other = {"alpha": 0.1, "beta": 0.2}, {"beta": 0.2, "alpha": 0.1}
    assert run_of(parameters=one).key == run_of(parameters=other).key


def test_random_selectors_get_the_seed(data, evaluate):
    spec = spec_of(name="random", method="RandomOrder")
    settings = {"learners": ("knn",), "seeds": (7, 8), "protocol": "before"}
    first, other = evaluate(*data, spec, **settings)
    again, _ = evaluate(*data, spec, **settings)
    assert_same(first, again)
    assert not np.array_equal(first.redundancies, other.redundancies, equal_nan=True)
