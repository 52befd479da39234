"""What all baselines share: scaled data in, a ranked list out, and parts of their docstrings."""

from abc import abstractmethod
from inspect import cleandoc
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context

from s2fs._engine.twins import OverallCorrelations, Twins
from s2fs._search.choices import n_features_to_choose
from s2fs._selectors.base import RankingSelector, SearchSelector
from s2fs._util.types import Floats, HowMany, Indices

#: What stands in the docstring of a baseline for ``{name}`` on a line of its own.
_SHARED_DOCS = {
    "n_features_to_select": """\
n_features_to_select : int, float or "all", default=10
    How many features to choose, or which fraction of them; all if there are fewer.""",
    "max_correlation": """\
max_correlation : float, default=None
    Features whose correlation |r| with one chosen before is above this, from 0 to 1, are passed
    over, so no two chosen features repeat each other; all others keep their order and their
    scores. If too few are left, fewer are chosen, with a warning. ``None`` allows any.""",
    "indices_": """\
indices_ : ndarray of shape (n_selected,)
    The chosen features in order of choice.""",
    "ranking_": """\
ranking_ : ndarray of shape (n_features_in_,)
    Rank of each feature, 1 for the first chosen; features that were not chosen share the rank
    ``n_selected + 1``.""",
    "completion": """\
completion : {"importance", "index", "published", "restart"}, default="importance"
    What follows where the search stops. {completions}""",
    "completions": """\
"importance" is fair: the search goes on while its
    criterion rises, then the other features follow by their own score. "index" appends the others
    in the order of the columns, which says nothing about them. "published" is the rule that comes
    nearest to the numbers of the S²FS paper, here "{published_completion}". "restart" searches
    again among the features that are left, group after group.""",
}


class Ranked(NamedTuple):
    """A ranked list.

    Attributes
    ----------
    indices : ndarray of shape (k,)
        The features in order of choice.
    scores : ndarray of shape (k,)
        The criterion after each choice, larger is better; for a feature that was appended by
        importance, its importance. Finite.
    peak : int
        How many features the original algorithm would have returned, at most ``k``.
    """

    indices: Indices
    scores: Floats
    peak: int


class Baseline(RankingSelector):
    """Base of the baselines: min–max scaling, constant features last, and where to stop.

    A subclass implements ``_rank_varying``, usually through ``complete`` in ``_completion.py``.
    Scores are turned so that larger is better, also where the literature minimises. In its
    docstring ``{status}``, ``{citation}``, ``{n_features_to_select}``, ``{max_correlation}``,
    ``{completion}``, ``{indices_}`` and ``{ranking_}`` are filled in. One with parameters of its
    own has a constructor that also sets the two of this one.

    Attributes
    ----------
    peak_ : int
        The number of features at which the original algorithm would have stopped, without those
        that ``max_correlation`` has passed over. Where it does not stop by itself within the list,
        or never stops, the number of ranked features that are not constant.
    status : str
        How sure the algorithm is: "confirmed", "partly reconstructed", "reconstructed" or
        "stand-in", for a ranking that only comes near to published numbers; or "wrapper", for a
        well-known method on another library.
    citation : str
        Where the algorithm was published.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RankingSelector._parameter_constraints,
        "max_correlation": SearchSelector._parameter_constraints["max_correlation"],
    }
    status: ClassVar[str]
    citation: ClassVar[str]
    #: Whether the whole list takes no longer than its beginning.
    _ranks_all: ClassVar[bool] = False

    def __init__(
        self, n_features_to_select: HowMany = 10, *, max_correlation: float | None = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__doc__ is None:  # as with python -OO
            return
        own = {
            name: getattr(cls, name, "") for name in ("status", "citation", "published_completion")
        }
        doc = cleandoc(cls.__doc__)
        for name, text in {**_SHARED_DOCS, **own}.items():
            doc = doc.replace(f"{{{name}}}", text)
        cls.__doc__ = doc

    @abstractmethod
    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        """Rank the best ``k`` features of data without constant columns.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Each column min–max scaled to [0, 1] and contiguous; none constant.
        codes : ndarray of shape (n_samples,)
            Class of each instance, 0 to ``n_classes - 1``.
        k : int
            How many features to rank, between 1 and ``n_features``.
        """

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Rank the features of ``X`` by how well they tell the classes ``y`` apart.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numeric features without missing values.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.

        Returns
        -------
        Self
            The fitted selector.
        """
        X, y = self._validate(X, y)
        codes = self._encode(y)
        k = n_features_to_choose(self.n_features_to_select, X.shape[1])
        return self._set_ranking(*self._rank(X, codes, k))._warn_of_fragile(X, codes)

    def _rank(self, X: NDArray[Any], codes: Indices, k: int) -> tuple[Indices, Floats]:
        """The features in order of choice and their scores; constant ones come last."""
        # Halves are exact, and keep the range of a column finite where its ends are huge.
        halves = np.asfortranarray(X, dtype=np.float64) / 2
        low = halves.min(axis=0)
        span = halves.max(axis=0) - low
        varying = np.flatnonzero(span > 0)
        ranked = Ranked(varying[:0], np.zeros(0), 0)
        if len(varying):
            halves -= low
            scaled = np.asfortranarray(halves[:, varying] / span[varying])
            ranked = self._rank_apart(scaled, codes, min(k, len(varying)))
        self.peak_ = ranked.peak
        # A constant feature tells no instances apart: it scores 0 and comes last, by index.
        constant = np.flatnonzero(span <= 0)[: k - len(ranked.indices)]
        indices = np.concatenate([varying[ranked.indices], constant])
        self._warn_of_too_few(len(indices), k)
        return indices, np.concatenate([ranked.scores, np.zeros(len(constant))])

    def _rank_apart(self, X: Floats, codes: Indices, k: int) -> Ranked:
        """As ``_rank_varying``, but past features that repeat one before them."""
        if self.max_correlation is None:
            return self._rank_varying(X, codes, k)
        m, twins = X.shape[1], Twins(OverallCorrelations(X), self.max_correlation)
        n_ranked = m if self._ranks_all else k
        while True:
            ranked = self._rank_varying(X, codes, n_ranked)
            taken = _first_apart(ranked.indices, k, twins)
            if len(taken) == k or n_ranked == m:
                break
            n_ranked = min(2 * n_ranked, m)  # to rank all is slow for some
        peak = int(np.searchsorted(taken, ranked.peak))
        return Ranked(ranked.indices[taken], ranked.scores[taken], peak)


def _first_apart(features: Indices, k: int, twins: Twins) -> Indices:
    """The places of the first ``k`` features that are no twins of one taken before."""
    taken: list[int] = []
    out: set[int] = set()
    for place, feature in enumerate(features.tolist()):
        if feature not in out:
            taken.append(place)
            if len(taken) == k:
                break
            out.update(twins(feature).tolist())
    return np.array(taken, dtype=np.intp)
