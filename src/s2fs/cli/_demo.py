"""``s2fs demo``: what the package does, on data that comes with it."""

from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from s2fs import S2FS, PairCover
from s2fs.baselines import AnovaF
from s2fs.cli._select import ranking_columns
from s2fs.cli._shared import note, print_table, report_option
from s2fs.datasets import load_srbct
from s2fs.report import Origin, Report

#: How many genes the accuracies are for; the larger number is selected.
FEW_AND_MORE = (5, 20)
N_SELECTED = FEW_AND_MORE[-1]
N_RANDOM_DRAWS = 10


@click.command(epilog="\b\nExample:\n  s2fs demo")
@report_option(default="srbct-report.html", help="Where to write the page to look at.")
def demo(*, report: Path) -> None:
    """Select 20 of 2308 genes that tell four childhood tumours apart.

    Shows the ranking, and how well 5 nearest neighbours do with 5 and 20 genes that S²FS, PairCover
    or ANOVA F select, with genes at random and with all genes, by 10-fold cross-validation. Genes
    are selected inside the folds: the samples a fold is tested on have no part in the selection.
    Ends by writing a page to look at in a browser.
    """
    start = perf_counter()
    data = load_srbct()
    n, m = data.X.shape
    click.echo(
        f"SRBCT (Khan et al. 2001): {n} samples, {m} genes, classes {', '.join(data.class_names)}\n"
    )
    before = perf_counter()
    selector = S2FS(N_SELECTED).fit(data.X, data.y)
    seconds = perf_counter() - before
    click.echo(f"The {N_SELECTED} genes S²FS selects on all samples:\n")
    table = ranking_columns(selector, data.feature_names)
    print_table({name: table[name] for name in ("rank", "feature", "score", "gain")})

    note("Selecting and predicting in 10 folds, five times for each number of genes …")
    columns = {f"{k} genes": _accuracies(data.X, data.y, k) for k in FEW_AND_MORE}
    click.echo("\nAccuracy of 5 nearest neighbours, 10-fold cross-validation:\n")
    print_table(
        {
            "genes": [
                "selected by S²FS, inside the folds",
                "selected by PairCover, inside the folds",
                "selected by ANOVA F, inside the folds",
                f"at random, mean of {N_RANDOM_DRAWS} draws",
                f"all {m}",
            ],
            **{
                name: [*(f"{accuracy:.1%}" for accuracy in accuracies), everything]
                for everything in [f"{_accuracy(data.X, data.y):.1%}"]
                for name, accuracies in columns.items()
            },
        }
    )
    note("Writing the report …")
    title = "SRBCT: genes that tell four childhood tumours apart"
    origin = Origin(command="s2fs demo", seconds=seconds)
    Report(selector, data, title=title, origin=origin).save(report)
    click.echo(f"\nTook {perf_counter() - start:.1f} s.")
    click.echo(f"Open the report in a browser: {report.resolve()}")
    click.echo("Your own data: s2fs select FILE --target COLUMN -k 20   (see s2fs select --help)")


def _accuracies(X: Any, y: Any, k: int) -> list[float]:
    """The accuracy with ``k`` genes: by S²FS, PairCover and ANOVA F, and of genes at random."""
    rng = np.random.default_rng(0)
    draws = [rng.choice(X.shape[1], k, replace=False) for _ in range(N_RANDOM_DRAWS)]
    selected = [_accuracy(X, y, selector) for selector in (S2FS(k), PairCover(k), AnovaF(k))]
    return [*selected, float(np.mean([_accuracy(X[:, genes], y) for genes in draws]))]


def _accuracy(X: Any, y: Any, *selection: Any) -> float:
    """Share of the samples that is right when each is predicted in the fold it is left out of."""
    model = make_pipeline(MinMaxScaler(), *selection, KNeighborsClassifier(5))
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return float((cross_val_predict(model, X, y, cv=folds) == y).mean())
