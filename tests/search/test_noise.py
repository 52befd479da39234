"""How often "auto" and q-values take noise for something, in the designs that studies have.

At a level of 0.1 in a tenth of all tables: not more, within two standard errors.
"""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from scipy.sparse import csc_array

from s2fs import S2FS, PairCover, StabilitySelector
from strategies import FULL

PATH = Path(__file__).parents[2] / "bench" / "studies" / "noise_designs.py"
spec = spec_from_file_location("noise_designs", PATH)
designs = module_from_spec(spec)
spec.loader.exec_module(designs)

LEVEL = 0.1
N_TABLES = 200 if settings.default.max_examples == FULL else 20
MOST = LEVEL * N_TABLES + 2 * np.sqrt(LEVEL * (1 - LEVEL) * N_TABLES)


def tables(design):
    return (design(np.random.default_rng(seed)) for seed in range(N_TABLES))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("design", designs.COMPLETE)
@pytest.mark.parametrize("cls", [S2FS, PairCover])
def test_auto_keeps_its_level(cls, design):
    auto = cls("auto", level=LEVEL, tol=0)
    found = [
        len(auto.fit(X, y, **given).indices_) for X, y, given in tables(designs.COMPLETE[design])
    ]
    assert np.count_nonzero(found) <= MOST


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("design", designs.WITH_GAPS)
def test_auto_keeps_its_level_with_missing_values(design):
    auto = PairCover("auto", level=LEVEL, tol=0)
    found = [len(auto.fit(X, y).indices_) for X, y, _ in tables(designs.WITH_GAPS[design])]
    assert np.count_nonzero(found) <= MOST


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "design",
    [
        "20 donors of 6 samples",
        pytest.param("classes of 20 and 20", marks=pytest.mark.long),
        pytest.param("a number", marks=pytest.mark.long),
    ],
)
def test_q_values_seldom_take_noise_for_something(design):
    """Any q-value of 0.1 or less is one false selection too many."""
    stable = StabilitySelector(selector=S2FS(5), n_resamples=4, n_permutations=10)
    found = [
        (stable.fit(X, y, **given).q_values_ <= LEVEL).any()
        for X, y, given in tables(designs.COMPLETE[design])
    ]
    assert np.count_nonzero(found) <= MOST


def planted(design, seed=0):
    """A table of the design in which feature 3 tells the classes apart."""
    X, y, given = (designs.COMPLETE | designs.WITH_GAPS)[design](np.random.default_rng(seed))
    places = np.flatnonzero(~np.isnan(X[:, 3]))
    X[places, 3] += 6 * y[places]
    return X, y, given


DESIGNS = [
    "classes of 38 and 2",
    "batches, balanced",
    "batches are pairs",
    "a number",
    "a number and batches",
    "20 donors of 6 samples",
    "donors of 1 to 10 samples",
    "donors with both classes",
    "counts",
    "missing in one class",
    "every sample twice, with gaps",
]


@pytest.mark.parametrize("design", DESIGNS)
def test_what_is_there_is_found_whatever_the_order_of_the_samples(design):
    X, y, given = planted(design)
    paths = []
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(y))
        some = {name: np.asarray(values)[rows] for name, values in given.items()}
        paths.append(PairCover("auto", tol=0).fit(X[rows], y[rows], **some).path_)
    assert paths[0]["feature"][0] == 3
    for other in paths[1:]:
        np.testing.assert_array_equal(other["feature"], paths[0]["feature"])
        np.testing.assert_array_equal(other["p_value"], paths[0]["p_value"])


@pytest.mark.parametrize("cls", [S2FS, PairCover])
@pytest.mark.parametrize("n_others", [0, 1, 6])
def test_a_binary_feature_is_found_among_few(cls, n_others):
    """200 samples and a binary feature that is far more frequent in one class."""
    y = np.arange(200) % 2
    for seed in range(10):
        rng = np.random.default_rng(seed)
        others = rng.random((200, n_others)) < 0.5
        marker = rng.random(200) < np.where(y, 0.69, 0.31)
        X = np.column_stack([marker, others]).astype(float)
        assert cls("auto").fit(X, y).indices_[0] == 0


@pytest.mark.filterwarnings("ignore:No feature does better:UserWarning")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"covariates": np.array(list("aabbccdd"))}, "covariates allow 8 distinct"),
        ({"groups": np.arange(8) // 2}, "groups allow 8 distinct"),
        (
            {"groups": np.arange(8) // 2, "covariates": np.array(list("aabbbbaa"))},
            "covariates and groups allow 8 distinct",
        ),
    ],
)
def test_too_few_permutations_are_refused(given, words):
    """Pairs swap inside: 2⁴ orders, every two of which differ in names of classes alone."""
    X, y = np.random.default_rng(0).normal(size=(8, 5)), np.arange(8) % 2
    with pytest.raises(ValueError, match=words) as error:
        S2FS("auto").fit(X, y, **given)
    assert "give a number of features, a higher level, or leave" in str(error.value)
    S2FS(2).fit(X, y, **given)
    S2FS("auto", level=0.5).fit(X, y, **given)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (np.arange(7), r"groups has 7 entries for the 8 samples of X"),
        ([None, 1, 1, 2, 2, 3, 3, 4], r"groups has missing values in sample 0"),
    ],
)
def test_bad_groups(groups, words):
    X, y = np.random.default_rng(0).normal(size=(8, 5)), np.arange(8) % 2
    with pytest.raises(ValueError, match=words):
        S2FS(2).fit(X, y, groups=np.array(groups, dtype=object))


def test_unequal_groups_with_missing_values_are_refused():
    X, y, given = designs.COMPLETE["donors of 1 to 10 samples"](np.random.default_rng(0))
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="groups have unequal sizes and X has missing values"):
        PairCover("auto").fit(X, y, **given)


def test_few_samples_are_said_to_be_few():
    X, y = np.random.default_rng(0).normal(size=(4, 5)), np.arange(4) % 2
    with pytest.warns(UserWarning, match=r"with so few samples no p-value is below 0\.33"):
        S2FS("auto").fit(X, y)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sparse_tables_with_gaps_are_those_that_are_dense():
    X, y, _ = planted("missing in one class")
    X[np.abs(X) < 0.5] = 0.0
    dense, sparse = (PairCover("auto", tol=0).fit(table, y).path_ for table in (X, csc_array(X)))
    np.testing.assert_array_equal(dense["feature"], sparse["feature"])
    np.testing.assert_array_equal(dense["p_value"], sparse["p_value"])
