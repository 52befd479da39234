"""What every reader and loader gives back."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray


class _Arrays(NamedTuple):
    X: Any
    y: NDArray[np.intp]
    feature_names: list[str]
    class_names: list[str]


class Dataset(_Arrays):
    """Instances, their classes, and the names of both.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite float64 numbers. From an ``.h5ad`` file the matrix comes as it is stored there:
        float32 if it is, and a SciPy ``csc_array`` if it is sparse.
    y : ndarray of shape (n_samples,)
        For each instance the position of its class in ``class_names``.
    feature_names : list of str
        One name for each column of ``X``.
    class_names : list of str
        One name for each class.
    image_shape : tuple of int or None
        If each instance is a picture, its height and width.
    image_order : {"C", "F"} or None
        How its pixels are laid out: ``X[i].reshape(image_shape, order=image_order)`` is upright.
    """

    # Not items of the tuple: ``X, y, feature_names, class_names = data`` holds for every dataset.
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] | None = None
