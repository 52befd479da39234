"""What a file of a panel says of its first cohort: held-out estimates, and no sample."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.areas import RocCurve, list_pairs
from s2fs.evaluation.comparison import Comparison
from s2fs.evaluation.intervals import compute_auc_interval, compute_wilson_interval
from s2fs.evaluation.metrics import (
    METRICS,
    Estimate,
    HeldOut,
    RightShare,
    count_class_units,
    make_estimate,
)


class FirstCohort(NamedTuple):
    """The held-out estimates of a panel.

    Attributes
    ----------
    n_samples, n_units : int
        How many samples, and samples or groups of them, were held out.
    n_splits, n_repeats : int
        The number of folds in a repeat, and of repeats.
    class_units : ndarray of shape (n_classes,)
        How many units have a sample of each class of the panel.
    pair_areas : ndarray of shape (n_repeats, n_pairs)
        The AUC of each repeat for each pair of classes, NaN where no fold holds both.
    scores : dict of str to Estimate
        The estimates by metric.
    recalls : list of Estimate or None
        For each class the share of its samples that are told; None of a class that was not held
        out.
    curves : list of RocCurve or None
        For each class its ROC curve against the others.
    specificity_cut : tuple of float or None
        Of two classes the median of the repeats' cuts for a specificity of 90 %, the smallest and
        the largest of them.
    """

    n_samples: int
    n_units: int
    n_splits: int
    n_repeats: int
    class_units: Indices
    pair_areas: Floats
    scores: Mapping[str, Estimate]
    recalls: list[Estimate | None]
    curves: list[RocCurve | None]
    specificity_cut: tuple[float, float, float] | None

    @classmethod
    def of_comparison(cls, found: Comparison, is_kept: NDArray[np.bool_]) -> "FirstCohort | None":
        """What is kept of the first row; None if its folds give no intervals.

        Of the classes those that the panel has are kept.
        """
        row = found.rows[0]
        held_out = found.held_out[row.selector]
        if not found.has_intervals or held_out.scores is None:
            return None
        kept = held_out.is_held_out
        at = found.sensitivity_at_specificity
        cut = None
        if at is not None:
            cut = (at.cut, float(at.cuts.min()), float(at.cuts.max()))
        classes = np.flatnonzero(is_kept)
        pairs = np.array(list_pairs(held_out.n_classes), dtype=np.intp).reshape(-1, 2)
        return cls(
            n_samples=found.n_samples,
            n_units=found.n_units,
            n_splits=found.n_splits,
            n_repeats=found.n_repeats,
            class_units=count_class_units(
                held_out.codes[kept], held_out.units[kept], held_out.n_classes
            )[classes],
            pair_areas=held_out.pair_areas[:, is_kept[pairs].all(axis=1)],
            scores=dict(row.scores),
            recalls=[_estimate_recall(held_out, q) for q in classes.tolist()],
            curves=[held_out.compute_roc(q) for q in classes.tolist()],
            specificity_cut=cut,
        )

    def estimate_auc(self, is_present: Sequence[bool]) -> Estimate | None:
        """The AUC over the classes that a second cohort has, with its interval.

        Parameters
        ----------
        is_present : sequence of bool
            For each class whether it is there.

        Returns
        -------
        Estimate or None
            None if no fold holds two of them.
        """
        pairs = np.array(list_pairs(len(self.class_units)), dtype=np.intp).reshape(-1, 2)
        kept = np.asarray(is_present, dtype=bool)[pairs].all(axis=1)
        found = compute_auc_interval(
            self.pair_areas[:, kept], self.class_units[pairs[kept]], self.n_splits, self.n_units
        )
        return None if math.isnan(found[0]) else make_estimate(*found)

    def estimate_balanced(self, is_present: Sequence[bool]) -> Estimate | None:
        """The balanced accuracy over the classes that a second cohort has.

        That of all classes has the interval of the verdict; of some of them it is the mean of
        their recalls, each with the error that its own interval stands for.
        """
        if all(is_present) or not any(is_present):
            return self.scores.get("balanced_accuracy")
        pairs = zip(self.recalls, is_present, strict=True)
        known = [recall for recall, here in pairs if here and recall is not None]
        if not known:
            return None
        value = float(np.mean([recall.value for recall in known]))
        below = math.hypot(*[recall.value - recall.low for recall in known]) / len(known)
        above = math.hypot(*[recall.high - recall.value for recall in known]) / len(known)
        return make_estimate(value, max(0.0, value - below), min(1.0, value + above))

    def to_dict(self) -> dict[str, Any]:
        """As a file holds it."""
        return {
            "n_samples": self.n_samples,
            "n_units": self.n_units,
            "n_splits": self.n_splits,
            "n_repeats": self.n_repeats,
            "class_units": self.class_units.tolist(),
            "pair_auc": [[_or_none(area) for area in repeat] for repeat in self.pair_areas],
            "scores": {key: estimate._asdict() for key, estimate in self.scores.items()},
            "recalls": [None if one is None else one._asdict() for one in self.recalls],
            "roc": [
                None if one is None else {name: part.tolist() for name, part in _parts(one)}
                for one in self.curves
            ],
            "specificity_cut": None if self.specificity_cut is None else list(self.specificity_cut),
        }

    @classmethod
    def of_dict(cls, part: Any, n_classes: int, source: str) -> "FirstCohort":
        """Take it from a file; raises ValueError if something in it cannot be."""
        if damage := _find_damage(part, n_classes):
            raise ValueError(
                f"{source} is damaged: its first_cohort has {damage}; select and save again."
            )
        areas = [[math.nan if area is None else area for area in row] for row in part["pair_auc"]]
        return cls(
            n_samples=part["n_samples"],
            n_units=part["n_units"],
            n_splits=part["n_splits"],
            n_repeats=part["n_repeats"],
            class_units=np.array(part["class_units"], dtype=np.intp),
            pair_areas=np.array(areas, dtype=np.float64),
            scores={key: Estimate(**one) for key, one in part["scores"].items()},
            recalls=[None if one is None else Estimate(**one) for one in part["recalls"]],
            curves=[
                None if one is None else RocCurve(*(np.array(one[name]) for name in _CURVE))
                for one in part["roc"]
            ],
            specificity_cut=None
            if part["specificity_cut"] is None
            else tuple(part["specificity_cut"]),
        )


_CURVE = RocCurve._fields


def _parts(curve: RocCurve) -> list[tuple[str, Floats]]:
    return list(zip(_CURVE, curve, strict=True))


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _estimate_recall(held_out: HeldOut, q: int) -> Estimate | None:
    """The share of the samples of one class that are told where every class counts the same."""
    recall = RightShare(
        "recall", "recall", "class share", strata=lambda held: (held.codes == q)[None]
    )
    by_repeat = recall.compute_by_repeat(held_out)
    if np.isnan(by_repeat).all():
        return None
    value = float(np.nanmean(by_repeat))
    return make_estimate(value, *compute_wilson_interval(value, recall.compute_n(held_out)))


def _find_damage(part: Any, n_classes: int) -> str:
    """The first thing in the part of a file that cannot be, or nothing."""
    if not isinstance(part, Mapping):
        return "no object"
    for name in ("n_samples", "n_units", "n_splits", "n_repeats"):
        if type(part.get(name)) is not int or part[name] < 1:
            return f"no whole number as {name}"
    n_pairs = n_classes * (n_classes - 1) // 2
    areas, units = part.get("pair_auc"), part.get("class_units")
    if not _is_list(units, n_classes) or not all(type(n) is int and n >= 0 for n in units):
        return "no class_units"
    if not _is_list(areas, part["n_repeats"]) or not all(
        _is_list(row, n_pairs) and all(area is None or _is_share(area) for area in row)
        for row in areas
    ):
        return "no pair_auc"
    scores, recalls, curves = part.get("scores"), part.get("recalls"), part.get("roc")
    if not isinstance(scores, Mapping) or not set(scores) <= set(METRICS):
        return "no scores"
    if not all(map(_is_estimate, scores.values())):
        return "scores that are none"
    if not _is_list(recalls, n_classes) or not all(
        one is None or _is_estimate(one) for one in recalls
    ):
        return "no recalls"
    if not _is_list(curves, n_classes) or not all(one is None or _is_curve(one) for one in curves):
        return "no roc"
    cut = part.get("specificity_cut", 0)
    if cut is not None and not (_is_list(cut, 3) and all(map(_is_number, cut))):
        return "no specificity_cut"
    return ""


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _is_list(value: Any, length: int) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and len(value) == length


def _is_estimate(value: Any) -> bool:
    is_named = isinstance(value, Mapping) and set(value) == set(Estimate._fields)
    return is_named and all(map(_is_number, value.values()))


def _is_curve(value: Any) -> bool:
    if not isinstance(value, Mapping) or set(value) != set(_CURVE):
        return False
    lengths = {len(part) if isinstance(part, list) else 0 for part in value.values()}
    return (
        len(lengths) == 1
        and 2 <= lengths.pop() <= 101
        and all(_is_number(number) for part in value.values() for number in part)
    )
