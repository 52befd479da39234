"""``s2fs score`` at work."""

import csv
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from s2fs import S2FS, components
from s2fs._utils.folds import stratified_folds
from s2fs._utils.types import Floats
from s2fs.cli._score import Score
from s2fs.cli.command import arguments_of
from s2fs.cli.data import read_data
from s2fs.cli.features import find_features, list_features
from s2fs.cli.methods import name_scale
from s2fs.cli.tables import print_table
from s2fs.criteria.problem import Problem

if TYPE_CHECKING:
    from s2fs.io import Dataset


def run(asked: Score) -> None:
    """Score the features that were asked for."""
    table = read_data(asked.data, keeps_small_classes=True)
    wanted = [name.strip() for name in next(csv.reader([asked.features]))]
    features = find_features(table, wanted, "features", asked.data.file)
    selected = [f for columns in features for f in columns]
    # The selector's own scaling, so that a subset scores here what it scored when selected.
    criterion = {"scale": name_scale(asked.scale, default="standard")}
    criterion |= {n: value for n, value in arguments_of(asked.weights).items() if value is not None}
    weights = S2FS(**criterion)
    problem = Problem(table.X, table.y, criterion["scale"])
    columns = problem.columns(np.array(selected)).T * problem.unit
    parts = components(columns, table.y)
    print_table(
        {
            "n_features": [len(features)],
            "sep": [float(parts.separability(weights.alpha, weights.beta))],
            **{name: [value] for name, value in parts._asdict().items()},
        }
    )
    if asked.check:
        _show_confusion(columns, table)
        _show_next(features, table, criterion)


def _show_confusion(columns: Floats, table: "Dataset") -> None:
    """Print the confusion matrix of held-out samples."""
    folds = list(stratified_folds(table.y, 5))
    learner = KNeighborsClassifier(5)
    predicted = cross_val_predict(learner, columns, table.y, cv=folds)
    counts = confusion_matrix(table.y, predicted, labels=np.arange(len(table.class_names)))
    names = [str(name) for name in table.class_names]
    click.echo("\nHow the samples of each class are classified when they are left out:\n")
    print_table(
        {
            "class": names,
            **{f"as {name}": column.tolist() for name, column in zip(names, counts.T, strict=True)},
            "right": [f"{share:.0%}" for share in counts.diagonal() / counts.sum(axis=1)],
        }
    )
    right, most = (predicted == table.y).mean(), np.bincount(table.y).max() / len(table.y)
    click.echo(
        f"\n{right:.1%} of the samples are right, each predicted from other folds; guessing "
        f"the largest class would get {most:.1%}. This is too good if the features were selected "
        "on these samples."
    )


def _show_next(selected: list[list[int]], table: "Dataset", criterion: dict[str, Any]) -> None:
    """Print what adding one more feature, or dropping one, does to the criterion."""
    alone = {columns[0] for columns in selected if len(columns) == 1}  # maybe a single level
    groups = [group for group in table.feature_groups or () if alone.isdisjoint(group)]

    def fit_including(features: list[list[int]], k: int) -> S2FS:
        first = [columns[0] for columns in features]
        selector = S2FS(k, include=first, feature_groups=groups or None, **criterion)
        return selector.fit(table.named_X(), table.y)

    names, lines = table.columns, []
    if len(selected) < list_features(table)[0].n:
        joined = fit_including(selected, len(selected) + 1)
        lines.append(("add", names[joined.indices_[-1]], float(joined.scores_[-1])))
    if len(selected) > 1:
        sep_without = []
        for i in range(len(selected)):
            others = selected[:i] + selected[i + 1 :]
            sep_without.append(float(fit_including(others, len(others)).scores_[-1]))
        least = int(np.argmax(sep_without))
        lines.append(("drop", names[selected[least][0]], sep_without[least]))
    if lines:
        click.echo("\nWhat keeps the criterion highest next:\n")
        changes, features, seps = (list(column) for column in zip(*lines, strict=True))
        print_table({"change": changes, "feature": features, "sep": seps})
