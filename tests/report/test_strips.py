"""The values of a feature in a line of a table: every value, or every share, is there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2fs.report.strips import BAR_HEIGHT, STRIP_WIDTH, WIDE, make_strips


def strip_of(column, y, members=None):
    p = int(y.max()) + 1
    inside = np.zeros((1, p), dtype=bool) if members is None else members
    (strip,) = make_strips(np.asarray(column, dtype=float)[:, None], y, inside)
    return strip


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 4), st.integers(0, 99))
def test_few_classes_have_a_dot_for_each_value(p, seed):
    y = np.repeat(np.arange(p), 5)
    values = np.random.default_rng(seed).normal(size=5 * p)
    strip = strip_of(values, y)
    places = (values - values.min()) / np.ptp(values) * STRIP_WIDTH
    for q, lane in enumerate(strip["dots"]):
        assert lane == sorted({round(place) for place in places[y == q]})
    assert (strip["low"], strip["high"]) == (values.min(), values.max())


@settings(max_examples=20, deadline=None)
@given(st.integers(5, 10), st.integers(0, 99))
def test_five_and_more_classes_have_wide_bars_of_their_shares(p, seed):
    y = np.repeat(np.arange(p), 50)
    values = np.random.default_rng(seed).normal(size=50 * p)
    strip = strip_of(values, y)
    assert strip["width"] == WIDE
    n_bins = WIDE // strip["step"]
    for q, lane in enumerate(strip["bars"]):
        counts = np.histogram(values[y == q], n_bins, (values.min(), values.max()))[0]
        heights = np.zeros(n_bins)
        for place, height in lane:
            heights[place // strip["step"]] = height
        np.testing.assert_array_equal(heights > 0, counts > 0)
        np.testing.assert_allclose(heights, BAR_HEIGHT * counts / counts.max(), atol=0.6)


def test_equal_values_of_counts_are_not_one_dot():
    y = np.repeat([0, 1], 20)
    values = np.r_[np.zeros(16), 1, 1, 2, 3, np.arange(20) % 4]
    strip = strip_of(values, y)
    assert "dots" not in strip
    first, second = (dict(map(tuple, lane)) for lane in strip["bars"])
    assert len(first) == len(second) == 4
    assert [first[place] for place in sorted(first)] == pytest.approx([8, 1, 0.6, 0.6])
    assert set(second.values()) == {8}


def test_more_classes_than_colours_have_two_lanes():
    y = np.repeat(np.arange(12), 4)
    values = np.arange(48.0)
    members = np.zeros((1, 12), dtype=bool)
    members[0, 11] = True
    own, rest = strip_of(values, y, members)["bars"]
    assert min(place for place, _ in own) > max(place for place, _ in rest) - 10


def test_long_tables_have_quartiles():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 4)
    strips = make_strips(rng.normal(size=(40, 250)), y, np.zeros((250, 10), dtype=bool))
    assert len(strips) == 200
    assert all(len(strip["boxes"]) == 10 for strip in strips)
    assert all(five == sorted(five) for strip in strips for five in strip["boxes"])
