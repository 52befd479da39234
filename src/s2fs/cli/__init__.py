"""The command line: parse, call, print.

The commands import what they compute with when they run, so that ``--help`` need not wait.
"""

from typing import Any

import click

from s2fs.cli._bench import bench
from s2fs.cli._data import data
from s2fs.cli._demo import demo
from s2fs.cli._figures import figures, report
from s2fs.cli._info import info
from s2fs.cli._output import INTERRUPTED
from s2fs.cli._score import score
from s2fs.cli._select import select
from s2fs.cli._transform import transform


class _Commands(click.Group):
    """A group whose commands report every bad input as one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output has gone; click ends quietly
        except click.UsageError as error:
            error.ctx = None  # without a context click leaves out the usage lines
            raise
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except (ValueError, OSError) as error:
            raise click.UsageError(" ".join(str(error).split())) from None


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExample:\n"
    "  s2fs demo\n"
    "  s2fs select tumours.csv --target diagnosis -k 20 --output ranking.csv",
)
@click.version_option(package_name="s2fs")
def main() -> None:
    """Find the few features that matter in wide data."""


main.add_command(select)
main.add_command(transform)
main.add_command(score)
main.add_command(demo)
main.add_command(data)
main.add_command(bench)
main.add_command(figures)
main.add_command(info)
bench.add_command(report)

__all__ = ["main"]
