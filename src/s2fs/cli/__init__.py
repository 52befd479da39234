"""The command line: parse, call, print."""

import warnings
from importlib import import_module
from typing import Any

import click

from s2fs._util.messages import printable
from s2fs._util.version import __version__
from s2fs.cli._shared import INTERRUPTED, Group

#: The module of each command, which is loaded when the command is used, and its line of help.
COMMANDS = {
    "select": ("_select", "Rank the features of FILE by how well they tell the classes apart."),
    "compare": (
        "_compare",
        "Compare selectors on FILE: how good on unseen samples, how stable, how fast.",
    ),
    "transform": ("_transform", "Keep the columns of FILE that were selected, as saved in MODEL."),
    "score": ("_score", "Show the criterion and its four components for given features of FILE."),
    "demo": ("_demo", "Select 20 of 2308 genes that tell four childhood tumours apart."),
    "data": ("_data", "List, download and describe the datasets of the paper."),
    "bench": ("_bench", "Repeat the paper's experiments, or your own."),
    "info": ("_info", "Show the version, the engine and the packages in use."),
    "figures": ("_bench", "Draw the paper's figures from RESULTS as SVG, PDF and PNG."),
}


class _Commands(Group):
    """The commands, loaded when used; every bad input is one line and exit code 2."""

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
        except (ValueError, OSError, ImportError) as error:
            raise click.UsageError(_in_one_line(error)) from None


def _as_note(message: Warning | str, *_: Any) -> None:
    """Show a warning as one line, without the place in the code it comes from."""
    click.echo(f"Note: {_in_one_line(message)}", err=True)


def _in_one_line(message: Any) -> str:
    """A message in one line, without what could steer a terminal."""
    return printable(" ".join(str(message).split()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExample:\n"
    "  s2fs demo\n"
    "  s2fs select tumours.csv --target diagnosis -k 20 --output ranking.csv",
)
@click.version_option(__version__, prog_name="s2fs")
def main() -> None:
    """Find the few features that matter in wide data."""


__all__ = ["main"]
