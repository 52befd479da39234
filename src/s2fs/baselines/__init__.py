"""The algorithms that the S²FS paper compares with, and reference rankers.

A new one is a file in this folder and a line in ``registry.py``.
"""

from s2fs.baselines.base import Baseline as Baseline
from s2fs.baselines.best import best_of_several as best_of_several
from s2fs.baselines.registry import *  # noqa: F403 - one line there makes a baseline public here
from s2fs.baselines.registry import BASELINES as BASELINES
from s2fs.baselines.registry import installed_baselines as installed_baselines
