"""SelectorCV and StabilitySelector take every selector of the package."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from rankers import RANKERS
from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.baselines import AnovaF, RandomOrder, best_of_several
from s2fs.evaluation import stratified_folds

SELECTORS = {"S2FS": S2FS, "PairCover": PairCover, **RANKERS}


def make(name, k):
    """The selector, the same at every fit."""
    selector = SELECTORS[name](k)
    fixed = {"random_state": 0, "n_estimators": 5}
    return selector.set_params(**{n: v for n, v in fixed.items() if n in selector.get_params()})


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.arange(36) % 3
    X = pd.DataFrame(rng.normal(size=(36, 6)), columns=list("fedcba"))
    X["d"] += 4 * y
    X["b"] += 4 * (y == 1)
    return X, y


@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_in_both(table, name):
    X, y = table
    try:
        alone = make(name, 2).fit(X, y)
    except ImportError as error:
        pytest.skip(str(error))
    assert alone.feature_names_.tolist() == X.columns[alone.indices_].tolist()
    tuned = SelectorCV("auto", selector=make(name, 3), cv=2).fit(X, y)
    assert 1 <= len(tuned.indices_) <= 6
    again = make(name, 3).set_params(**tuned.best_params_).fit(X, y)
    assert tuned.feature_names_.tolist() == again.feature_names_.tolist()
    stable = StabilitySelector(2, selector=make(name, 2), n_resamples=3).fit(X, y)
    assert stable.frequencies_.sum() == pytest.approx(2)
    assert len(stable.indices_) == 2
    assert stable.feature_names_.tolist() == X.columns[stable.indices_].tolist()


@pytest.mark.filterwarnings("ignore:n_features_to_select=:UserWarning")
@pytest.mark.parametrize("selector", [S2FS(), PairCover(), StabilitySelector(n_resamples=3)])
def test_a_grid_beyond_the_number_of_features_fails_no_fit(table, selector):
    model = Pipeline([("select", selector), ("knn", KNeighborsClassifier())])
    grid = {"select__n_features_to_select": [2, 6, 50]}
    found = GridSearchCV(model, grid, cv=2, error_score="raise").fit(*table)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_the_best_of_several_is_the_one_with_the_best_folds():
    """A literal cross-validation of each selector: mean balanced accuracy of two learners."""
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(y), 20))])
    candidates = [("random", RandomOrder(random_state=0)), ("pairs", PairCover()), ("F", AnovaF())]
    learners = [KNeighborsClassifier(5), SVC(C=10)]
    chooser = SelectorCV(
        3, selector=candidates, estimator=learners, scoring="balanced_accuracy"
    ).fit(X, y)
    folds = stratified_folds(y, 5, random_state=0)
    truth = np.zeros((len(candidates), 5))
    for j, (train, test) in enumerate(folds):
        for i, (_, selector) in enumerate(candidates):
            selected = clone(selector).set_params(n_features_to_select=3).fit(X[train], y[train])
            scaler = MinMaxScaler().fit(X[train][:, selected.indices_])
            A, B = (scaler.transform(X[rows][:, selected.indices_]) for rows in (train, test))
            for learner in learners:
                predicted = learner.fit(A, y[train]).predict(B)
                truth[i, j] += balanced_accuracy_score(y[test], predicted) / len(learners)
    np.testing.assert_allclose(chooser.cv_results_["mean_test_score"], truth.mean(axis=1))
    best = int(truth.mean(axis=1).argmax())
    assert best != 0
    assert chooser.best_params_ == {"selector": candidates[best][0], "n_features_to_select": 3}
    assert chooser.cv_results_["param_selector"].tolist() == ["random", "pairs", "F"]
    alone = clone(candidates[best][1]).set_params(n_features_to_select=3).fit(X, y)
    assert chooser.indices_.tolist() == chooser.selector_.indices_.tolist()
    assert chooser.indices_.tolist() == alone.indices_.tolist()


def test_best_of_several_chooses_one_of_four():
    X, y = load_wine(return_X_y=True)
    chooser = best_of_several(4, cv=3).fit(X, y)
    names = ["PairCover", "PairCover on ranks", "SVM-RFE", "ReliefF"]
    assert chooser.cv_results_["param_selector"].tolist() == names
    assert chooser.best_params_["selector"] in names
    assert len(chooser.indices_) == 4


@pytest.mark.parametrize(
    ("selectors", "message"),
    [
        ([PairCover()], "give tuples of a name and a selector"),
        ([("a", PairCover()), ("a", AnovaF())], "has a name twice"),
        ([], "selector is empty"),
    ],
)
def test_lists_without_names_are_refused(selectors, message):
    with pytest.raises(ValueError, match=message):
        SelectorCV(2, selector=selectors).fit(*load_wine(return_X_y=True))
