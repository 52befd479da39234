"""``s2fs validate``: its options, and what can be refused before anything is read."""

from dataclasses import dataclass
from pathlib import Path

from s2fs._utils.files import check_exists
from s2fs._utils.parquet_parts import list_parts
from s2fs.cli._new_samples import NewSamplesOptions, check_new_samples
from s2fs.cli.command import DATA, command, option
from s2fs.cli.options import PATH, output_option, report_option, target_from_names_option
from s2fs.cli.outputs import reject_input_as_output
from s2fs.cli.streams import reject_closed_output


@dataclass(frozen=True, kw_only=True)
class Validate:
    """What ``s2fs validate`` was asked for."""

    new: NewSamplesOptions
    target: str | None = option(
        "-t",
        "--target",
        heading=DATA,
        metavar="COLUMN",
        help="Column with the classes, by name or position; of the table of samples with "
        "--samples. Not needed for .npz and .mat with X and y.",
    )
    target_from_names: str | None = target_from_names_option()
    group: str | None = option(
        "--group",
        heading=DATA,
        metavar="COLUMN",
        help="Column that says which samples belong together, such as those of a patient.",
    )
    first: Path | None = option(
        "--first",
        heading=DATA,
        metavar="FILE",
        type=PATH,
        help="The table that the panel was made from, to see whether samples are in both.",
    )
    output: Path | None = output_option(
        "Also write a prediction for each sample to a .csv, .tsv, .parquet or .xlsx file, or all "
        "numbers to a .json file."
    )
    report: Path | None = report_option("Also write a page to look at to an .html file.")


@command(
    Validate,
    work="_validation",
    epilog="\b\nExample:\n"
    "  s2fs validate panel.json cohort2.csv -t diagnosis --first cohort1.csv "
    "--report validation.html",
)
def validate(asked: Validate) -> None:
    """Say in one word what the samples in FILE, with their classes, tell of PANEL.

    PANEL is a .json file that 's2fs select --save' wrote, and FILE a second cohort, read as by
    's2fs predict'. Samples of classes that the panel never saw are left out. The first line says
    whether the panel holds; below it stand all metrics with their intervals, the features in both
    cohorts, and what to check.
    """
    if asked.output is None and asked.report is None:
        reject_closed_output()
    inputs = [*asked.new.inputs, *([] if asked.first is None else [asked.first])]
    reject_input_as_output(inputs, output=asked.output, report=asked.report)
    check_new_samples(
        asked.new,
        target=asked.target,
        target_from_names=asked.target_from_names,
        group=asked.group,
    )
    if asked.first is not None and not list_parts(asked.first):
        check_exists(asked.first)
