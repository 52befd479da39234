"""SelectorCV and StabilitySelector take every selector of the package."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.baselines import BASELINES

SELECTORS = {"S2FS": S2FS, "PairCover": PairCover, **BASELINES}


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
