"""Selection from samples that are spread over a Dask cluster (extra ``dask``).

Give :class:`s2fs.S2FS` or :class:`s2fs.PairCover` a Dask array or data frame: the samples stay with
the workers of the current ``distributed.Client``, or in the care of Dask in this process, and the
selection is that of a fit in memory.
"""

from s2fs._utils.public import set_modules
from s2fs.dask.connection import connect

__all__ = ["connect"]

set_modules(__name__, [globals()[name] for name in __all__])
