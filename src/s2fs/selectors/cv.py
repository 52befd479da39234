"""A selection with the number of features, and more, chosen by cross-validation."""

from collections.abc import Callable, Sequence
from itertools import product
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import _fit_context, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

from s2fs._utils.dask_inputs import compute_dask
from s2fs._utils.features import Features
from s2fs._utils.folds import stratified_folds
from s2fs._utils.labels import reject_quantity
from s2fs._utils.messages import format_count
from s2fs._utils.public import set_module
from s2fs._utils.types import Floats, HowMany, Indices
from s2fs.criteria.separability import PAPER_GRID
from s2fs.search.constraints import resolve_constraints, resolve_n_features
from s2fs.selectors.base import (
    RankingSelector,
    check_fit_arguments,
    fit_selector,
    get_feature_groups,
    list_given,
)
from s2fs.selectors.callbacks import CallbackSupportMixin, iterate_with_callbacks
from s2fs.selectors.pair_cover import PairCover
from s2fs.selectors.paths import find_paths
from s2fs.selectors.prefixes import Split, choose_prefix, make_prefix_scorer, score_prefixes
from s2fs.selectors.s2fs import S2FS
from s2fs.selectors.search_selector import path_columns

#: The weights of S²FS.
_WEIGHTS = ("alpha", "beta")


@set_module("s2fs")
class SelectorCV(CallbackSupportMixin, RankingSelector):
    """Select features with what is left open chosen by cross-validation.

    In each fold the selector ranks the features on the training samples, and a classifier scores
    every number of first features on the test samples. The number that does best, or the smallest
    one that does as well, is then used for a selection on all samples. With :class:`S2FS` its
    weights are chosen, too, and of a list of selectors the one that does best.

    Parameters
    ----------
    n_features_to_select : "auto", int, float or "all", default="auto"
        How many features to select: chosen by cross-validation from 1 to ``max_features``; or a
        number, a fraction of the features in (0, 1], or "all", so that only the weights or the
        selector are chosen.
    selector : estimator or list of (str, estimator) tuples, default=None
        What ranks the features: any selector of this package; it is cloned, and its
        ``n_features_to_select`` is set. ``None`` is :class:`PairCover`. Of a list of selectors with
        their names, the one with the best score is chosen.
    max_features : int or float, default=50
        The largest number of features ``"auto"`` considers, or a fraction of the features; all
        of them if there are fewer.
    alphas, betas : sequence of float, default=the grid of the paper
        The weights to try if ``selector`` is an :class:`S2FS`; every alpha is combined with every
        beta.
    cv : int, splitter or iterable of splits, default=5
        The folds. A number stands for shuffled folds with the classes in equal shares, which also
        keep ``groups`` together if those are given to ``fit``.
    estimator : classifier or list of classifiers, default=None
        What scores the rankings, with features scaled to [0, 1] on the training samples. ``None``
        is ridge logistic regression, as in :func:`compare`, each number of features fitted from
        the one before it; it standardises the features. Of a list the mean score counts.
    scoring : str or callable, default="accuracy"
        What to make large: a name of scikit-learn's, or ``scorer(estimator, X, y)``.
    one_standard_error : bool, default=True
        Choose the smallest number of features whose mean score, with the weights or the selector
        of the best one, is within one standard error of it, instead of the best one itself.
    n_jobs : int, default=None
        Number of threads; folds run side by side. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds if ``cv`` is a number.

    Attributes
    ----------
    best_params_ : dict
        The chosen ``n_features_to_select``, with :class:`S2FS` also ``alpha`` and ``beta``, and of
        a list the name of the chosen ``selector``.
    best_score_ : float
        Their mean score over the folds. As the best of many it is optimistic; score the whole
        estimator by an outer cross-validation.
    best_index_ : int
        Their position in ``cv_results_``.
    cv_results_ : dict of str to ndarray
        As in scikit-learn's ``GridSearchCV``, one entry per weighting or selector, and number:
        ``param_alpha`` and ``param_beta`` or ``param_selector``, ``param_n_features_to_select``,
        ``split0_test_score``, …, ``mean_test_score``, ``std_test_score`` and ``rank_test_score``.
    selector_ : estimator
        The selector that was fitted on all rows.
    n_splits_ : int
        The number of folds.
    indices_, scores_, path_, ranking_, support_, classes_, n_features_in_, feature_names_in_
        As for :class:`S2FS`, of the selection on all rows.

    See Also
    --------
    s2fs_paths : The paths of the grid themselves.

    Notes
    -----
    Of equal scores the smallest number of features is taken, then the smallest alpha, then the
    smallest beta, or the first selector of a list. The standard error is that of the best score
    over the folds. Prefixes that several rankings share are scored once. If ``max_correlation`` of
    the selector leaves a fold with fewer features than a number asks for, the fold is scored with
    those it has.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS, SelectorCV
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = SelectorCV().fit(X, y)
    >>> selector.best_params_, selector.indices_.tolist()
    ({'n_features_to_select': 9}, [6, 12, 9, 0, 11, 10, 3, 2, 1])
    >>> weighed = SelectorCV(selector=S2FS(), alphas=[0.0316, 1.0], betas=[0.0316]).fit(X, y)
    >>> weighed.best_params_
    {'alpha': 0.0316, 'beta': 0.0316, 'n_features_to_select': 5}
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
    #: What pipelines may route to ``fit``, beside what it names.
    __metadata_request__fit: ClassVar[dict[str, None]] = {"sample_weight": None, "covariates": None}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            StrOptions({"auto"}),
            *RankingSelector._parameter_constraints["n_features_to_select"],
        ],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "alphas": ["array-like"],
        "betas": ["array-like"],
        "selector": [HasMethods(["fit", "set_params"]), list, None],
        "cv": ["cv_object"],
        "estimator": [HasMethods(["fit", "predict"]), list, None],
        "scoring": [str, callable],
        "one_standard_error": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_features_to_select: HowMany | Literal["auto"] = "auto",
        *,
        selector: Any = None,
        max_features: int | float = 50,
        alphas: Sequence[float] = PAPER_GRID,
        betas: Sequence[float] = PAPER_GRID,
        cv: Any = 5,
        estimator: Any = None,
        scoring: str | Callable[..., float] = "accuracy",
        one_standard_error: bool = True,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.selector = selector
        self.max_features = max_features
        self.alphas = alphas
        self.betas = betas
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> Self:
        """Choose what is left open by cross-validation, then select on all samples.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features without missing values.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.
        groups : array-like of shape (n_samples,), default=None
            Samples that belong together, such as those of one patient, are kept in one fold.
        **params : dict of str to array-like of shape (n_samples,)
            What the selections get beside the features: ``sample_weight`` or ``covariates``, see
            :meth:`PairCover.fit`. In the scores of the folds each sample counts once.

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
        self._encode(y)
        named = frame if hasattr(self, "feature_names_in_") else X
        self._fitted_with = list_given(**params)
        candidates = self._candidates()
        arguments: dict[str, NDArray[Any]] = {}
        for candidate in candidates.values():
            arguments = check_fit_arguments(candidate, params, len(y))
        grid = self._make_grid(candidates)
        features, sizes = self._find_features(), self._sizes()
        scorer = make_prefix_scorer(self.estimator, self.scoring)
        folds = self._folds(X, y, groups)

        def scores_of(train: Indices, test: Indices) -> Floats:
            rows = _safe_indexing(named, train)
            some = {name: values[train] for name, values in arguments.items()}
            rankings = self._rankings(rows, y[train], some, grid, int(sizes[-1]), features)
            split = Split(X, y, train, test, features)
            return score_prefixes(split, rankings, sizes, scorer=scorer, scale=True)

        # Threads: the loops are compiled and let go of the interpreter, and nothing is copied.
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        results = run(delayed(scores_of)(*fold) for fold in folds)
        scores = np.array(list(iterate_with_callbacks(self, results, len(folds), "folds")))
        self._conclude(scores, grid, sizes)
        final = self._fitted(named, y, arguments, self.best_params_, warn=warn)
        if hasattr(final, "path_"):
            self.path_ = final.path_
        self.selector_ = final
        return self._set_ranking(final.indices_, final.scores_)

    def _candidates(self) -> dict[str, Any]:
        """The selectors to choose from, by name; a single one has no name."""
        if self.selector is None:
            return {"": PairCover()}
        if not isinstance(self.selector, list):
            return {"": self.selector}
        for item in self.selector:
            is_named = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
            if not (is_named and hasattr(item[1], "fit")):
                raise ValueError(
                    f"selector has {item!r}; give tuples of a name and a selector, such as "
                    "('PairCover', PairCover())."
                )
        candidates = dict(self.selector)
        if len(candidates) < len(self.selector) or not candidates:
            raise ValueError("selector is empty, or has a name twice; give each a name of its own.")
        return candidates

    def _make_grid(self, candidates: dict[str, Any]) -> dict[str, NDArray[Any]]:
        """What is tried beside the number of features: weights of S²FS, or the selectors."""
        if isinstance(self.selector, S2FS):
            return {name: _increasing(f"{name}s", getattr(self, f"{name}s")) for name in _WEIGHTS}
        for name in ("alphas", "betas"):
            values = getattr(self, name)
            if values is not PAPER_GRID and tuple(values) != PAPER_GRID:
                raise ValueError(
                    f"{name} is {values!r}, which is for S2FS; give selector=S2FS(), or leave it "
                    "out."
                )
        return {"selector": np.array(list(candidates))} if isinstance(self.selector, list) else {}

    def _rankings(
        self,
        X: Any,
        y: NDArray[Any],
        arguments: dict[str, NDArray[Any]],
        grid: dict[str, NDArray[Any]],
        k: int,
        features: Features,
    ) -> Indices:
        """The rankings of ``k`` features on some rows, one for each weighting or selector.

        What ``max_correlation`` leaves shorter is filled up with -1.
        """
        if isinstance(self.selector, S2FS) and features.groups is None:
            alphas, betas = (grid[name].tolist() for name in _WEIGHTS)
            selector = clone(self.selector).set_params(n_features_to_select=k)
            paths = find_paths(selector, X, y, alphas, betas, **arguments, warn=False)
            return paths.indices.reshape(-1, k)
        settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
        rankings = np.full((len(settings), k), -1)
        for i, setting in enumerate(settings):
            fitted = self._fitted(X, y, arguments, {**setting, "n_features_to_select": k})
            selected = features.find(fitted.indices_)[:k]
            if len(selected) < k and getattr(fitted, "max_correlation", None) is None:
                raise ValueError(
                    f"selector selected {format_count(len(selected), 'feature')} in a fold where "
                    f"{k} were asked for; lower max_features or n_features_to_select."
                )
            rankings[i, : len(selected)] = selected
        return rankings

    def _fitted(
        self,
        X: Any,
        y: NDArray[Any],
        arguments: dict[str, NDArray[Any]],
        parameters: dict[str, Any],
        *,
        warn: bool = False,
    ) -> Any:
        """The selector with these parameters on some samples."""
        own = dict(parameters)
        selector = clone(self._candidates()[own.pop("selector", "")]).set_params(**own)
        return fit_selector(selector, X, y, arguments, warn=warn)

    def _sizes(self) -> Indices:
        """The numbers of features to score."""
        names = getattr(self, "feature_names_in_", None)
        m = self.n_features_in_
        n_free, n_first, is_limited = m, 0, False
        for candidate in self._candidates().values():
            include = getattr(candidate, "include", None)
            exclude = getattr(candidate, "exclude", None)
            groups = get_feature_groups(candidate)
            constraints = resolve_constraints(include, exclude, groups, m, names)
            n_free = min(n_free, constraints.n_features)
            is_limited |= constraints.count_columns(m) < m
            n_first = max(n_first, len(constraints.included))
        wanted, most = self.n_features_to_select, self.max_features
        if wanted != "auto":
            what = "that are not excluded" if is_limited else "of X"
            return np.array([resolve_n_features(wanted, n_free, what)])
        if isinstance(most, Integral):
            most = min(int(most), n_free)
        most = resolve_n_features(most, n_free)
        if most < n_first:
            raise ValueError(
                f"include has {format_count(n_first, 'feature')}, but "
                f"max_features={self.max_features} allows {most}; include fewer or allow more."
            )
        return np.arange(max(1, n_first), most + 1)

    def _folds(self, X: Any, y: NDArray[Any], groups: Any) -> list[tuple[Indices, Indices]]:
        """The training and test samples of each fold."""
        cv = 5 if self.cv is None else self.cv
        if not isinstance(cv, Integral):
            splitter = check_cv(cv, y, classifier=True)
        elif groups is None:
            return list(stratified_folds(y, int(cv), random_state=self.random_state))
        else:
            splitter = StratifiedGroupKFold(int(cv), shuffle=True, random_state=self.random_state)
        folds = list(splitter.split(X, y, groups))
        for i, (train, test) in enumerate(folds):
            if not (len(train) and len(test)):
                raise ValueError(
                    f"cv leaves fold {i} without training or test samples; give every fold both."
                )
        return folds

    def _conclude(self, scores: Floats, grid: dict[str, NDArray[Any]], sizes: Indices) -> None:
        """Set what follows from the scores, of shape (folds, weightings or selectors, sizes)."""
        mean, std = scores.mean(axis=0), scores.std(axis=0)
        if not np.isfinite(mean).all():
            raise ValueError(
                f"scoring is {self.scoring!r}, which gave NaN or infinity in some fold; choose "
                "another one, or folds with all classes in each."
            )
        self.n_splits_ = len(scores)
        error = std / max(1, self.n_splits_ - 1) ** 0.5
        ranking, size = choose_prefix(mean, error if self.one_standard_error else None)
        tried = np.meshgrid(*grid.values(), sizes, indexing="ij")
        names = (*grid, "n_features_to_select")
        self.cv_results_ = {
            **{f"param_{name}": values.ravel() for name, values in zip(names, tried, strict=True)},
            **{f"split{i}_test_score": fold.ravel() for i, fold in enumerate(scores)},
            "mean_test_score": mean.ravel(),
            "std_test_score": std.ravel(),
            "rank_test_score": rankdata(-mean.ravel().round(10), method="min").astype(np.int32),
        }
        self.best_index_ = ranking * len(sizes) + size
        self.best_score_ = float(mean[ranking, size])
        self.best_params_ = {
            name: self.cv_results_[f"param_{name}"][self.best_index_].item() for name in names
        }

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        return path_columns(self.path_) if hasattr(self, "path_") else super()._score_columns()


def _increasing(name: str, values: Any) -> Floats:
    """The weights to try, each once; "smallest first" is then the first."""
    weights = np.unique(np.asarray(values))
    if not len(weights):
        raise ValueError(f"{name} is empty; give at least one weight.")
    return weights
