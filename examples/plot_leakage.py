"""
Selecting before the split flatters
===================================

Pure noise: 60 samples, 2000 features, and labels drawn at random. Nobody can predict them, so an
honest accuracy is 50 %.
"""

import numpy as np

from s2fs import PairCover
from s2fs.evaluation import prefix_curves
from s2fs_bench import plot_curves

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2000))
y = np.repeat([0, 1], 30)

# %%
# Selected on all samples before the cross-validation, the features have seen the labels of the
# samples they are scored on. Selected inside the folds, on the training samples alone, they have
# not.

curves = {
    label: prefix_curves(X, y, PairCover(40), learners=["knn"], protocol=protocol)["knn"]
    for label, protocol in {"before the split": "before", "inside the folds": "inside"}.items()
}
ax = plot_curves(curves, title="5 neighbours on noise")
ax.axhline(0.5, color="0.5", linewidth=0.8, linestyle=":")

# %%
# ``before`` exists to show this difference, and to compare with publications that selected that
# way; its results are marked as leaky everywhere.

for label, curve in curves.items():
    print(f"{label}: {curve.ave:.0%} on average over the sizes, {curve.max:.0%} at best")
