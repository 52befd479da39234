"""Find the few features that matter in wide data, by spatially-aware separability."""

from importlib.metadata import version

from s2fs._criterion import Components, components, separability
from s2fs._cv import S2FSCV
from s2fs._paths import Paths, s2fs_paths
from s2fs._s2fs import S2FS
from s2fs._selection import Selection
from s2fs._stability_selector import StabilitySelector

__version__ = version("s2fs")
__all__ = [
    "S2FS",
    "S2FSCV",
    "Components",
    "Paths",
    "Selection",
    "StabilitySelector",
    "components",
    "s2fs_paths",
    "separability",
]
