"""The command line: parse, call, print."""

from s2fs.cli.app import COMMANDS, main

__all__ = ["COMMANDS", "main"]
