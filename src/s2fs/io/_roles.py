"""Which columns of a table are features, and which number, name or describe its rows.

Columns that cannot be features are left out, and a remark says which and why; ``keep`` insists on
one. By name and content these are

* partitions: what the folders of a table in Parquet files are called after;
* declared: what the file itself says is no feature, as files of Orange do;
* row numbers: 0, 1, … or 1, 2, … in the order of the rows;
* identifiers: whole numbers in a column with the name of one, or that rise or fall with every row,
  or that are a run of numbers in any order; a first column of whole numbers that are all different;
* sample names: text that is different in every row;
* dates, and any other text but that of few words, which is encoded.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from s2fs._utils.arguments import Argument
from s2fs._utils.cells import is_missing
from s2fs._utils.messages import format_named
from s2fs.io._errors import UnreadableError
from s2fs.io._frame import Frame
from s2fs.io._identifiers import (
    counts_rows,
    find_identifiers,
    find_unnamed_row_names,
    has_codes,
    is_id_name,
    name_rows_by_text,
)
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader
from s2fs.io._text_columns import (
    fill_known_gaps,
    find_unclear_numbers,
    is_date_column,
    sort_text_columns,
)

#: Text with fewer words than this hardly says which rows belong together, unless its name does.
_FEWEST_GROUPS = 10
#: Nor does text of which each word stands for more rows than this share gives: it is a category.
_LEAST_GROUP_SHARE = 0.1


class Roles(NamedTuple):
    """The features of a table by position, and those of them that are text to be encoded."""

    features: list[int]
    encoded: list[int]


def find_features(
    frame: Frame,
    candidates: Sequence[int],
    kept: Iterable[int],
    options: ReadOptions,
    obstacles: list[UnreadableError],
) -> Roles:
    """Tell features from columns that number, name or describe the rows.

    Parameters
    ----------
    frame : Frame
        The table; its ``row_names`` are set if a column names the rows, and words that usually
        stand for a missing value are emptied in columns of numbers.
    candidates : sequence of int
        The columns that nothing was said about.
    kept : iterable of int
        Those among them that are features whatever they look like.
    options : ReadOptions
        Whether text is left out, and what the user calls missing.
    obstacles : list of UnreadableError
        Gets what is in the way of a feature.

    Returns
    -------
    Roles
    """
    insisted = set(kept)
    text = [f for f in candidates if f in frame.cells and not fill_known_gaps(frame, f)]
    left_out = _find_partitions(frame, [f for f in candidates if f not in insisted])
    left_out |= _find_declared(frame, [f for f in candidates if f not in insisted])
    if not frame.transposed:
        open_columns = [f for f in candidates if f not in insisted | left_out]
        left_out |= find_unnamed_row_names(frame, open_columns)
    open_columns = [f for f in candidates if f not in insisted | left_out]
    is_text = set(text)
    text = [f for f in text if f not in left_out]
    left_out |= find_identifiers(frame, [f for f in open_columns if f not in is_text])
    has_numbers = any(f not in left_out and f not in is_text for f in candidates)
    left_out |= find_unclear_numbers(
        frame, [f for f in text if f not in left_out], obstacles, has_others=has_numbers
    )
    encoded, described = sort_text_columns(
        frame, [f for f in text if f not in left_out], insisted, options
    )
    left_out |= described
    return Roles([f for f in candidates if f not in left_out], encoded)


def _find_partitions(frame: Frame, positions: Iterable[int]) -> set[int]:
    """Those of the columns that stand in the names of folders; a remark says which."""
    partitions = {f for f in positions if frame.names[f] in frame.partitions}
    if partitions:
        names = [frame.names[f] for f in sorted(partitions)]
        warn_reader(
            f"{frame.source} has the {format_named('partition', names)} in the names of its "
            "folders; left out, unless ",
            Argument("keep"),
            " names them.",
            kind="partitions",
            columns=names,
        )
    return partitions


def _find_declared(frame: Frame, positions: Iterable[int]) -> set[int]:
    """Those of the columns that the file says are no features; a remark says which."""
    declared = {f for f in positions if frame.names[f] in frame.declared}
    if declared:
        names = [frame.names[f] for f in sorted(declared)]
        roles = sorted({frame.declared[name] for name in names})
        warn_reader(
            f"{frame.source} declares {format_named('column', names)} as {', '.join(roles)}; left "
            "out, unless ",
            Argument("keep"),
            " names them.",
            kind="declared",
            columns=names,
        )
    name_rows_by_text(frame, sorted(f for f in declared if f in frame.cells))
    return declared


def remark_on_groups(frame: Frame, positions: Iterable[int]) -> None:
    """Say that rows belong together by a column that is no feature, as those of a patient do."""
    for f in positions:
        name = frame.names[f]
        cells = [str(cell).strip() for cell in frame.column(f)]
        n_values = len({cell for cell in cells if not is_missing(cell)})
        n_missing = sum(map(is_missing, cells))
        if is_id_name(name) or has_codes(frame, f):
            has_groups = 2 <= n_values < len(cells)
        else:
            least = max(_FEWEST_GROUPS, _LEAST_GROUP_SHARE * len(cells))
            has_groups = least <= n_values <= len(cells) / 1.5 and not n_missing
        if not has_groups or is_date_column(cells) or counts_rows(frame, f):
            continue
        gaps = f" and none in {n_missing}" if n_missing else ""
        warn_reader(
            f"{name} has {n_values} values in {len(cells)} rows{gaps}; ",
            "fill it in, then " if n_missing else "",
            Argument("group", None if n_missing else name),
            " keeps samples with the same one in one fold.",
            kind="groups",
        )
