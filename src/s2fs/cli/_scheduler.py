"""``--scheduler``: rows that are read and judged by the workers of a Dask cluster."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from s2fs import S2FS

Command = TypeVar("Command", bound=Callable[..., Any])


def scheduler_option(help: str) -> Callable[[Command], Command]:
    """The option that names a running cluster."""
    return click.option("--scheduler", metavar="ADDRESS", help=help)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at an address; what befalls the cluster is told in one line."""
    from s2fs.distributed import connect

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
    selector: "S2FS",
    address: str,
    path: Path,
    target: str | None,
    drop: tuple[str, ...],
    limits: Mapping[str, tuple[str, ...]],
) -> list[str]:
    """Fit to partitioned files without reading them here; returns the names of the features.

    The ``limits`` are columns to include or exclude, by name or position.
    """
    from s2fs._util.columns import column_position
    from s2fs.distributed import read_partitioned

    with connected(address):
        data = read_partitioned(path, target, drop=drop)
        for name, wanted in limits.items():
            found = [column_position(w, data.feature_names, f"--{name}", path) for w in wanted]
            selector.set_params(**{name: found or None})
        selector.fit(data.X, data.y)
    return data.feature_names
