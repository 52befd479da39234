"""The state of a growing subset in the native library: bounds rule out, double precision decides.

What is computed, and why the choice is that of a search in double precision, is derived in the
chapter on the engine in the documentation, in steps that name the functions in ``src``.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np

from s2fs._native.border import Array, Function, Given, Int, Length, New, Real
from s2fs._native.feature_groups import list_members
from s2fs._native.library import load
from s2fs._native.table import make_table
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.problem import Problem
from s2fs.criteria.protocol import Weights, best_scored, no_number
from s2fs.criteria.separability import CentroidMembership, Compactness, Components

_new_data = Function(
    "s2fs_scaled_data_new",
    table=Given("table", changed=False, kept=True),
    codes=Array(np.int64, "samples"),
    weight=Array(np.float64, "samples"),
    lower=Array(np.float64, "features"),
    width=Array(np.float64, "features"),
    tolerance=Array(np.float64, "features"),
    centroids=Array(np.float64, "features", "classes"),
    classes=Length(),
    unit=Real(),
    is_published=Int(),
    is_rms=Int(),
    data=New("scaled_data"),
)
_new_search = Function(
    "s2fs_search_new",
    data=Given("scaled_data", changed=False, kept=True),
    search=New("search"),
)
_copy_search = Function(
    "s2fs_search_copy",
    search=Given("search"),
    data=Given("scaled_data", changed=False, kept=True),
    made=New("search"),
)
_add = Function("s2fs_search_add", search=Given("search"), feature=Int())
_find_best = Function(
    "s2fs_search_best",
    search=Given("search"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
    alphas=Array(np.float64, "n_weightings"),
    betas=Array(np.float64, "n_weightings"),
    n_weightings=Length(),
    at_least=Real(),
    n_threads=Int(),
    features=Array(np.int64, "n_weightings", writable=True),
    scores=Array(np.float64, "n_weightings", 5, writable=True),
)
_add_best = Function(
    "s2fs_search_add_best",
    search=Given("search"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
    alpha=Real(),
    beta=Real(),
    n_threads=Int(),
    feature=Array(np.int64, 1, writable=True),
    score=Array(np.float64, 5, writable=True),
)
_best_group = Function(
    "s2fs_search_best_group",
    search=Given("search", changed=False),
    members=Array(np.int64, "n_members"),
    n_members=Length(),
    starts=Array(np.int64, "n_starts"),
    n_starts=Length(),
    alpha=Real(),
    beta=Real(),
    n_threads=Int(),
    group=Array(np.int64, 1, writable=True),
    score=Array(np.float64, 5, writable=True),
)
_score = Function(
    "s2fs_search_score",
    search=Given("search"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
    n_threads=Int(),
    components=Array(np.float64, 4, "n_candidates", writable=True),
)
_row_sums = Function(
    "s2fs_search_row_sums",
    search=Given("search"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
    n_threads=Int(),
    sums=Array(np.float64, 2, "n_candidates", writable=True),
)
_separation = Function(
    "s2fs_search_separation",
    search=Given("search"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
    lambdas=Array(np.float64, 2, "n_candidates", writable=True),
)
_bounds = Function(
    "s2fs_search_bounds",
    search=Given("search"),
    candidates=Array(np.int64, "n_candidates"),
    n_candidates=Length(),
    alpha=Real(),
    beta=Real(),
    level=Int(),
    bounds=Array(np.float64, "n_candidates", writable=True),
)
_skip = Function("s2fs_search_skip", search=Given("search"), level=Int())
#: What the library says instead of a candidate if no score is a number.
_NO_NUMBER = -1
#: How far the bounds of a candidate are refined before it is scored, in their order.
LEVELS = ("carried", "sums", "roots", "separation", "screen")


class NativeState:
    """The state of a growing subset in the native library, empty at first.

    Beyond the input it holds one float32 copy of the scaled data, if that is dense, and 24 bytes
    per sample and class.

    Parameters
    ----------
    problem : Problem
        The data.
    centroid_membership : {"published", "normalized"}
        The variant of Eq. 20.
    compactness : {"mean", "rms"}
        What Θ_dis is of the distances to the own centroids.
    n_threads : int
        The candidates of a long step are shared out to that many threads.
    """

    def __init__(
        self,
        problem: Problem,
        centroid_membership: CentroidMembership = "published",
        compactness: Compactness = "mean",
        n_threads: int = 1,
    ) -> None:
        if load() is None:
            raise RuntimeError("there is no native library.")
        self.problem = problem
        self.n_threads = n_threads
        self._data = _new_data(
            make_table(problem.X), np.ascontiguousarray(problem.codes, np.int64),
            *(
                np.ascontiguousarray(numbers, np.float64)
                for numbers in (
                    problem.weight, problem.lower, problem.width, problem.on_centroid,
                    problem.centroids,
                )
            ),
            problem.unit, centroid_membership != "normalized", compactness == "rms",
        )  # fmt: skip
        self._search = _new_search(self._data)

    def best(self, candidates: Indices, weights: Weights) -> tuple[int, float, Floats]:
        """The candidate with the largest Sep, that Sep, and its components.

        Of candidates that differ by less than 1e-10 of their Sep the first one is taken.
        """
        return self.best_of_each(candidates, [weights])[0]

    def best_of_each(
        self, candidates: Indices, weightings: list[Weights]
    ) -> list[tuple[int, float, Floats]]:
        """The same for each weighting (alpha, beta); they share what is found out."""
        features, scores = self._find_best(candidates, weightings)
        best = zip(features.tolist(), scores[:, 0].tolist(), scores[:, 1:], strict=True)
        return list(best)

    def best_score(self, candidates: Indices, weights: Weights, at_least: float) -> float:
        """The largest Sep of the candidates, or −∞ if none is ``at_least`` that large."""
        features, scores = self._find_best(candidates, [weights], at_least)
        return float(scores[0, 0]) if features[0] >= 0 else -np.inf

    def _find_best(
        self, candidates: Indices, weightings: list[Weights], at_least: float = 0.0
    ) -> tuple[Indices, Floats]:
        alphas, betas = np.array(weightings, np.float64).T.copy()
        features, scores = np.empty(len(weightings), np.int64), np.empty((len(weightings), 5))
        _find_best(
            self._search, np.ascontiguousarray(candidates, np.int64), alphas, betas, at_least,
            self.n_threads, features, scores,
        )  # fmt: skip
        if (features == _NO_NUMBER).any():
            raise no_number()
        return features, scores

    def add_best(self, candidates: Indices, weights: Weights) -> tuple[int, float, Floats]:
        """Let the best candidate join; what :meth:`best` says of it."""
        feature, score = np.empty(1, np.int64), np.empty(5)
        _add_best(
            self._search, np.ascontiguousarray(candidates, np.int64), *weights, self.n_threads,
            feature, score,
        )  # fmt: skip
        if feature[0] < 0:
            raise no_number()
        return int(feature[0]), float(score[0]), score[1:]

    def best_group(
        self, groups: Sequence[Sequence[int]], weights: Weights
    ) -> tuple[int, float, Floats]:
        """The position of the group with the largest Sep, that Sep, and its components."""
        group, score = np.empty(1, np.int64), np.empty(5)
        _best_group(self._search, *list_members(groups), *weights, self.n_threads, group, score)
        if group[0] < 0:
            raise no_number()
        return int(group[0]), float(score[0]), score[1:]

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each pair (alpha, beta) the candidates with the ``n_best`` largest Sep."""
        if n_best > 1:  # the bounds rule out all but one
            return best_scored(candidates, self.score(candidates), weights, n_best)
        return [np.array([feature]) for feature, _, _ in self.best_of_each(candidates, weights)]

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        found = np.empty((4, len(candidates)))
        _score(self._search, np.ascontiguousarray(candidates, np.int64), self.n_threads, found)
        return Components(*found)

    def row_sums(self, candidates: Indices) -> Floats:
        """The weighted sums over the samples that Θ_dis and Θ_dir are made of."""
        found = np.empty((2, len(candidates)))
        _row_sums(self._search, np.ascontiguousarray(candidates, np.int64), self.n_threads, found)
        return found

    def separation(self, candidates: Indices) -> Floats:
        """Λ_dis and Λ_dir of the subset joined by each candidate."""
        found = np.empty((2, len(candidates)))
        _separation(self._search, np.ascontiguousarray(candidates, np.int64), found)
        return found

    def upper_bounds(self, candidates: Indices, weights: Weights, level: str) -> Floats:
        """The upper bounds of Sep that rule out candidates, refined to one of LEVELS."""
        found = np.empty(len(candidates))
        _bounds(
            self._search, np.ascontiguousarray(candidates, np.int64), *weights,
            LEVELS.index(level), found,
        )  # fmt: skip
        return found

    def skip(self, level: str) -> None:
        """Leave out one of LEVELS from now on, to measure what it saves; the choice is the same."""
        _skip(self._search, LEVELS.index(level))

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        _add(self._search, feature)

    def copy(self) -> "NativeState":
        """An independent state of the same subset, on the same data."""
        copied = copy(self)
        copied._search = _copy_search(self._search, self._data)
        return copied
