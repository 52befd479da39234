"""
Distance is not enough
======================

Two pairs of classes with the same centroids, and with every instance as far from its centroid in
one picture as in the other (after Fig. 1 of the S²FS paper). Measured by distance alone they are
equally compact. But in the first the classes stretch towards each other, in the second past each
other. Θ_dir, the compactness by direction, tells them apart.
"""

from s2fs import separability
from s2fs.plotting import plot_distance_and_direction, two_distributions

figure = plot_distance_and_direction()

# %%
# With the weight of direction at 0 the criterion cannot choose; with any other weight it prefers
# the second.

along, across, y = two_distributions()
for alpha in (0, 0.0316, 1):
    print(
        f"alpha={alpha}: {separability(along, y, alpha):.3f} {separability(across, y, alpha):.3f}"
    )
