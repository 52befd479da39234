"""What a fitted selector has selected, and the same selection evaluated."""

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from s2fs._utils.types import Indices
from s2fs.evaluation import Comparison, evaluate_selector
from s2fs.evaluation.names import name_selector
from s2fs.evaluation.standing_out import find_telling_columns
from s2fs.report._table import Table
from s2fs.selectors.base import features_in_order


class SelectedFeatures(NamedTuple):
    """A fitted selector, its features in order, whether that order means anything, its name.

    A feature stands for itself by one of its columns, the one that tells the classes apart best.
    The ``rows`` are where each is complete in the order of selection of all columns.
    """

    selector: Any
    indices: Indices
    is_ranked: bool
    name: str
    rows: Indices


def read_selection(selector: Any, table: Table) -> SelectedFeatures:
    """Check that a selector was fitted on these data, and read what it has selected."""
    if not hasattr(selector, "get_support"):
        raise TypeError(
            f"selector is a {type(selector).__name__}, which has no get_support; give a fitted "
            "selector."
        )
    check_is_fitted(selector)
    m = table.values.shape[1]
    if len(selector.get_support()) != m:
        raise ValueError(
            f"selector was fitted on {len(selector.get_support())} features, but X has {m}; give "
            "the data it was fitted on."
        )
    if len(table.classes) < 2:
        raise ValueError("y has one class only; at least two are needed.")
    shape = table.image_shape
    if shape is not None and shape[0] * shape[1] != m:
        raise ValueError(
            f"image_shape is {shape[0]} × {shape[1]}, which are {shape[0] * shape[1]} pixels, but "
            f"X has {m} features; give the shape of one picture."
        )
    order = features_in_order(selector)
    columns = np.flatnonzero(selector.get_support()) if order is None else order
    if not len(columns):
        raise ValueError("selector has selected no feature; let it select at least one.")
    _check_fitted_with(selector, table)
    layout = table.layout
    indices = find_telling_columns(table.values, table.codes, layout, columns)
    of_row = layout.of_column[columns].tolist()
    last = {feature: row for row, feature in enumerate(of_row)}  # in order of the first
    rows = np.array([*last.values()], dtype=np.intp)
    return SelectedFeatures(selector, indices, order is not None, name_selector(selector), rows)


def _check_fitted_with(selector: Any, table: Table) -> None:
    """Raise if the folds would leave out what the selector was fitted with."""
    for name in getattr(selector, "_fitted_with", ()):
        if getattr(table, name) is None:
            raise ValueError(
                f"selector was fitted with {name}, but the report was given none; give {name}, so "
                "that it is used inside the folds, too."
            )


def evaluate(
    selected: SelectedFeatures, table: Table, random_state: int, n_jobs: int | None
) -> tuple[Comparison | None, str]:
    """The evaluation of a fresh clone of the selector, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            comparison = evaluate_selector(
                clone(selected.selector),
                table.X if table.imputer is None else table.incomplete,
                table.labels,
                n_selected=len(selected.indices),
                is_ranked=selected.is_ranked,
                groups=table.groups,
                sample_weight=table.sample_weight,
                covariates=table.covariates,
                imputer=table.imputer,
                random_state=random_state,
                n_jobs=n_jobs,
                class_names=table.classes,
                sample_names=table.samples,
            )
    except ValueError as error:  # too few samples, or a fold that the selector cannot take
        return None, str(error)
    return replace(comparison, group_name=table.group_name), ""
