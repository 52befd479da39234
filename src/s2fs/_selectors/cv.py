"""S²FS with its weights and the number of features chosen by cross-validation."""

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import _fit_context
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

from s2fs._core.criterion import PAPER_GRID, CentroidMembership, Compactness
from s2fs._core.folds import stratified_folds
from s2fs._core.problem import Scale
from s2fs._core.weights import ClassWeight
from s2fs._search.choices import n_features_to_choose, resolve
from s2fs._selectors.base import CallbackSupportMixin, RankingSelector, path_columns, watched
from s2fs._selectors.paths import s2fs_paths
from s2fs._selectors.prefixes import Split, choose, prefix_scorer, score_prefixes
from s2fs._selectors.s2fs import S2FS
from s2fs._util.types import Floats, HowMany, Indices

#: Parameters that every selection, in the folds and on all rows, is made with.
_SHARED = ("include", "exclude", "class_weight", "scale", "centroid_membership", "compactness")


class S2FSCV(CallbackSupportMixin, RankingSelector):
    """Select features by S²FS with everything left open chosen by cross-validation.

    In each fold, the greedy paths of all pairs of weights are found on the training rows, and
    every prefix of every path is scored by a classifier on the test rows. The pair of weights and
    the number of features that do best, or the smallest number that does as well, are then used
    for a selection on all rows.

    Parameters
    ----------
    n_features_to_select : "auto", int, float or "all", default="auto"
        How many features to select: chosen by cross-validation from 1 to ``max_features``; or a
        number, a fraction of the features in (0, 1], or "all", so that only the weights are
        chosen.
    max_features : int or float, default=50
        The largest number of features ``"auto"`` considers, or a fraction of the features; all
        of them if there are fewer.
    alphas, betas : sequence of float, default=the grid of the paper
        The weights to try; every alpha is combined with every beta.
    cv : int, splitter or iterable of splits, default=5
        The folds. A number stands for shuffled folds with the classes in equal shares, which also
        keep ``groups`` together if those are given to ``fit``.
    estimator : classifier, default=None
        What scores the prefixes. ``None`` is 5 nearest neighbours in a form that takes all
        prefixes of a path from one running table of distances.
    scoring : str or callable, default="accuracy"
        What to make large: a name of scikit-learn's, or ``scorer(estimator, X, y)``.
    one_standard_error : bool, default=True
        Choose the smallest number of features whose mean score, with the weights of the best one,
        is within one standard error of it, instead of the best one itself.
    include, exclude : sequence of str or int, default=None
        As for :class:`S2FS`, in every fold and on all rows. Numbers of features below that of
        ``include`` are not considered.
    class_weight : "balanced" or dict, default=None
        As for :class:`S2FS`, in every fold and on all rows.
    scale : {"minmax", None}, default="minmax"
        As for :class:`S2FS`. The classifier sees the features on the same scale, learnt from the
        training rows of the fold.
    centroid_membership : {"printed", "normalized"}, default="printed"
        As for :class:`S2FS`.
    compactness : {"mean", "rms"}, default="mean"
        As for :class:`S2FS`.
    n_jobs : int, default=None
        Number of threads; folds run side by side. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the shuffle if ``cv`` is a number.
    verbose : int, default=0
        With 1 or more, a progress bar on standard error if that is a terminal.

    Attributes
    ----------
    best_params_ : dict
        The chosen ``alpha``, ``beta`` and ``n_features_to_select``.
    best_score_ : float
        Their mean score over the folds. As the best of many it is optimistic; score the whole
        estimator by an outer cross-validation.
    best_index_ : int
        Their position in ``cv_results_``.
    cv_results_ : dict of str to ndarray
        As in scikit-learn's ``GridSearchCV``, one entry per alpha, beta and number, in this order:
        ``param_alpha``, ``param_beta``, ``param_n_features_to_select``, ``split0_test_score``, …,
        ``mean_test_score``, ``std_test_score`` and ``rank_test_score``.
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
    smallest beta. The standard error is that of the best score over the folds. Prefixes that
    several pairs share are scored once.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FSCV
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = S2FSCV(alphas=[0.0316, 1.0], betas=[0.0316]).fit(X, y)
    >>> selector.best_params_
    {'alpha': 0.0316, 'beta': 0.0316, 'n_features_to_select': 5}
    >>> selector.indices_.tolist(), round(selector.best_score_, 3)
    ([6, 0, 9, 12, 11], 0.978)
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
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
        "cv": ["cv_object"],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "scoring": [str, callable],
        "one_standard_error": ["boolean"],
        "random_state": ["random_state"],
        **{name: S2FS._parameter_constraints[name] for name in (*_SHARED, "n_jobs", "verbose")},
    }

    def __init__(
        self,
        n_features_to_select: HowMany | Literal["auto"] = "auto",
        *,
        max_features: int | float = 50,
        alphas: Sequence[float] = PAPER_GRID,
        betas: Sequence[float] = PAPER_GRID,
        cv: Any = 5,
        estimator: Any = None,
        scoring: str | Callable[..., float] = "accuracy",
        one_standard_error: bool = True,
        include: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        class_weight: ClassWeight = None,
        scale: Scale = "minmax",
        centroid_membership: CentroidMembership = "printed",
        compactness: Compactness = "mean",
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_features = max_features
        self.alphas = alphas
        self.betas = betas
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.include = include
        self.exclude = exclude
        self.class_weight = class_weight
        self.scale = scale
        self.centroid_membership = centroid_membership
        self.compactness = compactness
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose weights and number by cross-validation, then select on all rows.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features without missing values.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group, such as samples of one patient, are kept in one fold.

        Returns
        -------
        Self
            The fitted selector.
        """
        frame = X
        X, y = self._validate(X, y)
        self._encode(y)
        named = frame if hasattr(self, "feature_names_in_") else X
        alphas, betas = _increasing("alphas", self.alphas), _increasing("betas", self.betas)
        sizes = self._sizes()
        scorer = prefix_scorer(self.estimator, self.scoring)
        folds = self._folds(X, y, groups)

        def scores_of(train: Indices, test: Indices) -> Floats:
            rows = _safe_indexing(named, train)
            grid = alphas.tolist(), betas.tolist()
            paths = s2fs_paths(rows, y[train], int(sizes[-1]), *grid, **self._options())
            rankings = paths.indices.reshape(-1, sizes[-1])
            split = Split(X, y, train, test)
            return score_prefixes(split, rankings, sizes, scorer=scorer, scale=self.scale)

        # Threads: the loops are compiled and let go of the interpreter, and nothing is copied.
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        results = run(delayed(scores_of)(*fold) for fold in folds)
        scores = np.array(list(watched(self, results, len(folds), "S²FS, folds")))
        self._conclude(scores, alphas, betas, sizes)
        final = S2FS(**self.best_params_, **self._options(), n_jobs=self.n_jobs).fit(named, y)
        self.path_ = final.path_
        return self._set_ranking(final.indices_, final.scores_)

    def _options(self) -> dict[str, Any]:
        """What the selections in the folds and on all rows have in common."""
        return {name: getattr(self, name) for name in _SHARED}

    def _sizes(self) -> Indices:
        """The numbers of features to score."""
        names = getattr(self, "feature_names_in_", None)
        choices = resolve(self.include, self.exclude, None, self.n_features_in_, names)
        n_free, n_first = choices.n_features, len(choices.included)
        wanted, most = self.n_features_to_select, self.max_features
        if wanted != "auto":
            what = "of X" if n_free == self.n_features_in_ else "that are not excluded"
            return np.array([n_features_to_choose(wanted, n_free, what)])
        if isinstance(most, Integral):
            most = min(int(most), n_free)
        most = n_features_to_choose(most, n_free)
        if most < n_first:
            raise ValueError(
                f"include has {n_first} feature(s), but max_features={self.max_features} allows "
                f"{most}; include fewer or allow more."
            )
        return np.arange(max(1, n_first), most + 1)

    def _folds(self, X: Any, y: NDArray[Any], groups: Any) -> list[tuple[Indices, Indices]]:
        """The training and test rows of each fold."""
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
                    f"cv leaves fold {i} without training or test rows; give every fold both."
                )
        return folds

    def _conclude(self, scores: Floats, alphas: Floats, betas: Floats, sizes: Indices) -> None:
        """Set what follows from the scores, of shape (folds, pairs, sizes)."""
        mean, std = scores.mean(axis=0), scores.std(axis=0)
        if not np.isfinite(mean).all():
            raise ValueError(
                f"scoring is {self.scoring!r}, which gave NaN or infinity in some fold; choose "
                "another one, or folds with all classes in each."
            )
        self.n_splits_ = len(scores)
        error = std / max(1, self.n_splits_ - 1) ** 0.5
        pair, size = choose(mean, error if self.one_standard_error else None)
        by_pair = np.repeat(np.arange(len(alphas) * len(betas)), len(sizes))
        self.cv_results_ = {
            "param_alpha": alphas[by_pair // len(betas)],
            "param_beta": betas[by_pair % len(betas)],
            "param_n_features_to_select": np.tile(sizes, len(alphas) * len(betas)),
            **{f"split{i}_test_score": fold.ravel() for i, fold in enumerate(scores)},
            "mean_test_score": mean.ravel(),
            "std_test_score": std.ravel(),
            "rank_test_score": rankdata(-mean.ravel().round(10), method="min").astype(np.int32),
        }
        self.best_index_ = pair * len(sizes) + size
        self.best_score_ = float(mean[pair, size])
        self.best_params_ = {
            name: self.cv_results_[f"param_{name}"][self.best_index_].item()
            for name in ("alpha", "beta", "n_features_to_select")
        }

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        return path_columns(self.path_)


def _increasing(name: str, values: Any) -> Floats:
    """The weights to try, each once; "smallest first" is then the first."""
    weights = np.unique(np.asarray(values))
    if not len(weights):
        raise ValueError(f"{name} is empty; give at least one weight.")
    return weights
