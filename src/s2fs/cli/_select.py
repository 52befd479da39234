"""``s2fs select``: its options, and what can be refused before anything is read."""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import click

from s2fs._utils.files import check_content, check_exists, check_writable
from s2fs.cli.command import DATA, EVALUATION, OUTPUT, SELECTION, command, list_options, option
from s2fs.cli.methods import S2FS, SEARCHES, check_method, check_scale, reject_option
from s2fs.cli.options import (
    PATH,
    DataOptions,
    Weights,
    check_readable,
    n_jobs_option,
    output_option,
    positive_option,
    report_option,
    scale_option,
    scoring_option,
)
from s2fs.cli.outputs import reject_input_as_output
from s2fs.cli.streams import reject_closed_output

#: What may be said about the data where they are a table of a database.
FOR_TABLES = ("target", "drop", "keep", "numeric_only", "max_memory")
NumberOfFeatures = int | float | Literal["auto", "all"]


class ImageShape(NamedTuple):
    """The shape of pictures; without an order it is that of the file, or by rows."""

    height: int
    width: int
    order: Literal["F"] | None


def _read_number_of_features(
    _: click.Context, __: click.Parameter, value: str | None
) -> NumberOfFeatures | None:
    """A number of features, a fraction of them, or the word for all or for leaving it open."""
    if value is None or value in ("auto", "all"):
        return value  # type: ignore[return-value]
    with suppress(ValueError):
        if (count := int(value)) >= 1:
            return count
    with suppress(ValueError):
        if 0 < (fraction := float(value)) <= 1:
            return fraction
    raise click.BadParameter(
        f"{value!r}; give a whole number from 1, a fraction up to 1.0 such as 0.1, all, or auto."
    )


def _read_shape(_: click.Context, __: click.Parameter, value: str | None) -> ImageShape | None:
    """Height and width, as in 32x32, with F for pixels by columns."""
    if value is None:
        return None
    if match := re.fullmatch(r"\s*([1-9]\d*)\s*[x×]\s*([1-9]\d*)\s*(F?)\s*", value):
        return ImageShape(int(match[1]), int(match[2]), "F" if match[3] else None)
    raise click.BadParameter(
        f"{value!r}; give height and width as in 32x32, or 32x32F for pixels by columns."
    )


@dataclass(frozen=True, kw_only=True)
class SelectorOptions:
    """The parameters of a selector by name; what is not given is its default."""

    scale: str | None = scale_option(
        "standard",
        "minmax",
        "rank",
        "none",
        help="How features are scaled for the selection: by the standard deviation (the default "
        "of s2fs), by the range, ranks instead of values (paircover only), or as they are.",
    )
    max_correlation: float | None = option(
        "--max-correlation",
        heading=SELECTION,
        metavar="R",
        type=click.FloatRange(0, 1),
        help="Leave out features that correlate more than this with a selected one, as 0.9.",
    )
    class_weight: Literal["balanced"] | None = option(
        "--class-weight",
        heading=SELECTION,
        methods=SEARCHES,
        type=click.Choice(["balanced"]),
        help="Let every class count as much as another, however few samples it has.",
    )
    min_per_class: int | None = option(
        "--min-per-class",
        heading=SELECTION,
        methods=SEARCHES,
        metavar="N",
        type=click.IntRange(min=1),
        help="Select at least N features for each class: those that tell it best from all others.",
    )
    include: tuple[str, ...] = option(
        "--include",
        heading=SELECTION,
        methods=SEARCHES,
        metavar="FEATURE",
        multiple=True,
        help="Feature that is in from the start, by name or position; may be repeated.",
    )
    exclude: tuple[str, ...] = option(
        "--exclude",
        heading=SELECTION,
        methods=SEARCHES,
        metavar="FEATURE",
        multiple=True,
        help="Feature that is never selected, by name or position; may be repeated.",
    )
    weights: Weights


@dataclass(frozen=True, kw_only=True)
class Select:
    """What ``s2fs select`` was asked for."""

    data: DataOptions
    table: str | None = option(
        "--table",
        heading=DATA,
        metavar="NAME",
        help="FILE is a DuckDB database: select from this table or view of it. The database does "
        "the sums itself.",
    )
    method: str = option(
        "--method",
        heading=SELECTION,
        metavar="NAME",
        default="paircover",
        callback=check_method,
        help="What selects: paircover (which also takes missing values), s2fs (as published), "
        "s2fs-rms (the same with root mean square distances), or a baseline such as anovaf or "
        "relieff.",
    )
    n_features: NumberOfFeatures | None = option(
        "-k",
        "--n-features",
        heading=SELECTION,
        argument="n_features_to_select",
        metavar="NUMBER",
        callback=_read_number_of_features,
        show_default="10",
        help="How many features to select: a number, a fraction such as 0.1, all, or auto for as "
        "many as do better than chance (with --tune, as many as cross-validation asks for).",
    )
    tune: bool = option(
        "--tune",
        heading=SELECTION,
        is_flag=True,
        help="Choose by 5-fold cross-validation with logistic regression: the number of features, "
        "or with --method s2fs alpha and beta, and with -k auto the number, too.",
    )
    selector: SelectorOptions
    n_jobs: int | None = n_jobs_option()
    scoring: str = scoring_option()
    positive: str | None = positive_option()
    no_verdict: bool = option(
        "--no-verdict",
        heading=EVALUATION,
        is_flag=True,
        help="Leave out the accuracy on held-out samples, beside other selectors, all, random and "
        "no features, which selects again in 5 × 5 folds.",
    )
    fail_if_not_better: bool = option(
        "--fail-if-not-better",
        heading=EVALUATION,
        is_flag=True,
        help="End with exit code 1 if the verdict does not show that the selection is better than "
        "guessing, for jobs that go on with it.",
    )
    details: bool = option(
        "--details",
        heading=OUTPUT,
        is_flag=True,
        help="Also print what the criterion is made of; --output has it always.",
    )
    output: Path | None = output_option(
        "Also write the ranking to a .csv, .tsv, .json, .parquet or .xlsx file."
    )
    save: Path | None = option(
        "--save",
        heading=OUTPUT,
        metavar="PANEL.json",
        type=PATH,
        help="Also save the selection with its model, for 's2fs predict', 's2fs validate' and "
        "'s2fs transform'.",
    )
    force: bool = option(
        "--force", heading=OUTPUT, is_flag=True, help="Let --save replace a file that exists."
    )
    report: Path | None = report_option(
        "Also write a page to look at, with figures and cross-validated accuracies, to an .html "
        "file."
    )
    names: Path | None = option(
        "--names",
        heading=OUTPUT,
        metavar="NAMES.csv",
        type=PATH,
        help="Symbols to show for features: a table of feature, symbol and description.",
    )
    image_shape: ImageShape | None = option(
        "--image-shape",
        heading=OUTPUT,
        metavar="HEIGHTxWIDTH",
        callback=_read_shape,
        help="The features are the pixels of pictures of this shape, which the report shows; "
        "32x32F if they are laid out column after column, as in MATLAB.",
    )


@command(
    Select,
    work="_selection",
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --output ranking.csv\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k auto --tune",
)
def select(asked: Select) -> None:
    """Rank the features of FILE by how well they tell the classes apart.

    FILE is delimited text, compressed or not, or an .xlsx, .parquet, .feather, .npz, .npy, .mat,
    .arff, .json, .gct or .h5ad file, or a GEO series matrix; - is standard input. The table shows,
    for each feature in order of selection, the criterion of the features so far and its gain.
    Below it stands how good such a selection is on held-out samples.
    Ctrl-C prints the features selected so far.
    """
    check_outputs(asked)
    check_selector(asked)
    check_data(asked)


def check_outputs(asked: Select) -> None:
    """Raise if a file cannot be written as asked, before any work is done."""
    save, output = asked.save, asked.output
    if output is None and save is None and asked.report is None:
        reject_closed_output()
    if asked.names is not None:
        check_content(asked.names)
    if asked.fail_if_not_better and (asked.no_verdict or asked.table is not None):
        other = "--no-verdict" if asked.no_verdict else "--table"
        raise ValueError(f"--fail-if-not-better needs the verdict; leave it or {other} out.")
    if asked.image_shape is not None and asked.report is None:
        raise ValueError("--image-shape is for the report; add --report FILE.html.")
    if save is not None:
        if save.is_file() and not asked.force:
            raise ValueError(f"--save is {str(save)!r}, which exists; add --force to replace it.")
        check_writable(save, "save", (".json",))
        if output is not None and save.resolve() == output.resolve():
            raise ValueError(f"--save and --output are both {str(save)!r}; give two names.")
    reject_input_as_output(asked.data.inputs, output=output, save=save, report=asked.report)


def check_selector(asked: Select) -> None:
    """Raise if an option does not go with the method, or contradicts another one."""
    method = asked.method
    for parameter, value in list_options(asked.selector):
        if value in (None, ()) or parameter.methods is None:
            continue
        if asked.tune and method in S2FS and parameter.argument in ("alpha", "beta"):
            raise ValueError(
                f"{parameter.flag} and --tune contradict each other: --tune tries alpha and beta; "
                "leave one of them out."
            )
        if method not in parameter.methods:
            reject_option(parameter.flag, method, parameter.methods)
    check_scale(asked.selector.scale, method)
    if asked.data.covariates and method not in SEARCHES:
        reject_option("--covariate", method)
    if asked.tune and method not in S2FS and asked.n_features not in (None, "auto"):
        raise ValueError(
            f"--tune chooses the number of features for --method {method}, but --n-features is "
            f"{asked.n_features}; add -k auto, or leave --tune out."
        )
    if asked.n_features == "auto" and not asked.tune and method not in SEARCHES:
        raise ValueError(
            f"--n-features is auto, which --method {method} cannot decide alone; give a number, or "
            "add --tune to choose one by cross-validation."
        )


def check_data(asked: Select) -> None:
    """Raise if there is no such file, or options say contrary things about it."""
    file = asked.data.file
    if asked.table is None:
        check_readable(asked.data)
        if _is_duckdb(file):
            raise ValueError(f"{file} is a DuckDB database; add --table with the name of a table.")
        return
    check_exists(file)
    if asked.data.target is None:
        raise ValueError("--target is missing: say which column of --table holds the classes.")
    if asked.method != "paircover":
        raise ValueError(
            f"--method {asked.method} needs the samples and does not go with --table; use --method "
            "paircover."
        )
    for flag, is_given in list_what_needs_samples(asked, FOR_TABLES):
        if is_given:
            raise ValueError(
                f"{flag} needs all samples in one place and does not go with --table; leave one of "
                "them out."
            )


def _is_duckdb(file: Path) -> bool:
    """Whether a file is a DuckDB database."""
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(12)[8:] == b"DUCK"


def list_what_needs_samples(asked: Select, taken: Collection[str]) -> Iterator[tuple[str, bool]]:
    """The options that need all samples in one place, and whether they were given.

    What is ``taken`` of those about the data does not.
    """
    for parameter, value in list_options(asked.data):
        if parameter.argument not in taken:
            yield parameter.flag, value not in (None, False, ())
    yield "--report", asked.report is not None
    yield "--tune", asked.tune
    yield "-k auto", asked.n_features == "auto"
    yield "--max-correlation", asked.selector.max_correlation is not None
