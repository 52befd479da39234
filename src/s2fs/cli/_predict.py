"""``s2fs predict``: its options, and what can be refused before anything is read."""

from dataclasses import dataclass
from pathlib import Path

import click

from s2fs.cli._new_samples import NewSamplesOptions, check_new_samples
from s2fs.cli.command import OUTPUT, command, option
from s2fs.cli.options import output_option
from s2fs.cli.outputs import reject_input_as_output
from s2fs.cli.streams import reject_closed_output


@dataclass(frozen=True, kw_only=True)
class Predict:
    """What ``s2fs predict`` was asked for."""

    new: NewSamplesOptions
    reject: float | None = option(
        "--reject",
        heading=OUTPUT,
        metavar="PROBABILITY",
        type=click.FloatRange(0, 1, min_open=True),
        help="Answer 'unsure' where no class has at least this probability, such as 0.8; the best "
        "class stands beside it.",
    )
    output: Path | None = output_option(
        "Write to a .csv, .tsv, .json, .parquet or .xlsx file instead of printing comma-separated "
        "text."
    )


@command(
    Predict,
    work="_prediction",
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis -k 10 --save panel.json\n"
    "  s2fs predict panel.json new.csv -o predictions.csv",
)
def predict(asked: Predict) -> None:
    """Predict the classes of the samples in FILE by PANEL.

    PANEL is a .json file that 's2fs select --save' wrote. The features of FILE are found by name,
    in columns or in rows, whatever else is there. One that is missing is replaced by its
    substitute, or by the training median if the model hardly needs it; notes say so. For each
    sample there are its name, the predicted class, a probability for each class, and which values
    were missing.
    """
    if asked.output is None:
        reject_closed_output()
    reject_input_as_output(asked.new.inputs, output=asked.output)
    check_new_samples(asked.new)
