"""The selectors a plan can name."""

from importlib import import_module
from typing import Any

from s2fs import S2FS
from s2fs._util.messages import did_you_mean
from s2fs.baselines import BASELINES

#: The selectors of the package by name.
METHODS: dict[str, Any] = {"S2FS": S2FS, **BASELINES}


def selector_class(method: str) -> Any:
    """Find a class by its name in the package, or by ``module:Class``."""
    if method in METHODS:
        return METHODS[method]
    module, colon, name = method.partition(":")
    if not colon:
        raise ValueError(
            f"method is {method!r}, which is no selector of the package"
            f"{did_you_mean(method, METHODS)}; choose from {', '.join(METHODS)}, or give "
            "'module:Class'."
        )
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"method is {method!r}, which cannot be imported: {error}.") from None


def make_selector(method: str, parameters: dict[str, Any], k: int, seed: int) -> Any:
    """A selector of ``k`` features; one that draws at random gets the seed, to be repeatable."""
    cls = selector_class(method)
    if "random_state" in cls().get_params():
        parameters = {"random_state": seed, **parameters}
    return cls(n_features_to_select=k, **parameters)


def reconstruction(method: str) -> str:
    """How sure the algorithm is: "", "partly reconstructed" or "reconstructed"."""
    status = getattr(selector_class(method), "status", "confirmed")
    return "" if status in ("confirmed", "wrapper") else status
