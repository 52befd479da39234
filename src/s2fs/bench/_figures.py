"""The paper's figures from the results of a bench."""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from s2fs import S2FS
from s2fs._util.files import write_whole
from s2fs.bench._datasets import PAPER_DATASETS, find_dataset, load_dataset
from s2fs.bench._learners import LEARNER_TITLES
from s2fs.bench._plots import (
    RECOMMENDED,
    plot_critical_difference,
    plot_sensitivity,
    plot_variants,
)
from s2fs.bench._ranks import compare_ranks
from s2fs.bench._results import Result, ResultsFile, setting_folders
from s2fs.bench._tables import STATUS_SIGNS, Column, Table, build_tables
from s2fs.evaluation import Curve
from s2fs.plotting import plot_curve_panels, plot_distance_and_direction, plot_faces
from s2fs.plotting.style import FONT_SIZE, panel_grid

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

Pair = tuple[float, float] | None


def write_figures(results_file: ResultsFile, folder: str | PathLike[str]) -> list[Path]:
    """Draw the paper's figures from the results, each as SVG, PDF and PNG.

    Parameters
    ----------
    results_file : Ledger or Archive
        Where the results are.
    folder : str or path-like
        Where to put the figures; results that differ in protocol, folds or sizes get a folder of
        their own, as their tables do.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs.bench import Ledger, load_plan, run_plan, write_figures
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = run_plan(plan, folder / "quick.sqlite")
    >>> with Ledger(folder / "quick.sqlite") as ledger:
    ...     sorted({path.suffix for path in write_figures(ledger, folder)})
    ['.pdf', '.png', '.svg']
    """
    written = []
    for place, alike in setting_folders(results_file, folder):
        for stem, figure in bench_figures(alike):
            for suffix in FORMATS:
                path = place / f"{stem}.{suffix}"
                # Without a date the same results give the same file.
                date = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(suffix)
                buffer = BytesIO()
                figure.savefig(buffer, format=suffix, dpi=200, metadata=date)
                write_whole(path, buffer.getvalue())
                written.append(path)
    return written


def bench_figures(alike: Sequence[Result]) -> "Iterator[tuple[str, Figure]]":
    """All figures that results obtained alike allow, each with a name for its file."""
    yield "distance-and-direction", plot_distance_and_direction()
    tables = build_tables(alike)
    for learner in dict.fromkeys(table.learner for table in tables):
        table = next(t for t in tables if (t.learner, t.statistic) == (learner, "ave"))
        columns = [table.columns[j] for j in table.compared()]
        panels = curve_panels(alike, learner, columns)
        labels = {column.algorithm: column.heading for column in columns}
        note = "; ".join(filter(None, (LEARNER_TITLES[learner], sign_note(table))))
        yield f"curves-{learner}", plot_curve_panels(panels, labels=labels, note=note)
        if (sensitivity := _sensitivity(alike, learner)) is not None:
            yield f"sensitivity-{learner}", sensitivity
        if (variants := _variants(alike, learner)) is not None:
            yield f"variants-{learner}", variants
    for table in tables:
        if (figure := critical_difference(table)) is not None:
            yield f"critical-difference-{table.learner}-{table.statistic}", figure
    for name in dict.fromkeys(result.run.dataset for result in alike):
        if (faces := _faces(name)) is not None:
            yield f"pixels-{name}", faces


def curve_panels(
    alike: Iterable[Result], learner: str, columns: Sequence[Column]
) -> dict[str, dict[str, Curve]]:
    """For each dataset the curve of each algorithm; of a grid, that with the best average."""
    panels: dict[str, dict[str, Curve]] = {}
    how_of = {column.algorithm: column.how for column in columns}
    for (dataset, algorithm, how, _), curve in _mean_curves(alike, learner).items():
        if how_of.get(algorithm) == ("best" if how == "grid" else how):
            panel = panels.setdefault(dataset, {})
            if algorithm not in panel or curve.ave > panel[algorithm].ave:
                panel[algorithm] = curve
    order = list(how_of)
    return {
        title: dict(sorted(panel.items(), key=lambda item: order.index(item[0])))
        for title, panel in panels.items()
    }


def critical_difference(table: Table) -> "Figure | None":
    """The diagram of one table, if it has two datasets and two algorithms."""
    comparison = next(compare_ranks(table), None)
    if comparison is None:
        return None
    labels = {column.algorithm: column.heading for column in comparison.columns}
    title = LEARNER_TITLES[table.learner]
    what = f"{title}, {table.statistic.title()}, {comparison.n_datasets} datasets"
    ax = plot_critical_difference(comparison.nemenyi, labels=labels)
    note = "\n".join(filter(None, (what, sign_note(table))))
    ax.set_title(note, fontsize=FONT_SIZE + 1)
    return ax.figure  # type: ignore[return-value]


def sign_note(table: Table) -> str:
    """What the signs behind the names of algorithms mean, and whether the scores are leaky."""
    shown = {column.status for column in table.columns}
    parts = [
        f"{sign} {status}" for status, sign in STATUS_SIGNS.items() if status and status in shown
    ]
    if table.leaky:
        parts.append("leaky: selected before the split")
    return "; ".join(parts)


def _mean_curves(alike: Iterable[Result], learner: str) -> dict[tuple[str, str, str, Pair], Curve]:
    """The curve of each dataset, algorithm and pair of weights, averaged over the seeds."""
    by_seed: dict[tuple[str, str, str, Pair], dict[int, Curve]] = {}
    for result in alike:
        if learner in result.curves:
            key = (result.run.dataset_title, result.selector.name, result.how, result.weights)
            by_seed.setdefault(key, {})[result.run.seed] = result.curves[learner]
    return {key: _mean(list(curves.values())) for key, curves in by_seed.items()}


def _mean(curves: Sequence[Curve]) -> Curve:
    first = curves[0]
    values = np.mean([curve.values for curve in curves], axis=0)
    return Curve(first.learner, first.sizes, {next(iter(first.scores)): values})


def _sensitivity(alike: Iterable[Result], learner: str) -> "Figure | None":
    grids: dict[str, dict[tuple[float, float], float]] = {}
    for (dataset, algorithm, how, weights), curve in _mean_curves(alike, learner).items():
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
    for ax, (title, grid) in zip(axes, grids.items(), strict=True):
        alphas, betas = (sorted(set(values)) for values in zip(*grid, strict=True))
        scores = [[grid.get((a, b), np.nan) for b in betas] for a in alphas]
        plot_sensitivity(
            scores, alphas=alphas, betas=betas, label=_average_label(learner), title=title, ax=ax
        )
    return figure


def _variants(alike: Iterable[Result], learner: str) -> "Figure | None":
    """The criterion and its variants, each with its best weights in the recommended region."""
    best: dict[str, dict[str, float]] = {name: {} for name in VARIANTS}
    for (dataset, algorithm, how, weights), curve in _mean_curves(alike, learner).items():
        if algorithm in best and how == "grid" and weights is not None:
            inside = [w == 0 or RECOMMENDED[0] <= w <= RECOMMENDED[1] for w in weights]
            if all(inside):
                of = best[algorithm]
                of[dataset] = max(of.get(dataset, -np.inf), curve.ave)
    datasets = sorted(set.intersection(*(set(scores) for scores in best.values())))
    if not datasets:
        return None
    ax = plot_variants(
        {VARIANTS[name]: [scores[d] for d in datasets] for name, scores in best.items()},
        label=_average_label(learner),
        title=LEARNER_TITLES[learner],
    )
    return ax.figure  # type: ignore[return-value]


def _average_label(learner: str) -> str:
    return f"average {'NMI' if learner == 'kmeans' else 'accuracy'}"


def _faces(name: str) -> "Figure | None":
    """The pixels that S²FS selects on all pictures of a dataset that is at hand."""
    info = PAPER_DATASETS.get(name)
    if info is None or info.image_shape is None or find_dataset(name) is None:
        return None
    data = load_dataset(name)
    return plot_faces(
        data.X,
        data.y + 1,
        S2FS(N_PIXELS).fit(data.X, data.y).indices_,
        info.image_shape,
        image_order=info.image_order or "C",
    )
