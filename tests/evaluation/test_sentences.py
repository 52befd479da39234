"""The three sentences of a verdict: word for word on worked numbers, and on a grid of cases."""

import itertools
import json
import re
from pathlib import Path

import pytest

from s2fs.evaluation.intervals import Z, compute_wilson_interval, name_relation
from s2fs.evaluation.metrics import METRICS
from s2fs.evaluation.sentences import Sentences, list_sizes, recommend_size, write_sentences

VECTORS = json.loads(
    (Path(__file__).parents[1] / "verdict_vectors.json").read_text(encoding="utf-8")
)
BY_NAME = {metric.name: metric for metric in METRICS.values()}


@pytest.mark.parametrize("row", VECTORS["sentences"])
def test_worked_sentences(row):
    found = write_sentences(
        BY_NAME[row["metric"]],
        k=row["K"],
        name=row["name"],
        n_samples=row["n_samples"],
        n_features=row["n_all"],
        guess=row["share"],
        estimates={int(size): values for size, values in row["sizes"].items()},
        against_k={int(size): values for size, values in row["against_K"].items()},
        n=row["n"],
        n_ungrouped=row["n_plain"],
        balanced=row["balanced"],
        all_features=row["all"],
        rivals=row["rivals"],
        is_ordered=row["ordered"],
    )
    expected = row["expected"]
    keys = ("kind", "F", "headline", "second", "third")
    assert tuple(found) == tuple(expected[key] for key in keys)


@pytest.mark.parametrize(
    ("k", "n_features", "sizes"),
    [
        (10, 2308, [1, 2, 5, 10, 20]),
        (1, 2308, [1, 2]),
        (1, 1, [1]),
        (3, 2308, [1, 2, 3, 5, 6]),
        (10, 10, [1, 2, 5, 10]),
        (10, 13, [1, 2, 5, 10, 13]),
        (100, 2308, [1, 2, 5, 10, 20, 50, 100, 200]),
        (60, 2308, [1, 2, 5, 10, 20, 50, 60, 100, 120]),
    ],
)
def test_sizes(k, n_features, sizes):
    assert list_sizes(k, n_features) == sizes


def test_a_number_below_five_is_named_only_if_it_is_the_best():
    apart = (0.0, -0.1, 0.1)
    values = {1: 0.895, 2: 0.899, 5: 0.885, 10: 0.9}
    assert recommend_size(10, values, dict.fromkeys(values, apart)) == 5
    assert recommend_size(10, {**values, 2: 0.9}, dict.fromkeys(values, apart)) == 2


GAPS = (-0.1, -0.015, 0.0, 0.004, 0.015, 0.1)
HALVES = (0.0, 0.003, 0.012, 0.05, 0.3)


def cases():
    """Sizes 5, 10 and 20 with 10 asked for, every gap and width, with and without other rows."""
    for key, value, guess in itertools.product(
        ("accuracy", "balanced_accuracy", "auc"), (0.3, 0.55, 0.9, 1.0), (0.5, 0.9)
    ):
        for below, above, half, n in itertools.product(GAPS, GAPS, HALVES, (8.0, 64.0)):
            rivals = [("S²FS", value + above, above, above - half, above + half)]
            for is_ordered, others in ((True, rivals), (True, []), (False, rivals)):
                yield key, value, guess, below, above, half, n, is_ordered, others


def test_a_grid_of_cases_never_contradicts_its_intervals():
    kinds = set()
    for key, value, guess, below, above, half, n, is_ordered, rivals in cases():
        metric = METRICS[key]
        gaps = {5: below, 20: above}
        estimates = {
            size: (share, *compute_wilson_interval(share, n))
            for size, gap in {**gaps, 10: 0.0}.items()
            for share in [min(1.0, max(0.0, value + gap))]
        }
        against_k = {size: (gap, gap - half, gap + half) for size, gap in gaps.items()}
        found = write_sentences(
            metric,
            k=10,
            name="PairCover",
            n_samples=80,
            n_features=500,
            guess=guess,
            estimates=estimates,
            against_k=against_k,
            n=n,
            n_ungrouped=2 * n,
            balanced=(0.8, 0.7, 0.9),
            all_features=(0.9, above, above - 2 * half, above + 2 * half),
            rivals=rivals,
            is_ordered=is_ordered,
        )
        kinds.add(found.kind)
        check_headline(found, metric, estimates[10], guess, n)
        check_second(found, metric, estimates, against_k, guess, is_ordered)
        check_third(found, above, half, rivals)
        assert str(found).count("[") == 0
        assert not re.search(r"−0\.0+\b(?!\d)|\+0\.0+\b(?!\d)|nan", str(found)), found
    assert kinds == {"better", "cannot", "not shown"}


def check_headline(found: Sentences, metric, estimate, guess, n):
    value, low, _ = estimate
    is_better = low > guess + 1e-9
    assert (found.kind == "better") == is_better
    assert ("do not show" in found.headline) == (found.kind == "not shown")
    if found.kind == "cannot":
        assert metric.key == "accuracy"
        assert value > guess
        assert compute_wilson_interval(1.0, n)[0] <= guess + 1e-9
        assert n <= Z**2 * guess / (1 - guess)
    assert found.headline.count("10 features") == 1


def check_second(found, metric, estimates, against_k, guess, is_ordered):
    second, size = found.second, found.size
    if second is None:
        return
    assert is_ordered
    assert second.endswith(".")
    if found.kind == "not shown":
        assert estimates[size][1] > guess
        assert "chosen on the same folds" in second
    elif size == 10:
        assert "rising" in second
    else:
        relation = name_relation(*against_k[size][1:])
        is_open = "may do better" in second
        assert is_open == (size > 10 and relation == "cannot be told from")
        assert ("do better" in second and not is_open) == (relation == "better than")
        assert ("lose little" in second) == (size < 10 and relation == "worse than")
        assert ("do as well" in second) == (size < 10 and relation == "as good as")
        assert ("-k 20" in second) == (size == 20)
        if size > 10:
            assert relation not in ("as good as", "worse than")
        assert estimates[size][0] >= max(value for value, *_ in estimates.values()) - 0.02 - 1e-9
        assert metric.write(estimates[size][0]) in second


def check_third(found, above, half, rivals):
    if found.third is None:
        assert above - 2 * half <= 1e-9
        assert not rivals or above - half <= 1e-9
    elif found.third.startswith("All 500 features"):
        assert above - 2 * half > 1e-9
    else:
        assert rivals
        assert found.third.startswith("S²FS with 10 features does better")
        assert above - half > 1e-9


@pytest.mark.parametrize(
    ("gap", "half", "words"),
    [
        (0.03, 0.01, "The first one does better: 93.0 % (+3.0, +2.0 to +4.0)."),
        (0.01, 0.05, "The first one did as well here: 91.0 % (+1.0, −4.0 to +6.0)."),
        (0.01, 0.01, "The first one does as well: 91.0 % (+1.0, 0.0 to +2.0)."),
    ],
)
def test_one_feature(gap, half, words):
    found = write_sentences(
        METRICS["accuracy"],
        k=5,
        name="S²FS",
        n_samples=1200,
        n_features=30,
        guess=0.5,
        estimates={1: (0.9 + gap, 0.8, 0.95), 5: (0.9, 0.8, 0.95)},
        against_k={1: (gap, gap - half, gap + half)},
        n=960,
        n_ungrouped=960,
    )
    assert found.second == words
    assert found.size == 1
