"""
Selectors side by side
======================

How good are the first 1, 2, … features of a ranking? A prefix curve answers by cross-validation,
with the features selected inside the folds.
"""

from s2fs import S2FS, PairCover
from s2fs.baselines import RandomOrder
from s2fs.datasets import load_srbct
from s2fs.evaluation import prefix_curves
from s2fs_bench import plot_curves
from s2fs_bench.baselines import FDM, SFSS

data = load_srbct()
selectors = {
    "PairCover": PairCover(40),
    "S2FS": S2FS(40),
    "SFSS": SFSS(40),
    "FDM": FDM(40),
    "random order": RandomOrder(40),
}
curves = {
    name: prefix_curves(data.X, data.y, selector, learners=["knn"])["knn"]
    for name, selector in selectors.items()
}

# %%
# SFSS is partly reconstructed from its article; ``status`` says how sure a baseline is.

labels = {cls.__name__: f"{cls.__name__} ({cls.status})" for cls in (SFSS, FDM)}
ax = plot_curves(curves, labels=labels, title="SRBCT, 5 neighbours")
