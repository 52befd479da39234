"""``--scheduler``: samples that are read and summed up by the workers of a Dask cluster."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import click

from s2fs import S2FS, PairCover
from s2fs._utils.columns import Columns
from s2fs._utils.optional import need
from s2fs.cli.data import DataArguments
from s2fs.io.parquet_folder import fits_in_memory

#: Why a selection of samples that are elsewhere has no accuracy on held-out samples.
NO_VERDICT_ELSEWHERE = (
    "the accuracy on held-out samples needs the samples in one place; run 's2fs compare' on some "
    "of them"
)
#: What a folder that does not fit into memory is called.
TABLE_IN_PARTS = "a table in parts"
#: The option that names a running cluster.
scheduler_option = partial(click.option, "--scheduler", metavar="ADDRESS")


def needs_cluster(data: DataArguments) -> bool:
    """Whether the data are read in parts, since they do not fit here or are a Zarr group."""
    is_zarr = data.file.suffix == ".zarr" or (data.file / "zarr.json").exists()
    return (is_zarr and data.file.is_dir()) or not fits_in_memory(data.file, data.max_memory)


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """A client of the cluster at an address; a failure of the cluster is an error of one line.

    Without an address it is a cluster of its own on this machine, which ends with the command.
    """
    with _open_client(address) as client:
        try:
            yield client
        except RuntimeError as error:
            raise OSError(str(error)) from None


def _open_client(address: str | None) -> Any:
    from s2fs.dask import connect  # loads Dask

    if address is not None:
        return connect(address)
    distributed = need("distributed", extra="dask", purpose="Reading a table in parts")
    return distributed.Client(threads_per_worker=1, dashboard_address=None)


def reject_options(data: DataArguments, asked: SimpleNamespace, place: str) -> None:
    """Raise if an option is given that needs all samples in one place.

    The ``place`` is the option that says where the samples are instead.
    """
    options = data.read_in_one_place
    if place == TABLE_IN_PARTS:  # it is so because of this option
        del options["--max-memory"]
    options |= {f"--{name}": getattr(asked, name) for name in ("report", "tune")}
    options["-k auto"] = asked.n_features == "auto"
    if place == "--database":
        options |= {"--max-correlation": asked.max_correlation is not None}
    for name, value in options.items():
        if value:
            raise ValueError(
                f"{name} needs all samples in one place and does not go with {place}; leave one "
                "of them out."
            )


def fit_on_cluster(
    selector: Any, address: str | None, data: DataArguments, limits: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Fit to partitioned files without reading them here; returns the names of the features.

    The ``limits`` are columns to include or exclude, by name or position.
    """
    from s2fs.dask import read_partitioned  # loads Dask

    if not isinstance(selector, S2FS | PairCover):
        raise ValueError(
            f"{type(selector).__name__} needs all samples in one place and does not go with "
            "--scheduler; use --method s2fs or paircover."
        )
    with connected(address):
        parts = read_partitioned(data.file, data.target, drop=data.drop, numeric_only=True)
        columns = Columns.of_file(parts.feature_names, data.file)
        for name, wanted in limits.items():
            selector.set_params(**{name: columns.positions(wanted, f"--{name}") or None})
        selector.fit(parts.X, parts.y)
    return parts.feature_names
