"""Rankers in wide use, and whatever other distributions register beside them.

A new one is a class of its own distribution and a line under the entry points
``s2fs.baselines`` there. s2fs-bench adds the nine selectors that the S²FS paper compares with.
"""

from s2fs.baselines.base import Baseline as Baseline
from s2fs.baselines.base import Ranked as Ranked
from s2fs.baselines.best import best_of_several as best_of_several
from s2fs.baselines.contract import check_baseline as check_baseline
from s2fs.baselines.reference import AnovaF as AnovaF
from s2fs.baselines.reference import MutualInformation as MutualInformation
from s2fs.baselines.reference import RandomOrder as RandomOrder
from s2fs.baselines.reference import ReliefF as ReliefF
from s2fs.baselines.registry import BASELINES as BASELINES
from s2fs.baselines.registry import installed_baselines as installed_baselines
from s2fs.baselines.wrappers import MRMR as MRMR
from s2fs.baselines.wrappers import SVMRFE as SVMRFE
from s2fs.baselines.wrappers import FastCan as FastCan
from s2fs.baselines.wrappers import GroupLasso as GroupLasso
from s2fs.baselines.wrappers import LightGBMGain as LightGBMGain
from s2fs.baselines.wrappers import OneVsRestT as OneVsRestT
from s2fs.baselines.wrappers import RandomForestImportance as RandomForestImportance
from s2fs.baselines.wrappers import Wilcoxon as Wilcoxon
