"""The loops the baselines spend their time in, by the native library where there is one.

Data come as ``columns``, one contiguous row per feature, so that loops over instances run along
memory. Every sum is taken in a fixed order.
"""

import ctypes
from ctypes import POINTER, c_double, c_int32, c_int64, c_void_p
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._engine.library import address, load, slices
from s2fs._util.types import Floats, Indices
from s2fs.baselines import _plain_loops as plain
from s2fs.baselines._plain_loops import Centres, Discernibility, Granules, SortedRelation

#: S2FS_LANES and S2FS_CANDIDATES of native/s2fs.h.
_LANES = _CANDIDATES = 8


def satisfaction(
    of: Discernibility, candidates: Indices, satisfied: Floats, largest: bool
) -> Floats:
    """For each candidate, Σ over pairs of S(satisfied, discerned by the candidate).

    The s-norm S is the maximum where ``largest``, else the bounded sum.
    """
    native = _native()
    if native is None:
        return plain.satisfaction(of, candidates, satisfied, largest)
    pairs, out = _pairs(of), np.empty(len(candidates))
    longs = _longs(candidates)
    arrays = address(longs, np.int64), _at(out)
    for part in slices(len(candidates), len(of.left)):
        native.s2fs_satisfaction(pairs, _at(satisfied), largest, *arrays, *part)
    return out


def satisfy(of: Discernibility, feature: int, satisfied: Floats, largest: bool) -> None:
    """Join one feature to ``satisfied``, in place."""
    native = _native()
    if native is None:
        satisfied[:] = plain.joined(satisfied, plain.discerned(of, feature), largest)
    else:
        native.s2fs_satisfy(_pairs(of), feature, largest, _at(satisfied))


def settled_weight(
    of: Discernibility, candidates: Indices, threshold: Floats, weight: Floats
) -> Floats:
    """For each candidate, Σ of the weights of the pairs it discerns to the threshold or beyond."""
    native = _native()
    if native is None:
        return plain.settled_weight(of, candidates, threshold, weight)
    pairs, out = _pairs(of), np.empty(len(candidates))
    longs = _longs(candidates)
    arrays = _at(threshold), _at(weight), address(longs, np.int64), _at(out)
    for part in slices(len(candidates), len(of.left)):
        native.s2fs_settled_weight(pairs, *arrays, *part)
    return out


def settled(of: Discernibility, feature: int, threshold: Floats) -> NDArray[np.bool_]:
    """Mask of the pairs that one feature discerns to the threshold or beyond."""
    native = _native()
    if native is None:
        return plain.settled(of, feature, threshold)
    out = np.empty(len(threshold), dtype=bool)
    native.s2fs_settled(_pairs(of), feature, _at(threshold), address(out, bool))
    return out


def nearest_others(of: SortedRelation, candidates: Indices) -> tuple[Floats, Floats]:
    """Largest similarities to the other classes, in the relation joined by each candidate.

    For each candidate: of each instance to any other class, 0 where none is similar; and of each
    class the sum over the instances outside it of their largest similarity to it.
    """
    native = _native()
    if native is None:
        return plain.nearest_others(of, candidates)
    n, p = len(of.similarities), len(of.bounds) - 1
    nearest, reach = np.empty((len(candidates), n)), np.zeros((len(candidates), p))
    relation = _relation(of, candidates)
    for part in slices(n, len(candidates) * n):
        native.s2fs_nearest_others(relation, _at(nearest), _at(reach), *part)
    return nearest, reach


def two_nearest(of: SortedRelation, candidates: Indices) -> tuple[Floats, Floats, Indices]:
    """Largest similarity of each instance to any class, to any other than that, and which it is.

    For each candidate and instance; 0 where no class has a similar instance, or only one. Where
    both are equal, either class may be named.
    """
    native = _native()
    if native is None:
        return plain.two_nearest(of, candidates)
    n = len(of.similarities)
    first, second = np.empty((2, len(candidates), n))
    where = np.empty((len(candidates), n), dtype=np.int64)
    relation = _relation(of, candidates)
    for part in slices(n, len(candidates) * n):
        native.s2fs_two_nearest(relation, _at(first), _at(second), address(where, np.int64), *part)
    return first, second, where.astype(np.intp, copy=False)


def intersect(columns: Floats, features: Indices, relation: Floats, radius: float) -> None:
    """Join features to the relation by the minimum, in place."""
    native = _native()
    if native is None:
        plain.intersect(columns, features, relation, radius)
        return
    n = len(relation)
    for x in columns[features]:
        for part in slices(n, n):
            native.s2fs_intersect(_at(x), n, radius, _at(relation), *part)


def approximation_sizes(
    columns: Floats, candidates: Indices, relation: Floats, decision: Floats, radius: float
) -> tuple[Floats, Floats]:
    """Σ over instances of the lower and upper approximations of each fuzzy decision class.

    ``decision[q, j]`` is the membership of instance j in class q. The results have shape
    (n_candidates, n_classes).
    """
    native = _native()
    if native is None:
        return plain.approximation_sizes(columns, candidates, relation, decision, radius)
    p, n = decision.shape
    room = -(-n // _LANES) * _LANES
    who, longs = np.empty(room, dtype=np.int64), _longs(candidates)
    similarities, near = np.empty((2, room))
    memberships = np.empty((p, room))
    lower, upper = np.zeros((2, len(candidates), p))
    # A call takes all candidates for some instances; where that is too long, some for one.
    for first, last in slices(len(candidates), n * p):
        of = _Approximation(
            columns=_at(columns),
            relation=_at(relation),
            decision=_at(decision),
            candidates=address(longs[first:last], np.int64),
            n_samples=n,
            n_classes=p,
            n_candidates=last - first,
            radius=radius,
            who=address(who, np.int64),
            similarities=_at(similarities),
            near=_at(near),
            memberships=_at(memberships),
        )
        sizes = _at(lower[first:last]), _at(upper[first:last])
        for part in slices(n, (last - first) * n * p):
            native.s2fs_approximation_sizes(of, *sizes, *part)
    return lower, upper


def largest_difference_sums(
    columns: Floats, furthest: Floats, bounds: Indices
) -> tuple[Floats, Floats]:
    """Sums of the largest differences of each instance to its own class, and to all instances.

    The instances are in class order, class q from ``bounds[q]`` to ``bounds[q + 1] - 1``, and
    ``furthest`` holds the largest difference of each two in the set so far. The rows of
    ``columns`` are the candidates, and both results have their shape.
    """
    native = _native()
    if native is None:
        return plain.largest_difference_sums(columns, furthest, bounds)
    own, every = np.empty((2, *columns.shape))
    room, longs = np.empty((_CANDIDATES, columns.shape[1])), _longs(bounds)
    table = _Differences(
        columns=_at(columns),
        furthest=_at(furthest),
        bounds=address(longs, np.int64),
        n_samples=columns.shape[1],
        n_classes=len(bounds) - 1,
        sums=_at(room),
    )
    for part in slices(len(columns), furthest.size // _CANDIDATES):  # they share a walk
        native.s2fs_largest_difference_sums(table, _at(own), _at(every), *part)
    return own, every


def gaussian_changes(of: Granules, columns: Floats, own: Floats, every: Floats) -> None:
    """Change the granule sizes of a set to those of the set with each candidate added.

    ``own`` counts inside the class and ``every`` altogether; their rows and those of ``columns``
    are the candidates.
    """
    native = _native()
    if native is None:
        plain.gaussian_changes(of, columns, own, every)
        return
    room, longs = np.empty(columns.shape[1], dtype=np.int64), _longs(of.bounds)
    granules = _Granules(
        columns=_at(columns),
        furthest=_at(of.furthest),
        relation=_at(of.relation),
        weights=_at(of.weights),
        bounds=address(longs, np.int64),
        n_samples=columns.shape[1],
        n_classes=len(of.bounds) - 1,
        scale=of.scale,
        changed=address(room, np.int64),
    )
    for part in slices(len(columns), of.furthest.size):
        native.s2fs_gaussian_changes(granules, _at(own), _at(every), *part)


def aggregation(of: Centres, columns: Floats, centres: Floats) -> Floats:
    """Sum, per candidate, the memberships of the instances in their own class.

    The rows of ``columns`` and ``centres`` are the candidates.
    """
    native = _native()
    if native is None:
        return plain.aggregation(of, columns, centres)
    out, longs = np.empty(len(columns)), _longs(of.codes)
    n, p = of.squares.shape
    table = _Centres(
        columns=_at(columns),
        centres=_at(centres),
        squares=_at(of.squares),
        codes=address(longs, np.int64),
        n_samples=n,
        n_classes=p,
        power=of.power,
        floor=of.floor,
    )
    for part in slices(len(columns), n * p):
        native.s2fs_aggregation(table, _at(out), *part)
    return out


class _Pairs(ctypes.Structure):
    """S2fsPairs of native/s2fs.h, as the other structs here."""

    _fields_ = (
        *((name, c_void_p) for name in ("columns", "widths", "left", "right")),
        *((name, c_int64) for name in ("n_samples", "n_pairs")),
        ("gaussian", c_int32),
    )


class _Relation(ctypes.Structure):
    kept: tuple[NDArray[np.int64], ...]
    _fields_ = (
        *((name, c_void_p) for name in ("columns", "similarities", "who", "bounds", "candidates")),
        *((name, c_int64) for name in ("n_samples", "n_classes", "n_candidates")),
        ("radius", c_double),
    )


class _Approximation(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("columns", "relation", "decision", "candidates")),
        *((name, c_int64) for name in ("n_samples", "n_classes", "n_candidates")),
        ("radius", c_double),
        *((name, c_void_p) for name in ("who", "similarities", "near", "memberships")),
    )


class _Differences(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("columns", "furthest", "bounds")),
        *((name, c_int64) for name in ("n_samples", "n_classes")),
        ("sums", c_void_p),
    )


class _Granules(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("columns", "furthest", "relation", "weights", "bounds")),
        *((name, c_int64) for name in ("n_samples", "n_classes")),
        ("scale", c_double),
        ("changed", c_void_p),
    )


class _Centres(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("columns", "centres", "squares", "codes")),
        *((name, c_int64) for name in ("n_samples", "n_classes")),
        *((name, c_double) for name in ("power", "floor")),
    )


def _pairs(of: Discernibility) -> _Pairs:
    return _Pairs(
        columns=_at(of.columns),
        widths=_at(of.widths),
        left=address(of.left, np.int32),
        right=address(of.right, np.int32),
        n_samples=of.columns.shape[1],
        n_pairs=len(of.left),
        gaussian=of.gaussian,
    )


def _relation(of: SortedRelation, candidates: Indices) -> _Relation:
    bounds, longs = _longs(of.bounds), _longs(candidates)
    relation = _Relation(
        columns=_at(of.columns),
        similarities=_at(of.similarities),
        who=address(of.who, np.int32),
        bounds=address(bounds, np.int64),
        candidates=address(longs, np.int64),
        n_samples=len(of.similarities),
        n_classes=len(of.bounds) - 1,
        n_candidates=len(candidates),
        radius=of.radius,
    )
    relation.kept = bounds, longs  # the struct holds their addresses only
    return relation


def _longs(array: Indices) -> NDArray[np.int64]:
    """Indices as the native library takes them; NumPy's own have 32 bits on some machines."""
    return np.ascontiguousarray(array, dtype=np.int64)


def _at(array: Floats) -> int:
    return address(array, np.float64)


def _native() -> ctypes.CDLL | None:
    library = load()
    return None if library is None else _declared(library)


@cache
def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    part = c_int64, c_int64
    arguments: dict[str, tuple[Any, ...]] = {
        "satisfaction": (POINTER(_Pairs), c_void_p, c_int32, c_void_p, c_void_p, *part),
        "satisfy": (POINTER(_Pairs), c_int64, c_int32, c_void_p),
        "settled_weight": (POINTER(_Pairs), c_void_p, c_void_p, c_void_p, c_void_p, *part),
        "settled": (POINTER(_Pairs), c_int64, c_void_p, c_void_p),
        "nearest_others": (POINTER(_Relation), c_void_p, c_void_p, *part),
        "two_nearest": (POINTER(_Relation), c_void_p, c_void_p, c_void_p, *part),
        "intersect": (c_void_p, c_int64, c_double, c_void_p, *part),
        "approximation_sizes": (POINTER(_Approximation), c_void_p, c_void_p, *part),
        "largest_difference_sums": (POINTER(_Differences), c_void_p, c_void_p, *part),
        "gaussian_changes": (POINTER(_Granules), c_void_p, c_void_p, *part),
        "aggregation": (POINTER(_Centres), c_void_p, *part),
    }
    for name, types in arguments.items():
        function = getattr(library, f"s2fs_{name}")
        function.argtypes, function.restype = types, None
    return library
