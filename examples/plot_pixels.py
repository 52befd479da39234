"""
Selected pixels
===============

Where features are pixels, a selection is a picture. The handwritten digits of scikit-learn have
8 × 8 pixels and ten classes.
"""

import numpy as np
from sklearn.datasets import load_digits

from s2fs import S2FS
from s2fs.plotting import plot_faces, plot_pixels

X, y = load_digits(return_X_y=True)

# %%
# Some pixels at the border are empty in all pictures but a few. The criterion overrates such
# features (see *What the criterion sees*), so they are left out first.

rare = np.flatnonzero((X > 0).mean(axis=0) < 0.1)  # with ink in less than a tenth of the pictures
pixels = S2FS(15, exclude=rare).fit(X, y).indices_

# %%
# The order of choice as colour, over the mean image.

ax = plot_pixels(pixels, (8, 8), image=X.mean(axis=0), title="15 of 64 pixels")

# %%
# The same pixels on the first picture of each digit, the digit 0 with 5, 10 and 15 of them.
# Pictures stored column after column, as MATLAB does, need ``image_order="F"``.

figure = plot_faces(X, y, pixels, (8, 8), n_pixels=(5, 10, 15), n_columns=6)
