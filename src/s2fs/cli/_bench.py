"""``s2fs bench``: run the experiments, look at their state, write tables."""

from pathlib import Path

import click

from s2fs.cli._output import checked_output, print_table, write_table
from s2fs.cli._scheduler import connected, scheduler_option

_LEDGER = click.argument("ledger", type=click.Path(path_type=Path))


@click.group(
    epilog="\b\nExample:\n"
    "  s2fs bench run quick --ledger quick.sqlite\n"
    "  s2fs bench tables quick.sqlite --out tables"
)
def bench() -> None:
    """Repeat the paper's experiments, or your own."""


@bench.command()
@click.argument("plan")
@click.option(
    "--ledger",
    required=True,
    type=click.Path(path_type=Path),
    help="File that keeps the results; a run that was stopped goes on from it.",
)
@click.option("--n-jobs", type=int, default=1, show_default=True, help="Units to run at once.")
@click.option("--datasets", metavar="A,B", help="Run only these of the plan's datasets.")
@scheduler_option(
    "Run the units on the Dask cluster at this address, such as tcp://host:8786, as many at once "
    "as it has threads.",
)
def run(
    *, plan: str, ledger: Path, n_jobs: int, datasets: str | None, scheduler: str | None
) -> None:
    """Run PLAN: paper, sensitivity, variants, quick, or a TOML file.

    May be stopped at any moment, by any means; the same command goes on where it was. Datasets
    that are not found are told and left out. Exits with 1 if a unit failed.
    """
    from s2fs.bench import load_plan, run

    wanted = None if datasets is None else [name.strip() for name in datasets.split(",")]
    planned = load_plan(plan)
    if scheduler is None:
        summary = run(planned, ledger, n_jobs=n_jobs, datasets=wanted, show_progress=True)
    else:
        from joblib import parallel_config

        with connected(scheduler), parallel_config("dask"):
            summary = run(planned, ledger, n_jobs=-1, datasets=wanted, show_progress=True)
    for message in summary.missing.values():
        click.echo(f"Left out: {message}", err=True)
    click.echo(f"{summary.done} done, {summary.failed} failed, {summary.before} done before.")
    if summary.elsewhere:
        click.echo(f"{summary.elsewhere} are in the hands of another run.")
    if summary.failed:
        click.echo(f"See what failed: s2fs bench status {ledger}", err=True)
        raise SystemExit(1)


@bench.command()
@_LEDGER
def status(*, ledger: Path) -> None:
    """Show how far LEDGER has got, and what failed."""
    from s2fs.bench import Ledger

    with Ledger(ledger) as book:
        entries = book.entries()
    states = ("done", "failed", "claimed", "waiting")
    groups: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for entry in entries:
        spec = entry.unit.selector
        weights = "inside" if spec.tune == "inside" else "grid" if spec.alphas else ""
        groups.setdefault((entry.unit.dataset, spec.name, weights), []).append(
            (entry.state, entry.seconds or 0.0)
        )
    if not entries:
        click.echo("No units.")
        return
    print_table(
        {
            "dataset": [dataset for dataset, _, _ in groups],
            "selector": [selector for _, selector, _ in groups],
            "weights": [weights for _, _, weights in groups],
            **{
                state: [sum(s == state for s, _ in units) for units in groups.values()]
                for state in states
            },
            "cpu_seconds": [round(sum(t for _, t in units), 1) for units in groups.values()],
        }
    )
    counts = {state: sum(entry.state == state for entry in entries) for state in states}
    click.echo("\n" + ", ".join(f"{counts[state]} {state}" for state in states))
    for entry in entries:
        if entry.state == "failed":
            unit = entry.unit
            click.echo(f"{unit.dataset}, {unit.selector.name}, fold {unit.fold}: {entry.error}")


@bench.command()
@_LEDGER
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder."
)
def tables(*, ledger: Path, out: Path) -> None:
    """Write the tables of LEDGER as Markdown, LaTeX and CSV, and the comparisons."""
    from s2fs.bench import open_results, write_tables

    with open_results(ledger) as book:
        for path in write_tables(book, out):
            click.echo(str(path))


@bench.command()
@_LEDGER
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    callback=checked_output,
    help="A .csv, .json or .parquet file.",
)
@click.option("--curves", is_flag=True, help="A row for each size, not only the best and average.")
def export(*, ledger: Path, out: Path, curves: bool) -> None:
    """Write the results of LEDGER as one table."""
    from s2fs.bench import export_curves, export_rows, open_results

    with open_results(ledger) as book:
        rows = export_curves(book) if curves else export_rows(book)
    if not rows:
        raise ValueError(f"{ledger} has no complete cross-validation yet; run more of it.")
    write_table(out, {name: [row[name] for row in rows] for name in rows[0]})
    click.echo(f"{len(rows)} rows in {out}")


@bench.command(epilog="\b\nExample:\n  s2fs bench archive paper.sqlite --out paper.npz")
@_LEDGER
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The .npz file to write."
)
def archive(*, ledger: Path, out: Path) -> None:
    """Write the curves of LEDGER, without predictions, to a file small enough to keep.

    Tables, exports, figures and reports can be made from it as from the ledger itself.
    """
    from s2fs._util.files import check_place
    from s2fs.bench import Ledger, write_archive

    place = check_place(out, "--out", (".npz",))
    with Ledger(ledger) as book:
        click.echo(str(write_archive(book, place)))
