"""``s2fs score``: its options, and what can be refused before anything is read."""

from dataclasses import dataclass

import click

from s2fs.cli.command import EVALUATION, SELECTION, command, option
from s2fs.cli.options import DataOptions, Weights, check_readable, scale_option


def _check_features(_: click.Context, __: click.Parameter, value: str) -> str:
    """At least one name."""
    if not value.strip(" ,"):
        raise click.BadParameter("it is empty; give at least one feature.")
    return value


@dataclass(frozen=True, kw_only=True)
class Score:
    """What ``s2fs score`` was asked for."""

    data: DataOptions
    features: str = option(
        "-f",
        "--features",
        heading=SELECTION,
        required=True,
        metavar="A,B,C",
        callback=_check_features,
        help="Features to score together, by name or position, separated by commas; put a name "
        "that contains a comma in double quotes, as in --features '\"a,b\",c'.",
    )
    scale: str | None = scale_option(
        "standard",
        "minmax",
        "none",
        help="How features are scaled: by the standard deviation (the default), by the range, or "
        "as they are.",
    )
    weights: Weights
    check: bool = option(
        "--check",
        heading=EVALUATION,
        is_flag=True,
        help="Also show how well the features predict samples that were left out (5 nearest "
        "neighbours, 5 folds), class by class, and which feature to add or drop next.",
    )


@command(
    Score,
    work="_scoring",
    epilog="\b\nExample:\n  s2fs score tumours.csv --target diagnosis --features TP53,MYC,ALK",
)
def score(asked: Score) -> None:
    """Show the criterion and its four components for given features of FILE.

    Positions count the features alone, without the target and the dropped columns.
    """
    check_readable(asked.data)
