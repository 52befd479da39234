"""``s2fs figures``: the paper's figures from the results of a bench."""

from pathlib import Path

import click


@click.command(epilog="\b\nExample:\n  s2fs figures paper.sqlite --out figures")
@click.argument("ledger", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder."
)
def figures(*, ledger: Path, out: Path) -> None:
    """Draw the paper's figures from LEDGER as SVG, PDF and PNG.

    Curves, critical-difference diagrams, maps of the weights, variants, and the selected pixels on
    faces, as far as the results in LEDGER and the datasets at hand allow.
    """
    from s2fs.benchmark import Ledger
    from s2fs.report import write_figures

    with Ledger(ledger) as book:
        for path in write_figures(book, out):
            click.echo(str(path))
