"""
With and without direction
==========================

The paper's variants leave direction out of compactness (S²–DWC), of separation (S²–DBS), or of
both. They are special cases of the same estimator.
"""

from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from s2fs import S2FS
from s2fs.datasets import load_srbct
from s2fs.evaluation import prefix_curves
from s2fs_bench import plot_variants

srbct = load_srbct()
tables = [load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer)]
tables.append((srbct.X, srbct.y))
variants = {
    "S2FS": {},
    "S²–DWC": {"alpha": 0},
    "S²–DBS": {"beta": 0},
    "S²–DWC–DBS": {"alpha": 0, "beta": 0},
}

# %%
# One grey line per dataset: the accuracy of nearest neighbours, averaged over the first 1 to 20
# features (fewer where there are not as many), selected inside 5 folds. The bar is the median.

scores = {}
for name, weights in variants.items():
    scores[name] = [
        prefix_curves(X, y, S2FS(min(20, X.shape[1]), **weights), learners=["knn"], cv=5)["knn"].ave
        for X, y in tables
    ]
ax = plot_variants(scores, label="average accuracy of 5 nearest neighbours")

# %%
# The variants differ by less than half a percent: on tables as easy as these direction hardly
# matters. The bench compares them on the data of the paper (``s2fs bench run variants``).
