"""Scaling and sums over classes by the native library, where there is one."""

from typing import Any

import numpy as np

from s2fs._native.border import Array, Function, Given, Int, Length
from s2fs._native.library import load
from s2fs._native.table import make_table
from s2fs._utils.types import Floats, Indices
from s2fs.criteria import problem as plain
from s2fs.criteria.problem import Scaling
from s2fs.criteria.separability import Scale

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
_class_means = Function(
    "s2fs_class_means",
    table=Given("table", changed=False),
    codes=Array(np.int64, "samples"),
    weight=Array(np.float64, "samples"),
    weight_of_class=Array(np.float64, "classes"),
    classes=Length(),
    n_threads=Int(),
    lower=Array(np.float64, "features", writable=True),
    upper=Array(np.float64, "features", writable=True),
    means=Array(np.float64, "classes", "features", writable=True),
    squares=Array(np.float64, "features", writable=True),
)


def compute_scaling(
    X: Any, codes: Indices, scale: Scale, sample_weight: Floats | None = None, n_threads: int = 1
) -> Scaling:
    """As :func:`s2fs.criteria.problem.find_scaling`, in one call and without temporary arrays."""
    if load() is None:
        return plain.find_scaling(X, codes, scale, sample_weight)
    weight_of_class = np.bincount(codes, sample_weight).astype(np.float64)
    lower, upper, squares = np.empty((3, X.shape[1]))
    means = np.empty((len(weight_of_class), X.shape[1]))
    weight = np.ones(len(codes)) if sample_weight is None else sample_weight
    _class_means(
        make_table(X), np.ascontiguousarray(codes, np.int64),
        np.ascontiguousarray(weight, np.float64), weight_of_class, n_threads,
        lower, upper, means, squares,
    )  # fmt: skip
    return Scaling.from_means((lower, upper), weight_of_class, scale, means, squares)


def compute_class_sums(
    X: Any, codes: Indices, lower: Floats, centre: Floats, sample_weight: Floats | None = None
) -> Floats:
    """As :func:`s2fs.criteria.problem.compute_class_sums`, without temporary arrays."""
    if load() is None:
        return plain.compute_class_sums(X, codes, lower, centre, sample_weight)
    sums = np.empty(centre.shape)
    weight = np.ones(len(codes)) if sample_weight is None else sample_weight
    _class_sums(
        make_table(X), np.ascontiguousarray(codes, np.int64),
        np.ascontiguousarray(weight, np.float64), np.ascontiguousarray(lower, np.float64),
        np.ascontiguousarray(centre, np.float64), 1, sums,
    )  # fmt: skip
    return sums
