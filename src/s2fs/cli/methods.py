"""Which options each ``--method`` has: said here, so that a wrong one is refused at once.

A test compares it with the parameters of the selectors.
"""

from collections.abc import Iterable
from typing import Any

import click

#: S²FS, and the selectors with all constraints of a forward search.
S2FS = ("s2fs", "s2fs-rms")
SEARCHES = ("paircover", *S2FS)
#: The scales of each, in the words of --scale.
_SCALES = {"paircover": ("rank", "none")} | dict.fromkeys(S2FS, ("standard", "minmax", "none"))
#: What users are pointed to.
_NAMED = ("s2fs", "paircover")


def check_method(_: click.Context, __: click.Parameter, value: str) -> str:
    """The name of a selector, in lower case."""
    if (method := value.lower()) in SEARCHES:
        return method
    from s2fs.baselines.registry import explain_unknown  # loads scikit-learn
    from s2fs.evaluation import SELECTORS

    if method in SELECTORS:
        return method
    raise click.BadParameter(f"{value!r}{explain_unknown(value, SELECTORS)}")


def reject_option(flag: str, method: str, methods: Iterable[str] = SEARCHES) -> None:
    """Raise: an option was given that a method does not have, but other ``methods`` have."""
    others = [name for name in _NAMED if name in methods]
    raise ValueError(
        f"{flag} is not for --method {method}; leave it out, or use --method {' or '.join(others)}."
    )


def check_scale(scale: str | None, method: str) -> None:
    """Refuse a scale that a method does not have."""
    allowed = _SCALES.get(method, ())
    if scale is not None and scale not in allowed:
        raise ValueError(
            f"--scale {scale} is not for --method {method}; use {' or '.join(allowed)}."
        )


def name_scale(scale: str | None, default: Any = None) -> Any:
    """What a selector calls a scale of the command line."""
    return default if scale is None else None if scale == "none" else scale
