"""scikit-learn's own checks, and the same bad input, for every selector of the package."""

import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, get_tags

from rankers import INSTALLED, RANKERS
from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.baselines import RandomForestImportance, check_baseline
from strategies import long

FOREST = partial(RandomForestImportance, n_estimators=5)  # its many fits are quicker so
OTHERS = [cls for cls in INSTALLED.values() if cls is not RandomForestImportance]
BASELINE_CLASSES = [FOREST, *OTHERS]
CLASSES = [S2FS, PairCover, *BASELINE_CLASSES]
#: Those that repeat a selection, with few repetitions.
REPEATED = [
    partial(SelectorCV, selector=S2FS(), alphas=(0.0316, 1.0), betas=(0.0316,), cv=2),
    partial(StabilitySelector, n_resamples=3),
]
#: With as many as by default, which takes long.
BY_DEFAULT = [SelectorCV(), StabilitySelector()]
#: All baselines resolve their number of features in one place: one number is enough of each.
OWN = [cls for cls in [*CLASSES, *REPEATED] if cls not in BASELINE_CLASSES]
SELECTORS = [cls() for cls in [S2FS, PairCover, *REPEATED]]  # the others: check_baseline
SELECTORS += [cls(wanted) for cls in OWN for wanted in (1, 0.5)]
SELECTORS += [long(cls(wanted)) for cls in BASELINE_CLASSES for wanted in (1, 0.5)]
SELECTORS += [
    S2FS("auto"),
    S2FS(0.5, class_weight="balanced"),
    S2FS(0.5, include=[0]),
    PairCover("auto"),
    PairCover(0.5, correlation=0.25, class_weight="balanced"),
]
SELECTORS += [SelectorCV("auto", selector=S2FS(), alphas=(0.1,), betas=(0.1,), cv=2)]
#: Checks that ``check_estimator`` does not run.
EXTRA = [
    "check_dataframe_column_names_consistency",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_param_validation",
    "check_inplace_ensure_writeable",
]


def class_name(cls):
    return getattr(cls, "func", cls).__name__


def named(selector):
    return f"{type(selector).__name__}({selector.n_features_to_select})"


# Most tables of scikit-learn's checks have fewer features than a selector wants by default.
fewer_features = pytest.mark.filterwarnings("ignore:n_features_to_select=:UserWarning")
# Some are pure noise, of which "auto" selects nothing.
nothing = pytest.mark.filterwarnings("ignore:No features? (does better|were selected):UserWarning")

# And in some a class has a single sample.
alone = pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")


@fewer_features
@nothing
@alone
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_check_estimator(selector):
    """All checks in one test: there are thousands, and each takes less than a test of its own."""
    results = estimator_checks.check_estimator(selector, on_skip=None, on_fail=None)
    if failed := [result["exception"] for result in results if result["status"] == "failed"]:
        raise ExceptionGroup(f"{selector} fails checks of scikit-learn", failed)
    # Nothing may be skipped but the array API, which needs an environment variable.
    skipped = [result["check_name"] for result in results if result["status"] != "passed"]
    assert all("array_api" in name for name in skipped)
    assert len(results) > 40


@fewer_features
@pytest.mark.parametrize("selector", BY_DEFAULT, ids=named)
def test_defaults_that_repeat(selector):
    """One check that fits, of those that all run on fewer repetitions."""
    estimator_checks.check_transformer_general(type(selector).__name__, selector)


@pytest.mark.long
@fewer_features
@nothing
@pytest.mark.parametrize("selector", BY_DEFAULT, ids=named)
def test_check_estimator_by_default(selector):
    test_check_estimator(selector)


# scikit-learn's set_output checks fit on a frame and transform an array, and the reverse: it warns.
@pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names:UserWarning")
@fewer_features
@nothing
@pytest.mark.parametrize("selector", SELECTORS, ids=named)
def test_extra_checks(selector):
    for check in EXTRA:
        getattr(estimator_checks, check)(type(selector).__name__, selector)


def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(12, 4)), columns=list("abcd")), np.arange(12) % 3


def with_value(value, *columns):
    X, _ = table()
    X.loc[5, list(columns)] = value
    return X


BAD_INPUT = {
    "one class": ({"y": np.zeros(12)}, {}, "y has one class only"),
    "NaN": ({"X": with_value(np.nan, "b", "d")}, {}, r"X has NaN in columns 'b', 'd'"),
    "infinity": ({"X": with_value(np.inf, "c")}, {}, r"X has infinity in column 'c'"),
    "NaN in an array": (
        {"X": with_value(np.nan, "c").to_numpy()}, {}, r"X has NaN in column 2",
    ),
    "text column": (
        {"X": table()[0].assign(c=["u", "v"] * 6)}, {}, "columns that are not numeric: 'c'",
    ),
    "one name twice": (
        {"X": table()[0].set_axis(list("abca"), axis=1)}, {}, "more than one column named 'a'",
    ),
    "y too short": ({"y": np.arange(11) % 3}, {}, r"11 labels for the 12 samples of X"),
    "continuous y": ({"y": np.linspace(0, 1, 12)}, {}, "continuous"),
    "k = 0": ({}, {"n_features_to_select": 0}, "'n_features_to_select' parameter"),
    "fraction 0": ({}, {"n_features_to_select": 0.0}, "'n_features_to_select' parameter"),
    "fraction > 1": ({}, {"n_features_to_select": 1.5}, "'n_features_to_select' parameter"),
    "k is text": ({}, {"n_features_to_select": "ten"}, "'n_features_to_select' parameter"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_INPUT)
@pytest.mark.parametrize("cls", [*CLASSES, *REPEATED], ids=class_name)
def test_bad_input(cls, case):
    data, parameters, words = BAD_INPUT[case]
    if "NaN" in case and get_tags(cls()).input_tags.allow_nan:
        pytest.skip("takes NaN for a missing value")
    X, y = table()
    arguments = {"X": X, "y": y} | data
    with pytest.raises(ValueError, match=words) as raised:
        cls(**({"n_features_to_select": 2} | parameters)).fit(**arguments)
    assert "\n" not in str(raised.value).strip()


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("value", [-0.1, "0.1", None, np.nan])
def test_bad_weights(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        S2FS(2, **{name: value}).fit(*table())


@pytest.mark.parametrize("cls", [*CLASSES, *REPEATED], ids=class_name)
def test_contract(cls):
    """What DESIGN promises of every selector: order, scores, ranking, names, the same each time."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 3
    X = pd.DataFrame(rng.normal(size=(40, 8)) + y[:, None] * rng.random(8))
    X.columns = [f"gene {f}" for f in X]
    X["gene 2"] = 7.0
    seeded = {"random_state": 0} if "random_state" in cls().get_params() else {}
    everything = cls(8, **seeded).fit(X, y)
    assert sorted(everything.indices_) == list(range(8))
    assert everything.indices_[-1] == 2  # a constant feature comes last
    selector = cls(5, **seeded).fit(X, y)
    assert selector.scores_.shape == (5,)
    assert np.isfinite(selector.scores_).all()
    if cls in CLASSES:  # the others may choose other weights, or count other choices, for 5
        assert selector.indices_.tolist() == everything.indices_[:5].tolist()
    assert selector.ranking_[selector.indices_].tolist() == [1, 2, 3, 4, 5]
    assert set(selector.ranking_[~selector.support_]) == {6}
    assert selector.classes_.tolist() == [0, 1, 2]
    names = [f"gene {f}" for f in selector.indices_]
    assert selector.ranking_table()["feature"].tolist() == names
    assert selector.transform(X).shape == (40, 5)
    again = cls(5, **seeded).fit(X, y)
    np.testing.assert_array_equal(again.indices_, selector.indices_)
    np.testing.assert_array_equal(again.scores_, selector.scores_)


@pytest.mark.parametrize("cls", [*CLASSES, *REPEATED], ids=class_name)
def test_more_features_than_there_are(cls):
    X, y = table()
    with pytest.warns(UserWarning, match=r"n_features_to_select=5 is more than the 4 feature"):
        few = cls(5).fit(X, y)
    assert sorted(few.indices_) == sorted(cls("all").fit(X, y).indices_) == [0, 1, 2, 3]


def test_a_grid_over_more_features_than_there_are():
    steps = make_pipeline(S2FS(), KNeighborsClassifier(1))
    search = GridSearchCV(steps, {"s2fs__n_features_to_select": [2, 4, 9]}, cv=2)
    with pytest.warns(UserWarning, match="n_features_to_select=9 is more than the 4"):
        search.fit(*table())
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("name", RANKERS)
def test_baselines_keep_their_contract(name):
    if name not in INSTALLED:
        pytest.skip("needs a package that is not installed")
    quick = {"n_estimators": 5} if name == "RandomForestImportance" else {}
    check_baseline(RANKERS[name], **quick)


def test_importing_the_package_imports_no_compiler():
    code = "import sys, s2fs, s2fs.baselines; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
