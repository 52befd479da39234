"""Which reader makes a table of a file."""

import re
from collections.abc import Callable
from dataclasses import replace

from s2fs.io._arrays import npy_frame
from s2fs.io._columnar import arff, arrow_frame, as_delimited, excel
from s2fs.io._delimited import Delimited
from s2fs.io._dialect import Dialect
from s2fs.io._errors import reader_errors
from s2fs.io._expression import bare_gct, gct, series_matrix
from s2fs.io._frame import Frame
from s2fs.io._json import json_rows
from s2fs.io._metabolomics import is_mwtab, mwtab
from s2fs.io._number_format import PLAIN
from s2fs.io._options import ReadOptions
from s2fs.io._orange import is_orange, orange_table
from s2fs.io._series import is_series, series_table
from s2fs.io._source import Source

#: Says of the names of columns which are to stay as they are written.
AsText = Callable[[list[str]], set[int]]
#: The formats of text that begin with something else than a table.
_WITH_PREAMBLE = {
    ".arff": arff,
    ".gct": gct,
    "GCT without its version": bare_gct,
    "GEO series matrix": series_matrix,
    "Orange": orange_table,
    "mwTab": mwtab,
    "series": series_table,
}
_ARFF_START = re.compile(rb"(?:%[^\n]*\n|\s)*@relation\b", re.IGNORECASE)
_GCT_HEADER = re.compile(rb"(name|id)\tdescription\t", re.IGNORECASE)


def read_frame(
    source: Source,
    options: ReadOptions,
    as_text: AsText,
    sample_names: frozenset[str] = frozenset(),
) -> Frame:
    """The table of a file.

    Parameters
    ----------
    source : Source
        The file.
    options : ReadOptions
        What was said about it.
    as_text : callable
        Says of the names of columns which are to stay as they are written.
    sample_names : frozenset of str, optional
        With features in rows: all names of samples, if they are known; other columns describe the
        features.

    Returns
    -------
    Frame
    """
    if source.suffix in (".parquet", ".feather", ".npy"):
        read = npy_frame if source.suffix == ".npy" else arrow_frame
        frame = read(source, as_text, transpose=options.transpose)
        said = options.number_format or PLAIN
        frame.parse = Dialect("", options.missing_words, said).numbers
        return frame
    if source.suffix == ".xlsx":
        with reader_errors(source.name, ".xlsx"):
            return excel(source, options).frame(as_text)
    if source.is_json:
        with reader_errors(source.name, ".json"):
            return as_delimited(
                json_rows(source, options.encoding), source.name, replace(options, header=True)
            ).frame(as_text)
    with reader_errors(source.name, "text"):
        data = source.text(options.encoding)
    kind = _kind_of_text(data, source.suffix)
    with reader_errors(source.name, kind):
        if kind == "text":
            table = Delimited(data, source.name, source.suffix, options, sample_names=sample_names)
        else:
            table = _WITH_PREAMBLE[kind](data, source.name, options)
        del data
        return table.frame(as_text)


def _kind_of_text(data: bytes, suffix: str) -> str:
    """The format of a text, by how it begins or by its suffix."""
    if b"!series_matrix_table_begin" in data:
        return "GEO series matrix"
    if data.startswith((b"#1.2\n", b"#1.3\n")):
        return ".gct"
    if _GCT_HEADER.match(data):
        return "GCT without its version"
    if suffix in _WITH_PREAMBLE:
        return suffix
    if _ARFF_START.match(data):  # KEEL calls its files .dat
        return ".arff"
    for kind, has_format in (("mwTab", is_mwtab), ("series", is_series), ("Orange", is_orange)):
        if has_format(data):
            return kind
    return "text"
