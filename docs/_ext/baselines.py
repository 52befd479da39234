"""The reference page of the baselines, written from the registry before the pages are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2fs.baselines import BASELINES

#: What each distribution adds.
PARTS = {
    "s2fs.baselines": "In wide use (s2fs)",
    "s2fs_bench.baselines": "Of the paper (s2fs-bench)",
}

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def page() -> str:
    """A table of all baselines, and the lists from which their own pages are made."""
    lines = ["# All baselines", ""]
    for module, title in PARTS.items():
        part = {name: cls for name, cls in BASELINES.items() if cls.__module__ == module}
        lines += [
            f"## {title}",
            "",
            "| class | status | published |",
            "|---|---|---|",
            *(f"| `{name}` | {cls.status} | {cls.citation} |" for name, cls in part.items()),
            "",
            "```{eval-rst}",
            f".. currentmodule:: {module}",
            ".. autosummary::",
            "   :toctree: .",
            "   :nosignatures:",
            "",
            *(f"   {name}" for name in part),
            "```",
            "",
        ]
    return "\n".join(lines)


def write(app: Sphinx, config: Config) -> None:
    """Write the page; this early, autosummary finds it among the others."""
    path = Path(app.srcdir, "reference", "baselines.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(page(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page as soon as the configuration is known."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True}
