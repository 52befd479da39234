"""
Are the selected features good, needed, and different?
======================================================

Three questions to ask of any selection, each with a figure: do the features tell the classes apart,
how many of them are needed, and which of them repeat each other?
"""

from sklearn.preprocessing import minmax_scale

from s2fs import PairCover, compare
from s2fs.datasets import load_srbct
from s2fs.plotting import (
    plot_class_separation,
    plot_confusion,
    plot_features,
    plot_redundancy,
    plot_roc,
    plot_samples,
    plot_sizes,
)

data = load_srbct()
selector = PairCover(20).fit(data.X, data.y)
selected = data.X[:, selector.indices_]
genes = [data.feature_names[f] for f in selector.indices_]

# %%
# **Do they tell the classes apart?** One gene at a time, the first nine selected:

figure = plot_features(selected, data.y, feature_names=genes, class_names=data.class_names)

# %%
# And every two tumours, in all genes and in the selected ones, on one scale:

class_separation = plot_class_separation(
    minmax_scale(data.X), data.y, selector.indices_, class_names=data.class_names
)

# %%
# **How many?** The accuracy on held-out samples over the number of genes, with the genes
# selected inside the folds. The same folds serve every selector:

result = compare(data.X, data.y, k=[1, 2, 3, 5, 7, 10, 15, 20])
sizes = plot_sizes(result)

# %%
# Three genes are too few. The predictions of the first repeat, each made when its sample was held
# out:

three = result.at(3)
predicted = three.predictions["PairCover"]
confusion = plot_confusion(data.y, predicted[0], class_names=data.class_names, title="three genes")

# %%
# Each tumour against the others, by the probabilities of held-out samples; the band is the standard
# deviation of the five repeats:

held_out = three.held_out["PairCover"]
curves = {name: held_out.compute_roc(q) for q, name in enumerate(data.class_names)}
roc = plot_roc(curves, title="three genes, held-out samples")

# %%
# All samples in the plane of the two principal components of these three genes. The plane describes
# these samples; a ring says that a sample was misclassified when it was held out, in most repeats:

misclassified = (predicted != data.y).mean(axis=0) > 0.5
samples = plot_samples(
    selected[:, :3], data.y, class_names=data.class_names, misclassified=misclassified
)

# %%
# **Which repeat each other?** Pairs with a frame correlate by 0.8 or more, up or down:

redundancy = plot_redundancy(selected, feature_names=genes, threshold=0.8)
