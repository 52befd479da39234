"""Selection that is repeated on many subsamples: which features are selected, and how often."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, Self

import narwhals as nw
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import _fit_context, clone
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt
from sklearn.utils.validation import column_or_1d, has_fit_parameter

from s2fs._utils.dask_inputs import compute_dask
from s2fs._utils.labels import reject_quantity
from s2fs._utils.messages import format_count
from s2fs._utils.public import set_module
from s2fs._utils.stability import false_selections_bound, stability
from s2fs._utils.training_rows import TrainingRows
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs._utils.warn import warn_user
from s2fs.criteria.covariates import check_complete, encode_covariates
from s2fs.search.constraints import resolve_n_features
from s2fs.search.permutation import Permutations
from s2fs.search.samples import Samples, check_groups
from s2fs.selectors.base import (
    RankingSelector,
    check_fit_arguments,
    features_in_order,
    fit_selector,
    list_given,
)
from s2fs.selectors.callbacks import CallbackSupportMixin, iterate_with_callbacks
from s2fs.selectors.pair_cover import PairCover


@set_module("s2fs")
class StabilitySelector(CallbackSupportMixin, RankingSelector):
    """Select the features that a selector selects again and again on parts of the samples.

    The selector is fitted on many random subsamples, each with the classes in the shares they
    have in the data. Features are ranked by their selection frequency.

    Parameters
    ----------
    n_features_to_select : int, float or "all", default=None
        How many of the most frequent features to select: a number, a fraction of the features in
        (0, 1], or all. ``None`` is as many as ``selector`` selects, on average if that varies.
    selector : estimator, default=None
        What selects features on each subsample: any selector with ``indices_`` after ``fit``, such
        as those of this package, or with ``scores_``, such as SelectKBest; it is cloned. ``None``
        is :class:`PairCover` with ``n_features_to_select``, or 10 features.
    n_resamples : int, default=50
        The number of subsamples, at least two. Up to a ``sample_fraction`` of 0.5 they come in
        pairs that share no sample.
    sample_fraction : float, default=0.5
        The share of each class that is drawn, without replacement; at least two samples, or one if
        the class has no more.
    threshold : float, default=None
        Select only features with at least this selection frequency, so there may be fewer than
        ``n_features_to_select``, or none.
    n_permutations : int, default=1
        How many times everything is repeated with permuted samples, to see how often features are
        selected when labels are permuted. A list of N features has no q-value below
        1 / (N n_permutations): short lists take more permutations. With 0 there are no q-values.
    n_jobs : int, default=None
        Number of threads; subsamples run side by side. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the subsamples.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features_in_,)
        Per feature its selection frequency: the share of the subsamples in which it was selected.
    mean_ranks_ : ndarray of shape (n_features_in_,)
        Per feature its mean rank over the subsamples, 1 for the first selected; where it was not
        selected it counts as one more than the number that was.
    stability_ : Stability or None
        Nogueira's index of how well the selected sets agree, with its interval; see
        :func:`s2fs.evaluation.stability`. None if all features or none were selected every time,
        where the index has no meaning.
    q_values_ : ndarray of shape (n_features_in_,)
        Per feature the estimated share of false ones among all features that are selected as often,
        or the lowest such share among longer lists, at most 1. Select features up to a q-value of
        0.1 to have about 10 % false ones. 1 for constant features. NaN without permutations.
    q_value_floor_ : float
        The q-value of features that were selected more often than any in the permutations. It says
        that much and no more: its size follows from ``n_permutations`` and the number of such
        features. NaN if there are none, or no permutations.
    false_selections_ : float
        Estimated number of false selections. NaN without permutations.
    false_selections_bound_ : float
        A bound on the expected number of false selections, by Shah and Samworth: features that are
        selected less often than the mean feature on subsamples, but selected here. It needs no
        permutations, and an even number of halves (``sample_fraction=0.5``) of classes of four
        samples or more. NaN where there is no bound, or none below the number of selected
        features.
    selected_ : list of ndarray
        For each subsample the selected features in order of selection.
    indices_ : ndarray of shape (n_selected,)
        The selected features, the most frequent first.
    scores_ : ndarray of shape (n_selected,)
        Their selection frequencies.
    ranking_, support_, classes_, n_features_in_, feature_names_in_
        As for :class:`S2FS`.

    See Also
    --------
    s2fs.plotting.plot_stability : The frequencies as a picture.

    Notes
    -----
    Of features with equal frequency the one with the smaller mean rank goes first, then the
    smaller index. Subsamples share rows, so the interval of the index is narrower than that of
    independent samples would be.

    With N(t) features that have a frequency of t or more, and M(t) such features on average over
    the permutations, the estimated share of false ones is (M(t) + 1 / n_permutations) / N(t).
    Constant features are left out of both.

    References
    ----------
    N. Meinshausen, P. Bühlmann, "Stability selection", Journal of the Royal Statistical Society B
    72(4), 2010. R. D. Shah, R. J. Samworth, "Variable selection with error control: another look at
    stability selection", Journal of the Royal Statistical Society B 75(1), 2013. S. Nogueira, K.
    Sechidis, G. Brown, "On the stability of feature selection algorithms", Journal of Machine
    Learning Research 18(174), 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS, StabilitySelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> stable = StabilitySelector(selector=S2FS(3), n_resamples=20).fit(X, y)
    >>> stable.indices_.tolist(), stable.scores_.tolist()
    ([6, 9, 0], [1.0, 0.7, 0.65])
    >>> round(stable.stability_.value, 2)
    0.61
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
    #: What pipelines may route to ``fit``, beside what it names.
    __metadata_request__fit: ClassVar[dict[str, None]] = {"sample_weight": None, "covariates": None}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            None,
            *RankingSelector._parameter_constraints["n_features_to_select"],
        ],
        "selector": [HasMethods(["fit"]), None],
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
        "sample_fraction": [Interval(RealNotInt, 0, 1, closed="neither")],
        "threshold": [Interval(RealNotInt, 0, 1, closed="right"), None],
        "n_permutations": [Interval(Integral, 0, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: HowMany | None = None,
        *,
        selector: Any = None,
        n_resamples: int = 50,
        sample_fraction: float = 0.5,
        threshold: float | None = None,
        n_permutations: int = 1,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.selector = selector
        self.n_resamples = n_resamples
        self.sample_fraction = sample_fraction
        self.threshold = threshold
        self.n_permutations = n_permutations
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> Self:
        """Select on every subsample and count.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numeric features without missing values; sparse if ``selector`` takes it.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.
        groups : array-like of shape (n_samples,), default=None
            Samples that belong together, such as those of one patient, are drawn together: the
            groups of each class are drawn in place of its samples. They are permuted as in "auto",
            see :meth:`S2FS.fit`, and handed on to a ``selector`` that takes them.
        **params : dict of str to array-like of shape (n_samples,)
            What ``selector`` gets beside X, if it takes it: ``sample_weight``, ``covariates``.

        Returns
        -------
        Self
            The fitted selector.
        """
        return self._fit(X, y, groups=groups, **params)

    @_fit_context(prefer_skip_nested_validation=False)
    def _fit(self, X: Any, y: Any, *, groups: Any = None, warn: bool = True, **params: Any) -> Self:
        """Do what :meth:`fit` does; a fit that is one of many does not warn of what it selects."""
        X, y, groups = compute_dask(X, y, groups)
        frame = X
        X, y = self._validate(X, y)
        if warn:
            reject_quantity(y)
        codes, values = self._encode(y), X
        if hasattr(self, "feature_names_in_"):
            X = frame  # the selector may know features by name
        features = self._find_features()
        wanted = self.n_features_to_select
        k = None if wanted is None else resolve_n_features(wanted, features.n)
        base = self.selector if self.selector is not None else PairCover(k or min(10, features.n))
        self._fitted_with = list_given(**params)
        arguments = check_fit_arguments(base, params, len(y))
        samples = self._samples(values, codes, arguments, groups)
        if groups is not None and has_fit_parameter(base, "groups"):
            arguments["groups"] = column_or_1d(groups)
        rng = check_random_state(self.random_state)
        subsamples = list(self._subsamples(codes, samples.groups, rng))
        sources = [(X, np.arange(len(y))), *self._permuted(X, samples, rng)]
        training_rows = TrainingRows()

        def select_on(source: tuple[Any, Indices], drawn: NDArray[np.bool_]) -> Indices:
            """The features a fresh selector selects on the drawn samples, in order."""
            table, rows = source
            some = {name: given[drawn] for name, given in arguments.items()}
            subsample = training_rows.take(table, rows[drawn])
            selector = fit_selector(clone(base), subsample, y[drawn], some)
            order = features_in_order(selector)
            if order is None:
                raise ValueError(
                    f"selector is a {type(selector).__name__}, which has no indices_ and no "
                    "scores_ after fit; give one that ranks features, such as PairCover."
                )
            return order

        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        tasks = (delayed(select_on)(source, drawn) for source in sources for drawn in subsamples)
        n_tasks = len(sources) * self.n_resamples
        selected = list(iterate_with_callbacks(self, run(tasks), n_tasks, "subsamples"))
        self.selected_ = selected[: self.n_resamples]
        sets = [features.find(one) for one in selected]  # columns of one feature count once
        observed, permuted = sets[: self.n_resamples], sets[self.n_resamples :]
        frequencies, mean_ranks = self._count(observed, features.n)
        order = np.lexsort((np.arange(features.n), mean_ranks, -frequencies))
        if k is None:
            k = round(float(np.mean([len(one) for one in observed])))
        chosen = order[:k]
        if self.threshold is not None:
            chosen = chosen[frequencies[chosen] >= self.threshold]
            if warn and not len(chosen):
                warn_user(
                    f"No feature was selected in a share of {self.threshold} of the subsamples, so "
                    f"none is selected; the highest share is {frequencies.max():.2f}.",
                )
        varying = np.zeros(features.n, dtype=bool)
        varying[features.of_column[_varying(values)]] = True
        q_values = self._estimate_false_selections(chosen, observed, permuted, varying)
        self._bound_false_selections(chosen, observed, subsamples, varying)
        self.frequencies_, self.mean_ranks_, self.q_values_ = (
            of_feature[features.of_column] for of_feature in (frequencies, mean_ranks, q_values)
        )
        indices, _ = features.expand(chosen)
        self._set_ranking(indices, self.frequencies_[indices], features)
        if warn:
            self._warn_fragile(values, codes)
        return self

    def _estimate_false_selections(
        self,
        indices: Indices,
        observed: list[Indices],
        permuted: list[Indices],
        varying: NDArray[np.bool_],
    ) -> Floats:
        """The q-value of each feature; sets how many of the selected ones are false by them."""
        m, n = len(varying), self.n_resamples
        self.q_value_floor_ = self.false_selections_ = np.nan
        n_permutations = len(permuted) // n
        if not n_permutations:
            # So few samples have no other order: nothing is shown.
            return np.full(m, 1.0 if self.n_permutations else np.nan)
        by_chance = np.concatenate(
            [_counts(permuted[i : i + n], m)[varying] for i in range(0, len(permuted), n)]
        )
        counts = _counts(observed, m)
        at_least = np.arange(n + 1)[:, None]
        n_real = (counts[varying] >= at_least).sum(axis=1)
        n_permuted = (by_chance >= at_least).sum(axis=1)
        n_false = (1 + n_permuted) / n_permutations
        share = np.minimum(1.0, n_false / np.maximum(n_real, 1))
        q_values = np.where(varying, np.minimum.accumulate(share)[counts], 1.0)
        beyond = n_real[n_permuted == 0]
        if len(beyond) and beyond[0]:
            self.q_value_floor_ = float(min(1.0, 1 / (n_permutations * beyond[0])))
        lowest = counts[indices].min() if len(indices) else n
        n_constant = np.count_nonzero(~varying[indices])
        n_false_varying = float(n_false[lowest]) if len(indices) else 0.0
        self.false_selections_ = min(float(len(indices)), n_false_varying + n_constant)
        return q_values

    def _bound_false_selections(
        self,
        indices: Indices,
        observed: list[Indices],
        subsamples: list[NDArray[np.bool_]],
        varying: NDArray[np.bool_],
    ) -> None:
        """Set the bound on the number of selected features that are false, NaN if it says nothing.

        It holds for pairs of subsamples that share no sample, each of half of the samples.
        """
        self.false_selections_bound_ = np.nan
        n_pairs, odd = divmod(self.n_resamples, 2)
        pairs = zip(subsamples[::2], subsamples[1::2], strict=False)
        halves = self.sample_fraction == 0.5 and not odd
        if not len(indices):
            self.false_selections_bound_ = 0.0
        elif halves and not any((first & second).any() for first, second in pairs):
            counts = _counts(observed, len(varying))
            bound = false_selections_bound(
                int(varying.sum()),
                float(counts[varying].sum()) / self.n_resamples,
                n_pairs,
                int(counts[indices].min()),
            )
            if bound < len(indices):
                self.false_selections_bound_ = bound

    def _samples(
        self, X: Any, codes: Indices, arguments: dict[str, NDArray[Any]], groups: Any
    ) -> Samples:
        """What the permutations have to know of the samples."""
        covariates = None
        if (table := arguments.get("covariates")) is not None:
            check_complete(X)
            covariates = encode_covariates(table, codes)
        numbers = None if groups is None else check_groups(groups, len(codes))
        return Samples(X, codes, arguments.get("sample_weight"), covariates, numbers)

    def _permuted(
        self, X: Any, samples: Samples, rng: np.random.RandomState
    ) -> Iterator[tuple[Any, Indices]]:
        """For each permutation a table, and for each sample the row of it that it takes."""
        if not self.n_permutations:
            return
        permutations = Permutations(samples, self.n_permutations, rng)
        given = [name for name in ("covariates", "groups") if getattr(samples, name) is not None]
        if given and len(permutations) < self.n_permutations:
            raise ValueError(
                f"{' and '.join(given)} allow "
                f"{format_count(1 + len(permutations), 'distinct order')} of the samples, but "
                f"n_permutations={self.n_permutations}; give n_permutations={len(permutations)}, "
                f"or leave {' or '.join(given)} out."
            )
        moves_rows = samples.covariates is None or not samples.covariates.has_numbers
        for order in permutations.orders:
            if moves_rows:
                yield X, order
            else:  # what covariates explain stays, so the table is another one
                yield _like(X, permutations.apply(order).X), np.arange(len(order))

    def _subsamples(
        self, codes: Indices, groups: Indices | None, rng: np.random.RandomState
    ) -> Iterator[NDArray[np.bool_]]:
        """A mask of the samples of each subsample, with every class in its share.

        Groups are drawn from those that have a sample of the class; without groups a sample is one.
        Every second subsample has none of those before it, as far as a class is large enough.
        """
        group_of = np.arange(len(codes)) if groups is None else groups
        members = [np.unique(group_of[codes == q]) for q in range(len(self.classes_))]
        in_pairs = self.sample_fraction <= 0.5
        in_turn = members
        for i in range(self.n_resamples):
            if not in_pairs or i % 2 == 0:
                in_turn = [rng.permutation(of_class) for of_class in members]
            else:
                in_turn = [of_class[::-1] for of_class in in_turn]
            drawn = [of_class[: self._n_drawn(len(of_class))] for of_class in in_turn]
            yield np.isin(group_of, np.concatenate(drawn))

    def _n_drawn(self, n: int) -> int:
        """How many of the ``n`` samples of a class are drawn."""
        share = round(self.sample_fraction * n)
        if self.sample_fraction <= 0.5:
            share = min(share, n // 2)
        return max(min(2, n), share)

    def _count(self, sets: list[Indices], m: int) -> tuple[Floats, Floats]:
        """Frequencies and mean ranks of ``m`` features in the selected sets; sets the index."""
        n, ranks = len(sets), np.zeros(m)
        for selected in sets:
            rank = np.full(m, len(selected) + 1)
            rank[selected] = np.arange(1, len(selected) + 1)
            ranks += rank
        frequencies = _counts(sets, m) / n
        always_alike = frequencies.min() == 1 or frequencies.max() == 0
        self.stability_ = None if always_alike else stability(sets, m)
        return frequencies, ranks / n

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        columns = {"frequency": self.scores_, "mean_rank": self.mean_ranks_[self.indices_]}
        if self.n_permutations:
            columns["q_value"] = self.q_values_[self.indices_]
        return columns

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.selector is not None:
            tags.input_tags.sparse = get_tags(self.selector).input_tags.sparse
        return tags


def _varying(X: Any) -> NDArray[np.bool_]:
    """Mask of the features that are not constant."""
    if issparse(X):
        ends = X.max(axis=0), X.min(axis=0)
        highest, lowest = (np.asarray(end.toarray()).ravel() for end in ends)
    else:
        highest, lowest = X.max(axis=0), X.min(axis=0)
    return np.asarray(highest > lowest)


def _like(frame: Any, values: NDArray[Any]) -> Any:
    """The values as a data frame of the same kind and with the same names, if it is one."""
    given = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(given, nw.DataFrame):
        return values
    return nw.from_numpy(values, schema=given.columns, backend=given.implementation).to_native()


def _counts(selected: list[Indices], m: int) -> Indices:
    """How often each of ``m`` features is in one of the sets."""
    return np.bincount(np.concatenate(selected), minlength=m)
