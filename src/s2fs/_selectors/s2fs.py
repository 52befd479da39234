"""The S²FS estimator."""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Literal

from joblib import cpu_count, effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval, StrOptions

from s2fs._core.criterion import CentroidMembership, Compactness, Components
from s2fs._core.problem import Problem, Scale
from s2fs._core.weights import ClassWeight, relative
from s2fs._engine.native import class_sums
from s2fs._engine.protocol import State
from s2fs._engine.separability import Separability, empty_state, separability_of
from s2fs._engine.twins import CorrelationsOf
from s2fs._selectors.base import Search, SearchSelector
from s2fs._util.types import Floats, HowMany, Indices


class S2FS(SearchSelector):
    """Select features by spatially-aware separability.

    Greedy forward selection of the features in which the classes are far apart and tight, both
    seen by distance and by direction (Xu et al. 2025). Each step adds the feature that makes

    ``Sep = (lambda_dis + beta * lambda_dir) / (theta_dis + alpha * theta_dir)``

    of the selected features largest. The variants of the paper are special cases: S²–DWC is
    ``alpha=0``, S²–DBS is ``beta=0``, and S²–DWC–DBS, which sees distances only, is both.

    Parameters
    ----------
    n_features_to_select : int, float, "all" or "auto", default=10
        How many features to select: a number (all if there are fewer), a fraction of the features
        in (0, 1], "all", or "auto": as many as do better than chance, which may be none; see
        ``level``.
    alpha, beta : float, default=0.0316
        Weight of direction in the compactness and in the separation of the classes. The paper
        recommends 0.01 to 0.0562 for both.
    search : {"forward", "floating", "beam"}, default="forward"
        ``"forward"`` adds one feature after the other. ``"floating"`` also drops and swaps features
        while that raises the best Sep known for their number, ``"beam"`` follows several sets at
        once. The Sep of both is never below that of ``"forward"``.
    beam_width : int, default=5
        How many sets ``search="beam"`` follows.
    level, tol : float, default=0.1 and 0.005
        For ``n_features_to_select="auto"``. The search ends at the first feature whose p-value is
        above ``level``: the share of permutations in which the best feature comes within
        the share ``tol`` of the Sep of the real one. If no feature has to do with the classes, any
        is selected with at most this probability. Lower ``level`` or larger ``tol`` select fewer.
    include, exclude : list of str or int, default=None
        Features that are in from the start, in this order, and features that are never chosen; by
        column name or position. Included features count towards ``n_features_to_select``.
    feature_groups : list of lists, or a label per feature, default=None
        Features that are chosen together, by column name or position; or for each feature the label
        of its group, None for none. A group with more features than are still wanted is passed
        over; if nothing fits, fewer are selected. Including a feature includes its group, an
        excluded feature leaves its group.
    max_correlation : float, default=None
        Features whose correlation |r| with a selected one is above this, from 0 to 1, are left out,
        so no two selected features repeat each other; those of ``include`` and of one group may.
        If nothing else is left, fewer are selected, with a warning. ``None`` allows any.
    costs, budget : array-like of shape (n_features,) and float, default=None
        What each feature costs, and what the selected ones may cost together: in every step only
        features that still fit into the budget are considered.
    max_time : float, default=None
        Seconds after which ``fit`` ends with what it has found, at least one feature, and warns.
    stand_ins : float, default=None
        Also find features that could take the place of a selected one: 0.01 is those with which
        the criterion loses at most 1 %; see ``stand_ins_``.
    class_weight : "balanced" or dict, default=None
        How much the instances of a class count in the compactness. ``"balanced"`` lets every class
        count as much as another, however few instances it has. Classes not in a dict count 1.
    scale : {"minmax", None}, default="minmax"
        ``"minmax"`` scales every feature to [0, 1] on the data given to ``fit``, for the search
        only; ``transform`` returns the input values. ``None`` takes the features as they are.
    centroid_membership : {"printed", "normalized"}, default="printed"
        The variant of the paper's Eq. 20, see :func:`s2fs.components`.
    compactness : {"mean", "rms"}, default="mean"
        Whether theta_dis is the mean of the distances of the instances from their centroids, as
        published, or their root mean square, in which far instances count more.
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
        ``theta_dir``, ``lambda_dis``, ``lambda_dir`` of the features selected so far; for "auto"
        with a forward search also ``p_value``, NaN for included features.
    stand_ins_ : list of structured ndarray
        Only if asked for. For each selected feature, in order of choice, up to 20 others that could
        take its place, the best first: ``feature``, ``score``, the criterion after the swap, and
        ``r``, the correlation of the two. A column of ``ranking_table`` names them.
    ranking_ : ndarray of shape (n_features_in_,)
        Per feature its rank, 1 for the first chosen; features that were not chosen share the rank
        ``n_selected + 1``.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the selected features.
    feature_names_ : ndarray of shape (n_selected,)
        The names of the selected features in order of choice.
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
    >>> selector.feature_names_.tolist()
    ['flavanoids', 'alcohol', 'color_intensity']
    >>> selector.scores_.round(4).tolist()
    [2.4267, 2.501, 2.4971]
    """

    _label: ClassVar[str] = "S²FS"
    _score_name: ClassVar[str] = "sep"
    _part_names: ClassVar[tuple[str, ...]] = Components._fields
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "scale": [StrOptions({"minmax"}), None],
        "centroid_membership": [StrOptions({"printed", "normalized"})],
        "compactness": [StrOptions({"mean", "rms"})],
    }

    def __init__(
        self,
        n_features_to_select: HowMany | Literal["auto"] = 10,
        *,
        alpha: float = 0.0316,
        beta: float = 0.0316,
        search: Search = "forward",
        beam_width: int = 5,
        level: float = 0.1,
        tol: float = 0.005,
        include: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        feature_groups: Iterable[Any] | None = None,
        max_correlation: float | None = None,
        costs: ArrayLike | None = None,
        budget: float | None = None,
        max_time: float | None = None,
        stand_ins: float | None = None,
        class_weight: ClassWeight = None,
        scale: Scale = "minmax",
        centroid_membership: CentroidMembership = "printed",
        compactness: Compactness = "mean",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.beta = beta
        self.search = search
        self.beam_width = beam_width
        self.level = level
        self.tol = tol
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.max_correlation = max_correlation
        self.costs = costs
        self.budget = budget
        self.max_time = max_time
        self.stand_ins = stand_ins
        self.class_weight = class_weight
        self.scale = scale
        self.centroid_membership = centroid_membership
        self.compactness = compactness
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _criterion(self, X: Any, codes: Indices, sample_weight: Floats | None) -> Separability:
        return separability_of(self._state(X, codes, sample_weight), self.alpha, self.beta)

    def _state(self, X: Any, codes: Indices, sample_weight: Floats | None) -> State:
        """The state of the empty subset, for any weights alpha and beta."""
        weight = None if sample_weight is None else relative(sample_weight)
        problem = Problem(X, codes, self.scale, weight, sums=class_sums)
        # More threads than cores would only take memory.
        n_threads = min(effective_n_jobs(self.n_jobs), cpu_count())
        return empty_state(problem, self.centroid_membership, self.compactness, n_threads)

    def _criterion_on_cluster(
        self, client: Any, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Separability, CorrelationsOf | None]:
        from s2fs.distributed import cluster_state  # loads Dask

        state, classes, overall = cluster_state(self, client, X, y, sample_weight)
        self._encode(classes)
        return separability_of(state, self.alpha, self.beta), overall
