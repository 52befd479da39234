"""How sure an accuracy and a difference of two accuracies are."""

from typing import Literal, NamedTuple

import numpy as np

from s2fs._utils.types import Floats, Indices

#: What a difference is called.
Relation = Literal["better than", "worse than", "as good as", "cannot be told from"]
#: Two rows whose whole interval lies within this difference are as good as each other.
EQUIVALENT = 0.02
#: One minus the confidence level of every interval.
LEVEL = 0.05


class Difference(NamedTuple):
    """How much more accurate one row is than another, as a share of the samples.

    Attributes
    ----------
    mean : float
        The mean of the paired differences over all folds.
    low, high : float
        Its 95 % interval, never narrower than one sample, or group, to either side.
    relation : {"better than", "worse than", "as good as", "cannot be told from"}
        The same in words.
    p_value : float or None
        Of the sign-flip test, against always guessing the largest class only.
    """

    mean: float
    low: float
    high: float
    relation: Relation
    p_value: float | None = None


def compute_wilson_interval(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``n`` independent units (Wilson 1927)."""
    from scipy.stats import norm

    z = float(norm.ppf(1 - LEVEL / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def compute_corrected_error(differences: Floats, test_share: float) -> float:
    """The standard error of the mean of paired differences over folds that share samples.

    Training sets overlap, so the variance of the mean is larger than that of independent values:
    Nadeau and Bengio (2003) add n_test / n_train to 1 / n_folds.
    """
    return float(differences.std(ddof=1) * np.sqrt(1 / len(differences) + test_share))


def compare_paired(differences: Floats, test_share: float, n_units: int) -> Difference:
    """The mean of paired differences over the folds, with its interval and in words."""
    from scipy.stats import t

    mean = float(differences.mean())
    quantile = float(t.ppf(1 - LEVEL / 2, len(differences) - 1))
    # Equal predictions on few samples say little: one sample more or less must not matter.
    half = max(quantile * compute_corrected_error(differences, test_share), 1 / n_units)
    low, high = mean - half, mean + half
    return Difference(mean, low, high, _name_relation(low, high))


def compare_with_guess(
    differences: Floats, test_share: float, n_units: int, p_value: float
) -> Difference:
    """The difference from always guessing the largest class; the sign-flip test decides on it."""
    difference = compare_paired(differences, test_share, n_units)
    relation: Relation
    if p_value <= LEVEL:
        relation = "better than" if difference.mean > 0 else "worse than"
    elif difference.relation == "as good as":
        relation = "as good as"
    else:
        relation = "cannot be told from"
    return difference._replace(relation=relation, p_value=p_value)


def _name_relation(low: float, high: float) -> Relation:
    if low > 0:
        return "better than"
    if high < 0:
        return "worse than"
    if low >= -EQUIVALENT and high <= EQUIVALENT:
        return "as good as"
    return "cannot be told from"


def compute_sign_flip_p_value(differences: Indices) -> float:
    """Two-sided p-value of the sum of independent whole numbers, each with a sign by chance.

    For differences of 1, 0 and −1 this is McNemar's exact test. The distribution of the sum is
    exact: a convolution of one two-point distribution for each number that is not 0.
    """
    from scipy.stats import binomtest, norm

    values = np.abs(differences[differences != 0])
    observed = abs(int(differences.sum()))
    if not len(values) or observed == 0:
        return 1.0
    if (values == 1).all():
        return float(binomtest((len(values) + observed) // 2, len(values), 0.5).pvalue)
    if len(values) * values.sum() > 10**8:  # the sum of so many is normal
        return float(2 * norm.sf((observed - 0.5) / np.sqrt((values.astype(float) ** 2).sum())))
    # The sum is total − 2 × (sum of a random half of the values): count those sums.
    total = int(values.sum())
    probabilities = np.zeros(total + 1)
    probabilities[0] = 1.0
    for value in values:
        probabilities[value:] = (probabilities[value:] + probabilities[: total + 1 - value]) / 2
        probabilities[:value] /= 2
    sums = total - 2 * np.arange(total + 1)
    return min(1.0, float(probabilities[np.abs(sums) >= observed].sum()))
