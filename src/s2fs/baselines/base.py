"""What all baselines share: scaled data in, a ranked list out, and parts of their docstrings."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from inspect import cleandoc
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import _fit_context

from s2fs._native.correlated_features import CorrelatedFeatures
from s2fs._native.correlations import OverallCorrelations
from s2fs._utils.features import Features
from s2fs._utils.labels import reject_quantity
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.criteria.problem import blocks, find_range
from s2fs.search.constraints import resolve_n_features
from s2fs.selectors.base import RankingSelector
from s2fs.selectors.search_selector import SearchSelector

#: How sure a baseline can be of its algorithm, see :class:`Baseline`.
STATUSES = ("confirmed", "partly reconstructed", "reconstructed", "stand-in", "wrapper")
#: What stands in the docstring of a baseline for ``{name}`` on a line of its own.
_SHARED_DOCS = {
    "n_features_to_select": """\
n_features_to_select : int, float or "all", default=10
    How many features to select, or which fraction of them; all if there are fewer.""",
    "max_correlation": """\
max_correlation : float, default=None
    Features whose correlation |r| with one selected before is above this, from 0 to 1, are
    skipped, so no two selected features repeat each other; all others keep their order and their
    scores. If too few are left, fewer are selected, with a warning. ``None`` allows any.""",
    "feature_groups": """\
feature_groups : list of lists, or a label per column, default=None
    Columns that are one feature, such as the levels of a category: it has the place of the best of
    them, is selected as a whole and counts as one. By column name or position; or for each column
    the label of its group, None for none.""",
    "indices_": """\
indices_ : ndarray of shape (n_selected,)
    The selected columns in order of selection.""",
    "ranking_": """\
ranking_ : ndarray of shape (n_features_in_,)
    Rank of the feature of each column, 1 for the first selected; those that were not selected share
    the next rank.""",
}


class Ranked(NamedTuple):
    """A ranked list.

    Attributes
    ----------
    indices : ndarray of shape (k,)
        The features in order of selection.
    scores : ndarray of shape (k,)
        The criterion after each step, larger is better; for a feature that was appended by
        importance, its importance. Finite.
    peak : int
        How many features the original algorithm would have returned, at most ``k``.
    """

    indices: Indices
    scores: Floats
    peak: int


class ScaledColumns:
    """A table whose columns are scaled to [0, 1] when they are asked for.

    Parameters
    ----------
    X : ndarray or csc_array of shape (n_samples, n_features)
        Finite numbers.
    value_range : tuple of ndarray of shape (n_features,), optional
        The smallest and the largest value of each feature, if they are known.

    Attributes
    ----------
    X : ndarray or csc_array of shape (n_samples, n_features)
        The table as it is.
    varying : ndarray of shape (n_varying,)
        The columns that are not constant.
    """

    def __init__(self, X: Any, value_range: tuple[Floats, Floats] | None = None) -> None:
        self.X = X
        lower, upper = find_range(X) if value_range is None else value_range
        # Halves are exact, and keep the range of a column finite where its ends are huge.
        self._lower = lower / 2
        self._span = upper / 2 - self._lower
        self.varying = np.flatnonzero(self._span > 0)

    @cached_property
    def values(self) -> Floats:
        """The columns that vary, scaled: the only copy of the table."""
        return self.scaled(np.arange(len(self.varying)))

    def scaled(self, places: Indices) -> Floats:
        """Some of the columns that vary, scaled and each contiguous."""
        n = self.X.shape[0]
        values = np.empty((n, len(places)), order="F")
        for some in blocks(np.arange(len(places)), n):
            columns = self.varying[places[some]]
            part = self.X[:, columns]
            part = part.toarray() if issparse(part) else part
            halves = part.astype(np.float64, copy=False) / 2
            halves -= self._lower[columns]
            values[:, some] = halves / self._span[columns]
        return values


class Baseline(RankingSelector):
    """Base of the baselines: min–max scaling, constant features last, and where to stop.

    A subclass implements ``_rank_varying``, and :func:`s2fs.baselines.check_baseline` tells whether
    it keeps the contract. Scores are turned so that larger is better, also where the literature
    minimises. In its docstring ``{status}``, ``{citation}``, ``{n_features_to_select}``,
    ``{max_correlation}``, ``{feature_groups}``, ``{indices_}`` and ``{ranking_}`` are filled in.
    One with parameters of its own has a constructor that also sets the three of this one.

    Parameters
    ----------
    n_features_to_select : int, float or "all", default=10
        How many features to select, or which fraction of them.
    max_correlation : float, default=None
        Features whose correlation |r| with one selected before is above this are skipped.
    feature_groups : list of lists, or a label per column, default=None
        Columns that are one feature.

    Attributes
    ----------
    peak_ : int
        The number of features at which the original algorithm would have stopped, without those
        that ``max_correlation`` has skipped. Where it does not stop by itself within the list,
        or never stops, the number of ranked features that are not constant.
    status : str
        How sure the algorithm is: "confirmed", "partly reconstructed", "reconstructed" or
        "stand-in", for a ranking that only comes near to published numbers; or "wrapper", for a
        well-known method on another library.
    citation : str
        Where the algorithm was published.
    package : str or None
        The package that it needs beside those of s2fs itself.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RankingSelector._parameter_constraints,
        "max_correlation": SearchSelector._parameter_constraints["max_correlation"],
        "feature_groups": SearchSelector._parameter_constraints["feature_groups"],
    }
    status: ClassVar[str]
    citation: ClassVar[str]
    package: ClassVar[str | None] = None
    #: Whether the whole list takes no longer than its beginning.
    _ranks_all: ClassVar[bool] = False

    def __init__(
        self,
        n_features_to_select: HowMany = 10,
        *,
        max_correlation: float | None = None,
        feature_groups: Iterable[Any] | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("s2fs.baselines.") and not cls.__name__.startswith("_"):
            cls.__module__ = "s2fs.baselines"
        if cls.__doc__ is None:  # as with python -OO
            return
        own = {name: getattr(cls, name, "") for name in ("status", "citation")}
        cls.__doc__ = fill_in(cleandoc(cls.__doc__), {**_SHARED_DOCS, **own})

    @abstractmethod
    def _rank_varying(self, X: Floats, codes: Indices, k: int) -> Ranked:
        """Rank the best ``k`` features of data without constant columns.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Each column min–max scaled to [0, 1] and contiguous; none constant.
        codes : ndarray of shape (n_samples,)
            Class of each sample, 0 to ``n_classes - 1``.
        k : int
            How many features to rank, between 1 and ``n_features``.
        """

    def fit(self, X: Any, y: Any = None) -> Self:
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
        return self._fit(X, y)

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Any, y: Any, *, warn: bool = True) -> Self:
        """Do what :meth:`fit` does; a fit that is one of many does not warn of what it selects."""
        X, y = self._validate(X, y)
        if warn:
            reject_quantity(y)
        codes = self._encode(y)
        features = self._find_features()
        k = resolve_n_features(self.n_features_to_select, features.n)
        self._set_ranking(*self._rank(X, codes, k, features), features)
        if warn:
            best = X[:, self.indices_[0]]  # constant features come last
            self._warn_if_constant(is_constant=bool(best.min() == best.max()))
            self._warn_if_short(self._n_selected, k)
            self._warn_fragile(X, codes)
        return self

    def _rank(
        self, X: NDArray[Any], codes: Indices, k: int, features: Features
    ) -> tuple[Indices, Floats]:
        """The columns in order of selection and their scores; constant features come last.

        A feature of several columns has the place and the score of the best of them.
        """
        table = self._make_table(X, codes)
        varying = table.varying
        ranked = Ranked(varying[:0], np.zeros(0), 0)
        of_column = features.of_column[varying]
        n_varying = features.n if len(varying) == X.shape[1] else len(np.unique(of_column))
        if len(varying):
            ranked = self._rank_apart(table, codes, min(k, n_varying), of_column)
        self.peak_ = ranked.peak
        # A constant feature tells no samples apart: it scores 0 and comes last, by index.
        constant = np.setdiff1d(np.arange(features.n), of_column)[: k - len(ranked.indices)]
        selected = np.concatenate([of_column[ranked.indices], constant])
        indices, ends = features.expand(selected)
        scores = np.concatenate([ranked.scores, np.zeros(len(constant))])
        return indices, np.repeat(scores, np.diff(ends))

    def _make_table(self, X: NDArray[Any], codes: Indices) -> ScaledColumns:
        """The table as ``_rank_columns`` gets it."""
        return ScaledColumns(X)

    def _rank_columns(self, table: ScaledColumns, codes: Indices, k: int) -> Ranked:
        """Rank as ``_rank_varying``; a method that needs no scaled copy overrides this."""
        return self._rank_varying(table.values, codes, k)

    def _rank_apart(
        self, table: ScaledColumns, codes: Indices, k: int, of_column: Indices
    ) -> Ranked:
        """Rank as ``_rank_columns`` does, but skip columns that repeat one before them.

        That is columns of the same feature, and of one that correlates too much.
        """
        m = len(table.varying)
        if self.max_correlation is None and len(np.unique(of_column)) == m:
            return self._rank_columns(table, codes, k)
        correlated_with = None
        if self.max_correlation is not None:
            correlations = OverallCorrelations(table.values)
            correlated_with = CorrelatedFeatures(correlations, self.max_correlation)
        n_ranked = m if self._ranks_all else k
        while True:
            ranked = self._rank_columns(table, codes, n_ranked)
            places = _find_first_apart(ranked.indices, k, correlated_with, of_column)
            if len(places) == k or n_ranked == m:
                break
            n_ranked = min(2 * n_ranked, m)  # to rank all is slow for some
        peak = int(np.searchsorted(places, ranked.peak))
        return Ranked(ranked.indices[places], ranked.scores[places], peak)


def fill_in(doc: str, texts: Mapping[str, str]) -> str:
    """A docstring with a text in the place of each ``{name}``."""
    for name, text in texts.items():
        doc = doc.replace(f"{{{name}}}", text)
    return doc


def _find_first_apart(
    columns: Indices, k: int, correlated_with: CorrelatedFeatures | None, of_column: Indices
) -> Indices:
    """The places of the first ``k`` features that correlate too much with none before.

    Of a feature of several columns that is the place of the first; all of them must be far enough.
    """
    places: list[int] = []
    too_close: set[int] = set()
    for place, column in enumerate(columns.tolist()):
        feature = int(of_column[column])
        if feature not in too_close:
            places.append(place)
            if len(places) == k:
                break
            too_close.add(feature)
            if correlated_with is not None:
                for own in np.flatnonzero(of_column == feature).tolist():
                    too_close.update(of_column[correlated_with(own)].tolist())
    return np.array(places, dtype=np.intp)
