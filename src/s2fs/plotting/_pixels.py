"""Selected pixels on pictures (Figs. 10, 11 and 14 to 16 of the paper)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from s2fs.plotting.style import COLUMN_WIDTH, FONT_SIZE, axes_or_new, colour_bar, new_figure, shown

Order = Literal["C", "F"]
#: Bright on the dark and the light parts of a grey picture alike.
_ORDER_OF_SELECTION = "plasma_r"


def plot_pixels(
    ranking: ArrayLike,
    image_shape: tuple[int, int],
    *,
    image: ArrayLike | None = None,
    image_order: Order = "C",
    title: str = "",
    colorbar: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Mark selected pixels on a picture, coloured by the order of selection.

    Parameters
    ----------
    ranking : array-like of int
        The selected features in order of selection.
    image_shape : tuple of int
        Height and width.
    image : array-like of shape (n_features,), optional
        The picture to draw on, laid out as the features are, such as ``X.mean(axis=0)``.
    image_order : {"C", "F"}, default="C"
        How the pixels are laid out: row after row ("C"), or column after column ("F"), as MATLAB
        does.
    title : str, default=""
        What to write above.
    colorbar : bool, default=True
        Whether to show which colour is which place in the order.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        The axes; the last of its images holds the order of selection.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.plotting import plot_pixels
    >>> picture = np.arange(6.0)  # two rows of three, stored column after column
    >>> ax = plot_pixels([1, 4], (2, 3), image=picture, image_order="F")
    >>> ax.images[-1].get_array().filled(0)
    array([[0., 0., 2.],
           [1., 0., 0.]])
    """
    chosen = np.asarray(ranking, dtype=np.intp)
    if image_order not in ("C", "F"):
        raise ValueError(f"image_order is {image_order!r}; use 'C' (by rows) or 'F' (by columns).")
    if len(image_shape) != 2 or min(image_shape) < 1:
        raise ValueError(f"image_shape is {image_shape!r}; give the height and the width.")
    size = image_shape[0] * image_shape[1]
    if chosen.size == 0 or chosen.min() < 0 or chosen.max() >= size:
        raise ValueError(
            f"ranking must hold features from 0 to {size - 1}, the pixels of image_shape "
            f"{image_shape[0]} × {image_shape[1]}; give indices in that range."
        )
    order = np.full(size, np.nan)
    order[chosen] = np.arange(1, len(chosen) + 1)
    ax = axes_or_new(ax, height=COLUMN_WIDTH * 0.85)
    if image is not None:
        pixels = np.asarray(image, dtype=np.float64)
        if pixels.size != size:
            raise ValueError(
                f"image has {pixels.size} pixels, but image_shape is {image_shape[0]} × "
                f"{image_shape[1]}; give the shape of the picture."
            )
        upright = pixels.reshape(image_shape, order=image_order)
        ax.imshow(upright, cmap="gray", interpolation="nearest")
    marked = ax.imshow(
        np.ma.masked_invalid(order.reshape(image_shape, order=image_order)),
        cmap=_ORDER_OF_SELECTION,
        vmin=1,
        vmax=max(2, len(chosen)),
        interpolation="nearest",
    )
    ax.set_xticks([])
    ax.set_yticks([])
    if title:
        ax.set_title(shown(title), fontsize=FONT_SIZE + 1)
    if colorbar:
        whole = MaxNLocator(integer=True)
        colour_bar(marked, ax, "order of selection", shrink=0.8, ticks=whole)
    return ax


def plot_faces(
    X: ArrayLike,
    y: ArrayLike,
    ranking: ArrayLike,
    image_shape: tuple[int, int],
    *,
    image_order: Order = "C",
    n_pixels: Sequence[int] = (10, 20, 50, 100, 150),
    n_columns: int = 8,
) -> Figure:
    """Mark selected pixels on the first picture of each subject.

    The first subject is shown with each number of pixels, the others with the last one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The pictures.
    y : array-like of shape (n_samples,)
        Who is on each picture.
    ranking : array-like of int
        The selected features in order of selection.
    image_shape : tuple of int
        Height and width.
    image_order : {"C", "F"}, default="C"
        How the pixels are laid out, see :func:`plot_pixels`.
    n_pixels : sequence of int, default=(10, 20, 50, 100, 150)
        How many pixels to mark; numbers beyond the ranking are left out.
    n_columns : int, default=8
        How many pictures stand side by side.

    Returns
    -------
    Figure
        A figure as wide as a page with two columns.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.plotting import plot_faces
    >>> X = np.random.default_rng(0).random((6, 16))
    >>> figure = plot_faces(X, [0, 0, 1, 1, 2, 2], [5, 6, 9], (4, 4), n_pixels=(1, 3))
    >>> [ax.get_title() for ax in figure.axes]
    ['0: 1', '0: 3', '1: 3', '2: 3']
    """
    pictures, chosen = np.asarray(X), np.asarray(ranking, dtype=np.intp)
    counts = [k for k in n_pixels if k <= len(chosen)] or [len(chosen)]
    subjects, first = np.unique(np.asarray(y), return_index=True)
    panels = [(first[0], subjects[0], k) for k in counts]
    panels += [(row, subject, counts[-1]) for row, subject in zip(first, subjects, strict=True)][1:]
    n_rows = -(-len(panels) // n_columns)
    height, width = image_shape
    cell = 2 * COLUMN_WIDTH / n_columns
    figure = new_figure(2 * COLUMN_WIDTH, n_rows * (cell * height / width + 0.15))
    for i, (row, subject, k) in enumerate(panels):
        plot_pixels(
            chosen[:k],
            image_shape,
            image=pictures[row],
            image_order=image_order,
            title=f"{subject}: {k}",
            colorbar=False,
            ax=figure.add_subplot(n_rows, n_columns, i + 1),
        )
    return figure
