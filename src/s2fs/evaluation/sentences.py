"""How many features: the sizes to try, and the at most three sentences of a verdict.

The first sentence is about the number that was asked for, which was fixed before anybody looked.
The second says whether fewer or more features would do, the third whether something else does
better. Each is read off estimates and intervals and nothing else.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from s2fs.evaluation.intervals import EQUIVALENT, TOLERANCE, Difference, Relation, Z, name_relation
from s2fs.evaluation.metrics import METRICS, Metric

#: What the first sentence says: better than guessing, not better but no accuracy could be, neither.
Kind = Literal["better", "cannot", "not shown"]
#: A value with its interval, and a difference with its own.
Three = tuple[float, float, float]

#: A list shorter than this is named only if it is the best itself.
SHORTEST = 5
#: The row of features drawn at random, by the names it has among rivals.
_RANDOM = ("random", "random features")


class Rival(NamedTuple):
    """Another row with as many features, beside the row of the verdict.

    Attributes
    ----------
    name : str
        What it is called.
    value : float
        Of the metric.
    difference, low, high : float
        How much larger that is, with its interval.
    """

    name: str
    value: float
    difference: float
    low: float
    high: float


class Sentences(NamedTuple):
    """What is said of a selection.

    Attributes
    ----------
    kind : {"better", "cannot", "not shown"}
        What the headline says.
    size : int
        The smallest number of features that does about as well as the best.
    headline : str
        About the number asked for.
    second, third : str or None
        Whether fewer or more would do, and whether another row does better.
    """

    kind: Kind
    size: int
    headline: str
    second: str | None
    third: str | None

    def __str__(self) -> str:
        return " ".join(text for text in self[2:] if text)


def list_sizes(k: int, n_features: int) -> list[int]:
    """The numbers of features to try where ``k`` are asked for.

    Parameters
    ----------
    k : int
        The number asked for, at most ``n_features``.
    n_features : int
        How many there are.

    Returns
    -------
    list of int
        Those of 1, 2, 5, 10, 20, 50, … below twice ``k``, ``k`` itself, and twice ``k``.
    """
    largest = min(2 * k, n_features)
    sizes, decade = {k, largest}, 1
    while decade < largest:
        sizes.update(size for step in (1, 2, 5) if (size := step * decade) < largest)
        decade *= 10
    return sorted(sizes)


def recommend_size(k: int, values: Mapping[int, float], against_k: Mapping[int, Three]) -> int:
    """The smallest number of features that does about as well as the best.

    Parameters
    ----------
    k : int
        The number asked for, one of the sizes.
    values : dict of int to float
        The value of each size.
    against_k : dict of int to tuple of float
        Difference, low and high of each size against ``k``.

    Returns
    -------
    int
        At most two points below the best size; below five only if it is the best itself; more
        than ``k`` only if that may matter.
    """
    largest = max(values.values())
    best = min(size for size, value in values.items() if value >= largest - TOLERANCE)
    size = min(
        size
        for size, value in values.items()
        if value >= values[best] - EQUIVALENT - TOLERANCE and (size >= SHORTEST or size == best)
    )
    if size > k:
        _, low, high = against_k[size]
        is_gain = values[size] > values[k] + TOLERANCE
        if not is_gain or name_relation(low, high) == "as good as":
            return k
    return size


def write_sentences(
    metric: Metric,
    *,
    k: int,
    name: str,
    n_samples: int,
    n_features: int,
    guess: float,
    estimates: Mapping[int, Three],
    against_k: Mapping[int, Three],
    n: float,
    n_ungrouped: float,
    balanced: Three | None = None,
    all_features: tuple[float, float, float, float] | None = None,
    rivals: Sequence[Rival | tuple[str, float, float, float, float]] = (),
    is_ordered: bool = True,
) -> Sentences:
    """What is said of a selection, from numbers.

    Parameters
    ----------
    metric : Metric
        What the verdict is about.
    k : int
        The number of features asked for.
    name : str
        What selected them.
    n_samples, n_features : int
        Of the table.
    guess : float
        What guessing reaches.
    estimates : dict of int to tuple of float
        Value, low and high of each number of features that was tried.
    against_k : dict of int to tuple of float
        Difference, low and high of each of them but ``k`` against ``k``.
    n, n_ungrouped : float
        To how many independent samples the table amounts, and if all groups were equal.
    balanced : tuple of float, optional
        Balanced accuracy with its interval, at ``k``.
    all_features : tuple of float, optional
        Value, difference from ``k``, low and high of all features.
    rivals : sequence of tuple
        Other rows with ``k`` features, in the order of the table.
    is_ordered : bool
        Whether fewer features are the first of more.

    Returns
    -------
    Sentences
        One headline, at most one second and one third sentence.
    """
    values = {size: estimate[0] for size, estimate in estimates.items()}
    size = recommend_size(k, values, against_k)
    kind = _choose_kind(metric, estimates[k], guess, n)
    headline = _write_headline(
        kind, metric, k, name, n_samples, guess, estimates[k], n_ungrouped, balanced
    )
    second = None
    if is_ordered and kind == "not shown":
        second = _write_what_is_shown(metric, k, size, guess, estimates[size])
    elif is_ordered and size != k:
        second = _write_other_size(metric, k, size, n_features, values, against_k[size])
    elif is_ordered and len(values) > 1 and k == max(values) and k < n_features:
        second = f"{_capitalise(metric.name)} is still rising at {_count(k)}."
    third = _write_rival(metric, k, n_features, all_features, rivals)
    return Sentences(kind, size, headline, second, third)


def _choose_kind(metric: Metric, estimate: Three, guess: float, n: float) -> Kind:
    value, low, _ = estimate
    if low > guess + TOLERANCE:
        return "better"
    # Where even a perfect accuracy has an interval that reaches the guess, none could be better.
    if metric.key == "accuracy" and value > guess + TOLERANCE and not _can_show(n, guess):
        return "cannot"
    return "not shown"


def _can_show(n: float, guess: float) -> bool:
    """Whether Wilson's interval of ``n`` right answers out of ``n`` is above the guess."""
    return n * (1 - guess) > Z * Z * guess


def _write_headline(
    kind: Kind,
    metric: Metric,
    k: int,
    name: str,
    n_samples: int,
    guess: float,
    estimate: Three,
    n_ungrouped: float,
    balanced: Three | None,
) -> str:
    value, low, high = estimate
    if kind == "not shown":
        verb = "beats" if k == 1 else "beat"
        return (
            f"These {n_samples:,} samples do not show that {_count(k)} {verb} "
            f"{metric.guess_name} ({metric.write_against(value, guess)})."
        )
    sentence = (
        f"{_count(k)} by {name}: {metric.write_named(value)} on held-out samples "
        f"({metric.write_interval(low, high)})."
    )
    if kind == "better":
        return sentence
    if _can_show(n_ungrouped, guess):
        reason = "With groups as unequal as these"
    else:
        reason = f"With {100 * guess:.0f} % of them in one class"
    if balanced is None:
        return f"{sentence} {reason} accuracy cannot show more here."
    other = METRICS["balanced_accuracy"]
    instead = f"{other.write_named(balanced[0])} ({other.write_interval(*balanced[1:])})"
    return f"{sentence} {reason} accuracy cannot show more here: {instead}."


def _write_what_is_shown(
    metric: Metric, k: int, size: int, guess: float, estimate: Three
) -> str | None:
    """After a headline that shows nothing: another size that was better than guessing."""
    value, low, high = estimate
    if size == k or low <= guess + TOLERANCE:
        return None
    subject = f"{_name_size(size, k)} {'does' if size == 1 else 'do'}"
    interval = metric.write_interval(low, high)
    return f"{subject}: {metric.write(value)} ({interval}), chosen on the same folds."


def _write_other_size(
    metric: Metric,
    k: int,
    size: int,
    n_features: int,
    values: Mapping[int, float],
    against_k: Three,
) -> str:
    difference = Difference(*against_k)
    relation, subject = difference.relation, _name_size(size, k)
    numbers = f"{metric.write(values[size])} ({metric.write_difference(difference)})"
    if size > k:
        verb = "do" if relation == "better than" else "may do"
        is_rising = size == max(values) and size < n_features
        rising = "; still rising" if is_rising else ""
        return f"{subject} {verb} better: {numbers}{rising}; try -k {size}."
    ending = "es" if size == 1 else ""
    phrases: dict[Relation, str] = {
        "better than": f"do{ending} better",
        "worse than": f"lose{ending[1:]} little",
        "as good as": f"do{ending} as well",
        "cannot be told from": f"come{ending[1:]} close here",
    }
    phrase = phrases[relation]
    if relation == "cannot be told from" and values[size] >= values[k] - TOLERANCE:
        phrase = "did as well here"
    return f"{subject} {phrase}: {numbers}."


def _write_rival(
    metric: Metric,
    k: int,
    n_features: int,
    all_features: Sequence[float] | None,
    rivals: Sequence[Sequence[Any]],
) -> str | None:
    """All features, else the best of the other rows, if they are better than the row of ``k``."""
    if all_features is not None:
        value, *gap = all_features
        difference = Difference(*gap)
        if difference.relation == "better than":
            subject = "The only feature does" if n_features == 1 else f"All {_count(n_features)} do"
            numbers = f"{metric.write(value)} ({metric.write_difference(difference)})"
            return f"{subject} better: {numbers}."
    better = [
        rival
        for rival in map(Rival._make, rivals)
        if name_relation(rival.low, rival.high) == "better than"
    ]
    if not better:
        return None
    best = max(better, key=lambda rival: rival.value)  # the first of equal ones
    subject = f"{best.name} with {_count(k)} does"
    if best.name.casefold() in _RANDOM:
        subject = "Random features do"
    difference = Difference(best.difference, best.low, best.high)
    return f"{subject} better: {metric.write(best.value)} ({metric.write_difference(difference)})."


def _count(k: int) -> str:
    return "1 feature" if k == 1 else f"{k:,} features"


def _name_size(size: int, k: int) -> str:
    """What a number of features is called beside the number asked for."""
    if size > k:
        return _count(size)
    return "The first one" if size == 1 else f"The first {size:,}"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
