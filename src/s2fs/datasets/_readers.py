"""One function that reads a user's file into numbers, class codes and names.

Every file goes the same way: open and decompress (``_source``), split into columns (``_delimited``
for text; ``_columnar``, ``_expression``, ``_arrays`` and ``_cells`` for the other formats), find
out what the columns mean (``_interpret``).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from s2fs._util.inputs import Columns, as_numbers
from s2fs._util.types import Floats
from s2fs.datasets._arrays import from_arrays, matrix_with_names, npy_frame, read_arrays
from s2fs.datasets._cells import from_cells
from s2fs.datasets._columnar import arff, arrow_frame, excel
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._delimited import Delimited, Dialect
from s2fs.datasets._errors import UnreadableError
from s2fs.datasets._expression import bare_gct, gct, series_matrix
from s2fs.datasets._frame import Frame, as_plain_numbers
from s2fs.datasets._interpret import from_frame, has_target_in_row
from s2fs.datasets._number_format import PLAIN
from s2fs.datasets._sheet import is_header_named
from s2fs.datasets._source import ReadOptions, Source, collect_remarks, reading, remark

#: Says of the names of columns which are to stay as they are written.
AsText = Callable[[list[str]], set[int]]
#: The formats of text that begin with something else than a table.
_WITH_PREAMBLE = {
    ".arff": arff,
    ".gct": gct,
    "GCT without its version": bare_gct,
    "GEO series matrix": series_matrix,
}
_GCT_HEADER = re.compile(rb"(name|id)\tdescription\t", re.IGNORECASE)


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


def read_table(
    path: str | PathLike[str],
    target: str | int | None = None,
    *,
    drop: str | int | Iterable[str | int] = (),
    transpose: bool = False,
    layer: str | None = None,
    **options: Any,
) -> Dataset:
    r"""Read labelled data from a file.

    Delimited text is read whatever its suffix is: comma, semicolon, tab, bar or blanks, with a
    decimal point or comma, as UTF-8 or UTF-16, optionally compressed (``.gz``, ``.bz2``, ``.xz``,
    ``.zst`` or ``.zip``). Other tables are ``.xlsx`` (extra ``excel``), ``.parquet`` and
    ``.feather`` (extra ``parquet``), ``.arff``, GEO series matrices and ``.gct``. Arrays are
    ``.npz`` and ``.mat`` with the keys ``X`` and ``y`` (or ``Y``), and optionally
    ``feature_names``, ``classes`` (the names of the codes 0, 1, … in ``y``), ``image_shape`` and
    ``image_order``; or a matrix in ``.npy``. Annotated cells are ``.h5ad`` (extra ``bio``):
    features are the columns of ``X``, classes a column of ``obs``; genes of the same name become
    ``name``, ``name-1``, ….

    What was done beyond reading, such as leaving out a column of row numbers, is said in a warning.

    Parameters
    ----------
    path : str or path-like
        The file to read; "-" is standard input.
    target : str or int, optional
        The column with the class labels: its name, or its position counted from 0, or from the
        end if negative. A name goes before a position written as text. For ``.npz`` and ``.mat``
        the key of the labels, by default ``y`` or ``Y``; for ``.h5ad`` the column of ``obs``; for
        a GEO series matrix what it describes the samples by; with ``samples`` a column of that
        file.
    drop : str, int or iterable of these, default=()
        Columns to leave out, such as identifiers, by name or position.
    transpose : bool, default=False
        The table has features in rows, as is usual for gene expression: the first column holds
        their names, the header the names of the samples, and ``target`` and ``drop`` mean rows.
        Row 0 is the header, so ``target=0`` takes labels from there.
    layer : str, optional
        For ``.h5ad`` only: the layer to read instead of ``X``.
    **options
        What else is to be said about the file:

        ``delimiter``, ``decimal``, ``thousands``, ``comment``, ``encoding``, ``sheet``
            How the cells are written, if that is not recognised; which sheet to read. A cell such
            as 1,331 is not guessed: ``thousands=","`` or ``decimal=","`` says what it is.
        ``header`` : bool
            Whether the first line names the columns.
        ``missing`` : str or list of str
            Words that stand for a missing value, beside an empty cell, NA, N/A, NaN, null and ?.
        ``samples``, ``sample_id``
            A second table with a row for each sample, which holds ``target``, and its column of
            sample names.
        ``id``
            The column that names the samples.
        ``by_position`` : bool
            The rows of ``samples`` are in the order of the samples; names are not compared.
        ``target_from_names`` : str
            A regular expression whose first group, or match, in a sample name is the class.
        ``keep`` : str, int or iterable of these
            Columns that are features though they look like row numbers, identifiers or text.
        ``group``
            The column that says which samples belong together, such as those of a patient, for
            ``groups=data.groups``.
        ``covariates`` : str, int or iterable of these
            Columns that the selection is to be adjusted for, which are no features. At most ten
            different whole numbers count as categories.
        ``drop_unlabelled`` : bool
            Leave out rows without a label.
        ``log2`` : bool
            Take log2(1 + x) of all values.
        ``impute`` : {"median", "knn", "keep"}
            Fill in missing values by the median of their column or by 5 nearest neighbours, or
            leave them as NaN for a selector that takes them, such as :class:`s2fs.PairCover`.
        ``drop_missing`` : float
            Leave out columns that lack more than this share of their values.
        ``numeric_only``, ``encode`` : bool
            Leave out columns of text, as is done if nothing is said, or turn each into columns of
            0 and 1 that are selected together.
        ``max_memory`` : int or str
            How much memory the content may take, such as "4G"; by default all there is.

    Returns
    -------
    Dataset
        Named tuple ``(X, y, feature_names, class_names)``. Classes are sorted, labels that are
        numbers by value.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the content cannot be used; the message says where and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from s2fs.datasets import read_table
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.csv"
    >>> _ = file.write_text("code;height;width;kind\na;2,5;1;fern\nb;0,5;3;moss\n")
    >>> data = read_table(file, "kind", id="code")
    >>> data.X
    array([[2.5, 1. ],
           [0.5, 3. ]])
    >>> data.y, data.feature_names, data.class_names, data.sample_ids
    (array([0, 1]), ['height', 'width'], ['fern', 'moss'], ['a', 'b'])
    """
    for name in ("keep", "covariates"):
        if name in options:
            options[name] = _listed(options[name])
    how = ReadOptions.of(
        {"target": target, "drop": _listed(drop), "transpose": transpose, "layer": layer, **options}
    )
    with collect_remarks() as remarks:
        data = _read_labelled(path, how)
    data.remarks = tuple(remarks)
    return data


def _listed(columns: str | int | Iterable[str | int]) -> list[str | int]:
    """One column or several as a list."""
    return [columns] if isinstance(columns, str | int) else list(columns)


def _read_labelled(path: str | PathLike[str], how: ReadOptions) -> Dataset:
    """The dataset in a file, by the reader of its format."""
    source = Source(path, how.limit)
    if source.suffix == ".h5ad":
        if how.transpose:
            raise UnreadableError(
                f"`transpose` is not for .h5ad files: {source.name} has the cells in rows."
            )
        return from_cells(source, how)
    if how.layer is not None:
        raise UnreadableError(
            f"`layer` is {how.layer!r}, but only .h5ad files have layers; leave it out."
        )
    if source.suffix in (".npz", ".mat"):
        return from_arrays(source, how)
    if how.samples is None:
        frame = _read_frame(source, how, _needed_text(source, how))
        if has_target_in_row(frame, how.target):
            remark(
                f"{source.name} has features in rows: {how.target!r} is a row of it "
                "(`transpose=True`).",
                "transposed",
            )
            how = replace(how, transpose=True)
            frame = _read_frame(source, how, _needed_text(source, how))
        return from_frame(frame, how)
    elsewhere = replace(how, target=None)
    alone = ReadOptions(missing=how.missing, encoding=how.encoding, max_memory=how.max_memory)
    sheet = _read_frame(Source(how.samples, how.limit), alone, _every_column)
    frame = _read_frame(source, elsewhere, _needed_text(source, elsewhere))
    if not (frame.turned or how.by_position) and is_header_named(frame, sheet):
        remark(
            f"{source.name} has features in rows: {sheet.source} names its columns "
            "(`transpose=True`).",
            "transposed",
        )
        turned = replace(elsewhere, transpose=True)
        frame = _read_frame(source, turned, _needed_text(source, turned))
    return from_frame(frame, how, sheet)


def read_unlabelled(path: str | PathLike[str], *, transpose: bool = False, **options: Any) -> Table:
    r"""Read all columns of a file as they are; nothing needs to be a class or a number.

    Parameters
    ----------
    path : str or path-like
        A table, or ``.npz`` or ``.mat`` with the array ``X`` and optionally ``feature_names``.
    transpose : bool, default=False
        The table has features in rows.
    **options
        As for :func:`read_table`, as far as they say how the file is written.

    Returns
    -------
    Table
        Named tuple ``(names, columns)``; the cells of a text file are text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from s2fs.datasets import read_unlabelled
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
    frame = _read_frame(source, how, (lambda _: set()) if typed else _every_column)
    positions = range(int(frame.turned), len(frame.names))
    table = Table([frame.names[j] for j in positions], [frame.column(j) for j in positions])
    table._parse = frame.parse
    return table


def _every_column(names: list[str]) -> set[int]:
    return {*range(len(names))}


def _needed_text(source: Source, options: ReadOptions) -> AsText:
    """The columns that are no features: they stay as they are written."""

    def found(names: list[str]) -> set[int]:
        columns, positions = Columns.of_file(names, source.name), set()
        beside = [options.id, options.group, *options.covariates]
        for item in (options.target, *beside):
            with suppress(ValueError):  # it may be elsewhere; if not, an error message follows
                positions.add(columns.position(item, ""))
        return positions

    return found


def _read_frame(source: Source, options: ReadOptions, as_text: AsText) -> Frame:
    """The table of a file."""
    if source.suffix in (".parquet", ".feather", ".npy"):
        read = npy_frame if source.suffix == ".npy" else arrow_frame
        frame = read(source, as_text, transpose=options.transpose)
        said = options.number_format or PLAIN
        frame.parse = Dialect("", options.missing_words, said).numbers
        return frame
    if source.suffix == ".xlsx":
        with reading(source.name, ".xlsx"):
            return excel(source, options).frame(as_text)
    with reading(source.name, "text"):
        data = source.text(options.encoding)
    kind = source.suffix if source.suffix in _WITH_PREAMBLE else "text"
    if b"!series_matrix_table_begin" in data:
        kind = "GEO series matrix"
    elif data.startswith((b"#1.2\n", b"#1.3\n")):
        kind = ".gct"
    elif _GCT_HEADER.match(data):
        kind = "GCT without its version"
    with reading(source.name, kind):
        if kind == "text":
            table = Delimited(data, source.name, source.suffix, options)
        else:
            table = _WITH_PREAMBLE[kind](data, source.name, options)
        del data
        return table.frame(as_text)
