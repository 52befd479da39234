"""Whether the probabilities of a panel are right in new samples of two classes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.types import Floats
from s2fs.evaluation.intervals import compute_wilson_interval

#: From so many samples in each class there are a slope and an intercept, and a curve.
FEWEST_FOR_SLOPE, FEWEST_FOR_CURVE = 30, 100
_N_POINTS = 10
#: Probabilities nearer to 0 and 1 than this have no logit.
_LEAST = 1e-12
_MOST_STEPS = 50


class CalibrationPoint(NamedTuple):
    """A tenth of the samples, in the order of their probabilities.

    Attributes
    ----------
    predicted, observed : float
        The mean probability, and the share of positive samples.
    low, high : float
        The 95 % interval of the share.
    """

    predicted: float
    observed: float
    low: float
    high: float


class Calibration(NamedTuple):
    """How probabilities and shares go together.

    Attributes
    ----------
    slope : float
        Of the logit of the probability in a logistic regression of the class; 1 is right, below 1
        the probabilities are too extreme.
    intercept : float
        What is added to the logit at the slope 1; 0 is right, above 0 the probabilities are too
        low.
    points : list of CalibrationPoint
        A curve of ten points, of enough samples.
    """

    slope: float
    intercept: float
    points: list[CalibrationPoint]

    @property
    def sentence(self) -> str:
        """Both numbers in words."""
        slope, intercept = (f"{value:.2f}".replace("-", "−") for value in self[:2])
        return (
            f"Calibration: slope {slope} (1 is right, less is too extreme), intercept {intercept} "
            "(0 is right, more is too low)."
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**self._asdict(), "points": [point._asdict() for point in self.points]}


def calibrate(probabilities: Floats, is_positive: NDArray[np.bool_]) -> Calibration | None:
    """Compare probabilities of the positive class with the classes.

    None of fewer than 30 samples in a class, or where the classes do not overlap.
    """
    smaller = min(int(is_positive.sum()), int((~is_positive).sum()))
    if smaller < FEWEST_FOR_SLOPE:
        return None
    inside = np.clip(probabilities, _LEAST, 1 - _LEAST)
    logits = np.log(inside / (1 - inside))
    target = is_positive.astype(np.float64)
    if logits[is_positive].min() > logits[~is_positive].max() or np.ptp(logits) == 0:
        return None  # the slope is infinite, or there is none
    both = _fit(np.column_stack([np.ones_like(logits), logits]), target, np.zeros_like(logits))
    shift = _fit(np.ones((len(logits), 1)), target, logits)
    points = []
    if smaller >= FEWEST_FOR_CURVE:
        order = np.argsort(probabilities, kind="stable")
        for part in np.array_split(order, _N_POINTS):
            share = float(target[part].mean())
            limits = compute_wilson_interval(share, len(part))
            points.append(CalibrationPoint(float(probabilities[part].mean()), share, *limits))
    return Calibration(float(both[1]), float(shift[0]), points)


def _fit(X: Floats, target: Floats, offset: Floats) -> Floats:
    """Logistic regression without a penalty, by Newton's method with halved steps."""
    beta = np.zeros(X.shape[1])

    def loss(coefficients: Floats) -> float:
        scores = X @ coefficients + offset
        return float((np.logaddexp(0, scores) - target * scores).sum())

    for _ in range(_MOST_STEPS):
        p = 1 / (1 + np.exp(-np.clip(X @ beta + offset, -700, 700)))
        gradient = X.T @ (p - target)
        hessian = (X * (p * (1 - p))[:, None]).T @ X
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        before, size = loss(beta), 1.0
        while loss(beta - size * step) > before and size > _LEAST:
            size /= 2
        beta = beta - size * step
        if np.abs(size * step).max() < 1e-10:
            break
    return beta
