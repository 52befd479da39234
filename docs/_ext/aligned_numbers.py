"""Cells of tables that hold a number stand to the right, below each other."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

#: A number, perhaps with a sign, a unit, an interval in brackets or a second number.
NUMBER = re.compile(r"[−+±-]?\d[\d.,  ]*( ?(%|s|ms|×|MB|GB|points?))?( ?[\[(][^\])]*[\])])?")


class AlignNumbers(SphinxPostTransform):
    """Give the cells of a column of numbers a class of their own."""

    default_priority = 510

    def run(self, **_: Any) -> None:
        """Go through the tables of one page."""
        for entry in self.document.findall(nodes.entry):
            if NUMBER.fullmatch(entry.astext().strip()):
                entry["classes"].append("number")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_post_transform(AlignNumbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
