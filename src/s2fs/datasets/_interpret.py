"""What the columns of a table mean: classes, identifiers, features."""

import re
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
from s2fs._util.messages import some_of
from s2fs._util.types import Floats, Indices
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._frame import Frame
from s2fs.datasets._number_format import explain_marks
from s2fs.datasets._source import ReadOptions, UnreadableError, remark

#: What many programs write where a value is not known, in lower case.
_USUAL_GAPS = {"#n/a", "#value!", "#div/0!", "-", "--", ".", "*", "nd", "n.d.", "none", "missing"}
#: How pandas and R leave row numbers behind.
_UNNAMED = re.compile(r"(Unnamed: 0|__index_level_\d+__)?(\.\d+)?")
_LIKE_AN_ID = re.compile(
    r"(?:.*[\s_.-])?(?:id|ids|uuid|guid|barcode|identifier)|index|row|no\.?|nr\.?|"
    r"(?:sample|patient|subject|case|record|row|accession)[\s_.-]?(?:no|nr|num|number|name|code)?",
    re.IGNORECASE,
)
_CAMEL_ID = re.compile(r".*[a-z]I[dD]")
#: More classes than this, all whole numbers, are more likely a quantity.
_MANY_CLASSES = 30
#: A column of text with more words than this is no category.
_MANY_WORDS = 50
#: Tables with fewer features than this are hardly intensities, nor are values up to this one.
_WIDE, _BRIGHT = 200, 255
#: How many neighbours fill in a missing value.
_NEIGHBOURS = 5


class Labels(NamedTuple):
    """The labels of rows as codes, −1 where one is missing, and the names of the classes."""

    codes: Indices
    names: list[str]
    are_whole_numbers: bool


def from_frame(frame: Frame, options: ReadOptions, sheet: Frame | None = None) -> Dataset:
    """The dataset in a table, with labels from the table, its preamble or a second one."""
    columns = Columns.of_file(frame.names, frame.source)
    id_column = None if options.id is None else columns.position(options.id, "`id`")
    if id_column is not None:
        frame.row_names = [str(cell).strip() for cell in frame.column(id_column)]
    batch_column = None
    if options.batch is not None:
        batch_column = columns.position(options.batch, "`batch`")
    label, cells, source = _label_cells(frame, options, sheet)
    beside = {id_column, batch_column, 0 if frame.turned else None}
    features = [f for f in columns.without(options.drop, label) if f not in beside]
    if not frame.turned:
        row_numbers = _row_numbers(frame, features)
        features = [f for f in features if f not in row_numbers]
    written = sheet is not None or frame.written
    labels = encode(cells, source, options.missing_words, written=written)
    if options.drop_unlabelled and (without := labels.codes < 0).any():
        remark(f"{source} has no label in {int(without.sum())} row(s), which are left out.")
        frame.without_rows(without)
        labels = labels._replace(codes=labels.codes[~without])
    if not features:
        raise UnreadableError(
            f"{frame.source} has no features left beside the target and the dropped columns."
        )
    X, names, groups = _features(frame, features, options)
    _remark_on_ids(X, names, frame.source)
    data = _finished(frame.source, X, names, labels, source, options, frame.row_names)
    if batch_column is not None:
        data.batch = _batches(frame, batch_column)
    if not options.log2:
        _remark_on_intensities(data.X, frame.source)
    if groups and len(data.feature_names) != len(names):  # some were left out for missing values
        position = {name: f for f, name in enumerate(data.feature_names)}
        groups = [[position[names[f]] for f in g if names[f] in position] for g in groups]
    data.feature_groups = [group for group in groups if len(group) > 1] or None
    return data


def _batches(frame: Frame, position: int) -> NDArray[Any]:
    """The batch of each row, which must be known."""
    batch = [str(cell).strip() for cell in frame.column(position)]
    if missing := [row for row, cell in enumerate(batch, start=1) if is_missing(cell)]:
        raise UnreadableError(
            f"batch of {frame.source} is missing in {len(missing)} row(s), the first is data row "
            f"{missing[0]}; fill it in, or leave `batch` out."
        )
    return np.array(batch)


def _label_cells(
    frame: Frame, options: ReadOptions, sheet: Frame | None
) -> tuple[int | None, Sequence[Any], str]:
    """The column of the labels, None if it is elsewhere; the labels; what messages call them."""
    name, target, turned = frame.source, options.target, frame.turned
    if sheet is not None:
        return None, *_from_sheet(frame, options, sheet)
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
        raise UnreadableError(
            f"target is missing: say which column of {name} holds the classes; it has "
            f"{some_of(frame.names)}."
        )
    label = _position(frame, target)
    if turned and label == 0:
        return 0, _labels_in_header(frame), f"the header of {name}"
    kind = "row" if turned else "column"
    return label, frame.column(label), f"{kind} {frame.names[label]!r} of {name}"


def _position(frame: Frame, target: str | int) -> int:
    """The position of the target; if its name is in the first column, the table is on its side."""
    try:
        return Columns.of_file(frame.names, frame.source).position(target, "target")
    except ValueError as error:
        first = frame.cells.get(0, ())
        if not frame.turned and str(target) in (str(cell).strip() for cell in first):
            raise UnreadableError(
                f"target is {target!r}, which is a row of {frame.source} and not a column; are "
                "features in rows (`transpose=True`)?"
            ) from None
        if frame.annotation:
            raise UnreadableError(
                f"target is {target!r}, but {frame.source} describes the samples by "
                f"{some_of(frame.annotation)}."
            ) from None
        raise error from None


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


def _from_sheet(frame: Frame, options: ReadOptions, sheet: Frame) -> tuple[list[str], str]:
    """The labels of the rows, looked up in a table of samples."""
    columns = Columns.of_file(sheet.names, sheet.source)
    if options.target is None:
        raise UnreadableError(
            f"target is missing: say which column of {sheet.source} holds the classes; it has "
            f"{some_of(sheet.names)}."
        )
    label = columns.position(options.target, "target")
    own = frame.row_names
    if own is None:
        raise UnreadableError(
            f"{frame.source} does not name its rows; say which column does with `id`."
        )
    listed = [[str(cell).strip() for cell in sheet.column(j)] for j in range(len(sheet.names))]
    if options.sample_id is not None:
        key = columns.position(options.sample_id, "`sample_id`")
    else:
        wanted = set(own)
        key = max(range(len(listed)), key=lambda j: len(wanted.intersection(listed[j])))
    if not set(own) & set(listed[key]):
        raise UnreadableError(
            f"{sheet.source} has none of the samples of {frame.source} in its column "
            f"{sheet.names[key]!r}, such as {own[0]!r}; say where they are with "
            "`sample_id`."
        )
    label_of = dict(zip(listed[key], listed[label], strict=True))
    if len(label_of) < len(listed[key]):
        raise UnreadableError(
            f"{sheet.source} has a sample more than once in its column {sheet.names[key]!r}; give "
            "each once, or another column with `sample_id`."
        )
    source = f"column {sheet.names[label]!r} of {sheet.source}"
    return [label_of.get(name, "") for name in own], source


def _row_numbers(frame: Frame, positions: Sequence[int]) -> set[int]:
    """Those of the columns that have no name and only count or name the rows."""
    found = set()
    for position in (j for j in positions if _UNNAMED.fullmatch(frame.names[j])):
        column = frame.column(position)
        numbers = as_numbers(column)
        if numbers is not None and not _are_distinct_whole_numbers(numbers):
            continue
        what = "numbers the rows" if numbers is not None else "names the rows"
        remark(f"{frame.source} {what} in a column without a name; it is not taken for a feature.")
        if frame.row_names is None:
            shown = column if numbers is None else numbers.astype(np.int64)
            frame.row_names = [str(cell).strip() for cell in shown]
        found.add(position)
    return found


def _are_distinct_whole_numbers(values: Floats) -> bool:
    return bool((np.floor(values) == values).all()) and len(np.unique(values)) == len(values)


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
    frame: Frame, kept: list[int], options: ReadOptions
) -> tuple[Floats, list[str], list[list[int]]]:
    """The features as numbers; text is refused, left out or encoded."""
    missing = options.missing_words
    numbers = {f: frame.parse(frame.cells[f]) for f in kept if f in frame.cells}
    if not numbers:
        return frame.take(kept), [frame.names[f] for f in kept], []
    encoded = [f for f, values in numbers.items() if values is None]
    _reject_unclear_numbers(frame, encoded)
    if encoded and not (options.numeric_only or options.encode):
        raise UnreadableError(_about_text(frame, encoded))
    if encoded and options.numeric_only:
        remark(f"{frame.source} has text in column(s) {some_of(frame.names[f] for f in encoded)}, "
               "which are left out.")  # fmt: skip
        kept = [f for f in kept if f not in encoded]
        if not kept:
            raise UnreadableError(f"{frame.source} has no column of numbers; use `encode`.")
    columns: list[Floats] = []
    names: list[str] = []
    groups: list[list[int]] = []
    for f in kept:
        if f in encoded:
            made = _one_hot(frame, f, missing)
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
    if len(words) > _MANY_WORDS:
        raise UnreadableError(
            f"{frame.source} has {len(words)} different words in column {name!r}, too many for a "
            "category; leave it out with `drop`."
        )
    if len(words) == 2 and not any(is_missing(cell, missing) for cell in cells):
        words = words[1:]
    return {f"{name}={w}": np.array([float(cell == w) for cell in cells]) for w in words}


def _reject_unclear_numbers(frame: Frame, text: list[int]) -> None:
    """Raise if a column of text holds numbers, but what their commas or points mean is not said."""
    for f in text:
        unread = _unread_cells(frame, f)
        if what_to_do := explain_marks(unread, is_mixed=frame.has_mixed_marks):
            raise UnreadableError(
                f"{frame.source} has numbers in column {frame.names[f]!r} that are not clear, such "
                f"as {unread[0].strip()!r}: {what_to_do}."
            )


def _unread_cells(frame: Frame, position: int) -> list[str]:
    """The cells of a column that are neither numbers nor missing."""
    return [str(cell) for cell in frame.cells[position] if frame.parse([str(cell)]) is None]


def _about_text(frame: Frame, text: list[int]) -> str:
    """Why columns of text cannot be used, and which option helps."""
    unread = _unread_cells(frame, text[0])
    words = {cell.strip() for cell in unread}
    start = (
        f"{frame.source} has text in column(s) {some_of(frame.names[f] for f in text)}, such as "
        f"{unread[0]!r}; "
    )
    if {word.lower() for word in words} <= _USUAL_GAPS:
        tokens = ",".join(sorted(words))
        return f"{start}if that means a missing value, say `missing={tokens!r}`."
    return (
        f"{start}leave the columns out with `drop` or `numeric_only`, or "
        "take them in with `encode`."
    )


def from_matrix(
    path: str, X: Any, names: list[str], labels: Labels, source: str, options: ReadOptions,
    sample_ids: list[str] | None = None,
) -> Dataset:  # fmt: skip
    """The dataset in a matrix of features, without the columns to drop."""
    if options.drop_unlabelled:
        rows = np.flatnonzero(labels.codes >= 0)
        X, labels = X[rows], labels._replace(codes=labels.codes[rows])
        sample_ids = None if sample_ids is None else [sample_ids[i] for i in rows]
    kept = Columns.of_file(names, path).without(options.drop, None)
    if len(kept) < len(names):
        X, names = X[:, kept], [names[f] for f in kept]
    return _finished(path, X, names, labels, source, options, sample_ids)


def _finished(
    path: Any, X: Any, names: list[str], labels: Labels, source: str, options: ReadOptions,
    sample_ids: list[str] | None,
) -> Dataset:  # fmt: skip
    """The last step of every reader: labels and numbers are there, and the numbers are finite."""
    y = labels.codes
    if (missing := y < 0).any():
        first = int(missing.argmax())
        called = "" if sample_ids is None else f" ({sample_ids[first]!r})"
        raise UnreadableError(
            f"{source} has {int(missing.sum())} missing label(s), the first in data row "
            f"{first + 1}{called}; label these rows, or leave them out with "
            "`drop_unlabelled`."
        )
    reject_one_class(np.array(labels.names), source)
    if labels.are_whole_numbers and len(labels.names) > _MANY_CLASSES:
        remark(
            f"{source} has {len(labels.names)} different whole numbers, each taken as a class; if "
            "it is a quantity, choose another target or group the values."
        )
    found = nonfinite_columns(X)
    if "infinity" in found:
        raise UnreadableError(
            f"{path} has infinite values in column(s) "
            f"{some_of(names[f] for f in found['infinity'])}; fix them, or leave the columns out "
            "with `drop`."
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
        raise UnreadableError(
            f"{path} has missing values in column(s) {some_of(names[f] for f in gaps)}; fill them "
            "in with `impute='median'`, or leave columns out with "
            "`drop_missing=0.2` or `drop`."
        )
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


def _remark_on_ids(X: Floats, names: list[str], source: str) -> None:
    """Warn about columns that look like identifiers and not like measurements."""
    n, m = X.shape
    named = [f for f in range(m) if any(r.fullmatch(names[f]) for r in (_LIKE_AN_ID, _CAMEL_ID))]
    counting = []
    if n >= 10:
        whole = np.flatnonzero(np.floor(X[0]) == X[0]).tolist()  # few columns, as a rule
        counting = [f for f in whole if _are_distinct_whole_numbers(X[:, f])]
        if len(counting) > max(1, m // 10):
            counting = []  # whole numbers all over: counts or intensities
    found = sorted({*named, *counting})
    if found:
        remark(
            f"{source} has column(s) that look like an identifier: "
            f"{some_of(names[f] for f in found)}; leave them out with `drop` if they are."
        )


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
