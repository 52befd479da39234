"""``s2fs figures`` and ``s2fs bench report``: the results of a bench to look at."""

from pathlib import Path

import click

from s2fs.cli._select import checked_report


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
    from s2fs.bench import open_results, write_figures

    with open_results(ledger) as book:
        for path in write_figures(book, out):
            click.echo(str(path))


@click.command(epilog="\b\nExample:\n  s2fs bench report paper.sqlite --out bench.html")
@click.argument("ledger", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="bench.html",
    show_default=True,
    callback=checked_report,
    help="The .html file to write.",
)
def report(*, ledger: Path, out: Path) -> None:
    """Write the results of LEDGER as one page, the printed numbers beside ours."""
    from s2fs.bench import bench_report, open_results

    with open_results(ledger) as book:
        click.echo(str(bench_report(book, out, title=ledger.name)))
