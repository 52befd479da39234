"""Formulas as MathML, which browsers draw by themselves: no script and no network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: The number of an equation, in the words of TeX.
TAG = re.compile(r"\\tag\{([^}]*)\}")
#: The converter writes an upright word letter by letter; one identifier is set without gaps.
LETTERS = re.compile(r'(?:<mi mathvariant="normal">\w</mi>){2,}')
LETTER = re.compile(r">(\w)<")

#: Formulas of more characters than this do not fit on a telephone.
LONG = 120


def mathml(latex: str, display: str) -> str:
    """One formula; upright words such as those in subscripts are single identifiers."""
    found = convert(latex, display=display)
    return LETTERS.sub(lambda word: f"<mi>{''.join(LETTER.findall(word[0]))}</mi>", found)


def inline(self: Any, node: nodes.math) -> None:
    """A formula within a line."""
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own, with its number at the right margin."""
    # The converter sets limits beside a sum that stands within brackets.
    latex = node.astext().replace(r"\sum_", r"\sum\limits_")
    number = TAG.search(latex)
    label = f'<span class="number">({number[1]})</span>' if number else ""
    formula = mathml(TAG.sub("", latex), "block")
    # A long one scrolls on a narrow screen, and can be reached by keyboard for that.
    focus = ' tabindex="0"' if len(latex) > LONG else ""
    self.body.append(f'<div class="formula"{focus}>{formula}{label}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make this the renderer that ``html_math_renderer = "mathml"`` names."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
