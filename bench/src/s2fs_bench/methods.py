"""The selectors a plan can name."""

import hashlib
import inspect
import json
import re
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from s2fs import S2FS, PairCover
from s2fs._utils.messages import did_you_mean
from s2fs.baselines import BASELINES, installed_baselines
from s2fs.baselines.registry import WithBaselines
from s2fs_bench.exchange import RANKINGS

#: The selectors of the package by name, and those that others register.
METHODS: Mapping[str, Any] = WithBaselines({"S2FS": S2FS, "PairCover": PairCover})


def installed_methods() -> list[str]:
    """The selectors of the package that can run here: some need another package."""
    installed = installed_baselines()
    return [name for name in METHODS if name not in BASELINES or name in installed]


def check_method(method: str) -> None:
    """Raise unless it is a selector of the package, ``module:Class`` or rankings from files."""
    if method not in (*METHODS, RANKINGS) and not re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", method):
        raise ValueError(
            f"method is {method!r}, which is not a selector of the package"
            f"{did_you_mean(method, METHODS)}; choose from {', '.join(METHODS)}, or give "
            "'module:Class'."
        )


def selector_class(method: str, folder: str | None = None) -> Any:
    """Find a class by its name in the package, or import it by ``module:Class``.

    Modules are also looked for in ``folder``, after all other places.
    """
    check_method(method)
    if method in METHODS:
        return METHODS[method]
    module, _, name = method.partition(":")
    if folder is not None and folder not in sys.path:
        sys.path.append(folder)
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"method is {method!r}, which cannot be imported: {error}.") from None


def check_parameters(method: str, parameters: Mapping[str, Any], cls: Any) -> None:
    """Raise if a class does not take the parameters."""
    known = set(cls().get_params()) - {"n_features_to_select"}  # the sizes of the plan say that
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(
                f"parameters has {parameter!r}, which {method} does not take"
                f"{did_you_mean(parameter, known)}."
            )


def make_selector(
    method: str, parameters: Mapping[str, Any], k: int, seed: int, folder: str | None = None
) -> Any:
    """A selector of ``k`` features; one that draws at random gets the seed, to be repeatable."""
    cls = selector_class(method, folder)
    if "random_state" in cls().get_params():
        parameters = {"random_state": seed, **parameters}
    return cls(n_features_to_select=k, **parameters)


def resolve(
    method: str, parameters: Mapping[str, Any], k: int, seed: int, folder: str | None = None
) -> tuple[Mapping[str, Any], str, str]:
    """What a selector is when it runs: all its parameters, its algorithm and its status.

    Its class is imported and constructed, but not fitted. The algorithm is a version; for a class
    that is not of this package, a hash of the module it is in.
    """
    if method == RANKINGS:
        return {**parameters}, "files", "own"
    cls = selector_class(method, folder)
    try:
        check_parameters(method, parameters, cls)
        made = make_selector(method, parameters, k, seed, folder).get_params(deep=False)
    except (TypeError, AttributeError) as error:
        raise ValueError(
            f"method is {method!r}, which cannot be used: {error}; give a class with fit, "
            "get_params and n_features_to_select."
        ) from None
    status = "own"  # nobody has confirmed a class that is not of this package
    if method in METHODS:
        algorithm, status = str(cls.algorithm_version), getattr(cls, "status", "confirmed")
    else:
        source = inspect.getsource(sys.modules[cls.__module__])
        algorithm = hashlib.sha256(source.encode()).hexdigest()[:12]
    as_json = json.loads(json.dumps(made, sort_keys=True, default=repr))
    return as_json, algorithm, status
