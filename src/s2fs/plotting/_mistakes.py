"""Which classes are told apart, and which are taken for each other."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from sklearn.metrics import confusion_matrix

from s2fs.plotting._classes import plot_class_matrix
from s2fs.plotting._geometry import class_geometry
from s2fs.plotting.style import COLUMN_WIDTH, coded, finish, names_or_numbers, new_figure


def plot_confusion(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw how many samples of each class were taken for which class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes.
    y_pred : array-like of shape (n_samples,)
        What the samples were taken for, such as ``compare(X, y).predictions["S2FS"]``.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.
    title : str, default=""
        What to write above.
    ax : Axes, optional
        Where to draw; by default on a new figure, found as ``ax.figure``.

    Returns
    -------
    Axes
        A row for each class, a column for each prediction.

    Examples
    --------
    >>> from s2fs.plotting import plot_confusion
    >>> ax = plot_confusion(["a", "a", "b"], ["a", "b", "b"])
    >>> ax.images[0].get_array().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    true, said = np.asarray(y_true), np.asarray(y_pred)
    if true.shape != said.shape:
        raise ValueError(
            f"y_pred has the shape {said.shape}, and y_true {true.shape}; give a label per sample."
        )
    labels = np.unique(np.concatenate([true, said]))
    names = names_or_numbers(labels.tolist() if class_names is None else class_names, len(labels))
    table = confusion_matrix(true, said, labels=labels)
    ax = plot_class_matrix(table, class_names=names, label="samples", title=title, ax=ax)
    finish(ax, xlabel="taken for", ylabel="class", title=title)
    return ax


def plot_coverage(
    X: ArrayLike,
    y: ArrayLike,
    chosen: ArrayLike,
    *,
    class_names: Sequence[str] | None = None,
) -> Figure:
    """Draw how well every two classes are apart, in all features and in the chosen ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        All features, on one scale such as [0, 1].
    y : array-like of shape (n_samples,)
        Class labels.
    chosen : array-like of int
        The chosen features, such as the ``indices_`` of a selector.
    class_names : sequence of str, optional
        The names of the classes, in sorted order of the labels.

    Returns
    -------
    Figure
        Two maps of class by class on one colour scale. A number is the distance of two centroids in
        units of the mean distance of the samples to their own.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from s2fs import S2FS
    >>> from s2fs.plotting import plot_coverage
    >>> X, y = load_wine(return_X_y=True)
    >>> figure = plot_coverage(minmax_scale(X), y, S2FS(3).fit(X, y).indices_)
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['all 13 features', '3 chosen']
    """
    values, codes, labels = coded(X, y)
    names = names_or_numbers(labels if class_names is None else class_names, len(labels))
    columns = np.asarray(chosen, dtype=np.intp)
    panels = {
        f"all {values.shape[1]} features": class_geometry(values, codes).separation,
        f"{len(columns)} chosen": class_geometry(values[:, columns], codes).separation,
    }
    tables = [table.copy() for table in panels.values()]
    for table in tables:
        np.fill_diagonal(table, np.nan)
    largest = max(float(table[np.isfinite(table)].max(initial=1.0)) for table in tables)
    figure = new_figure(2 * COLUMN_WIDTH, COLUMN_WIDTH * 0.85)
    for ax, title, table in zip(figure.subplots(1, 2), panels, tables, strict=True):
        plot_class_matrix(
            np.where(np.isinf(table), largest, table),
            class_names=names,
            label="distance in spreads",
            limits=(0.0, largest),
            title=title,
            ax=ax,
        )
    return figure
