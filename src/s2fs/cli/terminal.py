"""What goes to the terminal beside tables."""

import shutil
import sys
from textwrap import fill

import click

from s2fs._utils.streams import is_terminal
from s2fs._utils.text_table import PAGE_WIDTH


def note(message: str) -> None:
    """Say something beside the result, if there is a user to see it."""
    if is_terminal(sys.stderr):
        click.echo(message, err=True)


def wrap_on_terminal(text: str, indent: str = "") -> str:
    """A message by words in lines of a terminal; one line where standard error is a pipe."""
    if not is_terminal(sys.stderr):
        return text
    width = max(PAGE_WIDTH, shutil.get_terminal_size().columns - 1)
    return fill(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def print_line(text: str) -> None:
    """Print an empty line and a sentence that fits a terminal."""
    click.echo(f"\n{fill(text, 79)}")
