"""``s2fs info``: what is installed."""

import click

from s2fs.info import info as describe


@click.command()
def info() -> None:
    """Show the version, the engine and the packages in use."""
    click.echo(describe())
