"""Data in many files, read by the workers and not by the client."""

from collections.abc import Iterable
from glob import glob
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from warnings import warn

from s2fs._utils.columns import Columns
from s2fs._utils.messages import format_count, format_named, format_names
from s2fs._utils.optional import need
from s2fs._utils.parquet_parts import check_schemas, list_partitions, list_parts, read_schemas

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
    >>> from s2fs.dask import connect
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         len(client.nthreads())
    1
    """
    distributed = need("distributed", extra="dask", purpose="A cluster")
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
    numeric_only: bool = False,
) -> Partitioned:
    """Open labelled data in many files without reading it.

    Parameters
    ----------
    path : str or path-like
        A directory of Parquet files, a pattern such as ``"parts/*.parquet"``, or a Zarr group with
        the arrays ``X`` and ``y`` (and optionally ``feature_names``) if ``zarr`` is installed.
        Client and workers must find the files under the same name. Hive partitions, such as the day
        in ``day=0/part.parquet``, may be the target; other ones are left out with a warning.
    target : str or int, optional
        The column with the class labels, by name or position; for Zarr the name of their array, by
        default ``y``.
    drop : str, int or iterable of these, default=()
        Columns to leave out, by name or position.
    numeric_only : bool, default=False
        Leave out columns that are no numbers, with a warning.

    Returns
    -------
    Partitioned
        Named tuple ``(X, y, feature_names)`` of Dask collections, one chunk per file, group of rows
        or chunk of the array.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pandas as pd
    >>> from s2fs.dask import read_partitioned
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> plants = pd.DataFrame({"height": [2.5, 0.5], "width": [1, 3], "kind": ["fern", "moss"]})
    >>> plants.to_parquet(folder / "part-0.parquet")
    >>> plants.to_parquet(folder / "part-1.parquet")
    >>> data = read_partitioned(folder, "kind")
    >>> data.feature_names, data.X.npartitions
    (['height', 'width'], 2)
    """
    dataframe = need("dask.dataframe", extra="dask", purpose="Reading many files")
    where = str(path)
    dropped = [drop] if isinstance(drop, str | int) else list(drop)
    remote = "://" in where
    if not remote and not glob(where):
        raise FileNotFoundError(f"There is no file {where!r}; check the path or the pattern.")
    if Path(where).suffix == ".zarr" or (Path(where) / "zarr.json").exists():
        return _open_zarr(where, target, dropped)
    files = [] if remote else list_parts(where)
    if not remote and Path(where).is_dir() and not files:
        raise ValueError(f"{where} holds no .parquet files; give a directory that does.")
    need("pyarrow", extra="parquet", purpose="Reading Parquet files")
    try:
        frame = dataframe.read_parquet(where)
        schemas = read_schemas(files)
    except (OSError, ValueError) as error:
        reason = _shorten_error(error)
        raise ValueError(f"{where} cannot be read as Parquet ({reason}).") from None
    names = [str(name) for name in frame.columns]
    if target is None:
        raise ValueError(
            f"target is missing: say which column of {where} holds the classes; it has "
            f"{format_names(names)}."
        )
    columns = Columns.of_file(names, where)
    label = columns.position(target, "target")
    kept = columns.without(dropped, label)
    partitions = {name for name in list_partitions(files, where) if name in names}
    check_schemas(schemas, [names[f] for f in (*kept, label) if names[f] not in partitions])
    features = _leave_out(kept, names, partitions, "in the names of folders")
    if numeric_only:
        text = {names[f] for f in features if not _is_number(frame.dtypes.iloc[f])}
        features = _leave_out(features, names, text, "not numbers")
    if not features:
        raise ValueError(f"{where} has no column of numbers beside the target; give some.")
    frame = frame[[frame.columns[f] for f in (*features, label)]]
    X = frame[[frame.columns[f] for f in range(len(features))]]
    return Partitioned(X, frame[frame.columns[-1]], [names[f] for f in features])


def _leave_out(positions: list[int], names: list[str], unwanted: set[str], why: str) -> list[int]:
    """The columns that are not unwanted; a warning names the others."""
    left_out = [names[f] for f in positions if names[f] in unwanted]
    if left_out:
        warn(f"Left out {format_named('column', left_out)}: {why}.", stacklevel=3)
    return [f for f in positions if names[f] not in unwanted]


def _is_number(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "biuf"


def _shorten_error(error: Exception) -> str:
    """The first line of an error message, to stand in brackets."""
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


def _open_zarr(where: str, target: str | int | None, drop: list[str | int]) -> Partitioned:
    """Open the arrays of a Zarr group; what they hold is checked by their shapes alone."""
    array = need("dask.array", extra="dask", purpose="Reading many files")
    try:
        import zarr
    except ImportError:
        raise ImportError(f"Reading {where} needs zarr: pip install zarr.") from None
    key = "y" if target is None else str(target)
    try:
        arrays = dict(zarr.open_group(where, mode="r").arrays())
        n_chunks = {name: arrays[name].nchunks for name in ("X", key) if name in arrays}
        is_too_long = any(n > MOST_CHUNKS for n in n_chunks.values())
        opened = {}
        if not is_too_long:
            opened = {name: array.from_zarr(arrays[name]) for name in n_chunks}
    except Exception as error:  # whatever the metadata make of zarr
        raise ValueError(
            f"{where} cannot be read as a Zarr group ({_shorten_error(error)})."
        ) from None
    if len(n_chunks) < 2:
        raise ValueError(
            f"{where} must hold the arrays 'X' and {key!r}; it has {format_names(sorted(arrays))}."
        )
    if is_too_long:
        name, n = max(n_chunks.items(), key=lambda item: item[1])
        raise ValueError(
            f"{name} in {where} has {n} chunks, more than {MOST_CHUNKS}; write it in larger "
            "chunks, or correct its shape if it has fewer rows."
        )
    X, y = opened["X"], opened[key]
    if X.ndim != 2:
        raise ValueError(
            f"X in {where} has {format_count(X.ndim, 'dimension')}; give rows and columns."
        )
    if len(X) != len(y):
        raise ValueError(
            f"X in {where} has {format_count(len(X), 'row')}, but {key!r} has {len(y)}; give one "
            "label per row."
        )
    if (stored := arrays["X"].nchunks_initialized) < n_chunks["X"]:
        warn(
            f"X in {where} has {n_chunks['X']} chunks by its shape {X.shape}, but only {stored} "
            f"are stored; the others count as {arrays['X'].fill_value}.",
            stacklevel=3,
        )
    names = [f"x{f}" for f in range(X.shape[1])]
    if "feature_names" in arrays:
        names = [str(name) for name in arrays["feature_names"][:]]
    if len(names) != X.shape[1]:
        raise ValueError(
            f"X in {where} has {format_count(X.shape[1], 'column')} but feature_names has "
            f"{len(names)}."
        )
    features = Columns.of_file(names, where).without(drop, None)
    if len(features) < len(names):
        X = X[:, features]
    return Partitioned(X, y, [names[f] for f in features])
