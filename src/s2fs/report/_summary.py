"""Summarise a selection to a plain dict: numbers, text and lists, nothing to draw."""

import platform
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import minmax_scale
from sklearn.utils.validation import check_is_fitted

from s2fs._core.correlation import correlations
from s2fs._selectors.base import features_in_order
from s2fs._selectors.cv import SelectorCV
from s2fs._selectors.s2fs import S2FS
from s2fs._selectors.stability import StabilitySelector
from s2fs._util.types import Floats, Indices
from s2fs._util.values import plain
from s2fs._util.version import __version__
from s2fs.evaluation import Comparison, evaluate_selector, stability
from s2fs.evaluation.checks import REDUNDANT, as_dicts, check_selection
from s2fs.evaluation.comparison import MAJORITY, percent, sizes_up_to
from s2fs.evaluation.names import name_selector
from s2fs.plotting import class_geometry
from s2fs.plotting.geometry import pair_distances, stands_out
from s2fs.plotting.style import COLOURS, MOST_COLOURS
from s2fs.report._code import pipeline_code
from s2fs.report._table import Table

#: On how many random halves of the samples the selection is repeated, if nothing else is asked for.
N_HALVES = 20
#: How many pairs of classes, pairs of features and mistaken samples are listed at most.
LONGEST_LIST = 15
#: Features beyond this number have no plot of their own in the table, for size.
MOST_STRIPS = 200
#: With more values than this, a strip shows quartiles and not every sample.
MOST_DOTS = 12_000
#: The width of a strip, in its own units.
STRIP = 150
#: Landis and Koch's words, which Nogueira et al. (2018) use for their index.
WORDS = ((0.75, "excellent"), (0.4, "intermediate to good"), (-np.inf, "poor"))
PAPER = (
    "S. Xu, C. Dai, Y. Liu, L. Shang, X. Yang, W. Pedrycz: S²FS: Spatially-Aware "
    "Separability-Driven Feature Selection in Fuzzy Decision Systems, arXiv 2509.25841, 2025."
)


class _Unranked(BaseEstimator):
    """A selector that gives no order, with its features in the order of the columns."""

    def __init__(self, selector: Any = None) -> None:
        self.selector = selector

    def fit(self, X: Any, y: Any) -> "_Unranked":
        fitted = clone(self.selector).fit(X, y)
        self.indices_ = np.flatnonzero(fitted.get_support())
        return self


class _Chosen(NamedTuple):
    """What a fitted selector chose, and how it is called."""

    selector: Any
    indices: Indices
    ranked: bool
    name: str


def summarise(
    selector: Any,
    table: Table,
    *,
    comparison: Comparison | None = None,
    n_halves: int = N_HALVES,
    stable: StabilitySelector | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> tuple[dict[str, Any], Comparison | None]:
    """Collect what a report says, as plain values, and the comparison behind it."""
    chosen = _chosen(selector, table)
    _check_fitted_with(selector, table)
    k = len(chosen.indices)
    pairs = _redundant_pairs(chosen.indices, table)
    reason = ""
    with warnings.catch_warnings():
        # What there is to warn of was said when the selector was fitted.
        warnings.simplefilter("ignore", UserWarning)
        if isinstance(selector, StabilitySelector):  # it has done this itself
            stable = selector
        if stable is None:
            stable = _repeated(chosen, table, n_halves, random_state, n_jobs)
        if comparison is None:
            comparison, reason = _evaluate(chosen, table, random_state, n_jobs)
    halves = [] if stable is None else stable.selected_
    recommendation = None if comparison is None else comparison.recommendation
    recommended = k if recommendation is None else recommendation.size
    sizes = comparison.sizes if comparison is not None and comparison.sizes else sizes_up_to(k)
    by_size = [_at_size(size, table, halves, pairs, comparison, recommended) for size in sizes]
    start = sizes.index(recommended)
    misclassified = [] if comparison is None else _misclassified(comparison.recommended, table)
    checks = check_selection(
        table.values,
        table.codes,
        chosen.indices,
        feature_names=table.features,
        class_names=table.classes,
        sample_names=table.samples,
        comparison=comparison,
        stability=by_size[start]["stability"],
        remarks=table.repeated_subjects,
    )
    summary = {
        "verdict": {"headline": by_size[start]["headline"], "rest": by_size[start]["rest"]},
        "size": k,
        "recommended": recommended,
        "start": start,
        "still_rising": recommendation is not None and recommendation.still_rising,
        "reason": reason,
        "notes": [] if comparison is None else list(comparison.notes),
        "checks": as_dicts(checks),
        "comparison": None if comparison is None else comparison.to_dict(),
        "by_size": by_size,
        "data": _describe(table),
        "selector": _describe_selector(chosen, table),
        "features": _features(chosen, table, stable),
        "components": _component_names(selector),
        "false": _false_selections(selector),
        "redundant": {"threshold": REDUNDANT, "total": len(pairs), "rows": pairs[:LONGEST_LIST]},
        "pairs": _class_pairs(chosen.indices, table),
        "misclassified": {
            "total": len(misclassified),
            "rows": misclassified[: 2 * LONGEST_LIST],
        },
        "run": {
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
            "n_halves": len(halves),
            "data_sha256": table.fingerprint,
        },
    }
    return summary, comparison


def _chosen(selector: Any, table: Table) -> _Chosen:
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
    indices = np.flatnonzero(selector.get_support()) if order is None else order
    if not len(indices):
        raise ValueError("selector has chosen no feature; let it choose at least one.")
    return _Chosen(selector, indices, order is not None, name_selector(selector))


def _check_fitted_with(selector: Any, table: Table) -> None:
    """Raise if the folds would leave out what the selector was fitted with."""
    for name in getattr(selector, "_fitted_with", ()):
        if getattr(table, name) is None:
            raise ValueError(
                f"selector was fitted with {name}, but the report was given none; give {name}, so "
                "that it is used inside the folds, too."
            )


def _repeated(
    chosen: _Chosen, table: Table, n_halves: int, random_state: int, n_jobs: int | None
) -> StabilitySelector | None:
    """The selection repeated on random halves of the samples, None if it cannot be."""
    selector = chosen.selector
    if isinstance(selector, SelectorCV) and selector.selector is None:
        # With the weights it found: choosing them again on each half takes too long.
        selector = S2FS(scale=selector.scale, **selector.best_params_)
    sized = _with_size(selector, len(chosen.indices))
    again = StabilitySelector(
        selector=sized if chosen.ranked else _Unranked(sized),
        n_resamples=n_halves,
        n_permutations=0,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    try:
        arguments = {"sample_weight": table.sample_weight, "covariates": table.covariates}
        given = {name: value for name, value in arguments.items() if value is not None}
        return again.fit(table.X, table.labels, groups=table.groups, **given)
    except ValueError:  # missing values that only this selector takes, or a half it cannot take
        return None


def _with_size(selector: Any, k: int) -> Any:
    """A fresh copy that chooses as many features as this one has chosen."""
    fresh = clone(selector)
    taken = fresh.get_params(deep=False)
    quiet = {"n_features_to_select": k, "k": k, "verbose": 0}
    return fresh.set_params(**{name: value for name, value in quiet.items() if name in taken})


def _evaluate(
    chosen: _Chosen, table: Table, random_state: int, n_jobs: int | None
) -> tuple[Comparison | None, str]:
    """The evaluation of a fresh clone of the selector, or why there is none."""
    try:
        found = evaluate_selector(
            _quiet(chosen.selector),
            table.X if table.imputer is None else table.incomplete,
            table.labels,
            n_selected=len(chosen.indices),
            is_ranked=chosen.ranked,
            groups=table.groups,
            sample_weight=table.sample_weight,
            covariates=table.covariates,
            imputer=table.imputer,
            random_state=random_state,
            n_jobs=n_jobs,
            class_names=table.classes,
        )
    except ValueError as error:  # too few samples, or a fold that the selector cannot take
        return None, str(error)
    return found, ""


def _quiet(selector: Any) -> Any:
    """A fresh copy without a progress bar of its own."""
    fresh = clone(selector)
    return fresh.set_params(verbose=0) if "verbose" in fresh.get_params(deep=False) else fresh


def _at_size(
    size: int,
    table: Table,
    halves: list[Indices],
    pairs: list[dict[str, Any]],
    comparison: Comparison | None,
    recommended: int,
) -> dict[str, Any]:
    """What the tiles, the verdict and the confusion matrix say for the first features."""
    sets = [half[:size] for half in halves]
    m = table.values.shape[1]
    share = sum(map(len, sets)) / (len(sets) * m) if sets else 0.0
    said: dict[str, Any] = {
        "size": size,
        "stability": None,
        "stability_low": None,
        "stability_high": None,
        "stability_text": "–",
        "stability_note": "all features were selected every time" if sets else "not measured",
        "redundant": sum(max(pair["ranks"]) <= size for pair in pairs),
        "accuracy_text": "–",
        "accuracy_note": "not measured",
        "headline": f"{_features_word(size)} {'was' if size == 1 else 'were'} selected.",
        "rest": "",
        "accuracy": None,
        "rows": [],
        "confusion": [],
    }
    if 0 < share < 1:
        index = stability(sets, m)
        word = next(word for least, word in WORDS if index.value >= least)
        said |= {
            "stability": index.value,
            "stability_low": index.low,
            "stability_high": index.high,
            "stability_text": f"{index.value:.2f}",
            "stability_note": (
                f"{word}, 95 % interval {index.low:.2f} to {index.high:.2f}, on {len(sets)} "
                "random halves; 1 is always the same"
            ),
        }
    if comparison is None:
        return said
    at = comparison.at(size) if comparison.sizes else comparison
    own = at.rows[0]
    # The recommended number has the words of the whole comparison: they are those of the terminal.
    told = comparison if size == recommended else at
    majority = next(row for row in at.rows if row["selector"] == MAJORITY)
    return said | {
        "accuracy": own["accuracy"],
        "accuracy_text": f"{percent(own['accuracy'])} %",
        "accuracy_note": (
            f"95 % interval {percent(own['accuracy_low'])} to {percent(own['accuracy_high'])}; "
            f"the majority class gets {percent(majority['accuracy'])} %"
        ),
        "balanced_accuracy": own["balanced_accuracy"],
        "rows": [_describe_row(row) for row in at.rows],
        "confusion": _confusion_counts(at, table),
        "headline": told.headline,
        "rest": told.rest,
    }


def _describe_row(row: Any) -> dict[str, Any]:
    """A row of the table beside the curve, with its texts."""
    return {
        "name": row["selector"],
        "accuracy": row["accuracy"],
        "accuracy_text": percent(row["accuracy"]),
        "interval_text": f"{percent(row['accuracy_low'])} to {percent(row['accuracy_high'])}",
        "balanced_text": percent(row["balanced_accuracy"]),
        "n_features": row["n_features"],
    }


def _confusion_counts(at: Comparison, table: Table) -> list[list[float]]:
    """True class, predicted class and the mean count over the repeats, where it is not 0."""
    p = len(table.classes)
    said = at.predictions[at.rows[0]["selector"]]
    counts = np.zeros(p * p)
    for repeat in said:
        there = repeat >= 0
        counts += np.bincount(table.codes[there] * p + repeat[there], minlength=p * p)
    counts = np.round(counts / len(said), 1)
    return [[int(c // p), int(c % p), float(counts[c])] for c in np.flatnonzero(counts)]


def _features_word(size: int) -> str:
    return f"{size} feature{'' if size == 1 else 's'}"


def _describe(table: Table) -> dict[str, Any]:
    n, m = table.values.shape
    counts = np.bincount(table.codes, minlength=len(table.classes)).tolist()
    coloured = len(table.classes) <= MOST_COLOURS
    return {
        "n_samples": n,
        "n_features": m,
        "n_missing": table.n_missing,
        "n_filled": table.n_filled,
        "n_constant": int((table.values.min(axis=0) == table.values.max(axis=0)).sum()),
        "classes": [
            {"name": name, "size": size, "colour": COLOURS[q] if coloured else None}
            for q, (name, size) in enumerate(zip(table.classes, counts, strict=True))
        ],
    }


def _describe_selector(chosen: _Chosen, table: Table) -> dict[str, Any]:
    selector = chosen.selector
    kind = type(selector).__name__
    base = selector.selector if isinstance(selector, StabilitySelector) else selector
    of_the_paper = isinstance(base, S2FS | SelectorCV) or (base is None and kind != "PairCover")
    return {
        "name": chosen.name,
        "class": kind,
        "ranked": chosen.ranked,
        "parameters": {name: plain(value) for name, value in selector.get_params().items()},
        "code": pipeline_code(selector, *table.values.shape),
        "citation": PAPER if of_the_paper else str(getattr(selector, "citation", "")),
        "of_the_paper": of_the_paper,
    }


def _component_names(selector: Any) -> list[str]:
    path = getattr(selector, "path_", None)
    names = [] if path is None or path.dtype.names is None else path.dtype.names[2:]
    return [name for name in names if name != "p_value"]


def _false_selections(selector: Any) -> dict[str, Any] | None:
    """How many of the selected features are false, by the estimate and by the bound."""
    if not isinstance(selector, StabilitySelector):
        return None
    bound = selector.false_selections_bound_
    return {
        "estimate": plain(selector.false_selections_) if selector.n_permutations else None,
        "bound": None if np.isnan(bound) else plain(bound),
    }


def _p_and_q_values(
    selector: Any, stable: StabilitySelector | None, indices: Indices
) -> dict[str, list[float | None]]:
    """What says how sure each feature is: p-values and q-values, None where there is none."""
    found = {}
    path = getattr(selector, "path_", None)
    if path is not None and "p_value" in (path.dtype.names or ()):
        found["p_value"] = selector.path_["p_value"]
    if stable is not None and stable.n_permutations:
        found["q_value"] = stable.q_values_[indices]
    return {
        name: [None if np.isnan(value) else float(value) for value in values]
        for name, values in found.items()
    }


def _stand_ins(selector: Any, table: Table) -> list[list[dict[str, Any]]] | None:
    """For each feature those that could take its place, the best first, if they were looked for."""
    found = getattr(selector, "stand_ins_", None)
    if found is None:
        return None
    return [
        [{"name": table.features[one["feature"]], "r": plain(float(one["r"]))} for one in some]
        for some in found
    ]


def _features(
    chosen: _Chosen, table: Table, stable: StabilitySelector | None
) -> list[dict[str, Any]]:
    """A row for each feature, in order of choice."""
    selector, indices = chosen.selector, chosen.indices
    columns = table.values[:, indices]
    out = stands_out(columns, table.codes)
    m = table.values.shape[1]
    nearest, r = _most_correlated(indices, table.values)
    rank_of = {int(f): rank for rank, f in enumerate(indices, start=1)}
    strips = _strips(columns, table.codes, out.members)
    scores = np.asarray(getattr(selector, "scores_", np.full(len(indices), np.nan)), dtype=float)
    scores = (
        scores
        if len(scores) == len(indices) and hasattr(selector, "indices_")
        else (scores[indices] if len(scores) == m else np.full(len(indices), np.nan))
    )
    names = _component_names(selector)
    chances, stand_ins = _p_and_q_values(selector, stable, indices), _stand_ins(selector, table)
    return [
        {
            "rank": i + 1,
            "name": table.features[f],
            "index": int(f),
            "class": int(out.class_[i]),
            "stands_out": out.in_words(i, table.classes),
            "stands_out_in": np.flatnonzero(out.members[i]).tolist(),
            "high": bool(out.high[i]),
            "auc": float(out.auc[i]),
            "frequency": None if stable is None else float(stable.frequencies_[f]),
            "correlated_with": None if nearest[i] < 0 else table.features[nearest[i]],
            "correlated_r": None if nearest[i] < 0 else float(r[i]),
            "correlated_rank": rank_of.get(int(nearest[i])),
            "score": float(scores[i]) if np.isfinite(scores[i]) else None,
            "components": [plain(float(selector.path_[name][i])) for name in names],
            "chances": {name: values[i] for name, values in chances.items()},
            "stand_ins": None if stand_ins is None else stand_ins[i],
            "strip": strips[i] if i < len(strips) else None,
        }
        for i, f in enumerate(indices.tolist())
    ]


def _most_correlated(indices: Indices, values: Floats) -> tuple[Indices, Floats]:
    """For each chosen feature the other feature, of all, with the largest |r|, and that r."""
    k, m = len(indices), values.shape[1]
    nearest, r = np.full(k, -1), np.zeros(k)
    if m < 2:
        return nearest, r
    step = max(1, (1 << 22) // max(1, len(values)))  # columns at once, for memory
    for start in range(0, m, step):
        found = correlations(values[:, indices], values[:, start : start + step])
        inside = (indices >= start) & (indices < start + step)
        found[np.flatnonzero(inside), indices[inside] - start] = 0.0
        best = np.abs(found).argmax(axis=1)
        value = found[np.arange(k), best]
        better = (np.abs(value) > np.abs(r)) | (nearest < 0)
        nearest, r = np.where(better, best + start, nearest), np.where(better, value, r)
    return nearest, r


def _redundant_pairs(indices: Indices, table: Table) -> list[dict[str, Any]]:
    """The pairs of chosen features that say the same, the most alike first."""
    r = correlations(table.values[:, indices])
    first, second = np.triu_indices(len(indices), k=1)
    alike = np.abs(r[first, second]) >= REDUNDANT
    first, second = first[alike], second[alike]
    order = np.argsort(-np.abs(r[first, second]), kind="stable")
    return [
        {
            "one": table.features[indices[i]],
            "other": table.features[indices[j]],
            "ranks": [int(i) + 1, int(j) + 1],
            "r": float(r[i, j]),
        }
        for i, j in zip(first[order], second[order], strict=True)
    ]


def _strips(columns: Floats, codes: Indices, members: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """For each feature the places of its values by class, from 0 to :data:`STRIP`.

    Few values are all there ("dots"); of many the 5th, 25th, 50th, 75th and 95th percentile
    ("boxes"). Of more classes than colours there are two lanes: the classes the feature stands out
    in, and the others.
    """
    n, k = columns.shape
    p = int(codes.max()) + 1
    shown = min(k, MOST_STRIPS)
    places = np.rint(minmax_scale(columns[:, :shown]) * STRIP).astype(int)
    dots = n * shown <= MOST_DOTS and p <= MOST_COLOURS
    strips = []
    for i in range(shown):
        lanes = codes if p <= MOST_COLOURS else (~members[i][codes]).astype(int)
        parts = [places[lanes == q, i] for q in range(int(lanes.max()) + 1)]
        if dots:
            strips.append({"dots": [np.unique(part).tolist() for part in parts]})
        else:
            quantiles = [np.quantile(part, [0.05, 0.25, 0.5, 0.75, 0.95]) for part in parts]
            strips.append({"boxes": [np.rint(five).astype(int).tolist() for five in quantiles]})
    return strips


def _class_pairs(indices: Indices, table: Table) -> dict[str, Any]:
    """The pairs of classes, those that are hardest to tell apart first."""
    scaled = minmax_scale(table.values)
    before = class_geometry(scaled, table.codes).separation
    after = class_geometry(scaled[:, indices], table.codes).separation
    apart = pair_distances(table.values[:, indices], table.codes)
    first, second = np.triu_indices(len(table.classes), k=1)
    order = np.argsort(after[first, second], kind="stable")[:LONGEST_LIST]
    rows = []
    for q, r in zip(first[order], second[order], strict=True):
        best = np.argsort(-apart[q, r], kind="stable")[:3]
        rows.append(
            {
                "one": table.classes[q],
                "other": table.classes[r],
                "before": plain(float(before[q, r])),
                "after": plain(float(after[q, r])),
                "features": [
                    {"name": table.features[indices[f]], "apart": plain(float(apart[q, r, f]))}
                    for f in best
                ],
            }
        )
    return {"rows": rows, "total": len(first)}


def _misclassified(at: Comparison, table: Table) -> list[dict[str, Any]]:
    """The samples that were given another class in at least half of the repeats."""
    said = at.predictions[at.rows[0]["selector"]]
    held_out, wrong = said >= 0, (said >= 0) & (said != table.codes)
    n_held_out, n_wrong = held_out.sum(axis=0), wrong.sum(axis=0)
    found = []
    for i in np.flatnonzero((n_wrong > 0) & (2 * n_wrong >= n_held_out)):
        predicted = np.bincount(said[wrong[:, i], i]).argmax()
        found.append(
            {
                "sample": table.samples[i],
                "class": table.classes[table.codes[i]],
                "predicted": table.classes[predicted],
                "n_wrong": int(n_wrong[i]),
                "n_repeats": int(n_held_out[i]),
            }
        )
    return found
