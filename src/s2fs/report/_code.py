"""The lines of Python that make a selection again."""

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

_LINES = """\
{imports}

# X: {n} samples × {m} features, y: their classes{comment}
selector = {selector}
model = make_pipeline({before}selector, StandardScaler(), LogisticRegression())
model.fit(X, y{arguments})
print(model[{selection}].get_feature_names_out())
"""
_ALWAYS = {
    "from sklearn.linear_model import LogisticRegression",
    "from sklearn.pipeline import make_pipeline",
    "from sklearn.preprocessing import StandardScaler",
}


def pipeline_code(
    selector: Any,
    n_samples: int,
    n_features: int,
    given: Mapping[str, str] | None = None,
    imputer: Any = None,
) -> str:
    """A script that selects the same features of the data ``X``, ``y`` and trains on them.

    The shape of the data goes into a comment, and so does what else the selector was ``given``,
    with what that is. An ``imputer`` that filled the table comes first.
    """
    imports = set(_ALWAYS)
    before = "" if imputer is None else f"{_written(imputer, imports)}, "
    written, step = _written(selector, imports), type(selector).__name__.lower()
    return _LINES.format(
        imports="\n".join(sorted(imports)),
        n=n_samples,
        m=n_features,
        selector=written,
        before=before,
        selection="0" if imputer is None else ":2",
        comment="".join(f", {name}: {what}" for name, what in (given or {}).items()),
        arguments="".join(f", {step}__{name}={name}" for name in given or {}),
    )


def _written(value: Any, imports: set[str]) -> str:
    """A value as Python that makes it; classes and functions are added to the imports."""
    if hasattr(value, "get_params") and not inspect.isclass(value):
        kind = type(value)
        usual = {
            name: parameter.default
            for name, parameter in inspect.signature(kind.__init__).parameters.items()
        }
        given = {
            name: setting
            for name, setting in value.get_params(deep=False).items()
            if repr(setting) != repr(usual.get(name))
        }
        imports.add(_import(kind))
        arguments = (f"{name}={_written(setting, imports)}" for name, setting in given.items())
        return f"{kind.__name__}({', '.join(arguments)})"
    if inspect.isfunction(value) or inspect.isclass(value):
        imports.add(_import(value))
        return value.__name__
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        items = (f"{_written(k, imports)}: {_written(v, imports)}" for k, v in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(item, imports) for item in value)}]"
    return repr(value)


def _import(thing: Any) -> str:
    """The import of a class or function from the shortest public module that has it."""
    name = thing.__name__
    parts = thing.__module__.split(".")
    for end in range(1, len(parts) + 1):
        module = ".".join(parts[:end])
        if getattr(import_module(module), name, None) is thing:
            return f"from {module} import {name}"
    return f"from {thing.__module__} import {name}"
