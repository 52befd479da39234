"""Tables of databases, and Parquet files, as lazy frames."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from s2fs._utils.messages import did_you_mean, format_names
from s2fs._utils.optional import need

#: What DuckDB needs for a query of some hundred sums.
_LEAST_MEMORY = 2**28


def open_table(database: str, table: str) -> Any:
    """Open a table of a database without reading it.

    Parameters
    ----------
    database : str
        The kind of database and where it is: ``"duckdb:FILE"``.
    table : str
        The name of a table or view, as in ``"visits"`` or ``"schema.visits"``.

    Returns
    -------
    duckdb.DuckDBPyRelation
        A lazy frame for :meth:`s2fs.PairCover.fit`; the file is opened for reading only.

    Raises
    ------
    ValueError
        If the kind is not known, the file is no database, or it has no such table.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import tempfile, pathlib, duckdb
    >>> from s2fs import PairCover
    >>> from s2fs.lazy import open_table
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "flowers.duckdb"
    >>> with duckdb.connect(file) as database:
    ...     _ = database.sql("CREATE TABLE flowers (petal DOUBLE, sepal DOUBLE, kind TEXT)")
    ...     _ = database.sql("INSERT INTO flowers VALUES (1, 5, 'a'), (2, 4, 'a')")
    ...     _ = database.sql("INSERT INTO flowers VALUES (8, 5, 'b'), (9, 4, 'b')")
    >>> flowers = open_table(f"duckdb:{file}", "flowers")
    >>> PairCover(1).fit(flowers, "kind").feature_names_.tolist()
    ['petal']
    """
    kind, separator, place = database.partition(":")
    if kind != "duckdb" or not separator or not place:
        raise ValueError(
            f"The database is {database!r}; give duckdb: and a file, as in duckdb:visits.duckdb."
        )
    duckdb = need("duckdb", extra="duckdb", purpose="Reading a DuckDB file")
    if not Path(place).is_file():
        raise FileNotFoundError(f"There is no file {place!r}; check the path.")
    try:
        connection = duckdb.connect(place, read_only=True)
    except duckdb.Error as error:
        raise ValueError(
            f"{place} cannot be opened as a DuckDB database ({_first_line(error)})."
        ) from None
    names = [
        name if schema == "main" else f"{schema}.{name}"
        for schema, name in connection.sql(
            "SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL"
        ).fetchall()
    ]
    if table not in names:
        hint = did_you_mean(table, names) or f"; it has {format_names(names)}"
        raise ValueError(f"{place} has no table {table!r}{hint}.")
    return connection.table(table)


def open_parquet(files: Sequence[str], max_memory: int | None = None) -> Any:
    """Open Parquet files as one table without reading them.

    Parameters
    ----------
    files : sequence of str
        Files with the same columns; the hive partitions in their paths are columns, too.
    max_memory : int, optional
        How many bytes DuckDB may take; it gets a quarter of a gigabyte at least.

    Returns
    -------
    duckdb.DuckDBPyRelation
        A lazy frame for :meth:`s2fs.PairCover.fit`, its columns in the order of the first file.

    Examples
    --------
    >>> import tempfile, pathlib, pandas
    >>> from s2fs import PairCover
    >>> from s2fs.lazy import open_parquet
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "flowers.parquet"
    >>> flowers = {"petal": [1.0, 2, 8, 9], "sepal": [5.0, 4, 5, 4], "kind": [*"aabb"]}
    >>> pandas.DataFrame(flowers).to_parquet(file)
    >>> PairCover(1).fit(open_parquet([str(file)]), "kind").feature_names_.tolist()
    ['petal']
    """
    duckdb = need("duckdb", extra="duckdb", purpose="Selecting from Parquet files where they are")
    connection = duckdb.connect(":memory:")
    if max_memory is not None:
        connection.execute(f"SET memory_limit = '{max(max_memory, _LEAST_MEMORY)}B'")
    # What is a pattern to DuckDB may be the name of a file.
    names = [re.sub(r"([*?\[\]])", r"[\1]", file) for file in files]
    return connection.read_parquet(
        names, union_by_name=len(names) > 1, hive_partitioning=any("=" in file for file in files)
    )


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
