"""How much each sample counts: sample weights and class weights become one weight each.

The class mean of Eq. 5 weighs all members alike; with weights the centroid is the weighted mean,
and Θ_dis and Θ_dir (Eqs. 7 and 13) are weighted means over the samples. A sample of weight 2 is
two equal samples, one of weight 0 is not there. Λ (Eqs. 16 and 21) is a mean over classes and
stays one.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.messages import did_you_mean, format_count, format_named, format_names
from s2fs._utils.types import Floats

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None

#: The heaviest row counts at most this many times as much as the lightest: beside it, a lighter one
#: would be lost in the rounding of every sum.
MOST_RATIO = 1e15
#: What is said where too few classes are left of those that count.
TOO_FEW_SAMPLES = "y has fewer than two classes of two samples; give more samples of each class."
#: Products and squares of larger weights overflow, and those of the inverse underflow.
MOST_WEIGHT = 1e100


def check_sample_weight(sample_weight: Any, n: int, *, may_vanish: bool = False) -> Floats:
    """The weights of ``n`` rows as numbers: finite, not negative; None is 1 each.

    They may all be 0 if these are not all rows, and only then they ``may_vanish``.
    """
    if sample_weight is None:
        return np.ones(n)
    try:
        weight = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight is not numeric ({error}); give one number per sample."
        ) from None
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has the shape {weight.shape} for the {format_count(n, 'sample')} of X; "
            "give one number per sample."
        )
    for what, wrong in (
        ("NaN or infinity", ~np.isfinite(weight)),
        ("a negative weight", weight < 0),
    ):
        if wrong.any():
            samples = format_named("sample", np.flatnonzero(wrong))
            raise ValueError(
                f"sample_weight has {what} in {samples}; give finite weights from 0 up."
            )
    if not (may_vanish or weight.any()):
        raise ValueError("sample_weight is zero in every sample; give some a weight above 0.")
    reject_extreme_weights(weight)
    return weight


def reject_extreme_weights(weight: Floats) -> None:
    """Raise if sums of weights would lose some of them; those that are 0 do not count."""
    positive = weight[weight > 0]
    least, most = positive.min(initial=np.inf), positive.max(initial=0.0)
    if most > MOST_RATIO * least or most > MOST_WEIGHT or least < 1 / MOST_WEIGHT:
        raise ValueError(
            f"The weights of the rows go from {least:.3g} to {most:.3g}, which sums cannot hold; "
            f"give weights between {1 / MOST_WEIGHT:g} and {MOST_WEIGHT:g} with a largest of at "
            f"most {MOST_RATIO:g} times the smallest, or 0."
        )


def times_class_weight(weight: Floats, per_row: Floats) -> Floats:
    """The weight of each row times that of its class; raises if the products are extreme."""
    with np.errstate(over="ignore", under="ignore"):
        product = weight * per_row
    # A product that vanished would silently drop a row.
    counts = (weight > 0) & (per_row > 0)
    reject_extreme_weights(np.where(counts, np.maximum(product, np.nextafter(0, 1)), 0.0))
    return product


def row_weights(sample_weight: Any, class_weight: ClassWeight, labels: NDArray[Any]) -> Floats:
    """The weight of each row: its sample weight times the weight of its class.

    "balanced" lets every class count as much as another, and keeps the sum of all weights.
    """
    weight = check_sample_weight(sample_weight, len(labels))
    if class_weight is not None:
        classes, codes = np.unique(labels, return_inverse=True)
        if not isinstance(class_weight, str):
            _check_class_weight(class_weight, classes.tolist())
        factors = class_factors(
            class_weight, np.bincount(codes, weight).astype(np.float64), classes.tolist()
        )
        weight = times_class_weight(weight, factors[codes])
        if not weight.any():
            raise ValueError(
                "class_weight leaves no row with a weight above 0; give some class one."
            )
    return weight


def class_factors(class_weight: ClassWeight, weight_of_class: Floats, classes: list[Any]) -> Floats:
    """What the weights of the rows of each class are multiplied by."""
    if isinstance(class_weight, str):
        share = weight_of_class.sum() / np.count_nonzero(weight_of_class)
        there = weight_of_class > 0
        return np.divide(share, weight_of_class, out=np.zeros(len(classes)), where=there)
    # Classes that are not named weigh 1.
    return np.array([float((class_weight or {}).get(name, 1)) for name in classes])


def counting_factor(weight: float, n_samples: int) -> float:
    """What makes weights that sum to ``weight`` count samples.

    Weights that sum to less than the number of rows cannot be counts: they are shares, such as
    normalised weights or inverse probabilities, and are scaled to sum to that number.
    """
    return n_samples / weight if weight < n_samples * (1 - 1e-12) else 1.0


def count_per_row(sample_weight: Any, does_count: NDArray[np.bool_]) -> Floats:
    """How many samples each row stands for; 0 for rows that do not count."""
    counts = np.where(does_count, check_sample_weight(sample_weight, len(does_count)), 0.0)
    return counts * counting_factor(float(counts.sum()), int(np.count_nonzero(counts)))


def are_small(counts: Floats) -> NDArray[np.bool_]:
    """Which classes have fewer than two samples, by weights that count these.

    Such a class has no spread, and no sample left to be held out.
    """
    return counts < 2 * (1 - 1e-9)


def relative(weight: Floats) -> Floats | None:
    """The weights with the largest made 1, where only ratios matter; None if all are equal."""
    weight = weight / weight.max()
    return None if weight.min() == 1 else weight


def _check_class_weight(class_weight: Mapping[Any, float], classes: list[Any]) -> None:
    """Raise if a class is not there, or a weight is none."""
    unknown = [name for name in class_weight if name not in classes]
    if unknown and len(class_weight) - len(unknown) < len(classes):
        # With a weight for every class the others may just be absent from this part of the data.
        hint = did_you_mean(str(unknown[0]), map(str, classes))
        raise ValueError(
            f"class_weight names {unknown[0]!r}{hint}, which y does not have; its classes are "
            f"{format_names(classes)}."
        )
    for name, weight in class_weight.items():
        if not (isinstance(weight, int | float | np.number) and 0 <= weight < np.inf):
            raise ValueError(
                f"class_weight of {name!r} is {weight!r}; give a finite number from 0 up."
            )
