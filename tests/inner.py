"""The inner parts of the package that some tests are about, in one place.

Tests of what the package does call public names. These few compare parts that nobody outside
sees: a native loop with its NumPy form, a state with the definition. Where a file of the package
moves, this is the file to edit. ``test_architecture.py`` says who may import it.
"""

from s2fs.baselines import _plain_loops as plain_loops
from s2fs.baselines._completion import Subset, complete
from s2fs.baselines._relations import Relation, different_class_pairs

__all__ = [
    "Relation",
    "Subset",
    "complete",
    "different_class_pairs",
    "plain_loops",
]
