"""Samples measured more than once, and pairs that are nearly the same."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array

from s2fs.evaluation import repeated
from s2fs.evaluation.plan import draw_rows
from s2fs.evaluation.repeated import describe_repeated_samples, find_repeated_samples

#: Table: rows, samples by the first rule, pairs by the second, the closest pair; null: not looked
#: at. Worked out by a separate program.
KNOWN = json.loads((Path(__file__).parent / "repeated_vectors.json").read_text("utf-8"))
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("name", KNOWN)
def test_real_tables(name):
    folder = os.environ.get("S2FS_DATA")
    paths = [Path(folder or "") / part / f"{name}.npz" for part in ("", "../practice")]
    found = [path for path in paths if folder and path.is_file()]
    if not found:
        pytest.skip(f"S2FS_DATA does not name a folder with {name}.npz, in it or in ../practice")
    with np.load(found[0]) as table:
        X, codes = table["X"].astype(float), np.unique(table["y"], return_inverse=True)[1]
    result, known = find_repeated_samples(X, codes), KNOWN[name]
    if known is None:
        assert result is None
        return
    assert len(result.looked_at) == known["rows"]
    assert len(result.repeated) == known["measured_more_than_once"]
    assert result.n_pairs == known["pairs_nearly_the_same"]
    assert list(result.closest) == known["closest"]
    assert not result.are_many


def make_table(n, m, rank=None, p=2):
    codes = np.arange(n) % p
    if rank is None:
        return RNG.normal(size=(n, m)), codes
    return RNG.normal(size=(n, rank)) @ RNG.normal(size=(rank, m)), codes


def measure_again(X, codes, times, noise):
    """Every sample several times, with noise in each measurement."""
    again, codes = np.repeat(X, times, axis=0), np.repeat(codes, times)
    return again + noise * X.std(axis=0) * RNG.normal(size=again.shape), codes


@pytest.mark.parametrize("m", [50, 2000])
@pytest.mark.parametrize("times", [2, 4])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_samples_measured_again_are_found(m, times, noise):
    X, codes = measure_again(*make_table(30, m), times, noise)
    found = find_repeated_samples(X, codes)
    assert len(found.repeated) >= 0.9 * len(X)
    assert found.are_many
    one, other = found.closest
    assert one // times == other // times
    if noise == 0:
        assert found.n_pairs == 30 * times * (times - 1) // 2


@pytest.mark.parametrize("m", [50, 2000])
@pytest.mark.parametrize("rank", [2, 3, 10, None])
def test_random_samples_are_not(m, rank):
    shares = []
    for _ in range(5):
        found = find_repeated_samples(*make_table(100, m, rank))
        shares.append(len(found.repeated) / 100)
        assert not found.are_many
    assert np.mean(shares) <= 0.05


def test_one_pair_among_many_samples():
    X, codes = make_table(60, 300)
    X[41] = X[7] + 0.05 * RNG.normal(size=300)
    found = find_repeated_samples(X, codes)
    assert (found.n_pairs, found.closest, found.are_many) == (1, (7, 41), False)
    assert describe_repeated_samples(found) == [
        "1 pair of samples is nearly the same: row 8 and row 42 are the closest."
    ]


def test_missing_values_are_the_mean_of_the_column():
    X, codes = make_table(40, 100)
    X[RNG.random(X.shape) < 0.1] = np.nan
    X[:, 3] = np.nan
    known = np.delete(X, 3, axis=1)
    filled = (known - np.nanmean(known, axis=0)) / np.nanstd(known, axis=0)
    found = find_repeated_samples(X, codes)
    distances = np.sqrt(((np.nan_to_num(filled)[:, None] - np.nan_to_num(filled)) ** 2).sum(-1))
    np.fill_diagonal(distances, np.inf)
    closest = np.unravel_index(distances.argmin(), distances.shape)
    assert found.closest == tuple(sorted(map(int, closest)))


@pytest.mark.parametrize("factor", [1e-200, 1.0, 1e200])
def test_units_are_no_matter(factor):
    X, codes = measure_again(*make_table(30, 80), 2, 0.2)
    expected = find_repeated_samples(X, codes)
    found = find_repeated_samples(factor * X + (factor if factor > 1 else 0), codes)
    np.testing.assert_array_equal(found.repeated, expected.repeated)
    assert found.closest == expected.closest


def test_counts_answers_and_narrow_tables_are_not_looked_at():
    X, codes = make_table(60, 40)
    assert find_repeated_samples(X[:, :19], codes) is None
    assert find_repeated_samples(RNG.integers(0, 5, (60, 40)).astype(float), codes) is None
    few = X.copy()
    few[:, :21] = RNG.integers(0, 3, (60, 21))
    assert find_repeated_samples(few, codes) is None
    few[:, :20] = X[:, :20]
    assert find_repeated_samples(few, codes) is not None


def test_a_quarter_of_the_different_rows():
    """Each row ten times: six different values of sixty rows are more than a quarter of six."""
    X, codes = make_table(6, 40)
    assert find_repeated_samples(np.repeat(X, 10, axis=0), np.repeat(codes, 10)).are_many


def test_a_large_table_has_some_rows_compared_with_all(monkeypatch):
    X, codes = measure_again(*make_table(150, 60, p=3), 2, 0.2)
    whole = find_repeated_samples(X, codes)
    monkeypatch.setattr(repeated, "_MOST_PRODUCTS", 60 * 300 * 60)
    monkeypatch.setattr(repeated, "_VALUES", 300 * 7)
    found = find_repeated_samples(X, codes)
    assert 60 <= len(found.looked_at) <= 66
    assert found.are_many
    np.testing.assert_array_equal(found.repeated, np.intersect1d(whole.repeated, found.looked_at))
    stored = find_repeated_samples(csc_array(X), codes)
    np.testing.assert_array_equal(stored.repeated, found.repeated)


def test_rows_are_drawn_in_the_shares_of_their_classes():
    codes = RNG.permutation(np.repeat([0, 1, 2], [900, 96, 4]))
    rows = draw_rows(codes, 100)
    assert len(np.unique(rows)) == len(rows)
    assert (np.diff(rows) > 0).all()
    counts = np.bincount(codes[rows])
    assert abs(counts[0] - 90) <= 1
    assert abs(counts[1] - 10) <= 2
    assert counts[2] >= 2
    np.testing.assert_array_equal(draw_rows(codes, 100), rows)
    np.testing.assert_array_equal(draw_rows(codes, 5000), np.arange(1000))
