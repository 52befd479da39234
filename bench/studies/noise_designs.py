"""Tables in which no feature has to do with the classes, in the designs that real studies have.

Each design makes a table from a random generator: features, classes, and what ``fit`` gets beside
them. ``bench/studies/stopping.py --noise`` and the tests count how often something is selected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Design = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray, dict[str, Any]]]
N_FEATURES = 30


def noise(rng: np.random.Generator, n: int, m: int = N_FEATURES) -> np.ndarray:
    return rng.normal(size=(n, m))


def classes_of(*sizes: int) -> Design:
    """Classes of these sizes and nothing else."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    return lambda rng: (noise(rng, len(y)), y, {})


def balanced_batches(rng: np.random.Generator) -> Any:
    """Both batches have half of each class."""
    y, batch = np.arange(20) % 2, np.repeat(["a", "b"], 10)
    return noise(rng, 20) + 3.0 * (batch == "a")[:, None], y, {"covariates": batch}


def crossing_batches(rng: np.random.Generator) -> Any:
    """Each batch has one class, but for one sample of the other: two of 20 cross."""
    y = np.repeat([0, 1], 10)
    batch = y.copy()
    batch[[0, 10]] = 1, 0
    return noise(rng, 20) + 3.0 * batch[:, None], y, {"covariates": batch.astype(str)}


def paired(rng: np.random.Generator) -> Any:
    """Ten patients, before and after."""
    patient = np.arange(20) // 2
    X = noise(rng, 20) + 3 * noise(rng, 10)[patient]
    return X, np.arange(20) % 2, {"covariates": patient.astype(str)}


def number(rng: np.random.Generator) -> Any:
    """All features follow a number that differs between the classes."""
    y = np.arange(20) % 2
    age = rng.normal(size=20) + y
    return noise(rng, 20) + np.outer(age, rng.normal(size=N_FEATURES)), y, {"covariates": age}


def number_and_batches(rng: np.random.Generator) -> Any:
    """The same, measured in two batches."""
    y, batch = np.arange(24) % 2, np.arange(24) // 2 % 2
    age = rng.normal(size=24) + y
    X = noise(rng, 24) + np.outer(age, rng.normal(size=N_FEATURES)) + 3.0 * batch[:, None]
    both = np.empty(24, dtype=[("age", float), ("batch", "U1")])
    both["age"], both["batch"] = age, batch.astype(str)
    return X, y, {"covariates": both}


def donors(sizes: np.ndarray, between: float, within: float) -> Design:
    """Samples of 20 donors of one class each, with s.d. between and within donors."""
    donor = np.repeat(np.arange(20), sizes)

    def make(rng: np.random.Generator) -> Any:
        X = between * noise(rng, 20)[donor] + within * noise(rng, len(donor))
        return X, donor % 2, {"groups": donor}

    return make


def mixed_donors(rng: np.random.Generator) -> Any:
    """Ten donors, each with samples of both classes."""
    donor = np.repeat(np.arange(10), 6)
    X = noise(rng, 10)[donor] + 0.3 * noise(rng, 60)
    return X, rng.permutation(60) % 2, {"groups": donor}


def binary(n_features: int) -> Design:
    return lambda rng: ((rng.random((60, n_features)) < 0.5) * 1.0, np.arange(60) % 2, {})


def counts(rng: np.random.Generator) -> Any:
    """Mostly 0, as counts of single cells are."""
    return rng.poisson(0.3, size=(60, N_FEATURES)) * 1.0, np.arange(60) % 3, {}


def copied(rng: np.random.Generator) -> Any:
    """Every sample twice."""
    rows = np.repeat(np.arange(20), 2)
    return noise(rng, 20)[rows], (np.arange(20) % 2)[rows], {}


def copied_with_gaps(rng: np.random.Generator) -> Any:
    """Every sample twice, a tenth of all values missing."""
    X = noise(rng, 20)
    X[rng.random(X.shape) < 0.1] = np.nan
    rows = np.repeat(np.arange(20), 2)
    return X[rows], (np.arange(20) % 2)[rows], {}


def gaps(rng: np.random.Generator) -> Any:
    """Three of ten values missing at random."""
    X = noise(rng, 40)
    X[rng.random(X.shape) < 0.3] = np.nan
    return X, np.arange(40) % 2, {}


def gaps_in_one_class(correlated: bool) -> Design:
    """Six of ten values missing, but in one class only."""

    def make(rng: np.random.Generator) -> Any:
        y = np.arange(40) % 2
        X = noise(rng, 40) + 2 * correlated * noise(rng, 40, 1)
        X[(rng.random(X.shape) < 0.6) & (y == 1)[:, None]] = np.nan
        return X, y, {}

    return make


#: The designs that every selector takes.
COMPLETE: dict[str, Design] = {
    "classes of 20 and 20": classes_of(20, 20),
    "classes of 38 and 2": classes_of(38, 2),
    "classes of 36 and 4": classes_of(36, 4),
    "classes of 20, 2, 2, 2 and 2": classes_of(20, 2, 2, 2, 2),
    "batches, balanced": balanced_batches,
    "batches, 2 of 20 samples cross": crossing_batches,
    "batches are pairs": paired,
    "a number": number,
    "a number and batches": number_and_batches,
    "20 donors of 6 samples": donors(np.full(20, 6), 1.0, 0.1),
    "donors of 1 to 10 samples": donors(1 + np.arange(20) // 2, 1.0, 0.5),
    "larger donors in one class": donors(np.where(np.arange(20) % 2, 12, 3), 0.0, 1.0),
    "donors with both classes": mixed_donors,
    "3 binary features": binary(3),
    "12 binary features": binary(12),
    "counts": counts,
    "every sample twice": copied,
}
#: Those with missing values.
WITH_GAPS: dict[str, Design] = {
    "missing at random": gaps,
    "missing in one class": gaps_in_one_class(False),
    "missing in one class, correlated": gaps_in_one_class(True),
    "every sample twice, with gaps": copied_with_gaps,
}
