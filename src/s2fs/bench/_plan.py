"""A plan: what to run, read from a TOML file and checked before any work is done."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from s2fs._util.messages import did_you_mean, some_of
from s2fs.bench._learners import PAPER_LEARNERS
from s2fs.bench._methods import selector_class
from s2fs.bench._paper_data import PAPER_DATASETS
from s2fs.evaluation import Protocol

#: The dataset that comes with the package: SRBCT on a log scale, so not the paper's numbers.
BUNDLED = "srbct_bundled"
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
        For S²FS, weights to try in all combinations; empty for one run with ``parameters``.
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
    """Everything a run of the bench needs to know.

    Attributes
    ----------
    title : str
        What the plan is for.
    datasets : tuple of str
        Names of the registry, or "srbct_bundled".
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
    """Check the text of a plan; every complaint names the source and the key."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"plan {source} is not valid TOML: {error}.") from None
    keys = _Keys(content, f"plan {source}")
    plan = Plan(
        title=keys.take("title", str),
        datasets=keys.some("datasets", str, known=(*PAPER_DATASETS, BUNDLED)),
        selectors=tuple(
            _selector(_Keys(entry, f"plan {source}, selectors[{i}]"))
            for i, entry in enumerate(keys.some("selectors", dict))
        ),
        learners=keys.some(
            "learners", str, known=tuple(PAPER_LEARNERS), default=tuple(PAPER_LEARNERS)
        ),
        sizes=_sizes(keys),
        protocol=keys.take("protocol", str, known=get_args(Protocol), default="inside"),
        folds=keys.take("folds", int, least=2, default=10),
        seeds=keys.some("seeds", int, least=0, default=(0,)),
    )
    keys.nothing_left()
    return plan


def _sizes(keys: "_Keys") -> int | tuple[int, ...]:
    if not isinstance(keys.content.get("sizes"), list):
        return keys.take("sizes", int, least=1, default=150)
    sizes: tuple[int, ...] = keys.some("sizes", int, least=1)
    if list(sizes) != sorted(sizes):
        raise ValueError(f"{keys.source}: sizes is {list(sizes)!r}; give increasing numbers.")
    return sizes


def _selector(keys: "_Keys") -> SelectorSpec:
    name = keys.take("name", str)
    method = keys.take("method", str, default=name)
    try:
        known = selector_class(method)().get_params()
    except ValueError as error:
        raise ValueError(f"{keys.source}: {error}") from None
    known.pop("n_features_to_select", None)  # the sizes of the plan tell
    parameters = keys.take("parameters", dict, default={})
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(
                f"{keys.source}: parameters has {parameter!r}, which {method} does not take"
                f"{did_you_mean(parameter, known)}."
            )
    grid = _Keys(keys.take("grid", dict, default={}), f"{keys.source}, grid")
    tune = keys.take("tune", str, known=get_args(Tuning), default="none")
    keys.nothing_left()
    if not grid.content:
        if tune != "none":
            raise ValueError(f"{keys.source}: tune is {tune!r}; give a grid to choose from.")
        return SelectorSpec(name, method, parameters)
    if method != "S2FS":
        raise ValueError(
            f"{keys.source}: grid is for S2FS, but method is {method!r}; leave it out."
        )
    alphas, betas = (grid.some(weight, (int, float), least=0) for weight in ("alpha", "beta"))
    grid.nothing_left()
    return SelectorSpec(
        name, method, parameters, tuple(map(float, alphas)), tuple(map(float, betas)), tune
    )


class _Keys:
    """The keys of a TOML table, taken out one by one; what is left over is a mistake."""

    def __init__(self, content: dict[str, Any], source: str) -> None:
        self.content = content
        self.source = source
        self._known: list[str] = []

    def take(
        self, key: str, kind: Any, *, known: Any = None, least: Any = None, default: Any = None
    ) -> Any:
        self._known.append(key)
        if key not in self.content:
            if default is None:
                raise ValueError(f"{self.source}: {key} is missing.")
            return default
        return self._checked(key, self.content[key], kind, known, least)

    def some(
        self, key: str, kind: Any, *, known: Any = None, least: Any = None, default: Any = None
    ) -> Any:
        """A list with at least one entry and none twice."""
        values = self.take(key, list, default=None if default is None else list(default))
        if not values:
            raise ValueError(f"{self.source}: {key} is empty; give at least one entry.")
        for i, value in enumerate(values):
            self._checked(f"{key}[{i}]", value, kind, known, least)
            if value in values[:i]:
                raise ValueError(f"{self.source}: {key} has {value!r} twice; give it once.")
        return tuple(values)

    def nothing_left(self) -> None:
        unknown = [key for key in self.content if key not in self._known]
        if unknown:
            hint = did_you_mean(unknown[0], self._known)
            raise ValueError(
                f"{self.source}: {some_of(unknown)} is not known{hint}; known are "
                f"{', '.join(self._known)}."
            )

    def _checked(self, key: str, value: Any, kind: Any, known: Any, least: Any) -> Any:
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or isinstance(value, bool):
            wanted = " or ".join(_IN_WORDS[k] for k in kinds)
            raise ValueError(f"{self.source}: {key} is {value!r}; give {wanted}.")
        if known is not None and value not in known:
            raise ValueError(
                f"{self.source}: {key} is {value!r}{did_you_mean(value, known)}; choose from "
                f"{', '.join(known)}."
            )
        if least is not None and not value >= least:
            raise ValueError(f"{self.source}: {key} is {value!r}; give at least {least}.")
        return value


_IN_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}
