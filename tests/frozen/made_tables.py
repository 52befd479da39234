"""Small tables with known structure, the same in every run."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs.datasets import load_srbct


class Table(NamedTuple):
    """Samples and their classes; features are known by their position."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]


@cache
def bundled():
    """The table that comes with the package: 83 samples, 2308 genes, 4 classes."""
    data = load_srbct()
    return Table(data.X, data.y)


@cache
def clear():
    """Three classes; later features tell them apart better."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 40)) + np.outer(y == 1, np.linspace(0, 2, 40))
    X += np.outer(y == 2, rng.normal(size=40))
    return Table(X, y)


@cache
def many_classes():
    """Six classes of 6 to 30 samples, each high in features of its own."""
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(6), [30, 20, 14, 10, 8, 6])
    X = rng.normal(size=(len(y), 60))
    for q in range(6):
        X[y == q, 5 * q : 5 * q + 5] += np.linspace(0.5, 2, 5)
    return Table(X, y)


@cache
def correlated():
    """Two classes, ten blocks of correlated features, one copy, one constant, one far from 0."""
    rng = np.random.default_rng(3)
    y = np.arange(50) % 2
    base = rng.normal(size=(50, 10)) + np.outer(y, np.linspace(0, 1.5, 10))
    X = np.repeat(base, 8, axis=1) + 0.5 * rng.normal(size=(50, 80))
    X[:, 70] = X[:, 75]
    X[:, 20] = 4.0
    X[:, 78] += 1e6
    return Table(X, y)


@cache
def counts():
    """Three classes, counts with many zeros and long tails."""
    rng = np.random.default_rng(4)
    y = np.arange(48) % 3
    rates = np.exp(rng.normal(-0.5, 1, size=30) + np.outer(y == 0, np.linspace(0, 1.5, 30)))
    rates *= np.exp(np.outer(y == 1, rng.normal(0, 0.7, size=30)))
    return Table(rng.negative_binomial(1.5, 1.5 / (1.5 + rates)).astype(np.float64), y)


@cache
def wide():
    """Four classes, 500 features, of which 20 tell something."""
    rng = np.random.default_rng(5)
    y = np.arange(40) % 4
    X = rng.normal(size=(40, 500))
    X[:, ::25] += rng.normal(0, 1.2, size=(4, 20))[y]
    return Table(X, y)


@cache
def noise():
    """Two classes that no feature tells apart."""
    rng = np.random.default_rng(6)
    return Table(rng.normal(size=(40, 50)), np.arange(40) % 2)


@cache
def with_gaps():
    """Three classes; one value in seven is missing, and more in later features."""
    rng = np.random.default_rng(7)
    X, y = clear()
    X = X.copy()
    X[rng.random(X.shape) < np.linspace(0, 2 / 7, X.shape[1])] = np.nan
    return Table(X, y)


def weights(y):
    """How much each sample counts: some nothing, others up to 2."""
    return np.round(np.random.default_rng(8).choice([0, 0.5, 1, 1.25, 2], size=len(y)), 2)


def batch_and_age(y):
    """A category and a number for each sample."""
    rng = np.random.default_rng(9)
    return {"batch": rng.choice(["a", "b"], len(y)), "age": rng.normal(50, 10, len(y)).round(1)}


TABLES = {
    table.__name__: table for table in (bundled, clear, many_classes, correlated, counts, wide)
}
