"""One run, against the evaluation spelt out."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from s2fs import S2FS
from s2fs.baselines import AnovaF
from s2fs.bench import PAPER_LEARNERS, Run, SelectorSpec
from s2fs.bench._run import Outcome, choose_weights, evaluate_run
from s2fs.evaluation import pool_folds, prefix_curves, stratified_folds

SIZES = (1, 2, 3, 5)
GRID = {"alphas": (0.01, 1.0), "betas": (0.0, 0.1, 1.0)}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(48) % 3
    return rng.normal(size=(48, 12)) + y[:, None] * rng.uniform(0, 1, size=12), y


def run_of(fold=0, **selector):
    spec = SelectorSpec(**{"name": "S2FS", "method": "S2FS", "parameters": {}, **selector})
    return Run("d", "h", spec, "inside", fold, 4, 7, SIZES, tuple(PAPER_LEARNERS))


@pytest.mark.parametrize("protocol", ["inside", "before"])
def test_folds_pooled_are_the_prefix_curves(data, protocol):
    X, y = data
    runs = [
        replace(run_of(fold, parameters={"alpha": 0.3}), protocol=protocol) for fold in range(4)
    ]
    folds = [evaluate_run(run, X, y).fold_result(0, SIZES) for run in runs]
    curves = pool_folds(folds)
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
    for learner in PAPER_LEARNERS:
        assert np.array_equal(curves[learner].values, truth[learner].values)
    for fold, ranking in zip(folds, truth.rankings, strict=True):
        assert np.array_equal(fold.ranking, ranking)


def test_grid_is_so_many_single_runs(data):
    """Prefixes that rankings share are scored once; the numbers must not show it."""
    X, y = data
    grid = evaluate_run(run_of(**GRID), X, y)
    assert grid.weights.tolist() == [[a, b] for a in GRID["alphas"] for b in GRID["betas"]]
    assert len(np.unique(grid.rankings, axis=0)) > 1
    assert (grid.rankings[:, :1] == grid.rankings[0, :1]).sum() > 1
    for i, (alpha, beta) in enumerate(grid.weights):
        one = evaluate_run(run_of(parameters={"alpha": alpha, "beta": beta}), X, y)
        assert np.array_equal(grid.rankings[i], one.rankings[0])
        for learner, predicted in one.predictions.items():
            assert np.array_equal(grid.predictions[learner][i], predicted[0])
        assert np.array_equal(grid.nmi[i], one.nmi[0])


def test_a_limit_holds_in_single_runs_and_in_grids(data):
    X, y = data
    limited = {"parameters": {"max_correlation": 0.4}}
    grid = evaluate_run(run_of(**GRID, **limited), X, y)
    assert not np.array_equal(grid.rankings, evaluate_run(run_of(**GRID), X, y).rankings)
    for i, (alpha, beta) in enumerate(grid.weights):
        parameters = {"alpha": alpha, "beta": beta, **limited["parameters"]}
        one = evaluate_run(run_of(parameters=parameters), X, y)
        assert np.array_equal(grid.rankings[i], one.rankings[0])
    baseline = evaluate_run(run_of(method="AnovaF", **limited), X, y)
    train, _ = next(iter(stratified_folds(y, 4, random_state=7)))
    truth = AnovaF(5, max_correlation=0.4).fit(X[train], y[train]).indices_
    assert np.array_equal(baseline.rankings[0], truth)


@pytest.mark.parametrize("selector", [{}, GRID, GRID | {"tune": "inside"}, {"method": "AnovaF"}])
def test_a_limit_that_leaves_too_few_is_an_error(data, selector):
    run = run_of(parameters={"max_correlation": 0.0}, **selector)
    with pytest.raises(ValueError, match="sizes goes up to"):
        evaluate_run(run, *data)


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


def test_weights_are_chosen_from_the_training_rows_alone(data):
    X, y = data
    tuned = run_of(**GRID, tune="inside")
    train, test = next(iter(stratified_folds(y, 4, random_state=7)))
    pairs = [(a, b) for a in GRID["alphas"] for b in GRID["betas"]]
    scores = [inner_accuracy(X[train], y[train], *pair) for pair in pairs]
    assert max(scores) > min(scores)
    best = int(np.argmax(scores))
    assert choose_weights(tuned, X[train], y[train]) == best
    outcome = evaluate_run(tuned, X, y)
    assert outcome.weights.tolist() == [list(pairs[best])]
    truth = S2FS(5, alpha=pairs[best][0], beta=pairs[best][1]).fit(X[train], y[train])
    assert np.array_equal(outcome.rankings[0], truth.indices_)
    # Test rows of another world change nothing in what was chosen.
    other = X.copy()
    other[test] = 1000
    assert evaluate_run(tuned, other, y).weights.tolist() == outcome.weights.tolist()


def test_outcome_survives_storage(data):
    outcome = evaluate_run(run_of(**GRID), *data)
    back = Outcome.from_bytes(outcome.to_bytes())
    for name in ("weights", "rankings", "y_test", "nmi"):
        assert np.array_equal(getattr(back, name), getattr(outcome, name))
    assert list(back.predictions) == ["cart", "knn", "svm"]
    for learner, predicted in outcome.predictions.items():
        assert np.array_equal(back.predictions[learner], predicted)
    bare = evaluate_run(replace(run_of(), learners=("knn",)), *data)
    assert Outcome.from_bytes(bare.to_bytes()).nmi is None


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
        {"parameters": {"alpha": 0.2}},
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
    changes = {"status": "wrapper", "n_features": 9, "dataset_title": "D", "score": "macro_f1"}
    assert replace(run_of(), **changes, version="9").key == run_of().key


def test_key_does_not_depend_on_the_order_of_parameters():
    one, other = {"alpha": 0.1, "beta": 0.2}, {"beta": 0.2, "alpha": 0.1}
    assert run_of(parameters=one).key == run_of(parameters=other).key


def test_random_selectors_get_the_seed(data):
    spec = {"name": "random", "method": "RandomOrder"}
    first, second = (evaluate_run(run_of(**spec), *data).rankings for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, evaluate_run(replace(run_of(**spec), seed=8), *data).rankings)
