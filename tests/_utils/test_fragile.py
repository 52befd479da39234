"""Warnings of selected features that rest on very few samples, from every selector alike."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector, compare
from s2fs.baselines import AnovaF, RandomOrder
from strategies import examples


def collect_warnings(work):
    """What a call warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [str(warning.message) for warning in caught]


def fragile(selector, X, *of_samples):
    """Which features a selector of all of them says hardly vary, and which rest on one sample."""
    found = np.zeros((2, X.shape[1]), dtype=bool)
    for start in range(0, X.shape[1], 5):  # no more than five are named
        some = X[:, start : start + 5]
        for words in collect_warnings(lambda some=some: selector.fit(some, *of_samples)):
            rule = ["differ from the most common value", "most extreme value"]
            (kind,) = [i for i, phrase in enumerate(rule) if phrase in words]
            found[kind, [start + int(f) for f in re.findall(r"'x(\d+)'", words)]] = True
    return found


def literal_separation(x, y):
    """Mean gap to the nearest other class mean, over the mean distance from the own one."""
    means = {q: x[y == q].mean() for q in set(y.tolist())}
    gaps = [min(abs(means[q] - means[r]) for r in means if r != q) for q in means]
    inside = np.mean([abs(value - means[q]) for value, q in zip(x, y.tolist(), strict=True)])
    if not inside:  # all classes are points, which are apart or not
        return np.inf if any(gaps) else 0.0
    return np.mean(gaps) / inside


@examples(40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.booleans())
def test_rules_equal_the_literal_ones(seed, p, whole):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 130))
    y = np.concatenate([np.repeat(np.arange(p), 2), rng.integers(0, p, n - 2 * p)])
    X = rng.standard_t(1.2, size=(n, 12)) + y[:, None] * rng.normal(size=12)
    X[:, 6:] *= rng.random((n, 6)) < rng.choice([0.005, 0.03, 0.5], 6)
    if whole:
        X = np.round(X)
    rare, one_row = fragile(RandomOrder("all"), X, y)
    for f, x in enumerate(X.T):
        _, counts = np.unique(x, return_counts=True)
        differ = n - counts.max()
        assert rare[f] == (0 < differ < 0.02 * n)
        if differ == 0 or rare[f]:
            assert not one_row[f]
            continue
        kept = np.delete(np.arange(n), np.abs(x - x.mean()).argmax())
        with_it, without = literal_separation(x, y), literal_separation(x[kept], y[kept])
        noise = 2.5 * np.sqrt(2 * p / n)
        too_close = np.isfinite(with_it) and abs(without - 0.5 * with_it) <= 1e-9 * with_it
        if not too_close and abs(with_it - noise) > 1e-9:
            assert one_row[f] == (without < 0.5 * with_it and with_it > noise)


def test_a_row_of_weight_two_is_two_rows_and_a_missing_value_is_no_row():
    rng = np.random.default_rng(0)
    y, X = np.minimum(np.arange(60) % 6, 1), rng.standard_t(0.5, size=(60, 300))
    weight = rng.integers(1, 3, 60)
    copies = np.repeat(np.arange(60), weight)
    single = weight == 1  # a row twice cannot be left out at once
    _, known = fragile(S2FS("all"), X, y, weight.astype(float))
    _, twice = fragile(S2FS("all"), X[copies], y[copies])
    rows = np.abs(X - np.average(X, axis=0, weights=weight)).argmax(axis=0)
    assert (known == twice)[single[rows]].all()
    assert known.any()
    longer = np.vstack([X, np.full((20, 300), np.nan)])
    _, again = fragile(PairCover("all"), longer, np.concatenate([y, np.arange(20) % 2]))
    np.testing.assert_array_equal(again, fragile(PairCover("all"), X, y)[1])
    assert again.any()


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


def test_corner_pixels_are_named(digits):
    X, y = digits
    selector = S2FS(20, scale="minmax")
    (words,) = collect_warnings(lambda: selector.fit(X, y))
    ink = (X[:, selector.indices_] != np.median(X[:, selector.indices_], axis=0)).mean(axis=0)
    named = selector.feature_names_[ink < 0.02].tolist()
    assert len(named) == 9
    assert words == (
        "Few samples decide on 9 of 20 selected features "
        f"({', '.join(map(repr, named[:5]))} and 4 more): fewer than 2% differ from the most "
        "common value; use PairCover, or exclude these features."
    )
    assert collect_warnings(lambda: PairCover(20).fit(X, y)) == []
    assert collect_warnings(lambda: AnovaF(20).fit(X, y)) == []
    (words,) = collect_warnings(lambda: RandomOrder("all", random_state=0).fit(X, y))
    assert words.endswith("use PairCover, or exclude these features.")


def test_sparse_tables_are_looked_at_too(digits):
    X, y = digits
    assert collect_warnings(lambda: S2FS(20).fit(sparse.csr_array(X), y)) == collect_warnings(
        lambda: S2FS(20).fit(X, y)
    )


def outlying():
    """One of the few samples of class 1 has a value far from all others in the last feature."""
    rng = np.random.default_rng(0)
    y = (np.arange(80) % 8 == 0).astype(int)
    X = rng.normal(size=(80, 5)) + 0.3 * y[:, None]
    X[8, 4] = 1e4
    return X, y


def test_a_single_row_is_found():
    X, y = outlying()
    (words,) = collect_warnings(lambda: S2FS(1).fit(X, y))
    assert words == (
        "One sample decides on 1 of 1 selected features ('x4'): the most extreme value makes more "
        "than half of the separation of the classes; take logarithms, set compactness='rms', use "
        "PairCover, or exclude these features."
    )
    assert collect_warnings(lambda: S2FS(1, exclude=[4]).fit(X, y)) == []
    (words,) = collect_warnings(lambda: PairCover("all").fit(X, y))
    assert words.endswith("separation of the classes; take logarithms, or exclude these features.")


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_ordinary_tables_raise_no_alarm(load):
    X, y = load(return_X_y=True)
    for selector in (S2FS("all"), PairCover("all")):
        assert collect_warnings(lambda selector=selector: selector.fit(X, y)) == []


def test_small_tables_are_not_looked_at():
    X, y = outlying()
    assert collect_warnings(lambda: S2FS(1).fit(X[:48], y[:48])) == []


def test_one_warning_for_many_inner_fits():
    X, y = outlying()
    assert (
        len(collect_warnings(lambda: StabilitySelector("all", n_resamples=4, n_jobs=2).fit(X, y)))
        == 1
    )
    assert (
        len(
            collect_warnings(
                lambda: SelectorCV(1, selector=S2FS(), alphas=[0.1], betas=[0.1], cv=3).fit(X, y)
            )
        )
        == 1
    )
    assert collect_warnings(lambda: compare(X, y, k=1)) == []
    pipeline = make_pipeline(StandardScaler(), S2FS(1))
    assert collect_warnings(lambda: compare(X, y, selectors={"scaled": pipeline}, k=1)) == []


def test_the_paper_tables(paper_data):
    """Of raw intensities scaled to [0, 1] S²FS selects a gene that rests on one sample."""
    n_warnings = {}
    for name in ("all_aml_3", "srbct", "glioma", "yale", "warpar10p"):
        X, y = paper_data(name)
        selectors = S2FS(20, scale="minmax"), S2FS(20), PairCover(20)
        n_warnings[name] = [
            len(collect_warnings(partial(selector.fit, X, y))) for selector in selectors
        ]
    assert n_warnings.pop("all_aml_3") == [1, 0, 0]
    assert all(numbers == [0, 0, 0] for numbers in n_warnings.values())
