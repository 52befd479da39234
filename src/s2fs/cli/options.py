"""The groups of options that several commands share."""

import csv
import math
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from s2fs._utils.files import check_exists
from s2fs._utils.parquet_parts import list_parts
from s2fs.cli.command import (
    DATA,
    EVALUATION,
    OUTPUT,
    S2FS_ONLY,
    SELECTION,
    arguments_of,
    option,
    positional,
)
from s2fs.cli.methods import S2FS, SEARCHES
from s2fs.cli.outputs import check_output, check_report
from s2fs.io import check_options

PATH = click.Path(path_type=Path)
#: What a verdict may be about: said here, since the metrics load scikit-learn; a test compares.
SCORINGS = ("accuracy", "balanced_accuracy", "auc")


def table_file() -> Any:
    """The table to read."""
    return positional(type=click.Path(path_type=Path, allow_dash=True))


def _split_words(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Words separated by commas, of an option that may be repeated."""
    return tuple(word for value in values for word in next(csv.reader([value]), []))


def _read_character(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A character, which a shell may be asked for by name."""
    names = {"tab": "\t", "\\t": "\t", "blank": " ", "space": " ", "comma": ",", "semicolon": ";"}
    return None if value is None else names.get(value.lower(), value)


def _read_weight(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """A finite number that is not negative."""
    if value is None:
        return None
    with suppress(ValueError):
        if 0 <= (weight := float(value)) < math.inf:
            return weight
    raise click.BadParameter(f"{value!r}; give a finite number that is not negative.")


def drop_option() -> Any:
    """Columns to leave out."""
    return option(
        "--drop", heading=DATA, metavar="A,B", multiple=True, help="Columns to leave out."
    )


def id_option() -> Any:
    """The names of the samples."""
    return option("--id", heading=DATA, metavar="COLUMN", help="Column that names the samples.")


def layer_option() -> Any:
    """Which matrix of annotated cells."""
    return option(
        "--layer",
        heading=DATA,
        metavar="NAME",
        help="Layer of an .h5ad file to read instead of X.",
    )


def target_from_names_option() -> Any:
    """Classes that are a part of the names of samples."""
    return option(
        "--target-from-names",
        heading=DATA,
        metavar="REGEX",
        help="The class of a sample is the first group, or the match, of this in its name, such "
        "as '^[A-Za-z]+'.",
    )


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How a file is written, for those that are not recognised."""

    header: bool | None = option(
        "--header/--no-header",
        heading=DATA,
        default=None,
        help="The first line names the columns, or is data; detected if not given.",
    )
    delimiter: str | None = option(
        "--delimiter",
        heading=DATA,
        metavar="CHARACTER",
        callback=_read_character,
        help="What separates cells, such as ';' or tab; detected if not given.",
    )
    decimal: str | None = option(
        "--decimal",
        heading=DATA,
        type=click.Choice([".", ","]),
        help="Decimal mark; detected if not given.",
    )
    thousands: str | None = option(
        "--thousands",
        heading=DATA,
        metavar="CHARACTER",
        callback=_read_character,
        help="What separates thousands, such as ',' in 1,331; not detected where it may be a "
        "decimal mark.",
    )
    encoding: str | None = option(
        "--encoding",
        heading=DATA,
        metavar="NAME",
        help="Such as cp1250; detected if not given.",
    )
    missing: tuple[str, ...] = option(
        "--missing",
        heading=DATA,
        metavar="A,B",
        multiple=True,
        callback=_split_words,
        help="Cells that stand for a missing value, such as '#N/A,-'.",
    )
    sheet: str | None = option(
        "--sheet",
        heading=DATA,
        metavar="NAME",
        help="Sheet of an .xlsx file; the first if not given.",
    )
    max_memory: str | None = option(
        "--max-memory",
        heading=DATA,
        metavar="AMOUNT",
        help="Refuse a file whose content takes more, such as 4G; all there is if not given. From "
        "Parquet files beyond that 's2fs select' selects where they are, by DuckDB.",
    )


@dataclass(frozen=True, kw_only=True)
class SampleSheet:
    """A second table, which describes the samples."""

    samples: Path | None = option(
        "--samples",
        heading=DATA,
        metavar="FILE",
        type=PATH,
        help="Second table with a row for each sample, which holds the target.",
    )
    sample_id: str | None = option(
        "--sample-id",
        heading=DATA,
        metavar="COLUMN",
        help="Column of --samples with the names of samples.",
    )
    by_position: bool = option(
        "--by-position",
        heading=DATA,
        is_flag=True,
        help="The rows of --samples are in the order of the samples; names are not compared.",
    )


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """Which data to read, and what its columns mean."""

    file: Path = table_file()
    target: str | None = option(
        "-t",
        "--target",
        heading=DATA,
        metavar="COLUMN",
        help="Column with the classes, by name or position (0 is the first, -1 the last); of obs "
        "in an .h5ad file, of the table of samples with --samples. Not needed for .npz and .mat "
        "with X and y.",
    )
    drop: tuple[str, ...] = drop_option()
    keep: tuple[str, ...] = option(
        "--keep",
        heading=DATA,
        metavar="COLUMN",
        multiple=True,
        help="Column that is a feature though it looks like row numbers, an identifier or text; "
        "may be repeated.",
    )
    group: str | None = option(
        "--group",
        heading=DATA,
        metavar="COLUMN",
        help="Column that says which samples belong together, such as those of a patient: they "
        "stay in one fold.",
    )
    covariates: tuple[str, ...] = option(
        "--covariate",
        heading=DATA,
        metavar="COLUMN",
        multiple=True,
        help="Column to adjust for, such as age or a batch; may be repeated. Whole numbers with at "
        "most ten different values count as categories.",
    )
    transpose: bool = option(
        "--transpose",
        heading=DATA,
        is_flag=True,
        help="The table has features in rows: names in the first column, classes in the row "
        "named by --target; row 0 is the header.",
    )
    layer: str | None = layer_option()
    id: str | None = id_option()
    sheet_of_samples: SampleSheet
    target_from_names: str | None = target_from_names_option()
    drop_unlabelled: bool = option(
        "--drop-unlabelled", heading=DATA, is_flag=True, help="Leave out rows without a label."
    )
    text: TextOptions
    numeric_only: bool = option(
        "--numeric-only",
        heading=DATA,
        is_flag=True,
        help="Leave out all columns of text.",
    )
    drop_missing: float | None = option(
        "--drop-missing",
        heading=DATA,
        metavar="SHARE",
        type=float,
        help="Leave out columns that lack more than this share of their values, such as 0.2.",
    )
    impute: Literal["median", "knn", "keep"] | None = option(
        "--impute",
        heading=DATA,
        type=click.Choice(["median", "knn", "keep"]),
        help="Fill in missing values by the median of the column or by nearest neighbours, or "
        "keep them for a method that takes them.",
    )
    log2: bool = option(
        "--log2", heading=DATA, is_flag=True, help="Take log2(1 + x) of all values."
    )

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which no output may replace."""
        samples = self.sheet_of_samples.samples
        return [self.file, *([] if samples is None else [samples])]


@dataclass(frozen=True, kw_only=True)
class Weights:
    """The parameters of S²FS; what is not given is the selector's default."""

    alpha: float | None = option(
        "--alpha",
        heading=S2FS_ONLY,
        methods=S2FS,
        metavar="NUMBER",
        callback=_read_weight,
        show_default="0.0316",
        help="Weight of direction in the compactness of the classes.",
    )
    beta: float | None = option(
        "--beta",
        heading=S2FS_ONLY,
        methods=S2FS,
        metavar="NUMBER",
        callback=_read_weight,
        show_default="0.0316",
        help="Weight of direction in the separation of the classes.",
    )


def scale_option(*choices: str, help: str) -> Any:
    """How features are scaled."""
    return option(
        "--scale", heading=SELECTION, methods=SEARCHES, type=click.Choice(choices), help=help
    )


def output_option(help: str) -> Any:
    """A table to write."""
    return option(
        "-o",
        "--output",
        heading=OUTPUT,
        metavar="FILE",
        type=PATH,
        callback=check_output,
        help=help,
    )


def report_option(help: str, default: str | None = None) -> Any:
    """A page to write."""
    return option(
        "--report",
        heading=OUTPUT,
        metavar="FILE.html",
        type=PATH,
        callback=check_report,
        default=default,
        help=help,
    )


def scoring_option() -> Any:
    """What a verdict is about."""
    return option(
        "--scoring",
        heading=EVALUATION,
        type=click.Choice(SCORINGS),
        default=SCORINGS[0],
        help="What the verdict is about.",
    )


def positive_option() -> Any:
    """The class that sensitivity is about."""
    return option(
        "--positive",
        heading=EVALUATION,
        metavar="CLASS",
        help="Of two classes the one that sensitivity is about; by default the second in order.",
    )


def n_jobs_option() -> Any:
    """The number of threads."""
    return option(
        "--n-jobs", heading=SELECTION, type=int, help="Number of threads; -1 is all cores."
    )


def check_readable(asked: DataOptions) -> None:
    """Raise if a file is not there, or options say contrary things, before anything is read."""
    for file in asked.inputs:
        if str(file) != "-" and not list_parts(file):
            check_exists(file)
    check_options(**arguments_of(asked))
