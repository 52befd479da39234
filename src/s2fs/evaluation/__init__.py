"""Judge rankings: prefix curves under four learners, stability, and tests between algorithms."""

from s2fs.evaluation._curves import Curve, PrefixCurves, pool_folds, prefix_curves
from s2fs.evaluation._folds import LEARNERS, FoldResult, evaluate_fold, stratified_folds
from s2fs.evaluation._pairwise import PairwiseComparison, wilcoxon_holm
from s2fs.evaluation._stability import Stability, stability
from s2fs.evaluation._statistics import (
    FriedmanResult,
    NemenyiResult,
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi_test,
)

__all__ = [
    "LEARNERS",
    "Curve",
    "FoldResult",
    "FriedmanResult",
    "NemenyiResult",
    "PairwiseComparison",
    "PrefixCurves",
    "Stability",
    "average_ranks",
    "critical_difference",
    "evaluate_fold",
    "friedman_test",
    "nemenyi_test",
    "pool_folds",
    "prefix_curves",
    "stability",
    "stratified_folds",
    "wilcoxon_holm",
]
