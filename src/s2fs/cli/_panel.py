"""The file that ``s2fs select --save`` writes: a selection, and its model where it has one."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from s2fs import Panel, Selection
from s2fs.cli.messages import in_one_line, print_note
from s2fs.evaluation import Comparison
from s2fs.io import UnreadableError
from s2fs.panel.steps import Steps
from s2fs.report import read_feature_labels
from s2fs.selectors.selection_file import format_parts

if TYPE_CHECKING:
    from s2fs.cli._select import Select
    from s2fs.io import Dataset

#: Why a selection that was adjusted for covariates has no model.
NO_MODEL = (
    "the selection was adjusted for covariates, which a model of new samples would need; --save "
    "writes the selection without a model."
)


def make_panel(selector: Any, table: "Dataset", asked: "Select") -> Panel | None:
    """The panel of a fitted selector; None, with a note, where it can have no model."""
    if table.covariates is not None:
        print_note(NO_MODEL)
        return None
    panel = Panel(positive=asked.positive)
    panel.selector_, panel.n_features_in_ = selector, table.X.shape[1]
    X = table.X if table.incomplete is None else table.incomplete
    names = np.array(table.feature_names, dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the verdict names classes left out
        panel._fit_samples(X, np.array(table.class_names), table.y, names)
    panel._steps = Steps(
        log2=asked.data.log2,
        transpose=any(remark.kind == "transposed" for remark in table.remarks)
        or asked.data.transpose,
        impute=None if table.imputer is None else asked.data.impute,
        levels=_find_levels(table, panel.feature_names_.tolist()),
    )
    if asked.names is not None:
        labels = read_feature_labels(asked.names)
        found = [labels.get(name) for name in panel.feature_names_]
        panel._set_model(
            panel._model._replace(
                labels=[("", "") if one is None else (one.symbol, one.description) for one in found]
            )
        )
    return panel


def fetch_panel(
    selector: Any, relation: Any, target: str, names: list[str], asked: "Select"
) -> Panel | None:
    """The panel of a selection in a database; None, with a note, if its columns are too many."""
    panel = Panel(positive=asked.positive)
    panel.selector_, panel.n_features_in_ = selector, len(names)
    panel.feature_names_in_ = np.array(names, dtype=object)
    try:
        panel._fit_fetched(relation, target, asked.data.text.max_memory)
    except UnreadableError as error:
        print_note(f"{in_one_line(error)} --save writes the selection without a model.")
        return None
    return panel


def _find_levels(table: "Dataset", selected: list[str]) -> dict[str, list[str]]:
    """The words of the columns of text that selected features come from."""
    return {
        column: words
        for column, words in (table.levels or {}).items()
        if any(name.startswith(f"{column}=") for name in selected)
    }


def encode_panel(
    panel: Panel | None, selector: Any, names: list[str], evaluation: Comparison | None = None
) -> bytes:
    """The file: with what held-out samples said, once that is known."""
    if panel is None:
        return Selection.of(selector, names).to_json().encode()
    if evaluation is not None:
        panel._set_first_cohort(evaluation)
    return format_parts(panel._describe()).encode()
