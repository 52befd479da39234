"""The command ``info``."""

import click


@click.command()
def info() -> None:
    """Show the version, the engine and the packages in use."""
    from s2fs.info import info

    click.echo(info())
