"""
Features that are selected again
================================

A selection from few samples depends on which samples those are. Selecting again and again from
random halves shows which features can be relied on.
"""

from s2fs import PairCover, StabilitySelector
from s2fs.datasets import load_srbct
from s2fs.plotting import plot_stability

data = load_srbct()
selector = StabilitySelector(selector=PairCover(10), n_resamples=50).fit(data.X, data.y)

# %%
# How often the most frequent genes were among the ten selected, in 50 random halves of the samples.
# Filled are those selected in six of ten halves.

ax = plot_stability(
    selector.frequencies_,
    feature_names=data.feature_names,
    threshold=0.6,
    stability=selector.stability_,
)

# %%
# Many genes tell the same: one half prefers this one, the other half that one. So the sets agree
# far better than by chance (0), but far from perfectly (1).

index = selector.stability_
print(f"stability {index.value:.2f}, from {index.low:.2f} to {index.high:.2f}")
