"""Files that hold arrays by key: NumPy's ``.npz`` and ``.npy``, and MATLAB's ``.mat``."""

import math
import re
import zipfile
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from s2fs._utils.arguments import Argument
from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_count, format_names
from s2fs.io._dataset import Dataset
from s2fs.io._descriptions import Description, Descriptions
from s2fs.io._errors import UnreadableError, reader_errors
from s2fs.io._frame import Frame, unique_names
from s2fs.io._labels import encode_labels
from s2fs.io._meaning import from_matrix
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader
from s2fs.io._source import Source
from s2fs.io._worker import WorkerResult
from s2fs.io.memory import check_size

Arrays = dict[str, NDArray[Any]]
_POSITION = re.compile(r"[+-]?\d+")
#: A file is not compressed to less than this share of its size by what ``.npz`` files use.
_MOST_COMPRESSED = 1032


def read_arrays(source: Source) -> Arrays:
    """Read every array of an ``.npz`` or ``.mat`` file."""
    return _read_npz(source) if source.suffix == ".npz" else _read_mat(source)


def _read_npz(source: Source) -> Arrays:
    """Every array of the file; pickled objects are refused, for they can run code."""
    with (
        reader_errors(source.name, ".npz"),
        source.open() as file,
        zipfile.ZipFile(file) as archive,
    ):
        members = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        check_size(sum(info.file_size for info in members), source.limit, source.name)
        found = {}
        for info in members:
            key = info.filename.removesuffix(".npy")
            if info.file_size > _MOST_COMPRESSED * (info.compress_size + 64):
                raise UnreadableError(
                    f"{source.name} declares more bytes under {key!r} than it can hold; it is "
                    "damaged, so make it again."
                )
            with archive.open(info) as member:
                found[key] = _read_npy(member, info.file_size, source.name, f" under {key!r}")
        return found


def _read_npy(file: BinaryIO | Any, size: int, name: str, where: str = "") -> NDArray[Any]:
    """One array, after its header is seen to fit the number of bytes that follow."""
    version = npy.read_magic(file)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_column, dtype = read_header(file)
    if dtype.hasobject:
        raise UnreadableError(
            f"{name} holds pickled objects{where}, which are refused because they can run code; "
            "save plain arrays of numbers or text."
        )
    count = math.prod(shape)
    if min(shape, default=0) < 0 or count * dtype.itemsize > size:
        raise UnreadableError(
            f"{name} declares {count} numbers{where}, more than it holds; it is damaged, so make "
            "it again."
        )
    data = file.read(count * dtype.itemsize)
    array = np.frombuffer(data, dtype=dtype, count=count)
    return array.reshape(shape, order="F" if by_column else "C")


def npy_frame(
    source: Source, as_text: Callable[[list[str]], set[int]], *, transpose: bool
) -> Frame:
    """A matrix in an ``.npy`` file, its columns called x0, x1, …; or an array with named fields."""
    with reader_errors(source.name, ".npy"), source.open() as file:
        size = file.seek(0, 2)
        file.seek(0)
        check_size(size, source.limit, source.name)
        array = _read_npy(file, size, source.name)
    columns: list[Any]
    if array.dtype.names:
        names = unique_names([str(name) for name in array.dtype.names], source.name)
        columns = [array[name].ravel() for name in array.dtype.names]
    else:
        array = _matrix(source.name, array, "the array", transpose=transpose)
        names, columns = [f"x{f}" for f in range(array.shape[1])], list(array.T)
    text = as_text(names)
    columns = [
        column.astype(np.float64) if column.dtype.kind in "biuf" and j not in text
        else column.tolist()
        for j, column in enumerate(columns)
    ]  # fmt: skip
    return Frame.of_columns(source.name, names, columns)


def _read_mat(source: Source) -> Arrays:
    """Every variable of a ``.mat`` file of version 4 to 7.2; sparse ones become dense."""
    with reader_errors(source.name, "MATLAB"), source.open() as file:
        if file.read(10) == b"MATLAB 7.3":
            raise UnreadableError(
                f"{source.name} is a MATLAB 7.3 file, which is not supported; save it in MATLAB "
                "with save(…, '-v7')."
            )
        return WorkerResult("mat", source).arrays


def matrix_with_names(
    source: str, arrays: Arrays, *, transpose: bool
) -> tuple[NDArray[np.float64], list[str]]:
    """The array ``X`` of a file, with the names of its columns."""
    if "X" not in arrays:
        raise UnreadableError(
            f"{source} must hold the array 'X'; it has {format_names(arrays) or 'none'}."
        )
    X = _matrix(source, arrays["X"], "X", transpose=transpose).astype(np.float64)
    m = X.shape[1]
    if "feature_names" not in arrays:
        return X, [f"x{f}" for f in range(m)]
    names = [name.strip() for name in arrays["feature_names"].ravel().astype(str)]
    if len(names) != m:
        raise UnreadableError(
            f"X in {source} has {format_count(m, 'column')} but feature_names has {len(names)}."
        )
    return X, unique_names(names, source)


def _matrix(source: str, X: NDArray[Any], name: str, *, transpose: bool) -> NDArray[Any]:
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise UnreadableError(
            f"{name} in {source} must be a matrix of real numbers; it has shape {X.shape} and "
            f"type {X.dtype}."
        )
    return X.T if transpose else X


def _description(arrays: Arrays, key: str, argument: str, n: int, source: str) -> Description:
    """An array with a value for each row, by its key."""
    if key not in arrays:
        raise UnreadableError(
            Argument(argument),
            f" is {key!r}, but {source} has no such array; it has {format_names(arrays)}.",
        )
    values = arrays[key].ravel()
    if len(values) != n:
        raise UnreadableError(
            Argument(argument),
            f" is {key!r}, which has {format_count(len(values), 'value')} for the "
            f"{format_count(n, 'row')} of X in {source}; give one per row.",
        )
    numbers = values.astype(np.float64) if values.dtype.kind in "biuf" else None
    return Description(
        key, (values.astype(str) if numbers is None else values).tolist(), None, numbers
    )


def read_sample_ids(arrays: Arrays, n: int, source: str) -> list[str] | None:
    """What the file calls its samples, if it does."""
    if "sample_ids" not in arrays:
        return None
    names = [name.strip() for name in arrays["sample_ids"].ravel().astype(str)]
    if len(names) != n:
        raise UnreadableError(
            f"X in {source} has {format_count(n, 'row')} but sample_ids has {len(names)}."
        )
    return names


def find_array_labels(
    name: str, arrays: Arrays, n: int, options: ReadOptions
) -> tuple[NDArray[Any] | None, Descriptions]:
    """The labels of the rows under the key of the target, and what describes them."""
    described = {
        argument: _description(arrays, str(wanted), argument.partition(":")[0], n, name)
        for argument, wanted in options.descriptions
    }
    key = options.target
    if key is None:
        return None, described
    if str(key) not in arrays:
        raise UnreadableError(
            Argument("target"),
            f" is {key!r}, but {name} has no such array; it has {format_names(arrays)}.",
        )
    labels = arrays[str(key)].ravel()
    if len(labels) != n:
        raise UnreadableError(
            f"X in {name} has {format_count(n, 'row')} but {key} has "
            f"{format_count(len(labels), 'label')}; give one per row."
        )
    if "classes" in arrays and labels.dtype.kind in "iu":
        given = [word.strip() for word in arrays["classes"].ravel().astype(str)]
        if len(labels) and labels.min() >= 0 and labels.max() < len(given):
            return np.array(given)[labels], described
    return labels, described


def _with_usual_names(arrays: Arrays, target: str | int | None, source: str) -> Arrays:
    """The arrays with the only matrix as X and its labels as y, where the file has other names.

    Labels are what the target names, the only other array with a value for each row, or a column.
    """
    matrices = {
        key: array
        for key, array in arrays.items()
        if array.ndim == 2 and array.dtype.kind in "biuf" and min(array.shape) > 1
    }
    if "X" in arrays or len(matrices) != 1:
        return arrays
    ((key, X),) = matrices.items()
    beside = {k: a for k, a in arrays.items() if k != key and a.size in X.shape}
    if target is None and len(beside) == 1:
        label, values = beside.popitem()
        said = f"as X and {label!r} as y"
        found = {**arrays, "X": X, "y": values}
    elif target is not None and str(target) in arrays:
        said = "as X"
        found = {**arrays, "X": X}
    elif target is not None and _POSITION.fullmatch(str(target)):
        place = Columns.of_file([f"x{f}" for f in range(X.shape[1])], source).position(
            target, "target"
        )
        said = f"as X and its column {place} as y"
        found = {**arrays, "X": np.delete(X, place, axis=1), str(target): X[:, place]}
    else:
        classes = [len(np.unique(X[:, f])) for f in (-1, 0)]
        places = [f for f, n in zip((-1, 0), classes, strict=True) if 2 <= n <= len(X) / 4]
        raise UnreadableError(
            f"{source} holds one matrix, {key!r}, and no labels that fit its rows; name the array "
            "of the classes, or the position of the column that holds them, with ",
            Argument("target", places[0] if places else None),
            ".",
            reason="no target",
            fixes={"target": places[0]} if places and target is None else {},
        )
    warn_reader(f"{source} has {key!r}, its only matrix, which is taken {said}.", kind="arrays")
    return found


def from_arrays(source: Source, options: ReadOptions) -> Dataset:
    """The dataset in an ``.npz`` or ``.mat`` file, with the labels under the key of the target."""
    name, target = source.name, options.target
    arrays = _with_usual_names(read_arrays(source), target, name)
    key = next((k for k in ("y", "Y") if k in arrays), "y") if target is None else str(target)
    if "X" not in arrays or key not in arrays:
        raise UnreadableError(
            f"{name} must hold the arrays 'X' and {key!r}; it has {format_names(arrays) or 'none'}."
        )
    labels = arrays[key].ravel()
    X, names = matrix_with_names(name, arrays, transpose=options.transpose)
    n, m = X.shape
    if len(labels) != n:
        hint: tuple[str | Argument, ...] = (".",)
        if len(labels) == m:
            hint = ("; are the features in rows (", Argument("transpose", True), ")?")
        raise UnreadableError(
            f"X in {name} has {format_count(n, 'row')} but {key} has "
            f"{format_count(len(labels), 'label')}",
            *hint,
        )
    is_coded = labels.dtype.kind in "biu"
    where = f"{key} of {name}"
    text = not is_coded and labels.dtype.kind != "f"
    found = encode_labels(
        (labels.astype(str) if text else labels).tolist(), where, options.missing_words
    )
    if "classes" in arrays and is_coded:
        given = [word.strip() for word in arrays["classes"].ravel().astype(str)]
        codes = np.unique(labels)
        if codes[0] < 0 or codes[-1] >= len(given):
            raise UnreadableError(
                f"{where} runs from {codes[0]} to {codes[-1]}, but classes names the codes 0 to "
                f"{len(given) - 1}."
            )
        found = found._replace(names=[given[code] for code in codes], are_whole_numbers=False)
    described = {
        argument: _description(arrays, str(wanted), argument.partition(":")[0], n, name)
        for argument, wanted in options.descriptions
    }
    sample_ids = read_sample_ids(arrays, n, name)
    data = from_matrix(name, X, names, found, where, options, sample_ids, described)
    if "image_order" in arrays:
        order = str(arrays["image_order"].ravel()[0])
        data = data._replace(image_order="F" if order == "F" else "C")
    shape = arrays.get("image_shape", np.empty(0))
    sides = tuple(shape.ravel().tolist()) if shape.dtype.kind in "iu" else ()
    if len(sides) == 2 and math.prod(sides) == data.X.shape[1] == m:
        return data._replace(image_shape=sides, image_order=data.image_order or "C")
    return data
