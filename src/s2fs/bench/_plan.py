"""A plan: what to run, read from a TOML file and checked before any work is done."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from s2fs._util.messages import did_you_mean
from s2fs.bench._datasets import BUNDLED, PAPER_DATASETS
from s2fs.bench._learners import PAPER_LEARNERS
from s2fs.bench._methods import selector_class
from s2fs.evaluation import Protocol

#: The plans that come with the package.
PLANS = ("paper", "sensitivity", "variants", "quick")

Tuning = Literal["none", "inside"]


@dataclass(frozen=True)
class SelectorSpec:
    """A selector and its parameters.

    Attributes
    ----------
    name : str
        The algorithm, as tables call it.
    method : str
        The class: a name of the package, or ``module:Class`` of any selector with ``indices_``.
    parameters : dict
        Constructor arguments, other than how many features to select.
    alphas, betas : tuple of float
        For S²FS, weights to try in all combinations; empty to rank with ``parameters`` alone.
    tune : {"none", "inside"}
        Keep the results of all combinations, or choose one combination from the training rows.
    """

    name: str
    method: str
    parameters: Mapping[str, Any]
    alphas: tuple[float, ...] = ()
    betas: tuple[float, ...] = ()
    tune: Tuning = "none"


@dataclass(frozen=True)
class Plan:
    """What to run: selectors on datasets, scored by learners.

    Attributes
    ----------
    title : str
        What the plan is for.
    datasets : tuple of str
        Names of ``PAPER_DATASETS``, or "srbct_bundled".
    selectors : tuple of SelectorSpec
        The algorithms to compare.
    learners : tuple of str
        Some of "cart", "knn", "svm" and "kmeans".
    sizes : int or tuple of int
        How many of the first features to use: all from 1 to a number, or just the given ones.
    protocol : {"inside", "before"}
        Where features are selected, see :func:`s2fs.evaluation.prefix_curves`.
    folds : int
        The number of folds.
    seeds : tuple of int
        One cross-validation is run for each.
    """

    title: str
    datasets: tuple[str, ...]
    selectors: tuple[SelectorSpec, ...]
    learners: tuple[str, ...] = tuple(PAPER_LEARNERS)
    sizes: int | tuple[int, ...] = 150
    protocol: Protocol = "inside"
    folds: int = 10
    seeds: tuple[int, ...] = (0,)


def load_plan(plan: str | PathLike[str]) -> Plan:
    """Read a plan that comes with the package, or a TOML file.

    Parameters
    ----------
    plan : str or path-like
        "paper", "sensitivity", "variants" or "quick", or the path of a file.

    Returns
    -------
    Plan
        The checked plan.

    Examples
    --------
    >>> from s2fs.bench import load_plan
    >>> plan = load_plan("quick")
    >>> plan.datasets, [selector.name for selector in plan.selectors]
    (('srbct_bundled',), ['S2FS', 'FDM', 'ANOVA'])
    """
    if str(plan) in PLANS:
        return parse_plan((files(__package__) / "plans" / f"{plan}.toml").read_text("utf-8"), plan)
    path = Path(plan)
    if not path.is_file():
        raise FileNotFoundError(
            f"plan is {str(plan)!r}, which is no file{did_you_mean(str(plan), PLANS)}; give a TOML "
            f"file, or one of {', '.join(PLANS)}."
        )
    return parse_plan(path.read_text("utf-8"), path)


def parse_plan(text: str, source: Any) -> Plan:
    """Check the text of a plan; every error message names the source and the key."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"plan {source} is not valid TOML: {error}.") from None
    sizes_are_listed = isinstance(content.get("sizes"), list)
    keys = {
        "title": _Key(str, required=True),
        "datasets": _Key(str, several=True, known=(*PAPER_DATASETS, BUNDLED), required=True),
        "selectors": _Key(dict, several=True, required=True),
        "learners": _Key(str, several=True, known=PAPER_LEARNERS),
        "sizes": _Key(int, several=sizes_are_listed, least=1),
        "protocol": _Key(str, known=get_args(Protocol)),
        "folds": _Key(int, least=2),
        "seeds": _Key(int, several=True, least=0),
    }
    found = _checked(content, keys, f"plan {source}")
    if sizes_are_listed and list(found["sizes"]) != sorted(found["sizes"]):
        raise ValueError(f"plan {source}: sizes is {content['sizes']!r}; give increasing numbers.")
    found["selectors"] = tuple(
        _selector(entry, f"plan {source}, selectors[{i}]")
        for i, entry in enumerate(found["selectors"])
    )
    return Plan(**found)


def _selector(content: dict[str, Any], source: str) -> SelectorSpec:
    keys = {
        "name": _Key(str, required=True),
        "method": _Key(str),
        "parameters": _Key(dict),
        "grid": _Key(dict),
        "tune": _Key(str, known=get_args(Tuning)),
    }
    found = _checked(content, keys, source)
    method, grid = found.setdefault("method", found["name"]), found.pop("grid", {})
    try:
        known = selector_class(method)().get_params()
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    known.pop("n_features_to_select", None)  # the sizes of the plan tell
    for parameter in found.setdefault("parameters", {}):
        if parameter not in known:
            raise ValueError(
                f"{source}: parameters has {parameter!r}, which {method} does not take"
                f"{did_you_mean(parameter, known)}."
            )
    if grid and method != "S2FS":
        raise ValueError(f"{source}: grid is for S2FS, but method is {method!r}; leave it out.")
    if grid:
        weights = _Key((int, float), several=True, least=0, required=True)
        grid = _checked(grid, {"alpha": weights, "beta": weights}, f"{source}, grid")
        found |= {f"{weight}s": tuple(map(float, values)) for weight, values in grid.items()}
    elif found.get("tune", "none") != "none":
        raise ValueError(f"{source}: tune is {found['tune']!r}; give a grid to choose from.")
    return SelectorSpec(**found)


class _Key(NamedTuple):
    """What a key of a plan may hold."""

    kind: type | tuple[type, ...]
    several: bool = False
    known: Iterable[str] | None = None
    least: int | None = None
    required: bool = False

    def check(self, value: Any, name: str) -> None:
        """Raise if it may not hold this value."""
        if not self.several:
            self._check_one(value, name)
            return
        if not isinstance(value, list):
            raise ValueError(f"{name} is {value!r}; give a list.")
        if not value:
            raise ValueError(f"{name} is empty; give at least one entry.")
        for i, entry in enumerate(value):
            self._check_one(entry, f"{name}[{i}]")
            if entry in value[:i]:
                raise ValueError(f"{name} has {entry!r} twice; give it once.")

    def _check_one(self, value: Any, name: str) -> None:
        kinds: Any = self.kind if isinstance(self.kind, tuple) else (self.kind,)
        if not isinstance(value, kinds) or isinstance(value, bool):
            wanted = " or ".join(_IN_WORDS[kind] for kind in kinds)
            raise ValueError(f"{name} is {value!r}; give {wanted}.")
        if self.known is not None and value not in self.known:
            raise ValueError(
                f"{name} is {value!r}{did_you_mean(value, self.known)}; choose from "
                f"{', '.join(self.known)}."
            )
        if self.least is not None and not value >= self.least:
            raise ValueError(f"{name} is {value!r}; give at least {self.least}.")


_IN_WORDS = {str: "a text", int: "a whole number", float: "a number", dict: "a table"}


def _checked(content: dict[str, Any], keys: Mapping[str, _Key], source: str) -> dict[str, Any]:
    """The values of a TOML table, lists as tuples; keys that are not given are left out."""
    for key in content:
        if key not in keys:
            raise ValueError(
                f"{source}: {key!r} is not known{did_you_mean(key, keys)}; known are "
                f"{', '.join(keys)}."
            )
    found: dict[str, Any] = {}
    for key, rule in keys.items():
        if key in content:
            rule.check(content[key], f"{source}: {key}")
            found[key] = tuple(content[key]) if rule.several else content[key]
        elif rule.required:
            raise ValueError(f"{source}: {key} is missing.")
    return found
