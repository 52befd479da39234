"""Where a report comes from: the data, the selector, the run, and a paragraph for a paper."""

import platform
import re
import shlex
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import scipy
import sklearn

from s2fs._utils.messages import join_words
from s2fs._utils.values import plain
from s2fs._utils.version import __version__
from s2fs.evaluation import Comparison
from s2fs.evaluation.comparison import LEARNER_NAMES, MAJORITY, percent, points
from s2fs.report._code import pipeline_code
from s2fs.report._selected import SelectedFeatures
from s2fs.report._table import Table
from s2fs.report.names import LONGEST_CLASS, label_classes, shorten_names
from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.s2fs import S2FS
from s2fs.selectors.stability import StabilitySelector

PAPER = (
    "S. Xu, C. Dai, Y. Liu, L. Shang, X. Yang, W. Pedrycz: S²FS: Spatially-Aware "
    "Separability-Driven Feature Selection in Fuzzy Decision Systems, arXiv 2509.25841, 2025."
)
#: How many features the paragraph names.
_MOST_NAMED = 12


def describe_data(table: Table) -> dict[str, Any]:
    """The shape of the table, its classes, and what is missing or constant."""
    n, m = table.values.shape
    counts = np.bincount(table.codes, minlength=len(table.classes)).tolist()
    labels = label_classes(table.classes)
    short = shorten_names(labels, LONGEST_CLASS)
    return {
        "n_samples": n,
        "n_features": m,
        "n_missing": table.n_missing,
        "n_filled": table.n_filled,
        "n_constant": table.n_constant,
        "classes": [
            {"name": name, "label": short[label], "size": size}
            for name, label, size in zip(table.classes, labels, counts, strict=True)
        ],
    }


def describe_selector(selected: SelectedFeatures, table: Table) -> dict[str, Any]:
    """Name, parameters, code and citation of the selector."""
    selector = selected.selector
    kind = type(selector).__name__
    base = selector.selector if isinstance(selector, StabilitySelector) else selector
    if isinstance(base, SelectorCV):
        base = base.selector
    is_published = isinstance(base, S2FS)
    return {
        "name": selected.name,
        "class": kind,
        "ranked": selected.is_ranked,
        "parameters": {name: plain(value) for name, value in selector.get_params().items()},
        "code": pipeline_code(selector, *table.values.shape),
        "citation": PAPER if is_published else str(getattr(selector, "citation", "")),
        "of_the_paper": is_published,
    }


def describe_run(
    table: Table, comparison: Comparison | None, n_halves: int, random_state: int
) -> dict[str, Any]:
    """Versions, seed, folds, and a digest of the data."""
    return {
        "versions": {
            "s2fs": __version__,
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "SciPy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "seed": random_state,
        "n_splits": 0 if comparison is None else comparison.n_splits,
        "n_repeats": 0 if comparison is None else comparison.n_repeats,
        "grouped": comparison is not None and comparison.is_grouped,
        "n_halves": n_halves,
        "data_sha256": table.fingerprint,
    }


def hide_folders(command: str) -> str:
    """A command line with the names of files but not of folders: those are nobody's business."""
    try:
        words = shlex.split(command)
    except ValueError:  # an open quotation mark
        words = command.split()
    return shlex.join([_without_folder(word) for word in words])


def _without_folder(word: str) -> str:
    """A word of a command line; of a path, also one behind ``--option=``, its last part."""
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    if "://" in value:  # an address: the name of the file without host, user and token
        value = re.split(r"[?#]", value)[0]
    if "/" in value:
        value = PurePosixPath(value).name or value
    if "\\" in value:
        value = PureWindowsPath(value).name or value
    return f"{option}{equals}{value}"


def methods_paragraph(summary: dict[str, Any], comparison: Comparison | None) -> str:
    """A paragraph for the methods of a paper, with the numbers filled in."""
    data, run = summary["data"], summary["run"]
    classes = data["classes"]
    labels = label_classes([one["name"] for one in classes])
    sizes = join_words(
        [f"{name}: {one['size']}" for name, one in zip(labels, classes, strict=True)]
    )
    if len(classes) > _MOST_NAMED:
        least, most = (extreme(one["size"] for one in classes) for extreme in (min, max))
        sizes = f"{least if least == most else f'{least} to {most}'} samples each"
    size = summary["recommended"]
    text = (
        f"We selected features with {summary['selector']['name']} (s2fs "
        f"{run['versions']['s2fs']}) from {data['n_features']:,} features of "
        f"{data['n_samples']:,} samples in {len(classes)} classes ({sizes})."
    )
    if comparison is not None:
        text += f" {_evaluation_sentences(comparison, run['seed'])}"
    start = summary["by_size"][summary["start"]]
    if start["stability"] is not None:
        text += (
            f" On {run['n_halves']} random halves of the samples the stability of the selection "
            f"(Nogueira's index) was {start['stability']:.2f} (95 % interval "
            f"{start['stability_low']:.2f} to {start['stability_high']:.2f})."
        )
    names = [row["name"] for row in summary["features"][:size]]
    rest = len(names) - _MOST_NAMED
    named = join_words(names) if rest <= 0 else f"{', '.join(names[:_MOST_NAMED])} and {rest} more"
    order = "in order of selection" if summary["selector"]["ranked"] else "in no order"
    return f"{text} The selected features were, {order}, {named}."


def _evaluation_sentences(comparison: Comparison, seed: int) -> str:
    """How the accuracy was estimated, and what it is beside the other rows."""
    at = comparison.recommended
    own = at.rows[0]
    learner = LEARNER_NAMES.get(comparison.learner, comparison.learner)
    groups = " that keep groups together" if comparison.is_grouped else ""
    reason, recommendation = "", comparison.recommendation
    if recommendation is not None and recommendation.still_rising:
        reason = ", the largest number tried, at which accuracy was still rising,"
    elif recommendation is not None:
        reason = ", the smallest number within one standard error of the best accuracy,"
    others = []
    for row in at.rows[1:]:
        gap = at.difference(own["selector"], row["selector"])
        name = f"the {MAJORITY}" if row["selector"] == MAJORITY else row["selector"]
        others.append(f"{percent(row['accuracy'])} % for {name} (difference {points(gap)} points)")
    n = f"{round(own['n_features'], 1):g}"
    return (
        f"Accuracy on held-out samples was estimated with {learner} by {comparison.n_repeats} × "
        f"{comparison.n_splits} stratified folds{groups} (seed {seed}); features were selected and "
        "scaled inside the training folds, and predictions were pooled inside a repeat. With "
        f"{n} feature{'' if n == '1' else 's'}{reason} it was {percent(own['accuracy'])} % (95 % "
        f"interval by Wilson {percent(own['accuracy_low'])} to {percent(own['accuracy_high'])}), "
        f"against {join_words(others)}; intervals of differences by the corrected t test of Nadeau "
        "and Bengio."
    )
