"""Parquet files that take more memory than there is: which of their columns are features.

The first rows say so by the rules for any other table (``_roles.py``). What they take for the
numbers or names of the rows is left out only if it is different in every row of the whole.
"""

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

from s2fs._utils.arguments import Argument
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_named
from s2fs._utils.parquet_parts import list_parts
from s2fs.io._columnar import arrow_to_frame
from s2fs.io._errors import UnreadableError, raise_obstacles, reader_errors
from s2fs.io._identifiers import is_id_name
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import Remark, collect_remarks, warn_reader
from s2fs.io._roles import find_features
from s2fs.io.parquet_folder import ArrowTable, read_parts

#: So many rows are looked at.
FIRST_ROWS = 10_000

#: Says of columns, by position, which of them are different in every row of the whole table.
AreDistinct = Callable[[list[int]], list[bool]]


def list_parquet_files(path: str | PathLike[str]) -> list[str]:
    """The Parquet files that a path names: itself, those of a folder, or those a pattern fits."""
    if parts := list_parts(path):
        return parts
    try:
        with open(path, "rb") as file:
            return [str(path)] if file.read(4) == b"PAR1" else []
    except OSError:
        return []


class LargeParquet:
    """Parquet files of which only the first rows are read.

    Parameters
    ----------
    path : str or path-like
        A Parquet file, a folder of them or a pattern.
    **options
        Keywords of :func:`s2fs.read_table`: ``target``, ``drop``, ``keep``, ``id``,
        ``max_memory``.

    Attributes
    ----------
    files : list of str
        The files.
    limit : int
        How many bytes their content may take.
    """

    def __init__(self, path: str | PathLike[str], **options: Any) -> None:
        # What is encoded in memory is left out of a table that is elsewhere.
        self._options = replace(ReadOptions.of(options), numeric_only=True)
        self.files, self.limit = list_parquet_files(path), self._options.limit
        self._name = str(path)
        with reader_errors(self._name, ".parquet"):
            table, partitions = read_parts(self.files, self._name, most_rows=FIRST_ROWS)
        self._table = ArrowTable.whole(table, partitions)

    def find_columns(self, are_distinct: AreDistinct) -> "LargeTable":
        """Tell the features from other columns; remarks say which those are.

        Parameters
        ----------
        are_distinct : callable
            Says of columns, by position, which are different in every row of the whole table.
        """
        first = _Decision(self._name, self._table, self._options, [])
        doubtful = [f for f in first.left_out if not is_id_name(first.frame.names[f])]
        answers = are_distinct(doubtful) if doubtful else []
        repeated = [f for f, is_distinct in zip(doubtful, answers, strict=True) if not is_distinct]
        made = first
        if repeated:  # counts, and no numbers or names of rows
            made = _Decision(self._name, self._table, self._options, repeated)
        names = made.frame.names
        n_in_files = len(names) - len(self._table.partitions)
        return LargeTable(names, n_in_files, made.target, made.features, tuple(made.remarks))


class LargeTable(NamedTuple):
    """What the columns of Parquet files are for.

    Attributes
    ----------
    names : list of str
        The names of all columns; those of partitions follow those in the files.
    n_in_files : int
        How many of them are in the files.
    target : int
        The column with the classes.
    features : list of int
        The columns that are features.
    remarks : tuple of Remark
        What was decided.
    """

    names: list[str]
    n_in_files: int
    target: int
    features: list[int]
    remarks: tuple[Remark, ...]


class _Decision:
    """Which columns of the first rows are features, and columns of numbers that are not."""

    def __init__(
        self, source: str, table: ArrowTable, how: ReadOptions, repeated: list[int]
    ) -> None:
        obstacles: list[UnreadableError] = []
        with collect_remarks() as self.remarks:
            self.frame = frame = arrow_to_frame(source, table, lambda _: set(), transpose=False)
            columns = Columns.of_file(frame.names, source)
            self.target = columns.position(how.target, Argument("target"))
            named = [] if how.id is None else [columns.position(how.id, Argument("id"))]
            kept = columns.positions(how.keep, Argument("keep"))
            candidates = [f for f in columns.without(how.drop, self.target) if f not in named]
            roles = find_features(frame, candidates, [*kept, *repeated], how, obstacles)
            raise_obstacles(obstacles)
            if text := [frame.names[f] for f in roles.features if f in frame.cells]:
                warn_reader(
                    f"{source} has numbers written as text in {format_named('column', text)}; left "
                    "out.",
                    kind="text",
                    columns=text,
                )
        self.features = [f for f in roles.features if f not in frame.cells]
        if not self.features:
            raise UnreadableError(
                f"{source} has no features left beside the target and the columns left out.",
                reason="no features",
            )
        numbers = [f for f in candidates if f not in frame.cells]
        partitions = [f for f in numbers if frame.names[f] in frame.partitions]
        self.left_out = [f for f in numbers if f not in self.features and f not in partitions]
