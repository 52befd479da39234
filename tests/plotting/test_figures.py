import io

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from s2fs import S2FS
from s2fs.evaluation import Curve
from s2fs.plotting import (
    class_geometry,
    plot_centroids,
    plot_class_matrix,
    plot_curves,
    plot_memberships,
    plot_path,
    plot_plane,
)
from s2fs.plotting.style import line_styles, shown

PAPER = ["S2FS", "SFSS", "FDM", "FSNMER", "IPD", "MDP", "N3Y", "RDSI", "FGZEFSR", "MAFRFS"]


def curve(*values, score="accuracy"):
    return Curve("knn", np.arange(1, len(values) + 1), {score: np.array(values)})


def drawn(figure):
    """The figure as SVG; drawing must not warn, for warnings are errors."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg")
    return buffer.getvalue()


def test_no_two_algorithms_look_alike_even_in_grey():
    looks = line_styles(PAPER)
    assert len({look.color for look in looks.values()}) == len(PAPER)
    assert len({(look.linestyle, look.marker) for look in looks.values()}) == len(PAPER)
    # On white paper every colour is dark enough to be seen.
    luminance = [np.dot(to_rgb(look.color), [0.2126, 0.7152, 0.0722]) for look in looks.values()]
    assert max(luminance) < 0.75


def test_an_algorithm_looks_the_same_in_every_figure():
    looks = line_styles(PAPER)
    assert line_styles(["MDP", "stranger"])["MDP"] == looks["MDP"]
    among = line_styles(["one", "two", "S2FS"])
    assert len(set(among.values())) == 3
    assert among["S2FS"] == looks["S2FS"]


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


def test_plane_shows_instances_centroids_and_arrows_to_the_nearest():
    X = np.array([[0.0, 0], [2, 0], [5, 0], [7, 0], [20, 0], [22, 0]])
    ax = plot_plane(X, [0, 0, 1, 1, 2, 2], class_names=["a", "b", "c"])
    points = {c.get_gid(): np.asarray(c.get_offsets()).tolist() for c in ax.collections}
    assert points["class-1"] == [[5, 0], [7, 0]]
    assert points["centres"] == [[1, 0], [6, 0], [21, 0]]
    arrows = [(text.xyann, text.xy) for text in ax.texts if text.get_text() == ""]
    assert arrows == [((1, 0), (6, 0)), ((6, 0), (1, 0)), ((21, 0), (6, 0))]
    with pytest.raises(ValueError, match="give two columns"):
        plot_plane(X[:, :1], [0, 0, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="class_names has 1 entries for 3 classes"):
        plot_plane(X, [0, 0, 1, 1, 2, 2], class_names=["a"])


def test_centroid_maps():
    X = np.array([[0.0, 0], [0, 0], [3, 0], [3, 0], [0, 4], [0, 4]])
    figure = plot_centroids(class_geometry(X, [0, 0, 1, 1, 2, 2]))
    distance, turn = (ax.images[0].get_array() for ax in figure.axes[:2])
    assert distance.filled(-1).tolist() == [[-1, 3, 4], [3, -1, 5], [4, 5, -1]]
    expected = [
        [-1, 0, 90],
        [0, -1, np.degrees(np.arctan2(4, 3))],
        [0, np.degrees(np.arctan(0.75)), -1],
    ]
    np.testing.assert_allclose(turn.filled(-1), expected)
    drawn(figure)


def test_many_classes_leave_out_the_numbers():
    assert len(plot_class_matrix(np.ones((12, 12))).texts) == 144
    assert len(plot_class_matrix(np.ones((26, 26))).texts) == 0


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


def test_names_are_shown_as_they_are_unless_long():
    assert shown("V153") == "V153"
    assert shown("S2FS") == "S²FS"
    assert len(shown("x" * 500)) == 28
    svg = drawn(plot_curves({"S2FS": curve(1.0)}, title="5 $ a $").figure)
    assert "<!-- 5 $ a $ -->" in svg
