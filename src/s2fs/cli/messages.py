"""What the command line makes of the messages of the library: keywords become options."""

import ast
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click

from s2fs import io
from s2fs._utils.messages import make_printable
from s2fs.cli.options import DATA_OPTIONS, FLAGS
from s2fs.cli.terminal import wrap_on_terminal

#: Where a context keeps the arguments it was called with.
ARGUMENTS = "s2fs.arguments"
#: A keyword of ``read_table`` in a message, with or without a value.
_KEYWORD = re.compile(r"`([a-z]\w*)(?:=([^`]*))?`")


def describe_obstacles(error: "io.UnreadableError", arguments: list[str]) -> str:
    """All that is in the way of a file and, if it is known, a whole command that works."""
    lines = [in_one_line(sentence) for sentence in error.obstacles]
    if error.fixes:
        command = shlex.join(["s2fs", *_with_options(arguments, error.fixes)])
        lines.append(f"Try: {make_printable(command)}")
    return "\n".join(lines)


def _with_options(arguments: list[str], keywords: Mapping[str, Any]) -> list[str]:
    """The arguments of a command with keywords of ``read_table`` as options, each given once."""
    options = {option.name: option for option in DATA_OPTIONS}
    result = list(arguments)
    for keyword, value in keywords.items():
        option = options[keyword]
        if not option.multiple:
            result = without_options(result, option.opts)
        for item in value if isinstance(value, list) else [value]:
            result += [FLAGS[keyword], *([] if item is True else [str(item)])]
    return result


def without_options(
    arguments: list[str], names: Sequence[str], flags: Sequence[str] = ()
) -> list[str]:
    """The arguments without an option, written as ``--name value`` or ``--name=value``.

    Parameters
    ----------
    arguments : list of str
        Those of a command.
    names : sequence of str
        Options with a value that are left out.
    flags : sequence of str, default=()
        Options without a value that are left out.

    Returns
    -------
    list of str
    """
    result, is_value = [], False
    for argument in arguments:
        is_named = argument.partition("=")[0] in names or _is_short(argument, names)
        if not (is_value or is_named or argument in flags):
            result.append(argument)
        is_value = argument in names and not is_value
    return result


def _is_short(argument: str, names: Sequence[str]) -> bool:
    """Whether an argument is a short option with its value, such as ``-k5``."""
    return not argument.startswith("--") and argument[:2] in names


def print_note(message: Warning | str, *_: Any) -> None:
    """Show a warning as one line, without the place in the code it comes from."""
    click.echo(wrap_on_terminal(f"Note: {in_one_line(message)}", "      "), err=True)


def in_one_line(message: Any) -> str:
    """A message of the library as one line, with options in the place of keywords."""
    return make_printable(name_options(" ".join(str(message).split())))


def name_options(message: str) -> str:
    """A message of a reader with its keywords, in backquotes, as options of the command line."""
    return _KEYWORD.sub(_as_option, message)


def _as_option(keyword: re.Match[str]) -> str:
    """``drop_missing=0.2`` as ``--drop-missing 0.2``; other words in backquotes stay."""
    name, value = keyword[1], keyword[2]
    if name not in FLAGS:
        return keyword[0]
    flag = FLAGS[name]
    try:
        content = None if value is None else ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return keyword[0]
    if content is None or content is True:
        return flag
    if content is False:
        return flag.replace("--", "--no-", 1)
    return f"{flag} {shlex.quote(str(content))}"
