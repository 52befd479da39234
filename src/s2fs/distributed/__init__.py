"""Selection over rows that are spread over a Dask cluster (extra ``distributed``).

Give :class:`s2fs.S2FS` or :class:`s2fs.PairCover` a Dask array or data frame while a
``distributed.Client`` is open: the rows stay with the workers, and the choice is that of a fit on
one machine.
"""

from s2fs.distributed._pairs import cluster_cover
from s2fs.distributed._read import Partitioned, connect, read_partitioned
from s2fs.distributed._state import cluster_state

__all__ = ["Partitioned", "cluster_cover", "cluster_state", "connect", "read_partitioned"]
