"""From a template to one file: everything inline, and nothing may be loaded from elsewhere."""

import base64
import hashlib
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import Any

from s2fs._utils.messages import truncate_middle
from s2fs._utils.optional import need
from s2fs.criteria.separability import PERFECT


def render(template: str, *, package: str = "s2fs.report", **content: Any) -> str:
    """Fill a template of a package, based on ours; whatever comes from the user is escaped."""
    jinja2 = need("jinja2", extra="report", purpose="A report")
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(package), jinja2.PackageLoader("s2fs.report")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "short": _short,
        "fixed": _fixed,
        "thousands": "{:,}".format,
        "middle": truncate_middle,
        "symbol": _symbol,
        "by_confusion": _by_confusion,
    }
    folder = files("s2fs.report") / "templates"
    script = (folder / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template(template).render(
        script=script,
        script_hash=f"sha256-{digest}",
        style=_colour_rules() + (folder / "page.css").read_text(encoding="utf-8"),
        **content,
    )


def _colour_rules() -> str:
    """The colours of classes and selectors on light paper, on dark paper, and in print."""
    from s2fs.plotting.colours import MOST_COLOURS, css_variables  # loads Matplotlib

    light, dark = css_variables(dark=False), css_variables(dark=True)
    rules = [f":root{{{light}}}", f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"]
    rules.append(f"@media print{{:root{{{light}}}}}")
    rules += [f".c{q}{{--c:var(--class-{q})}}" for q in range(MOST_COLOURS)]
    return "\n".join(rules) + "\n"


def _short(value: float) -> str:
    """A number to four digits."""
    return "perfect" if value >= PERFECT else f"{value:.4g}".replace("-", "−")


def _by_confusion(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Misclassified samples that stand together and share class and predicted class, as groups."""
    return [list(same) for _, same in groupby(rows, key=itemgetter("class", "predicted"))]


def _fixed(value: float, digits: int) -> str:
    """A number with a fixed count of decimals, so that a column lines up; with a true minus."""
    text = f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.2e}"
    return text.replace("-", "−")


def _symbol(name: str) -> str:
    """The name of a column as the paper writes it: Θ dis for theta_dis, P-value for p_value."""
    for word, letter in {"theta": "Θ", "lambda": "Λ"}.items():
        if name.startswith(f"{word}_"):
            return f"{letter} {name.removeprefix(f'{word}_')}"
    return name.capitalize().replace("_", "-")
