"""Figures of the weights: their sensitivity, and variants without some of them."""

import io

import numpy as np
import pytest

from s2fs_bench import plot_sensitivity, plot_variants


def test_sensitivity_marks_the_recommended_cells_and_the_best():
    scores = np.zeros((9, 9))
    scores[2, 7] = 1
    ax = plot_sensitivity(scores)
    (region,) = ax.patches
    assert (region.get_xy(), region.get_width(), region.get_height()) == ((-0.5, -0.5), 4, 4)
    assert [label.get_text() for label in ax.get_xticklabels()][:4] == [
        "0.01",
        "0.0178",
        "0.0316",
        "0.0562",
    ]
    assert (ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()) == ([7], [2])
    assert ax.images[0].get_array()[2, 7] == 1
    ax.figure.savefig(io.BytesIO())  # nothing that only shows when it is drawn


def test_sensitivity_without_recommended_weights_marks_no_region():
    ax = plot_sensitivity(np.eye(2), alphas=[0.1, 1], betas=[0.01, 0.0562])
    assert len(ax.patches) == 0
    with pytest.raises(ValueError, match=r"scores has shape \(2, 2\)"):
        plot_sensitivity(np.eye(2))


def test_variants_show_medians_and_every_score():
    scores = {"S2FS": [0.9, 0.7, 0.8], "S²–DWC": [0.6, 0.5, 0.9]}
    ax = plot_variants(scores)
    medians = [line.get_ydata()[0] for line in ax.lines if line.get_gid()]
    assert medians == [0.8, 0.6]
    points = [line.get_ydata().tolist() for line in ax.lines if line.get_marker() in ("o", "s")]
    assert points == list(scores.values())
    box = plot_variants(scores, kind="box")
    assert sorted({y for line in box.lines for y in line.get_ydata()[:1]} & {0.8, 0.6}) == [
        0.6,
        0.8,
    ]
    with pytest.raises(ValueError, match="kind is 'violin'"):
        plot_variants(scores, kind="violin")
    with pytest.raises(ValueError, match="one score per dataset"):
        plot_variants({"A": [1.0], "B": [1.0, 2.0]})
