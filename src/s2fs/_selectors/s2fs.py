"""The S²FS estimator."""

from collections.abc import Iterable
from copy import copy
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from s2fs._core.criterion import CentroidMembership, Components
from s2fs._core.problem import Problem, Scale
from s2fs._core.weights import ClassWeight, row_weights
from s2fs._engine.protocol import State
from s2fs._engine.start import empty_state
from s2fs._search.choices import Choices, n_to_choose, resolve
from s2fs._search.forward import Step, forward
from s2fs._search.stopping import forward_until_chance, with_shuffled_rows
from s2fs._search.subsets import beam, floating
from s2fs._selectors.base import RankingSelector
from s2fs._util.dask import current_client, in_memory, is_dask
from s2fs._util.progress import CallbackSupportMixin, progress, watched
from s2fs._util.types import Floats, Indices

Search = Literal["forward", "floating", "beam"]

_MEASURES = ("sep", "gain", *Components._fields)
#: With "auto" the number of steps is not known beforehand.
_USUAL_SIZE = 50
_PATH = np.dtype([("feature", np.intp), *((name, np.float64) for name in _MEASURES)])


class S2FS(CallbackSupportMixin, RankingSelector):
    """Select features by spatially-aware separability.

    Greedy forward selection of the features in which the classes are far apart and tight, both
    judged by distance and by direction (Xu et al. 2025). Each step adds the feature that makes

    ``Sep = (lambda_dis + beta * lambda_dir) / (theta_dis + alpha * theta_dir)``

    of the selected features largest. The variants of the paper are special cases: S²–DWC is
    ``alpha=0``, S²–DBS is ``beta=0``, and S²–DWC–DBS, which sees distances only, is both.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=10
        How many features to select: a number, a fraction of the features in (0, 1], or "auto": as
        many as do better than chance, see ``tol``.
    alpha, beta : float, default=0.0316
        Weight of direction in the compactness and in the separation of the classes. The paper
        recommends 0.01 to 0.0562 for both.
    search : {"forward", "floating", "beam"}, default="forward"
        ``"forward"`` adds one feature after the other. ``"floating"`` also drops and swaps features
        while that raises the best Sep known for their number, ``"beam"`` follows several sets at
        once. The Sep of both is never below that of ``"forward"``.
    beam_width : int, default=5
        How many sets ``search="beam"`` follows.
    tol : float, default=0.005
        For ``n_features_to_select="auto"``. A feature passes if Sep with it is by this share larger
        than with the best feature of the same table with shuffled rows. After three in a row that
        do not pass the search ends, without them. A larger ``tol`` selects fewer features.
    include, exclude : list of str or int, default=None
        Indices that are in from the start, in this order, and features that are never chosen; by
        column name or position. Included features count towards ``n_features_to_select``.
    groups : list of lists, or a label per feature, default=None
        Indices that are chosen together, by column name or position; or for each feature the label
        of its group, None for none. A group with more features than are still wanted is passed
        over; if nothing fits, fewer are selected. Including a feature includes its group, an
        excluded feature leaves its group.
    class_weight : "balanced" or dict, default=None
        How much the instances of a class count in the compactness. ``"balanced"`` lets every class
        count as much as another, however few instances it has. Classes not in a dict count 1.
    scale : {"minmax", None}, default="minmax"
        ``"minmax"`` scales every feature to [0, 1] on the data given to ``fit``, for the search
        only; ``transform`` returns the input values. ``None`` takes the features as they are.
    centroid_membership : {"printed", "normalized"}, default="printed"
        The reading of the paper's Eq. 20, see :func:`s2fs.components`.
    n_jobs : int, default=None
        Number of threads; ``None`` is one, -1 is all cores. The result does not depend on it.
    verbose : int, default=0
        With 1 or more, a progress bar on standard error if that is a terminal.

    Attributes
    ----------
    indices_ : ndarray of shape (n_selected,)
        The selected features in order of choice. ``"floating"`` and ``"beam"`` find a set: its
        features are put in the order in which a forward search would choose among them.
    scores_ : ndarray of shape (n_selected,)
        Sep of the first 1, 2, … features of ``indices_``; the last one is that of the selection.
    path_ : structured ndarray of shape (n_selected,)
        Per step ``feature``, ``sep``, ``gain`` and the four components ``theta_dis``,
        ``theta_dir``, ``lambda_dis``, ``lambda_dir`` of the features selected so far.
    ranking_ : ndarray of shape (n_features_in_,)
        Per feature its rank, 1 for the first chosen; features that were not chosen share the rank
        ``n_selected + 1``.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the selected features.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features_in_,)
        Number of features seen during ``fit``, and their names if ``X`` has string column names.

    Notes
    -----
    Equal gains go to the smaller feature index. Constant features wait until no other is left.

    References
    ----------
    S. Xu, C. Dai, Y. Liu, L. Shang, X. Yang, W. Pedrycz, "S²FS: Spatially-Aware Separability-Driven
    Feature Selection in Fuzzy Decision Systems", arXiv 2509.25841, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = S2FS(n_features_to_select=3).fit(X, y)
    >>> selector.get_feature_names_out()[selector.indices_.argsort().argsort()].tolist()
    ['flavanoids', 'alcohol', 'color_intensity']
    >>> selector.scores_.round(4).tolist()
    [2.4267, 2.501, 2.4971]
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
    #: How many fits like this one there will be; whoever repeats them knows, and compiling may pay.
    _n_fits = 1
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [
            *RankingSelector._parameter_constraints["n_features_to_select"],
            StrOptions({"auto"}),
        ],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "search": [StrOptions({"forward", "floating", "beam"})],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "include": ["array-like", None],
        "exclude": ["array-like", None],
        "groups": ["array-like", None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "scale": [StrOptions({"minmax"}), None],
        "centroid_membership": [StrOptions({"printed", "normalized"})],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | Literal["auto"] = 10,
        *,
        alpha: float = 0.0316,
        beta: float = 0.0316,
        search: Search = "forward",
        beam_width: int = 5,
        tol: float = 0.005,
        include: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        groups: Iterable[Any] | None = None,
        class_weight: ClassWeight = None,
        scale: Scale = "minmax",
        centroid_membership: CentroidMembership = "printed",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.beta = beta
        self.search = search
        self.beam_width = beam_width
        self.tol = tol
        self.include = include
        self.exclude = exclude
        self.groups = groups
        self.class_weight = class_weight
        self.scale = scale
        self.centroid_membership = centroid_membership
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Select features of ``X`` that tell the classes ``y`` apart.

        Parameters
        ----------
        X : array-like, sparse array or data frame of shape (n_samples, n_features)
            Numeric features without missing values. A Dask array or data frame stays on the cluster
            of the current ``distributed.Client``; without one it is computed here.
        y : array-like of shape (n_samples,)
            Class labels, at least two distinct ones.
        sample_weight : array-like of shape (n_samples,), optional
            How much each instance counts: weight 2 is two equal instances, weight 0 is none.

        Returns
        -------
        Self
            The fitted selector.
        """
        if is_dask(X) and (client := current_client()) is not None:
            problem, choices, k = self._prepare_there(client, X, y, sample_weight)
            return self._record(self._search(problem, choices, k), k)
        X, y, sample_weight = in_memory(X, y, sample_weight)
        X, codes, omega, choices, k = self._prepare(X, y, sample_weight)
        if self.n_features_to_select == "auto":
            doubled, classes, mass = with_shuffled_rows(X, codes, omega)
            state = self._empty_state(Problem(doubled, classes, self.scale, mass), _USUAL_SIZE)
            steps = forward_until_chance(state, self.alpha, self.beta, choices, self.tol)
            if self.search == "forward":
                return self._record(steps, k)
            k = len(list(progress(steps, k, "S²FS", show=self.verbose > 0)))
        problem = Problem(X, codes, self.scale, omega)
        return self._record(self._search(problem, choices, k), k)

    def _record(self, steps: Iterable[Step], k: int) -> Self:
        """Take the steps as they come, at most ``k``, and set the fitted attributes."""
        rows: list[tuple[float, ...]] = []

        def so_far() -> dict[str, Any]:
            known = copy(self)._set_path(rows)
            return {name: value for name, value in vars(known).items() if name.endswith("_")}

        for step in watched(self, steps, k, "S²FS", so_far):
            rows.append((step.feature, step.sep, step.gain, *step.components))  # noqa: PERF401
        return self._set_path(rows)

    def _set_path(self, rows: list[tuple[float, ...]]) -> Self:
        self.path_ = np.array(rows, dtype=_PATH)
        return self._set_ranking(self.path_["feature"].copy(), self.path_["sep"].copy())

    def _search(self, problem: Problem, choices: Choices, k: int) -> Iterable[Step]:
        """The selected features in order, ``k`` of them if the groups allow it."""
        weights = (self.alpha, self.beta)
        if self.search == "forward":
            return forward(self._empty_state(problem, k), k, *weights, choices)
        if self.search == "floating":
            state = self._empty_state(problem, k * k)
            found = floating(state.copy(), k, weights, choices)
        else:
            state = self._empty_state(problem, k * self.beam_width)
            found = beam(state.copy(), k, weights, choices, self.beam_width)
        return forward(state, k, *weights, choices.only(found[max(found)].units))

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Any, Indices, Floats | None, Choices, int]:
        """Check the input: the rows that count, their classes and weights, and what to choose."""
        X, y = self._validate(X, y)
        omega = row_weights(sample_weight, self.class_weight, y)
        if omega is not None and not omega.all():
            there = omega > 0
            X, y, omega = X[there], y[there], omega[there]
        codes = self._encode(y)
        return X, codes, omega, *self._to_choose()

    def _prepare_there(
        self, client: Any, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Problem, Choices, int]:
        """As :meth:`_prepare`, for rows that stay on the cluster of a Dask client."""
        from s2fs.distributed._collections import check_columns
        from s2fs.distributed._problem import cluster_problem

        check_columns(self, X)
        if self.n_features_to_select == "auto":
            raise ValueError(
                "n_features_to_select='auto' needs all rows in one place, and X is on a Dask "
                "cluster; give a number, or fit on a sample of the rows."
            )
        choices, k = self._to_choose()
        problem = cluster_problem(
            client,
            X,
            y,
            self.scale,
            names=getattr(self, "feature_names_in_", None),
            sample_weight=sample_weight,
            class_weight=self.class_weight,
        )
        self._encode(problem.classes)
        return problem, choices, k

    def _to_choose(self) -> tuple[Choices, int]:
        """What may be chosen of the features seen, and how many of them."""
        m = self.n_features_in_
        choices = resolve(
            self.include, self.exclude, self.groups, m, getattr(self, "feature_names_in_", None)
        )
        return choices, n_to_choose(choices, self.n_features_to_select, m)

    def _empty_state(self, problem: Problem, n_steps: int) -> State:
        if hasattr(problem, "empty_state"):  # its rows are on a cluster
            return problem.empty_state(self.centroid_membership)
        n_steps *= self._n_fits
        return empty_state(
            problem, self.centroid_membership, n_steps, effective_n_jobs(self.n_jobs)
        )

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        return {name: self.path_[name] for name in _MEASURES}
