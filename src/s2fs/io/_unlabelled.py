"""All columns of a file as they are."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from s2fs._utils.cells import as_numbers
from s2fs._utils.types import Floats
from s2fs.io._arrays import matrix_with_names, read_arrays
from s2fs.io._errors import UnreadableError
from s2fs.io._formats import read_frame
from s2fs.io._frame import as_plain_numbers
from s2fs.io._options import ReadOptions
from s2fs.io._source import Source


class _Cells(NamedTuple):
    names: list[str]
    columns: list[Any]


class Table(_Cells):
    """Columns as found in a file.

    Attributes
    ----------
    names : list of str
        One name for each column.
    columns : list
        The cells, one sequence for each column, all of one length: a float64 array, or text.
    """

    #: Reads text as numbers by what was said or found about how the file is written.
    _parse: Callable[[Sequence[Any]], Floats | None] = staticmethod(as_numbers)

    def numbers(self, position: int) -> Floats | None:
        """Return a column as float64, NaN where a cell is missing; None if it is text.

        Parameters
        ----------
        position : int
            The position of the column.

        Returns
        -------
        ndarray of shape (n_rows,) or None
        """
        column = self.columns[position]
        if isinstance(column, np.ndarray):
            return column
        return self._parse(as_plain_numbers(column) or column)

    def first_text(self, position: int) -> str:
        """Return the first cell of a column of text that is neither a number nor missing.

        Parameters
        ----------
        position : int
            The position of the column.

        Returns
        -------
        str
        """
        return next(str(cell) for cell in self.columns[position] if self._parse([cell]) is None)


def every_column(names: list[str]) -> set[int]:
    return {*range(len(names))}


def read_unlabelled(path: str | PathLike[str], *, transpose: bool = False, **options: Any) -> Table:
    r"""Read all columns of a file as they are; nothing needs to be a class or a number.

    Parameters
    ----------
    path : str or path-like
        A table, or ``.npz`` or ``.mat`` with the array ``X`` and optionally ``feature_names``.
    transpose : bool, default=False
        The table has features in rows.
    **options
        As for :func:`s2fs.read_table`, as far as they say how the file is written.

    Returns
    -------
    Table
        Named tuple ``(names, columns)``; the cells of a text file are text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from s2fs.io import read_unlabelled
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.csv"
    >>> _ = file.write_text("id,height\np1,2.50\np2,?\n")
    >>> read_unlabelled(file)
    Table(names=['id', 'height'], columns=[['p1', 'p2'], ['2.50', '?']])
    """
    how = ReadOptions.of({"transpose": transpose, **options})
    source = Source(path, how.limit)
    if source.suffix == ".h5ad":
        raise UnreadableError(
            f"{source.name} is an AnnData file; take the genes in Python, as in adata[:, genes], "
            "or give a table."
        )
    if source.suffix in (".npz", ".mat"):
        X, names = matrix_with_names(source.name, read_arrays(source), transpose=transpose)
        return Table(names, list(X.T))
    typed = source.suffix in (".parquet", ".feather", ".npy")
    frame = read_frame(source, how, (lambda _: set()) if typed else every_column)
    positions = range(int(frame.transposed), len(frame.names))
    table = Table([frame.names[j] for j in positions], [frame.column(j) for j in positions])
    table._parse = frame.parse
    return table
