"""A command and its options, declared as the fields of a frozen dataclass.

A field is an option, an argument, or another such dataclass: options that several commands have
are one group, declared once. ``option`` gives each its heading in ``--help``; messages of the
library, which know arguments, are translated by the same declarations (``messages.py``).
"""

import inspect
from collections.abc import Callable, Collection
from dataclasses import field, fields, is_dataclass
from importlib import import_module
from typing import Any, TypeVar, get_type_hints

import click

Asked = TypeVar("Asked")
#: The headings of ``--help``, in the order they are shown.
DATA, SELECTION, S2FS_ONLY, EVALUATION, OUTPUT = HEADINGS = (
    "Data",
    "Selection",
    "Selection, s2fs only",
    "Evaluation",
    "Output",
)
#: Where the metadata of a field keep what makes its parameter.
_DECLARED = "s2fs.parameter"


class Option(click.Option):
    """An option under a heading of ``--help`` that stands for an argument of the library.

    Its ``methods`` are those that have it; None is all.
    """

    def __init__(
        self,
        *args: Any,
        heading: str,
        argument: str,
        methods: Collection[str] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.heading = heading
        self.argument = argument
        self.methods = methods

    @property
    def flag(self) -> str:
        """Its long name, as ``--n-features``."""
        return max(self.opts, key=len)


def option(*names: str, heading: str, argument: str | None = None, **attributes: Any) -> Any:
    """Declare a field of a dataclass as an option of its command.

    Parameters
    ----------
    *names : str
        What users write: ``"-k"``, ``"--n-features"``.
    heading : str
        One of ``HEADINGS``.
    argument : str, optional
        What the library calls it, if that is not the name of the field.
    **attributes
        As for ``Option`` and ``click.Option``: ``methods``, ``help``, ``type``, ``default``, ….
    """

    def make(name: str) -> Option:
        return Option([name, *names], heading=heading, argument=argument or name, **attributes)

    return field(metadata={_DECLARED: make})


def positional(**attributes: Any) -> Any:
    """Declare a field of a dataclass as an argument of its command, as for ``click.Argument``."""
    return field(metadata={_DECLARED: lambda name: click.Argument([name], **attributes)})


class Command(click.Command):
    """A command that lists its options under headings, and knows which argument each stands for."""

    def find_option(self, argument: str) -> Option | None:
        """The option that stands for an argument of the library."""
        options = (param for param in self.params if isinstance(param, Option))
        return next((found for found in options if found.argument == argument), None)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section for each heading that has any."""
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections[getattr(parameter, "heading", OUTPUT)].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def command(
    kind: type[Asked], *, work: str, epilog: str | None = None
) -> Callable[[Callable[[Asked], None]], Command]:
    """Make a command of a function that refuses what needs no data to be refused.

    What was asked for comes as one object of the dataclass. Then the module of the ``work`` is
    loaded, which may take seconds, and its function ``run`` called with the same object.
    """

    def decorate(function: Callable[[Asked], None]) -> Command:
        def callback(**given: Any) -> None:
            asked = _build(kind, given)
            function(asked)
            import_module(f"s2fs.cli.{work}").run(asked)

        return Command(
            function.__name__,
            params=_parameters(kind),
            callback=callback,
            help=inspect.cleandoc(function.__doc__ or ""),
            epilog=epilog,
        )

    return decorate


def list_options(group: Any) -> list[tuple[Option, Any]]:
    """The options of a group and of those in it, each with its value."""
    found: list[tuple[Option, Any]] = []
    for each in fields(group):
        value = getattr(group, each.name)
        if is_dataclass(value):
            found += list_options(value)
        elif isinstance(parameter := each.metadata[_DECLARED](each.name), Option):
            found.append((parameter, value))
    return found


def arguments_of(group: Any) -> dict[str, Any]:
    """The values of a group of options by the names that the library has for them."""
    return {option.argument: value for option, value in list_options(group)}


def _parameters(kind: type) -> list[click.Parameter]:
    """The options and arguments of a dataclass and of the groups in it."""
    hints, found = get_type_hints(kind), list[click.Parameter]()
    for each in fields(kind):
        declared = each.metadata.get(_DECLARED)
        found += _parameters(hints[each.name]) if declared is None else [declared(each.name)]
    return found


def _build(kind: type[Asked], given: dict[str, Any]) -> Asked:
    """An object of the dataclass, with its groups, from the values of all options."""
    hints, values = get_type_hints(kind), {}
    for each in fields(kind):  # type: ignore[arg-type]
        is_group = _DECLARED not in each.metadata
        values[each.name] = _build(hints[each.name], given) if is_group else given[each.name]
    return kind(**values)
