"""Figures of the gallery: those a block of an example has in its variables when it ends."""

from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def save_figures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures a block has made; s2fs.plotting draws without the list pyplot keeps."""
    variables = block_vars["example_globals"]
    done = variables.setdefault("__figures_shown__", [])
    paths = []
    for value in list(variables.values()):
        figure = value.figure if isinstance(value, Artist) else None
        if isinstance(figure, Figure) and not any(figure is other for other in done):
            done.append(figure)
            path = next(block_vars["image_path_iterator"])
            figure.savefig(path, dpi=200)
            paths.append(path)
    return figure_rst(paths, gallery_conf["src_dir"])
