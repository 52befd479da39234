"""Docstrings as reStructuredText wants them."""

import re
from typing import Any

from sphinx.application import Sphinx

#: A name such as ``n_features_in_`` in a shape would be read as the name of a link.
IN_A_SHAPE = re.compile(r"(?<=\bshape \()[\w, ]+_(?=,?\))")
#: Bars around a letter are an absolute value, not the name of a substitution.
ABSOLUTE = re.compile(r"(?<!`)\|(\w)\|")


def escape(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape the underscore at the end of a name in a shape, and the bars of |r|."""
    for i, line in enumerate(lines):
        plain = IN_A_SHAPE.sub(lambda found: found[0][:-1] + r"\_", line)
        lines[i] = ABSOLUTE.sub(r"\|\1\|", plain)


def setup(app: Sphinx) -> dict[str, Any]:
    """Go before numpydoc, which has the usual priority of 500."""
    app.connect("autodoc-process-docstring", escape, priority=400)
    return {"parallel_read_safe": True}
