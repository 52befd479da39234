"""What the commands share: the group they are in, arguments, and how results are shown."""

import ast
import csv
import json
import math
import os
import re
import shlex
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from s2fs import datasets, report
from s2fs._util.files import check_place, write_whole
from s2fs._util.optional import need
from s2fs._util.version import __version__

#: Columns of a table by name, all of one length.
Columns = Mapping[str, Sequence[Any]]

#: The module of each command, which is loaded when the command is used, and its line of help.
COMMANDS = {
    "select": ("_select", "Rank the features of FILE by how well they tell the classes apart."),
    "compare": (
        "_compare",
        "Compare selectors on FILE: how good on held-out samples, how stable, how fast.",
    ),
    "transform": ("_transform", "Keep the columns of FILE that were selected, as saved in MODEL."),
    "score": ("_score", "Show the criterion and its four components for given features of FILE."),
    "demo": ("_demo", "Select 20 of 2308 genes that tell four childhood tumours apart."),
    "data": ("_data", "List, download and describe the datasets of the paper."),
    "bench": ("_bench", "Repeat the paper's experiments, or your own."),
    "info": ("_info", "Show the version, the engine and the packages in use."),
    "figures": ("_bench", "Draw figures from RESULTS, the paper's among them."),
}
#: What a shell expects of a command that Ctrl-C has ended.
INTERRUPTED = 130
OUTPUT_SUFFIXES = (".csv", ".tsv", ".json", ".parquet", ".xlsx")
#: Where a context keeps the arguments it was called with.
_ARGUMENTS = "s2fs.arguments"
#: A keyword of ``read_table`` in a message, with or without a value.
_KEYWORD = re.compile(r"`([a-z]\w*)(?:=([^`]*))?`")
#: Cells that begin with one of these are formulas to a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
PATH = click.Path(path_type=Path)
#: The table to read.
FILE = click.Argument(["file"], type=click.Path(path_type=Path, allow_dash=True))


class Group(click.Group):
    """A group of commands that shows its help when none of them is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with ``--help`` in the place of nothing."""
        return super().parse_args(ctx, args or ["--help"])


class _Commands(Group):
    """The commands, loaded when used; every bad input is one line and exit code 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = list(args)  # for a command that works
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _ = COMMANDS[cmd_name]
        return getattr(import_module(f"s2fs.cli.{module}"), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = _as_note  # type: ignore[assignment]
                return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output has gone; click ends quietly
        except click.UsageError as error:
            error.ctx = None  # without a context click leaves out the usage lines
            raise
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except datasets.UnreadableError as error:
            raise click.UsageError(_describe_obstacles(error, ctx.meta[_ARGUMENTS])) from None
        except (ValueError, OSError, ImportError) as error:
            raise click.UsageError(_in_one_line(error)) from None


def _describe_obstacles(error: "datasets.UnreadableError", arguments: list[str]) -> str:
    """All that is in the way of a file and, if it is known, a whole command that works."""
    lines = [_in_one_line(sentence) for sentence in error.obstacles]
    if error.fixes:
        command = shlex.join(["s2fs", *_with_options(arguments, error.fixes)])
        lines.append(f"Try: {_printable(command)}")
    return "\n".join(lines)


def _with_options(arguments: list[str], keywords: Mapping[str, Any]) -> list[str]:
    """The arguments of a command with keywords of ``read_table`` as options, each given once."""
    options = {option.name: option for option in DATA_OPTIONS}
    result = list(arguments)
    for keyword, value in keywords.items():
        option = options[keyword]
        if not option.multiple:
            result = _without_option(result, option.opts)
        for item in value if isinstance(value, list) else [value]:
            result += [_FLAGS[keyword], *([] if item is True else [str(item)])]
    return result


def _without_option(arguments: list[str], names: Sequence[str]) -> list[str]:
    """The arguments without an option, written as ``--name value`` or ``--name=value``."""
    result, skip = [], False
    for argument in arguments:
        if not skip and argument not in names and argument.partition("=")[0] not in names:
            result.append(argument)
        skip = argument in names and not skip
    return result


def _as_note(message: Warning | str, *_: Any) -> None:
    """Show a warning as one line, without the place in the code it comes from."""
    click.echo(f"Note: {_in_one_line(message)}", err=True)


def _in_one_line(message: Any) -> str:
    return _printable(name_options(" ".join(str(message).split())))


def name_options(message: str) -> str:
    """A message of a reader with its keywords, in backquotes, as options of the command line."""
    return _KEYWORD.sub(_as_option, message)


def _as_option(keyword: re.Match[str]) -> str:
    """``drop_missing=0.2`` as ``--drop-missing 0.2``; other words in backquotes stay."""
    name, value = keyword[1], keyword[2]
    if name not in _FLAGS:
        return keyword[0]
    flag = _FLAGS[name]
    try:
        content = None if value is None else ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return keyword[0]
    if content is None or content is True:
        return flag
    if content is False:
        return flag.replace("--", "--no-", 1)
    return f"{flag} {shlex.quote(str(content))}"


def _printable(text: str) -> str:
    """A text that cannot steer a terminal: control characters are shown escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="\b\nExample:\n"
    "  s2fs demo\n"
    "  s2fs select tumours.csv --target diagnosis -k 20 --output ranking.csv",
)
@click.version_option(__version__, prog_name="s2fs")
def main() -> None:
    """Find the few features that matter in wide data."""


class DataArguments(SimpleNamespace):
    """Which data to read: the values of ``DATA_OPTIONS``."""

    def read(self, *, takes_missing: bool = False, **more: Any) -> "datasets.Dataset":
        """Read the data, with ``more`` options; missing values stay if the method takes them."""
        given = vars(self) | more
        if takes_missing and self.impute is None:
            given["impute"] = "keep"
        with warnings.catch_warnings():  # they stand in the block of decisions
            warnings.simplefilter("ignore", datasets.ReadWarning)
            data = datasets.read_table(given.pop("file"), **given)
        print_decisions(data, self)
        return data

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which no output may replace."""
        return [self.file, *([] if self.samples is None else [self.samples])]

    @property
    def read_in_one_place(self) -> dict[str, Any]:
        """The options that were given and need all rows in one place, as on the command line."""
        given = {_FLAGS[name]: value for name, value in vars(self).items()}
        for everywhere in ("file", "--target", "--drop"):
            del given[everywhere]
        return {**given, "--header": self.header is not None}


def print_decisions(data: "datasets.Dataset", asked: DataArguments) -> None:
    """Show in one block on standard error what was made of a file: one line, then the remarks.

    A file that is taken as it is gets the line on a terminal only.
    """
    if not (data.remarks or sys.stderr.isatty()):
        return
    n, m = data.X.shape
    counts = Counter(data.y.tolist())
    sizes = [f"{name} {counts[code]}" for code, name in enumerate(data.class_names)]
    target = "" if asked.target is None else f" of {asked.target}"
    parts = [f"{n:,} samples × {m:,} features", f"{len(sizes)} classes{target}: {_first(sizes)}"]
    left_out = [f"{name or 'unnamed'} ({r.kind})" for r in data.remarks for name in r.columns]
    if left_out:
        parts.append(f"left out: {_first(left_out)}")
    click.echo(_printable(f"{asked.file.name}: {' · '.join(parts)}"), err=True)
    for found in data.remarks:
        _as_note(found.text)


def _first(words: Sequence[str], limit: int = 8) -> str:
    """A few of the words, and how many more there are."""
    more = f" and {len(words) - limit} more" if len(words) > limit else ""
    return ", ".join(words[:limit]) + more


def taken(options: Sequence[click.Parameter], given: dict[str, Any]) -> dict[str, Any]:
    """Take the values of some options out of those a command was given."""
    return {str(option.name): given.pop(str(option.name)) for option in options}


def _words(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Words separated by commas, of an option that may be repeated."""
    return tuple(word for value in values for word in next(csv.reader([value]), []))


def _character(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A character, which a shell may be asked for by name."""
    names = {"tab": "\t", "\\t": "\t", "blank": " ", "space": " ", "comma": ",", "semicolon": ";"}
    return None if value is None else names.get(value.lower(), value)


def _weight(_: click.Context, __: click.Parameter, value: str) -> float:
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
        callback=_character,
        help="What separates cells, such as ';' or tab; detected if not given.",
    ),
    click.Option(
        ["--decimal"], type=click.Choice([".", ","]), help="Decimal mark; detected if not given."
    ),
    click.Option(
        ["--thousands"],
        metavar="CHARACTER",
        callback=_character,
        help="What separates thousands, such as ',' in 1,331; not detected where it may be a "
        "decimal mark.",
    ),
    click.Option(["--comment"], metavar="TEXT", help="Leave out lines that begin with this."),
    click.Option(["--encoding"], metavar="NAME", help="Such as latin-1; UTF-8 if not given."),
    click.Option(
        ["--missing"],
        metavar="A,B",
        multiple=True,
        callback=_words,
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
        help="Turn a column of text into columns of 0 and 1, which are chosen together.",
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
_FLAGS = {str(option.name): max(option.opts, key=len) for option in DATA_OPTIONS}
#: The parameters of S²FS.
CRITERION_OPTIONS = (
    click.Option(
        ["--alpha"],
        metavar="NUMBER",
        callback=_weight,
        default="0.0316",
        help="Weight of direction in the compactness of the classes.",
    ),
    click.Option(
        ["--beta"],
        metavar="NUMBER",
        callback=_weight,
        default="0.0316",
        help="Weight of direction in the separation of the classes.",
    ),
    click.Option(
        ["--centroid-membership"],
        type=click.Choice(["printed", "normalized"]),
        default="printed",
        help="Variant of the paper's Eq. 20.",
    ),
    click.Option(
        ["--no-scale", "scale"],
        is_flag=True,
        callback=lambda _, __, no_scale: None if no_scale else "minmax",
        help="Take the features as they are instead of scaling each to [0, 1].",
    ),
)


def checked_output(_: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Refuse an output that cannot be written before any work is done."""
    if path is None:
        return None
    option = max(param.opts, key=len)  # the long name
    check_place(path, option, OUTPUT_SUFFIXES)
    if path.suffix.lower() == ".parquet":
        need("pyarrow", extra="parquet", purpose=f"{option} to a Parquet file")
    if path.suffix.lower() == ".xlsx":
        need("openpyxl", extra="excel", purpose=f"{option} to a workbook")
    return path


def checked_report(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a report that cannot be written before any work is done."""
    return None if path is None else report.check_destination(path)


def reject_input_as_output(inputs: Sequence[Path], **outputs: Path | None) -> None:
    """Raise if an output would take the place of a file that is read."""
    for (option, output), file in product(outputs.items(), inputs):
        if output is not None and output.exists() and file.exists() and output.samefile(file):
            what = "the data itself" if file == inputs[0] else "a file that is read"
            raise ValueError(f"--{option} is {str(output)!r}, {what}; choose another name.")


output_option = partial(click.option, "-o", "--output", type=PATH, callback=checked_output)
report_option = partial(click.option, "--report", type=PATH, callback=checked_report)
n_jobs_option = click.option("--n-jobs", type=int, help="Number of threads; -1 is all cores.")
raw_text_option = click.option(
    "--raw-text",
    is_flag=True,
    help="Write text that begins with = + - or @ as it is. Without this such a cell of a .csv or "
    ".tsv file gets an apostrophe in front, so that a spreadsheet does not run it.",
)


@contextmanager
def open_pipe() -> Iterator[None]:
    """Go on if the reader of our output has gone: files are still to be written."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def note(message: str) -> None:
    """Say something beside the result, if there is a user to see it."""
    if sys.stderr.isatty():
        click.echo(message, err=True)


def print_table(columns: Columns, numbers: Collection[str] = ()) -> None:
    """Print a table: drawn on a terminal, aligned plain text otherwise.

    Text is aligned to the left, but for the columns named in ``numbers``.
    """
    rows = [[_shown(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    text = [
        bool(cells) and isinstance(cells[0], str) and name not in numbers
        for name, cells in columns.items()
    ]
    if sys.stdout.isatty():
        table = need("rich.table", extra="cli").Table()
        for name, is_text in zip(columns, text, strict=True):
            table.add_column(name, justify="left" if is_text else "right")
        as_text = need("rich.text", extra="cli").Text  # so that brackets in a name are no markup
        for row in rows:
            table.add_row(*map(as_text, row))
        need("rich.console", extra="cli").Console().print(table)
        return
    lines = [list(columns), *rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if is_text else cell.rjust(width)
            for cell, width, is_text in zip(line, widths, text, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())


def _shown(cell: Any) -> str:
    """A cell as printed: short numbers, and names in one line that cannot steer the terminal."""
    return f"{cell:.6g}" if isinstance(cell, float) else _printable(str(cell).strip())


def write_table(path: Path, columns: Columns, *, raw_text: bool = False) -> None:
    """Write a table as the suffix says: the whole file or, if anything fails, nothing."""
    encoders: dict[str, Callable[[Columns], bytes]] = {
        ".csv": partial(as_text, raw_text=raw_text),
        ".tsv": partial(as_text, raw_text=raw_text, delimiter="\t"),
        ".json": _as_json,
        ".parquet": _as_parquet,
        ".xlsx": _as_workbook,
    }
    write_whole(path, encoders[path.suffix.lower()](columns))
    note(f"Wrote {path}.")


def as_text(columns: Columns, *, raw_text: bool, delimiter: str = ",") -> bytes:
    """A table as delimited text in UTF-8, by default without cells that a spreadsheet would run."""
    safe: Callable[[Any], Any] = (lambda cell: cell) if raw_text else _without_formula
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(map(safe, columns))
    writer.writerows(map(safe, row) for row in zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def _without_formula(cell: Any) -> Any:
    """A cell that a spreadsheet takes for text; numbers stay numbers."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    with suppress(ValueError):
        float(cell.replace(",", "."))
        return cell
    return f"'{cell}"


def _as_json(columns: Columns) -> bytes:
    return (json.dumps(as_records(columns), ensure_ascii=False, indent=2) + "\n").encode()


def as_records(columns: Columns) -> list[dict[str, Any]]:
    """A dict for each row; JSON has no infinity, so that becomes None."""
    return [
        {
            name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
            for name, cell in zip(columns, row, strict=True)
        }
        for row in zip(*columns.values(), strict=True)
    ]


def _as_parquet(columns: Columns) -> bytes:
    buffer = BytesIO()
    table = need("pyarrow", extra="parquet").table(dict(columns))
    need("pyarrow.parquet", extra="parquet").write_table(table, buffer)
    return buffer.getvalue()


def _as_workbook(columns: Columns) -> bytes:
    """A workbook of one sheet; text is text, whatever it begins with."""
    openpyxl = need("openpyxl", extra="excel")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")

    def as_cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value if not isinstance(value, float) or math.isfinite(value) else None
        cell = openpyxl.cell.WriteOnlyCell(sheet, _printable(value))
        cell.data_type = "s"  # also one that begins with =
        return cell

    for row in (list(columns), *zip(*columns.values(), strict=True)):
        sheet.append([as_cell(value) for value in row])
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()
