"""
The selected genes at a glance
==============================

A heat map of the selected features says what a table of numbers does not: which feature is high in
which class, which samples do not fit, and which features say the same.
"""

from s2fs import PairCover
from s2fs.datasets import load_srbct
from s2fs.plotting import plot_heatmap

data = load_srbct()
selector = PairCover(30).fit(data.X, data.y)
selected = data.X[:, selector.indices_]
genes = [data.feature_names[f] for f in selector.indices_]

# %%
# A row is a gene, a column a sample. The genes stand in the order of the tumours they stand out in.

ax = plot_heatmap(selected, data.y, feature_names=genes, class_names=data.class_names)
