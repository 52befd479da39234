"""Figures: every function takes results and returns Matplotlib axes or a figure.

Figures are made without ``pyplot``: nothing is shown or kept, save one with
``ax.figure.savefig("figure.pdf")``, or pass ``ax=plt.gca()`` to draw on one of your own.
"""
# ruff: noqa: E402 - the modules below import Matplotlib

from s2fs._utils.optional import need
from s2fs._utils.public import set_modules

need("matplotlib", extra="report", purpose="A figure")

from s2fs.plotting._class_matrix import (
    plot_centroids,
    plot_class_matrix,
    plot_class_separation,
    plot_confusion,
)
from s2fs.plotting._class_tree import plot_class_tree
from s2fs.plotting._features import plot_features
from s2fs.plotting._heatmap import plot_heatmap
from s2fs.plotting._pixels import plot_faces, plot_pixels
from s2fs.plotting._plane import plot_distance_and_direction, plot_plane, two_distributions
from s2fs.plotting._redundancy import plot_redundancy
from s2fs.plotting._roc import plot_roc
from s2fs.plotting._samples import plot_samples
from s2fs.plotting._sizes import plot_sizes
from s2fs.plotting._stability import plot_stability
from s2fs.plotting.geometry import ClassGeometry, class_geometry

__all__ = [
    "ClassGeometry",
    "class_geometry",
    "plot_centroids",
    "plot_class_matrix",
    "plot_class_separation",
    "plot_class_tree",
    "plot_confusion",
    "plot_distance_and_direction",
    "plot_faces",
    "plot_features",
    "plot_heatmap",
    "plot_pixels",
    "plot_plane",
    "plot_redundancy",
    "plot_roc",
    "plot_samples",
    "plot_sizes",
    "plot_stability",
    "two_distributions",
]

set_modules(__name__, [globals()[name] for name in __all__])
