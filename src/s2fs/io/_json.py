"""Tables in JSON: records, one a line or in a list, or columns by name."""

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any

from s2fs.io._errors import UnreadableError
from s2fs.io._source import Source


def json_rows(source: Source, encoding: str | None) -> list[list[str]]:
    """The names of the columns, and the cells of each row as text."""
    text = source.text(encoding).decode()
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        content = _read_lines(text, source.name)
    records = _as_records(content)
    if records is None:
        raise UnreadableError(
            f'{source.name} is JSON, but neither records such as [{{"a": 1}}, …] nor columns; '
            "write a table with one row per sample as .csv.",
            reason="foreign format",
        )
    names = list(dict.fromkeys(chain.from_iterable(records)))
    if any(isinstance(cell, dict | list) for record in records for cell in record.values()):
        raise UnreadableError(
            f"{source.name} has lists or objects in the cells of its records; write a table with "
            "one row per sample as .csv.",
            reason="foreign format",
        )
    return [names, *([_as_cell(record.get(name)) for name in names] for record in records)]


def _read_lines(text: str, source: str) -> list[Any]:
    """One record in every line."""
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise UnreadableError(
                f"{source} is no JSON that can be read: line {number}, {error.msg}; check it.",
                reason="damaged",
            ) from None
    return records


def _as_records(content: Any) -> list[Mapping[str, Any]] | None:
    """A dict for each row, of a list of them or of columns; None if it is anything else."""
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        return content
    if not isinstance(content, dict) or not content:
        return None
    columns = list(content.values())
    if all(isinstance(column, dict) for column in columns):  # as pandas writes them by default
        rows = dict.fromkeys(chain.from_iterable(columns))
        return [{name: content[name].get(row) for name in content} for row in rows]
    is_table = all(isinstance(column, list) for column in columns)
    if is_table and len({len(column) for column in columns}) == 1:
        return [dict(zip(content, row, strict=True)) for row in zip(*columns, strict=True)]
    return None


def _as_cell(value: Any) -> str:
    """A value as it would stand in a delimited file."""
    return "" if value is None else str(value)
