"""Rankers in wide use, and whatever other distributions register beside them.

A new one is a class in a distribution of its own and a line under the entry points
``s2fs.baselines`` there. s2fs-bench adds the nine selectors that the S²FS paper compares with.
"""

from s2fs._utils.public import set_modules
from s2fs.baselines.base import Baseline, Ranked
from s2fs.baselines.best import best_of_several
from s2fs.baselines.contract import check_baseline
from s2fs.baselines.reference import AnovaF, MutualInformation, RandomOrder, ReliefF
from s2fs.baselines.registry import BASELINES, installed_baselines
from s2fs.baselines.wrappers import (
    MRMR,
    SVMRFE,
    FastCan,
    GroupLasso,
    LightGBMGain,
    OneVsRestT,
    RandomForestImportance,
    Wilcoxon,
)

__all__ = [
    "BASELINES",
    "MRMR",
    "SVMRFE",
    "AnovaF",
    "Baseline",
    "FastCan",
    "GroupLasso",
    "LightGBMGain",
    "MutualInformation",
    "OneVsRestT",
    "RandomForestImportance",
    "RandomOrder",
    "Ranked",
    "ReliefF",
    "Wilcoxon",
    "best_of_several",
    "check_baseline",
    "installed_baselines",
]

set_modules(__name__, [globals()[name] for name in __all__])
