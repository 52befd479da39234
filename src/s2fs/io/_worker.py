"""MATLAB, HDF5 and Feather files are read in a process of their own.

The libraries that read them can be brought to crash, or to ask for terabytes, by a damaged file.
Here that ends the process that reads, not the one that asks. This file is also the program of that
process: it imports nothing of s2fs, so that it starts fast.

The process writes to standard output one line of JSON, and after it the arrays this line lists, in
NumPy's own format.
"""

import json
import os
import shlex
import subprocess  # nosec B404
import sys
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

if TYPE_CHECKING:
    from s2fs.io._source import Source

#: What the libraries themselves may take beside the content.
_MEMORY_OVERHEAD = 2**30
#: How the process ends: with the end of a sentence about the file, or with what a library raised.
_REFUSED, _FAILED, _TOO_LARGE = 3, 4, 5


class WorkerResult:
    """The header and the arrays that the process sends; ``request`` is for its reader."""

    def __init__(self, kind: str, source: "Source", **request: str | list[str] | None) -> None:
        from tempfile import NamedTemporaryFile

        from s2fs._utils.arguments import Argument
        from s2fs.io._errors import UnreadableError

        with ExitStack() as stack:
            path = source.path
            if path is None:  # standard input or compressed: the libraries want a file
                copy = stack.enter_context(NamedTemporaryFile(suffix=source.suffix))
                copy.write(source.content())
                copy.flush()
            request |= {"kind": kind, "name": source.name, "path": str(path or copy.name)}
            result = subprocess.run(  # our own file, no shell # nosec B603
                [sys.executable, "-P", __file__, json.dumps({**request, "limit": source.limit})],
                capture_output=True,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
                    "ARROW_DEFAULT_MEMORY_POOL": "system",  # the others reserve more than they use
                    "OPENBLAS_NUM_THREADS": "1",
                },
                check=False,
            )
        if result.returncode in (_REFUSED, _TOO_LARGE, _FAILED):
            reason = result.stderr.decode(errors="replace").strip().splitlines()[-1]
            if result.returncode == _FAILED:
                raise ValueError(reason)
            if result.returncode == _TOO_LARGE:
                raise UnreadableError(
                    f"{source.name} {reason}; give a smaller file, or allow more with ",
                    Argument("max_memory"),
                    ".",
                )
            raise UnreadableError(f"{source.name} {reason}")
        if result.returncode != 0:
            raise UnreadableError(
                f"{source.name} made the library that reads {source.suffix} files crash "
                f"(exit code {result.returncode}); it is damaged, so make it again."
            )
        head, _, self.content = result.stdout.partition(b"\n")
        self.header: dict[str, Any] = json.loads(head)
        file, names = BytesIO(self.content), self.header.get("arrays", ())
        self.arrays = {name: npy.read_array(file, allow_pickle=False) for name in names}


class _UnreadableContent(Exception):  # noqa: N818
    """What the file cannot be used for, as the end of a sentence that begins with its name."""


class _TooLarge(Exception):  # noqa: N818
    """How much memory it asks for, in such words, too."""


def _check(n_bytes: int, limit: int) -> None:
    if n_bytes > limit:
        raise _TooLarge(
            f"asks for {n_bytes / 2**30:.3g} GiB of memory where {limit / 2**30:.3g} GiB are "
            "allowed"
        )


def _mat(request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    from scipy.io import loadmat
    from scipy.sparse import issparse

    found = {}
    for key, value in loadmat(request["path"], spmatrix=False).items():
        if key.startswith("__"):
            continue
        if issparse(value):
            _check(8 * value.shape[0] * value.shape[1], request["limit"])
            value.check_format(full_check=True)
            value = value.toarray()
        value = np.asarray(value)
        if value.dtype == object:  # a cell array of strings
            value = np.array(["".join(np.asarray(c, dtype=str).ravel()) for c in value.ravel()])
        if not value.dtype.hasobject:
            found[key] = value
    return {}, found


def _h5ad(request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The outline of the file; its matrix, names and labels if the outline has those requested."""
    import h5py

    with h5py.File(request["path"], "r") as file:
        if not {"obs", "var"} <= set(file):
            if {"observation", "sample"} <= set(file):
                raise _UnreadableContent(
                    "is a BIOM file, and not read here; convert it with biom convert -i "
                    f"{shlex.quote(request['name'])} -o table.tsv --to-tsv."
                )
            raise _UnreadableContent(
                "is an HDF5 file but not an .h5ad file: it lacks obs and var; save the matrix and "
                "the classes as X and y in an .npz file."
            )
        obs, var = file["obs"], file["var"]
        is_old = isinstance(obs, h5py.Dataset)
        if is_old != isinstance(var, h5py.Dataset):
            raise _UnreadableContent(
                "is damaged: obs and var are of different versions of AnnData."
            )
        if is_old:  # as AnnData wrote them before version 0.7
            obs, var = (_OldTable(file, table, request["limit"]) for table in (obs, var))
        columns = (
            obs.columns if is_old else [str(name) for name in obs.attrs.get("column-order", ())]
        )
        layers = sorted(file["layers"]) if "layers" in file else []
        header = {"columns": columns, "layers": layers, "has_X": "X" in file}
        key = "X" if request["layer"] is None else f"layers/{request['layer']}"
        column = _column(request["target"], columns)
        beside = [_column(wanted, columns) for wanted in request["beside"]]
        header["beside"] = beside
        if key not in file or (column is None and request["target"] is not None):
            return header, {}
        limit, X = request["limit"], file[key]
        read = obs.labels if is_old else partial(_labels, obs, limit=limit)
        arrays = {} if column is None else read(column)
        for number, name in enumerate(beside):
            parts = {} if name is None else read(name)
            arrays |= {f"{number}:{part}": array for part, array in parts.items()}
        for name, group in (("obs_names", obs), ("var_names", var)):
            arrays[name] = (
                group.index if is_old else _cells(group[group.attrs.get("_index", "_index")], limit)
            )
        if isinstance(X, h5py.Group):
            shape = X.attrs.get("shape", X.attrs.get("h5sparse_shape"))
            kind = X.attrs.get("encoding-type", X.attrs.get("h5sparse_format"))
            header |= {"column": column, "shape": [int(n) for n in shape], "format": str(kind)[:3]}
            arrays |= {part: _cells(X[part], limit) for part in ("data", "indices", "indptr")}
        else:
            header |= {"column": column, "shape": list(X.shape), "format": "dense"}
            arrays["X"] = _cells(X, limit)
        return header, arrays


class _OldTable:
    """Annotations in one array of records, the index first; the categories of codes are in uns."""

    def __init__(self, file: Any, table: Any, limit: int) -> None:
        self._file, self._limit = file, limit
        self._records = _cells(table, limit)
        first, *columns = self._records.dtype.names or ("",)
        self.columns = [str(name) for name in columns]
        self.index = _as_text(self._records[first])

    def labels(self, column: str) -> dict[str, NDArray[Any]]:
        """A column: its values, with codes if it is categorical."""
        values, key = self._records[column], f"uns/{column}_categories"
        if key in self._file:
            return {"values": _cells(self._file[key], self._limit), "codes": values}
        return {"values": _as_text(values) if values.dtype.kind in "OS" else values}


def _as_text(values: NDArray[Any]) -> NDArray[Any]:
    """Text that HDF5 gives as bytes."""
    return np.array([v.decode() if isinstance(v, bytes) else str(v) for v in values.tolist()])


def _column(wanted: Any, columns: list[str]) -> str | None:
    """The name of a column of obs, which may be given by its position."""
    if wanted in columns:
        return str(wanted)
    return columns[int(wanted)] if _is_position(wanted, len(columns)) else None


def _is_position(wanted: Any, n: int) -> bool:
    try:
        return -n <= int(wanted) < n
    except (TypeError, ValueError):
        return False


def _labels(obs: Any, column: str, limit: int) -> dict[str, NDArray[Any]]:
    """A column of obs: its values, with codes if it is categorical and a mask if it has gaps."""
    import h5py

    values = obs[column]
    if isinstance(values, h5py.Group):
        parts = {"categories": "values", "codes": "codes", "values": "values", "mask": "mask"}
        return {new: _cells(values[old], limit) for old, new in parts.items() if old in values}
    if "categories" in values.attrs:  # as AnnData wrote them until version 0.7
        categories = obs[values.attrs["categories"]]
        return {"values": _cells(categories, limit), "codes": _cells(values, limit)}
    return {"values": _cells(values, limit)}


def _cells(data: Any, limit: int) -> NDArray[Any]:
    """The content of an HDF5 dataset, after what it declares is seen to be possible."""
    import h5py

    if isinstance(data, h5py.Group) and "values" in data:  # text with gaps, as AnnData 0.13 writes
        data = data["values"]
    if not isinstance(data, h5py.Dataset) or data.shape is None:
        raise _UnreadableContent(
            f"has no plain array at {data.name!r}; it is damaged or not supported."
        )
    declared, stored = data.size * max(data.dtype.itemsize, 1), data.id.get_storage_size()
    _check(declared, limit)
    if declared > 1032 * (stored + 1024):  # no compression is better
        raise _UnreadableContent(f"declares more at {data.name!r} than it holds; it is damaged.")
    if data.dtype.kind in "OS":
        return np.array(data.asstr("utf-8")[()], dtype=str)  # also where it is called ASCII
    return np.asarray(data[()])


def _feather(path: str, out: Any) -> None:
    """Write the table as a stream in which nothing is compressed."""
    import pyarrow
    from pyarrow import feather

    table = feather.read_table(path, memory_map=False, use_threads=False)
    table.validate(full=True)
    out.write(b"{}\n")
    with pyarrow.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)


def _main() -> int:
    request = json.loads(sys.argv[1])
    try:
        import resource

        most = request["limit"] + _MEMORY_OVERHEAD
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ImportError:  # not a Unix system
        pass
    try:
        out = sys.stdout.buffer
        if request["kind"] == "feather":
            _feather(request["path"], out)
        else:
            header, arrays = {"mat": _mat, "h5ad": _h5ad}[request["kind"]](request)
            out.write(json.dumps({**header, "arrays": list(arrays)}).encode() + b"\n")
            for array in arrays.values():
                npy.write_array(out, array, allow_pickle=False)
        out.flush()
    except _UnreadableContent as error:
        print(error, file=sys.stderr)
        return _REFUSED
    except _TooLarge as error:
        print(error, file=sys.stderr)
        return _TOO_LARGE
    except MemoryError:
        print("is damaged, or asks for more memory than it may have", file=sys.stderr)
        return _TOO_LARGE
    except Exception as error:
        print(" ".join(str(error).split()) or type(error).__name__, file=sys.stderr)
        return _FAILED
    return 0


if __name__ == "__main__":
    sys.exit(_main())
