"""What the command line makes of the messages of the library: arguments become options."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from s2fs._utils.arguments import Argument, Message
from s2fs._utils.messages import make_printable
from s2fs.cli.command import Command
from s2fs.cli.terminal import wrap_on_terminal

#: Where a context keeps the words it was called with.
WORDS = "s2fs.words"


def get_words() -> list[str]:
    """The words of the command as the user wrote them, without the name of the program."""
    return click.get_current_context().find_root().meta[WORDS]


def describe_error(error: Exception, command: click.Command | None, words: list[str]) -> str:
    """What went wrong; of a file all that is in its way and, if known, a command that works."""
    lines = [in_one_line(each, command) for each in getattr(error, "obstacles", [error])]
    if fixes := getattr(error, "fixes", None):
        corrected = shlex.join(["s2fs", *_with_options(words, fixes, command)])
        lines.append(f"Try: {make_printable(corrected)}")
    return "\n".join(lines)


def _with_options(
    words: list[str], arguments: Mapping[str, Any], command: click.Command | None
) -> list[str]:
    """The words of a command with arguments of the library as options, each given once."""
    result = list(words)
    for name, value in arguments.items():
        option = command.find_option(name) if isinstance(command, Command) else None
        if option is None:
            continue
        if not option.multiple:
            result = without_options(result, option.opts)
        for item in value if isinstance(value, list) else [value]:
            result += [option.flag, *([] if item is True else [str(item)])]
    return result


def without_options(words: list[str], names: Sequence[str], flags: Sequence[str] = ()) -> list[str]:
    """The words of a command without an option, written as ``--name value`` or ``--name=value``.

    Parameters
    ----------
    words : list of str
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
    for word in words:
        is_named = word.partition("=")[0] in names or _is_short(word, names)
        if not (is_value or is_named or word in flags):
            result.append(word)
        is_value = word in names and not is_value
    return result


def _is_short(word: str, names: Sequence[str]) -> bool:
    """Whether a word is a short option with its value, such as ``-k5``."""
    return not word.startswith("--") and word[:2] in names


def print_note(message: Warning | str, *_: Any, shorten: Path | None = None) -> None:
    """Show a warning as one line, without the place in the code it comes from.

    A file to ``shorten`` is called by its name alone.
    """
    context = click.get_current_context(silent=True)
    text = in_one_line(message, None if context is None else context.command)
    if shorten is not None:
        text = text.replace(make_printable(str(shorten)), make_printable(shorten.name))
    click.echo(wrap_on_terminal(f"Note: {text}", "      "), err=True)


def in_one_line(message: BaseException | str, command: click.Command | None = None) -> str:
    """A message of the library as one line, with options of a command in the place of arguments."""
    content = message
    if isinstance(message, BaseException) and message.args:
        content = message.args[0]

    def write(mention: Argument) -> str:
        option = command.find_option(mention.name) if isinstance(command, Command) else None
        return str(mention) if option is None else _as_option(mention, option)

    text = content.rewrite(write) if isinstance(content, Message) else str(message)
    if isinstance(message, OSError) and message.strerror:  # without its number
        what = "A file" if message.filename is None else str(message.filename)
        text = f"{what} cannot be used: {message.strerror}."
    return make_printable(" ".join(text.split()))


def _as_option(mention: Argument, option: Any) -> str:
    """``drop_missing=0.2`` as ``--drop-missing 0.2``."""
    if mention.value is None or mention.value is True:
        return option.flag
    if mention.value is False:
        return option.secondary_opts[0]
    return f"{option.flag} {shlex.quote(str(mention.value))}"
