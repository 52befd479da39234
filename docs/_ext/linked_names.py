"""Public names in running text become links to their description: `S2FS`, `plot_plane(…)`."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode


class LinkNames(SphinxPostTransform):
    """Turn literals that name something in the reference, perhaps with arguments, into links."""

    default_priority = 500

    def run(self, **_: Any) -> None:
        """Go through the literals of one page."""
        known = self._described()
        for literal in list(self.document.findall(nodes.literal)):
            full = known.get(re.sub(r"\(.*\)$", "", literal.astext(), flags=re.DOTALL))
            if full is None or _is_inside_link_or_title(literal):
                continue
            entry = self.env.domains["py"].objects[full]
            if entry.docname != self.env.docname:
                link = make_refnode(
                    self.app.builder, self.env.docname, entry.docname, entry.node_id, literal.copy()
                )
                link.children[0] += [child.deepcopy() for child in literal.children]
                literal.replace_self(link)

    def _described(self) -> dict[str, str]:
        """Full names by full and by short name; members of classes are left out."""
        objects = self.env.domains["py"].objects
        top = [name for name, entry in objects.items() if entry.objtype in ("class", "function")]
        return {short: name for name in sorted(top) for short in (name, name.rsplit(".", 1)[-1])}


def _is_inside_link_or_title(node: nodes.Node) -> bool:
    """Whether any ancestor is a link or a title: a link inside a link cannot be followed."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.reference | nodes.title):
            return True
    return False


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
