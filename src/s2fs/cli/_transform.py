"""``s2fs transform``: its options, and what can be refused before anything is read."""

from dataclasses import dataclass
from pathlib import Path

from s2fs._utils.files import check_content, check_exists
from s2fs.cli.command import DATA, command, option, positional
from s2fs.cli.options import PATH, TextOptions, output_option, table_file
from s2fs.cli.outputs import reject_input_as_output
from s2fs.cli.streams import reject_closed_output


@dataclass(frozen=True, kw_only=True)
class Transform:
    """What ``s2fs transform`` was asked for."""

    model: Path = positional(type=PATH)
    file: Path = table_file()
    keep: tuple[str, ...] = option(
        "--keep",
        heading=DATA,
        metavar="A,B",
        multiple=True,
        help="Columns to keep in front of the selected ones, such as an identifier, by name or "
        "position.",
    )
    transpose: bool = option(
        "--transpose",
        heading=DATA,
        is_flag=True,
        help="The table has features in rows, with their names in the first column.",
    )
    text: TextOptions
    output: Path | None = output_option(
        "Write to a .csv, .tsv, .json, .parquet or .xlsx file instead of printing comma-separated "
        "text."
    )


@command(
    Transform,
    work="_transformation",
    epilog="\b\nExample:\n"
    "  s2fs select tumours.csv --target diagnosis --drop patient -k 20 --save genes.json\n"
    "  s2fs transform genes.json new.csv --keep patient --output new20.csv",
)
def transform(asked: Transform) -> None:
    """Keep the columns of FILE that were selected, as saved in MODEL.

    MODEL is a .json file that 's2fs select --save' wrote. The columns of FILE are found by name:
    their order is free, others may be there and are left out, and no target is needed. They come
    out in the order of the table the selection was made on, cell by cell as they are; what is
    missing stays missing. A column that was encoded from text is encoded again.
    """
    if asked.output is None:
        reject_closed_output()
    reject_input_as_output([asked.file, asked.model], output=asked.output)
    check_content(asked.model)
    if str(asked.file) != "-":
        check_exists(asked.file)
