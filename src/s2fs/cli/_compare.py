"""``s2fs compare``: its options, and what can be refused before anything is read."""

from dataclasses import dataclass
from pathlib import Path

import click

from s2fs.cli.command import EVALUATION, SELECTION, command, option
from s2fs.cli.options import (
    DataOptions,
    check_readable,
    n_jobs_option,
    output_option,
    positive_option,
    report_option,
    scoring_option,
)
from s2fs.cli.outputs import reject_input_as_output


def _read_sizes(_: click.Context, __: click.Parameter, value: str) -> int | list[int]:
    """One number of features or several, increasing."""
    parts = [part.strip() for part in value.split(",")]
    sizes = [int(part) for part in parts if part.isdecimal()]
    if len(sizes) == len(parts) and min(sizes) >= 1:
        return sizes[0] if len(sizes) == 1 else sorted({*sizes})
    raise click.BadParameter(f"{value!r}; give a whole number from 1, or several such as 5,10,20.")


def _read_names(_: click.Context, __: click.Parameter, value: str) -> list[str]:
    """Names separated by commas."""
    names = [name.strip() for name in value.split(",") if name.strip()]
    if not names:
        raise click.BadParameter("it is empty; name at least one selector.")
    return names


def _check_learner(_: click.Context, __: click.Parameter, value: str) -> str:
    """The name of a learner."""
    from s2fs.evaluation import LEARNERS  # loads scikit-learn

    if value in LEARNERS:
        return value
    raise click.BadParameter(f"{value!r}; choose from {', '.join(LEARNERS)}.")


@dataclass(frozen=True, kw_only=True)
class Compare:
    """What ``s2fs compare`` was asked for."""

    data: DataOptions
    selectors: list[str] = option(
        "--selectors",
        heading=SELECTION,
        metavar="A,B,C",
        default="paircover,s2fs,anovaf",
        callback=_read_names,
        help="What to compare: paircover, s2fs, s2fs-rms, baselines, or scikit-learn selectors as "
        "module:Class, whose module is imported. The verdict is about the first.",
    )
    n_features: int | list[int] = option(
        "-k",
        "--n-features",
        heading=SELECTION,
        argument="k",
        metavar="NUMBERS",
        default="10",
        callback=_read_sizes,
        help="How many features each selects: a number, which is compared with smaller ones and "
        "twice as many, or several such as 5,10,20, of which the last is the one asked for.",
    )
    n_jobs: int | None = n_jobs_option()
    learner: str = option(
        "--learner",
        heading=EVALUATION,
        metavar="NAME",
        default="logistic",
        callback=_check_learner,
        help="What is trained on the selected features: logistic, knn, svm or cart.",
    )
    scoring: str = scoring_option()
    positive: str | None = positive_option()
    folds: int = option(
        "--folds",
        heading=EVALUATION,
        argument="cv",
        type=click.IntRange(min=2),
        default=5,
        help="The number of folds of the cross-validation.",
    )
    repeats: int = option(
        "--repeats",
        heading=EVALUATION,
        argument="n_repeats",
        type=click.IntRange(min=1),
        default=5,
        help="How often the folds are drawn anew.",
    )
    seed: int = option(
        "--seed",
        heading=EVALUATION,
        argument="random_state",
        type=int,
        default=0,
        help="Seed of the folds.",
    )
    output: Path | None = output_option(
        "Also write all numbers to a .csv, .tsv, .json, .parquet or .xlsx file."
    )
    report: Path | None = report_option("Also write a page to look at to an .html file.")


@command(
    Compare,
    work="_comparison",
    epilog="\b\nExample:\n"
    "  s2fs compare tumours.csv --target diagnosis --drop patient -k 5,10,20\n"
    "  s2fs compare tumours.csv -t diagnosis --drop patient "
    "--selectors paircover,sklearn.feature_selection:SelectKBest",
)
def compare(asked: Compare) -> None:
    """Compare selectors on FILE: how good on held-out samples, how stable, how fast.

    Every selector selects inside the folds, from the training samples alone. All features, random
    features and always guessing the largest class stand beside them. "stable" is 1 if the folds
    agree on the features, "|r|" the mean correlation of two of them.
    """
    reject_input_as_output(asked.data.inputs, output=asked.output, report=asked.report)
    check_readable(asked.data)
