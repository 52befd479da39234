"""``read_table``: from a user's file to numbers, class codes and names.

Every file goes the same way: open and decompress (``_source``), split into columns (``_formats``
and the readers it names), find out what the columns mean (``_meaning``).
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from typing import Any

from s2fs._utils.arguments import Argument
from s2fs._utils.columns import Columns
from s2fs._utils.log import LOGGER
from s2fs._utils.public import set_module
from s2fs.io._arrays import from_arrays
from s2fs.io._cells import from_cells
from s2fs.io._columnar import list_sheets
from s2fs.io._dataset import Dataset
from s2fs.io._errors import UnreadableError
from s2fs.io._expression import class_file
from s2fs.io._formats import AsText, read_frame
from s2fs.io._frame import Frame
from s2fs.io._meaning import from_frame
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import collect_remarks, warn_reader
from s2fs.io._sheet import describes_samples, has_sheet_of_columns, names_in_header
from s2fs.io._source import Source
from s2fs.io._target import has_classes_in_header, has_target_in_row
from s2fs.io._unlabelled import every_column


@set_module("s2fs")
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
    decimal point or comma, as UTF-8, UTF-16 or Western text, optionally compressed (``.gz``,
    ``.bz2``, ``.xz``, ``.zst`` or ``.zip``). Other tables are ``.xlsx`` (extra ``excel``),
    ``.parquet`` and ``.feather`` (extra ``parquet``), ``.arff``, ``.json``, GEO series matrices and
    ``.gct``. Arrays are ``.npz`` and ``.mat`` with the keys ``X`` and ``y`` (or ``Y``), and
    optionally ``feature_names``, ``sample_ids``, ``classes`` (the names of the codes 0, 1, … in
    ``y``), ``image_shape`` and ``image_order``; or a matrix in ``.npy``. Annotated cells are
    ``.h5ad`` (extra ``bio``): features are the columns of ``X``, classes a column of ``obs``; genes
    of the same name become ``name``, ``name-1``, ….

    Adjustments, such as leaving out a column of row numbers, are reported as warnings.

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
            Leave out rows without a label, however many, or refuse them. If nothing is said, they
            are left out if they are no more than half.
        ``log2`` : bool
            Take log2(1 + x) of all values.
        ``impute`` : {"median", "knn", "keep"}
            Fill in missing values by the median of their column or by 5 nearest neighbours, or
            leave them as NaN for a selector that takes them, such as :class:`s2fs.PairCover`.
        ``drop_missing`` : float
            Leave out columns that lack more than this share of their values.
        ``numeric_only`` : bool
            Leave out columns of text. If nothing is said, one with few words is a feature: a column
            of 0 and 1 for each word, see ``levels`` and ``feature_groups`` of
            :class:`s2fs.io.Dataset`.
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
    >>> from s2fs.io import read_table
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
            options[name] = _as_list(options[name])
    how = ReadOptions.of(
        {
            "target": target,
            "drop": _as_list(drop),
            "transpose": transpose,
            "layer": layer,
            **options,
        }
    )
    with collect_remarks() as remarks:
        data = _read_labelled(path, how)
    n, m = data.X.shape
    LOGGER.info("read %s: %d samples, %d columns, %d remarks", path, n, m, len(remarks))
    return data._replace(remarks=tuple(remarks))


def _as_list(columns: str | int | Iterable[str | int]) -> list[str | int]:
    """One column or several as a list."""
    return [columns] if isinstance(columns, str | int) else list(columns)


def _read_labelled(path: str | PathLike[str], how: ReadOptions) -> Dataset:
    """The dataset in a file, by the reader of its format."""
    source = Source(path, how.limit)
    if source.suffix == ".h5ad":
        if how.transpose:
            raise UnreadableError(
                Argument("transpose"),
                f" is not for .h5ad files: {source.name} has the cells in rows.",
            )
        return from_cells(source, how)
    if how.layer is not None:
        raise UnreadableError(
            Argument("layer"), f" is {how.layer!r}, but only .h5ad files have layers; leave it out."
        )
    if source.suffix in (".npz", ".mat"):
        return from_arrays(source, how)
    if how.samples is None:
        if (pair := split_workbook(source, how)) is not None:
            return _read_with_sheet(source, replace(how, sheet=pair[0]), pair[1])
        frame = read_frame(source, how, find_needed_text(source, how))
        if has_target_in_row(frame, how.target):
            warn_reader(
                f"{source.name} has features in rows: {how.target!r} is a row of it (",
                Argument("transpose", True),
                ").",
                kind="transposed",
            )
            how = replace(how, transpose=True)
            frame = read_frame(source, how, find_needed_text(source, how))
        elif has_classes_in_header(frame, how):
            warn_reader(
                f"{source.name} has features in rows: the pattern of ",
                Argument("target_from_names"),
                " fits its header better than its rows (",
                Argument("transpose", True),
                ").",
                kind="transposed",
            )
            how = replace(how, transpose=True)
            frame = read_frame(source, how, find_needed_text(source, how))
        return from_frame(frame, how)
    how, sheet = read_sheet(how)
    return _read_with_sheet(source, how, sheet)


def read_sheet(how: ReadOptions) -> tuple[ReadOptions, Frame]:
    """The table of samples, and what it says of how the data are read."""
    listed = Source(how.samples or "", how.limit)
    if listed.suffix == ".cls":
        how = replace(how, by_position=True, target="class" if how.target is None else how.target)
        return how, class_file(listed.text(how.encoding).decode(), listed.name)
    return how, read_frame(listed, _for_sheet(how), every_column).with_row_names()


def _for_sheet(how: ReadOptions, name: str | None = None) -> ReadOptions:
    """How a table of samples is read; the other options are about the data."""
    return ReadOptions(
        missing=how.missing,
        encoding=how.encoding,
        max_memory=how.max_memory,
        sheet=name,
        target=how.target,  # a workbook may have it in one of its sheets
    )


def split_workbook(source: Source, how: ReadOptions) -> tuple[str, Frame] | None:
    """The sheet with the data and the table of samples, if a workbook has them in two sheets."""
    if source.suffix != ".xlsx" or how.sheet is not None or how.target is None:
        return None
    names, with_target = list_sheets(source, how.target)
    if len(names) < 2 or len(with_target) != 1:
        return None
    described = read_frame(source, _for_sheet(how, with_target[0]), every_column).with_row_names()
    for name in names:
        if name in with_target:
            continue
        alone = replace(how, sheet=name, target=None)
        try:
            data = read_frame(source, alone, find_needed_text(source, alone))
        except UnreadableError:  # notes, or a figure
            continue
        if data.numbers.shape[1] > 1 and describes_samples(described, data):
            described.source = f"its sheet {with_target[0]!r}"
            warn_reader(
                f"{source.name} has the samples in sheet {with_target[0]!r} and their data in "
                f"sheet {name!r}.",
                kind="sheet",
            )
            return name, described
    return None


def _read_with_sheet(source: Source, how: ReadOptions, sheet: Frame) -> Dataset:
    """The dataset in a table whose samples are described in another one."""
    frame, how = orient_by_sheet(source, how, sheet)
    return from_frame(frame, how, sheet)


def orient_by_sheet(source: Source, how: ReadOptions, sheet: Frame) -> tuple[Frame, ReadOptions]:
    """A table whose samples are described in another one, with the samples in rows."""
    elsewhere = replace(how, target=None)
    frame = read_frame(source, elsewhere, find_needed_text(source, elsewhere))
    transposed = replace(elsewhere, transpose=True)
    named = frozenset() if frame.transposed or how.by_position else names_in_header(frame, sheet)
    if named:
        warn_reader(
            f"{source.name} has features in rows: {sheet.source} names its columns (",
            Argument("transpose", True),
            ").",
            kind="transposed",
        )
        frame = read_frame(source, transposed, find_needed_text(source, transposed), named)
    elif has_sheet_of_columns(frame, sheet, how):
        warn_reader(
            f"{source.name} has features in rows: {sheet.source} has a row for each of its columns "
            "and names none (",
            Argument("transpose", True),
            ", ",
            Argument("by_position", True),
            ").",
            kind="transposed",
        )
        how = replace(how, by_position=True)
        frame = read_frame(source, transposed, find_needed_text(source, transposed))
    return frame, how


def find_needed_text(source: Source, options: ReadOptions) -> AsText:
    """The columns that are no features: they stay as they are written."""

    def found(names: list[str]) -> set[int]:
        columns, positions = Columns.of_file(names, source.name), set()
        beside = [options.id, options.group, *options.covariates]
        for item in (options.target, *beside):
            with suppress(ValueError):  # it may be elsewhere; if not, an error message follows
                positions.add(columns.position(item, ""))
        return positions

    return found
