"""Find the few features that matter in wide data, by spatially-aware separability."""

from typing import TYPE_CHECKING

from s2fs._util.lazy import lazy_names
from s2fs._util.version import __version__ as __version__

if TYPE_CHECKING:
    from s2fs._core.criterion import Components, components, separability
    from s2fs._selectors.cv import SelectorCV
    from s2fs._selectors.pairs import PairCover
    from s2fs._selectors.paths import Paths, s2fs_paths
    from s2fs._selectors.s2fs import S2FS
    from s2fs._selectors.selection import Selection
    from s2fs._selectors.stability import StabilitySelector
    from s2fs.evaluation import Comparison, compare

__all__ = [
    "S2FS",
    "Comparison",
    "Components",
    "PairCover",
    "Paths",
    "Selection",
    "SelectorCV",
    "StabilitySelector",
    "compare",
    "components",
    "s2fs_paths",
    "separability",
]

__getattr__ = lazy_names(
    __name__,
    {
        "S2FS": "s2fs._selectors.s2fs",
        "SelectorCV": "s2fs._selectors.cv",
        "Comparison": "s2fs.evaluation",
        "Components": "s2fs._core.criterion",
        "PairCover": "s2fs._selectors.pairs",
        "Paths": "s2fs._selectors.paths",
        "Selection": "s2fs._selectors.selection",
        "StabilitySelector": "s2fs._selectors.stability",
        "compare": "s2fs.evaluation",
        "components": "s2fs._core.criterion",
        "s2fs_paths": "s2fs._selectors.paths",
        "separability": "s2fs._core.criterion",
    },
)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
