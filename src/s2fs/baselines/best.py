"""The best of several selectors, chosen by cross-validation inside the samples given to ``fit``."""

from typing import Any

from s2fs._utils.types import HowMany
from s2fs.baselines.reference import ReliefF
from s2fs.baselines.wrappers import SVMRFE
from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.pair_cover import PairCover


def best_of_several(n_features_to_select: HowMany = 10, **options: Any) -> SelectorCV:
    """Make a selector that chooses between PairCover, PairCover on ranks, SVM-RFE and ReliefF.

    The four are very different, and none is the best everywhere. Each selects in the folds of an
    inner cross-validation, and the one with the highest mean balanced accuracy of 5 nearest
    neighbours and a support vector machine selects on all samples. That takes many times as long as
    a single selector, and the selections are less stable.

    Parameters
    ----------
    n_features_to_select : int, float or "all", default=10
        How many features to select.
    **options : dict
        Other parameters of :class:`~s2fs.SelectorCV`, such as ``cv`` or ``n_jobs``.

    Returns
    -------
    s2fs.SelectorCV
        To be fitted; ``best_params_`` then names the selector that was chosen.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs.baselines import best_of_several
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = best_of_several(4).fit(X, y)
    >>> sorted(selector.best_params_)
    ['n_features_to_select', 'selector']
    """
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    return SelectorCV(
        n_features_to_select,
        selector=[
            ("PairCover", PairCover()),
            ("PairCover on ranks", PairCover(scale="rank")),
            ("SVM-RFE", SVMRFE()),
            ("ReliefF", ReliefF()),
        ],
        estimator=[KNeighborsClassifier(5), SVC(C=10)],
        scoring="balanced_accuracy",
        **options,
    )
