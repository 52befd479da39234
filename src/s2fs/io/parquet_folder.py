"""Parquet files as tables: one that is read a few columns at a time, or a folder of parts."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from s2fs._utils.optional import need
from s2fs._utils.parquet_parts import (
    check_schemas,
    get_partitions,
    list_partitions,
    list_parts,
    read_schemas,
)
from s2fs.io._errors import UnreadableError, reader_errors
from s2fs.io._source import Source
from s2fs.io.memory import check_size

#: So many bytes of numbers are read at once, and so many columns at most.
BATCH_SIZE, BATCH_COLUMNS = 1 << 24, 512
#: What a short text takes in memory beside its characters.
_TEXT_OVERHEAD = 64


class ArrowTable(NamedTuple):
    """A table whose columns come one after the other.

    Attributes
    ----------
    schema : pyarrow.Schema
        Their names and types.
    n_rows : int
        How long they are.
    columns : iterable of pyarrow.ChunkedArray
        Their values.
    partitions : tuple of str
        The names of those that stand in the names of folders.
    """

    schema: Any
    n_rows: int
    columns: Iterable[Any]
    partitions: tuple[str, ...] = ()

    @classmethod
    def whole(cls, table: Any, partitions: tuple[str, ...] = ()) -> "ArrowTable":
        """A table in memory."""
        return cls(table.schema, table.num_rows, table.columns, partitions)


def open_parquet(file: BinaryIO, source: Source) -> ArrowTable:
    """The table of a Parquet file; its columns are read when they are asked for."""
    types = need("pyarrow", extra="parquet", purpose=f"Reading {source.name}").types
    parquet = need("pyarrow.parquet", extra="parquet", purpose=f"Reading {source.name}")
    content = parquet.ParquetFile(file)
    # As a dictionary a text that comes again is kept once.
    schema = content.schema_arrow
    text = [f.name for f in schema if types.is_string(f.type)]
    if text:
        content = parquet.ParquetFile(file, metadata=content.metadata, read_dictionary=text)
    check_size(declare_size(content.metadata), source.limit, source.name)
    columns = _read_columns(content, schema.names)
    return ArrowTable(schema, content.metadata.num_rows, columns)


def _read_columns(content: Any, names: list[str]) -> Iterator[Any]:
    """The columns of a file, a few at a time: all at once take several times their size."""
    n_columns = BATCH_SIZE // (8 * max(content.metadata.num_rows, 1))
    step = min(max(n_columns, 1), BATCH_COLUMNS)
    known = set(names)
    # pyarrow takes "x" for all of "x", "x.y" and "x.z".
    has_parts = any("." in name and not known.isdisjoint(_list_prefixes(name)) for name in names)
    if has_parts or len(known) < len(names):
        step = len(names)
    for start in range(0, len(names), step):
        some = None if step == len(names) else names[start : start + step]
        yield from content.read(columns=some).columns


def _list_prefixes(name: str) -> list[str]:
    """What stands before each point in a name."""
    return [name[:i] for i, letter in enumerate(name) if letter == "."]


def read_parquet_folder(source: Source) -> ArrowTable:
    """All parts of a folder as one table; hive partitions are columns at its end."""
    files = list_parts(source.name)
    check_size(_declare_total_size(files), source.limit, source.name)
    return ArrowTable.whole(*read_parts(files, source.name))


def read_parts(
    files: list[str], where: str, most_rows: int | None = None
) -> tuple[Any, tuple[str, ...]]:
    """Parts, or their first rows, as one Arrow table, and the names of their hive partitions.

    A partition is a column of text, unless all its values are whole numbers.
    """
    arrow = need("pyarrow", extra="parquet", purpose=f"Reading {where}")
    parquet = need("pyarrow.parquet", extra="parquet", purpose=f"Reading {where}")
    schemas = read_schemas(files)
    names = next(iter(schemas.values())).names
    try:
        check_schemas(schemas, names)
    except ValueError as error:
        raise UnreadableError(str(error)) from None
    partitions = [name for name in list_partitions(files, where) if name not in names]
    parts, n_rows = [], 0
    for file in files:
        # One file at a time: as a dataset pyarrow would look for partitions of its own.
        with reader_errors(file, ".parquet"):
            content = parquet.ParquetFile(file)
            if most_rows is None:
                part = content.read(columns=names)
            else:
                batches = content.iter_batches(most_rows - n_rows, columns=names)
                part = arrow.Table.from_batches(islice(batches, 1), content.schema_arrow)
                part = part.select(names)
        values = get_partitions(file, where)
        for name in partitions:
            column = arrow.array([values.get(name)] * part.num_rows, arrow.string())
            part = part.append_column(name, column)
        parts.append(part)
        n_rows += part.num_rows
        if n_rows == most_rows:
            break
    table = arrow.concat_tables(parts, promote_options="permissive")
    for name in partitions:
        table = _with_whole_numbers(table, name, arrow)
    return table, tuple(partitions)


def declare_size(metadata: Any) -> int:
    """How much memory a Parquet file asks for: 8 bytes a number, and text as it is stored."""
    size = 8 * metadata.num_rows * metadata.num_columns
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.physical_type == "BYTE_ARRAY":
                size += 2 * column.total_uncompressed_size + _TEXT_OVERHEAD * column.num_values
    return int(size)


def _declare_total_size(files: list[str]) -> int:
    parquet = need("pyarrow.parquet", extra="parquet", purpose="Reading Parquet files")
    total = 0
    for file in files:
        with reader_errors(file, ".parquet"):
            total += declare_size(parquet.read_metadata(file))
    return total


def _with_whole_numbers(table: Any, name: str, arrow: Any) -> Any:
    """The table with a partition as whole numbers, if all its values are."""
    position = table.column_names.index(name)
    try:
        numbers = table.column(position).cast(arrow.int64())
    except arrow.ArrowInvalid:
        return table
    return table.set_column(position, name, numbers)
