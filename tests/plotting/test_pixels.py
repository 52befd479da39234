import numpy as np
import pytest

from s2fs import S2FS
from s2fs.plotting import plot_faces, plot_pixels

HEIGHT, WIDTH = 5, 3


def picture(row, column):
    upright = np.zeros((HEIGHT, WIDTH))
    upright[row, column] = 1
    return upright


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("corner", [(0, 0), (0, WIDTH - 1), (HEIGHT - 1, 0), (3, 1)])
def test_a_pixel_is_marked_where_it_belongs(order, corner):
    """The selected pixel is the bright one of the picture, and the picture is upright."""
    upright = picture(*corner)
    flat = upright.ravel(order=order)
    ax = plot_pixels([int(flat.argmax())], (HEIGHT, WIDTH), image=flat, image_order=order)
    below, marked = ax.images
    np.testing.assert_array_equal(below.get_array(), upright)
    np.testing.assert_array_equal(marked.get_array().filled(0), upright)
    assert ax.yaxis_inverted()  # the first row is at the top


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_selector_finds_and_marks_the_pixel_that_differs(order):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    pictures = rng.random((20, HEIGHT, WIDTH))
    pictures[:, 4, 0] = y + 0.01 * rng.random(20)
    X = np.array([one.ravel(order=order) for one in pictures])
    selector = S2FS(3).fit(X, y)
    figure = plot_faces(
        X, y, selector.indices_, (HEIGHT, WIDTH), image_order=order, n_pixels=[1, 3]
    )
    assert [ax.get_title() for ax in figure.axes] == ["0: 1", "0: 3", "1: 3"]
    for ax, first in zip(figure.axes, (0, 0, 10), strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), pictures[first])
        assert ax.images[1].get_array()[4, 0] == 1
    assert figure.axes[1].images[1].get_array().count() == 3


@pytest.mark.parametrize("name", ["orl", "yale"])
def test_faces_are_upright(paper_data, name):
    """Faces are nearly symmetric left to right, and not top to bottom."""
    X, y = paper_data(name)
    ax = plot_pixels([0], (32, 32), image=X.mean(axis=0), image_order="F")
    face = ax.images[0].get_array()
    asymmetry = [np.abs(face - face[:, ::-1]).mean(), np.abs(face - face[::-1]).mean()]
    assert asymmetry[0] < asymmetry[1] / 2
    assert len(np.unique(y)) in (15, 40)


def test_bad_input_is_told():
    with pytest.raises(ValueError, match="image_order is 'A'"):
        plot_pixels([0], (2, 2), image_order="A")
    with pytest.raises(ValueError, match="image_shape is"):
        plot_pixels([0], (0, 2))
    with pytest.raises(ValueError, match="ranking must hold features from 0 to 3"):
        plot_pixels([4], (2, 2))
    with pytest.raises(ValueError, match="image has 5 pixels"):
        plot_pixels([0], (2, 2), image=np.zeros(5))
