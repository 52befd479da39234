"""S²FS of samples that are on a cluster.

Λ depends on the class centroids, which the client has. Θ_dis and Θ_dir are sums over the samples:
the workers sum up their shards, and the sums are added along a tree. A step asks for two numbers
per candidate: first for the most promising ones, then for those that a bound does not rule out.

The bound needs no samples. By Minkowski's inequality Θ_dis of the selected features joined by f is
at least √(Θ_dis(selected)² + Θ_dis(f)²), where both are known from earlier steps (for root mean
squares it is equal), and Θ_dir is at least 0.
"""

from copy import copy

import numpy as np

from s2fs._native.separability import empty_state
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.protocol import Weights, may_be_best
from s2fs.criteria.separability import ON_CENTROID, CentroidMembership, Compactness, Components
from s2fs.dask.chunks import add_up
from s2fs.dask.problem import ClusterProblem
from s2fs.dask.shard import sum_samples

#: How many of the most promising candidates are scored before the bound is applied to the others.
_N_FIRST = 32
#: The bound is lowered by this much, so that rounding rules no candidate out.
_ROUNDING = 1e-9


class ClusterState:
    """The state of a growing subset over the shards of a cluster, empty at first.

    Parameters
    ----------
    problem : ClusterProblem
        The data.
    centroid_membership : {"published", "normalized"}
        The variant of Eq. 20.
    compactness : {"mean", "rms"}
        What Θ_dis is of the distances to the own centroids.
    """

    def __init__(
        self,
        problem: ClusterProblem,
        centroid_membership: CentroidMembership = "published",
        compactness: Compactness = "mean",
    ) -> None:
        self.problem = problem
        self._rms = compactness == "rms"
        self._scheduler = problem.scheduler
        self._shards = problem.build_shards((centroid_membership, compactness))
        self._centroid_state = empty_state(problem.centroids, centroid_membership, compactness)
        self._selected: tuple[int, ...] = ()
        #: What Θ_dis and Θ_dir of the subset joined by each feature are made of; NaN is not known.
        self._sums = np.full((2, problem.centroids.n_features), np.nan)
        # Lower bounds of the sum that Θ_dis is made of: of each feature alone, of the subset.
        self._own_sums = np.zeros(problem.centroids.n_features)
        self._subset_sum = 0.0

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each weighting (alpha, beta) the candidates with the largest Sep, or equal to it.

        With ``n_best`` those that are among that many best, or equal the last of them.
        """
        lambdas = self._centroid_state.separation(candidates)
        high = self._bound_separability(candidates, lambdas, weights)
        low = np.zeros_like(high)
        is_scored = np.zeros(len(candidates), dtype=bool)

        def score(these: Indices) -> None:
            scores = self._score(candidates[these], lambdas[:, these])
            low[:, these] = high[:, these] = _weigh(scores, weights)
            is_scored[these] = True

        if self._selected:  # before the first step nothing is known that could rule any out
            score(_find_largest(high, max(_N_FIRST, n_best)))
        may_win = may_be_best(low, high, n_best).any(axis=0)
        others = np.flatnonzero(may_win & ~is_scored)
        if len(others):
            score(others)
        return [candidates[is_best] for is_best in may_be_best(low, high, n_best)]

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate."""
        return self._score(candidates, self._centroid_state.separation(candidates))

    def add(self, feature: int) -> None:
        """Let a feature join the subset."""
        if not self._selected:
            self._own_sums = np.nan_to_num(self._sums[0])
        self._selected += (feature,)
        self._centroid_state.add(feature)
        # Distances only grow, so without a score the sum of the subset before is a bound, too.
        if not np.isnan(self._sums[0, feature]):
            self._subset_sum = float(self._sums[0, feature])
        self._sums = np.full_like(self._sums, np.nan)

    def copy(self) -> "ClusterState":
        """An independent state of the same subset, on the same shards."""
        copied = copy(self)
        copied._centroid_state = self._centroid_state.copy()
        copied._sums = self._sums.copy()
        return copied

    def _bound_separability(
        self, candidates: Indices, lambdas: Floats, weights: list[Weights]
    ) -> Floats:
        """Upper bounds of Sep, a row for each weighting."""
        own = self._own_sums[candidates]
        sums = own + self._subset_sum if self._rms else np.hypot(own, self._subset_sum)
        theta_dis = self._compute_theta_dis(sums * (1 - _ROUNDING))
        return _weigh(Components(theta_dis, np.zeros_like(own), *lambdas), weights)

    def _score(self, candidates: Indices, lambdas: Floats) -> Components:
        """The components of the subset joined by each candidate, whose Λ are known."""
        unknown = candidates[np.isnan(self._sums[0, candidates])]
        if len(unknown):
            shares = self._scheduler.map(
                sum_samples,
                self._shards,
                selected=self._selected,
                candidates=unknown.astype(np.int32),
            )
            self._sums[:, unknown] = self._scheduler.reduce(shares, add_up)
        distance_sums, theta_dir = self._sums[:, candidates]
        return Components(self._compute_theta_dis(distance_sums), theta_dir, *lambdas)

    def _compute_theta_dis(self, sums: Floats) -> Floats:
        distance = np.sqrt(sums) if self._rms else sums
        return np.maximum(distance, ON_CENTROID) * self.problem.centroids.unit


def _weigh(parts: Components, weights: list[Weights]) -> Floats:
    """Sep of some candidates, a row for each weighting."""
    alphas, betas = np.array(weights).T[:, :, None]
    return parts.separability(alphas, betas)


def _find_largest(values: Floats, n: int) -> Indices:
    """Where in some row one of its ``n`` largest values is."""
    n = min(n, values.shape[1])
    return np.unique(np.argpartition(-values, n - 1, axis=1)[:, :n])
