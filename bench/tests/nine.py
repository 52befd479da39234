"""The nine selectors that the paper compares with, by name."""

from s2fs import baselines
from s2fs_bench.baselines import __all__ as names

NINE = {name: baselines.BASELINES[name] for name in names}
