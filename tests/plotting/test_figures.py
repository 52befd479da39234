import io

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from s2fs.plotting import (
    class_geometry,
    plot_centroids,
    plot_class_matrix,
    plot_plane,
)
from s2fs.plotting.style import line_styles, shown

PAPER = ["S2FS", "SFSS", "FDM", "FSNMER", "IPD", "MDP", "N3Y", "RDSI", "FGZEFSR", "MAFRFS"]


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


@pytest.mark.parametrize("name", ["$x$", "a$b", "$\\frac{", "two\nlines", "\x00", "x" * 500])
def test_any_name_can_be_drawn(name):
    X = np.array([[0.0, 0], [2, 0], [5, 0], [7, 0]])
    ax = plot_plane(X, [0, 0, 1, 1], class_names=[name, "b"])
    assert "<svg" in drawn(ax.figure)


def test_names_are_shown_as_they_are_unless_long():
    assert shown("V153") == "V153"
    assert shown("S2FS") == "S²FS"
    assert len(shown("x" * 500)) == 28
    X = np.array([[0.0, 0], [2, 0], [5, 0], [7, 0]])
    svg = drawn(plot_plane(X, [0, 0, 1, 1], class_names=["5 $ a $", "b"]).figure)
    assert "<!-- 5 $ a $ -->" in svg
