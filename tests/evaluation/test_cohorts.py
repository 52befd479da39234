"""The one word of a second cohort: worked cases, a grid with one word each, and DeLong."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from s2fs.evaluation.areas import compute_delong_error, compute_placements
from s2fs.evaluation.cohorts import estimate_cohort_auc, judge_cohort
from s2fs.evaluation.intervals import compare_cohorts, compute_cohort_interval

VECTORS = json.loads(
    (Path(__file__).parents[1] / "verdict_vectors.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("row", VECTORS["validation"])
def test_worked_words(row):
    n = sum(row["units"])
    second = (row["value"], *row["interval"])
    numbers = {"n_samples": n, "n_classes": 2, "n_units": n}
    found = judge_cohort(second, row["first"], n_first=row["n_first"], **numbers)
    assert found[:2] == (row["word"], row["sentence"])
    assert tuple(found.difference) == pytest.approx(row["difference"], abs=1e-9)
    alone = judge_cohort(second, None, **numbers)
    assert alone == (row["word_without_first"], row["sentence_without_first"], None)


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ((40, 1, 40), "All 40 new samples are of one class."),
        ((40, 2, 1), "All 40 new samples are of one group."),
        ((1, 1, 1), "The one new sample is of one class."),
        ((0, 0, 0), "No new sample is of a class of the panel."),
    ],
)
def test_nothing_to_judge(numbers, sentence):
    n_samples, n_classes, n_units = numbers
    found = judge_cohort(None, None, n_samples=n_samples, n_classes=n_classes, n_units=n_units)
    assert found == ("cannot be judged", sentence, None)


#: The word of each line of the table, by its sentence.
BEGINNINGS = {
    "reversed": "The panel ranks the classes the wrong way round: AUC ",
    "lost": "Nothing shows that the panel tells the classes apart in the new samples: AUC ",
    "cannot be told": "These ",
    "lower": "The panel tells the classes apart, but less well than in the first cohort: AUC ",
    "holds": "The panel holds: AUC ",
    "works": "The panel tells the classes apart in the new samples: AUC ",
}


def test_a_grid_of_cohorts_gets_one_true_word_each():
    seen = set()
    areas = np.round(np.arange(0, 1.0001, 0.05), 2)
    for first_area, area, n_first, n in itertools.product(
        areas, areas, (10, 40, 200), (4, 25, 400)
    ):
        first = compute_cohort_interval(np.array([first_area]), np.full((1, 2), n_first))
        second = compute_cohort_interval(np.array([area]), np.full((1, 2), n))
        numbers = {"n_samples": 2 * n, "n_classes": 2, "n_units": 2 * n}
        for known in (first, None):
            word, sentence, difference = judge_cohort(second, known, n_first=2 * n_first, **numbers)
            seen.add(word)
            assert sentence.startswith(BEGINNINGS[word])
            # What a word says is in the intervals.
            assert (word == "reversed") == (second[2] < 0.5)
            assert (word in ("lost", "cannot be told")) == (second[1] <= 0.5 <= second[2])
            if known is None:
                assert word not in ("lost", "lower", "holds")
                continue
            assert difference == compare_cohorts(first, second)
            if word in ("lost", "lower"):
                assert difference.high < 0
            if word in ("holds", "works", "cannot be told"):
                assert difference.high >= 0
            if word == "holds":
                assert first[1] > 0.5
                assert difference.low >= -0.1 - 1e-9
            if word == "works" and first[1] > 0.5:
                assert difference.low < -0.1
                assert "cannot tell: between" in sentence
            assert ("swapped" in sentence) == (word == "reversed" and first[1] > 0.5)
    assert seen == set(BEGINNINGS)


def draw(rng, n_of_classes, gap=1.0):
    """Scores of a model for each class, rounded so that some are equal."""
    codes = np.repeat(np.arange(len(n_of_classes)), n_of_classes)
    scores = rng.normal(size=(len(codes), len(n_of_classes)))
    scores[np.arange(len(codes)), codes] += gap
    scores = np.exp(scores)
    return np.round(scores / scores.sum(axis=1, keepdims=True), 1), codes


def test_auc_of_a_cohort_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    scores, codes = draw(rng, (12, 30, 9))
    scores[:, 0] += 1 - scores.sum(axis=1)
    found = estimate_cohort_auc(scores, codes)
    assert found.value == pytest.approx(roc_auc_score(codes, scores, multi_class="ovo"))
    assert found.low < found.value < found.high
    without = estimate_cohort_auc(scores[codes != 2], codes[codes != 2])
    of_first = np.concatenate([scores[codes == 0, 0], scores[codes == 1, 0]])
    of_second = np.concatenate([scores[codes == 0, 1], scores[codes == 1, 1]])
    is_second = np.repeat([0, 1], [12, 30])
    mean = (roc_auc_score(1 - is_second, of_first) + roc_auc_score(is_second, of_second)) / 2
    assert without.value == pytest.approx(mean)
    assert estimate_cohort_auc(scores[codes == 1], codes[codes == 1]) is None


def compute_literally(positive, negative):
    """DeLong's variance from all pairs, sample by sample."""
    kernel = [[(p > q) + (p == q) / 2 for q in negative] for p in positive]
    v = [sum(row) / len(negative) for row in kernel]
    w = [sum(column) / len(positive) for column in zip(*kernel, strict=True)]
    area = sum(v) / len(v)
    s_10 = sum((x - area) ** 2 for x in v) / (len(v) - 1)
    s_01 = sum((x - area) ** 2 for x in w) / (len(w) - 1)
    return (s_10 / len(v) + s_01 / len(w)) ** 0.5


def test_delong_against_all_pairs():
    rng = np.random.default_rng(1)
    scores, codes = draw(rng, (14, 11))
    scores[:, 0] = 1 - scores[:, 1]
    placements = compute_placements(scores, codes)
    found = compute_delong_error(placements, codes, (0, 1))
    positive, negative = scores[codes == 1, 1], scores[codes == 0, 1]
    assert found == pytest.approx(compute_literally(positive.tolist(), negative.tolist()))
    # Groups of one sample each are none.
    assert compute_delong_error(placements, codes, (0, 1), rng.permutation(25)) == found


def test_delong_over_groups():
    """Each sample three times: as precise as the samples, not as three times as many."""
    rng = np.random.default_rng(2)
    scores, codes = draw(rng, (30, 30))
    once = compute_delong_error(compute_placements(scores, codes), codes, (0, 1))
    rows = np.repeat(np.arange(60), 3)
    placements = compute_placements(scores[rows], codes[rows])
    grouped = compute_delong_error(placements, codes[rows], (0, 1), rows)
    assert grouped == pytest.approx(once, rel=0.03)
    assert compute_delong_error(placements, codes[rows], (0, 1)) < 0.7 * once
    assert estimate_cohort_auc(scores[rows], codes[rows], rows).se == pytest.approx(
        estimate_cohort_auc(scores, codes).se, rel=0.03
    )
