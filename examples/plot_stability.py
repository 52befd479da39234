"""
Features that come back
=======================

A selection from few samples depends on which samples those are. Selecting again and again from
random halves shows which features can be relied on.
"""

from s2fs import S2FS, StabilitySelector
from s2fs.datasets import load_srbct
from s2fs.plotting import plot_stability

data = load_srbct()
selector = StabilitySelector(selector=S2FS(20), n_resamples=20).fit(data.X, data.y)

# %%
# How often the most frequent genes were among the 20 chosen, in 20 random halves of the samples.
# Filled are those chosen in three of four halves.

ax = plot_stability(
    selector.frequencies_,
    feature_names=data.feature_names,
    threshold=0.75,
    stability=selector.stability_,
    title="SRBCT, 20 of 2308 genes",
)

# %%
# Many genes tell the same: one half prefers this one, the other half that one. So the sets agree
# far better than by chance (0), but far from perfectly (1).

index = selector.stability_
print(f"stability {index.value:.2f}, from {index.low:.2f} to {index.high:.2f}")
