"""Draw the pictures of the pages and the README, and keep them as SVG.

Figures of the gallery are those the examples draw; figures of the studies are drawn from the
numbers on the pages (``studies.py``). Run it from anywhere after a change, for all pictures or for
some: ``python docs/images/make.py heatmap speed``.
"""

import runpy
import sys
from contextlib import chdir
from pathlib import Path

import matplotlib
from studies import STUDIES

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"

#: For each picture from the gallery the example it comes from and the variable that holds it.
PICTURES = {
    "heatmap": ("plot_heatmap", "ax"),
    "path": ("plot_path", "figure"),
    "plane": ("plot_classes", "plane"),
    "directions": ("plot_distance_and_direction", "figure"),
    "memberships": ("plot_memberships", "selected_genes"),
    "leakage": ("plot_leakage", "ax"),
    "sizes": ("plot_chosen_features", "sizes"),
    "stability": ("plot_stability", "ax"),
    "published": ("plot_paper_results", "figure"),
    "fair": ("plot_paper_results", "diagrams"),
}


def draw(folder: Path, names: list[str]) -> None:
    """Write pictures to a folder, the same bytes whenever nothing has changed."""
    # Without a fixed salt and date two runs differ.
    with matplotlib.rc_context({"svg.hashsalt": "s2fs"}), chdir(EXAMPLES):
        for name in names:
            if name in STUDIES:
                study = STUDIES[name]
                drawn, description = study.draw(study.numbers()), study.digest()
            else:
                example, variable = PICTURES[name]
                drawn = runpy.run_path(f"{example}.py")[variable].figure
                description = f"{example}.py"
            drawn.savefig(
                folder / f"{name}.svg", metadata={"Date": None, "Description": description}
            )


if __name__ == "__main__":
    draw(HERE, sys.argv[1:] or [*PICTURES, *STUDIES])
