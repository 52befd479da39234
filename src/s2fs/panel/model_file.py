"""The model of a panel as plain data, and back: numbers that a person can compute with.

The score of a class is its intercept plus the sum of coefficient × (value − centre) / sd over the
features, and its probability is exp(score) over the sum of these. Of two classes the first has the
score 0, and the file holds that of the second.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats
from s2fs._utils.values import plain
from s2fs.criteria.logistic import LogisticModel
from s2fs.panel.features import PanelFeature, Substitute


class PanelModel(NamedTuple):
    """The model of a panel, and what is known of the samples it was fitted to.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    class_sizes : list of int
        How many training samples each class has.
    class_shares : list of float
        The share of each class in the weights the model was fitted with: the cut of a decision in
        which every class counts the same.
    logistic : LogisticModel
        Centres, scales, coefficients and intercepts.
    medians : ndarray of shape (n_selected,)
        What fills gaps.
    features : list of PanelFeature
        Ranges and own AUC.
    substitutes : list of Substitute or None
        For each feature the one that says most nearly the same.
    C : float
        The inverse of the strength of the penalty.
    class_weight : object
        How much each class counts, for the record.
    positive : object
        Of two classes the one that sensitivity is about.
    training_hash : str
        What the training table is known by.
    labels : sequence of tuple of str
        For each feature a symbol and a description, if there are some.
    """

    classes: NDArray[Any]
    class_sizes: list[int]
    class_shares: list[float]
    logistic: LogisticModel
    medians: Floats
    features: list[PanelFeature]
    substitutes: list[Substitute | None]
    C: float
    class_weight: Any
    positive: Any
    training_hash: str
    labels: Sequence[tuple[str, str]] = ()

    def to_dict(self) -> dict[str, Any]:
        """As a file holds it."""
        coefficients = self.logistic.coefficients
        return {
            "C": float(self.C),
            "class_weight": plain(self.class_weight),
            "classes": self.classes.tolist(),
            "class_sizes": self.class_sizes,
            "class_shares": self.class_shares,
            "positive": plain(self.positive),
            "training_hash": self.training_hash,
            "intercepts": self.logistic.intercepts.tolist(),
            "features": [
                {
                    "centre": float(self.logistic.means[f]),
                    "sd": float(self.logistic.scales[f]),
                    "median": float(self.medians[f]),
                    **feature._asdict(),
                    "coefficients": coefficients[:, f].tolist(),
                    "substitute": None if substitute is None else substitute._asdict(),
                    **self._label(f),
                }
                for f, (feature, substitute) in enumerate(
                    zip(self.features, self.substitutes, strict=True)
                )
            ],
        }

    def _label(self, f: int) -> dict[str, str]:
        """The symbol and the description of a feature, where they were given."""
        if not self.labels:
            return {}
        return dict(zip(_LABEL, self.labels[f], strict=True))

    @classmethod
    def of_dict(cls, part: Any, n_selected: int, source: str) -> "PanelModel":
        """Take the model of a file; raises ValueError if something in it cannot be."""
        if damage := find_damage(part, n_selected):
            raise ValueError(f"{source} is damaged: {damage}; select and save again.")
        features = part["features"]

        def column(name: str) -> Floats:
            return np.array([feature[name] for feature in features], dtype=np.float64)

        n_rows = count_rows(len(part["classes"]))
        coefficients = np.array([one["coefficients"] for one in features], dtype=np.float64)
        return cls(
            classes=np.array(part["classes"]),
            class_sizes=part["class_sizes"],
            class_shares=part["class_shares"],
            logistic=LogisticModel(
                column("centre"),
                column("sd"),
                coefficients.reshape(n_selected, n_rows).T,
                np.array(part["intercepts"], dtype=np.float64),
            ),
            medians=column("median"),
            features=[
                PanelFeature(*(one[name] for name in PanelFeature._fields)) for one in features
            ],
            substitutes=[
                None if one["substitute"] is None else Substitute(**one["substitute"])
                for one in features
            ],
            C=part["C"],
            class_weight=part["class_weight"],
            positive=part["positive"],
            training_hash=part["training_hash"],
            labels=[tuple(one[name] for name in _LABEL) for one in features if _LABEL[0] in one],
        )


#: What a feature is called beside its name.
_LABEL = ("symbol", "description")


def count_rows(n_classes: int) -> int:
    """How many scores a model has: one for each class, or one for two."""
    return 1 if n_classes == 2 else n_classes


#: What each field of a feature is.
_NUMBERS = ("centre", "sd", "median", "minimum", "percentile_1", "percentile_99", "maximum")


def find_damage(part: Any, n_selected: int) -> str:
    """The first thing in the model of a file that cannot be, or nothing."""
    if not isinstance(part, Mapping):
        return "model is no object"
    classes, features = part.get("classes"), part.get("features")
    kinds = {type(label) for label in classes} if isinstance(classes, list) else set()
    if not isinstance(classes, list) or len(kinds) != 1 or not kinds <= {str, int, bool, float}:
        return "classes is no list of labels of one kind"
    is_sorted = classes == sorted(classes) or kinds == {str}  # text that is numbers goes by value
    if len(classes) < 2 or len(set(classes)) < len(classes) or not is_sorted:
        return "classes is no sorted list of two labels or more"
    n_rows = count_rows(len(classes))
    for name, length in {
        "intercepts": n_rows, "class_sizes": len(classes), "class_shares": len(classes)
    }.items():  # fmt: skip
        if not _are_numbers(part.get(name), length):
            return f"{name} is no list of {length} numbers"
    if not _is_number(part.get("C")) or not isinstance(part.get("training_hash"), str):
        return "C or training_hash is missing"
    if part.get("positive") is not None and part["positive"] not in classes:
        return "positive is none of the classes"
    if not isinstance(features, list) or len(features) != n_selected:
        return f"features is no list of {n_selected}"
    for feature in features:
        if not isinstance(feature, Mapping):
            return "a feature is no object"
        labels = [feature.get(name) for name in _LABEL]
        if labels != [None, None] and not all(isinstance(label, str) for label in labels):
            return "a feature has a symbol that is none"
    if len({_LABEL[0] in feature for feature in features}) > 1:
        return "some features have a symbol and others none"
    for feature in features:
        if wrong := next((name for name in _NUMBERS if not _is_number(feature.get(name))), ""):
            return f"a feature has no number as {wrong}"
        if feature["sd"] <= 0:
            return "a feature has an sd that is not positive"
        for name, length in {"coefficients": n_rows, "auc": len(classes)}.items():
            if not _are_numbers(feature.get(name), length):
                return f"a feature has no {length} numbers as {name}"
        if not _is_substitute(feature.get("substitute")):
            return "a feature has a substitute that is none"
    return ""


def _is_substitute(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, Mapping) or set(value) != set(Substitute._fields):
        return False
    are_numbers = all(_is_number(value[name]) for name in ("position", "r", "slope", "intercept"))
    return are_numbers and isinstance(value["name"], str)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _are_numbers(values: Any, length: int) -> bool:
    is_list = isinstance(values, Sequence) and not isinstance(values, str)
    return is_list and len(values) == length and all(map(_is_number, values))
