"""The arguments that commands share, and how their text is understood."""

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def number_of_features(
    ctx: click.Context, param: click.Parameter, value: str
) -> int | float | Literal["auto"]:
    """A number of features, a fraction of them, or the word that leaves it open."""
    if value == "auto":
        return "auto"
    with suppress(ValueError):
        if (count := int(value)) >= 1:
            return count
    with suppress(ValueError):
        if 0 < (fraction := float(value)) <= 1:
            return fraction
    raise click.BadParameter(
        f"{value!r}; give a whole number from 1, a fraction up to 1.0 such as 0.1, or auto.",
        ctx,
        param,
    )


def _weight(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """A finite number that is not negative."""
    with suppress(ValueError):
        if 0 <= (weight := float(value)) < math.inf:
            return weight
    raise click.BadParameter(f"{value!r}; give a finite number that is not negative.", ctx, param)


_DATA = (
    click.argument("file", type=click.Path(path_type=Path)),
    click.option(
        "-t",
        "--target",
        metavar="COLUMN",
        help="Column with the classes, by name or position (0 is the first, -1 the last); of obs "
        "in an .h5ad file. Not needed for .npz and .mat with X and y.",
    ),
    click.option(
        "--drop",
        metavar="COLUMN",
        multiple=True,
        help="Column to leave out, such as an identifier; may be repeated.",
    ),
    click.option(
        "--transpose",
        is_flag=True,
        help="The table has features in rows: names in the first column, classes in the row "
        "named by --target.",
    ),
    click.option("--layer", metavar="NAME", help="Layer of an .h5ad file to read instead of X."),
)
_CRITERION = (
    click.option(
        "--alpha",
        metavar="NUMBER",
        callback=_weight,
        default="0.0316",
        show_default=True,
        help="Weight of direction in the compactness of the classes.",
    ),
    click.option(
        "--beta",
        metavar="NUMBER",
        callback=_weight,
        default="0.0316",
        show_default=True,
        help="Weight of direction in the separation of the classes.",
    ),
    click.option(
        "--centroid-membership",
        type=click.Choice(["printed", "normalized"]),
        default="printed",
        show_default=True,
        help="Reading of the paper's Eq. 20.",
    ),
    click.option(
        "--no-scale",
        is_flag=True,
        help="Take the features as they are instead of scaling each to [0, 1].",
    ),
)


def data_and_criterion(command: Command) -> Command:
    """Add the arguments that say which data to judge, and how."""
    for add in reversed((*_DATA, *_CRITERION)):
        command = add(command)
    return command
