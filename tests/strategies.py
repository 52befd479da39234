"""Random selection problems, with the ties and degeneracies that real tables have."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

FULL, FEW = 200, 40  # examples per test in the profiles "long" and "ci"
#: Scores that differ by less than this share are equal, and the smaller index decides.
EQUAL = 1e-10


def long(*values):
    """The values of a parametrized test that wait for the long profile."""
    return pytest.param(*values, marks=pytest.mark.long)


def examples(count):
    """Settings with ``count`` examples in the long profile and as large a share of them in another.

    At least ten are tried, or ``count`` where that is less.
    """
    share = count * settings.default.max_examples // FULL
    return settings(max_examples=max(share, min(count, 10)))


@st.composite
def problems(draw, max_samples=40, max_features=12, max_classes=6, members=1):
    """Draw (X, y): coarse values tie often, and some columns are constant, copied or mirrored.

    Every class has so many ``members`` or more.
    """
    p = draw(st.integers(2, max_classes))
    n = draw(st.integers(members * p, max_samples))
    m = draw(st.integers(1, max_features))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(p)] * members + [rng.integers(0, p, n - members * p)])
    rng.shuffle(y)
    X = rng.normal(size=(n, m)) + rng.normal(size=(p, m))[y] * draw(
        st.sampled_from([0.0, 1.0, 4.0])
    )
    levels = draw(st.sampled_from([None, 1, 2, 4]))
    if levels:
        X = np.round(X * levels / 2)
    for f in range(1, m):
        kind = draw(st.sampled_from(["own"] * 5 + ["constant", "copy", "mirror", "label"]))
        if kind == "constant":
            X[:, f] = 3.7
        elif kind == "copy":
            X[:, f] = X[:, rng.integers(f)]
        elif kind == "mirror":
            X[:, f] = 1 - X[:, rng.integers(f)]
        elif kind == "label":  # every class a single point
            X[:, f] = rng.permutation(p)[y]
    if draw(st.booleans()):  # duplicated rows
        X[rng.integers(n)] = X[rng.integers(n)]
    return X, y


@st.composite
def weighted(draw, whole=False, **sizes):
    """Draw (X, y, weights): whole numbers from 0, or positive ones of all magnitudes."""
    X, y = draw(problems(**sizes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if not whole:
        return X, y, 10 ** rng.uniform(-4, 4, len(y))
    weights = rng.integers(0, 4, len(y))
    weights[[np.flatnonzero(y == q)[0] for q in (0, 1)]] = 1  # two classes stay
    return X, y, weights


def correlations(X):
    """|r| of every two columns; a constant one has none."""
    r = np.zeros((X.shape[1],) * 2)
    varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
    r[np.ix_(varies, varies)] = np.abs(np.atleast_2d(np.corrcoef(X[:, varies].T)))
    np.fill_diagonal(r, 0.0)
    return r
