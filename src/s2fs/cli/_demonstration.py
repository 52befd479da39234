"""``s2fs demo`` at work: what the package does, on data that comes with it."""

from textwrap import fill
from time import perf_counter

import click

from s2fs import S2FS, PairCover
from s2fs.cli._demo import Demo
from s2fs.cli._ranking import ranking_columns
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import note
from s2fs.datasets import load_srbct
from s2fs.report import Origin, Report

#: How many genes are selected.
N_SELECTED = 20
#: What the names of the table mean.
ABOUT_NAMES = (
    "AF1Q, FCGRT, FGFR4, SGCA and CD99 are among the markers that Khan et al. (2001) found. A "
    "clone without a symbol has its number, such as IMAGE:21652."
)


def run(asked: Demo) -> None:
    """Select, evaluate, print and write the page."""
    start = perf_counter()
    data = load_srbct()
    n, m = data.X.shape
    classes = ", ".join(data.class_names)
    click.echo(f"SRBCT (Khan et al. 2001): {n} samples, {m:,} genes, classes {classes}\n")
    before = perf_counter()
    selector = PairCover(N_SELECTED).fit(data.X, data.y)
    seconds = perf_counter() - before
    published = S2FS(N_SELECTED).fit(data.X, data.y)
    click.echo(f"The {N_SELECTED} genes that PairCover and S²FS select on all samples:\n")
    ours = ranking_columns(selector, data.feature_names)
    theirs = ranking_columns(published, data.feature_names)
    print_table(
        {
            "rank": ours["rank"],
            "PairCover": ours["feature"],
            "score": ours["score"],
            "S²FS": theirs["feature"],
            "score ": theirs["score"],
        }
    )
    click.echo(f"\n{fill(ABOUT_NAMES, 79)}")
    note("Selecting and predicting in 5 × 5 folds, and writing the report …")
    title = "SRBCT: genes that tell four childhood tumours apart"
    origin = Origin(command="s2fs demo", seconds=seconds, about=ABOUT_NAMES)
    page = Report(selector, data, title=title, origin=origin)
    evaluation = page.comparison
    if evaluation is not None:
        click.echo(f"\n{fill(evaluation.title, 79)}\n")
        columns = evaluation.columns()
        print_table(columns, numbers=list(columns)[1:])
        click.echo(f"\n{fill(evaluation.verdict, 79)}")
    page.save(asked.report)
    click.echo(f"\nTook {perf_counter() - start:.1f} s.")
    click.echo(f"Open the report in a browser: {asked.report.resolve()}")
    click.echo("Your own data: s2fs select FILE --target COLUMN -k 20   (see s2fs select --help)")
