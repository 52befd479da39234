"""Score rankings on unseen rows: prefix curves under several learners, and stability."""

from s2fs._core.folds import stratified_folds
from s2fs._core.stability import Stability, stability
from s2fs.evaluation._compare import SELECTORS, Comparison, compare
from s2fs.evaluation._curves import Curve, PrefixCurves, Protocol, pool_folds, prefix_curves
from s2fs.evaluation._folds import FoldResult, evaluate_fold
from s2fs.evaluation._learners import LEARNERS

__all__ = [
    "LEARNERS",
    "SELECTORS",
    "Comparison",
    "Curve",
    "FoldResult",
    "PrefixCurves",
    "Protocol",
    "Stability",
    "compare",
    "evaluate_fold",
    "pool_folds",
    "prefix_curves",
    "stability",
    "stratified_folds",
]
