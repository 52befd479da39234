"""The S²FS estimator."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from s2fs._base import Indices, RankingSelector
from s2fs._criterion import CentroidMembership, Components, Floats
from s2fs._problem import Problem, Scale
from s2fs._progress import progress
from s2fs._search import forward
from s2fs._state import empty_state

_MEASURES = ("sep", "gain", *Components._fields)
_PATH = np.dtype([("feature", np.intp), *((name, np.float64) for name in _MEASURES)])


class S2FS(RankingSelector):
    """Select features by spatially-aware separability.

    Greedy forward selection of the features in which the classes are far apart and tight, both
    judged by distance and by direction (Xu et al. 2025). Each step adds the feature that makes

    ``Sep = (lambda_dis + beta * lambda_dir) / (theta_dis + alpha * theta_dir)``

    of the selected features largest. The variants of the paper are special cases: S²–DWC is
    ``alpha=0``, S²–DBS is ``beta=0``, and S²–DWC–DBS, which sees distances only, is both.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        How many features to select: a number, or a fraction of the features in (0, 1].
    alpha : float, default=0.0316
        Weight of direction in the compactness of the classes. The paper recommends 0.01 to 0.0562
        for both weights.
    beta : float, default=0.0316
        Weight of direction in the separation of the classes.
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
        The selected features in order of choice.
    scores_ : ndarray of shape (n_selected,)
        Sep after each choice.
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
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if ``X`` has string column names.

    Notes
    -----
    Equal gains go to the smaller feature index. A feature that is constant on the data is never
    chosen while another is left.

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
    >>> selector.transform(X).shape
    (178, 3)
    """

    _accept_sparse: ClassVar[str | bool] = "csc"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RankingSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "scale": [StrOptions({"minmax"}), None],
        "centroid_membership": [StrOptions({"printed", "normalized"})],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 10,
        *,
        alpha: float = 0.0316,
        beta: float = 0.0316,
        scale: Scale = "minmax",
        centroid_membership: CentroidMembership = "printed",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.beta = beta
        self.scale = scale
        self.centroid_membership = centroid_membership
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rank(self, X: NDArray[Any], codes: Indices, k: int) -> tuple[Indices, Floats]:
        problem = Problem(X, codes, self.scale)
        state = empty_state(problem, self.centroid_membership, k, effective_n_jobs(self.n_jobs))
        self.path_ = np.empty(k, dtype=_PATH)
        steps = forward(state, k, self.alpha, self.beta)
        for row, step in enumerate(progress(steps, k, "S²FS", show=self.verbose > 0)):
            self.path_[row] = (step.feature, step.sep, step.gain, *step.components)
        return self.path_["feature"].copy(), self.path_["sep"].copy()

    def _score_columns(self) -> dict[str, NDArray[Any]]:
        return {name: self.path_[name] for name in _MEASURES}
