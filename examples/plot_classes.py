"""
The classes in the plane
========================

The criterion sees samples, the centroids of the classes, and the vectors between them. In two
features all of that can be drawn.
"""

import numpy as np
from sklearn.preprocessing import minmax_scale

from s2fs import S2FS
from s2fs.datasets import load_srbct
from s2fs.plotting import class_geometry, plot_centroids, plot_plane

data = load_srbct()
selector = S2FS(6, scale="minmax").fit(data.X, data.y)
X = minmax_scale(data.X)  # what the selector sees
names = np.array(data.feature_names)

# %%
# The two genes that are selected first. A thin line leads from each sample to the centroid of its
# own class: Θ_dis is their mean length, and Θ_dir asks how much they point another way than the
# lines to the other centroids. An arrow leads from each centroid to the nearest other one: Λ_dis is
# their mean length, and Λ_dir asks how far the remaining centroids lie in other directions.

first_two = selector.indices_[:2]
plane = plot_plane(
    X[:, first_two], data.y, feature_names=names[first_two], class_names=data.class_names
)

# %%
# With six genes there is no plane to look at any more, but the centroids still have distances, and
# angles between the direction to the nearest and those to the others.

geometry = class_geometry(X[:, selector.indices_], data.y)
figure = plot_centroids(geometry, class_names=data.class_names)
