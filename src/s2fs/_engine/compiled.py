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

**The upper bounds of Λ.** Λ_dis is cheap: each class asks for its nearest centroid only. In Λ_dir
let a be the centroid nearest to q, h the squared distances with the candidate, T_q = Σ_s 1/h_qs. An
angle at q adds 1 − cos ≤ h_ar / 2√(h_qa h_qr), weighted by μ ≤ 1/(h_ar T_a). So the angles at q add
at most Σ_r 1/√h_qr / (2 T_a √h_qa), and by Cauchy's inequality the sum over the p − 2 classes r is
at most √((p − 2) (T_q − 1/h_qa)). This asks for no pairs (a, r). Candidates that it does not rule
out are bounded again, by Λ_dir itself.

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
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from s2fs._core.criterion import CentroidMembership, Components
from s2fs._core.problem import SMALL_BLOCK, Problem, blocks
from s2fs._engine.bound_kernels import CHUNK, direction_tangent
from s2fs._engine.centroid_kernels import separation
from s2fs._engine.contender_kernels import contenders
from s2fs._engine.kernels import LANES, add_feature, compactness
from s2fs._engine.protocol import Weights, best_scored, may_be_best
from s2fs._util.types import Floats, Indices

ROUNDOFF = {np.float32: 2.0**-24, np.float64: 2.0**-53}
#: Squared distances below this are zero, in single and in double precision.
_ZERO = {np.float32: 1e-30, np.float64: 1e-90}
#: Under ``scale=None``, features of more different extents do not fit into single precision.
_SINGLE_EXTENTS = 1e-3
#: So many of the most promising candidates are judged first; the best of them prunes the others.
_FIRST = 8
#: Work of so many nanoseconds is shared out to threads; handing it over takes some 100 000.
_WORTH_A_THREAD = 500_000
#: Nanoseconds, about, to bound Θ per instance and Λ per pair of classes, and to judge Θ per
#: instance and class.
NS_BOUND, _NS_PAIR, _NS_JUDGE = 0.25, 1.0, 1.0
_L1_BYTES = 24 * 1024
_MOST_BLOCKS = 24  # summed per lane before the lanes are, so that sums stay within 32u
_L2_BYTES = 256 * 1024
#: What rounding in double precision may take from the constant of the lower bound.
_SLACK = 1e-12
_Found = TypeVar("_Found")


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
        self._weight = {real: weight.astype(real) for real in ROUNDOFF}
        self._size = np.intp(0)
        self._scored = -1, np.empty((1, 0))  # the best one, scored alone in the end, joins next
        self._D, self._P = (np.zeros((len(self._own), p, LANES)) for _ in range(2))
        self._G = np.zeros((p, p))
        extents = problem.on_centroid[problem.varying]
        fits = extents.size > 0 and extents.min() > _SINGLE_EXTENTS * extents.max()
        self._screen_in = np.float32 if fits else np.float64
        self._A = _offsets(problem) if fits and not problem.is_sparse else None
        self._C = problem.centroids.astype(self._screen_in)
        self._width = max(16, min(128, _L2_BYTES // (4 * p * p) // 8 * 8))  # of `most_separation`

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each pair (alpha, beta) the candidates that may have the largest Sep, or equal it.

        With ``n_best`` those that may be among so many best, or equal the last of them.
        """
        if self._screen_in is np.float64:  # nothing is to be gained by a screen
            return best_scored(candidates, self.score(candidates), weights, n_best)
        n_best = min(n_best, len(candidates))
        judged, low, high = self._contenders(candidates, weights, n_best)
        return [np.sort(judged[reach]) for reach in may_be_best(low, high, n_best)]

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        theta_dis, theta_dir, _ = self._compactness(candidates, np.float64)
        return Components(theta_dis, theta_dir, *self._separation(candidates))

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        problem, (scored, column) = self.problem, self._scored
        if scored != feature:
            column = problem.columns(np.array([feature]))
        x = _padded(column, np.float64)[0]
        c, on_centroid = problem.centroids[feature], problem.on_centroid[feature]
        add_feature(x, c, on_centroid, self._own, self._D, self._P, self._G)
        self._size += 1

    def copy(self) -> "CompiledState":
        """An independent state of the same subset, on the same data."""
        twin = object.__new__(CompiledState)
        twin.__dict__.update(self.__dict__)
        for name in ("_D", "_P", "_G"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def _contenders(
        self, candidates: Indices, weights: list[Weights], n_best: int
    ) -> tuple[Indices, Floats, Floats]:
        """The candidates that may be among the best, and between what Sep of each one is."""
        real, problem, p = np.float32, self.problem, self.problem.n_classes
        precision = ROUNDOFF[real], *self._precision(real)
        subset = self._D, self._P, self._own, self._weight[real]
        classes = problem.on_centroid, self._G, self._reading == "printed"
        tangent, pairs = self._tangent(), np.array(weights, np.float64)
        pieces = self._pieces(candidates, NS_BOUND * problem.n_samples + _NS_PAIR * p * p, real)
        n_first = max(-(-_FIRST // len(pieces)), n_best)
        reached = np.zeros(len(pairs))  # shared, so that the pieces prune one another

        def judge(piece: Indices) -> tuple[Indices, Floats, Floats]:
            judged, (low, high) = np.empty_like(piece), np.empty((2, len(pairs), len(piece)))
            n = contenders(
                self._columns(piece, real)[:3], subset, precision,
                (problem.centroids, piece, *classes), tangent, pairs, problem.unit, self._width,
                n_first, n_best, reached, judged, low, high,
            )  # fmt: skip
            return judged[:n], low[:, :n], high[:, :n]

        found = self._for_each(judge, pieces)
        if len(found) == 1:
            return found[0]
        judged, low, high = zip(*found, strict=True)
        return np.concatenate(judged), np.concatenate(low, axis=1), np.concatenate(high, axis=1)

    def _tangent(self) -> tuple[Any, Any, Any, Floats]:
        """What bounds the compactness of all candidates from below."""
        real, p = self._screen_in, self.problem.n_classes
        near, curvature = np.empty((2, self._own.size), real)
        slopes = np.empty((p, p), real)
        constant, sum_kappa, sum_S = direction_tangent(
            self._D, self._P, self._own, self._weight[np.float64], self._size, near, curvature,
            slopes,
        )  # fmt: skip
        u, n_terms = ROUNDOFF[real], CHUNK + 64
        error = 4 * u * (n_terms * sum_kappa + (p * p + 16) * sum_S) + _SLACK
        room = np.array([self.problem.unit * (1 - n_terms * u), constant, error])
        return near, curvature, slopes, room

    def _compactness(self, candidates: Indices, real: Any) -> Floats:
        """Θ_dis, Θ_dir and the part of its error that depends on the data, for all candidates."""
        subset = self._D, self._P, self._own, self._weight[real]
        precision = self._precision(real)

        def judge(piece: Indices) -> Floats:
            sums = np.zeros((3, len(piece)))
            compactness(*self._columns(piece, real), *subset, *precision, sums)
            return sums

        ns = _NS_JUDGE * self.problem.n_samples * self.problem.n_classes
        found = self._for_each(judge, self._pieces(candidates, ns, real))
        sums = found[0] if len(found) == 1 else np.concatenate(found, axis=1)
        sums[0] *= self.problem.unit
        return sums

    def _precision(self, real: Any) -> tuple[Any, Any, int]:
        """Below what squared distances are zero, the scale of errors, and blocks in a group."""
        state_of_a_block = 2 * np.dtype(real).itemsize * self.problem.n_classes * LANES
        group = max(1, min(_MOST_BLOCKS, _L1_BYTES // state_of_a_block))
        return real(_ZERO[real]), real(24 * ROUNDOFF[real]), group

    def _columns(self, piece: Indices, real: Any) -> tuple[Any, Indices, Any, Any]:
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

    def _separation(self, candidates: Indices) -> Floats:
        """Λ_dis and Λ_dir of the subset joined by each candidate."""
        problem = self.problem
        parts = np.empty((2, len(candidates)))
        separation(
            problem.centroids, candidates, problem.on_centroid, self._G,
            self._reading == "printed", parts,
        )  # fmt: skip
        parts[0] *= problem.unit
        return parts

    def _pieces(self, candidates: Indices, ns: float, real: Any) -> list[Indices]:
        """Blocks whose columns have to be made, or else a share for each thread.

        A candidate takes ``ns`` nanoseconds.
        """
        if self._A is None or real is np.float64:
            return blocks(candidates, self.problem.n_samples)
        if self._n_threads == 1 or len(candidates) * ns < _WORTH_A_THREAD:
            return [candidates]
        return np.array_split(candidates, min(self._n_threads, len(candidates)))

    def _for_each(self, judge: Callable[[Indices], _Found], pieces: list[Indices]) -> list[_Found]:
        if self._pool is None or len(pieces) == 1:
            return [judge(piece) for piece in pieces]
        others = [self._pool.submit(judge, piece) for piece in pieces[1:]]
        first = judge(pieces[0])  # this thread works as well
        return [first, *(other.result() for other in others)]


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
