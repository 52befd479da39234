"""The reference page of the baselines, written from the registry before the pages are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from s2fs.baselines import BASELINES

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def page() -> str:
    """A table of all baselines, and the list from which their own pages are made."""
    rows = [f"| `{name}` | {cls.status} | {cls.citation} |" for name, cls in BASELINES.items()]
    return "\n".join(
        [
            "# All baselines",
            "",
            "| class | status | published |",
            "|---|---|---|",
            *rows,
            "",
            "```{eval-rst}",
            ".. currentmodule:: s2fs.baselines",
            ".. autosummary::",
            "   :toctree: .",
            "   :nosignatures:",
            "",
            *(f"   {name}" for name in BASELINES),
            "```",
            "",
        ]
    )


def write(app: Sphinx, config: Config) -> None:
    """Write the page; this early, autosummary finds it among the others."""
    path = Path(app.srcdir, "reference", "baselines.md")
    path.parent.mkdir(exist_ok=True)
    path.write_text(page(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the page as soon as the configuration is known."""
    app.connect("config-inited", write)
    return {"parallel_read_safe": True}
