"""How good selections are on held-out samples, and how stable."""

from s2fs._utils.folds import stratified_folds
from s2fs._utils.public import set_modules
from s2fs._utils.stability import Stability, stability
from s2fs.evaluation.areas import RocCurve
from s2fs.evaluation.candidates import SELECTORS
from s2fs.evaluation.compare import compare, evaluate_selector
from s2fs.evaluation.comparison import Comparison, ComparisonRow, Recommendation
from s2fs.evaluation.curves import (
    Curve,
    FoldResult,
    PrefixCurves,
    Protocol,
    evaluate_fold,
    pool_folds,
    prefix_curves,
)
from s2fs.evaluation.intervals import Difference
from s2fs.evaluation.learners import LEARNERS
from s2fs.evaluation.metrics import METRICS, Estimate, HeldOut

__all__ = [
    "LEARNERS",
    "METRICS",
    "SELECTORS",
    "Comparison",
    "ComparisonRow",
    "Curve",
    "Difference",
    "Estimate",
    "FoldResult",
    "HeldOut",
    "PrefixCurves",
    "Protocol",
    "Recommendation",
    "RocCurve",
    "Stability",
    "compare",
    "evaluate_fold",
    "evaluate_selector",
    "pool_folds",
    "prefix_curves",
    "stability",
    "stratified_folds",
]

set_modules(__name__, [globals()[name] for name in __all__])
