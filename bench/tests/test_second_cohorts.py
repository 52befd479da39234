"""The study of second cohorts: its law is the one it says, and its words are the validation's."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from test_studies import load


def test_pairs_of_cohorts_get_the_words_that_the_study_counts():
    """A few pairs of the study: its law is the one it says, and the shares add up."""
    study = load("second_cohorts")
    rng = np.random.default_rng(0)
    panel = study.make_panel(*study.draw(rng, 50, 100, 1.1))
    own = study.find_true_auc(panel, 1.1)
    X, codes = study.draw(rng, 4000, 8000, 1.1)
    assert roc_auc_score(codes, panel.predict_proba(X)[:, 1]) == pytest.approx(own, abs=0.01)
    X, codes, lower = study.draw_second("lower by 0.10", rng, panel, 8000, 1.1)
    assert lower == pytest.approx(own - 0.10)
    assert roc_auc_score(codes, panel.predict_proba(X)[:, 1]) == pytest.approx(lower, abs=0.02)
    words = [study.judge(panel, *study.draw_second(design, rng, panel, 400, 1.1)[:2])
             for design in ("same law", "shifted", "half signal", "permuted")]  # fmt: skip
    assert words[:2] == ["holds", "holds"]
    assert words[2] == "lower"
    assert words[3] in ("lost", "reversed")


def test_the_limits_are_those_of_the_shares():
    study = load("second_cohorts")
    words = dict.fromkeys(study.WORDS, 0.0)
    line = {"first": 200, "second": 150, "signal": "0.95", "design": "same law", "pairs": 200,
            "true AUC": 0.95, **words, "holds": 0.9, "lower": 0.1}  # fmt: skip
    found = [(row[3], row[-1]) for row in study.check_limits([line])]
    assert found == [("lower, lost, reversed", "not kept"), ("holds, works", "not kept"),
                     ("holds", "kept")]  # fmt: skip
