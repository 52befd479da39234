"""The paper's figures from the results of a bench."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from s2fs import S2FS
from s2fs._utils.files import write_atomic
from s2fs._utils.messages import did_you_mean
from s2fs.evaluation import Curve
from s2fs.plotting import plot_distance_and_direction, plot_faces
from s2fs.plotting.style import FONT_SIZE, panel_grid
from s2fs_bench.curve_plots import plot_curve_panels
from s2fs_bench.learners.registry import LEARNER_TITLES, score_name
from s2fs_bench.paper.datasets import PAPER_DATASETS, find_dataset, load_dataset
from s2fs_bench.plots import (
    plot_critical_difference,
    plot_sensitivity,
    plot_spread,
)
from s2fs_bench.ranks import compare_ranks
from s2fs_bench.results import Result, ResultsFile, setting_folders
from s2fs_bench.tables import DEFAULT_WEIGHTS, STATUS_SIGNS, Column, Table, build_tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
#: The variants of the criterion, as the plan of that name calls them.
VARIANTS = {
    "S2FS": "S²FS",
    "S2-DWC": "S²–DWC",
    "S2-DBS": "S²–DBS",
    "S2-DWC-DBS": "S²–DWC–DBS",
}
#: How many pixels the figures of faces show at most.
N_PIXELS = 150

#: Alpha and beta, or None for a selector that has none.
Weighting = tuple[float, float] | None


#: The figures one can choose from, and what each shows.
KINDS = {
    "geometry": "distance and direction, Fig. 1",
    "curves": "scores over the number of features",
    "critical-difference": "average ranks with the Nemenyi test",
    "sensitivity": "maps of the weights",
    "variants": "the criterion and its variants",
    "pixels": "selected pixels on faces",
}


def write_figures(
    results_file: ResultsFile,
    folder: str | PathLike[str],
    *,
    reference: str | None = None,
    kinds: Collection[str] | None = None,
    formats: Collection[str] = FORMATS,
) -> list[Path]:
    """Draw figures from the results.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the results are.
    folder : str or path-like
        Where to put the figures; results that differ in protocol, folds or sizes get a folder of
        their own, as their tables do.
    reference : str, optional
        The selector that is highlighted; by default the first of the plan.
    kinds : collection of str, optional
        Some of "geometry", "curves", "critical-difference", "sensitivity", "variants" and
        "pixels"; by default all that the results allow, "geometry" and "pixels" only for S²FS.
    formats : collection of {"svg", "pdf", "png"}, default=all
        The files to write of each figure.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs_bench import Ledger, load_plan, run_plan, write_figures
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = run_plan(plan, folder / "quick.sqlite")
    >>> with Ledger(folder / "quick.sqlite") as ledger:
    ...     paths = write_figures(ledger, folder, kinds=["curves"], formats=["svg"])
    >>> [path.name for path in paths]
    ['curves-knn.svg']
    """
    _check_known("kinds", kinds or (), KINDS)
    _check_known("formats", formats, FORMATS)
    written = []
    for place, group in setting_folders(results_file, folder):
        for stem, figure in bench_figures(group, reference, kinds):
            for suffix in formats:
                path = place / f"{stem}.{suffix}"
                # Without a date the same results give the same file.
                date = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(suffix)
                buffer = BytesIO()
                figure.savefig(buffer, format=suffix, dpi=200, metadata=date)
                write_atomic(path, buffer.getvalue())
                written.append(path)
    if not written:
        raise ValueError(
            f"{results_file.path} allows none of the figures {', '.join(kinds or KINDS)}: a "
            "critical-difference diagram needs two datasets and two selectors, a map a grid of "
            "weightings, pixels a dataset of faces."
        )
    return written


def _check_known(name: str, given: Iterable[str], known: Iterable[str]) -> None:
    for word in given:
        if word not in known:
            raise ValueError(
                f"{name} has {word!r}{did_you_mean(word, known)}; choose from {', '.join(known)}."
            )


def bench_figures(
    group: Sequence[Result], reference: str | None = None, kinds: Collection[str] | None = None
) -> "Iterator[tuple[str, Figure]]":
    """The figures that results of one setting allow, each with a name for its file."""
    wanted = KINDS if kinds is None else kinds
    tables = build_tables(group)
    first = tables[0].columns[tables[0].compared(reference=reference)[0]].algorithm
    of_paper = kinds is not None or any(result.selector.method == "S2FS" for result in group)
    if "geometry" in wanted and of_paper:
        yield "distance-and-direction", plot_distance_and_direction()
    for learner in dict.fromkeys(table.learner for table in tables):
        if "curves" in wanted:
            table = next(t for t in tables if (t.learner, t.statistic) == (learner, "ave"))
            lines = curve_lines(table)
            weights = best_weights(group, learner)
            panels = name_weights(curve_panels(group, learner, lines), weights)
            above = "α and β of the best average" if weights else ""
            notes = (LEARNER_TITLES[learner], above, sign_note(table), missing_note(group))
            note = "; ".join(filter(None, notes))
            yield (
                f"curves-{learner}",
                plot_curve_panels(
                    panels,
                    highlight=first,
                    labels={name: column.label for name, column in lines.items()},
                    dashed=[name for name, column in lines.items() if column.is_tuned],
                    note=note,
                ),
            )
        if "sensitivity" in wanted and (figure := _sensitivity(group, learner)) is not None:
            yield f"sensitivity-{learner}", figure
        if "variants" in wanted and (figure := _variants(group, learner)) is not None:
            yield f"variants-{learner}", figure
    if "critical-difference" in wanted:
        for table in tables:
            if (figure := critical_difference(table, reference)) is not None:
                yield f"critical-difference-{table.learner}-{table.statistic}", figure
    if "pixels" in wanted and of_paper:
        for name in dict.fromkeys(result.run.dataset for result in group):
            if (figure := _faces(name)) is not None:
                yield f"pixels-{name}", figure


def curve_lines(table: Table) -> dict[str, Column]:
    """The columns that curves show, by the names of their lines.

    The one that competes goes by its algorithm's name, which has a look of its own in all figures.
    """
    compared = table.compared()
    return {
        column.algorithm if j in compared else column.label: column
        for j, column in enumerate(table.columns)
    }


def curve_panels(
    group: Iterable[Result], learner: str, lines: Mapping[str, Column]
) -> dict[str, dict[str, Curve]]:
    """For each dataset the curves by the names of lines; of a grid, the best average's too."""
    name_of: dict[tuple[str, str], str] = {
        (column.algorithm, column.how): name for name, column in lines.items()
    }
    panels: dict[str, dict[str, Curve]] = {}
    for (dataset, algorithm, how, weights), curve in _average_curves(group, learner).items():
        ways = [how]
        if how == "grid":
            ways = ["best", "default"] if weights == DEFAULT_WEIGHTS else ["best"]
        for way in ways:
            if (algorithm, way) not in name_of:
                continue
            name, panel = name_of[algorithm, way], panels.setdefault(dataset, {})
            if name not in panel or curve.ave > panel[name].ave:
                panel[name] = curve
    order = list(lines)
    return {
        title: dict(sorted(panel.items(), key=lambda item: order.index(item[0])))
        for title, panel in panels.items()
    }


def best_weights(group: Iterable[Result], learner: str) -> dict[str, tuple[float, float]]:
    """For each dataset the weighting of S²FS with the best average, chosen on the test results."""
    best: dict[str, tuple[float, tuple[float, float]]] = {}
    for (dataset, algorithm, how, weights), curve in _average_curves(group, learner).items():
        is_better = dataset not in best or curve.ave > best[dataset][0]
        if algorithm == "S2FS" and how == "grid" and weights is not None and is_better:
            best[dataset] = curve.ave, weights
    return {dataset: weights for dataset, (_, weights) in best.items()}


def name_weights(
    panels: Mapping[str, dict[str, Curve]], weights: Mapping[str, tuple[float, float]]
) -> dict[str, dict[str, Curve]]:
    """The panels with the best α and β in their titles, as the paper's figures have them."""
    named = {}
    for title, panel in panels.items():
        if title in weights:
            alpha, beta = weights[title]
            title = f"{title}: α = {alpha:g}, β = {beta:g}"
        named[title] = panel
    return named


def missing_note(group: Iterable[Result]) -> str:
    """Which datasets of the paper have no results, where most of them have."""
    with_results = {result.run.dataset for result in group}
    missing = [info.title for name, info in PAPER_DATASETS.items() if name not in with_results]
    if not missing or len(missing) > len(PAPER_DATASETS) / 2:
        return ""
    return f"no results for {', '.join(missing)}"


def _missing_sentence(group: Iterable[Result]) -> str:
    """The same behind other sentences; names keep their capitals."""
    note = missing_note(group)
    return f" {note[0].upper()}{note[1:]}." if note else ""


def critical_difference(table: Table, reference: str | None = None) -> "Figure | None":
    """The diagram of one table, if it has two datasets and two algorithms."""
    comparison = next(compare_ranks(table, reference), None)
    if comparison is None:
        return None
    # A long name would leave no room for the axis: the title says how weights were set.
    labels = {column.algorithm: column.name for column in comparison.columns}
    title = LEARNER_TITLES[table.learner]
    what = f"{title}, {table.statistic.title()}, {comparison.n_datasets} datasets"
    weightings = [f"{c.name}: {c.weighting}" for c in comparison.columns if c.weighting]
    ax = plot_critical_difference(
        comparison.nemenyi, labels=labels, highlight=comparison.columns[0].algorithm
    )
    note = "\n".join([what, *weightings, *filter(None, sign_note(table).split("; "))])
    ax.set_title(note, fontsize=FONT_SIZE)
    return ax.figure  # type: ignore[return-value]


def sign_note(table: Table) -> str:
    """What the signs behind the names of algorithms mean, and whether the scores are leaky."""
    shown = {column.status for column in table.columns}
    parts = [f"{sign} {status}" for status, sign in STATUS_SIGNS.items() if status in shown]
    if table.leaky:
        parts.append("leaky: selected before the split")
    return "; ".join(parts)


def _average_curves(
    group: Iterable[Result], learner: str
) -> dict[tuple[str, str, str, Weighting], Curve]:
    """The curve of each dataset, algorithm and weighting, averaged over the seeds."""
    by_seed: dict[tuple[str, str, str, Weighting], dict[int, Curve]] = {}
    for result in group:
        if learner in result.curves:
            key = (result.run.dataset_title, result.selector.name, result.how, result.weights)
            by_seed.setdefault(key, {})[result.run.seed] = result.curves[learner]
    return {key: _average_curve(list(curves.values())) for key, curves in by_seed.items()}


def _average_curve(curves: Sequence[Curve]) -> Curve:
    first = curves[0]
    values = np.mean([curve.values for curve in curves], axis=0)
    return Curve(first.learner, first.sizes, {next(iter(first.scores)): values})


def _sensitivity(group: Sequence[Result], learner: str) -> "Figure | None":
    grids: dict[str, dict[tuple[float, float], float]] = {}
    for (dataset, algorithm, how, weights), curve in _average_curves(group, learner).items():
        if algorithm == "S2FS" and how == "grid" and weights is not None:
            grids.setdefault(dataset, {})[weights] = curve.ave
    # A map needs more than one value of each weight.
    grids = {
        title: grid
        for title, grid in grids.items()
        if min(len(set(values)) for values in zip(*grid, strict=True)) > 1
    }
    if not grids:
        return None
    figure, axes = panel_grid(len(grids))
    every = [score for grid in grids.values() for score in grid.values()]
    for ax, (title, grid) in zip(axes, grids.items(), strict=True):
        alphas, betas = (sorted(set(values)) for values in zip(*grid, strict=True))
        scores = [[grid.get((a, b), np.nan) for b in betas] for a in alphas]
        plot_sensitivity(
            scores,
            alphas=alphas,
            betas=betas,
            label=_average_label(learner, group[0].run.score),
            limits=(min(every), max(every)),  # one scale for all panels
            title=title,
            ax=ax,
        )
    figure.supxlabel(
        f"{LEARNER_TITLES[learner]}. Star: the best weighting, chosen on the test results. Box: "
        f"what the paper recommends.{_missing_sentence(group)}",
        fontsize=FONT_SIZE,
    )
    return figure


def _variants(group: Sequence[Result], learner: str) -> "Figure | None":
    """The criterion and its variants: a panel for each dataset, a point for each weighting."""
    scores: dict[str, dict[str, list[float]]] = {}
    for (dataset, algorithm, how, weights), curve in _average_curves(group, learner).items():
        if algorithm in VARIANTS and how == "grid" and weights is not None:
            scores.setdefault(dataset, {}).setdefault(algorithm, []).append(curve.ave)
    complete = {name: of for name, of in scores.items() if set(of) == set(VARIANTS)}
    if not complete:
        return None
    figure, axes = panel_grid(len(complete))
    for ax, (dataset, of) in zip(axes, complete.items(), strict=True):
        plot_spread(
            {VARIANTS[name]: of[name] for name in VARIANTS},
            label=_average_label(learner, group[0].run.score),
            title=dataset,
            ax=ax,
        )
    first = next(iter(complete.values()))
    counts = ", ".join(f"{VARIANTS[name]} {len(first[name])}" for name in VARIANTS)
    figure.supxlabel(
        f"{LEARNER_TITLES[learner]}. Points: all weightings that were run ({counts}); bar: their "
        f"median.{_missing_sentence(group)}",
        fontsize=FONT_SIZE,
    )
    return figure


def _average_label(learner: str, score: str) -> str:
    return f"average {'NMI' if learner == 'kmeans' else score_name(learner, score)}"


def _faces(name: str) -> "Figure | None":
    """The pixels that S²FS selects on all pictures of a dataset that is at hand."""
    info = PAPER_DATASETS.get(name)
    if info is None or info.image_shape is None or find_dataset(name) is None:
        return None
    data, selector = load_dataset(name), S2FS(N_PIXELS)
    figure = plot_faces(
        data.X,
        data.y + 1,
        selector.fit(data.X, data.y).indices_,
        info.image_shape,
        image_order=info.image_order or "C",
    )
    figure.suptitle(
        f"{info.title}: pixels that S²FS selects on all samples, α = {selector.alpha:g}, "
        f"β = {selector.beta:g}, z-scores",
        fontsize=FONT_SIZE + 1,
    )
    return figure
