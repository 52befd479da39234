"""What every selector refuses or warns of in one sentence, and what it tells of itself."""

import typing

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.baselines import AnovaF
from s2fs.report import Report

X, Y = load_wine(return_X_y=True)
SELECTORS = [S2FS, PairCover, SelectorCV, StabilitySelector, AnovaF]


@pytest.mark.parametrize("selector", SELECTORS)
def test_labels_that_are_missing_name_the_public_class(selector):
    with pytest.raises(ValueError, match=f"{selector.__name__} estimator requires y"):
        selector(3).fit(X)


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_truth_value_is_no_number_of_features(selector):
    with pytest.raises(ValueError, match="n_features_to_select is True, which is no number"):
        selector(True).fit(X, Y)


@pytest.mark.parametrize("selector", [S2FS, PairCover, SelectorCV, StabilitySelector])
def test_no_thread_is_refused(selector):
    with pytest.raises(ValueError, match="n_jobs is 0; give the number of threads, from 1"):
        selector(3, n_jobs=0).fit(X, Y)


@pytest.mark.parametrize("selector", [S2FS, PairCover, AnovaF])
def test_a_table_without_any_difference_is_warned_of(selector):
    with pytest.warns(UserWarning, match=r"Every feature of X is constant"):
        selector(2).fit(np.ones((len(Y), 4)), Y)


def test_hints_ignore_case():
    frame = pd.DataFrame(X[:, :3], columns=["Alcohol", "Malic acid", "Ash"])
    with pytest.raises(ValueError, match=r"did you mean 'Malic acid'\?"):
        S2FS(2, include=["MALIC ACID"]).fit(frame, Y)


def test_results_are_typed():
    hints = typing.get_type_hints(
        PairCover.ranking_table, localns={"DataFrame": pd.DataFrame, "Report": Report}
    )
    assert hints["return"] is pd.DataFrame
    hints = typing.get_type_hints(PairCover.report, localns={"Report": Report})
    assert hints["return"] is Report


@pytest.mark.parametrize("selector", [PairCover(2), S2FS(2)])
def test_an_unknown_argument_of_fit_names_the_selector(selector):
    name = type(selector).__name__
    with pytest.raises(TypeError, match=rf"^{name}\.fit\(\) got an unexpected keyword argument"):
        selector.fit(np.eye(4), [0, 0, 1, 1], batch=[0, 1, 0, 1])
    assert type(selector).fit.__doc__.startswith("Select features of ``X``")
