"""Tables of small integers give the answers of the same numbers as float64, and stay small."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs import S2FS, PairCover, s2fs_paths
from strategies import examples

TYPES = (np.int8, np.uint8, np.int16, np.bool_)
ASKED = [
    PairCover(4),
    PairCover(4, scale="rank"),
    PairCover(3, correlation=0, class_weight="balanced"),
    PairCover("auto"),
    PairCover(3, max_correlation=0.8, feature_groups=[[0, 1]]),
    PairCover(3, min_per_class=1),
    S2FS(4),
    S2FS(4, scale="minmax"),
    S2FS(3, scale=None, class_weight="balanced", max_correlation=0.8),
]


def draw_table(data):
    """Genotypes and counts up to the largest numbers of their type, some columns copied."""
    dtype = data.draw(st.sampled_from(TYPES))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    y = np.arange(24) % 3
    limits = (0, 1) if dtype is np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    low, high = data.draw(st.sampled_from([limits, (0, 1 if dtype is np.bool_ else 2)]))
    X = rng.integers(low, high + 1, size=(24, 8)).astype(dtype)
    X[y == 0, 2] = X[0, 2]
    X[:, 7] = X[:, 3]
    return np.asarray(X, order=data.draw(st.sampled_from("CF"))), y, rng


def fitted(selector, X, y, arguments):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        selector.fit(X, y, **arguments)
    return [
        selector.indices_.tolist(), selector.scores_.tolist(), [str(w.message) for w in told]
    ]  # fmt: skip


@examples(300)
@given(st.data())
def test_answers_are_those_of_float64(data):
    X, y, rng = draw_table(data)
    arguments = {}
    if data.draw(st.booleans()):
        arguments["sample_weight"] = rng.integers(0, 3, len(y)) + (np.arange(len(y)) < 9)
    if data.draw(st.booleans()):
        arguments["covariates"] = rng.normal(size=len(y))
    selector = data.draw(st.sampled_from(ASKED))
    found, expected = (fitted(selector, table, y, arguments) for table in (X, X.astype(float)))
    assert found == expected


def test_substitutes_paths_and_transform_take_them():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = (rng.integers(-100, 101, size=(60, 12)) + 9 * y[:, None]).astype(np.int8)
    for table in (X, X.astype(float)):
        selector = PairCover(3).fit(table, y)
        assert selector.transform(table).shape == (60, 3)
    one, other = (
        PairCover(3).fit(table, y).substitutes(table, y) for table in (X, X.astype(float))
    )
    assert str(one) == str(other)
    one, other = (s2fs_paths(table, y, 3) for table in (X, X.astype(float)))
    assert str(one) == str(other)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("selector", [PairCover(3), PairCover(3, correlation=0)])
def test_they_are_not_made_float64_as_a_whole(selector, order):
    X = np.random.default_rng(0).integers(0, 3, size=(500, 20_000)).astype(np.int8)
    X = np.asarray(X, order=order)
    y = np.arange(500) % 2
    selector.fit(X[:, :50], y)  # what is loaded once
    tracemalloc.start()
    selector.fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2 * X.nbytes
