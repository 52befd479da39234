"""Ranges of features and sums over classes by the native library, where there is one."""

from typing import Any

import numpy as np
from scipy.sparse import issparse

from s2fs._native.border import Array, Function, Given, Int, Length
from s2fs._native.library import load
from s2fs._native.table import make_table
from s2fs._utils.types import Floats, Indices
from s2fs.criteria import problem as plain

_value_range = Function(
    "s2fs_value_range",
    table=Given("table", changed=False),
    n_threads=Int(),
    lower=Array(np.float64, "features", writable=True),
    upper=Array(np.float64, "features", writable=True),
)
_class_sums = Function(
    "s2fs_class_sums",
    table=Given("table", changed=False),
    codes=Array(np.int64, "samples"),
    weight=Array(np.float64, "samples"),
    lower=Array(np.float64, "features"),
    centre=Array(np.float64, "classes", "features"),
    classes=Length(),
    n_threads=Int(),
    sums=Array(np.float64, "classes", "features", writable=True),
)
_sum_of_squares = Function(
    "s2fs_sum_of_squares",
    table=Given("table", changed=False),
    weight=Array(np.float64, "samples"),
    lower=Array(np.float64, "features"),
    centre=Array(np.float64, "features"),
    extent=Array(np.float64, "features"),
    squares=Array(np.float64, "features", writable=True),
)


def value_range(X: Any) -> tuple[Floats, Floats]:
    """As :func:`s2fs.criteria.problem.find_range`, of any memory order without a copy."""
    if load() is None:
        return plain.find_range(X)
    lower, upper = np.empty((2, X.shape[1]))
    _value_range(make_table(X), 1, lower, upper)
    return lower, upper


def class_sums(
    X: Any, codes: Indices, lower: Floats, centre: Floats, sample_weight: Floats | None = None
) -> Floats:
    """As :func:`s2fs.criteria.problem.class_sums`, without temporary arrays."""
    if load() is None:
        return plain.class_sums(X, codes, lower, centre, sample_weight)
    sums = np.empty(centre.shape)
    weight = np.ones(len(codes)) if sample_weight is None else sample_weight
    _class_sums(
        make_table(X), np.ascontiguousarray(codes, np.int64),
        np.ascontiguousarray(weight, np.float64), np.ascontiguousarray(lower, np.float64),
        np.ascontiguousarray(centre, np.float64), 1, sums,
    )  # fmt: skip
    return sums


def sum_of_squares(
    X: Any, lower: Floats, centre: Floats, extent: Floats, sample_weight: Floats | None = None
) -> Floats:
    """As :func:`s2fs.criteria.problem.sum_of_squares`, of dense rows without temporary arrays."""
    if load() is None or issparse(X):
        return plain.sum_of_squares(X, lower, centre, extent, sample_weight)
    squares = np.empty(X.shape[1])
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    numbers = (np.ascontiguousarray(part, np.float64) for part in (weight, lower, centre, extent))
    _sum_of_squares(make_table(X), *numbers, squares)
    return squares
