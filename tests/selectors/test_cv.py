"""SelectorCV against a literal nested loop of separate fits and scikit-learn's own classifiers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.baselines import AnovaF
from s2fs.evaluation import stratified_folds

#: What SelectorCV judges by.
LOGISTIC = make_pipeline(
    StandardScaler(), LogisticRegression(tol=1e-10, max_iter=10_000, solver="newton-cg")
)
ALPHAS, BETAS = (0.01, 1.0), (0.0316, 1.0)


def noisy(n=90, m=12, seed=0):
    """Continuous features, so that no two rows are equally far from a third."""
    X, y = make_classification(
        n, m, n_informative=4, n_redundant=2, n_classes=3, class_sep=0.8, random_state=seed
    )
    return X, np.array(["c", "a", "b"])[y]


def literal(X, y, folds, model, scoring="accuracy", sizes=range(1, 7)):
    """Mean scores of shape (pairs, sizes), everything fitted from scratch inside the folds."""
    scorer = get_scorer(scoring)
    scores = []
    for train, test in folds:
        for alpha in ALPHAS:
            for beta in BETAS:
                selector = S2FS(max(sizes), alpha=alpha, beta=beta).fit(X[train], y[train])
                for k in sizes:
                    ranking = selector.indices_[:k]
                    pipeline = make_pipeline(MinMaxScaler(), clone(model))
                    pipeline.fit(X[train][:, ranking], y[train])
                    scores.append(scorer(pipeline, X[test][:, ranking], y[test]))
    return np.reshape(scores, (len(folds), len(ALPHAS) * len(BETAS), len(sizes)))


def by_hand(scores, one_standard_error):
    """The rule of the documentation, spelt out."""
    mean = scores.mean(axis=0)
    cells = sorted(  # best score first, then few features, then small weights
        np.ndindex(mean.shape), key=lambda cell: (-round(mean[cell], 9), cell[1], cell[0])
    )
    if not one_standard_error:
        return cells[0]
    pair, _ = cells[0]
    best = scores[:, *cells[0]]
    limit = best.mean() - best.std(ddof=1) / len(best) ** 0.5
    return pair, next(size for size, value in enumerate(mean[pair]) if value >= limit - 1e-9)


@pytest.mark.parametrize(
    ("estimator", "model", "scoring"),
    [
        (None, LOGISTIC, "accuracy"),
        (None, LOGISTIC, "f1_macro"),
        (None, LOGISTIC, "neg_log_loss"),
        (None, LOGISTIC, "roc_auc_ovo"),
        (KNeighborsClassifier(5), KNeighborsClassifier(5), "accuracy"),
        (KNeighborsClassifier(3), KNeighborsClassifier(3), "balanced_accuracy"),
        (DecisionTreeClassifier(random_state=0),) * 2 + ("neg_log_loss",),
    ],
    ids=str,
)
def test_equals_a_nested_loop_of_separate_fits(estimator, model, scoring):
    X, y = noisy()
    folds = list(stratified_folds(y, 3, random_state=0))
    truth = literal(X, y, folds, model, scoring)
    settings = {"selector": S2FS(), "max_features": 6, "alphas": ALPHAS, "betas": BETAS, "cv": 3}
    selector = SelectorCV(**settings, estimator=estimator, scoring=scoring).fit(X, y)
    results = pd.DataFrame(selector.cv_results_)
    for i, fold in enumerate(truth):
        np.testing.assert_allclose(results[f"split{i}_test_score"], fold.ravel(), atol=1e-12)
    np.testing.assert_allclose(results["mean_test_score"], truth.mean(axis=0).ravel())
    np.testing.assert_allclose(results["std_test_score"], truth.std(axis=0).ravel(), atol=1e-12)
    cells = [(a, b, k) for a in ALPHAS for b in BETAS for k in range(1, 7)]
    columns = ["param_alpha", "param_beta", "param_n_features_to_select"]
    assert list(results[columns].itertuples(index=False, name=None)) == cells
    pair, size = by_hand(truth, False)
    selector.set_params(one_standard_error=False).fit(X, y)
    assert selector.best_index_ == 6 * pair + size
    pair, size = by_hand(truth, True)
    selector.set_params(one_standard_error=True).fit(X, y)
    assert selector.best_index_ == 6 * pair + size
    expected = dict(zip(["alpha", "beta", "n_features_to_select"], cells[6 * pair + size]))  # noqa: B905
    assert selector.best_params_ == expected
    assert selector.best_score_ == results["mean_test_score"][selector.best_index_]
    final = S2FS(**expected).fit(X, y)
    assert selector.indices_.tolist() == final.indices_.tolist()
    np.testing.assert_array_equal(selector.path_, final.path_)
    np.testing.assert_array_equal(selector.transform(X), final.transform(X))


#: Two pairs of weights that begin with another feature, whatever fold is left out.
PAIRS = ((0.0, 0.0), (10.0, 0.0))


def choose(mean, error=0.0, **options):
    """Which pair and number SelectorCV chooses if the folds have these mean scores."""
    mean = np.atleast_2d(mean)
    rng, y = np.random.default_rng(51), np.arange(48) % 2
    X = rng.normal(size=(48, 4)) + y[:, None] * rng.uniform(0, 1.5, size=4)
    first = [S2FS(1, alpha=alpha, beta=beta).fit(X, y).indices_[0] for alpha, beta in PAIRS]
    assert first[0] != first[1]
    scaled = [
        MinMaxScaler().fit(X[train]).transform(X[test])
        for train, test in stratified_folds(y, 4, random_state=0)
    ]

    def scoring(model, rows, truth):
        """A number that is known beforehand, by the first feature, the size and the fold."""
        (known,) = [
            mean[pair, rows.shape[1] - 1] + (-1) ** fold * error * 3**0.5
            for pair, feature in enumerate(first[: len(mean)])
            for fold, values in enumerate(scaled)
            if np.array_equal(rows[:, 0], values[:, feature])
        ]
        return known

    alphas = [alpha for alpha, _ in PAIRS[: len(mean)]]
    selector = SelectorCV(
        max_features=mean.shape[1], selector=S2FS(), alphas=alphas, betas=[0.0], cv=4,
        estimator=DecisionTreeClassifier(), scoring=scoring, **options,
    ).fit(X, y)  # fmt: skip
    results = selector.cv_results_
    np.testing.assert_allclose(results["mean_test_score"], mean.ravel(), rtol=1e-12)
    np.testing.assert_allclose(results["std_test_score"], error * 3**0.5, atol=1e-12)
    best = selector.best_params_
    return alphas.index(best["alpha"]), best["n_features_to_select"] - 1


def test_the_rule_on_worked_numbers():
    # Best 0.90 with 4 features, standard error 0.02: 0.88 is enough, 0.87 is not.
    mean = np.array([[0.70, 0.87, 0.89, 0.90], [0.60, 0.87, 0.88, 0.90]])
    assert choose(mean, 0.02) == (0, 2)
    assert choose(mean, 0.02, one_standard_error=False) == (0, 3)
    assert choose(mean[::-1], 0.02) == (0, 2)
    assert choose(mean[1:], 0.005) == (0, 3)
    lucky = np.array([[0.5, 0.6, 0.90], [0.89, 0.6, 0.7]])  # one feature of another pair
    assert choose(lucky, 0.02) == (0, 2)
    assert choose(mean) == (0, 3)
    assert choose(np.full((2, 4), 0.5), one_standard_error=False) == (0, 0)
    rounding = [0.3, 0.1 + 0.2]  # equal scores, whatever the last digit says
    assert choose(rounding, one_standard_error=False) == (0, 0)


def test_equal_prefixes_are_scored_once():
    fits = []

    class Counting(KNeighborsClassifier):
        def fit(self, X, y):
            fits.append(X.tobytes())
            return super().fit(X, y)

    X, y = noisy()
    SelectorCV(
        max_features=6, selector=S2FS(), alphas=ALPHAS, betas=BETAS, cv=3, estimator=Counting()
    ).fit(X, y)
    assert len(fits) == len(set(fits))
    assert len(fits) < 3 * len(ALPHAS) * len(BETAS) * 6


def test_a_given_number_leaves_the_weights_to_be_chosen():
    X, y = noisy()
    selector = SelectorCV(5, selector=S2FS(), alphas=ALPHAS, betas=BETAS, cv=4).fit(X, y)
    truth = literal(X, y, list(stratified_folds(y, 4, random_state=0)), LOGISTIC, sizes=[5])
    np.testing.assert_allclose(selector.cv_results_["mean_test_score"], truth.mean(axis=0).ravel())
    assert len(selector.indices_) == selector.best_params_["n_features_to_select"] == 5
    assert (
        len(SelectorCV(0.25, selector=S2FS(), alphas=ALPHAS, betas=[0.1]).fit(X, y).indices_) == 3
    )


def test_any_splitter_and_groups():
    X, y = noisy()
    seen = []

    class Watched(GroupKFold):
        def split(self, X, y=None, groups=None):
            seen.append(groups)
            yield from super().split(X, y, groups)

    groups = np.repeat(np.arange(30), 3)
    small = {"selector": S2FS(), "alphas": [0.1], "betas": [0.1], "max_features": 4}
    one = SelectorCV(cv=Watched(3), **small).fit(X, y, groups=groups)
    assert seen[0] is groups
    listed = SelectorCV(cv=list(GroupKFold(3).split(X, y, groups)), **small).fit(X, y)
    assert one.best_params_ == listed.best_params_
    assert one.n_splits_ == 3
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    assert SelectorCV(cv=repeated, **small).fit(X, y).n_splits_ == 6


def test_a_number_of_folds_keeps_groups_together():
    """Copies in both parts make neighbours look perfect; kept together they are no help."""
    rng = np.random.default_rng(0)
    half = rng.normal(size=(40, 30))
    labels = np.arange(40) % 2
    X, y, pairs_of_copies = np.vstack([half, half]), np.tile(labels, 2), np.tile(np.arange(40), 2)
    settings = {
        "selector": S2FS(),
        "alphas": [0.1],
        "betas": [0.1],
        "estimator": KNeighborsClassifier(1),
    }
    apart = SelectorCV(20, **settings).fit(X, y)
    together = SelectorCV(20, **settings).fit(X, y, groups=pairs_of_copies)
    assert apart.best_score_ > 0.8
    assert together.best_score_ < 0.7


def test_pure_noise_does_not_leak():
    """Selected on all rows, noise tells the classes apart; inside the folds it cannot."""
    rng = np.random.default_rng(0)
    scores, leaky = [], []
    for _ in range(5):
        X, y = rng.normal(size=(60, 200)), rng.permutation(np.arange(60) % 2)
        selector = SelectorCV(10, selector=S2FS(), alphas=[0.0316], betas=[0.0316]).fit(X, y)
        scores.append(selector.best_score_)
        model = clone(LOGISTIC)
        selected = X[:, S2FS(10).fit(X, y).indices_]
        leaky.append(cross_val_score(model, selected, y, cv=5).mean())
    assert abs(np.mean(scores) - 0.5) < 0.1
    assert np.mean(leaky) > 0.7


def test_tuned_on_noise_an_outer_fold_sees_chance():
    """The best of many scores flatters; unseen rows do not."""
    rng = np.random.default_rng(1)
    inside, outside = [], []
    for _ in range(12):
        X, y = rng.normal(size=(60, 50)), rng.permutation(np.arange(60) % 2)
        tuned = SelectorCV(selector=S2FS(), alphas=ALPHAS, betas=BETAS, max_features=6, cv=3)
        model = make_pipeline(tuned, LOGISTIC)
        outside.append(cross_val_score(model, X, y, cv=5).mean())
        inside.append(tuned.fit(X, y).cv_results_["mean_test_score"].max())
    assert abs(np.mean(outside) - 0.5) < 0.12
    assert np.mean(inside) > np.mean(outside)


def test_threads_sparse_and_single_precision_change_nothing():
    X, y = noisy()
    X[np.abs(X) < 0.5] = 0
    settings = {"selector": S2FS(), "alphas": ALPHAS, "betas": BETAS, "max_features": 5, "cv": 3}
    truth = SelectorCV(**settings).fit(X, y)
    for other in (
        SelectorCV(**settings, n_jobs=2).fit(X, y),
        SelectorCV(**settings).fit(csr_array(X), y),
        SelectorCV(**{**settings, "alphas": ALPHAS[::-1]}).fit(X, y),  # their order is no matter
    ):
        assert other.best_params_ == truth.best_params_
        np.testing.assert_array_equal(other.indices_, truth.indices_)
        for name, values in truth.cv_results_.items():
            np.testing.assert_array_equal(other.cv_results_[name], values)


def test_constraints_and_weights_hold_in_the_folds_too():
    X, y = noisy()
    names = [f"gene {f}" for f in range(12)]
    frame = pd.DataFrame(X, columns=names)
    settings = {"alphas": [0.1], "betas": [0.1], "max_features": 6, "one_standard_error": False}
    named = S2FS(include=["gene 3", "gene 7"], exclude=["gene 0"])
    by_name = SelectorCV(selector=named, **settings).fit(frame, y)
    by_position = SelectorCV(selector=S2FS(include=[3, 7], exclude=[0]), **settings).fit(X, y)
    assert by_name.indices_[:2].tolist() == [3, 7]
    assert 0 not in by_name.indices_
    np.testing.assert_array_equal(by_name.indices_, by_position.indices_)
    sizes = by_name.cv_results_["param_n_features_to_select"]
    assert sizes.tolist() == [2, 3, 4, 5, 6]
    without = SelectorCV(selector=S2FS(), **settings).fit(X[:70], y[:70])
    weighed = S2FS(class_weight="balanced")
    balanced = SelectorCV(selector=weighed, **settings).fit(X[:70], y[:70])
    folds = list(stratified_folds(y[:70], 5, random_state=0))
    for selector, weight in ((without, None), (balanced, "balanced")):
        for i, (train, test) in enumerate(folds):
            fit = S2FS(6, alpha=0.1, beta=0.1, class_weight=weight).fit(X[train], y[train])
            model = clone(LOGISTIC)
            model.fit(X[train][:, fit.indices_], y[train])
            score = model.score(X[test][:, fit.indices_], y[test])
            assert selector.cv_results_[f"split{i}_test_score"][5] == pytest.approx(score)


def test_in_a_pipeline_with_names_and_scores():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = SelectorCV(
        selector=S2FS(), alphas=[0.0316, 1.0], betas=[0.0316], max_features=8, cv=3
    )
    model = make_pipeline(selector, MinMaxScaler(), LogisticRegression())
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() > 0.9
    fitted = selector.fit(X, y)
    assert fitted.ranking_table().columns.tolist()[:4] == ["rank", "feature", "sep", "gain"]
    assert set(fitted.get_feature_names_out()) == set(X.columns[fitted.indices_])


def test_ranks_are_those_of_the_scores():
    X, y = noisy()
    results = (
        SelectorCV(selector=S2FS(), alphas=ALPHAS, betas=BETAS, max_features=4, cv=3)
        .fit(X, y)
        .cv_results_
    )
    mean, rank = results["mean_test_score"], results["rank_test_score"]
    assert [1 + np.sum(mean > value + 1e-9) for value in mean] == rank.tolist()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alphas": []}, "alphas is empty"),
        ({"alphas": [0.1, -1]}, "'alpha' parameter"),
        ({"betas": ["x"]}, "'beta' parameter"),
        ({"cv": 1}, "'cv' parameter"),
        ({"max_features": 0}, "'max_features' parameter"),
        (
            {"selector": S2FS(include=[1, 2, 3]), "max_features": 2},
            "include has 3 features, but max_features=2",
        ),
        ({"estimator": "knn"}, "'estimator' parameter"),
        ({"scoring": lambda *_: np.nan}, "gave NaN or infinity"),
        (
            {"cv": [(np.arange(90), np.arange(0))]},
            "cv leaves fold 0 without training or test samples",
        ),
    ],
)
def test_bad_arguments(parameters, words):
    with pytest.raises(ValueError, match=words):
        SelectorCV(**({"selector": S2FS(), "alphas": [0.1], "betas": [0.1]} | parameters)).fit(
            *noisy()
        )


@pytest.mark.parametrize("selector", [None, PairCover(correlation=0.25), AnovaF()])
def test_the_number_of_features_of_a_selector(selector):
    X, y = noisy()
    found = SelectorCV(selector=selector, max_features=6, one_standard_error=False).fit(X, y)
    selector = selector or PairCover()  # the default
    scores = []
    for train, test in stratified_folds(y, 5, random_state=0):
        order = clone(selector).set_params(n_features_to_select=6).fit(X[train], y[train]).indices_
        for k in range(1, 7):
            model = clone(LOGISTIC)
            model.fit(X[train][:, order[:k]], y[train])
            scores.append(model.score(X[test][:, order[:k]], y[test]))
    mean = np.reshape(scores, (5, 6)).mean(axis=0)
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], mean)
    best = int(mean.round(9).argmax()) + 1
    assert found.best_params_ == {"n_features_to_select": best}
    final = clone(selector).set_params(n_features_to_select=best).fit(X, y)
    assert found.indices_.tolist() == final.indices_.tolist()
    assert found.ranking_table()["feature"].tolist() == final.ranking_table()["feature"].tolist()


@pytest.mark.parametrize("selector", [S2FS(alpha=0.1, beta=0.1), PairCover(), AnovaF()], ids=str)
def test_a_fold_with_too_few_features_is_scored_with_those_it_has(selector):
    """As separate fits that ask for each number would be, and no fold says so."""
    X, y = noisy()
    X = np.hstack([X, X + 0.01, 2 * X])
    base = clone(selector).set_params(max_correlation=0.5)
    grid = {"alphas": [0.1], "betas": [0.1]} if isinstance(base, S2FS) else {}
    tuned = SelectorCV(selector=clone(base), max_features=16, one_standard_error=False, **grid)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tuned.fit(X, y)
    scores, ends = [], []
    for train, test in stratified_folds(y, 5, random_state=0):
        for k in range(1, 17):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                order = base.set_params(n_features_to_select=k).fit(X[train], y[train]).indices_
            model = clone(LOGISTIC)
            model.fit(X[train][:, order], y[train])
            scores.append(model.score(X[test][:, order], y[test]))
        ends.append(len(order))
    assert max(ends) <= 12
    assert len({*ends}) > 1
    results = found.cv_results_
    np.testing.assert_allclose(results["mean_test_score"], np.reshape(scores, (5, 16)).mean(axis=0))
    best = found.best_params_["n_features_to_select"]
    assert best <= max(ends)
    final = base.set_params(n_features_to_select=best).fit(X, y)
    assert found.indices_.tolist() == final.indices_.tolist()
    tuned.set_params(n_features_to_select=30)
    with pytest.warns(UserWarning, match=r"max_correlation=0\.5 leaves \d+ of the 30 feature"):
        assert tuned.fit(X, y).best_score_ == pytest.approx(results["mean_test_score"][-1])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alphas": [0.5]}, r"alphas is \[0.5\], which is for S2FS; give selector=S2FS\(\)"),
        ({"selector": None, "betas": [1.0]}, r"betas is \[1.0\], which is for S2FS"),
    ],
)
def test_parameters_another_selector_does_not_see(parameters, words):
    with pytest.raises(ValueError, match=words):
        SelectorCV(**({"selector": PairCover()} | parameters)).fit(*noisy())


@pytest.mark.parametrize("selector", [S2FS(alpha=0.1, beta=0.1), PairCover()])
def test_weights_count_in_the_selections(selector):
    X, y = noisy()
    weight = np.where(y == "a", 0.2, 1.0) * np.random.default_rng(3).random(len(y))
    grid = {"alphas": [0.1], "betas": [0.1]} if isinstance(selector, S2FS) else {}
    found = SelectorCV(3, selector=selector, **grid).fit(X, y, sample_weight=weight)
    base = clone(selector).set_params(n_features_to_select=3)
    np.testing.assert_allclose(found.scores_, base.fit(X, y, sample_weight=weight).scores_)
    assert not np.allclose(found.scores_, base.fit(X, y).scores_)
    with pytest.raises(
        ValueError, match="sample_weight is given, but selector is a AnovaF, whose fit"
    ):
        SelectorCV(3, selector=AnovaF()).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    "selector", [SelectorCV(2, selector=S2FS(), alphas=[0.1], betas=[0.1]), StabilitySelector(2)]
)
def test_metadata_routing(selector):
    """A pipeline hands groups and weights on when asked to, and refuses them when not."""
    X, y = noisy()
    groups = np.repeat(np.arange(30), 3)
    weight = np.random.default_rng(0).random(len(y)) + 0.1
    alone = clone(selector).fit(X, y, groups=groups, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        asked = clone(selector).set_fit_request(groups=True, sample_weight=True)
        model = make_pipeline(asked, KNeighborsClassifier())
        model.fit(X, y, groups=groups, sample_weight=weight)
        assert model[0].indices_.tolist() == alone.indices_.tolist()
        with pytest.raises(ValueError, match=r"\[groups.*are passed but are not explicitly set"):
            make_pipeline(clone(selector), KNeighborsClassifier()).fit(X, y, groups=groups)
    step = type(selector).__name__.lower()
    model = make_pipeline(clone(selector), KNeighborsClassifier())
    model.fit(X, y, **{f"{step}__groups": groups, f"{step}__sample_weight": weight})
    assert model[0].indices_.tolist() == alone.indices_.tolist()


GROUPS = [[0, 3], [1, 4, 5]]


@pytest.mark.parametrize(
    "selector", [PairCover(), S2FS(), AnovaF()], ids=lambda s: type(s).__name__
)
def test_columns_of_one_feature_count_once(selector):
    """Every score is that of a selector with so many features, fitted and tested by itself."""
    X, y = noisy()
    grouped = clone(selector).set_params(feature_groups=GROUPS)
    folds = list(stratified_folds(y, 3))
    weights = {"alphas": [0.1, 1.0], "betas": [0.1]} if isinstance(selector, S2FS) else {}
    knn = KNeighborsClassifier(5)
    tuned = SelectorCV(selector=grouped, max_features=4, cv=folds, estimator=knn, **weights)
    results = tuned.fit(X, y).cv_results_
    for row, k in enumerate(results["param_n_features_to_select"]):
        settings = {"n_features_to_select": int(k)}
        settings |= {name: results[f"param_{name}"][row] for name in ("alpha", "beta") if weights}
        for i, (train, test) in enumerate(folds):
            model = make_pipeline(clone(grouped).set_params(**settings), MinMaxScaler(), clone(knn))
            score = model.fit(X[train], y[train]).score(X[test], y[test])
            assert results[f"split{i}_test_score"][row] == pytest.approx(score)
    assert tuned.ranking_.tolist() == tuned.selector_.ranking_.tolist()
    n_features = tuned.best_params_["n_features_to_select"]
    assert len(set(tuned.ranking_[tuned.support_])) == n_features
    m = X.shape[1] - 3
    with pytest.warns(UserWarning, match=f"more than the {m} features of X"):
        SelectorCV(m + 1, selector=grouped, cv=folds, **weights).fit(X, y)
