"""A ranking as columns, and as it is printed."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import s2fs
from s2fs._utils.features import Features
from s2fs._utils.messages import format_count, make_printable, truncate_middle
from s2fs._utils.short_names import shorten_names
from s2fs._utils.text_table import PAGE_WIDTH, format_number, format_table
from s2fs._utils.types import Indices
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
#: A longer name of a feature is shown without what most names end with, and cut in the middle.
_LONGEST_FEATURE = 36
_NO_LIMIT = 10_000
Table = dict[str, list[Any]]


def ranking_columns(selector: Any, names: Sequence[str], features: Features | None = None) -> Table:
    """The ranking of a fitted selector, a row for each feature.

    Parameters
    ----------
    selector : selector
        A fitted one.
    names : sequence of str
        What the feature of each column is called.
    features : Features, optional
        Which columns are one feature; by default every column is one.
    """
    features = Features(len(names)) if features is None else features
    of_row = features.of_column[selector.indices_]
    # What is said of a feature of several columns is what holds once all of them are in.
    last = np.flatnonzero(of_row != np.append(of_row[1:], -1))
    columns: Table = {
        "rank": list(range(1, len(last) + 1)),
        "feature": [names[f] for f in selector.indices_[last]],
        "score": selector.scores_[last].tolist(),
    }
    if hasattr(selector, "path_"):
        _, _, *others = selector.path_.dtype.names
        columns |= {name: selector.path_[name][last].tolist() for name in others}
        if len(last):
            columns["gain"] = np.add.reduceat(selector.path_["gain"], [0, *last[:-1] + 1]).tolist()
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
        names = _shorten(table.get("symbol", table["feature"]))
        parts = {"#": table["rank"], "feature": names, **_parts(table)}
        click.echo()
        print_table(parts)
        if data is not None and (data.levels or {}).keys() & {*table["feature"]}:
            levels = describe_levels(data, table["feature"])
            levels["AUC on these samples"] = [f"{a:.2f}" for a in levels["AUC on these samples"]]
            click.echo()
            print_table(levels, numbers=("AUC on these samples",))
    for line in lines:
        print_line(line)


#: Columns of a ranking that are text and yet numbers.
_NUMBERS = ("gain", "score", "score so far", "p")
#: What is in the first table, or nowhere but in files.
_NOT_DETAILS = (
    "rank",
    "feature",
    "symbol",
    "score",
    "gain",
    "p_value",
    "stands out",
    "AUC on these samples",
    "selected in",
)


def _shown_columns(table: Table, n_perfect: int, data: "Dataset | None") -> Table:
    """The columns of the first table: what a reader looks for."""
    names = _shorten(table.get("symbol", table["feature"]))
    shown: Table = {"#": table["rank"], "feature": names}
    if data is not None and table["feature"]:
        shown["stands out"] = [
            truncate_middle(text, _LONGEST_CLASSES) for text in table["stands out"]
        ]
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
        shown[" "] = _draw_bars(table["gain"])
    return shown


def _shorten(names: list[str]) -> list[str]:
    """The names of features as they are printed: long ones without what most of them share."""
    printable = [make_printable(name) for name in names]
    if max(map(len, printable), default=0) <= _LONGEST_FEATURE:
        return printable
    short = shorten_names(printable, _LONGEST_FEATURE)
    return [short[name] for name in printable]


def _parts(table: Table) -> Table:
    """What the criterion is made of, for ``--details``."""
    return {name: values for name, values in table.items() if name not in _NOT_DETAILS}


def _draw_bars(gains: list[float]) -> list[str]:
    """A bar for each gain, the longest for the largest; none where it is negative."""
    largest = max(gains, default=0.0)
    if not 0 < largest < math.inf:
        return ["" for _ in gains]
    return ["▇" * max(round(_BAR * gain / largest), 0) for gain in gains]


def describe_on_these_samples(data: "Dataset", columns: Indices) -> Table:
    """For some columns the classes each is high or low in, and its AUC, on all samples."""
    if not len(columns):
        return {"stands out": [], "AUC on these samples": []}
    out = find_standing_out(fill_by_medians(take_columns(data.X, None, columns)), data.y)
    level_of = data.level_of
    words = [out.in_words(i, data.class_names) for i in range(len(columns))]
    texts = [
        f"{level_of[f][1]}: {text}" if f in level_of else text
        for f, text in zip(columns.tolist(), words, strict=True)
    ]
    return {"stands out": texts, "AUC on these samples": out.auc.tolist()}


def describe_levels(data: "Dataset", names: Sequence[str]) -> Table:
    """The levels of the features that are text: a row for each, as on these samples."""
    levels = [(name, word, f) for f, (name, word) in data.level_of.items()]
    rows = [row for name in names for row in levels if row[0] == name]
    columns = np.array([f for _, _, f in rows], dtype=np.intp)
    described = describe_on_these_samples(data, columns)
    described["stands out"] = [text.split(": ", 1)[1] for text in described["stands out"]]
    return {"feature": [r[0] for r in rows], "level": [r[1] for r in rows], **described}


def count_perfect(selector: Any, scores: list[float]) -> int:
    """How many features of a path by S²FS leave no spread inside any class."""
    if not isinstance(selector, s2fs.S2FS):
        return 0
    return sum(score >= PERFECT for score in scores)
