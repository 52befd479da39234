"""The state of a subset for large problems: screened in single, confirmed in double precision.

Sep of every candidate is bounded from above first, by an upper bound of the separation of the
classes and a lower bound of their compactness. Only candidates that may reach the most promising
ones are judged: their separation exactly, their compactness in float32, where each distance and
direction carries an error bound. The candidates that may still be the best are left to be judged
in float64, so the choice is that of a search in double precision.

**The lower bounds of Θ.** Θ_dis of all candidates takes one term per instance, not one per instance
and class. For Θ_dir take one instance, with D_o and D_r the squared distances to its own and to
another centroid, P their product, and a, b what a candidate adds: D'_o = D_o + a², D'_r = D_r + b²,
P' = P + ab. Its direction term is Σ_r (√(D'_o D'_r) − P') D'_o^−½ D'_r^−3/2 / Σ_s 1/D'_s. Here

* √(D'_o D'_r) ≥ √(D_o D_r) + ab by Cauchy's inequality, so √(D'_o D'_r) − P' ≥ √(D_o D_r) − P ≥ 0;
* Σ_s 1/D'_s ≤ Σ_s 1/D_s;
* u^−½ v^−3/2 is convex, so it lies above its tangent plane, which is linear in a² and b²;
* b is a and the difference g of two centroids, so b² ≤ 2a² + 2g².

So Θ_dir is at least a constant less Σ_i κ_i a_i² and Σ_qr S_qr g_qr², with κ and S that are the
same for all candidates: n + p²/2 terms. It leaves a few candidates of a thousand to judge.

**The rounding errors of Θ.** Let u = 2⁻²⁴, x the scaled value (0 ≤ x ≤ 1), and w = 1/‖V_r‖ of one
instance and class. The offset a from the own centroid has the relative error u; c_own, c_r and
their difference are rounded before b is made of them, so b has the error u(3|a| + 2x + 3|b|), or
u(2y + 3|b|) with y = x + 3/2 |a|. As |b| ≤ ‖V_r‖, to first order

* D has the relative error u(9 + 4yw), w has u(6 + 2yw), the membership weight w² has u(13 + 4yw);
* P has the error u(7 + 2yw) in units of ‖V_own‖·‖V_r‖, a cosine u(19 + 4yw);
* the direction term 1 − Σμ cos, with W the largest w, has u(45 + 2p + 12yW), and never more than 2;
* the distance ‖V_own‖ has u·4‖V_own‖.

W is at most √(Σ w²), which the kernel has at hand. The constants are doubled to cover the terms of
higher order, and the sums over blocks and lanes add at most 32u of their value. In the lower bounds
a sum of N terms adds Nu, and g² ≤ 1 has the error 7u.

**The rounding errors of Λ.** Differences of centroids are taken in double precision, so squared
distances h between centroids have the relative error 5u, and Λ_dis has u(p + 4). Take the angle at
class q between its nearest centroid, at the squared distance l, and another one at h, these two at
the squared distance s ≤ (√l + √h)² ≤ 4h. The cosine (l + h − s) / 2√(lh) has the error
19u√(h/l) + 17u. Its membership μ ≤ 1 is also at most l/s, so μ√(h/l) ≤ 2: either h ≤ 4l, or s ≥ h/4
and μ ≤ 4l/h. So each of less than p terms has the error 55u, besides the relative error u(p + 20)
of a membership and up to p²u of a sum of p² terms. These are doubled as well.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs import _bound_kernels as bounds
from s2fs import _centroid_kernels as centroids
from s2fs import _kernels as kernels
from s2fs._criterion import CentroidMembership, Components, Floats
from s2fs._kernels import LANES
from s2fs._problem import SMALL_BLOCK, Features, Problem, blocks
from s2fs._state import Weights, may_be_best

_ROUNDOFF = {np.float32: 2.0**-24, np.float64: 2.0**-53}
#: Squared distances below this are zero, in single and in double precision.
_ZERO = {np.float32: 1e-30, np.float64: 1e-90}
#: Under ``scale=None``, features of more different extents do not fit into single precision.
_SINGLE_EXTENTS = 1e-3
#: So many of the most promising candidates are judged first; the best of them prunes the others.
_FIRST = 16
#: Work of so many nanoseconds is shared out to threads; handing it over takes some 100 000.
_WORTH_A_THREAD = 500_000
#: Nanoseconds, about, to bound Θ per instance, to judge it per instance and class, and to bound
#: and to judge Λ per pair of classes.
_NS_BOUND, _NS_JUDGE, _NS_BOUND_PAIR, _NS_JUDGE_PAIR = 0.25, 1.0, 1.5, 3.0
_L1_BYTES = 24 * 1024
_MOST_BLOCKS = 24  # summed per lane before the lanes are, so that sums stay within 32u
_L2_BYTES = 256 * 1024
#: What rounding in double precision may take from the constant of the lower bound.
_SLACK = 1e-12


class CompiledState:
    """The state of a growing subset in compiled loops, empty at first.

    Beyond the input it holds one float32 copy of the scaled data, if that is dense, and 20 bytes
    per instance and class.

    Parameters
    ----------
    problem : Problem
        The data.
    reading : {"printed", "normalized"}
        The reading of Eq. 20.
    n_threads : int
        The candidates are shared out to so many threads.
    """

    def __init__(
        self, problem: Problem, reading: CentroidMembership = "printed", n_threads: int = 1
    ) -> None:
        p = problem.n_classes
        self.problem = problem
        self._reading = reading
        self._n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
        self._own = _padded(problem.codes[None], np.int32).reshape(-1, LANES)
        weight = _padded(problem.weight[None], np.float64).reshape(-1, LANES)
        self._weight = {real: weight.astype(real) for real in _ROUNDOFF}
        self._size = np.intp(0)
        self._scored = -1, np.empty((1, 0))  # the best one, scored alone in the end, joins next
        self._D, self._P = (np.zeros((len(self._own), p, LANES)) for _ in range(2))
        self._G = np.zeros((p, p))
        extents = problem.on_centroid[problem.varying]
        fits = extents.size > 0 and extents.min() > _SINGLE_EXTENTS * extents.max()
        self._screen_in = np.float32 if fits else np.float64
        self._A = _offsets(problem) if fits and not problem.is_sparse else None
        self._C = problem.centroids.astype(self._screen_in)

    def shortlists(
        self, candidates: Features, weights: list[Weights], n_best: int = 1
    ) -> list[Features]:
        """For each pair (alpha, beta) the candidates that may have the largest Sep, or equal it.

        With ``n_best`` those that may be among so many best, or equal the last of them.
        """
        thetas = self._least_compactness(candidates)
        lambdas = self._most_separation(candidates, coarse=True)
        # Which ones are judged first matters to the time only, not to the outcome.
        most, first = _most_separable(thetas, lambdas, weights, max(_FIRST, n_best))
        low, high = self._separability_between(candidates[first], weights)
        most[:, first] = -1.0  # Sep is never negative
        judged, rest = candidates[first], _somewhere(may_be_best(low, most, n_best))
        if len(rest) > _FIRST:
            lambdas = self._most_separation(candidates[rest])
            most, _ = _most_separable(thetas.take(rest, axis=1), lambdas, weights)
            rest = rest[_somewhere(may_be_best(low, most, n_best))]
        if len(rest):
            more = self._separability_between(candidates[rest], weights)
            low, high = np.concatenate([(low, high), more], axis=2)
            judged = np.concatenate([judged, candidates[rest]])
        return [np.sort(judged[reach]) for reach in may_be_best(low, high, n_best)]

    def score(self, candidates: Features) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        pieces = blocks(candidates, self.problem.n_samples)
        theta_dis, theta_dir, _ = self._compactness(pieces, np.float64)
        return Components(theta_dis, theta_dir, *self._separation(candidates))

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        problem, (scored, column) = self.problem, self._scored
        if scored != feature:
            column = problem.columns(np.array([feature]))
        x = _padded(column, np.float64)[0]
        c, on_centroid = problem.centroids[feature], problem.on_centroid[feature]
        kernels.add_feature(x, c, on_centroid, self._own, self._D, self._P, self._G)
        self._size += 1

    def copy(self) -> "CompiledState":
        """An independent state of the same subset, on the same data."""
        twin = object.__new__(CompiledState)
        twin.__dict__.update(self.__dict__)
        for name in ("_D", "_P", "_G"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def _least_compactness(self, candidates: Features) -> Floats:
        """Lower bounds of Θ_dis and Θ_dir of the subset joined by each candidate."""
        real, p = self._screen_in, self.problem.n_classes
        near, curvature = np.empty((2, self._own.size), real)
        slopes = np.empty((p, p), real)
        constant, sum_kappa, sum_S = bounds.direction_tangent(
            self._D, self._P, self._own, self._weight[np.float64], self._size, near, curvature,
            slopes,
        )  # fmt: skip
        u, n_terms = _ROUNDOFF[real], bounds.CHUNK + 64
        error = 4 * u * (n_terms * sum_kappa + (p * p + 16) * sum_S) + _SLACK
        room = np.array([self.problem.unit * (1 - n_terms * u), constant, error])
        weight = self._weight[real].ravel()

        def judge(piece: Features) -> Floats:
            A, where, C, _ = self._columns(piece, real)
            out = np.empty((2, len(piece)))
            bounds.least_compactness(A, where, C, near, curvature, weight, slopes, room, out)
            return out

        return self._for_each(judge, self._pieces(candidates, _NS_BOUND / p))

    def _separability_between(
        self, candidates: Features, weights: list[Weights]
    ) -> tuple[Floats, Floats]:
        """Smallest and largest Sep that each candidate may have, a row for each pair of weights."""
        real = self._screen_in
        roundoff = _ROUNDOFF[real] if real is np.float32 else 0.0
        low, high = np.empty((2, len(weights), len(candidates)))
        bounds.separability_between(
            self._compactness(self._pieces(candidates), real), self._separation(candidates),
            roundoff, self.problem.n_classes, np.array(weights, np.float64), low, high,
        )  # fmt: skip
        return low, high

    def _compactness(self, pieces: list[Features], real: Any) -> Floats:
        """Θ_dis, Θ_dir and the part of its error that depends on the data, for all candidates."""
        weight, zero, kappa = self._weight[real], real(_ZERO[real]), 24 * _ROUNDOFF[real]
        state_of_a_block = 2 * weight.itemsize * self.problem.n_classes * LANES
        group = max(1, min(_MOST_BLOCKS, _L1_BYTES // state_of_a_block))

        def judge(piece: Features) -> Floats:
            A, where, C, on_centroid = self._columns(piece, real)
            sums = np.zeros((3, len(piece)))
            kernels.compactness(
                A, where, C, on_centroid, self._D, self._P, self._own, weight, zero, real(kappa),
                group, sums,
            )  # fmt: skip
            return sums

        sums = self._for_each(judge, pieces)
        sums[0] *= self.problem.unit
        return sums

    def _columns(self, piece: Features, real: Any) -> tuple[Any, Features, Any, Any]:
        """Offsets from the own centroids, where in them those of the piece are, and all centroids.

        In double precision also which offsets are rounding.
        """
        if self._A is not None and real is np.float32:
            return self._A, piece, self._C, None
        problem = self.problem
        on_centroid = problem.on_centroid[piece] if real is np.float64 else None
        C, columns = problem.centroids[piece], problem.columns(piece)
        if len(piece) == 1:
            self._scored = int(piece[0]), columns
        A = _padded(columns - C[:, problem.codes], real)
        return A, np.arange(len(piece)), C.astype(real), on_centroid

    def _most_separation(self, candidates: Features, coarse: bool = False) -> Floats:
        """Upper bounds of Λ_dis and Λ_dir of the subset joined by each candidate."""
        if self._screen_in is np.float64:
            return self._separation(candidates)
        p, unit = self.problem.n_classes, self.problem.unit
        width = max(16, min(128, _L2_BYTES // (4 * p * p) // 8 * 8, -(-len(candidates) // 8) * 8))
        ns = _NS_BOUND_PAIR / 2 if coarse else _NS_BOUND_PAIR
        return self._for_centroids(centroids.most_separation, candidates, ns, unit, coarse, width)

    def _separation(self, candidates: Features) -> Floats:
        """Λ_dis and Λ_dir of the subset joined by each candidate."""
        parts = self._for_centroids(centroids.separation, candidates, _NS_JUDGE_PAIR)
        parts[0] *= self.problem.unit
        return parts

    def _for_centroids(self, kernel: Any, candidates: Features, ns: float, *options: Any) -> Floats:
        problem, printed = self.problem, self._reading == "printed"

        def judge(piece: Features) -> Floats:
            parts = np.empty((2, len(piece)))
            kernel(problem.centroids, piece, problem.on_centroid, self._G, printed, *options, parts)
            return parts

        return self._for_each(judge, self._shares(candidates, ns * problem.n_classes**2))

    def _pieces(self, candidates: Features, ns: float = _NS_JUDGE) -> list[Features]:
        """Blocks that may become dense for sparse data, or else a share for each thread."""
        if self._A is None:
            return blocks(candidates, self.problem.n_samples)
        return self._shares(candidates, ns * self.problem.n_samples * self.problem.n_classes)

    def _shares(self, candidates: Features, ns: float) -> list[Features]:
        """A share for each thread, if there is enough to do; a candidate takes ``ns``."""
        if self._n_threads == 1 or len(candidates) * ns < _WORTH_A_THREAD:
            return [candidates]
        return np.array_split(candidates, min(self._n_threads, len(candidates)))

    def _for_each(self, judge: Callable[[Features], Floats], pieces: list[Features]) -> Floats:
        if len(pieces) == 1:
            return judge(pieces[0])
        if self._pool is None:
            return np.concatenate([judge(piece) for piece in pieces], axis=1)
        others = [self._pool.submit(judge, piece) for piece in pieces[1:]]
        first = judge(pieces[0])  # this thread works as well
        return np.concatenate([first, *(other.result() for other in others)], axis=1)


def _most_separable(
    thetas: Floats, lambdas: Floats, weights: list[Weights], n_first: int = 0
) -> tuple[Floats, Features]:
    """Sep of each candidate, a row for each pair of weights, and where the largest of a row are."""
    most = np.empty((len(weights), thetas.shape[1]))
    tops = np.empty((len(weights), min(n_first, thetas.shape[1])), np.int64)
    bounds.most_separable(thetas, lambdas, np.array(weights, np.float64), most, tops)
    return most, tops[0] if len(weights) == 1 else np.unique(tops)


def _somewhere(reach: NDArray[np.bool_]) -> Features:
    """Where a mask with a row for each pair of weights holds for some pair."""
    return (reach[0] if len(reach) == 1 else reach.any(axis=0)).nonzero()[0]


def _padded(columns: NDArray[Any], real: Any) -> NDArray[Any]:
    """Columns of shape (features, n), filled up with zeros to whole blocks of lanes."""
    m, n = columns.shape
    padded = np.zeros((m, -(-n // LANES) * LANES), real)
    padded[:, :n] = columns
    return padded


def _offsets(problem: Problem) -> NDArray[np.float32]:
    """Offsets of all scaled columns from the own centroids, padded.

    They are made by rows, as a tall table is stored that way.
    """
    n, m = problem.n_samples, problem.n_features
    offsets = np.zeros((m, -(-n // LANES) * LANES), np.float32)
    means = np.ascontiguousarray(problem.centroids.T)
    step = max(1, SMALL_BLOCK // m)
    for start in range(0, n, step):
        stop = min(start + step, n)
        rows = problem.rows(start, stop)
        rows -= means[problem.codes[start:stop]]
        offsets[:, start:stop] = rows.T
    return offsets
