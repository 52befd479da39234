import io
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_curve

from s2fs import compare
from s2fs.evaluation.areas import compute_roc
from s2fs.plotting import plot_roc


@pytest.fixture(scope="module")
def found():
    X, y = load_breast_cancer(return_X_y=True)
    return compare(X[:200], y[:200], k=2, selectors=["paircover"])


def test_the_curve_has_the_area_that_is_shown_and_its_band(found):
    held_out, estimate = found.held_out["PairCover"], found.rows[0].scores["auc"]
    curve = held_out.compute_roc(1)
    assert curve.area == pytest.approx(estimate.value, abs=0.003)
    assert held_out.compute_roc(0).area == pytest.approx(curve.area, abs=0.003)
    ax = plot_roc({"benign $x$": curve}, areas={"benign $x$": estimate.value})
    line = ax.lines[0]
    np.testing.assert_array_equal(line.get_ydata(), curve.sensitivity)
    band = ax.collections[0]
    assert band.get_gid() == "band-0"
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() <= 1
    assert heights.min() >= 0
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [
        rf"benign \$x\$, AUC {estimate.value:.2f}", "guessing", "± s.d. of the repeats"
    ]  # fmt: skip
    buffer = io.StringIO()
    ax.figure.savefig(buffer, format="svg")
    assert "<!-- benign $x$" in buffer.getvalue()


def test_a_curve_of_one_model_is_that_of_scikit_learn_without_a_band():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, 40)
    score = np.round(rng.normal(codes, 1.0), 1)
    scores = np.column_stack([-score, score])
    curve = compute_roc(scores[None, :, 1], codes, np.zeros((1, 40), int), 1)
    ax = plot_roc({"second cohort": curve})
    assert not ax.collections
    rates, sensitivities, _ = roc_curve(codes, score, drop_intermediate=False)
    corners = set(zip(rates.round(9), sensitivities.round(9), strict=True))
    drawn = list(zip(*(data.round(9) for data in ax.lines[0].get_data()), strict=True))
    assert set(drawn) <= corners
    assert all(x <= u and y <= v for (x, y), (u, v) in pairwise(drawn))


def test_more_curves_than_colours_are_dashed(found):
    curve = found.held_out["PairCover"].compute_roc(1)
    ax = plot_roc({str(q): curve for q in range(12)})
    assert [line.get_linestyle() for line in ax.lines[:12]] == ["-"] * 10 + ["--"] * 2
    with pytest.raises(ValueError, match="curves is empty"):
        plot_roc({})
