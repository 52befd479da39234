"""Drawings of curves, of a path and of memberships."""

import io

import numpy as np
import pytest

from s2fs import S2FS
from s2fs.evaluation import Curve
from s2fs.plotting import class_geometry
from s2fs_bench import plot_curves, plot_memberships, plot_path


def curve(*values, score="accuracy"):
    return Curve("knn", np.arange(1, len(values) + 1), {score: np.array(values)})


def drawn(figure):
    """The figure as SVG; drawing must not warn, for warnings are errors."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg")
    return buffer.getvalue()


def test_curves_show_the_scores_with_ours_on_top():
    curves = {"FDM": curve(0.5, 0.75), "S2FS": curve(0.6, 0.9), "IPD": curve(0.4, 0.5)}
    ax = plot_curves(curves, title="Wine")
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["FDM"].get_ydata().tolist() == [0.5, 0.75]
    assert lines["S²FS"].get_xdata().tolist() == [1, 2]
    others = [lines["FDM"], lines["IPD"]]
    assert all(lines["S²FS"].get_zorder() > line.get_zorder() for line in others)
    assert all(lines["S²FS"].get_linewidth() > line.get_linewidth() for line in others)
    assert (ax.get_ylabel(), ax.get_title()) == ("accuracy", "Wine")


def test_figures_are_one_column_wide_or_drawn_where_told():
    from matplotlib.figure import Figure

    assert plot_curves({"S2FS": curve(1.0)}).figure.get_figwidth() == 3.5
    ax = Figure().add_subplot()
    assert plot_curves({"S2FS": curve(1.0)}, ax=ax) is ax


def test_curves_of_different_scores_are_not_mixed():
    with pytest.raises(ValueError, match="mixes the scores accuracy and nmi"):
        plot_curves({"A": curve(1.0), "B": curve(1.0, score="nmi")})
    with pytest.raises(ValueError, match="curves is empty"):
        plot_curves({})


def test_path_shows_sep_and_its_components():
    rng = np.random.default_rng(0)
    path = S2FS(5).fit(rng.random((20, 8)), np.arange(20) % 3).path_
    above, below = plot_path(path, suggested=3).axes
    (sep,) = (line for line in above.lines if line.get_gid() == "sep")
    assert sep.get_ydata().tolist() == path["sep"].tolist()
    assert above.lines[1].get_xdata() == [3, 3]
    by_word = {line.get_label().rpartition(", ")[2]: list(line.get_ydata()) for line in below.lines}
    fields = {"apart": "lambda_dis", "turned apart": "lambda_dir", "turned away": "theta_dir"}
    for word, field in fields.items():
        assert by_word[word] == path[field].tolist()


def test_path_of_classes_that_are_points_can_be_drawn():
    path = S2FS(1).fit([[0.0], [0], [1], [1]], [0, 0, 1, 1]).path_
    assert path["sep"].tolist() == [1e12]
    assert "<svg" in drawn(plot_path(path))


def test_memberships_stand_class_by_class_the_surest_first():
    X = np.array([[0.0], [10], [1], [4], [9], [7.5]])
    geometry = class_geometry(X, [0, 1, 0, 0, 1, 1])
    table = plot_memberships(geometry).images[0].get_array()
    assert table.shape == (2, 6)
    np.testing.assert_allclose(table.sum(axis=0), 1)
    for q, block in enumerate((table[:, :3], table[:, 3:])):
        assert (np.diff(block[q]) <= 0).all()


@pytest.mark.parametrize("name", ["$x$", "a$b", "$\\frac{", "two\nlines", "\x00", "x" * 500])
def test_any_name_can_be_drawn(name):
    ax = plot_curves({name: curve(0.5, 0.6), "S2FS": curve(1.0, 1.0)}, title=name)
    assert "<svg" in drawn(ax.figure)
