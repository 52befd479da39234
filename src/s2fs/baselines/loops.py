"""The loops the baselines spend their time in, by the native library where there is one.

Data come as ``columns``, one contiguous row per feature, so that loops over samples run along
memory. Every sum is taken in a fixed order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._native.border import Argument, Array, Function, Int, Length, Real
from s2fs._native.library import load, slices
from s2fs._utils.types import Floats, Indices
from s2fs.baselines import _plain_loops as plain
from s2fs.baselines._plain_loops import Centres, Discernibility, Granules, SortedRelation

#: Candidates that share one walk over a table, CANDIDATES of src/baselines/loops.cpp.
_SHARING_A_WALK = 8

_DISCERNIBILITY: dict[str, Argument] = {
    "columns": Array(np.float64, "n_features", "n_samples"),
    "n_features": Length(),
    "n_samples": Length(),
    "widths": Array(np.float64, "n_features"),
    "left": Array(np.int32, "n_pairs"),
    "right": Array(np.int32, "n_pairs"),
    "n_pairs": Length(),
    "gaussian": Int(),
}
_CANDIDATES: dict[str, Argument] = {
    "candidates": Array(np.int64, "n_candidates"),
    "n_candidates": Length(),
}
_PART: dict[str, Argument] = {"first": Int(), "last": Int()}
_SORTED_RELATION: dict[str, Argument] = {
    "columns": Array(np.float64, "n_features", "n_samples"),
    "n_features": Length(),
    "n_samples": Length(),
    "similarities": Array(np.float64, "n_samples", "n_samples"),
    "who": Array(np.int32, "n_samples", "n_samples"),
    "bounds": Array(np.int64, "n_bounds"),
    "n_bounds": Length(),
    **_CANDIDATES,
    "radius": Real(),
    **_PART,
}
_CANDIDATE_COLUMNS: dict[str, Argument] = {
    "columns": Array(np.float64, "n_candidates", "n_samples"),
    "n_candidates": Length(),
    "n_samples": Length(),
}


def _make_output(*shape: str) -> Array:
    return Array(np.float64, *shape, writable=True)


_satisfaction = Function(
    "s2fs_satisfaction",
    library="baselines",
    **_DISCERNIBILITY,
    satisfied=Array(np.float64, "n_pairs"),
    largest=Int(),
    **_CANDIDATES,
    **_PART,
    out=_make_output("n_candidates"),
)
_satisfy = Function(
    "s2fs_satisfy",
    library="baselines",
    **_DISCERNIBILITY,
    feature=Int(),
    largest=Int(),
    satisfied=_make_output("n_pairs"),
)
_settled_weight = Function(
    "s2fs_settled_weight",
    library="baselines",
    **_DISCERNIBILITY,
    threshold=Array(np.float64, "n_pairs"),
    weight=Array(np.float64, "n_pairs"),
    **_CANDIDATES,
    **_PART,
    out=_make_output("n_candidates"),
)
_settled = Function(
    "s2fs_settled",
    library="baselines",
    **_DISCERNIBILITY,
    feature=Int(),
    threshold=Array(np.float64, "n_pairs"),
    out=Array(np.bool_, "n_pairs", writable=True),
)
_nearest_others = Function(
    "s2fs_nearest_others",
    library="baselines",
    **_SORTED_RELATION,
    nearest=_make_output("n_candidates", "n_samples"),
    reach=_make_output("n_candidates", "n_classes"),
    n_classes=Length(),
)
_two_nearest = Function(
    "s2fs_two_nearest",
    library="baselines",
    **_SORTED_RELATION,
    nearest=_make_output("n_candidates", "n_samples"),
    second=_make_output("n_candidates", "n_samples"),
    where=Array(np.int64, "n_candidates", "n_samples", writable=True),
)
_intersect = Function(
    "s2fs_intersect",
    library="baselines",
    x=Array(np.float64, "n_samples"),
    n_samples=Length(),
    radius=Real(),
    **_PART,
    relation=_make_output("n_samples", "n_samples"),
)
_approximation_sizes = Function(
    "s2fs_approximation_sizes",
    library="baselines",
    columns=Array(np.float64, "n_features", "n_samples"),
    n_features=Length(),
    n_samples=Length(),
    **_CANDIDATES,
    relation=Array(np.float64, "n_samples", "n_samples"),
    decision=Array(np.float64, "n_classes", "n_samples"),
    n_classes=Length(),
    radius=Real(),
    **_PART,
    lower=_make_output("n_candidates", "n_classes"),
    upper=_make_output("n_candidates", "n_classes"),
)
_largest_difference_sums = Function(
    "s2fs_largest_difference_sums",
    library="baselines",
    **_CANDIDATE_COLUMNS,
    furthest=Array(np.float64, "n_samples", "n_samples"),
    bounds=Array(np.int64, "n_bounds"),
    n_bounds=Length(),
    **_PART,
    own=_make_output("n_candidates", "n_samples"),
    every=_make_output("n_candidates", "n_samples"),
)
_gaussian_changes = Function(
    "s2fs_gaussian_changes",
    library="baselines",
    **_CANDIDATE_COLUMNS,
    furthest=Array(np.float64, "n_samples", "n_samples"),
    relation=Array(np.float64, "n_samples", "n_samples"),
    weights=Array(np.float64, "n_samples"),
    bounds=Array(np.int64, "n_bounds"),
    n_bounds=Length(),
    scale=Real(),
    **_PART,
    own=_make_output("n_candidates", "n_samples"),
    every=_make_output("n_candidates", "n_samples"),
)
_aggregation = Function(
    "s2fs_aggregation",
    library="baselines",
    **_CANDIDATE_COLUMNS,
    centres=Array(np.float64, "n_candidates", "n_classes"),
    n_classes=Length(),
    squares=Array(np.float64, "n_samples", "n_classes"),
    codes=Array(np.int64, "n_samples"),
    power=Real(),
    floor=Real(),
    **_PART,
    out=_make_output("n_candidates"),
)


def compute_satisfaction(
    of: Discernibility, candidates: Indices, satisfied: Floats, largest: bool
) -> Floats:
    """For each candidate, Σ over pairs of S(satisfied, discerned by the candidate).

    The s-norm S is the maximum where ``largest``, else the bounded sum.
    """
    if load("baselines") is None:
        return plain.compute_satisfaction(of, candidates, satisfied, largest)
    out, candidates = np.empty(len(candidates)), _as_int64(candidates)
    for part in slices(len(candidates), len(of.left)):
        _satisfaction(*_arguments(of), satisfied, largest, candidates, *part, out)
    return out


def satisfy(of: Discernibility, feature: int, satisfied: Floats, largest: bool) -> None:
    """Join one feature to ``satisfied``, in place."""
    if load("baselines") is None:
        satisfied[:] = plain.join_degrees(
            satisfied, plain.compute_discernibility(of, feature), largest
        )
    else:
        _satisfy(*_arguments(of), feature, largest, satisfied)


def sum_settled_weights(
    of: Discernibility, candidates: Indices, threshold: Floats, weight: Floats
) -> Floats:
    """For each candidate, Σ of the weights of the pairs it discerns to the threshold or beyond."""
    if load("baselines") is None:
        return plain.sum_settled_weights(of, candidates, threshold, weight)
    out, candidates = np.empty(len(candidates)), _as_int64(candidates)
    for part in slices(len(candidates), len(of.left)):
        _settled_weight(*_arguments(of), threshold, weight, candidates, *part, out)
    return out


def find_settled_pairs(of: Discernibility, feature: int, threshold: Floats) -> NDArray[np.bool_]:
    """Mask of the pairs that one feature discerns to the threshold or beyond."""
    if load("baselines") is None:
        return plain.find_settled_pairs(of, feature, threshold)
    out = np.empty(len(threshold), dtype=bool)
    _settled(*_arguments(of), feature, threshold, out)
    return out


def find_nearest_others(of: SortedRelation, candidates: Indices) -> tuple[Floats, Floats]:
    """Largest similarities to the other classes, in the relation joined by each candidate.

    For each candidate: of each sample to any other class, 0 where none is similar; and of each
    class the sum over the samples outside it of their largest similarity to it.
    """
    if load("baselines") is None:
        return plain.find_nearest_others(of, candidates)
    n_samples, n_classes = len(of.similarities), len(of.bounds) - 1
    nearest = np.empty((len(candidates), n_samples))
    reach = np.zeros((len(candidates), n_classes))
    relation = _relation_arguments(of, candidates)
    for part in slices(n_samples, len(candidates) * n_samples):
        _nearest_others(*relation, *part, nearest, reach)
    return nearest, reach


def find_two_nearest(of: SortedRelation, candidates: Indices) -> tuple[Floats, Floats, Indices]:
    """Largest similarity of each sample to any class, to any other than that, and which it is.

    For each candidate and sample; 0 where no class has a similar sample, or only one. Where
    both are equal, either class may be named.
    """
    if load("baselines") is None:
        return plain.find_two_nearest(of, candidates)
    n_samples = len(of.similarities)
    nearest, second = np.empty((2, len(candidates), n_samples))
    where = np.empty((len(candidates), n_samples), dtype=np.int64)
    relation = _relation_arguments(of, candidates)
    for part in slices(n_samples, len(candidates) * n_samples):
        _two_nearest(*relation, *part, nearest, second, where)
    return nearest, second, where.astype(np.intp, copy=False)


def intersect(columns: Floats, features: Indices, relation: Floats, radius: float) -> None:
    """Join features to the relation by the minimum, in place."""
    if load("baselines") is None:
        plain.intersect(columns, features, relation, radius)
        return
    n_samples = len(relation)
    for x in columns[features]:
        for part in slices(n_samples, n_samples):
            _intersect(x, radius, *part, relation)


def compute_approximation_sizes(
    columns: Floats, candidates: Indices, relation: Floats, decision: Floats, radius: float
) -> tuple[Floats, Floats]:
    """Σ over samples of the lower and upper approximations of each fuzzy decision class.

    ``decision[q, j]`` is the membership of sample j in class q. The results have shape
    (n_candidates, n_classes).
    """
    if load("baselines") is None:
        return plain.compute_approximation_sizes(columns, candidates, relation, decision, radius)
    n_classes, n_samples = decision.shape
    candidates = _as_int64(candidates)
    lower, upper = np.zeros((2, len(candidates), n_classes))
    # A call takes all candidates for some samples; where that is too long, some for one.
    for first, last in slices(len(candidates), n_samples * n_classes):
        some = slice(first, last)
        for part in slices(n_samples, (last - first) * n_samples * n_classes):
            _approximation_sizes(
                columns, candidates[some], relation, decision, radius, *part,
                lower[some], upper[some],
            )  # fmt: skip
    return lower, upper


def sum_largest_differences(
    columns: Floats, furthest: Floats, bounds: Indices
) -> tuple[Floats, Floats]:
    """Sums of the largest differences of each sample to its own class, and to all samples.

    The samples are in class order, class q from ``bounds[q]`` to ``bounds[q + 1] - 1``, and
    ``furthest`` holds the largest difference of each two in the set so far. The rows of
    ``columns`` are the candidates, and both results have their shape.
    """
    if load("baselines") is None:
        return plain.sum_largest_differences(columns, furthest, bounds)
    own, every = np.empty((2, *columns.shape))
    bounds = _as_int64(bounds)
    for part in slices(len(columns), furthest.size // _SHARING_A_WALK):
        _largest_difference_sums(columns, furthest, bounds, *part, own, every)
    return own, every


def add_gaussian_changes(of: Granules, columns: Floats, own: Floats, every: Floats) -> None:
    """Change the granule sizes of a set to those of the set with each candidate added.

    ``own`` counts inside the class and ``every`` altogether; their rows and those of ``columns``
    are the candidates.
    """
    if load("baselines") is None:
        plain.add_gaussian_changes(of, columns, own, every)
        return
    bounds = _as_int64(of.bounds)
    for part in slices(len(columns), of.furthest.size):
        _gaussian_changes(
            columns, of.furthest, of.relation, of.weights, bounds, of.scale, *part, own, every
        )


def compute_aggregation(of: Centres, columns: Floats, centres: Floats) -> Floats:
    """Sum, per candidate, the memberships of the samples in their own class.

    The rows of ``columns`` and ``centres`` are the candidates.
    """
    if load("baselines") is None:
        return plain.compute_aggregation(of, columns, centres)
    out, codes = np.empty(len(columns)), _as_int64(of.codes)
    for part in slices(len(columns), of.squares.size):
        _aggregation(columns, centres, of.squares, codes, of.power, of.floor, *part, out)
    return out


def _arguments(of: Discernibility) -> tuple[Any, ...]:
    return of.columns, of.widths, of.left, of.right, of.gaussian


def _relation_arguments(of: SortedRelation, candidates: Indices) -> tuple[Any, ...]:
    bounds = _as_int64(of.bounds)
    return of.columns, of.similarities, of.who, bounds, _as_int64(candidates), of.radius


def _as_int64(array: Indices) -> NDArray[np.int64]:
    """Indices as the native library takes them; NumPy's own have 32 bits on some machines."""
    return np.ascontiguousarray(array, dtype=np.int64)
