"""``s2fs bench`` and ``s2fs figures``: run the experiments, and look at the results."""

from pathlib import Path
from typing import Any

import click
from joblib import parallel_config

from s2fs._util.files import check_place
from s2fs.bench import (
    Ledger,
    bench_report,
    export_curves,
    export_rows,
    load_plan,
    open_results,
    plan_for_file,
    run_plan,
    write_archive,
    write_figures,
    write_tables,
)
from s2fs.cli._scheduler import connected, scheduler_option
from s2fs.cli._shared import (
    PATH,
    Group,
    checked_output,
    checked_report,
    print_table,
    write_table,
)

_RESULTS = click.argument("results", type=PATH)
_FOLDER = click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder."
)


@click.group(
    cls=Group,
    epilog="\b\nExample:\n"
    "  s2fs bench run quick --results quick.sqlite\n"
    "  s2fs bench tables quick.sqlite --out tables",
)
def bench() -> None:
    """Repeat the paper's experiments, or your own."""


@bench.command(
    epilog="\b\nExamples:\n"
    "  s2fs bench run quick --results quick.sqlite\n"
    "  s2fs bench run --data my.csv --target y --methods all --results my.sqlite"
)
@click.argument("plan", required=False)
@click.option("--data", type=PATH, help="Compare selectors on this table.")
@click.option("--target", "-t", help="With --data: the column with the classes.")
@click.option(
    "--methods",
    metavar="A,B",
    default="all",
    help="With --data: selectors of the package, or module:Class; all is every one of the package.",
)
@click.option(
    "--results",
    required=True,
    type=PATH,
    help="File that keeps the results; what was stopped goes on from it.",
)
@click.option("--n-jobs", type=int, default=1, help="Runs to work on at once.")
@click.option("--datasets", metavar="A,B", help="Run only these of the plan's datasets.")
@scheduler_option(
    help="Work on the Dask cluster at this address, such as tcp://host:8786, as many at once "
    "as it has threads.",
)
def run(
    *,
    plan: str | None,
    data: Path | None,
    target: str | None,
    methods: str,
    results: Path,
    n_jobs: int,
    datasets: str | None,
    scheduler: str | None,
) -> None:
    """Run PLAN: paper, sensitivity, variants, unseen, quick, or a TOML file.

    With --data instead of PLAN, selectors are compared on a table of your own. May be stopped at
    any moment, by any means; the same command goes on where it was. Datasets that are not found are
    named and left out. Exits with 1 if a run failed.
    """
    wanted = None if datasets is None else [name.strip() for name in datasets.split(",")]
    if plan is not None and data is None:
        planned = load_plan(plan)
    elif plan is None and data is not None:
        named = None if methods == "all" else [name.strip() for name in methods.split(",")]
        planned = plan_for_file(data, target, named)
    else:
        raise click.UsageError("Give either a PLAN or a table with --data.")
    if scheduler is None:
        summary = run_plan(planned, results, n_jobs=n_jobs, datasets=wanted, show_progress=True)
    else:
        with connected(scheduler), parallel_config("dask"):
            summary = run_plan(planned, results, n_jobs=-1, datasets=wanted, show_progress=True)
    for message in summary.missing.values():
        click.echo(f"Left out: {message}", err=True)
    click.echo(f"{summary.done} done, {summary.failed} failed, {summary.before} done before.")
    if summary.elsewhere:
        click.echo(f"{summary.elsewhere} are being worked on by another process.")
    if summary.failed:
        click.echo(f"See what failed: s2fs bench status {results}", err=True)
        raise SystemExit(1)


@bench.command()
@_RESULTS
def status(*, results: Path) -> None:
    """Show how far RESULTS has got, and what failed."""
    with Ledger(results) as ledger:
        entries = ledger.entries()
    if not entries:
        click.echo("No runs.")
        return
    states = ("done", "failed", "claimed", "waiting")
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for entry in entries:
        spec = entry.run.selector
        groups.setdefault((entry.run.dataset, spec.name, spec.weights), []).append(entry)
    counts = {
        state: [sum(entry.state == state for entry in runs) for runs in groups.values()]
        for state in states
    }
    seconds = [sum(entry.seconds or 0.0 for entry in runs) for runs in groups.values()]
    named = dict(zip(("dataset", "selector", "weights"), zip(*groups, strict=True), strict=True))
    print_table({**named, **counts, "cpu_seconds": [round(spent, 1) for spent in seconds]})
    click.echo("\n" + ", ".join(f"{sum(counts[state])} {state}" for state in states))
    for entry in entries:
        if entry.state == "failed":
            run = entry.run
            click.echo(f"{run.dataset}, {run.selector.name}, fold {run.fold}: {entry.error}")


@bench.command()
@_RESULTS
@_FOLDER
def tables(*, results: Path, out: Path) -> None:
    """Write the tables of RESULTS as Markdown, LaTeX and CSV, and the comparisons."""
    with open_results(results) as results_file:
        for path in write_tables(results_file, out):
            click.echo(str(path))


@bench.command()
@_RESULTS
@click.option(
    "--out",
    required=True,
    type=PATH,
    callback=checked_output,
    help="A .csv, .tsv, .json or .parquet file.",
)
@click.option("--curves", is_flag=True, help="A row for each size, not only the best and average.")
def export(*, results: Path, out: Path, curves: bool) -> None:
    """Write RESULTS as one table."""
    with open_results(results) as results_file:
        rows = (export_curves if curves else export_rows)(results_file)
    write_table(out, {name: [row[name] for row in rows] for name in rows[0]})
    click.echo(f"{len(rows)} rows in {out}")


@bench.command(epilog="\b\nExample:\n  s2fs bench archive paper.sqlite --out paper.npz")
@_RESULTS
@click.option("--out", required=True, type=PATH, help="The .npz file to write.")
def archive(*, results: Path, out: Path) -> None:
    """Write the curves of RESULTS, without predictions, to a file small enough to keep.

    Tables, exports, figures and reports can be made from it as from RESULTS itself.
    """
    place = check_place(out, "--out", (".npz",))
    with Ledger(results) as ledger:
        click.echo(str(write_archive(ledger, place)))


@click.command(epilog="\b\nExample:\n  s2fs figures paper.sqlite --out figures")
@_RESULTS
@_FOLDER
def figures(*, results: Path, out: Path) -> None:
    """Draw the paper's figures from RESULTS as SVG, PDF and PNG.

    Curves, critical-difference diagrams, maps of the weights, variants, and the selected pixels on
    faces, as far as the results and the datasets at hand allow.
    """
    with open_results(results) as results_file:
        for path in write_figures(results_file, out):
            click.echo(str(path))


@bench.command(epilog="\b\nExample:\n  s2fs bench report paper.sqlite --out bench.html")
@_RESULTS
@click.option(
    "--out",
    type=PATH,
    default="bench.html",
    callback=checked_report,
    help="The .html file to write.",
)
def report(*, results: Path, out: Path) -> None:
    """Write RESULTS as one page, the published numbers beside ours."""
    with open_results(results) as results_file:
        click.echo(str(bench_report(results_file, out, title=results.name)))
