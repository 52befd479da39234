"""
Does a panel hold in a second cohort?
=====================================

The study of these four tumours had 63 samples to learn from and 20 blind ones to be tested on. A
panel of three genes is fitted to the first and judged on the second.
"""

import numpy as np
import pandas as pd

from s2fs import PairCover, Panel
from s2fs.datasets import load_srbct
from s2fs.plotting import plot_roc
from s2fs.plotting.colours import CLASS_COLOURS

data = load_srbct()
X = pd.DataFrame(data.X, columns=data.feature_names, index=data.sample_ids)
y = np.array(data.class_names)[data.y]
first, second = slice(0, 63), slice(63, 83)

# %%
# Held-out samples of the first cohort say what to expect:

panel = Panel(PairCover(3)).fit(X[first], y[first])
found = panel.evaluate(X[first], y[first])
print(found.headline)

# %%
# The second cohort gives one word, and the numbers behind it:

validation = panel.validate(X[second], y[second])
print(validation.sentence)

# %%
# Each tumour against the others; dashed are the held-out samples of the first cohort. The steps of
# the new samples are coarse, for there are three to six of each tumour.

curves = {f"{name}, new samples": curve for name, curve in validation.curves.items()}
curves |= {f"{name}, first cohort": curve for name, curve in validation.first_curves.items()}
roc = plot_roc(curves, colours=CLASS_COLOURS[:4], title="three genes")
