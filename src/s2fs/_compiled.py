"""The state of a subset for large problems: screened in single, confirmed in double precision.

The separation of the classes costs little and is exact for all candidates. Their compactness is
bounded from below first, and only candidates whose Sep may reach that of the most promising ones
are judged in float32. Each distance and direction then carries an error bound, and the candidates
that may still be the best are left to be judged in float64, so the choice is that of a search in
double precision.

**The lower bound.** With ω_i the weights, A_q = Σ_{i∈q} ω_i √D[i, q] of the subset and
w_q = Σ_{i∈q} ω_i |x_i − c_q| of the candidate, Θ_dis ≥ Σ_q √(A_q² + w_q²) by Minkowski's
inequality, and Θ_dir ≥ 0.

**The rounding errors.** Let u = 2⁻²⁴, x the scaled value (0 ≤ x ≤ 1), b = x − c and w = 1/‖V_r‖ of
one instance and class. Rounding x, c and their difference changes b by at most 2u(x + |b|). As
|b| ≤ ‖V_r‖, to first order

* D has the relative error u(6 + 4xw), w has u(5 + 2xw), the membership weight w² has u(11 + 4xw);
* P has the error u(6 + 2x(w + w_own)) in units of ‖V_own‖·‖V_r‖, a cosine u(19 + 4x(w + w_own));
* the direction term 1 − Σμ cos, with W the largest w, has u(44 + 2p + 16xW), and never more than 2;
* the distance ‖V_own‖ has u(4‖V_own‖ + 2x).

W is at most √(Σ w²), which the kernel has at hand. The constants are doubled to cover the terms of
higher order, and the sums over blocks and lanes add at most 32u of their value.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs import _kernels as kernels
from s2fs._criterion import CentroidMembership, Components, Floats
from s2fs._kernels import LANES
from s2fs._problem import BLOCK, Features, Problem, blocks
from s2fs._state import Weights, may_be_best

_ROUNDOFF = 2.0**-24
#: Squared distances below this are zero, in single and in double precision.
_ZERO = {np.float32: 1e-30, np.float64: 1e-90}
#: Under ``scale=None``, features of more different extents do not fit into single precision.
_SINGLE_EXTENTS = 1e-3
#: So many of the most promising candidates are judged first; the best of them prunes the others.
_FIRST = 64
#: Handing work to a thread takes about as long as this many updates.
_WORTH_A_THREAD = 300_000
_L1_BYTES = 24 * 1024
_MOST_BLOCKS = 24  # summed per lane before the lanes are, so that sums stay within 32u


class CompiledState:
    """The state of a growing subset in compiled loops, empty at first.

    Beyond the input it holds one float32 copy of the scaled data, if that is dense, and 24 bytes
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
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None
        self._own = _in_lanes(problem.codes[None], np.int32)[:, 0]
        self._weight = _in_lanes(problem.weight[None], np.float64)[:, 0]
        shape = (len(self._own), p, LANES)
        self._D, self._P = np.zeros(shape), np.zeros(shape)
        self._D_single, self._P_single = (np.zeros(shape, np.float32) for _ in range(2))
        self._G = np.zeros((p, p))
        self._own_distances = np.zeros(p)  # weighted sums over the classes
        self._deviations = problem.deviations()
        extents = problem.on_centroid[problem.varying]
        fits = extents.size > 0 and extents.min() > _SINGLE_EXTENTS * extents.max()
        self._screen_in = np.float32 if fits else np.float64
        self._Z = _dense_lanes(problem) if fits and not problem.is_sparse else None

    def shortlists(
        self, candidates: Features, weights: list[Weights], n_best: int = 1
    ) -> list[Features]:
        """For each pair (alpha, beta) the candidates that may have the largest Sep, or equal it.

        With ``n_best`` those that may be among so many best, or equal the last of them.
        """
        lambda_dis, lambda_dir, least = self._separation(self._pieces(candidates))
        alphas, betas = np.array(weights).T[:, :, None]  # a row for each pair
        most = Components(least, 0.0, lambda_dis, lambda_dir).separability(alphas, betas)
        first = np.zeros(len(candidates), dtype=bool)
        # Which ones are judged first matters to the time only, not to the outcome.
        n_first = min(max(_FIRST, n_best), len(candidates))
        first[np.argpartition(-most, n_first - 1, axis=1)[:, :n_first]] = True
        low, high = np.zeros_like(most), np.zeros_like(most)  # of those not judged: never the best

        def judge(these: Features) -> None:
            (dis, dir_), (most_dis, most_dir) = self._compactness_between(candidates[these])
            best = Components(dis, dir_, lambda_dis[these], lambda_dir[these])
            worst = best._replace(theta_dis=most_dis, theta_dir=most_dir)
            low[:, these] = worst.separability(alphas, betas)
            high[:, these] = best.separability(alphas, betas)

        judge(np.flatnonzero(first))
        rest = may_be_best(low, most, n_best).any(axis=0) & ~first
        if rest.any():
            judge(np.flatnonzero(rest))
        judged = first | rest
        return [candidates[judged & reach] for reach in may_be_best(low, high, n_best)]

    def score(self, candidates: Features) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        pieces = blocks(candidates, self.problem.n_samples)
        theta_dis, theta_dir, _ = self._compactness(pieces, np.float64)
        lambda_dis, lambda_dir, _ = self._separation(pieces)
        return Components(theta_dis, theta_dir, lambda_dis, lambda_dir)

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        problem, one = self.problem, np.array([feature])
        x = _in_lanes(problem.columns(one), np.float64)[:, 0]
        kernels.add_feature(
            x, problem.centroids[feature], problem.on_centroid[feature], self._own, self._weight,
            self._D, self._P, self._D_single, self._P_single, self._own_distances,
        )  # fmt: skip
        self._G += problem.centroid_gaps(one)[0] ** 2

    def copy(self) -> "CompiledState":
        """An independent state of the same subset, on the same data."""
        twin = object.__new__(CompiledState)
        twin.__dict__.update(self.__dict__)
        for name in ("_D", "_P", "_D_single", "_P_single", "_G", "_own_distances"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def _compactness_between(self, candidates: Features) -> tuple[Floats, Floats]:
        """Smallest and largest values that (Θ_dis, Θ_dir) of each candidate may have."""
        theta_dis, theta_dir, error = self._compactness(self._pieces(candidates), self._screen_in)
        thetas = np.array([theta_dis, theta_dir])
        if self._screen_in is np.float64:
            return thetas, thetas
        errors = [
            _ROUNDOFF * (40 * theta_dis + 4 * self.problem.unit),
            _ROUNDOFF * (32 * theta_dir + 88 + 4 * self.problem.n_classes) + error,
        ]
        return np.maximum(thetas - errors, 0), thetas + errors

    def _compactness(self, pieces: list[Features], real: Any) -> Floats:
        """Θ_dis, Θ_dir and the part of its error that depends on the data, for all candidates."""
        D, P = (self._D, self._P) if real is np.float64 else (self._D_single, self._P_single)
        weight, zero, kappa = self._weight.astype(real), real(_ZERO[real]), real(32 * _ROUNDOFF)
        state_of_a_block = 2 * D.itemsize * self.problem.n_classes * LANES
        group = max(1, min(_MOST_BLOCKS, _L1_BYTES // state_of_a_block))

        def judge(piece: Features) -> Floats:
            sums = np.zeros((3, len(piece)))
            Z, where = self._Z, piece
            if Z is None or real is np.float64:
                Z, where = _in_lanes(self.problem.columns(piece), real), np.arange(len(piece))
            C = self.problem.centroids[piece].astype(real)
            on_centroid = self.problem.on_centroid[piece] if real is np.float64 else None
            kernels.compactness(
                Z, where, C, on_centroid, D, P, self._own, weight, zero, kappa, group, sums
            )
            return sums

        sums = self._for_each(judge, pieces)
        sums[0] *= self.problem.unit
        return sums

    def _separation(self, pieces: list[Features]) -> Floats:
        """Λ_dis, Λ_dir and a lower bound of Θ_dis of the subset joined by each candidate."""

        def judge(piece: Features) -> Floats:
            parts = np.empty((3, len(piece)))
            kernels.separation(
                self.problem.centroids[piece], self.problem.on_centroid[piece], self._G,
                self._reading == "printed", self._deviations[piece], self._own_distances, parts,
            )  # fmt: skip
            return parts

        parts = self._for_each(judge, pieces)
        parts[::2] *= self.problem.unit
        return parts

    def _pieces(self, candidates: Features) -> list[Features]:
        """Blocks that may become dense for sparse data, or else a share for each thread."""
        if self._Z is None:
            return blocks(candidates, self.problem.n_samples)
        updates = len(candidates) * self.problem.n_samples * self.problem.n_classes
        if self._n_threads == 1 or updates < _WORTH_A_THREAD:
            return [candidates]
        return np.array_split(candidates, min(self._n_threads, len(candidates)))

    def _for_each(self, judge: Callable[[Features], Floats], pieces: list[Features]) -> Floats:
        if len(pieces) == 1:
            return judge(pieces[0])
        results = map(judge, pieces) if self._pool is None else self._pool.map(judge, pieces)
        return np.concatenate(list(results), axis=1)


def _in_lanes(columns: NDArray[Any], real: Any) -> NDArray[Any]:
    """Columns of shape (features, n) as (blocks, features, lanes), filled up with zeros."""
    m, n = columns.shape
    n_blocks = -(-n // LANES)
    lanes = np.zeros((n_blocks, m, LANES), real)
    whole = n // LANES
    lanes[:whole] = columns[:, : whole * LANES].reshape(m, whole, LANES).swapaxes(0, 1)
    if whole < n_blocks:
        lanes[whole, :, : n - whole * LANES] = columns[:, whole * LANES :]
    return lanes


def _dense_lanes(problem: Problem) -> NDArray[np.float32]:
    """All scaled columns in lanes, read by rows: a tall table is stored that way."""
    n, m = problem.n_samples, problem.n_features
    n_blocks = -(-n // LANES)
    lanes = np.zeros((n_blocks, m, LANES), np.float32)
    step = max(1, BLOCK // (m * LANES))
    for first in range(0, n_blocks, step):
        rows = problem.rows(first * LANES, min((first + step) * LANES, n))
        lanes[first : first + step] = _in_lanes(rows.T, np.float32)
    return lanes
