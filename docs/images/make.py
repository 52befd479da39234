"""Draw the pictures of the pages and the README: figures of the gallery, kept as SVG.

Run it from anywhere after a change of an example or of a figure: ``python docs/images/make.py``.
"""

import runpy
from pathlib import Path

import matplotlib

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"

#: For each picture the example it comes from and the variable that holds it.
PICTURES = {
    "path": ("plot_path", "figure"),
    "plane": ("plot_classes", "plane"),
    "directions": ("plot_distance_and_direction", "figure"),
    "memberships": ("plot_memberships", "selected_genes"),
    "leakage": ("plot_leakage", "ax"),
    "heatmap": ("plot_heatmap", "ax"),
}


def draw(folder: Path) -> None:
    """Write all pictures to a folder, the same bytes whenever nothing has changed."""
    # Without a fixed salt and date two runs differ.
    with matplotlib.rc_context({"svg.hashsalt": "s2fs"}):
        for name, (example, variable) in PICTURES.items():
            drawn = runpy.run_path(str(EXAMPLES / f"{example}.py"))[variable]
            drawn.figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    draw(HERE)
