"""Where a report comes from: the data, the selector, the run, and a paragraph for a paper."""

import platform
import re
import shlex
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.utils.validation import has_fit_parameter

from s2fs._utils.messages import format_count as format_whole
from s2fs._utils.messages import join_words
from s2fs._utils.short_names import shorten_names
from s2fs._utils.values import plain
from s2fs._utils.version import __version__
from s2fs.criteria.covariates import covariate_columns
from s2fs.evaluation import Comparison, ComparisonRow
from s2fs.evaluation.comparison import LEARNER_NAMES, MAJORITY, format_count
from s2fs.report._code import pipeline_code
from s2fs.report._selected import SelectedFeatures
from s2fs.report._table import Table
from s2fs.report.names import LONGEST_CLASS, label_classes
from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.s2fs import S2FS
from s2fs.selectors.stability import StabilitySelector

PAPER = (
    "S. Xu, C. Dai, Y. Liu, L. Shang, X. Yang, W. Pedrycz: S²FS: Spatially-Aware "
    "Separability-Driven Feature Selection in Fuzzy Decision Systems, arXiv 2509.25841, 2025."
)
#: What groups are called by the names that their columns often have.
_PLURALS = {
    "animal": "animals", "case": "cases", "donor": "donors", "family": "families",
    "individual": "individuals", "mouse": "mice", "participant": "participants",
    "patient": "patients", "person": "persons", "plate": "plates", "site": "sites",
    "subject": "subjects",
}  # fmt: skip
#: How many features the paragraph names.
_MOST_NAMED = 12


def describe_data(table: Table, group_name: str = "") -> dict[str, Any]:
    """The shape of the table, its classes, and what is missing or constant."""
    n = len(table.codes)
    counts = np.bincount(table.codes, minlength=len(table.classes)).tolist()
    labels = label_classes(table.classes)
    short = shorten_names(labels, LONGEST_CLASS)
    return {
        "n_samples": n,
        "samples_text": _count_samples(table, group_name),
        "n_features": table.layout.n,
        "n_missing": table.n_missing,
        "n_filled": table.n_filled,
        "missing_text": _describe_missing(table),
        "n_constant": table.n_constant,
        "classes": [
            {"name": name, "label": short[label], "size": size}
            for name, label, size in zip(table.classes, labels, counts, strict=True)
        ],
    }


def _count_samples(table: Table, group_name: str) -> str:
    """How many samples there are, and of how many groups."""
    samples = format_whole(len(table.codes), "sample")
    if table.groups is None:
        return samples
    n, name = len(np.unique(np.asarray(table.groups, dtype=str))), group_name or table.group_name
    plural = _PLURALS.get(re.sub(r"[ _-]?id$", "", name.lower()))
    if plural is None:
        return f"{samples} of {format_whole(n, 'group')}{f' ({name})' if name else ''}"
    return f"{samples} of {n:,} {plural}"


def _describe_missing(table: Table) -> str:
    """Which share of the values is missing; nothing if none is."""
    n_missing = max(table.n_missing, table.n_filled)
    if not n_missing:
        return ""
    share = 100 * n_missing / (table.values.shape[0] * table.values.shape[1])
    text = f"{share:.2g}" if share >= 0.01 else "less than 0.01"
    return f"{text} % of the values missing"


def describe_selector(selected: SelectedFeatures, table: Table) -> dict[str, Any]:
    """Name, parameters, code and citation of the selector."""
    selector, (n, m) = selected.selector, table.values.shape
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
        "code": pipeline_code(
            selector, n, m, given=_list_given(selector, table), imputer=table.imputer
        ),
        "citation": PAPER if is_published else str(getattr(selector, "citation", "")),
        "of_the_paper": is_published,
    }


def _list_given(selector: Any, table: Table) -> dict[str, str]:
    """What a selector was fitted with beside the classes, and what each of it is."""
    given = {}
    if table.sample_weight is not None:
        given["sample_weight"] = "a weight of each sample"
    if table.covariates is not None:
        names = covariate_columns(table.covariates, len(table.codes)).dtype.names
        given["covariates"] = f"a table of {join_words(list(names or ()))}"
    if table.groups is not None:
        given["groups"] = "what each sample belongs to"
    return {name: what for name, what in given.items() if has_fit_parameter(selector, name)}


def describe_run(table: Table, comparison: Comparison | None, random_state: int) -> dict[str, Any]:
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
        "n_folds": 0 if comparison is None else _count_folds(comparison),
        "learner": "" if comparison is None else name_learner(comparison),
        "setting": "" if comparison is None else _name_setting(comparison),
        "groups": None if comparison is None else comparison.group_name or None,
        "covariates": [] if comparison is None else list(comparison.covariate_names),
        "data_sha256": table.fingerprint,
    }


def _name_setting(comparison: Comparison) -> str:
    """What the selection is adjusted for, if anything."""
    names = list(comparison.covariate_names)
    return f"adjusted for {join_words(names)}" if names else ""


def _count_folds(comparison: Comparison) -> int:
    return len(comparison.selected[comparison.rows[0].selector])


def name_learner(comparison: Comparison) -> str:
    """What the learner of a comparison is called."""
    return LEARNER_NAMES.get(comparison.learner, comparison.learner)


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
    text = (
        f"We selected features with {summary['selector']['name']} (s2fs "
        f"{run['versions']['s2fs']}) from {data['n_features']:,} features of "
        f"{data['samples_text']} in {len(classes)} classes ({sizes})."
    )
    if comparison is not None:
        text += f" {_evaluation_sentences(comparison, run['seed'])}"
    start = summary["by_size"][summary["start"]]
    if start["stability"] is not None:
        text += (
            f" The stability of the selections inside the folds (Nogueira's index) was "
            f"{start['stability_text']}."
        )
    names = [row["name"] for row in summary["features"]]
    rest = len(names) - _MOST_NAMED
    named = join_words(names) if rest <= 0 else f"{', '.join(names[:_MOST_NAMED])} and {rest} more"
    if len(names) == 1:
        return f"{text} The selected feature was {named}."
    order = "in order of selection" if summary["selector"]["ranked"] else "in no order"
    return f"{text} The selected features were, {order}, {named}."


def _evaluation_sentences(comparison: Comparison, seed: int) -> str:
    """How the metric of the verdict was estimated, and what it is beside the other rows."""
    metric, own = comparison.metric, comparison.rows[0]
    groups = ""
    if comparison.is_grouped:
        of = f" ({comparison.group_name})" if comparison.group_name else ""
        groups = f" that keep groups{of} together"
    adjusted = ""
    if comparison.covariate_names:
        adjusted = f", adjusted for {join_words(list(comparison.covariate_names))},"
    others = []
    for row in comparison.rows[1:]:
        value = metric.write(row.scores[metric.key].value)
        if row.selector == MAJORITY:
            others.append(f"{value} by {metric.guess_name}")
            continue
        gap = comparison.difference(own.selector, row.selector)
        unit = " points" if metric.unit else ""
        told = f" (difference {metric.write_difference(gap)}{unit})"
        others.append(f"{value} for {row.selector}{told if comparison.has_intervals else ''}")
    n = format_count(own.n_features)
    return (
        f"{metric.name[0].upper()}{metric.name[1:]} on held-out samples was estimated with "
        f"{name_learner(comparison)} by {comparison.n_repeats} × {comparison.n_splits} stratified "
        f"folds{groups} (seed {seed}); features were selected{adjusted} and standardised inside "
        "the training folds, and predictions were pooled inside a repeat. With "
        f"{n} feature{'' if n == '1' else 's'} it was {write_estimate(comparison, own)}, against "
        f"{join_words(others)}. Intervals are over "
        f"{'groups' if comparison.is_grouped else 'samples'}."
    )


def write_estimate(comparison: Comparison, row: ComparisonRow) -> str:
    """The metric of the verdict with its interval: ``97.8 % (95 % interval 92.0 to 99.4)``."""
    text = comparison.metric.write(row.scores[comparison.scoring].value)
    interval = comparison.write_interval(row)
    return f"{text} (95 % interval {interval})" if interval else text
