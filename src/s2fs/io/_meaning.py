"""From a table to a ``Dataset``: which columns are classes, descriptions and features."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.arguments import Argument, ArgumentError
from s2fs._utils.columns import Columns, find_nonfinite_columns
from s2fs._utils.labels import reject_one_class
from s2fs._utils.messages import format_count, format_named, format_names, truncate_middle
from s2fs.io._dataset import Dataset
from s2fs.io._descriptions import Descriptions, describe_samples, keep_samples, sort_descriptions
from s2fs.io._encoded import make_features
from s2fs.io._errors import UnreadableError, raise_obstacles
from s2fs.io._frame import Frame
from s2fs.io._identifiers import find_row_counters, is_id_name, remark_on_row_numbers
from s2fs.io._labels import Labels, encode_labels, remark_on_quantity
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader
from s2fs.io._roles import find_features, remark_on_groups
from s2fs.io._sheet import match_samples
from s2fs.io._target import find_labels
from s2fs.io._text_columns import unread_cells
from s2fs.io._values import make_imputer, remark_on_copies, remark_on_intensities, take_log2

#: Samples without a label are left out, with a remark, if they are no more than this share.
_MOST_UNLABELLED = 0.5
#: Of fewer rows each may be a class of its own.
_FEWEST_NAMES = 10
#: Text with more words than this in a cell is no category.
_FEWEST_WORDS = 3


class _Features(NamedTuple):
    """The features of the samples: numbers, names, columns that are selected together, words."""

    X: Any
    names: list[str]
    groups: list[list[int]]
    levels: dict[str, list[str]]


def from_frame(frame: Frame, options: ReadOptions, sheet: Frame | None = None) -> Dataset:
    """The dataset in a table, with labels from the table, its preamble or a second one."""
    columns = Columns.of_file(frame.names, frame.source)
    id_column = None if options.id is None else columns.position(options.id, Argument("id"))
    if id_column is not None:
        frame.row_names = [str(cell).strip() for cell in frame.column(id_column)]
    sheet_rows, name_column = None, None
    if sheet is not None:
        sheet_rows, name_column = match_samples(frame, sheet, options)
    descriptions = describe_samples(frame, sheet, sheet_rows, options)
    where = find_labels(frame, options, sheet, sheet_rows)
    beside = {id_column, name_column, 0 if frame.transposed else None}
    beside |= {description.position for description in descriptions.values()}
    candidates = [f for f in columns.without(options.drop, where.position) if f not in beside]
    insisted = columns.positions(options.keep, Argument("keep"))
    for f in insisted:
        if f not in candidates:
            raise ArgumentError(
                Argument("keep"),
                f" has {frame.names[f]!r}, which is no feature for another option says what "
                "it is; leave one of them out.",
            )
    obstacles: list[UnreadableError] = []
    roles = find_features(frame, candidates, insisted, options, obstacles)
    if options.group is None:
        _remark_on_subjects(frame, sheet, columns, options, {*candidates} - {*roles.features})
    is_text = sheet is not None or frame.is_text
    labels = encode_labels(where.cells, where.source, options.missing_words, is_text=is_text)
    without = labels.codes < 0
    if _leaves_out(without, options):
        _remark_on_unlabelled(without, where.source)
        frame.without_rows(without)
        labels = labels._replace(codes=labels.codes[~without])
        descriptions = keep_samples(descriptions, ~without)
    _reject_names(labels, where.source)
    if not roles.features and not obstacles:
        if not frame.transposed:
            _reject_odd_row(frame, candidates)
        _reject_free_text(frame, candidates)
        raise UnreadableError(
            f"{frame.source} has no features left beside the target and the columns left out.",
            reason="no features",
        )
    features = _Features(*make_features(frame, roles.features, roles.encoded, options))
    data = _build_dataset(
        frame.source,
        features,
        labels,
        where.source,
        options,
        frame.row_names,
        descriptions,
        obstacles,
    )
    if not options.log2:
        remark_on_intensities(data.X, frame.source)
    remark_on_copies(data.X, data.y, data.columns, frame.source)
    return data


def _leaves_out(without: NDArray[np.bool_], options: ReadOptions) -> bool:
    """Whether samples without a label are left out: if asked for, or if most have one."""
    if options.drop_unlabelled is None:
        return bool(without.any()) and bool(without.mean() <= _MOST_UNLABELLED)
    return options.drop_unlabelled and bool(without.any())


def _remark_on_unlabelled(without: NDArray[np.bool_], source: str) -> None:
    """Say how many samples are left out for want of a label."""
    warn_reader(
        f"{source} has no label in {int(without.sum())} of {len(without)} rows, which are left "
        "out.",
        kind="rows without a label",
    )


def _remark_on_subjects(
    frame: Frame, sheet: Frame | None, columns: Columns, options: ReadOptions, left_out: set[int]
) -> None:
    """Say which columns that are no features repeat, as those of patients do."""
    dropped = [f for f in columns.positions(options.drop, "drop") if is_id_name(frame.names[f])]
    remark_on_groups(frame, sorted({*dropped, *left_out}))
    if sheet is not None:
        remark_on_groups(sheet, [j for j, name in enumerate(sheet.names) if is_id_name(name)])


def from_matrix(
    path: str,
    X: Any,
    names: list[str],
    labels: Labels,
    source: str,
    options: ReadOptions,
    sample_ids: list[str] | None = None,
    descriptions: Descriptions | None = None,
) -> Dataset:
    """The dataset in a matrix of features, without the columns to drop and row numbers."""
    descriptions = descriptions or {}
    counters = [] if issparse(X) else find_row_counters(X)
    if _leaves_out(labels.codes < 0, options):
        has_label = labels.codes >= 0
        _remark_on_unlabelled(~has_label, source)
        rows = np.flatnonzero(has_label)
        descriptions = keep_samples(descriptions, has_label)
        X, labels = X[rows], labels._replace(codes=labels.codes[rows])
        sample_ids = None if sample_ids is None else [sample_ids[i] for i in rows]
    columns = Columns.of_file(names, path)
    insisted = columns.positions(options.keep, Argument("keep"))
    kept = columns.without(options.drop, None)
    if counters := [f for f in counters if f in kept and f not in insisted]:
        remark_on_row_numbers(path, [names[f] for f in counters])
        kept = [f for f in kept if f not in counters]
    if len(kept) < len(names):
        X, names = X[:, kept], [names[f] for f in kept]
    features = _Features(X, names, [], {})
    data = _build_dataset(path, features, labels, source, options, sample_ids, descriptions, [])
    remark_on_copies(data.X, data.y, data.feature_names, path)
    return data


def _build_dataset(
    path: str,
    features: _Features,
    labels: Labels,
    source: str,
    options: ReadOptions,
    sample_ids: list[str] | None,
    descriptions: Descriptions,
    obstacles: list[UnreadableError],
) -> Dataset:
    """The last step of every reader: check labels and numbers, fill in, and put all together."""
    _check_labels(labels, source, sample_ids, obstacles)
    remark_on_quantity(labels, source)
    features = _without_sparse_columns(features, path, options)
    has_gaps = _check_numbers(features, path, options, obstacles)
    raise_obstacles(obstacles)
    groups, covariates = sort_descriptions(descriptions, path)
    X = take_log2(features.X, path) if options.log2 else features.X
    imputer, incomplete = None, None
    if has_gaps and options.impute in ("median", "knn"):
        if issparse(X):
            raise UnreadableError(
                f"{path} is sparse, and ",
                Argument("impute"),
                " is for dense tables; leave columns out with ",
                Argument("drop_missing", 0.2),
                ".",
                reason="missing values",
            )
        imputer, incomplete = make_imputer(options.impute), X
        X = make_imputer(options.impute).fit_transform(X)
    return Dataset(
        X,
        labels.codes,
        features.names,
        labels.names,
        sample_ids=sample_ids,
        groups=groups,
        covariates=covariates,
        feature_groups=[group for group in features.groups if len(group) > 1] or None,
        levels=features.levels or None,
        imputer=imputer,
        incomplete=incomplete,
    )


def _check_labels(
    labels: Labels, source: str, sample_ids: list[str] | None, obstacles: list[UnreadableError]
) -> None:
    """Note missing labels, and labels of a single class, as obstacles."""
    if (missing := labels.codes < 0).any():
        first = int(missing.argmax())
        called = "" if sample_ids is None else f" ({sample_ids[first]!r})"
        obstacles.append(
            UnreadableError(
                f"{source} has {format_count(int(missing.sum()), 'missing label')}, the first in "
                f"data row {first + 1}{called}; label these rows, or leave them out with ",
                Argument("drop_unlabelled"),
                ".",
                reason="missing labels",
                fixes={"drop_unlabelled": True},
            )
        )
    try:
        reject_one_class(np.array(labels.names), source)
    except ValueError as error:
        obstacles.append(UnreadableError(str(error), reason="one class"))


def _reject_names(labels: Labels, source: str) -> None:
    """Raise if hardly two rows have the same label: it names the rows."""
    counts = np.bincount(labels.codes[labels.codes >= 0])
    is_new_mostly = len(labels.names) > counts.sum() / 2
    if counts.sum() >= _FEWEST_NAMES and (counts > 1).sum() < 2 and is_new_mostly:
        raise UnreadableError(
            f"{source} has {len(labels.names)} different values in {int(counts.sum())} rows, so it "
            "names the samples and holds no classes; choose another with ",
            Argument("target", bare=True),
            ", or take a part of the names with ",
            Argument("target_from_names"),
            ".",
            reason="names as classes",
        )


def _reject_free_text(frame: Frame, columns: Iterable[int]) -> None:
    """Raise if there are sentences where features are expected."""
    for f in columns:
        cells = [str(cell) for cell in frame.cells.get(f, ())]
        if cells and sum(len(cell.split()) for cell in cells) > _FEWEST_WORDS * len(cells):
            raise UnreadableError(
                f"{frame.source} has free text in column {frame.names[f]!r} and no other feature; "
                "count its words first, for example with CountVectorizer of scikit-learn, and "
                "give the table of counts.",
                reason="free text",
                columns=[frame.names[f]],
            )


def _reject_odd_row(frame: Frame, columns: Iterable[int]) -> None:
    """Raise if one row alone keeps columns from being numbers: a line that is no data."""
    found: dict[int, str] = {}
    for f in columns:
        if f in frame.cells:
            unread = unread_cells(frame, f)
            if len(unread) != 1:
                continue
            row = [str(cell) for cell in frame.cells[f]].index(unread[0])
            found.setdefault(row, unread[0])
    if len(found) == 1:
        row, cell = found.popitem()
        raise UnreadableError(
            f"{frame.source} has text where all other rows have numbers in data row {row + 1}: "
            f"{truncate_middle(cell, 30)!r}; leave that line out, or begin it with #.",
            reason="a row of text",
        )


def _without_sparse_columns(features: _Features, path: str, options: ReadOptions) -> _Features:
    """The features without those that lack more than the share of values asked for."""
    X, names, groups, levels = features
    gaps = find_nonfinite_columns(X).get("NaN", [])
    if options.drop_missing is None or not gaps:
        return features
    columns = X[:, gaps]
    share = np.isnan(columns.toarray() if issparse(X) else columns).mean(axis=0)
    sparse = {f for f, lacking in zip(gaps, share, strict=True) if lacking > options.drop_missing}
    if not sparse:
        return features
    called = [names[f] for f in sorted(sparse)]
    warn_reader(
        f"{path} lacks more than {options.drop_missing:.0%} of the values in "
        f"{format_count(len(sparse), 'column')}, {format_names(called)}; left out.",
        kind="missing values",
        columns=called,
    )
    kept = [f for f in range(len(names)) if f not in sparse]
    if not kept:
        raise UnreadableError(
            f"{path} has no column left; allow more missing values.", reason="no features"
        )
    place = {f: position for position, f in enumerate(kept)}
    groups = [[place[f] for f in group if f in place] for group in groups]
    return _Features(X[:, kept], [names[f] for f in kept], groups, levels)


def _check_numbers(
    features: _Features, path: str, options: ReadOptions, obstacles: list[UnreadableError]
) -> bool:
    """Note infinite and missing values as obstacles; returns whether values are missing."""
    X, names, _, _ = features
    positions = find_nonfinite_columns(X)
    if infinite := [names[f] for f in positions.get("infinity", [])]:
        obstacles.append(
            UnreadableError(
                f"{path} has infinite values in {format_named('column', infinite)}; fix them, or "
                "leave the columns out with ",
                Argument("drop"),
                ".",
                reason="infinite values",
                columns=infinite,
                fixes={"drop": infinite} if len(infinite) < len(names) else {},
            )
        )
    gaps = [names[f] for f in positions.get("NaN", [])]
    if gaps and options.impute is None:
        obstacles.append(
            UnreadableError(
                f"{path} has missing values in {format_named('column', gaps)}; fill them in with ",
                Argument("impute", "median"),
                ", or leave columns out with ",
                Argument("drop_missing", 0.2),
                " or ",
                Argument("drop"),
                ".",
                reason="missing values",
                columns=gaps,
                fixes={"drop_missing": 0.0} if issparse(X) else {"impute": "median"},
            )
        )
    return bool(gaps)
