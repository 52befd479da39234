"""
Samples between the classes
===========================

The fuzzy membership of a sample in a class falls with the square of its distance to the centroid.
Samples that belong to two classes by half are the ones to look at: a label may be wrong, or the
class may have a part of its own.
"""

from sklearn.preprocessing import minmax_scale

from s2fs import S2FS
from s2fs.datasets import load_srbct
from s2fs.plotting import class_geometry
from s2fs_bench import plot_memberships

data = load_srbct()
X = minmax_scale(data.X)

# %%
# In all 2308 genes every sample belongs to every class a little: distances in thousands of
# features are much alike.

all_genes = class_geometry(X, data.y)
ax = plot_memberships(all_genes, class_names=data.class_names, title="all genes")

# %%
# In the ten genes S²FS selects, most samples belong to their own class. Within each class the
# surest members stand at the left.

selector = S2FS(10, scale="minmax").fit(data.X, data.y)
geometry = class_geometry(X[:, selector.indices_], data.y)
selected_genes = plot_memberships(
    geometry, class_names=data.class_names, title="ten selected genes"
)

# %%
# The samples with the smallest share of their own class:

for i in geometry.own_share.argsort()[:3]:
    own, other = (data.class_names[c[i]] for c in (geometry.codes, geometry.nearest_other))
    print(f"sample {i}: {own}, {geometry.own_share[i]:.0%} of {own} against {other}")
