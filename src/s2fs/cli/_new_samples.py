"""What the commands about new samples share: options, and what can be refused at once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from s2fs._utils.files import check_content, check_exists
from s2fs._utils.parquet_parts import list_parts
from s2fs.cli.command import DATA, arguments_of, option, positional
from s2fs.cli.options import (
    PATH,
    SampleSheet,
    TextOptions,
    drop_option,
    id_option,
    layer_option,
    table_file,
)
from s2fs.io import check_options


@dataclass(frozen=True, kw_only=True)
class Units:
    """What is done to values that are in other units than those of the training samples."""

    log2: bool = option(
        "--log2", heading=DATA, is_flag=True, help="Take log2(1 + x) of all new values first."
    )
    unlog2: bool = option(
        "--unlog2",
        heading=DATA,
        is_flag=True,
        help="Take 2ˣ − 1 of all new values first: they are logarithms of the training values.",
    )
    rescale: bool = option(
        "--rescale",
        heading=DATA,
        is_flag=True,
        help="Standardise features by the means and standard deviations of the new samples, ten or "
        "more, as where they were measured by another instrument.",
    )

    @property
    def change(self) -> Literal["log2", "unlog2"] | None:
        """What is done first."""
        return "log2" if self.log2 else "unlog2" if self.unlog2 else None


@dataclass(frozen=True, kw_only=True)
class HowToRead:
    """How a table of new samples is read; the features are found by name."""

    drop: tuple[str, ...] = drop_option()
    transpose: bool = option(
        "--transpose",
        heading=DATA,
        is_flag=True,
        help="The table has features in rows; seen by their names if not given.",
    )
    layer: str | None = layer_option()
    id: str | None = id_option()
    sheet_of_samples: SampleSheet
    text: TextOptions


@dataclass(frozen=True, kw_only=True)
class NewSamplesOptions:
    """A panel, a table of new samples, and how both are made to fit."""

    panel: Path = positional(metavar="PANEL", type=PATH)
    file: Path = table_file()
    how: HowToRead
    units: Units

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which no output may replace."""
        samples = self.how.sheet_of_samples.samples
        return [self.file, self.panel, *([] if samples is None else [samples])]


def check_new_samples(asked: NewSamplesOptions, **more: Any) -> None:
    """Raise if a file is not there, or options say contrary things, before anything is read."""
    if asked.units.log2 and asked.units.unlog2:
        raise ValueError("--log2 and --unlog2 contradict each other; leave one of them out.")
    check_content(asked.panel)
    for file in asked.inputs:
        if str(file) != "-" and not list_parts(file):
            check_exists(file)
    check_options(**arguments_of(asked.how), **more)
