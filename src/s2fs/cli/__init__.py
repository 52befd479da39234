"""The command line: parse, call, print."""

from s2fs.cli._shared import COMMANDS, main

__all__ = ["COMMANDS", "main"]
