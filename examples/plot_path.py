"""
The path of a selection
=======================

S²FS adds one feature after the other. The path shows what each addition did: Sep above, and below
the four quantities it is made of. Λ should be large (the classes are apart), Θ small (they are
tight).
"""

from s2fs import S2FS
from s2fs.datasets import load_srbct
from s2fs_bench import plot_path

data = load_srbct()
selector = S2FS(20, scale="minmax").fit(data.X, data.y)

# %%
# Sep rises as long as a new gene sets the classes further apart than it widens them. After its peak
# every gene costs more than it gives: the later features are the least bad ones.

peak = int(selector.scores_.argmax()) + 1
figure = plot_path(selector.path_, suggested=peak)

# %%
# The same as a table, with the gain of each step:

print(selector.ranking_table().head(10).to_string(float_format="{:.3f}".format))
