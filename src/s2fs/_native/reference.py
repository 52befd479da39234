"""The additive state of a feature subset: all the criterion needs, in three small arrays.

For a subset B, with own(i) the class of sample i and φ(x) the sample restricted to B,

* ``D[i, r] = ‖φ(x_i) − c_r‖²``,
* ``P[i, r] = (c_own(i) − φ(x_i)) · (c_r − φ(x_i))``,
* ``G[q, r] = ‖c_q − c_r‖²``

are sums over the features of B. Judging a candidate adds its own terms to them, so it costs
O(n·p + p²) whatever the size of B, and nothing of size n × n or n × m × p is ever built.
"""

from copy import copy

import numpy as np

from s2fs._utils.types import Floats, Indices
from s2fs.criteria.problem import Problem, blocks
from s2fs.criteria.protocol import Weights, best_scored
from s2fs.criteria.separability import (
    ON_CENTROID,
    CentroidMembership,
    Compactness,
    Components,
    nearest,
)

#: Squared distances below this are zero; offsets that matter are far larger (see ON_CENTROID).
_ZERO = 1e-90


class SubsetState:
    """The state of a growing subset in plain NumPy and double precision, empty at first.

    Parameters
    ----------
    problem : Problem
        The data.
    centroid_membership : {"published", "normalized"}
        The variant of Eq. 20.
    compactness : {"mean", "rms"}
        What Θ_dis is of the distances to the own centroids.
    """

    def __init__(
        self,
        problem: Problem,
        centroid_membership: CentroidMembership = "published",
        compactness: Compactness = "mean",
    ) -> None:
        n, p = problem.n_samples, problem.n_classes
        self.problem = problem
        self._centroid_membership = centroid_membership
        self._rms = compactness == "rms"
        self._D = np.zeros((n, p))
        self._P = np.zeros((n, p))
        self._G = np.zeros((p, p))

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each pair (alpha, beta) the candidates with the largest Sep."""
        return best_scored(candidates, self.score(candidates), weights, n_best)

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate, as arrays."""
        theta_sum, theta_dir = self.row_sums(candidates)
        theta_dis = np.sqrt(theta_sum) if self._rms else theta_sum
        theta_dis = np.maximum(theta_dis, ON_CENTROID) * self.problem.unit
        return Components(theta_dis, theta_dir, *self.separation(candidates))

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        one = np.array([feature])
        D, P = self._with(one)
        self._D, self._P = D[0], P[0]
        self._G = self._G + self.problem.centroid_gaps(one)[0] ** 2

    def separation(self, candidates: Indices) -> Floats:
        """Λ_dis and Λ_dir of the subset joined by each candidate."""
        problem = self.problem
        parts = [
            self._separation(self._G + problem.centroid_gaps(block) ** 2)
            for block in blocks(candidates, problem.n_classes**2)
        ]
        return np.concatenate(parts, axis=1)

    def row_sums(self, candidates: Indices) -> Floats:
        """The weighted means over the samples that Θ_dis and Θ_dir are made of."""
        size = self.problem.n_classes * self.problem.n_samples
        parts = [self._compactness(*self._with(block)) for block in blocks(candidates, size)]
        return np.concatenate(parts, axis=1)

    def copy(self) -> "SubsetState":
        """An independent state of the same subset, on the same data."""
        return copy(self)  # its arrays are replaced, not changed

    def _with(self, features: Indices) -> tuple[Floats, Floats]:
        """D and P of the subset joined by each feature: shape ``(len(features), n, p)``."""
        b = self.problem.offsets(features)
        a = np.take_along_axis(b, self.problem.codes[None, :, None], axis=2)
        return self._D + b**2, self._P + a * b

    def _compactness(self, D: Floats, P: Floats) -> tuple[Floats, Floats]:
        """The means of Eqs. 7 and 13 for D and P of shape ``(…, n, p)``, of squares for the rms.

        With w_r = 1/‖V_r‖ the memberships are w_r² / Σ w_s² and the cosine is P_r w_own w_r.
        """
        own = np.broadcast_to(self.problem.codes[:, None], (*D.shape[:-1], 1))
        D_own = np.take_along_axis(D, own, axis=-1)
        w = 1 / np.sqrt(np.maximum(D, _ZERO))
        turned = np.maximum(1 - P * w / np.sqrt(np.maximum(D_own, _ZERO)), 0) * w**2
        np.put_along_axis(turned, own, 0.0, axis=-1)  # rounding there must not count
        turned = turned.sum(axis=-1) / (w**2).sum(axis=-1)
        D_own = D_own[..., 0]
        turned = np.where(D_own > 0, turned, 0.0)
        mean = self.problem.mean
        return mean(D_own if self._rms else np.sqrt(D_own)), mean(turned)

    def _separation(self, G: Floats) -> tuple[Floats, Floats]:
        """Λ_dis and Λ_dir (Eqs. 16 and 21) for G of shape ``(…, p, p)``."""
        p = G.shape[-1]
        near = nearest(np.sqrt(G) + np.diag(np.full(p, np.inf)))[..., None]
        G_near = np.take_along_axis(G, near, axis=-1)  # [q]: ‖c_q − c_a‖² with a = near(q)
        lambda_dis = np.sqrt(G_near[..., 0]).mean(axis=-1) * self.problem.unit

        # Eq. 20 for all pairs (a, b): the squared ratios sum to G_ab Σ_s 1/G_as, unless centroids
        # coincide with a: those share the membership and the others have none.
        others = ~np.eye(p, dtype=bool)
        coincide = (G == 0) & others
        n_coincident = coincide.sum(axis=-1, keepdims=True)
        inverse = np.divide(1.0, G, out=np.zeros_like(G), where=G > 0)
        ratios = np.where(n_coincident == 0, G * inverse.sum(axis=-1, keepdims=True), np.inf)
        ratios = np.where(coincide, n_coincident, ratios)
        # The diagonal is not used; the 1 there keeps the normalised variant from dividing by 0.
        membership = 1 / (ratios + (1.0 if self._centroid_membership == "published" else np.eye(p)))

        # (c_a − c_q)·(c_r − c_q) = (G_qa + G_qr − G_ar) / 2
        norms = np.sqrt(G_near) * np.sqrt(G)
        dot = (G_near + G - np.take_along_axis(G, near, axis=-2)) / 2
        cosine = np.clip(np.divide(dot, norms, out=np.zeros_like(dot), where=norms > 0), -1, 1)
        turned = np.take_along_axis(membership, near, axis=-2) * (1 - cosine)
        # A vector of length 0 tells no direction.
        turned = np.where(others & (np.arange(p) != near) & (norms > 0), turned, 0.0)
        return lambda_dis, turned.sum(axis=(-2, -1)) / p
