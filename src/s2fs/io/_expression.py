"""Expression tables with a preamble of their own: GEO series matrix and GCT, and its classes."""

import csv
import re
from dataclasses import replace

from s2fs._utils.messages import format_count
from s2fs.io._delimited import Delimited
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader

_BEGIN, _END = b"!series_matrix_table_begin", b"!series_matrix_table_end"
_KEY_AND_VALUE = re.compile(r"\s*([^:]{1,60}?)\s*:\s*(.*\S)\s*")


def series_matrix(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """A series matrix of GEO: features in rows, samples described above them.

    ``!Sample_characteristics_ch1`` lines of "key: value" cells become an entry for each key, the
    other ``!Sample_`` lines one under their own name.
    """
    begin = data.index(_BEGIN)
    start = data.index(b"\n", begin) + 1
    end = data.find(_END, start)
    if end < 0:
        raise UnreadableError(f"{source} ends before {_END.decode()!r}; download it again.")
    annotation: dict[str, list[str]] = {}
    lines = data[:begin].decode().splitlines()
    for name, *values in csv.reader(lines, delimiter="\t"):
        if name.startswith("!Sample_characteristics"):
            _add_characteristics(annotation, values)
        elif name.startswith("!Sample_"):
            annotation.setdefault(name.removeprefix("!Sample_"), values)
    return Delimited(data[start:end], source, ".tsv", _plain(options), annotation=annotation)


def _add_characteristics(annotation: dict[str, list[str]], values: list[str]) -> None:
    """Sort "key: value" cells under their keys: samples may have them in different orders."""
    for i, cell in enumerate(values):
        if found := _KEY_AND_VALUE.fullmatch(cell):
            annotation.setdefault(found[1], [""] * len(values))[i] = found[2]


def gct(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """A GCT file of version 1.2 or 1.3: features in rows, descriptions beside and above them."""
    _, sizes, rest = data.split(b"\n", 2)
    counts = [int(number) for number in sizes.split()]
    if len(counts) not in (2, 4) or min(counts) < 0:
        raise UnreadableError(
            f"{source} says in line 2 {sizes.decode()[:40]!r} where the numbers of rows and "
            "columns are expected; check it."
        )
    beside, above = (1, 0) if len(counts) == 2 else (counts[2], counts[3])
    lines = rest.split(b"\n")
    rows = list(csv.reader((line.decode() for line in lines[: above + 1]), delimiter="\t"))
    if len(rows) < above + 1 or any(len(row) != 1 + beside + counts[1] for row in rows):
        raise UnreadableError(
            f"{source} declares {counts[1]} samples, but line 3 has "
            f"{format_count(len(rows[0]) if rows else 0, 'cell')}; check it."
        )
    if beside:
        warn_reader(
            f"{source} describes the features in {format_count(beside, 'column')}; left out."
        )
    text = b"\n".join([lines[0], *lines[above + 1 :]])
    annotation = {row[0]: row[1 + beside :] for row in rows[1:]}
    return Delimited(text, source, ".tsv", _plain(options), {*range(1, 1 + beside)}, annotation)


def bare_gct(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """A GCT file that lacks the lines with its version and sizes."""
    warn_reader(
        f"{source} describes the features in a column beside their names; left out.",
        kind="descriptions",
    )
    return Delimited(data, source, ".tsv", _plain(options), {1})


def class_file(text: str, source: str) -> Frame:
    """The classes of a .cls file, in the order of the samples of the .gct file beside it.

    Its lines are the numbers of samples and classes, "#" and the names of the classes, and a class
    for each sample: a name, or a number in the order in which the classes come.
    """
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if len(lines) != 3 or lines[1][0][0] != "#" or lines[0][0] != str(len(lines[2])):
        raise UnreadableError(
            f"{source} is no .cls file: its three lines are the numbers of samples and classes, "
            "# and the names of the classes, and the class of each sample; check it."
        )
    names = " ".join(lines[1]).lstrip("# ").split()
    order = {code: name for code, name in zip(dict.fromkeys(lines[2]), names, strict=False)}
    classes = [order.get(code, code) for code in lines[2]]
    return Frame.of_columns(source, ["class"], [classes])


def _plain(options: ReadOptions) -> ReadOptions:
    """These formats say themselves how they are written."""
    return replace(options, delimiter="\t", header=True, transpose=True)
