"""How good selections are on held-out samples, and how stable."""

from s2fs._core.folds import stratified_folds
from s2fs._core.stability import Stability, stability
from s2fs.evaluation._compare import SELECTORS, compare, evaluate_selector
from s2fs.evaluation._curves import Curve, PrefixCurves, Protocol, pool_folds, prefix_curves
from s2fs.evaluation._folds import FoldResult, evaluate_fold
from s2fs.evaluation._learners import LEARNERS
from s2fs.evaluation.comparison import Comparison, ComparisonRow, Recommendation
from s2fs.evaluation.statistics import Difference

__all__ = [
    "LEARNERS",
    "SELECTORS",
    "Comparison",
    "ComparisonRow",
    "Curve",
    "Difference",
    "FoldResult",
    "PrefixCurves",
    "Protocol",
    "Recommendation",
    "Stability",
    "compare",
    "evaluate_fold",
    "evaluate_selector",
    "pool_folds",
    "prefix_curves",
    "stability",
    "stratified_folds",
]
