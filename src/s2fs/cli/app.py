"""``s2fs``: the group of commands, and what it makes of errors."""

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import click

from s2fs._utils.messages import did_you_mean
from s2fs._utils.optional import INSTALL_LABORATORY
from s2fs._utils.version import __version__
from s2fs.cli.messages import WORDS, describe_error, print_note
from s2fs.cli.streams import guarded_streams

#: The module of each command, which is loaded when the command is used, and its line of help.
COMMANDS = {
    "select": ("_select", "Rank the features of FILE by how well they tell the classes apart."),
    "compare": (
        "_compare",
        "Compare selectors on FILE: how good on held-out samples, how stable, how fast.",
    ),
    "predict": ("_predict", "Predict the classes of the samples in FILE by PANEL."),
    "validate": (
        "_validate",
        "Say in one word what the samples in FILE, with their classes, tell of PANEL.",
    ),
    "transform": ("_transform", "Keep the columns of FILE that were selected, as saved in MODEL."),
    "score": ("_score", "Show the criterion and its four components for given features of FILE."),
    "demo": ("_demo", "Select 20 of 2308 genes that tell four childhood tumours apart."),
    "info": ("_info", "Show the version, the engine and the packages in use."),
}
#: The commands that the distribution s2fs-bench adds, and their lines of help.
LABORATORY = {
    "bench": "Repeat the paper's experiments, or your own.",
    "data": "List, download and describe the datasets of the paper.",
    "figures": "Draw figures from RESULTS, the paper's among them.",
}
#: The group of entry points by which another distribution adds commands.
ENTRY_POINTS = "s2fs.commands"
#: What a shell expects of a command that Ctrl-C has ended.
INTERRUPTED = 130
#: The exit code of a selection that is not better than guessing, where that was asked for.
NOT_BETTER = 1


class Group(click.Group):
    """A group of commands that shows its help when none of them is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with ``--help`` in the place of nothing."""
        return super().parse_args(ctx, args or ["--help"])


class _Commands(Group):
    """The commands, loaded when used; every bad input is one line and exit code 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)  # messages show them again, corrected
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        with guarded_streams():
            return super().main(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *LABORATORY]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            module, _ = COMMANDS[cmd_name]
            return getattr(import_module(f"s2fs.cli.{module}"), cmd_name)
        if cmd_name in LABORATORY:
            return _load_laboratory_command(cmd_name)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            known = self.list_commands(ctx)
            hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
            raise click.UsageError(f"There is no command {name!r}{hint}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])
        with formatter.section("Laboratory (s2fs-bench)"):
            formatter.write_dl(list(LABORATORY.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = _print_once()
                return super().invoke(ctx)
        except click.UsageError as error:
            error.ctx = None  # without a context click leaves out the usage lines
            raise
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except MemoryError:
            raise click.UsageError(
                "There is not enough memory; give a smaller table, or fewer columns of it."
            ) from None
        except (ValueError, OSError, ImportError) as error:
            name = ctx.invoked_subcommand
            command = None if name is None else self.get_command(ctx, name)
            raise click.UsageError(describe_error(error, command, ctx.meta[WORDS])) from None


def _print_once() -> Callable[..., None]:
    """What shows warnings as notes, each text once however often a library says it."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: Any) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            print_note(message)

    return show


def _load_laboratory_command(name: str) -> click.Command:
    """A command of s2fs-bench, or one that says what to install where it is missing."""
    for entry_point in entry_points(group=ENTRY_POINTS, name=name):
        return entry_point.load()

    @click.command(
        name,
        help=f"{LABORATORY[name]}\n\nThis command comes with s2fs-bench: {INSTALL_LABORATORY}.",
        context_settings={"ignore_unknown_options": True},
    )
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def missing(arguments: tuple[str, ...]) -> None:
        raise click.UsageError(
            f"'s2fs {name}' is a command of the laboratory, which is not installed: "
            f"{INSTALL_LABORATORY}."
        )

    return missing


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="\b\nExample:\n"
    "  s2fs demo\n"
    "  s2fs select tumours.csv --target diagnosis -k 20 --output ranking.csv\n\n"
    "Exit codes: 0 done, 1 not better than guessing (only with --fail-if-not-better), 2 the input "
    "cannot be used, 130 stopped by Ctrl-C.",
)
@click.version_option(__version__, prog_name="s2fs")
def main() -> None:
    """Find the few features that matter in wide data."""
