"""``s2fs bench`` and ``s2fs figures``: run the experiments, and look at the results."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from joblib import parallel_config

from s2fs._utils.files import check_writable
from s2fs.cli.app import Group
from s2fs.cli.options import PATH
from s2fs.cli.outputs import check_output, check_report, write_table
from s2fs.cli.tables import print_table

if TYPE_CHECKING:
    from s2fs_bench import Plan, Summary

# The commands import s2fs_bench when they run: --help needs none of its packages.

#: The datasets of the paper that take a tenth of the processor time of all.
_TENTH = ("glioma", "all_aml_3", "all_aml_4")
_RESULTS = click.argument("results", type=PATH)
_FOLDER = click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder."
)
_REFERENCE = click.option(
    "--reference",
    metavar="NAME",
    help="Selector to hold against the others; the first of the plan if not given.",
)
_BESIDE = click.option(
    "--beside",
    metavar="FILE",
    type=PATH,
    help="Results of other selectors on the same folds of the same tables, such as an archive, to "
    "stand beside RESULTS.",
)


def _open(results: Path, beside: Path | None) -> Any:
    """A results file, joined by those of another one if that is given."""
    from s2fs_bench import Joined, open_results

    return open_results(results) if beside is None else Joined(results, beside)


def _names(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Names separated by commas."""
    return None if value is None else [name.strip() for name in value.split(",")]


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
    callback=_names,
    help="Run only these of the plan's selectors. With --data: selectors of the package, or "
    "module:Class; all of the package if not given.",
)
@click.option(
    "--results",
    required=True,
    type=PATH,
    help="Results file; an interrupted run resumes from it.",
)
@click.option("--n-jobs", type=int, default=1, help="Runs to work on at once.")
@click.option(
    "--datasets", metavar="A,B", callback=_names, help="Run only these of the plan's datasets."
)
@click.option(
    "--beside",
    metavar="FILE",
    type=PATH,
    help="Results of other selectors, such as unseen.npz: what is there is not run again, and "
    "stands beside the new results.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Work on the Dask cluster at this address, such as tcp://host:8786, as many at once "
    "as it has threads.",
)
def run(
    *,
    plan: str | None,
    data: Path | None,
    target: str | None,
    methods: list[str] | None,
    results: Path,
    n_jobs: int,
    datasets: list[str] | None,
    beside: Path | None,
    scheduler: str | None,
) -> None:
    """Run PLAN: paper, sensitivity, variants, unseen, quick, or a TOML file.

    With --data instead of PLAN, selectors are compared on a table of your own. May be stopped at
    any moment, by any means; the same command goes on where it was. Datasets that are not found are
    named and left out. Exits with 1 if a run failed, and with 2 if there was nothing to run.
    """
    from s2fs_bench import load_plan, plan_for_file, without_stored

    if methods == ["all"]:
        methods = None
    if plan is not None and data is None:
        planned, only = load_plan(plan), methods
    elif plan is None and data is not None:
        planned, only = plan_for_file(data, target, methods), None
    else:
        raise click.UsageError("Give either a PLAN or a table with --data.")
    if beside is not None:
        planned = without_stored(planned, beside)
    if _run(planned, results, n_jobs, datasets, only, scheduler).failed:
        raise SystemExit(1)
    _say_who_is_best(results, beside)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the Dask cluster at an address; its failures are errors of one line."""
    from s2fs.dask import connect  # loads Dask

    with connect(address) as client:
        try:
            yield client
        except RuntimeError as error:
            raise OSError(str(error)) from None


def _say_who_is_best(results: Path, beside: Path | None) -> None:
    """Name the best selector of each learner, and what to do with the results."""
    from s2fs_bench import best_by_learner, iter_results

    with _open(results, beside) as results_file:
        found = list(iter_results(results_file))
    for sentence in best_by_learner(found):
        click.echo(sentence)
    if found:
        others = "" if beside is None else f" --beside {beside}"
        click.echo(f"Next: s2fs bench report {results}{others} --out bench.html")


def _run(
    plan: "Plan",
    results: Path,
    n_jobs: int,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    scheduler: str | None = None,
) -> "Summary":
    """Carry out a plan, and say what was done."""
    from s2fs_bench import run_plan

    only: dict[str, Any] = {"datasets": datasets, "methods": methods, "show_progress": True}
    if scheduler is None:
        summary = run_plan(plan, results, n_jobs=n_jobs, **only)
    else:
        with _connected(scheduler), parallel_config("dask"):
            summary = run_plan(plan, results, n_jobs=-1, **only)
    for message in summary.missing.values():
        click.echo(f"Left out: {message}", err=True)
    if not (summary.done or summary.failed or summary.before or summary.elsewhere):
        raise ValueError(
            "Nothing was run: none of the datasets is here; see 's2fs data list', or choose "
            "others with --datasets."
        )
    click.echo(f"{summary.done} done, {summary.failed} failed, {summary.before} done before.")
    if summary.elsewhere:
        click.echo(f"{summary.elsewhere} are being worked on by another process.")
    if summary.failed:
        click.echo(f"See what failed: s2fs bench status {results}", err=True)
    return summary


@bench.command(epilog="\b\nExample:\n  s2fs bench plan paper > mine.toml")
@click.argument("name")
def plan(*, name: str) -> None:
    """Print the plan NAME of the package: paper, sensitivity, variants, unseen or quick.

    Change the file to your needs and give it to s2fs bench run.
    """
    from s2fs_bench import plan_text

    click.echo(plan_text(name), nl=False)


@bench.command(epilog="\b\nExample:\n  s2fs bench folds mine.toml --out exchange")
@click.argument("plan")
@_FOLDER
@click.option(
    "--datasets", metavar="A,B", callback=_names, help="Write only these of the plan's datasets."
)
def folds(*, plan: str, out: Path, datasets: list[str] | None) -> None:
    """Write the tables and folds of PLAN for a method in R, MATLAB or another language.

    For each table TABLE.csv, a class and the features, and TABLE_folds.csv, the fold that holds
    each sample out; beside them rank.R and rank.m, scripts to start from. A method writes one text
    file for each table, seed and fold; in the plan, method = {rankings = "FOLDER"} names their
    folder.
    """
    from s2fs_bench import load_plan, write_folds
    from s2fs_bench.runner import find_data

    planned = load_plan(plan)
    data, missing = find_data(planned, datasets)
    for message in missing.values():
        click.echo(f"Left out: {message}", err=True)
    if not data:
        raise ValueError("None of the datasets is here; see 's2fs data list'.")
    for name, table in data.items():
        for path in write_folds(name, table, out, n_folds=planned.folds, seeds=planned.seeds):
            click.echo(str(path))


@bench.command(
    epilog="\b\nExamples:\n"
    "  s2fs bench paper --out paper --tenth\n"
    "  s2fs bench paper --out paper --n-jobs 2"
)
@_FOLDER
@click.option("--n-jobs", type=int, default=1, help="Runs to work on at once.")
@click.option(
    "--tenth",
    is_flag=True,
    help="Only the datasets GLIOMA, ALL-AML-3 and ALL-AML-4: a tenth of the work, and every number "
    "of theirs.",
)
def paper(*, out: Path, n_jobs: int, tenth: bool) -> None:
    """Repeat the paper: run, archive, tabulate, draw and report, all into one folder.

    Runs the plans paper and variants, 2.6 hours of processor time with nine datasets, a quarter of
    an hour with --tenth. The same command goes on where it was stopped. The folder gets
    paper.sqlite, paper.npz, tables, figures and paper.html.
    """
    from s2fs_bench import load_plan

    plans = [load_plan(name) for name in ("paper", "variants")]
    _repeat(plans, out, n_jobs, _TENTH if tenth else None)


def _repeat(
    plans: "Sequence[Plan]", out: Path, n_jobs: int, datasets: Sequence[str] | None
) -> None:
    """Run plans into one results file, and write all that can be made of it beside it."""
    from s2fs_bench import Ledger, bench_report, write_archive, write_figures, write_tables

    out.mkdir(parents=True, exist_ok=True)
    results = out / "paper.sqlite"
    failed = [_run(plan, results, n_jobs, datasets).failed for plan in plans]
    if any(failed):
        raise SystemExit(1)
    with Ledger(results) as ledger:
        paths = [
            write_archive(ledger, out / "paper.npz"),
            *write_tables(ledger, out / "tables"),
            *write_figures(ledger, out / "figures"),
            bench_report(ledger, out / "paper.html", title="The paper, repeated"),
        ]
    for path in paths:
        click.echo(str(path))


@bench.command()
@_RESULTS
def status(*, results: Path) -> None:
    """Show how far RESULTS has got, and what failed."""
    from s2fs_bench import Ledger

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
@_REFERENCE
@_BESIDE
def tables(*, results: Path, out: Path, reference: str | None, beside: Path | None) -> None:
    """Write the tables of RESULTS as Markdown, LaTeX and CSV, comparisons and times.

    Means, average ranks, wins of the reference, Friedman, Nemenyi and Wilcoxon with Holm's
    correction, differences with intervals, and the time of one selection.
    """
    from s2fs_bench import write_tables

    with _open(results, beside) as results_file:
        for path in write_tables(results_file, out, reference=reference):
            click.echo(str(path))


@bench.command()
@_RESULTS
@click.option(
    "--out",
    required=True,
    type=PATH,
    callback=check_output,
    help="A .csv, .tsv, .json or .parquet file.",
)
@click.option("--curves", is_flag=True, help="A row for each size, not only the best and average.")
def export(*, results: Path, out: Path, curves: bool) -> None:
    """Write RESULTS as one table."""
    from s2fs_bench import export_curves, export_rows, open_results

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
    from s2fs_bench import Ledger, write_archive

    place = check_writable(out, "--out", (".npz",))
    with Ledger(results) as ledger:
        click.echo(str(write_archive(ledger, place)))


@click.command(
    epilog="\b\nExamples:\n"
    "  s2fs figures paper.sqlite --out figures\n"
    "  s2fs figures mine.sqlite --reference Mine --only critical-difference --out figures"
)
@_RESULTS
@_FOLDER
@_REFERENCE
@_BESIDE
@click.option(
    "--only",
    metavar="A,B",
    callback=_names,
    help="Figures to draw: geometry, curves, critical-difference, sensitivity, variants, pixels.",
)
@click.option(
    "--formats", metavar="A,B", callback=_names, default="svg,pdf,png", help="Files of each figure."
)
def figures(
    *,
    results: Path,
    out: Path,
    reference: str | None,
    beside: Path | None,
    only: list[str] | None,
    formats: list[str],
) -> None:
    """Draw figures from RESULTS, the paper's among them.

    Curves, critical-difference diagrams, maps of the weights, variants, and the selected pixels on
    faces, as far as the results and the datasets at hand allow. What was chosen on the test results
    is drawn as a dashed line and does not compete.
    """
    from s2fs_bench import write_figures

    with _open(results, beside) as results_file:
        for path in write_figures(
            results_file, out, reference=reference, kinds=only, formats=formats
        ):
            click.echo(str(path))


@bench.command(epilog="\b\nExample:\n  s2fs bench report paper.sqlite --out bench.html")
@_RESULTS
@click.option(
    "--out",
    type=PATH,
    default="bench.html",
    callback=check_report,
    help="The .html file to write.",
)
@_REFERENCE
@_BESIDE
def report(*, results: Path, out: Path, reference: str | None, beside: Path | None) -> None:
    """Write RESULTS as one page, with the published numbers where the experiment is the paper's."""
    from s2fs_bench import bench_report

    with _open(results, beside) as results_file:
        page = bench_report(results_file, out, title=results.name, reference=reference)
    click.echo(str(page))
