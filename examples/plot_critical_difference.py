"""
Ranks over datasets
===================

The numbers the S²FS paper gives in its Tables 2 to 5 come with the package. A critical-difference
diagram shows the average rank of each algorithm over the ten datasets. Algorithms that the Nemenyi
test cannot tell apart are joined by a bar. These are the published numbers, not ours.
"""

import numpy as np

from s2fs_bench import friedman_test, nemenyi_test, plot_critical_difference, published_results

published = published_results()
datasets = sorted({dataset for _, _, dataset, _ in published})
algorithms = sorted({algorithm for _, _, _, algorithm in published})

# %%
# Accuracy of the nearest neighbours, averaged over the top 1 to 150 features.

scores = np.array([[published["knn", "ave", d, a] for a in algorithms] for d in datasets])
print(friedman_test(scores))
result = nemenyi_test(scores, names=algorithms)
ax = plot_critical_difference(result, title="kNN, as published")

# %%
# The same for the mutual information of k-means.

scores = np.array([[published["kmeans", "ave", d, a] for a in algorithms] for d in datasets])
result = nemenyi_test(scores, names=algorithms)
ax = plot_critical_difference(result, title="k-means, as published")
