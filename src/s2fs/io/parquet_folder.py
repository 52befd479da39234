"""A folder of Parquet files as one table."""

from typing import Any

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

#: What a short text takes in memory beside its characters.
_TEXT_OVERHEAD = 64


def read_parquet_folder(source: Source) -> tuple[Any, tuple[str, ...]]:
    """All parts of a folder as one Arrow table, and the names of its hive partitions.

    A partition is a column of text, unless all its values are whole numbers.
    """
    arrow = need("pyarrow", extra="parquet", purpose=f"Reading {source.name}")
    parquet = need("pyarrow.parquet", extra="parquet", purpose=f"Reading {source.name}")
    files = list_parts(source.name)
    check_size(_declare_total_size(files), source.limit, source.name)
    schemas = read_schemas(files)
    names = next(iter(schemas.values())).names
    try:
        check_schemas(schemas, names)
    except ValueError as error:
        raise UnreadableError(str(error)) from None
    partitions = [name for name in list_partitions(files, source.name) if name not in names]
    parts = []
    for file in files:
        # One file at a time: as a dataset pyarrow would look for partitions of its own.
        with reader_errors(file, ".parquet"):
            part = parquet.ParquetFile(file).read(columns=names)
        values = get_partitions(file, source.name)
        for name in partitions:
            column = arrow.array([values.get(name)] * part.num_rows, arrow.string())
            part = part.append_column(name, column)
        parts.append(part)
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
