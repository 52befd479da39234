from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs.evaluation import stability
from strategies import examples


def random_sets(rng, M, d, k):
    return [rng.choice(d, size=k, replace=False) for _ in range(M)]


def test_by_hand():
    # Frequencies 1, 2/3, 1/3 of ten features; unbiased variances 0, 1/3, 1/3; k/d = 0.2.
    result = stability([[0, 1], [0, 2], [0, 1]], 10)
    assert result.value == pytest.approx(1 - (2 / 3 / 10) / 0.16)
    # Pull of a sample: (shared frequencies/10 − 0.04 + Φ/2 · 0.64) / 0.16, Φ the value.
    pull = np.array([5 / 3, 4 / 3, 5 / 3]) / 10 / 0.16
    assert result.variance == pytest.approx(4 / 9 * ((pull - pull.mean()) ** 2).sum())
    assert result.value - result.low == pytest.approx(1.959964 * result.variance**0.5)
    assert result.high - result.value == pytest.approx(result.value - result.low)


@examples(60)
@given(st.integers(2, 8), st.integers(3, 30), st.data())
def test_equal_sizes_give_kunchevas_index(M, d, data):
    k = data.draw(st.integers(1, d - 1))
    sets = random_sets(np.random.default_rng(data.draw(st.integers(0, 10**6))), M, d, k)
    shared = [len(set(a) & set(b)) for a, b in combinations(map(list, sets), 2)]
    kuncheva = (np.mean(shared) - k**2 / d) / (k - k**2 / d)
    assert stability(sets, d).value == pytest.approx(kuncheva)


def test_variance_is_that_of_the_index_over_repeats():
    # Each feature has a probability to be selected, so the index has a known target and s.d.
    rng = np.random.default_rng(0)
    chance = np.r_[np.full(10, 0.9), np.full(40, 0.1)]
    results = []
    for _ in range(300):
        Z = rng.random((40, 50)) < chance
        results.append(stability([np.flatnonzero(row) for row in Z], 50))
    spread = np.std([r.value for r in results])
    claimed = np.mean([r.variance**0.5 for r in results])
    assert claimed == pytest.approx(spread, rel=0.2)
    share = chance.mean()
    target = 1 - (chance * (1 - chance)).mean() / (share * (1 - share))
    covered = np.mean([r.low <= target <= r.high for r in results])
    assert 0.9 < covered < 0.99


@examples(60)
@given(st.permutations(range(12)), st.integers(1, 11))
def test_identical_sets_are_stable(order, k):
    result = stability([order[:k], order[:k][::-1], order[:k]], 12)
    assert result.value == pytest.approx(1)
    assert result.variance == pytest.approx(0, abs=1e-12)


def test_random_sets_are_not():
    rng = np.random.default_rng(1)
    values = [stability(random_sets(rng, 10, 200, 20), 200).value for _ in range(50)]
    assert abs(np.mean(values)) < 0.01


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stability([[0]], 3), "1 set"),
        (lambda: stability([[0], [3]], 3), r"selected\[1\]"),
        (lambda: stability([[], []], 3), "no features"),
        (lambda: stability([[0, 1], [1, 0]], 2), "all features"),
        (lambda: stability([[0], [1]], 3, confidence=95), "confidence is 95"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
