"""
The path of a selection
=======================

x
"""

from s2fs import S2FS
from s2fs.datasets import load_srbct
from s2fs.plotting import plot_path

data = load_srbct()
selector = S2FS(20).fit(data.X, data.y)
figure = plot_path(selector.path_, title="SRBCT")
