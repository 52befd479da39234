"""Figures: every function takes results and returns Matplotlib axes or a figure.

Figures are made without ``pyplot``: nothing is shown or kept, save one with
``ax.figure.savefig("figure.pdf")``, or pass ``ax=plt.gca()`` to draw on one of your own.
"""
# ruff: noqa: E402 - the modules below import Matplotlib

from s2fs._util.optional import need

need("matplotlib", extra="report", purpose="A figure")

from s2fs.plotting._chosen import (
    plot_features,
    plot_heatmap,
    plot_redundancy,
    plot_samples,
    plot_stability,
)
from s2fs.plotting._classes import (
    plot_centroids,
    plot_class_matrix,
    plot_confusion,
    plot_coverage,
    plot_distance_and_direction,
    plot_memberships,
    plot_plane,
    two_distributions,
)
from s2fs.plotting._curves import plot_curve_panels, plot_curves, plot_path, plot_sizes
from s2fs.plotting._pixels import plot_faces, plot_pixels
from s2fs.plotting.geometry import ClassGeometry, class_geometry

__all__ = [
    "ClassGeometry",
    "class_geometry",
    "plot_centroids",
    "plot_class_matrix",
    "plot_confusion",
    "plot_coverage",
    "plot_curve_panels",
    "plot_curves",
    "plot_distance_and_direction",
    "plot_faces",
    "plot_features",
    "plot_heatmap",
    "plot_memberships",
    "plot_path",
    "plot_pixels",
    "plot_plane",
    "plot_redundancy",
    "plot_samples",
    "plot_sizes",
    "plot_stability",
    "two_distributions",
]
