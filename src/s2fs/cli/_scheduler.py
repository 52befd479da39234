"""``--scheduler``: rows that are read and scored by the workers of a Dask cluster."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import click

from s2fs import S2FS, PairCover
from s2fs._util.inputs import Columns
from s2fs.cli._shared import DataArguments

#: The option that names a running cluster.
scheduler_option = partial(click.option, "--scheduler", metavar="ADDRESS")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at an address; a failure of the cluster is an error of one line."""
    from s2fs.distributed import connect  # loads Dask

    with connect(address) as client:
        try:
            yield client
        except RuntimeError as error:
            raise OSError(str(error)) from None


def refuse(options: Mapping[str, Any]) -> None:
    """Raise if an option is given that needs all rows in one place."""
    for name, value in options.items():
        if value:
            raise ValueError(
                f"{name} needs all rows in one place and does not go with --scheduler; leave one "
                "of them out."
            )


def fit_there(
    selector: Any, address: str, data: DataArguments, limits: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Fit to partitioned files without reading them here; returns the names of the features.

    The ``limits`` are columns to include or exclude, by name or position.
    """
    from s2fs.distributed import read_partitioned  # loads Dask

    if not isinstance(selector, S2FS | PairCover):
        raise ValueError(
            f"{type(selector).__name__} needs all rows in one place and does not go with "
            "--scheduler; use --method s2fs or paircover."
        )
    with connected(address):
        rows = read_partitioned(data.file, data.target, drop=data.drop)
        columns = Columns.of_file(rows.feature_names, data.file)
        for name, wanted in limits.items():
            selector.set_params(**{name: columns.positions(wanted, f"--{name}") or None})
        selector.fit(rows.X, rows.y)
    return rows.feature_names
