"""Summarise a selection to a plain dict: numbers, text and lists, nothing to draw."""

import platform
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import minmax_scale
from sklearn.utils.validation import check_is_fitted

from s2fs._core.correlation import correlations
from s2fs._selectors.base import features_in_order
from s2fs._selectors.cv import SelectorCV
from s2fs._selectors.pairs import PairCover
from s2fs._selectors.s2fs import S2FS
from s2fs._selectors.stability import StabilitySelector
from s2fs._util.messages import listed
from s2fs._util.types import Floats, Indices
from s2fs._util.values import plain
from s2fs._util.version import __version__
from s2fs.baselines import AnovaF
from s2fs.baselines.reference import RandomOrder
from s2fs.evaluation import Comparison, compare, stability
from s2fs.plotting import class_geometry
from s2fs.plotting.geometry import pair_distances, stands_out
from s2fs.plotting.style import COLOURS, MOST_COLOURS
from s2fs.report._code import pipeline_code
from s2fs.report._table import Table

#: The numbers of features at which the selection is scored; few, for each costs time.
SIZES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500)
N_FOLDS = 5
#: On how many random halves of the samples the selection is repeated, if nothing else is asked for.
N_HALVES = 20
#: Two features with |r| of this or more are called redundant.
REDUNDANT = 0.9
#: How many pairs of classes, pairs of features and mistaken samples are listed at most.
LONGEST_LIST = 15
#: Features beyond this number have no plot of their own in the table, for size.
MOST_STRIPS = 200
#: With more values than this, a strip shows quartiles and not every sample.
MOST_DOTS = 12_000
#: The width of a strip, in its own units.
STRIP = 150
#: What the selectors of the package are called on a page.
TITLES = {"S2FS": "S²FS", "SelectorCV": "S²FS, tuned", "AnovaF": "ANOVA F", "RandomOrder": "random"}
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
    n_halves: int = N_HALVES,
    stable: StabilitySelector | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> tuple[dict[str, Any], Comparison | None]:
    """Collect what a report says, as plain values, and the comparison behind it."""
    chosen = _chosen(selector, table)
    k = len(chosen.indices)
    pairs = _redundant_pairs(chosen.indices, table)
    with warnings.catch_warnings():
        # What there is to warn of was said when the selector was fitted.
        warnings.simplefilter("ignore", UserWarning)
        if isinstance(selector, StabilitySelector):  # it has done this itself
            stable = selector
        if stable is None:
            stable = _repeated(chosen, table, n_halves, random_state, n_jobs)
        compared, reason = _compared(chosen, table, random_state, n_jobs)
    halves = [] if stable is None else stable.selected_
    needed = k if compared is None else _needed(compared)
    by_size = [
        _at_size(size, table, halves, pairs, compared, needed)
        for size in (_sizes(k) if compared is None or not compared.sizes else compared.sizes)
    ]
    last = by_size[-1]
    mistakes = [] if compared is None else _mistakes(compared, table)
    summary = {
        "verdict": {"headline": last["headline"], "rest": last["rest"]},
        "size": k,
        "needed": needed,
        "reason": reason,
        "by_size": by_size,
        "data": _describe(table),
        "selector": _describe_selector(chosen, table),
        "features": _features(chosen, table, stable),
        "components": _component_names(selector),
        "false": _false_ones(selector),
        "redundant": {"threshold": REDUNDANT, "total": len(pairs), "rows": pairs[:LONGEST_LIST]},
        "pairs": _class_pairs(chosen.indices, table),
        "mistakes": {"total": len(mistakes), "rows": mistakes[: 2 * LONGEST_LIST]},
        "curves": None if compared is None else _curves(compared),
        "run": {
            "versions": {
                "s2fs": __version__,
                "Python": platform.python_version(),
                "NumPy": np.__version__,
                "SciPy": scipy.__version__,
                "scikit-learn": sklearn.__version__,
            },
            "seed": random_state,
            "n_folds": 0 if compared is None else compared.n_splits,
            "n_halves": len(halves),
            "data_sha256": table.fingerprint,
        },
    }
    return summary, compared


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
    kind, status = type(selector).__name__, getattr(selector, "status", "")
    name = TITLES.get(kind, kind) + (f" ({status})" if "reconstructed" in status else "")
    return _Chosen(selector, indices, order is not None, name)


def _sizes(k: int) -> list[int]:
    return [*(size for size in SIZES if size < k), k]


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
        n_shuffles=0,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    try:
        return again.fit(table.X, table.labels)
    except ValueError:  # missing values that only this selector takes, or a half it cannot take
        return None


def _with_size(selector: Any, k: int) -> Any:
    """A fresh copy that chooses as many features as this one has chosen."""
    fresh = clone(selector)
    taken = fresh.get_params(deep=False)
    quiet = {"n_features_to_select": k, "k": k, "verbose": 0}
    return fresh.set_params(**{name: value for name, value in quiet.items() if name in taken})


def _compared(
    chosen: _Chosen, table: Table, random_state: int, n_jobs: int | None
) -> tuple[Comparison | None, str]:
    """The selection beside others on the same folds, or why there are no folds."""
    k = len(chosen.indices)
    if table.n_missing:
        return None, "5 nearest neighbours cannot take missing values."
    kinds = {
        "PairCover": PairCover(),
        "ANOVA F": AnovaF(),
        "random": RandomOrder(random_state=random_state),
    }
    others = {
        name: other
        for name, other in kinds.items()
        if type(other) is not type(chosen.selector) and chosen.name != name
    }
    try:
        result = compare(
            table.X if table.imputer is None else table.incomplete,
            table.labels,
            k=_sizes(k) if chosen.ranked and k > 1 else k,
            selectors={chosen.name: _with_size(chosen.selector, k), **others},
            imputer=table.imputer,
            cv=N_FOLDS,
            random_state=random_state,
            n_jobs=n_jobs,
        )
    except ValueError as error:  # a class with one member, or too few rows
        return None, str(error)
    return result, ""


def _needed(compared: Comparison) -> int:
    """The fewest features within one standard error of the best accuracy."""
    if not compared.sizes:
        return round(compared.rows[0]["n_features"])
    rows = [compared.at(size).rows[0] for size in compared.sizes]
    best = max(rows, key=lambda row: row["accuracy"])
    enough = best["accuracy"] - best["accuracy_spread"] / compared.n_splits**0.5
    return next(
        size
        for size, row in zip(compared.sizes, rows, strict=True)
        if row["accuracy"] >= enough - 1e-12
    )


def _at_size(
    size: int,
    table: Table,
    halves: list[Indices],
    pairs: list[dict[str, Any]],
    compared: Comparison | None,
    needed: int,
) -> dict[str, Any]:
    """What the tiles, the verdict and the confusion matrix say for the first features."""
    sets = [half[:size] for half in halves]
    m = table.values.shape[1]
    share = sum(map(len, sets)) / (len(sets) * m) if sets else 0.0
    found: dict[str, Any] = {
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
        found |= {
            "stability": index.value,
            "stability_low": index.low,
            "stability_high": index.high,
            "stability_text": f"{index.value:.2f}",
            "stability_note": (
                f"{word}, {index.low:.2f} to {index.high:.2f}, on {len(sets)} random halves; 1 is "
                "always the same"
            ),
        }
    if compared is None:
        return found
    at = compared.at(size) if compared.sizes else compared
    own = at.rows[0]
    said = at.predictions[own["selector"]]
    predicted = np.searchsorted(np.unique(table.labels), said)
    p = len(table.classes)
    counts = np.bincount(table.codes * p + predicted, minlength=p * p)
    standing = {row["selector"]: at.standing(row["selector"]) for row in at.rows[1:]}
    verb = "gets" if size == 1 else "get"
    doubt = "" if standing["chance"] == "ahead of" else "Not shown to beat chance: "
    found |= {
        "accuracy": own["accuracy"],
        "accuracy_spread": own["accuracy_spread"],
        "accuracy_text": f"{100 * own['accuracy']:.1f} %",
        "accuracy_note": (
            f"± {100 * own['accuracy_spread']:.1f} over {at.n_splits} folds; chance is "
            f"{100 * at.rows[-1]['accuracy']:.1f} %"
        ),
        "balanced_accuracy": own["balanced_accuracy"],
        "rows": [
            {
                "name": row["selector"],
                "accuracy": row["accuracy"],
                "accuracy_spread": row["accuracy_spread"],
                "n_features": row["n_features"],
                "standing": standing.get(row["selector"], ""),
            }
            for row in at.rows
        ],
        "confusion": [[int(c // p), int(c % p), int(counts[c])] for c in np.flatnonzero(counts)],
        "headline": (
            f"{doubt}{_features_word(size)} {verb} {100 * own['accuracy']:.1f} ± "
            f"{100 * own['accuracy_spread']:.1f} % of unseen samples right."
        ),
        "rest": _rest(at, standing, size, needed),
    }
    return found


def _rest(at: Comparison, standing: Mapping[str, str], size: int, needed: int) -> str:
    """The second sentence of the verdict: where this stands beside the others."""
    rows = {row["selector"]: row for row in at.rows[1:]}
    named: dict[str, list[str]] = {"ahead of": [], "level with": [], "behind": []}
    for name, row in rows.items():
        if name != "random":  # it is in the table; the sentence is long enough
            named[standing[name]].append(f"{name} ({100 * row['accuracy']:.1f} %)")
    parts = [f"{word} {listed(names)}" for word, names in named.items() if names]
    proven = standing["chance"] == "ahead of"
    fewer = f" {needed} of them would do." if needed < size and proven else ""
    return f"That is {'; '.join(parts)}.{fewer}"


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


def _false_ones(selector: Any) -> dict[str, Any] | None:
    """How many of the selected features are false, by the estimate and by the bound."""
    if not isinstance(selector, StabilitySelector):
        return None
    return {
        "estimate": plain(selector.false_selections_) if selector.n_shuffles else None,
        "bound": plain(selector.false_selections_bound_),
    }


def _chances(
    selector: Any, stable: StabilitySelector | None, indices: Indices
) -> dict[str, list[float | None]]:
    """What says how sure each feature is: p-values and q-values, None where there is none."""
    found = {}
    path = getattr(selector, "path_", None)
    if path is not None and "p_value" in (path.dtype.names or ()):
        found["p_value"] = selector.path_["p_value"]
    if stable is not None and stable.n_shuffles:
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
    twins, r = _twins(indices, table.values)
    rank_of = {int(f): rank for rank, f in enumerate(indices, start=1)}
    strips = _strips(columns, table.codes, out.class_)
    scores = np.asarray(getattr(selector, "scores_", np.full(len(indices), np.nan)), dtype=float)
    scores = (
        scores
        if len(scores) == len(indices) and hasattr(selector, "indices_")
        else (scores[indices] if len(scores) == m else np.full(len(indices), np.nan))
    )
    names = _component_names(selector)
    chances, stand_ins = _chances(selector, stable, indices), _stand_ins(selector, table)
    return [
        {
            "rank": i + 1,
            "name": table.features[f],
            "index": int(f),
            "class": int(out.class_[i]),
            "high": bool(out.high[i]),
            "returns": None if stable is None else float(stable.frequencies_[f]),
            "twin": None if twins[i] < 0 else table.features[twins[i]],
            "twin_r": None if twins[i] < 0 else float(r[i]),
            "twin_rank": rank_of.get(int(twins[i])),
            "score": float(scores[i]) if np.isfinite(scores[i]) else None,
            "components": [plain(float(selector.path_[name][i])) for name in names],
            "chances": {name: values[i] for name, values in chances.items()},
            "stand_ins": None if stand_ins is None else stand_ins[i],
            "strip": strips[i] if i < len(strips) else None,
        }
        for i, f in enumerate(indices.tolist())
    ]


def _twins(indices: Indices, values: Floats) -> tuple[Indices, Floats]:
    """For each chosen feature the other feature, of all, with the largest |r|, and that r."""
    k, m = len(indices), values.shape[1]
    twins, r = np.full(k, -1), np.zeros(k)
    if m < 2:
        return twins, r
    step = max(1, (1 << 22) // max(1, len(values)))  # columns at once, for memory
    for start in range(0, m, step):
        found = correlations(values[:, indices], values[:, start : start + step])
        inside = (indices >= start) & (indices < start + step)
        found[np.flatnonzero(inside), indices[inside] - start] = 0.0
        best = np.abs(found).argmax(axis=1)
        value = found[np.arange(k), best]
        better = (np.abs(value) > np.abs(r)) | (twins < 0)
        twins, r = np.where(better, best + start, twins), np.where(better, value, r)
    return twins, r


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


def _strips(columns: Floats, codes: Indices, stands: Indices) -> list[dict[str, Any]]:
    """For each feature the places of its values by class, from 0 to :data:`STRIP`.

    Few values are all there ("dots"); of many the 5th, 25th, 50th, 75th and 95th percentile
    ("boxes"). Of more classes than colours there are two lanes: the class the feature stands out
    in, and the others.
    """
    n, k = columns.shape
    p = int(codes.max()) + 1
    shown = min(k, MOST_STRIPS)
    places = np.rint(minmax_scale(columns[:, :shown]) * STRIP).astype(int)
    dots = n * shown <= MOST_DOTS and p <= MOST_COLOURS
    strips = []
    for i in range(shown):
        lanes = codes if p <= MOST_COLOURS else (codes != stands[i]).astype(int)
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


def _mistakes(compared: Comparison, table: Table) -> list[dict[str, Any]]:
    """The samples that were taken for another class when they were unseen."""
    said = compared.predictions[compared.rows[0]["selector"]]
    predicted = np.searchsorted(np.unique(table.labels), said)
    return [
        {
            "sample": table.samples[i],
            "class": table.classes[table.codes[i]],
            "taken_for": table.classes[predicted[i]],
        }
        for i in np.flatnonzero(predicted != table.codes)
    ]


def _curves(compared: Comparison) -> dict[str, Any]:
    """The accuracy of every row over the sizes."""
    at = [compared.at(size) for size in compared.sizes] or [compared]
    return {
        "sizes": compared.sizes or [round(compared.rows[0]["n_features"])],
        "rows": [
            {
                "name": row["selector"],
                "accuracy": [one.rows[i]["accuracy"] for one in at],
                "spread": [one.rows[i]["accuracy_spread"] for one in at],
            }
            for i, row in enumerate(compared.rows)
        ],
    }
