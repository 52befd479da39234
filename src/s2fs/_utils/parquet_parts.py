"""Tables cut into Parquet files: a folder of parts, with or without hive partitions."""

from glob import glob
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from s2fs._utils.messages import format_names
from s2fs._utils.optional import need

#: What a hive partition calls a missing value.
HIVE_MISSING = "__HIVE_DEFAULT_PARTITION__"


def list_parts(where: Any) -> list[str]:
    """The Parquet files of a folder, or those a pattern such as ``"parts/*.parquet"`` fits.

    Files of hidden folders, and those whose name begins with a dot or an underscore, are no parts.
    """
    place = str(where)
    pattern = f"{place}/**/*.parquet" if Path(place).is_dir() else place
    if pattern == place and not any(letter in place for letter in "*?["):
        return []
    files = sorted(file for file in glob(pattern, recursive=True) if Path(file).is_file())
    return [file for file in files if not Path(file).name.startswith((".", "_"))]


def read_schemas(files: list[str]) -> dict[str, Any]:
    """The schema of each part, by the name of its file: only the end of the file is read."""
    parquet = need("pyarrow.parquet", extra="parquet", purpose="Reading Parquet files")
    return {file: parquet.read_schema(file) for file in files}


def check_schemas(schemas: dict[str, Any], names: list[str]) -> None:
    """Raise if a part lacks a column, or has text where the first part has numbers."""
    first_kinds: dict[str, tuple[str, str]] = {}
    for file, schema in schemas.items():
        types = dict(zip(schema.names, schema.types, strict=True))
        lacking = [name for name in names if name not in types]
        if lacking:
            first = next(iter(schemas))
            raise ValueError(
                f"{file} has no column {format_names(lacking)}, which {first} has; write all parts "
                "with the same columns."
            )
        for name in names:
            kind = _describe_type(types[name])
            first_kind, first_file = first_kinds.setdefault(name, (kind, file))
            if kind != first_kind and "nothing" not in (kind, first_kind):
                raise ValueError(
                    f"{file} has {kind} in column {name!r}, but {first_file} has {first_kind}; "
                    "write all parts with the same types."
                )


def get_partitions(file: str, where: Any) -> dict[str, str | None]:
    """The hive partitions of a part, such as ``{"day": "0"}`` of ``day=0/part.parquet``."""
    folders = Path(file).parent.parts
    if Path(where).is_dir():  # what stands above the table says nothing of it
        folders = Path(file).parent.relative_to(where).parts
    partitions: dict[str, str | None] = {}
    for folder in folders:
        name, is_partition, value = folder.partition("=")
        if is_partition and name:
            text = unquote(value)
            partitions[unquote(name)] = None if text == HIVE_MISSING else text
    return partitions


def list_partitions(files: list[str], where: Any) -> list[str]:
    """The names of the hive partitions of all parts, in their order."""
    names: dict[str, None] = {}
    for file in files:
        names |= dict.fromkeys(get_partitions(file, where))
    return list(names)


def _describe_type(type_: Any) -> str:
    """What the values of a column are, in a word."""
    types = need("pyarrow", extra="parquet").types
    if types.is_dictionary(type_):
        return _describe_type(type_.value_type)
    if types.is_null(type_):
        return "nothing"
    if types.is_temporal(type_):
        return "times"
    if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return "text"
    return "numbers" if types.is_primitive(type_) else str(type_)
