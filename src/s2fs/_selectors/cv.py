"""A selection with its weights and the number of features chosen by cross-validation."""

from collections.abc import Callable, Iterable, Sequence
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

from s2fs._core.criterion import PAPER_GRID, CentroidMembership, Compactness
from s2fs._core.folds import stratified_folds
from s2fs._core.problem import Scale
from s2fs._core.weights import ClassWeight
from s2fs._search.choices import n_features_to_choose, resolve
from s2fs._selectors.base import (
    CallbackSupportMixin,
    RankingSelector,
    fit_arguments,
    given_names,
    path_columns,
    watched,
)
from s2fs._selectors.paths import s2fs_paths
from s2fs._selectors.prefixes import Split, choose, prefix_scorer, score_prefixes
from s2fs._selectors.s2fs import S2FS
from s2fs._util.inputs import inner_fit
from s2fs._util.types import Floats, HowMany, Indices

#: Parameters of S²FS that every selection, in the folds and on all rows, is made with.
_SHARED = (
    "include",
    "exclude",
    "max_correlation",
    "class_weight",
    "scale",
    "centroid_membership",
    "compactness",
)

#: The parameters of the grid.
_GRID = ("alpha", "beta")


class SelectorCV(CallbackSupportMixin, RankingSelector):
    """Select features by S²FS with everything left open chosen by cross-validation.

    In each fold, the greedy paths of all pairs of weights are found on the training rows, and
    every prefix of every path is scored by a classifier on the test rows. The pair of weights and
    the number of features that do best, or the smallest number that does as well, are then used
    for a selection on all rows. With another ``selector`` only the number is chosen.

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
    selector : estimator, default=None
        What ranks the features in place of S²FS, such as ``PairCover()`` or a baseline; it is
        cloned, and its ``n_features_to_select`` is set. It then has the parameters of the
        selection, and those of S²FS here must keep their defaults.
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
    max_correlation : float, default=None
        As for :class:`S2FS`, in every fold and on all rows. If it, or that of ``selector``, leaves
        a fold with fewer features than a number asks for, the fold is scored with those it has.
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
        The chosen ``alpha``, ``beta`` and ``n_features_to_select``; the last alone with another
        ``selector``.
    best_score_ : float
        Their mean score over the folds. As the best of many it is optimistic; score the whole
        estimator by an outer cross-validation.
    best_index_ : int
        Their position in ``cv_results_``.
    cv_results_ : dict of str to ndarray
        As in scikit-learn's ``GridSearchCV``, one entry per alpha, beta and number, in this order:
        ``param_alpha``, ``param_beta``, ``param_n_features_to_select``, ``split0_test_score``, …,
        ``mean_test_score``, ``std_test_score`` and ``rank_test_score``. Another ``selector`` has
        no alpha and beta.
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
    >>> from s2fs import SelectorCV
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = SelectorCV(alphas=[0.0316, 1.0], betas=[0.0316]).fit(X, y)
    >>> selector.best_params_
    {'alpha': 0.0316, 'beta': 0.0316, 'n_features_to_select': 5}
    >>> selector.indices_.tolist(), round(selector.best_score_, 3)
    ([6, 0, 9, 12, 11], 0.978)
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
        "selector": [HasMethods(["fit", "set_params"]), None],
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
        selector: Any = None,
        cv: Any = 5,
        estimator: Any = None,
        scoring: str | Callable[..., float] = "accuracy",
        one_standard_error: bool = True,
        include: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        max_correlation: float | None = None,
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
        self.selector = selector
        self.cv = cv
        self.estimator = estimator
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.include = include
        self.exclude = exclude
        self.max_correlation = max_correlation
        self.class_weight = class_weight
        self.scale = scale
        self.centroid_membership = centroid_membership
        self.compactness = compactness
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, groups: Any = None, **params: Any) -> Self:
        """Choose weights and number by cross-validation, then select on all rows.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features without missing values.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group, such as samples of one patient, are kept in one fold.
        **params : dict of str to array-like of shape (n_samples,)
            What the selections get beside the rows: ``sample_weight`` or ``covariates``, see
            :meth:`S2FS.fit`. In the scores of the folds each row counts once.

        Returns
        -------
        Self
            The fitted selector.
        """
        frame = X
        X, y = self._validate(X, y)
        self._encode(y)
        named = frame if hasattr(self, "feature_names_in_") else X
        self._fitted_with = given_names(**params)
        self._reject_unused()
        arguments = fit_arguments(self.selector or S2FS(), params, len(y))
        grid = {}
        if self.selector is None:
            grid = {name: _increasing(f"{name}s", getattr(self, f"{name}s")) for name in _GRID}
        sizes = self._sizes()
        scorer = prefix_scorer(self.estimator, self.scoring)
        folds = self._folds(X, y, groups)

        def scores_of(train: Indices, test: Indices) -> Floats:
            rows = _safe_indexing(named, train)
            some = {name: values[train] for name, values in arguments.items()}
            with inner_fit():
                rankings = self._rankings(rows, y[train], some, grid, int(sizes[-1]))
            split = Split(X, y, train, test)
            return score_prefixes(split, rankings, sizes, scorer=scorer, scale=self.scale)

        # Threads: the loops are compiled and let go of the interpreter, and nothing is copied.
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        results = run(delayed(scores_of)(*fold) for fold in folds)
        scores = np.array(list(watched(self, results, len(folds), "folds")))
        self._conclude(scores, grid, sizes)
        final = self._fitted(named, y, arguments, self.best_params_)
        if hasattr(final, "path_"):
            self.path_ = final.path_
        return self._set_ranking(final.indices_, final.scores_)

    def _reject_unused(self) -> None:
        """Refuse parameters of S²FS that another selector would not see."""
        if self.selector is None:
            return
        defaults = {name: type(self)().get_params()[name] for name in ("alphas", "betas", *_SHARED)}
        del defaults["scale"]  # what the classifier sees is scaled, too
        for name, default in defaults.items():
            if (value := getattr(self, name)) is not default and value != default:
                raise ValueError(
                    f"{name} is {value!r}, which is for S2FS, but selector is a "
                    f"{type(self.selector).__name__}; set the parameters of that selector instead."
                )

    def _rankings(
        self,
        X: Any,
        y: NDArray[Any],
        arguments: dict[str, NDArray[Any]],
        grid: dict[str, Floats],
        k: int,
    ) -> Indices:
        """The rankings of ``k`` features on some rows, one for each pair of the grid.

        What ``max_correlation`` leaves shorter is filled up with -1.
        """
        if self.selector is None:
            alphas, betas = (grid[name].tolist() for name in _GRID)
            options: dict[str, Any] = {**arguments, **self._options()}
            paths = s2fs_paths(X, y, k, alphas, betas, **options)
            return paths.indices.reshape(-1, k)
        indices = self._fitted(X, y, arguments, {"n_features_to_select": k}).indices_
        if len(indices) < k and getattr(self.selector, "max_correlation", None) is None:
            raise ValueError(
                f"selector chose {len(indices)} feature(s) on the rows of a fold where {k} were "
                "asked for; lower max_features or n_features_to_select."
            )
        ranking = np.full((1, k), -1)
        ranking[0, : len(indices)] = indices[:k]
        return ranking

    def _fitted(
        self,
        X: Any,
        y: NDArray[Any],
        arguments: dict[str, NDArray[Any]],
        parameters: dict[str, Any],
    ) -> Any:
        """The selector with these parameters on some rows."""
        if self.selector is None:
            selector: Any = S2FS(**parameters, **self._options(), n_jobs=self.n_jobs)
        else:
            selector = clone(self.selector).set_params(**parameters)
        return selector.fit(X, y, **arguments)

    def _options(self) -> dict[str, Any]:
        """What the selections in the folds and on all rows have in common."""
        return {name: getattr(self, name) for name in _SHARED}

    def _sizes(self) -> Indices:
        """The numbers of features to score."""
        names = getattr(self, "feature_names_in_", None)
        chooser = self if self.selector is None else self.selector
        include, exclude = (getattr(chooser, name, None) for name in ("include", "exclude"))
        choices = resolve(include, exclude, None, self.n_features_in_, names)
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

    def _conclude(self, scores: Floats, grid: dict[str, Floats], sizes: Indices) -> None:
        """Set what follows from the scores, of shape (folds, pairs of the grid, sizes)."""
        mean, std = scores.mean(axis=0), scores.std(axis=0)
        if not np.isfinite(mean).all():
            raise ValueError(
                f"scoring is {self.scoring!r}, which gave NaN or infinity in some fold; choose "
                "another one, or folds with all classes in each."
            )
        self.n_splits_ = len(scores)
        error = std / max(1, self.n_splits_ - 1) ** 0.5
        pair, size = choose(mean, error if self.one_standard_error else None)
        tried = np.meshgrid(*grid.values(), sizes, indexing="ij")
        names = (*grid, "n_features_to_select")
        self.cv_results_ = {
            **{f"param_{name}": values.ravel() for name, values in zip(names, tried, strict=True)},
            **{f"split{i}_test_score": fold.ravel() for i, fold in enumerate(scores)},
            "mean_test_score": mean.ravel(),
            "std_test_score": std.ravel(),
            "rank_test_score": rankdata(-mean.ravel().round(10), method="min").astype(np.int32),
        }
        self.best_index_ = pair * len(sizes) + size
        self.best_score_ = float(mean[pair, size])
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
