"""A ranking as columns, and as it is printed."""

import math
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import s2fs
from s2fs._utils.messages import format_count, truncate_middle
from s2fs._utils.text_table import PAGE_WIDTH, format_number, format_table
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import print_line
from s2fs.criteria.separability import PERFECT
from s2fs.evaluation.samples import fill_by_medians, take_columns
from s2fs.evaluation.standing_out import find_standing_out

if TYPE_CHECKING:
    from s2fs.cli._select import Select
    from s2fs.io import Dataset

#: The longest bar, and the longest text on classes, in characters.
_BAR, _LONGEST_CLASSES = 8, 29
_NO_LIMIT = 10_000
Table = dict[str, list[Any]]


def ranking_columns(selector: Any, feature_names: list[str]) -> Table:
    """The ranking of a fitted selector as columns, with the features by name."""
    columns: Table = {
        "rank": list(range(1, len(selector.indices_) + 1)),
        "feature": [feature_names[f] for f in selector.indices_],
        "score": selector.scores_.tolist(),
    }
    if hasattr(selector, "path_"):
        _, _, *others = selector.path_.dtype.names
        columns |= {name: selector.path_[name].tolist() for name in others}
    return columns


def print_ranking(
    selector: Any,
    table: Table,
    lines: list[str],
    asked: "Select",
    data: "Dataset | None" = None,
) -> None:
    """Print a ranking, and below it what else there is to say.

    Parameters
    ----------
    selector : selector
        A fitted one.
    table : dict of str to list
        The ranking as columns.
    lines : list of str
        Sentences to print below it.
    asked : Select
        The options of the command, such as ``details``.
    data : Dataset, optional
        The samples, which tell in which classes a feature stands out.
    """
    n_perfect = count_perfect(selector, table["score"])
    if n_perfect:
        lines = [
            f"Constant inside every class: the first {format_count(n_perfect, 'feature')}. Classes "
            "that differ there are separated perfectly.",
            *lines,
        ]
    print_table(_shown_columns(table, n_perfect, data), numbers=_NUMBERS)
    if asked.details:
        parts = {"#": table["rank"], "feature": table["feature"], **_parts(table)}
        click.echo()
        print_table(parts)
    for line in lines:
        print_line(line)


#: Columns of a ranking that are text and yet numbers.
_NUMBERS = ("gain", "score", "score so far", "p")
#: What is in the first table, or nowhere but in files.
_NOT_DETAILS = ("rank", "feature", "score", "gain", "p_value")


def _shown_columns(table: Table, n_perfect: int, data: "Dataset | None") -> Table:
    """The columns of the first table: what a reader looks for."""
    shown: Table = {"#": table["rank"], "feature": table["feature"]}
    if data is not None and table["feature"]:
        shown["stands out"] = describe_classes(data, table["feature"])
    if "gain" in table:
        shown["gain"] = [format_number(gain) for gain in table["gain"]]
        shown["gain"][:n_perfect] = ["perfect"] * n_perfect
    heading = "score so far" if "gain" in table else "score"
    shown[heading] = [format_number(score) for score in table["score"]]
    shown[heading][:n_perfect] = ["perfect"] * n_perfect
    if "p_value" in table:
        shown["p"] = [format_number(p) for p in table["p_value"]]
    width = max(map(len, format_table(shown, _NUMBERS, width=_NO_LIMIT)))
    if "gain" in table and not n_perfect and width + 2 + _BAR <= PAGE_WIDTH:
        shown[" "] = _draw_bars(table["score"])
    return shown


def _parts(table: Table) -> Table:
    """What the criterion is made of, for ``--details``."""
    return {name: values for name, values in table.items() if name not in _NOT_DETAILS}


def _draw_bars(scores: list[float]) -> list[str]:
    """A bar for each score, the longest for the largest."""
    largest = max(scores, default=0.0)
    if not 0 < largest < math.inf:
        return ["" for _ in scores]
    return ["▇" * max(round(_BAR * score / largest), 0) for score in scores]


def describe_classes(data: "Dataset", features: list[str]) -> list[str]:
    """For each feature the classes it is high or low in."""
    position = {name: f for f, name in enumerate(data.feature_names)}
    selected = np.array([position[name] for name in features])
    columns = fill_by_medians(take_columns(data.X, None, selected))
    result = find_standing_out(columns, data.y)
    words = [result.in_words(f, data.class_names) for f in range(len(features))]
    return [truncate_middle(text, _LONGEST_CLASSES) for text in words]


def count_perfect(selector: Any, scores: list[float]) -> int:
    """How many features of a path by S²FS leave no spread inside any class."""
    if not isinstance(selector, s2fs.S2FS):
        return 0
    return sum(score >= PERFECT for score in scores)
