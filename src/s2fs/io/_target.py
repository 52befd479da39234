"""Where the labels are: a column, a row, the header, a sheet, or the names of the samples."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np

from s2fs._utils.arguments import Argument, ArgumentError
from s2fs._utils.cells import is_missing
from s2fs._utils.columns import Columns
from s2fs._utils.messages import find_closest_name, format_names
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame
from s2fs.io._identifiers import is_id_name, name_rows_by_text
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader
from s2fs.io._sheet import cells_in_order

#: Names that are less like a wanted one than this are not put into a command.
_LEAST_LIKENESS = 0.75
#: More values than this are hardly classes that nobody named.
_FEW_CLASSES = 20
#: In a column that names rows at least this share of the names are different.
_MOST_NAMES = 0.9
#: Names of samples are not taken apart into more kinds than this, or into rarer ones.
_FEW_KINDS, _FEWEST_OF_A_KIND = 10, 3
_TARGET_NAME = re.compile(
    r"(?:.*[\s_.-])?(?:class|label|target|y|diagnosis|outcome|phenotype|disease|subtype|type|status|"
    r"condition|group|response)s?",
    re.IGNORECASE,
)


class LabelCells(NamedTuple):
    """The labels as cells, their column in the table if they are in it, what messages call them."""

    position: int | None
    cells: Sequence[Any]
    source: str


def find_labels(
    frame: Frame, options: ReadOptions, sheet: Frame | None, sheet_rows: list[int] | None
) -> LabelCells:
    """The labels of all samples, wherever they are."""
    name, target = frame.source, options.target
    if options.target_from_names is not None:
        return LabelCells(None, *_labels_from_names(frame, options.target_from_names))
    if sheet is not None and sheet_rows is not None:
        if target is None:
            raise _target_missing("column", sheet)
        position = _find_position(sheet, target)
        where = f"column {sheet.names[position]!r} of {sheet.source}"
        return LabelCells(None, cells_in_order(sheet, position, sheet_rows), where)
    if target is not None and str(target) in frame.annotation:
        return LabelCells(None, frame.annotation[str(target)], f"{str(target)!r} of {name}")
    if target is None and frame.transposed and frame.row_names is not None:
        return _header_as_labels(frame, frame.row_names)
    declared = [column for column, role in frame.declared.items() if role == "class"]
    if target is None and len(declared) == 1:
        target = declared[0]
        warn_reader(
            f"{name} declares column {target!r} as the class (",
            Argument("target", target),
            ").",
            kind="declared target",
        )
    if target is None:
        raise _target_missing("column", frame)
    position = _find_position(frame, target)
    if frame.transposed and position == 0:
        return LabelCells(0, _labels_in_header(frame), f"the header of {name}")
    kind = "row" if frame.transposed else "column"
    where = f"{kind} {frame.names[position]!r} of {name}"
    return LabelCells(position, frame.column(position), where)


def _header_as_labels(frame: Frame, header: list[str]) -> LabelCells:
    """The header as labels, if nothing was said and names come again in it."""
    if len(set(header)) < len(header):
        warn_reader(
            f"{frame.source} has the same names again in its header, which are taken as classes.",
            kind="classes in the header",
        )
        return LabelCells(0, header, f"the header of {frame.source}")
    known = (
        f"; it describes the samples by {format_names(frame.annotation)}"
        if frame.annotation
        else ""
    )
    pattern = _propose_pattern(header)
    raise UnreadableError(
        Argument("target", bare=True),
        f" is missing: say which row of {frame.source} holds the classes, or give a table of "
        "the samples with ",
        Argument("samples"),
        ", or take the classes from the names of the samples with ",
        Argument("target_from_names", pattern),
        f"{known}.",
        reason="no target",
        fixes={} if pattern is None or frame.annotation else {"target_from_names": pattern},
    )


def has_target_in_row(frame: Frame, target: str | int | None) -> bool:
    """Whether the target is no column, but its name stands once in the first column of text."""
    if frame.transposed or not isinstance(target, str) or target in frame.names:
        return False
    return [str(cell).strip() for cell in frame.cells.get(0, ())].count(target) == 1


def has_classes_in_header(frame: Frame, options: ReadOptions) -> bool:
    """Whether a pattern fits most names in the header, with several classes, but no row name.

    A pattern that finds classes in both is refused, unless a column is said to name the samples.
    """
    if options.target_from_names is None or options.id is not None or frame.transposed:
        return False
    pattern = options.target_from_names
    rows = [str(name) for name in frame.row_names or frame.cells.get(0, [])]
    if not _finds_classes(pattern, frame.names[1:]):
        return False
    if not any(re.search(pattern, name) for name in rows) or not _finds_classes(pattern, rows):
        return True
    if _are_clear(pattern, frame.names[1:]) and not _are_clear(pattern, rows):
        return True
    raise UnreadableError(
        Argument("target_from_names"),
        f" is {pattern!r}, which finds classes in the header of {frame.source}, "
        f"as in {frame.names[-1]!r}, and in its rows, as in {rows[-1]!r}; say ",
        Argument("transpose", True),
        " if the header names the samples, or ",
        Argument("id", frame.names[0] or 0),
        " if the rows do.",
        reason="names in both directions",
        fixes=_fewer_classes(pattern, frame, rows),
    )


def _finds_classes(pattern: str, names: Sequence[str]) -> bool:
    """Whether a pattern fits most names and sorts them into classes that come again."""
    matches = [match[0] for name in names if (match := re.search(pattern, name))]
    return len(matches) > max(2, len(names) / 2) and 2 <= len(set(matches)) <= len(matches) / 2


def _are_clear(pattern: str, names: Sequence[str]) -> bool:
    """Whether a pattern fits every name and finds a few classes that each come again."""
    matches = [re.search(pattern, name) for name in names]
    counts = Counter(match[0] for match in matches if match)
    return all(matches) and len(counts) <= _FEW_CLASSES and min(counts.values()) > 1


def _fewer_classes(pattern: str, frame: Frame, rows: list[str]) -> dict[str, Any]:
    """The keyword that takes the side with fewer classes: there are more features than classes."""
    in_header = {match[0] for name in frame.names[1:] if (match := re.search(pattern, name))}
    in_rows = {match[0] for name in rows if (match := re.search(pattern, name))}
    return {"transpose": True} if len(in_header) < len(in_rows) else {"id": frame.names[0] or "0"}


#: What may be the class in the names of samples: letters, or all up to a mark, at either end.
_PATTERNS = (r"^[A-Za-z]+", r"^[^\W_]+", r"[A-Za-z]+$", r"[^\W_]+$")


def _propose_pattern(names: Sequence[str]) -> str | None:
    """The first pattern that sorts all names into a few classes; None if there is none."""
    clear = (p for p in _PATTERNS if _finds_classes(p, names) and _are_clear(p, names))
    return next((p for p in clear if _finds_words(p, names)), None)


def _finds_words(pattern: str, names: Sequence[str]) -> bool:
    """Whether a pattern finds hardly more words than there are kinds of samples, and no numbers."""
    counts = Counter(match[0] for name in names if (match := re.search(pattern, name)))
    are_words = not any(word.isdigit() for word in counts)
    return are_words and len(counts) <= _FEW_KINDS and min(counts.values()) >= _FEWEST_OF_A_KIND


def _find_position(frame: Frame, target: str | int) -> int:
    """The position of the target."""
    try:
        return Columns.of_file(frame.names, frame.source).position(target, "target")
    except ArgumentError as error:
        close = find_closest_name(str(target), frame.names)
        if close is not None and not _is_like(close, str(target)):
            close = None  # a hint, but no command
        if frame.annotation:
            raise UnreadableError(
                Argument("target", bare=True),
                f" is {target!r}, but {frame.source} describes the samples by "
                f"{format_names(frame.annotation)}.",
                reason="no such column",
            ) from None
        fixes = {} if close is None else {"target": close}
        raise UnreadableError(error.message, reason="no such column", fixes=fixes) from None


def _labels_in_header(frame: Frame) -> Sequence[str]:
    """Labels in the place of sample names; pandas numbers the later ones of equal names."""
    names = frame.row_names or []
    if len(set(names)) < len(names):
        return names
    bare = [re.sub(r"\.\d+$", "", name) for name in names]
    if len(set(bare)) <= len(bare) / 2:
        warn_reader(f"{frame.source} has numbered labels in its header, such as {names[-1]!r}; the "
               "numbers are left out.")  # fmt: skip
        return bare
    raise UnreadableError(
        Argument("target", bare=True),
        f" is 0, the header of {frame.source}, but its names are all different, such as "
        f"{format_names(names[:2])}; name the row with the classes, or give a table of the samples "
        "with ",
        Argument("samples"),
        ".",
    )


def _labels_from_names(frame: Frame, pattern: str) -> tuple[list[str], str]:
    """Classes that are a part of the sample names: the first group of the pattern, or its match."""
    if frame.row_names is None:
        name_rows_by_text(frame, frame.cells)
    if frame.row_names is None:
        raise UnreadableError(
            f"{frame.source} does not name its samples, so ",
            Argument("target_from_names"),
            " has nothing to look at; say which column does with ",
            Argument("id"),
            ".",
        )
    found = [re.search(pattern, name) for name in frame.row_names]
    if not any(found):
        raise UnreadableError(
            Argument("target_from_names"),
            f" is {pattern!r}, which fits no sample name of {frame.source}; "
            f"these are {format_names(frame.row_names, 3)}.",
        )
    words = ["" if m is None else (m[1] if m.re.groups else m[0]) or "" for m in found]
    return words, f"the sample names of {frame.source}"


def _target_missing(kind: str, frame: Frame) -> UnreadableError:
    """The error if nobody said where the classes are, with the column that is most likely."""
    likely = _likely_target(frame)
    fixes: dict[str, Any] = {} if likely is None else {"target": likely}
    if _has_features_in_rows(frame):
        bare = [re.sub(r"\.\d+$", "", name) for name in frame.names[1:]]
        pattern = _propose_pattern(frame.names[1:])
        in_rows = _pattern_in_rows(frame)
        if 2 <= len(set(bare)) <= min(_FEW_CLASSES, len(bare) / 2):
            fixes = {"transpose": True}
        elif pattern is not None and in_rows is None:
            fixes = {"target_from_names": pattern}
        elif in_rows is not None and pattern is None and likely is None:
            fixes = {"target_from_names": in_rows}
    elif likely is None and (pattern := _pattern_in_rows(frame)) is not None:
        fixes = {"target_from_names": pattern}
    return UnreadableError(
        Argument("target", bare=True),
        f" is missing: say which {kind} of {frame.source} holds the classes, or take them "
        "from a table of the samples with ",
        Argument("samples"),
        " or from the names of the samples with ",
        Argument("target_from_names"),
        f"; it has {format_names(frame.names)}.",
        reason="no target",
        fixes=fixes,
    )


def _has_features_in_rows(frame: Frame) -> bool:
    """Whether a first column of names stands beside numbers alone, and does not hold classes."""
    if frame.transposed or 0 not in frame.cells or len(frame.cells) > 1:
        return False
    features = [str(cell) for cell in frame.cells[0]]
    is_named = len(set(features)) >= _MOST_NAMES * len(features)
    return is_named and len(features) > 1 and not any(map(is_missing, features[:1]))


def _pattern_in_rows(frame: Frame) -> str | None:
    """The pattern of the classes in the names of the rows."""
    columns = [frame.row_names] if frame.row_names is not None else list(frame.cells.values())
    patterns = (_propose_pattern([str(cell) for cell in cells]) for cells in columns)
    return next(filter(None, patterns), None)


def _likely_target(frame: Frame) -> str | None:
    """A column with few values that each come more than once; by name, else the last one."""
    likely = []
    for f, name in enumerate(frame.names):
        if name and not is_id_name(name):
            column = frame.column(f)
            counts = Counter(column.tolist() if isinstance(column, np.ndarray) else column)
            few = 2 <= len(counts) <= min(_FEW_CLASSES, len(column) / 2)
            if few and min(counts.values()) > 1 and not any(map(is_missing, counts)):
                likely.append((f, name))
    named = [(f, name) for f, name in likely if _TARGET_NAME.fullmatch(name)]
    text = [(f, name) for f, name in likely if f in frame.cells]
    for found in (named, text, likely):
        if found:
            return found[-1][1]
    return None


def _is_like(name: str, wanted: str) -> bool:
    """Whether a name may be meant by another one: equal but for case and marks, or a part of it."""
    name, wanted = (re.sub(r"[\W_]+", "", word.lower()) for word in (name, wanted))
    return name == wanted or SequenceMatcher(None, name, wanted).ratio() >= _LEAST_LIKENESS
