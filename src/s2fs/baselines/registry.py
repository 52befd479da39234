"""All baselines by name, for everything that goes over all of them."""

from s2fs.baselines import RIVALS

#: The baselines and reference rankers by name.
BASELINES = RIVALS
