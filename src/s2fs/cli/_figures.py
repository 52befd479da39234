"""``s2fs figures`` and ``s2fs bench report``: the results of a bench to look at."""

from pathlib import Path

import click

from s2fs.cli._select import checked_report


@click.command(epilog="\b\nExample:\n  s2fs figures paper.sqlite --out figures")
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder."
)
def figures(*, results: Path, out: Path) -> None:
    """Draw the paper's figures from RESULTS as SVG, PDF and PNG.

    Curves, critical-difference diagrams, maps of the weights, variants, and the selected pixels on
    faces, as far as the results and the datasets at hand allow.
    """
    from s2fs.bench import open_results, write_figures

    with open_results(results) as results_file:
        for path in write_figures(results_file, out):
            click.echo(str(path))


@click.command(epilog="\b\nExample:\n  s2fs bench report paper.sqlite --out bench.html")
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="bench.html",
    show_default=True,
    callback=checked_report,
    help="The .html file to write.",
)
def report(*, results: Path, out: Path) -> None:
    """Write RESULTS as one page, the published numbers beside ours."""
    from s2fs.bench import bench_report, open_results

    with open_results(results) as results_file:
        click.echo(str(bench_report(results_file, out, title=results.name)))
