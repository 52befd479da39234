"""What the columns of a table mean: classes, identifiers, features."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._util.inputs import (
    Columns,
    as_numbers,
    is_missing,
    nonfinite_columns,
    read_labels,
    reject_one_class,
    repeated,
)
from s2fs._util.messages import closest, some_of
from s2fs._util.types import Floats, Indices
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._errors import UnreadableError, raise_obstacles
from s2fs.datasets._frame import Frame
from s2fs.datasets._roles import (
    MANY_WORDS,
    find_features,
    find_row_counters,
    is_id_name,
    name_rows_by_text,
    remark_on_groups,
    remark_on_row_numbers,
)
from s2fs.datasets._sheet import match_samples
from s2fs.datasets._source import ReadOptions, remark

#: More classes than this, all whole numbers, are more likely a quantity; so are this many that do
#: not count from 0 or 1, such as grades or doses.
_MANY_CLASSES, _FEWEST_GRADES = 30, 5
#: A covariate of at most so many different whole numbers names categories.
MOST_CATEGORIES = 10
#: More values than this are hardly classes that nobody named.
_FEW_CLASSES = 20
_TARGET_NAME = re.compile(
    r"(?:.*[\s_.-])?(?:class|label|target|y|diagnosis|outcome|phenotype|disease|subtype|type|status|"
    r"condition|group|response)s?",
    re.IGNORECASE,
)
#: Tables with fewer features than this are hardly intensities, nor are values up to this one.
_WIDE, _BRIGHT = 200, 255
#: How many neighbours fill in a missing value.
_NEIGHBOURS = 5


class Labels(NamedTuple):
    """The labels of rows as codes, −1 where one is missing, and the names of the classes."""

    codes: Indices
    names: list[str]
    are_whole_numbers: bool


class Description(NamedTuple):
    """What a file says about each row beside features and classes, such as its patient."""

    name: str
    cells: Sequence[Any]
    position: int | None  # in the table, if it is a column of it
    numbers: Floats | None = None


def from_frame(frame: Frame, options: ReadOptions, sheet: Frame | None = None) -> Dataset:
    """The dataset in a table, with labels from the table, its preamble or a second one."""
    columns = Columns.of_file(frame.names, frame.source)
    id_column = None if options.id is None else columns.position(options.id, "`id`")
    if id_column is not None:
        frame.row_names = [str(cell).strip() for cell in frame.column(id_column)]
    sheet_rows, name_column = None, None
    if sheet is not None:
        sheet_rows, name_column = match_samples(frame, sheet, options)
    described = {
        argument: _describe(frame, sheet, sheet_rows, wanted, argument)
        for argument, wanted in options.descriptions
    }
    label, cells, source = _label_cells(frame, options, sheet, sheet_rows)
    beside = {id_column, name_column, 0 if frame.turned else None}
    beside |= {description.position for description in described.values()}
    candidates = [f for f in columns.without(options.drop, label) if f not in beside]
    kept = columns.positions(options.keep, "`keep`")
    for f in kept:
        if f not in candidates:
            raise ValueError(
                f"`keep` has {frame.names[f]!r}, which is no feature for another option says what "
                "it is; leave one of them out."
            )
    obstacles: list[UnreadableError] = []
    features, encoded = find_features(frame, candidates, kept, options, obstacles)
    if options.group is None:
        dropped = [f for f in columns.positions(options.drop, "drop") if is_id_name(frame.names[f])]
        left_out = {*dropped, *candidates} - {*features}
        remark_on_groups(frame, sorted(left_out))
        if sheet is not None:
            others = [j for j, name in enumerate(sheet.names) if is_id_name(name)]
            remark_on_groups(sheet, others)
    written = sheet is not None or frame.written
    labels = encode(cells, source, options.missing_words, written=written)
    if options.drop_unlabelled and (without := labels.codes < 0).any():
        remark(
            f"{source} has no label in {int(without.sum())} row(s), which are left out.",
            "rows without a label",
        )
        frame.without_rows(without)
        labels = labels._replace(codes=labels.codes[~without])
        described = {key: _keep_rows(d, ~without) for key, d in described.items()}
    if not features and not obstacles:
        raise UnreadableError(
            f"{frame.source} has no features left beside the target and the columns left out."
        )
    X, names, groups = _features(frame, features, encoded, options)
    data = _finished(frame.source, X, names, labels, source, options, frame.row_names, obstacles)
    set_descriptions(data, described, frame.source)
    if not options.log2:
        _remark_on_intensities(data.X, frame.source)
    if groups and len(data.feature_names) != len(names):  # some were left out for missing values
        position = {name: f for f, name in enumerate(data.feature_names)}
        groups = [[position[names[f]] for f in g if names[f] in position] for g in groups]
    data.feature_groups = [group for group in groups if len(group) > 1] or None
    return data


def _describe(
    frame: Frame,
    sheet: Frame | None,
    sheet_rows: list[int] | None,
    wanted: str | int,
    argument: str,
) -> Description:
    """A column that is no feature: of the sheet, of the preamble or of the table."""
    argument = argument.partition(":")[0]
    if sheet is not None and sheet_rows is not None and str(wanted) in sheet.names:
        position = sheet.names.index(str(wanted))
        cells = _in_order(sheet, position, sheet_rows)
        return Description(sheet.names[position], cells, None, frame.parse(cells))
    if str(wanted) in frame.annotation:
        cells = frame.annotation[str(wanted)]
        return Description(str(wanted), cells, None, frame.parse(cells))
    position = Columns.of_file(frame.names, frame.source).position(wanted, f"`{argument}`")
    column = frame.column(position)
    numbers = column if isinstance(column, np.ndarray) else frame.parse([str(c) for c in column])
    return Description(frame.names[position], column, position, numbers)


def _in_order(sheet: Frame, position: int, rows: list[int]) -> list[str]:
    """A column of the sheet in the order of the table, empty where a sample is not in it."""
    column = sheet.column(position)
    return ["" if row < 0 else str(column[row]).strip() for row in rows]


def _keep_rows(described: Description, kept: NDArray[np.bool_]) -> Description:
    numbers = None if described.numbers is None else described.numbers[kept]
    cells = list(compress(described.cells, kept.tolist()))
    return described._replace(cells=cells, numbers=numbers)


def set_descriptions(data: Dataset, described: dict[str, Description], source: str) -> None:
    """Set groups and covariates of a dataset; every row must have them."""
    for argument, (name, cells, _, numbers) in described.items():
        kind = argument.partition(":")[0]
        gaps = [row for row, cell in enumerate(cells, start=1) if is_missing(cell)]
        if gaps:
            raise UnreadableError(
                f"{name!r} of {source} (`{kind}`) is missing in {len(gaps)} row(s), the first is "
                f"data row {gaps[0]}; fill it in, or leave `{kind}` out."
            )
        words = np.array([_as_word(cell) for cell in cells])
        if kind == "group":
            data.groups = words
        else:
            values = words if numbers is None or _names_categories(numbers) else numbers
            data.covariates = {**(data.covariates or {}), name: values}


def _names_categories(numbers: NDArray[np.float64]) -> bool:
    """Whether a few whole numbers stand for categories, as those of a batch do."""
    different = np.unique(numbers)
    return len(different) <= MOST_CATEGORIES and bool((different == np.rint(different)).all())


def _as_word(cell: Any) -> str:
    """A label as text; whole numbers in floating point without their point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _label_cells(
    frame: Frame, options: ReadOptions, sheet: Frame | None, sheet_rows: list[int] | None
) -> tuple[int | None, Sequence[Any], str]:
    """The column of the labels, None if it is elsewhere; the labels; what messages call them."""
    name, target, turned = frame.source, options.target, frame.turned
    if options.target_from_names is not None:
        return None, *_from_names(frame, options.target_from_names)
    if sheet is not None and sheet_rows is not None:
        columns = Columns.of_file(sheet.names, sheet.source)
        if target is None:
            raise _target_missing("column", sheet)
        label = columns.position(target, "target")
        source = f"column {sheet.names[label]!r} of {sheet.source}"
        return None, _in_order(sheet, label, sheet_rows), source
    if target is not None and str(target) in frame.annotation:
        return None, frame.annotation[str(target)], f"{str(target)!r} of {name}"
    if target is None and turned and frame.row_names is not None:
        if len(set(frame.row_names)) < len(frame.row_names):
            remark(f"{name} has the same names again in its header, which are taken as classes.")
            return 0, frame.row_names, f"the header of {name}"
        target_hint = f"; it describes the samples by {some_of(frame.annotation)}"
        raise UnreadableError(
            f"target is missing: say which row of {name} holds the classes, or give a table of the "
            f"samples with `samples`{target_hint if frame.annotation else ''}."
        )
    if target is None:
        raise _target_missing("column", frame)
    label = _position(frame, target)
    if turned and label == 0:
        return 0, _labels_in_header(frame), f"the header of {name}"
    kind = "row" if turned else "column"
    return label, frame.column(label), f"{kind} {frame.names[label]!r} of {name}"


def has_target_in_row(frame: Frame, target: str | int | None) -> bool:
    """Whether the target is no column, but its name stands once in the first column of text."""
    if frame.turned or not isinstance(target, str) or target in frame.names:
        return False
    return [str(cell).strip() for cell in frame.cells.get(0, ())].count(target) == 1


def _position(frame: Frame, target: str | int) -> int:
    """The position of the target."""
    try:
        return Columns.of_file(frame.names, frame.source).position(target, "target")
    except ValueError as error:
        close = closest(str(target), frame.names)
        if frame.annotation:
            raise UnreadableError(
                f"target is {target!r}, but {frame.source} describes the samples by "
                f"{some_of(frame.annotation)}."
            ) from None
        fixes = {} if close is None else {"target": close}
        raise UnreadableError(str(error), fixes) from None


def _labels_in_header(frame: Frame) -> Sequence[str]:
    """Labels in the place of sample names; pandas numbers the later ones of equal names."""
    names = frame.row_names or []
    if len(set(names)) < len(names):
        return names
    bare = [re.sub(r"\.\d+$", "", name) for name in names]
    if len(set(bare)) <= len(bare) / 2:
        remark(f"{frame.source} has numbered labels in its header, such as {names[-1]!r}; the "
               "numbers are left out.")  # fmt: skip
        return bare
    raise UnreadableError(
        f"target is 0, the header of {frame.source}, but its names are all different, such as "
        f"{some_of(names[:2])}; name the row with the classes, or give a table of the samples with "
        "`samples`."
    )


def _from_names(frame: Frame, pattern: str) -> tuple[list[str], str]:
    """Classes that are a part of the sample names: the first group of the pattern, or its match."""
    if frame.row_names is None:
        name_rows_by_text(frame)
    if frame.row_names is None:
        raise UnreadableError(
            f"{frame.source} does not name its samples, so `target_from_names` has nothing to look "
            "at; say which column does with `id`."
        )
    found = [re.search(pattern, name) for name in frame.row_names]
    if not any(found):
        raise UnreadableError(
            f"`target_from_names` is {pattern!r}, which fits no sample name of {frame.source}; "
            f"these are {some_of(frame.row_names, 3)}."
        )
    words = ["" if m is None else (m[1] if m.re.groups else m[0]) or "" for m in found]
    return words, f"the sample names of {frame.source}"


def _target_missing(kind: str, frame: Frame) -> UnreadableError:
    """The error if nobody said where the classes are, with the column that is most likely."""
    likely = _likely_target(frame)
    return UnreadableError(
        f"target is missing: say which {kind} of {frame.source} holds the classes; it has "
        f"{some_of(frame.names)}.",
        fixes={} if likely is None else {"target": likely},
    )


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


def encode(
    cells: Sequence[Any], source: str, missing: frozenset[str], *, written: bool = False
) -> Labels:
    """Labels as codes.

    Where all cells are text because the file is (``written``), text that is numbers is sorted by
    value, and stays as it is written.
    """
    if not written:
        classes, codes = read_labels(cells, source)
        return Labels(codes, [str(name) for name in classes], classes.dtype.kind in "iuO")
    words = ["" if is_missing(cell, missing) else cell.strip() for cell in cells]
    known = sorted({word for word in words if word})
    values = as_numbers(known, frozenset())
    if values is not None and len(known):
        finite = np.isfinite(values)
        if (fractions := values[finite & (values != np.floor(values))]).size:
            raise UnreadableError(
                f"{source} holds fractions such as {fractions[0]:g}, so it is a quantity and not a "
                "class; choose another column or group the values."
            )
        exact = {word: _whole(word) for word in compress(known, finite)}
        known = sorted(exact, key=lambda word: (exact[word], word))
        if twice := repeated(exact.values()):
            remark(
                f"{source} writes one number in several ways "
                f"({some_of(word for word in known if exact[word] in twice)}); these are taken as "
                "different classes."
            )
    position = {word: code for code, word in enumerate(known)}
    codes = np.array([position.get(word, -1) for word in words], dtype=np.intp)
    return Labels(codes, known, values is not None)


def _whole(word: str) -> int:
    """A whole number without rounding, whatever its size."""
    try:
        return int(word)
    except ValueError:
        return int(float(word))


def _features(
    frame: Frame, kept: list[int], encoded: list[int], options: ReadOptions
) -> tuple[Floats, list[str], list[list[int]]]:
    """The features as numbers, with text encoded; names; columns that belong together."""
    numbers = {f: frame.parse(frame.cells[f]) for f in kept if f in frame.cells}
    if not numbers:
        return frame.take(kept), [frame.names[f] for f in kept], []
    columns: list[Floats] = []
    names: list[str] = []
    groups: list[list[int]] = []
    for f in kept:
        if f in encoded:
            made = _one_hot(frame, f, options.missing_words)
            groups.append(list(range(len(names), len(names) + len(made))))
            names += made
            columns += made.values()
        else:
            names.append(frame.names[f])
            values = numbers.get(f)
            columns.append(frame.column(f) if values is None else values)
    return np.column_stack(columns), names, groups


def _one_hot(frame: Frame, position: int, missing: frozenset[str]) -> dict[str, Floats]:
    """A column for each word; of two words the second has one."""
    name = frame.names[position]
    cells = [str(cell).strip() for cell in frame.cells[position]]
    words = sorted({cell for cell in cells if not is_missing(cell, missing)})
    if len(words) > MANY_WORDS:
        raise UnreadableError(
            f"{frame.source} has {len(words)} different words in column {name!r}, too many for a "
            "category; leave it out with `drop`."
        )
    if len(words) == 2 and not any(is_missing(cell, missing) for cell in cells):
        words = words[1:]
    return {f"{name}={w}": np.array([float(cell == w) for cell in cells]) for w in words}


def from_matrix(
    path: str, X: Any, names: list[str], labels: Labels, source: str, options: ReadOptions,
    sample_ids: list[str] | None = None, described: dict[str, Description] | None = None,
) -> Dataset:  # fmt: skip
    """The dataset in a matrix of features, without the columns to drop and row numbers."""
    described = described or {}
    if options.drop_unlabelled:
        rows = np.flatnonzero(labels.codes >= 0)
        described = {key: _keep_rows(d, labels.codes >= 0) for key, d in described.items()}
        counters = [] if issparse(X) else find_row_counters(X)
        X, labels = X[rows], labels._replace(codes=labels.codes[rows])
        sample_ids = None if sample_ids is None else [sample_ids[i] for i in rows]
    else:
        counters = [] if issparse(X) else find_row_counters(X)
    columns = Columns.of_file(names, path)
    insisted = columns.positions(options.keep, "`keep`")
    kept = columns.without(options.drop, None)
    if counters := [f for f in counters if f in kept and f not in insisted]:
        remark_on_row_numbers(path, [names[f] for f in counters])
        kept = [f for f in kept if f not in counters]
    if len(kept) < len(names):
        X, names = X[:, kept], [names[f] for f in kept]
    data = _finished(path, X, names, labels, source, options, sample_ids, [])
    set_descriptions(data, described, path)
    return data


def _finished(
    path: Any, X: Any, names: list[str], labels: Labels, source: str, options: ReadOptions,
    sample_ids: list[str] | None, obstacles: list[UnreadableError],
) -> Dataset:  # fmt: skip
    """The last step of every reader: labels and numbers are there, and the numbers are finite."""
    y = labels.codes
    if (missing := y < 0).any():
        first = int(missing.argmax())
        called = "" if sample_ids is None else f" ({sample_ids[first]!r})"
        obstacles.append(
            UnreadableError(
                f"{source} has {int(missing.sum())} missing label(s), the first in data row "
                f"{first + 1}{called}; label these rows, or leave them out with "
                "`drop_unlabelled`.",
                fixes={"drop_unlabelled": True},
            )
        )
    try:
        reject_one_class(np.array(labels.names), source)
    except ValueError as error:
        obstacles.append(UnreadableError(str(error)))
    _remark_on_quantity(labels, source)
    found = nonfinite_columns(X)
    if "infinity" in found:
        infinite = [names[f] for f in found["infinity"]]
        obstacles.append(
            UnreadableError(
                f"{path} has infinite values in column(s) {some_of(infinite)}; fix them, or leave "
                "the columns out with `drop`.",
                fixes={"drop": infinite} if len(infinite) < len(names) else {},
            )
        )
    gaps = found.get("NaN", [])
    if gaps and options.drop_missing is not None:
        columns = X[:, gaps]
        share = np.isnan(columns.toarray() if issparse(X) else columns).mean(axis=0)
        sparse_columns = {f for f, s in zip(gaps, share, strict=True) if s > options.drop_missing}
        if sparse_columns:
            remark(
                f"{path} lacks more than {options.drop_missing:.0%} of the values in "
                f"{len(sparse_columns)} column(s), {some_of(names[f] for f in sparse_columns)}; "
                "left out."
            )
            kept = [f for f in range(len(names)) if f not in sparse_columns]
            if not kept:
                raise UnreadableError(f"{path} has no column left; allow more missing values.")
            X, names = X[:, kept], [names[f] for f in kept]
            gaps = nonfinite_columns(X).get("NaN", [])
    if gaps and options.impute is None:
        way = {"drop_missing": 0.0} if issparse(X) else {"impute": "median"}
        obstacles.append(
            UnreadableError(
                f"{path} has missing values in column(s) {some_of(names[f] for f in gaps)}; fill "
                "them in with `impute='median'`, or leave columns out with `drop_missing=0.2` or "
                "`drop`.",
                fixes=way,
            )
        )
    raise_obstacles(obstacles)
    if options.log2:
        X = _log2(X, path)
    data = Dataset(X, y, names, labels.names)
    data.sample_ids = sample_ids
    if gaps and options.impute in ("median", "knn"):
        if issparse(X):
            raise UnreadableError(
                f"{path} is sparse, and `impute` is for dense tables; leave columns out "
                "with `drop_missing=0.2`."
            )
        data = data._replace(X=_imputer(options.impute).fit_transform(X))
        data.imputer, data.incomplete = _imputer(options.impute), X
    return data


def _remark_on_quantity(labels: Labels, source: str) -> None:
    """Say that whole numbers which are hardly the codes of classes are taken as such."""
    n = len(labels.names)
    if not labels.are_whole_numbers or n < _FEWEST_GRADES:
        return
    values = sorted(_whole(name) for name in labels.names)
    are_codes = values in (list(range(n)), list(range(1, n + 1)))
    if n > _MANY_CLASSES or not are_codes:
        remark(
            f"{source} looks like a quantity: it has {n} different whole numbers, from "
            f"{values[0]} to {values[-1]}, each taken as a class; if it is one, choose another "
            "target or group the values.",
            "quantity",
        )


def _imputer(kind: str) -> Any:
    from sklearn.impute import KNNImputer, SimpleImputer

    if kind == "knn":
        return KNNImputer(n_neighbors=_NEIGHBOURS, keep_empty_features=True)
    return SimpleImputer(strategy="median", keep_empty_features=True)


def _log2(X: Any, path: Any) -> Any:
    """log2(1 + x); what is below 0 counts as 0, as in background-corrected intensities."""
    values = X.data if issparse(X) else X
    if below := int((values < 0).sum()):
        remark(f"{path} has {below} value(s) below 0, which count as 0 for `log2`.")
    logs = np.log2(np.maximum(values, 0) + 1)
    if not issparse(X):
        return logs
    X = X.copy()
    X.data = logs
    return X


def _remark_on_intensities(X: Any, source: str) -> None:
    """Warn about raw intensities: positive, large and skewed."""
    if issparse(X) or X.shape[1] < _WIDE:
        return
    values = X[:, :: max(1, X.shape[1] // 2000)]
    low, middle, high = np.nanquantile(values, [0, 0.5, 0.99])
    if low >= 0 and high > _BRIGHT and np.nanmean(values) > 1.5 * middle:
        remark(
            f"{source} looks like raw intensities or counts, positive and skewed; "
            "`log2=True` usually selects better features."
        )
