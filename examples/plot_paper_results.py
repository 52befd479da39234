"""
The paper's experiments, repeated
=================================

The results of our repeat come with the source, so the paper's figures can be drawn without running
anything: ``s2fs figures benchmarks/results/paper.npz --out figures`` draws all of them. Here are
two.
"""

from pathlib import Path

from s2fs.bench import (
    build_tables,
    compare_ranks,
    open_results,
    plot_critical_difference,
    plot_sensitivity,
    results,
)

with open_results(Path("..", "benchmarks", "results", "paper.npz")) as archive:
    found = list(results(archive))

# %%
# Who is better than whom under 5 nearest neighbours, by the average over the sizes? Bars join what
# the Nemenyi test cannot tell apart. S²FS takes part with its best weights, as in the paper.
# Baselines marked † are reconstructed, those marked ‡ partly.

table = next(t for t in build_tables(found) if (t.learner, t.statistic) == ("knn", "ave"))
comparison = next(compare_ranks(table))
print(comparison.n_datasets, "datasets")
signs = {"reconstructed": "†", "partly reconstructed": "‡", "": ""}
labels = {c.algorithm: c.algorithm + signs[c.status] for c in comparison.columns}
ax = plot_critical_difference(comparison.nemenyi, labels=labels)

# %%
# How much do the weights matter? The average accuracy of 5 nearest neighbours on the tumours, for
# all pairs; the frame is what the paper recommends.

grid = {
    r.weights: r.curves["knn"].ave
    for r in found
    if (r.run.dataset, r.selector.name) == ("srbct", "S2FS") and r.weights is not None
}
alphas, betas = (sorted(set(values)) for values in zip(*grid, strict=True))
scores = [[grid[a, b] for b in betas] for a in alphas]
ax = plot_sensitivity(scores, alphas=alphas, betas=betas, label="average accuracy", title="SRBCT")
