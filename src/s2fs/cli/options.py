"""The options that several commands share."""

import csv
import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from s2fs.cli.outputs import check_output, check_report

PATH = click.Path(path_type=Path)
#: The table to read.
FILE = click.Argument(["file"], type=click.Path(path_type=Path, allow_dash=True))


def _split_words(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Words separated by commas, of an option that may be repeated."""
    return tuple(word for value in values for word in next(csv.reader([value]), []))


def _read_character(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A character, which a shell may be asked for by name."""
    names = {"tab": "\t", "\\t": "\t", "blank": " ", "space": " ", "comma": ",", "semicolon": ";"}
    return None if value is None else names.get(value.lower(), value)


def _read_weight(_: click.Context, __: click.Parameter, value: str) -> float:
    """A finite number that is not negative."""
    with suppress(ValueError):
        if 0 <= (weight := float(value)) < math.inf:
            return weight
    raise click.BadParameter(f"{value!r}; give a finite number that is not negative.")


#: How a file is written, for those that are not recognised.
TEXT_OPTIONS = (
    click.Option(
        ["--header/--no-header"],
        default=None,
        help="The first line names the columns, or is data; detected if not given.",
    ),
    click.Option(
        ["--delimiter"],
        metavar="CHARACTER",
        callback=_read_character,
        help="What separates cells, such as ';' or tab; detected if not given.",
    ),
    click.Option(
        ["--decimal"], type=click.Choice([".", ","]), help="Decimal mark; detected if not given."
    ),
    click.Option(
        ["--thousands"],
        metavar="CHARACTER",
        callback=_read_character,
        help="What separates thousands, such as ',' in 1,331; not detected where it may be a "
        "decimal mark.",
    ),
    click.Option(["--comment"], metavar="TEXT", help="Leave out lines that begin with this."),
    click.Option(["--encoding"], metavar="NAME", help="Such as cp1250; detected if not given."),
    click.Option(
        ["--missing"],
        metavar="A,B",
        multiple=True,
        callback=_split_words,
        help="Cells that stand for a missing value, such as '#N/A,-'.",
    ),
    click.Option(
        ["--sheet"], metavar="NAME", help="Sheet of an .xlsx file; the first if not given."
    ),
    click.Option(
        ["--max-memory"],
        metavar="AMOUNT",
        help="Refuse a file whose content takes more, such as 4G; all there is if not given.",
    ),
)
DATA_OPTIONS: tuple[click.Parameter, ...] = (
    FILE,
    click.Option(
        ["-t", "--target"],
        metavar="COLUMN",
        help="Column with the classes, by name or position (0 is the first, -1 the last); of obs "
        "in an .h5ad file, of the table of samples with --samples. Not needed for .npz and .mat "
        "with X and y.",
    ),
    click.Option(["--drop"], metavar="A,B", multiple=True, help="Columns to leave out."),
    click.Option(
        ["--keep"],
        metavar="COLUMN",
        multiple=True,
        help="Column that is a feature though it looks like row numbers, an identifier or text; "
        "may be repeated.",
    ),
    click.Option(
        ["--group"],
        metavar="COLUMN",
        help="Column that says which samples belong together, such as those of a patient: they "
        "stay in one fold.",
    ),
    click.Option(
        ["--covariate", "covariates"],
        metavar="COLUMN",
        multiple=True,
        help="Column to adjust for, such as age or a batch; may be repeated. Whole numbers with at "
        "most ten different values count as categories.",
    ),
    click.Option(
        ["--transpose"],
        is_flag=True,
        help="The table has features in rows: names in the first column, classes in the row "
        "named by --target; row 0 is the header.",
    ),
    click.Option(["--layer"], metavar="NAME", help="Layer of an .h5ad file to read instead of X."),
    click.Option(["--id"], metavar="COLUMN", help="Column that names the samples."),
    click.Option(
        ["--samples"],
        metavar="FILE",
        type=PATH,
        help="Second table with a row for each sample, which holds the target.",
    ),
    click.Option(
        ["--sample-id"], metavar="COLUMN", help="Column of --samples with the names of samples."
    ),
    click.Option(
        ["--by-position"],
        is_flag=True,
        help="The rows of --samples are in the order of the samples; names are not compared.",
    ),
    click.Option(
        ["--target-from-names"],
        metavar="REGEX",
        help="The class of a sample is the first group, or the match, of this in its name, such "
        "as '^[A-Za-z]+'.",
    ),
    click.Option(["--drop-unlabelled"], is_flag=True, help="Leave out rows without a label."),
    *TEXT_OPTIONS,
    click.Option(["--numeric-only"], is_flag=True, help="Leave out columns of text."),
    click.Option(
        ["--encode"],
        is_flag=True,
        help="Turn a column of text into columns of 0 and 1, which are selected together.",
    ),
    click.Option(
        ["--drop-missing"],
        metavar="SHARE",
        type=float,
        help="Leave out columns that lack more than this share of their values, such as 0.2.",
    ),
    click.Option(
        ["--impute"],
        type=click.Choice(["median", "knn", "keep"]),
        help="Fill in missing values by the median of the column or by nearest neighbours, or "
        "keep them for a method that takes them.",
    ),
    click.Option(["--log2"], is_flag=True, help="Take log2(1 + x) of all values."),
)
#: The option for each keyword of ``read_table``.
FLAGS = {str(option.name): max(option.opts, key=len) for option in DATA_OPTIONS}
#: The parameters of S²FS.
CRITERION_OPTIONS = (
    click.Option(
        ["--alpha"],
        metavar="NUMBER",
        callback=_read_weight,
        default="0.0316",
        help="Weight of direction in the compactness of the classes.",
    ),
    click.Option(
        ["--beta"],
        metavar="NUMBER",
        callback=_read_weight,
        default="0.0316",
        help="Weight of direction in the separation of the classes.",
    ),
    click.Option(
        ["--centroid-membership"],
        type=click.Choice(["published", "normalized"]),
        default="published",
        help="Variant of the paper's Eq. 20.",
    ),
    click.Option(
        ["--scale"],
        type=click.Choice(["standard", "minmax", "rank", "none"]),
        help="How features are scaled for the selection: by the standard deviation (the default "
        "of s2fs), by the range, ranks instead of values (paircover only), or as they are.",
    ),
)
output_option = partial(click.option, "-o", "--output", type=PATH, callback=check_output)
report_option = partial(click.option, "--report", type=PATH, callback=check_report)
n_jobs_option = click.option("--n-jobs", type=int, help="Number of threads; -1 is all cores.")
raw_text_option = click.option(
    "--raw-text",
    is_flag=True,
    help="Write text that begins with = + - or @ as it is. Without this such a cell of a .csv or "
    ".tsv file gets an apostrophe in front, so that a spreadsheet does not run it.",
)


def pop_options(options: Sequence[click.Parameter], given: dict[str, Any]) -> dict[str, Any]:
    """Take the values of some options out of those a command was given."""
    return {str(option.name): given.pop(str(option.name)) for option in options}


def check_scale(scale: str, method: str) -> Any:
    """What --scale stands for with a method; refuse what the method does not have."""
    allowed = ("rank", "none") if method == "paircover" else ("standard", "minmax", "none")
    if scale not in allowed:
        raise ValueError(
            f"--scale {scale} is not for --method {method}; use {' or '.join(allowed)}."
        )
    return None if scale == "none" else scale
