"""The state of a search whose rows are on a cluster.

The driver has what all rows have in common: ranges, centroids, the class sums, and G. Everything
that is a sum over rows is asked of the shards, and added up in double precision in their order.

A step should take one exchange with the shards. So they are not asked for lower bounds of the
compactness alone: at once they score the candidates that look best, and confirm the very best. How
good they look is guessed from Λ of the subset as it is now, and from the bounds for the subset as
it was before the last feature joined. A bad guess takes more exchanges, not another choice.
"""

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs._core.criterion import ON_CENTROID, CentroidMembership, Compactness, Components
from s2fs._engine.native import DISTANCE_ERROR
from s2fs._engine.protocol import Weights, may_be_best
from s2fs._engine.separability import empty_state
from s2fs._util.types import Floats, Indices
from s2fs.distributed import _shard as on_shard
from s2fs.distributed._exchange import Question
from s2fs.distributed._problem import ClusterProblem, cluster_problem
from s2fs.distributed._rows import add_up
from s2fs.distributed._twins import ClusterOverallCorrelations

#: How many candidates are scored at once.
_FIRST = 16
#: Up to this many are confirmed in double precision without a score in single precision before it:
#: that takes four times as long, but an exchange less.
_FEW = 2


class DistributedState:
    """The state of a growing subset over the shards of a cluster, empty at first.

    It decides as a state on one machine does.

    Parameters
    ----------
    problem : ClusterProblem
        The data.
    centroid_membership : {"printed", "normalized"}
        The variant of Eq. 20.
    compactness : {"mean", "rms"}
        What Θ_dis is of the distances to the own centroids.
    """

    def __init__(
        self,
        problem: ClusterProblem,
        centroid_membership: CentroidMembership = "printed",
        compactness: Compactness = "mean",
    ) -> None:
        self.problem = problem
        self._rms = compactness == "rms"
        self._classes = empty_state(problem.centroids, centroid_membership, compactness)  # for Λ
        self._screen = "single" if self._classes.screens_in_single else "double"
        self._cluster = problem.cluster
        self._shards = problem.build_shards((centroid_membership, compactness))
        self._features: tuple[int, ...] = ()
        self._kept: list[Any] = [None] * len(self._shards)
        self._n_kept = 0
        # What the shards have said of the subset joined by each feature; at first Λ alone must do.
        self._known = {"least": np.ones((2, problem.centroids.n_features))}
        self._forget()

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each pair (alpha, beta) the candidates that may have the largest Sep, or equal it.

        With ``n_best`` those that may be among that many best, or equal the last of them.
        """
        alphas, betas = np.array(weights).T[:, :, None]  # a row for each pair
        most_lambdas = self._classes.most_separation(candidates)
        at_once = max(_FIRST, n_best)

        def most_separability() -> Floats:
            least_thetas = self._known["least"][:, candidates]
            return Components(*least_thetas, *most_lambdas).separability(alphas, betas)

        hopes = most_separability()
        first = _largest(hopes, at_once)
        # If several are wanted, some will have to be confirmed later on anyway.
        sure = hopes.argmax(axis=1) if n_best == 1 else first[:0]
        asked = {"least": candidates, "double": candidates[sure]}
        self._ask(asked | {self._screen: np.union1d(candidates[sure], candidates[first])})
        most = most_separability()
        low, high = np.zeros_like(most), most.copy()
        scored = np.zeros(len(candidates), dtype=bool)

        def screen(these: Indices) -> None:
            low[:, these], high[:, these] = self._separability_between(candidates[these], weights)
            scored[these] = True

        screen(first)
        for n in (at_once, len(candidates)):
            open_ = np.flatnonzero(may_be_best(low, high, n_best).any(axis=0) & ~scored)
            if len(open_) <= _FEW:
                break
            screen(open_[_largest(most[:, open_], n)])
        return [candidates[reach] for reach in may_be_best(low, high, n_best)]

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        theta_dis, theta_dir, _ = self._compactness(candidates, "double")
        return Components(theta_dis, theta_dir, *self._classes.separation(candidates))

    def add(self, feature: int) -> None:
        """Let a feature join the subset."""
        self._features += (feature,)
        self._classes.add(feature)
        self._forget()

    def copy(self) -> "DistributedState":
        """An independent state of the same subset, on the same shards."""
        if len(self._features) > self._n_kept:  # both will go on from here
            self._kept = self._cluster.map(
                on_shard.keep, self._shards, self._kept, features=self._features
            )
            self._n_kept = len(self._features)
        twin = copy(self)
        twin._classes = self._classes.copy()
        twin._forget()
        return twin

    def correlations(self) -> ClusterOverallCorrelations:
        """The correlations over all rows of a feature with every feature."""
        return ClusterOverallCorrelations(self._cluster, self._shards)

    def _separability_between(
        self, candidates: Indices, weights: list[Weights]
    ) -> tuple[Floats, Floats]:
        """Smallest and largest Sep that each candidate may have, a row for each pair of weights."""
        alphas, betas = np.array(weights).T[:, :, None]
        theta_dis, theta_dir, error = self._compactness(candidates, self._screen)
        lambdas = self._classes.separation(candidates)
        share = DISTANCE_ERROR if self._screen == "single" else 0.0  # double decides
        largest = Components(theta_dis * (1 + share), theta_dir + error, *lambdas)
        least_dir = np.maximum(theta_dir - error, 0)
        smallest = Components(theta_dis * (1 - share), least_dir, *lambdas)
        return largest.separability(alphas, betas), smallest.separability(alphas, betas)

    def _compactness(self, candidates: Indices, kind: str) -> Floats:
        """Θ_dis, Θ_dir and its error, for all candidates."""
        missing = candidates[np.isnan(self._known[kind][0, candidates])]
        if len(missing):
            self._ask({kind: missing})
        return self._known[kind][:, candidates]

    def _ask(self, candidates: dict[str, Indices]) -> None:
        """Get to know what the shards say of some candidates of each kind, distances first."""
        question = Question.about(self.problem.centroids.n_features, candidates)
        # The futures before these are let go of only now: a client that has just reported this to
        # the scheduler makes the next message wait.
        self._sent = self._cluster.map(
            on_shard.answer, self._shards, self._kept, features=self._features, question=question
        )
        answers = [question.read(sent) for sent in self._cluster.gather(self._sent)]
        for kind, those in question.candidates().items():
            total = add_up([shares[kind] for shares in answers])
            distance = np.maximum(np.sqrt(total[0]) if self._rms else total[0], ON_CENTROID)
            total[0] = distance * self.problem.centroids.unit
            self._known[kind][:, those] = total

    def _forget(self) -> None:
        """Know nothing of the subset yet; the bounds for the one before are good for a guess."""
        single, double = np.full((2, 3, self.problem.centroids.n_features), np.nan)
        self._known = {"least": self._known["least"].copy(), "single": single, "double": double}


def cluster_state(
    selector: Any, client: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[DistributedState, NDArray[Any], ClusterOverallCorrelations | None]:
    """Survey the rows of a Dask collection where they are, for a search.

    Parameters
    ----------
    selector : estimator
        An :class:`~s2fs.S2FS`, whose ``scale``, ``class_weight``, ``centroid_membership``,
        ``compactness`` and ``max_correlation`` are used; ``n_features_in_`` and
        ``feature_names_in_`` are set.
    client : distributed.Client
        The cluster.
    X : dask array or data frame of shape (n_samples, n_features)
        Numbers, dense or sparse, in row chunks.
    y, sample_weight : dask array or series, or array-like, of shape (n_samples,)
        Labels and weights.

    Returns
    -------
    state : DistributedState
        The state of the empty subset.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    overall : callable or None
        The correlations of a feature with every feature over all rows, for ``max_correlation``.
    """
    problem = cluster_problem(selector, client, X, y, sample_weight)
    state = DistributedState(problem, selector.centroid_membership, selector.compactness)
    overall = None if selector.max_correlation is None else state.correlations()
    return state, problem.classes, overall


def _largest(values: Floats, n: int) -> Indices:
    """Where in some row one of its ``n`` largest values is."""
    n = min(n, values.shape[1])
    return np.unique(np.argpartition(-values, n - 1, axis=1)[:, :n])
