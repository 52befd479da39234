"""What an index shows of the package: README.md with links that work there, and the addresses.

README.md links to files beside it, which works in a clone and on any host. An index shows the text
without these files, so its links need the address of the repository. ``pyproject.toml`` gives that
address, and is the only place that does. While it is empty, links become plain text.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FENCED = re.compile(r"(^```.*?^```$)", flags=re.DOTALL | re.MULTILINE)
#: A link or a picture to a file of the repository: not to a site, nor to a heading of the page.
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?![a-z]+:|#)(?P<target>[^)\s]+)\)")


def describe(readme: str, address: str, version: str) -> str:
    """Return the text of README.md without any relative link.

    Parameters
    ----------
    readme : str
        The text, in Markdown.
    address : str
        Where the repository is hosted, or "".
    version : str
        Links lead to the files of this release, not to those of today.
    """

    def replace(link: re.Match[str]) -> str:
        if not address:
            return f"(Picture: {link['text']}.)" if link["picture"] else link["text"]
        view = "raw" if link["picture"] else "blob"
        target = f"{address}/{view}/v{version}/{link['target']}"
        return f"{link['picture']}[{link['text']}]({target})"

    parts = FENCED.split(readme)
    parts[::2] = [LINK.sub(replace, text) for text in parts[::2]]  # between the blocks of code
    return "".join(parts)


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Make the fields ``readme`` and ``urls``; the build backend calls this."""
    address = settings["address"].rstrip("/")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    urls = {}
    if address:
        urls = {
            "Source": address,
            "Issues": f"{address}/issues",
            "Changelog": f"{address}/blob/v{project['version']}/CHANGELOG.md",
        }
    text = describe(readme, address, project["version"])
    return {"readme": {"content-type": "text/markdown", "text": text}, "urls": urls}
