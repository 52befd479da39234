"""The state of a subset for large problems: screened in single, confirmed in double precision.

All candidates are judged in float32. Each direction and distance then carries an error bound, and
the candidates that may still be the best are judged again in float64, so the choice is that of a
search in double precision.

**The bound.** Let u = 2⁻²⁴, x the scaled value (0 ≤ x ≤ 1), b = x − c and w = 1/‖V_r‖ of one
instance and class. Rounding x, c and their difference changes b by at most 2u(x + |b|). As
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
from s2fs._state import Screened

_ROUNDOFF = 2.0**-24
_KAPPA = 32 * _ROUNDOFF
#: Squared distances below this are zero, in single and in double precision.
_ZERO = {np.float32: 1e-30, np.float64: 1e-90}
#: Under ``scale=None``, features of more different extents do not fit into single precision.
_SINGLE_EXTENTS = 1e-3
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
        n, p = problem.n_samples, problem.n_classes
        self.problem = problem
        self._reading = reading
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None
        self._n_threads = n_threads
        self._own = _in_lanes(problem.codes[None], np.int32)[:, 0]
        self._weight = _in_lanes(np.full((1, n), 1 / n), np.float64)[:, 0]
        shape = (len(self._own), p, LANES)
        self._D, self._P = np.zeros(shape), np.zeros(shape)
        self._D_single, self._P_single = (np.zeros(shape, np.float32) for _ in range(2))
        self._G = np.zeros((p, p))
        extents = problem.on_centroid[problem.varying]
        self._fits_single = extents.size and extents.min() > _SINGLE_EXTENTS * extents.max()
        self._Z = None if problem.is_sparse or not self._fits_single else _dense_lanes(problem)

    def screen(self, candidates: Features) -> Screened:
        """Judge all candidates in single precision, with bounds of the rounding errors."""
        if not self._fits_single:
            none = np.zeros(len(candidates))
            return Screened(self.score(candidates), none, none)
        if self._Z is None:
            pieces = blocks(candidates, self.problem.n_samples)
        else:
            pieces = np.array_split(candidates, min(self._n_threads, len(candidates)))
        parts, error = self._judge(pieces, np.float32)
        unit, p = self.problem.unit, self.problem.n_classes
        return Screened(
            parts,
            error_dis=_ROUNDOFF * (40 * parts.theta_dis + 4 * unit),
            error_dir=error + _ROUNDOFF * (32 * parts.theta_dir + 88 + 4 * p),
        )

    def score(self, candidates: Features) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        return self._judge(blocks(candidates, self.problem.n_samples), np.float64)[0]

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        problem, one = self.problem, np.array([feature])
        x = _in_lanes(problem.columns(one), np.float64)[:, 0]
        kernels.add_feature(
            x, problem.centroids[feature], problem.on_centroid[feature], self._own,
            self._D, self._P, self._D_single, self._P_single,
        )  # fmt: skip
        self._G += problem.centroid_gaps(one)[0] ** 2

    def copy(self) -> "CompiledState":
        """An independent state of the same subset, on the same data."""
        twin = object.__new__(CompiledState)
        twin.__dict__.update(self.__dict__)
        for name in ("_D", "_P", "_D_single", "_P_single", "_G"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def _judge(self, pieces: list[Features], real: Any) -> tuple[Components, Floats]:
        """The components for all pieces of the candidates, and the error of each direction."""

        def judge(piece: Features) -> Floats:
            C, on_centroid = self.problem.centroids[piece], self.problem.on_centroid[piece]
            sums, separation = np.zeros((3, len(piece))), np.empty((2, len(piece)))
            if real is np.float32 and self._Z is not None:
                Z, where = self._Z, piece
            else:
                Z, where = _in_lanes(self.problem.columns(piece), real), np.arange(len(piece))
            D, P = (self._D, self._P) if real is np.float64 else (self._D_single, self._P_single)
            kernels.compactness(
                Z, where, C.astype(real, copy=False), on_centroid if real is np.float64 else None,
                D, P, self._own, self._weight.astype(real, copy=False), real(_ZERO[real]),
                real(_KAPPA), self._group(real), sums,
            )  # fmt: skip
            kernels.separation(C, on_centroid, self._G, self._reading == "printed", separation)
            return np.concatenate([sums, separation])

        run: Callable[..., Any] = map if self._pool is None else self._pool.map
        dis, dir_, error, *separated = np.concatenate(list(run(judge, pieces)), axis=1)
        unit = self.problem.unit
        parts = Components(dis * unit, dir_, separated[0] * unit, separated[1])
        return parts, error

    def _group(self, real: Any) -> int:
        """How many blocks of instances have a state that fits into the first-level cache."""
        size = 2 * np.dtype(real).itemsize * self.problem.n_classes * LANES
        return max(1, min(_MOST_BLOCKS, _L1_BYTES // size))


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
