"""Data in many files, read by the workers and not by the client."""

from collections.abc import Iterable
from glob import glob
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

from s2fs._util.inputs import Columns
from s2fs._util.messages import some_of
from s2fs._util.optional import need

#: More chunks than this are refused: a scheduler keeps some kilobytes for each.
MOST_CHUNKS = 1_000_000
#: Seconds that a scheduler has to answer.
ANSWER_WITHIN = 10.0


class Partitioned(NamedTuple):
    """Labelled data that is read when and where it is needed.

    Attributes
    ----------
    X : dask data frame or array
        The features.
    y : dask series or array
        The labels.
    feature_names : list of str
        Names of the features.
    """

    X: Any
    y: Any
    feature_names: list[str]


def connect(address: str) -> Any:
    """Connect to a running Dask cluster; from then on selectors leave Dask collections there.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``"tcp://host:8786"``.

    Returns
    -------
    distributed.Client
        The connection, to be used in a ``with`` statement or closed.

    Raises
    ------
    ImportError
        If Dask is not installed.
    OSError
        If no scheduler answers within ten seconds.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> from s2fs.distributed import connect
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         len(client.nthreads())
    1
    """
    distributed = need("distributed", extra="distributed", purpose="A cluster")
    try:
        return distributed.Client(address, timeout=ANSWER_WITHIN)
    except (OSError, ValueError, TypeError) as error:  # an address may also make no sense
        raise OSError(
            f"No Dask scheduler answers at {address!r} within {ANSWER_WITHIN:g} s "
            f"({type(error).__name__}); give the address of a running one, such as "
            "tcp://host:8786."
        ) from None


def read_partitioned(
    path: str | PathLike[str],
    target: str | int | None = None,
    *,
    drop: str | int | Iterable[str | int] = (),
) -> Partitioned:
    """Open labelled data in many files without reading it.

    Parameters
    ----------
    path : str or path-like
        A directory of Parquet files, a pattern such as ``"parts/*.parquet"``, or a Zarr group with
        the arrays ``X`` and ``y`` (and optionally ``feature_names``) if ``zarr`` is installed.
        Client and workers must find the files under the same name.
    target : str or int, optional
        The column with the class labels, by name or position; for Zarr the name of their array, by
        default ``y``.
    drop : str, int or iterable of these, default=()
        Columns to leave out, by name or position.

    Returns
    -------
    Partitioned
        Named tuple ``(X, y, feature_names)`` of Dask collections, one chunk per file, group of rows
        or chunk of the array.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pandas as pd
    >>> from s2fs.distributed import read_partitioned
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> plants = pd.DataFrame({"height": [2.5, 0.5], "width": [1, 3], "kind": ["fern", "moss"]})
    >>> plants.to_parquet(folder / "part-0.parquet")
    >>> plants.to_parquet(folder / "part-1.parquet")
    >>> data = read_partitioned(folder, "kind")
    >>> data.feature_names, data.X.npartitions
    (['height', 'width'], 2)
    """
    dataframe = need("dask.dataframe", extra="distributed", purpose="Reading many files")
    where = str(path)
    dropped = [drop] if isinstance(drop, str | int) else list(drop)
    remote = "://" in where
    if not remote and not glob(where):
        raise FileNotFoundError(f"There is no file {where!r}; check the path or the pattern.")
    if Path(where).suffix == ".zarr" or (Path(where) / "zarr.json").exists():
        return _from_zarr(where, target, dropped)
    if not remote and Path(where).is_dir() and not glob(f"{where}/**/*.parquet", recursive=True):
        raise ValueError(f"{where} holds no .parquet files; give a directory that does.")
    need("pyarrow", extra="parquet", purpose="Reading Parquet files")
    try:
        frame = dataframe.read_parquet(where)
        schemas = {} if remote else _schemas(where)
    except (OSError, ValueError) as error:
        raise ValueError(f"{where} cannot be read as Parquet ({_reason(error)}).") from None
    names = [str(name) for name in frame.columns]
    if target is None:
        raise ValueError(
            f"target is missing: say which column of {where} holds the classes; it has "
            f"{some_of(names)}."
        )
    columns = Columns.of_file(names, where)
    label = columns.position(target, "target")
    left = columns.without(dropped, label)
    _check_parts(schemas, [names[f] for f in (*left, label)])
    frame = frame[[frame.columns[f] for f in (*left, label)]]
    X, y = frame[[frame.columns[f] for f in range(len(left))]], frame[frame.columns[-1]]
    return Partitioned(X, y, [names[f] for f in left])


def _schemas(where: str) -> dict[str, Any]:
    """The schema of each part, by the name of its file: only the end of the file is read."""
    parquet = need("pyarrow.parquet", extra="parquet", purpose="Reading Parquet files")
    folder = Path(where).is_dir()
    files = glob(f"{where}/**/*.parquet", recursive=True) if folder else glob(where)
    return {file: parquet.read_schema(file) for file in sorted(files)}


def _check_parts(schemas: dict[str, Any], names: list[str]) -> None:
    """Raise if a part lacks a column, or has text where the first part has numbers."""
    known: dict[str, tuple[str, str]] = {}
    for file, schema in schemas.items():
        types = dict(zip(schema.names, schema.types, strict=True))
        if lacking := [name for name in names if name not in types]:
            first = next(iter(schemas))
            raise ValueError(
                f"{file} has no column {some_of(lacking)}, which {first} has; write all parts with "
                "the same columns."
            )
        for name in names:
            kind = _kind(types[name])
            before, where = known.setdefault(name, (kind, file))
            if kind != before and "nothing" not in (kind, before):
                raise ValueError(
                    f"{file} has {kind} in column {name!r}, but {where} has {before}; write all "
                    "parts with the same types."
                )


def _kind(type_: Any) -> str:
    """What the values of a column are, in a word."""
    types = need("pyarrow", extra="parquet").types
    if types.is_dictionary(type_):
        return _kind(type_.value_type)
    if types.is_null(type_):
        return "nothing"
    if types.is_temporal(type_):
        return "times"
    text = types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)
    return "text" if text else "numbers" if types.is_primitive(type_) else str(type_)


def _reason(error: Exception) -> str:
    """The first line of an error message, to stand in brackets."""
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


def _from_zarr(where: str, target: str | int | None, drop: list[str | int]) -> Partitioned:
    array = need("dask.array", extra="distributed", purpose="Reading many files")
    try:
        import zarr
    except ImportError:
        raise ImportError(f"Reading {where} needs zarr: pip install zarr.") from None
    key = "y" if target is None else str(target)
    try:
        arrays = dict(zarr.open_group(where, mode="r").arrays())
        n_chunks = {name: arrays[name].nchunks for name in ("X", key) if name in arrays}
        few = all(n <= MOST_CHUNKS for n in n_chunks.values())
        found = {name: array.from_zarr(arrays[name]) for name in n_chunks} if few else {}
    except Exception as error:  # whatever the metadata make of zarr
        raise ValueError(f"{where} cannot be read as a Zarr group ({_reason(error)}).") from None
    if len(n_chunks) < 2:
        raise ValueError(
            f"{where} must hold the arrays 'X' and {key!r}; it has {some_of(sorted(arrays))}."
        )
    if not few:
        name, n = max(n_chunks.items(), key=lambda item: item[1])
        raise ValueError(
            f"{name} in {where} has {n} chunks, more than {MOST_CHUNKS}; write it in larger "
            "chunks, or correct its shape if it has fewer rows."
        )
    X, y = found["X"], found[key]
    if X.ndim != 2:
        raise ValueError(f"X in {where} has {X.ndim} dimension(s); give rows and columns.")
    if len(X) != len(y):
        raise ValueError(
            f"X in {where} has {len(X)} row(s), but {key!r} has {len(y)}; give one label per row."
        )
    if (stored := arrays["X"].nchunks_initialized) < n_chunks["X"]:
        warn(
            f"X in {where} has {n_chunks['X']} chunks by its shape {X.shape}, but only {stored} "
            f"are stored; the others count as {arrays['X'].fill_value}.",
            stacklevel=3,
        )
    named = arrays.get("feature_names")
    names = [f"x{f}" for f in range(X.shape[1])] if named is None else [str(f) for f in named[:]]
    if len(names) != X.shape[1]:
        raise ValueError(
            f"X in {where} has {X.shape[1]} column(s) but feature_names has {len(names)}."
        )
    left = Columns.of_file(names, where).without(drop, None)
    return Partitioned(X if len(left) == len(names) else X[:, left], y, [names[f] for f in left])
