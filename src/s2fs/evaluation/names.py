"""What selectors are called in tables and sentences."""

from typing import Any

from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.pair_cover import PairCover

#: The statuses that stand behind the name of a baseline.
_UNSURE = ("partly reconstructed", "reconstructed", "stand-in")
#: Names for readers, where the name of the class is not one.
_TITLES = {"S2FS": "S²FS", "AnovaF": "ANOVA F", "RandomOrder": "random order"}


def name_selector(selector: Any) -> str:
    """What a selector is called in tables and sentences.

    Parameters
    ----------
    selector : estimator
        Any selector.

    Returns
    -------
    str
        Reconstructed algorithms and stand-ins are called so.
    """
    if isinstance(selector, SelectorCV):
        if isinstance(selector.selector, list):
            return f"the best of {len(selector.selector)} selectors"
        return f"{name_selector(selector.selector or PairCover())}, tuned"
    kind, status = type(selector).__name__, getattr(selector, "status", "")
    name = _TITLES.get(kind, kind)
    if kind == "S2FS" and selector.compactness == "rms":
        name = "S²FS-rms"
    return f"{name} ({status})" if status in _UNSURE else name
