"""The S²FS estimator."""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar, Literal

from sklearn.utils._param_validation import Interval, StrOptions

from s2fs._native.class_sums import compute_scaling
from s2fs._native.separability import Separability, empty_state, separability_of
from s2fs._utils.docstrings import substitute
from s2fs._utils.public import set_module
from s2fs._utils.types import HowMany
from s2fs.criteria.problem import Problem
from s2fs.criteria.protocol import State
from s2fs.criteria.separability import CentroidMembership, Compactness, Components, Scale
from s2fs.criteria.weights import ClassWeight, relative
from s2fs.selectors.search_selector import SearchSelector
from s2fs.selectors.shared_docs import SHARED_DOCS
from s2fs.selectors.sources import OnCluster, Source


@set_module("s2fs")
@substitute(SHARED_DOCS)
class S2FS(SearchSelector):
    """Select features by spatially-aware separability.

    Greedy forward selection of the features in which the classes are far apart and tight, both
    seen by distance and by direction (Xu et al. 2025). Each step adds the feature that makes

    ``Sep = (lambda_dis + beta * lambda_dir) / (theta_dis + alpha * theta_dir)``

    of the selected features largest. The variants of the paper are special cases: S²–DWC is
    ``alpha=0``, S²–DBS is ``beta=0``, and S²–DWC–DBS, which sees distances only, is both.

    Parameters
    ----------
    {n_features_to_select}
    alpha, beta : float, default=0.0316
        Weight of direction in the compactness and in the separation of the classes. The paper
        recommends 0.01 to 0.0562 for both.
    {level, tol}
    {include, exclude}
    {feature_groups}
    {max_correlation}
    {min_per_class}
    class_weight : "balanced" or dict, default=None
        How much the samples of a class count in the compactness. ``"balanced"`` lets every class
        count as much as another, however few samples it has. Classes not in a dict count 1.
    scale : {"standard", "minmax", None}, default="standard"
        ``"standard"`` divides every feature by its standard deviation on the data given to ``fit``,
        ``"minmax"`` by its range, and ``None`` takes the features as they are. Only the search
        sees this; ``transform`` returns the input values. The paper does not say which it uses.
    {centroid_membership}
    {compactness}
    {n_jobs}

    Attributes
    ----------
    {indices_}
    scores_ : ndarray of shape (n_selected,)
        Sep of the first 1, 2, … features of ``indices_``.
    path_ : structured ndarray of shape (n_selected,)
        Per step ``feature``, ``sep``, ``gain`` and the four components ``theta_dis``,
        ``theta_dir``, ``lambda_dis``, ``lambda_dir`` of the features selected so far; for "auto"
        also ``p_value``, NaN for included features.
    {fitted}

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
    [2.6694, 2.5738, 2.5164]
    """

    _label: ClassVar[str] = "S²FS"
    _score_name: ClassVar[str] = "sep"
    _part_names: ClassVar[tuple[str, ...]] = Components._fields
    _needs_every_step: ClassVar[bool] = True
    algorithm_version: ClassVar[int] = 2
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "scale": [StrOptions({"standard", "minmax"}), None],
        "centroid_membership": [StrOptions({"published", "normalized"})],
        "compactness": [StrOptions({"mean", "rms"})],
    }

    def __init__(
        self,
        n_features_to_select: HowMany | Literal["auto"] = 10,
        *,
        alpha: float = 0.0316,
        beta: float = 0.0316,
        level: float = 0.1,
        tol: float = 0.005,
        include: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        feature_groups: Iterable[Any] | None = None,
        max_correlation: float | None = None,
        min_per_class: int | None = None,
        class_weight: ClassWeight = None,
        scale: Scale = "standard",
        centroid_membership: CentroidMembership = "published",
        compactness: Compactness = "mean",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select,
            level=level,
            tol=tol,
            include=include,
            exclude=exclude,
            feature_groups=feature_groups,
            max_correlation=max_correlation,
            min_per_class=min_per_class,
            class_weight=class_weight,
            n_jobs=n_jobs,
        )
        self.alpha = alpha
        self.beta = beta
        self.scale = scale
        self.centroid_membership = centroid_membership
        self.compactness = compactness

    def _make_criterion(self, source: Source) -> Separability:
        return separability_of(self._make_state(source), self.alpha, self.beta)

    def _make_state(self, source: Source) -> State:
        """The state of the empty subset, for any weights alpha and beta."""
        if isinstance(source, OnCluster):
            from s2fs.dask.problem import ClusterProblem  # loads Dask
            from s2fs.dask.separability import ClusterState

            problem = ClusterProblem(source.cluster_samples, source.summary, self.scale)
            state = ClusterState(problem, self.centroid_membership, self.compactness)
            source.cluster_samples.chunks = []  # the shards have them
            return state
        assert source.samples is not None  # for mypy # nosec B101
        X, codes = source.samples.adjusted, source.samples.codes
        weight = source.samples.sample_weight
        weight = None if weight is None else relative(weight)
        n_threads = self._n_threads
        scaling = compute_scaling(X, codes, self.scale, weight, n_threads)
        in_memory = Problem(X, codes, sample_weight=weight, scaling=scaling)
        return empty_state(in_memory, self.centroid_membership, self.compactness, n_threads)
