"""Find the few features that matter in wide data, by spatially-aware separability."""

from typing import TYPE_CHECKING

from s2fs._utils.lazy import lazy_names
from s2fs._utils.version import __version__ as __version__

if TYPE_CHECKING:
    from s2fs.criteria.separability import Components, components, separability
    from s2fs.evaluation import Comparison, compare
    from s2fs.io import read_table
    from s2fs.panel import Panel
    from s2fs.selectors.cv import SelectorCV
    from s2fs.selectors.pair_cover import PairCover
    from s2fs.selectors.paths import Paths, s2fs_paths
    from s2fs.selectors.s2fs import S2FS
    from s2fs.selectors.selection import Selection
    from s2fs.selectors.stability import StabilitySelector

__all__ = [
    "S2FS",
    "Comparison",
    "Components",
    "PairCover",
    "Panel",
    "Paths",
    "Selection",
    "SelectorCV",
    "StabilitySelector",
    "compare",
    "components",
    "read_table",
    "s2fs_paths",
    "separability",
]

__getattr__ = lazy_names(
    __name__,
    {
        "S2FS": "s2fs.selectors.s2fs",
        "SelectorCV": "s2fs.selectors.cv",
        "Comparison": "s2fs.evaluation",
        "Components": "s2fs.criteria.separability",
        "PairCover": "s2fs.selectors.pair_cover",
        "Panel": "s2fs.panel.panel",
        "Paths": "s2fs.selectors.paths",
        "Selection": "s2fs.selectors.selection",
        "StabilitySelector": "s2fs.selectors.stability",
        "compare": "s2fs.evaluation",
        "components": "s2fs.criteria.separability",
        "read_table": "s2fs.io",
        "s2fs_paths": "s2fs.selectors.paths",
        "separability": "s2fs.criteria.separability",
    },
)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
