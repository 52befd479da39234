"""How much each instance counts: sample weights and class weights become one weight per row.

The class mean of Eq. 5 weighs all members alike; with weights the centroid is the weighted mean,
and Θ_dis and Θ_dir (Eqs. 7 and 13) are weighted means over the instances. A row of weight 2 is two
equal rows, a row of weight 0 is not there. Λ (Eqs. 16 and 21) is a mean over classes and stays one.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from s2fs._util.messages import did_you_mean, some_of
from s2fs._util.types import Floats

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None


def check_sample_weight(sample_weight: Any, n: int) -> Floats:
    """The weights of ``n`` rows as numbers: finite, not negative, not all 0; None is 1 each."""
    if sample_weight is None:
        return np.ones(n)
    try:
        weight = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight is not numeric ({error}); give one number per row."
        ) from None
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has the shape {weight.shape} for the {n} row(s) of X; give one number "
            "per row."
        )
    for what, wrong in (
        ("NaN or infinity", ~np.isfinite(weight)),
        ("a negative weight", weight < 0),
    ):
        if wrong.any():
            rows = some_of(np.flatnonzero(wrong))
            raise ValueError(
                f"sample_weight has {what} in row(s) {rows}; give finite weights from 0 up."
            )
    if not weight.any():
        raise ValueError("sample_weight is zero in every row; give some row a weight above 0.")
    return weight


def row_weights(sample_weight: Any, class_weight: ClassWeight, labels: NDArray[Any]) -> Floats:
    """The weight of each row: its sample weight times the weight of its class.

    "balanced" lets every class count as much as another, and keeps the sum of all weights.
    """
    weight = check_sample_weight(sample_weight, len(labels))
    if class_weight is not None:
        classes, codes = np.unique(labels, return_inverse=True)
        if isinstance(class_weight, str):
            of_class = np.bincount(codes, weight)
            share = of_class.sum() / np.count_nonzero(of_class)
            per_class = np.divide(share, of_class, out=np.zeros_like(of_class), where=of_class > 0)
        else:
            per_class = _per_class(class_weight, classes.tolist())
        weight *= per_class[codes]
        if not weight.any():
            raise ValueError(
                "class_weight leaves no row with a weight above 0; give some class one."
            )
    return weight


def relative(weight: Floats) -> Floats | None:
    """The weights with the largest made 1, where only ratios matter; None if all are equal."""
    weight = weight / weight.max()
    return None if weight.min() == 1 else weight


def _per_class(class_weight: Mapping[Any, float], classes: list[Any]) -> NDArray[np.float64]:
    """The weight of each class; classes that are not named weigh 1."""
    unknown = [name for name in class_weight if name not in classes]
    if unknown and len(class_weight) - len(unknown) < len(classes):
        # With a weight for every class the others may just be absent from this part of the data.
        hint = did_you_mean(str(unknown[0]), map(str, classes))
        raise ValueError(
            f"class_weight names {unknown[0]!r}{hint}, which y does not have; its classes are "
            f"{some_of(classes)}."
        )
    for name, weight in class_weight.items():
        if not (isinstance(weight, int | float | np.number) and 0 <= weight < np.inf):
            raise ValueError(
                f"class_weight of {name!r} is {weight!r}; give a finite number from 0 up."
            )
    return np.array([float(class_weight.get(name, 1)) for name in classes])
