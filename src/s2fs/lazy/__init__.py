"""Selection where the data are: lazy frames and tables of databases.

:class:`s2fs.PairCover` takes a lazy frame and the name of the column with the classes. The engine
that holds the table counts and sums; no sample is moved.
"""

from s2fs._utils.public import set_modules
from s2fs.lazy.databases import open_parquet, open_table

__all__ = ["open_parquet", "open_table"]

set_modules(__name__, [globals()[name] for name in __all__])
