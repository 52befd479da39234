"""The nine selectors that the paper compares with, reconstructed from their articles.

``s2fs.baselines.BASELINES`` has them by name where this distribution is installed: they are entry
points of its group ``s2fs.baselines``.
"""

from typing import TYPE_CHECKING

from s2fs._utils.lazy import lazy_names

if TYPE_CHECKING:
    from s2fs_bench.baselines.fdm import FDM
    from s2fs_bench.baselines.fgzefsr import FGZEFSR
    from s2fs_bench.baselines.fsnmer import FSNMER
    from s2fs_bench.baselines.ipd import IPD
    from s2fs_bench.baselines.mafrfs import MAFRFS
    from s2fs_bench.baselines.mdp import MDP
    from s2fs_bench.baselines.n3y import N3Y
    from s2fs_bench.baselines.rdsi import RDSI
    from s2fs_bench.baselines.sfss import SFSS

__all__ = ["FDM", "FGZEFSR", "FSNMER", "IPD", "MAFRFS", "MDP", "N3Y", "RDSI", "SFSS"]

# Loaded when first used: their loops are compiled by numba, which takes a while to import.
__getattr__ = lazy_names(
    __name__, {name: f"s2fs_bench.baselines.{name.lower()}" for name in __all__}
)


def __dir__() -> list[str]:
    return list(__all__)
