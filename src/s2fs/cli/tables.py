"""Tables as they are printed: one style on a terminal and in a pipe."""

import shutil
import sys
from collections.abc import Collection

import click

from s2fs._utils.streams import is_terminal
from s2fs._utils.text_table import PAGE_WIDTH, format_table
from s2fs.cli.outputs import Columns

#: Where nobody looks, names are not cut.
_NO_LIMIT = 10_000


def print_table(columns: Columns, numbers: Collection[str] = ()) -> None:
    """Print a table of aligned text; on a terminal it fits the width.

    Text is aligned to the left, but for the columns named in ``numbers``.
    """
    for line in format_table(columns, numbers, table_width()):
        click.echo(line)


def table_width() -> int:
    """How wide a table may be: as the terminal, and as it needs in a pipe."""
    if not is_terminal(sys.stdout):
        return _NO_LIMIT
    return max(PAGE_WIDTH, shutil.get_terminal_size().columns - 1)
