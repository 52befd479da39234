"""The panel on the page: the one linear model of the selected features."""

from typing import Any

import numpy as np

from s2fs.criteria.logistic import fit_logistic
from s2fs.evaluation import Comparison
from s2fs.evaluation.samples import take_columns
from s2fs.panel.features import fill_gaps
from s2fs.report._selected import SelectedFeatures
from s2fs.report._table import Table
from s2fs.report.names import label_classes

#: A longer panel has no table: nobody computes it by hand.
MOST_FEATURES = 100


def describe_panel(
    selected: SelectedFeatures, table: Table, comparison: Comparison | None
) -> dict[str, Any]:
    """Centre, standard deviation and coefficients of each feature; or the reason without them.

    The model is that of :class:`s2fs.Panel`, which the accuracy on held-out samples is about.
    """
    k = len(selected.indices)
    reason = ""
    if table.covariates is not None:
        reason = "A panel has no covariates, so there is no model of a selection adjusted for them."
    elif comparison is not None and comparison.learner != "logistic":
        reason = "The accuracies are those of another learner than the panel's."
    elif int(selected.selector.get_support().sum()) > k:
        reason = "A feature of text has a coefficient for each level: the file of --save has them."
    elif k > MOST_FEATURES:
        reason = f"The model of {k:,} features is long: Panel(selector).fit(X, y).table() has it."
    if reason:
        return {"reason": reason, "coefficients_of": [], "intercepts": [], "rows": []}
    # Gaps get the medians, as in the panel, whatever else filled them for the selector.
    source = table.values if table.imputer is None else table.incomplete
    values = fill_gaps(take_columns(source, None, selected.indices).astype(np.float64))[1]
    weight = None if table.sample_weight is None else np.asarray(table.sample_weight, dtype=float)
    model = fit_logistic(values, table.codes, sample_weight=weight)
    labels = label_classes(table.classes)
    return {
        "reason": "",
        "coefficients_of": labels if len(labels) > 2 else labels[1:],
        "intercepts": model.intercepts.tolist(),
        "rows": [
            {"centre": centre, "sd": scale, "coefficients": coefficients}
            for centre, scale, coefficients in zip(
                model.means.tolist(), model.scales.tolist(), model.coefficients.T.tolist(),
                strict=True,
            )
        ],
    }  # fmt: skip
