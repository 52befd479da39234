"""A plan: what to run, read from a TOML file and checked before any work is done."""

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from s2fs._utils.messages import did_you_mean
from s2fs.evaluation import Protocol
from s2fs_bench.exchange import RANKINGS
from s2fs_bench.learners.registry import BENCH_LEARNERS, PAPER_LEARNERS, SCORES
from s2fs_bench.methods import METHODS, check_method, check_parameters, installed_methods
from s2fs_bench.paper.datasets import DataFile, known_datasets

#: The plans that come with the package.
PLANS = ("paper", "sensitivity", "variants", "unseen", "quick")
#: The largest grid: each weighting is a ranking in every fold.
MOST_WEIGHTINGS = 10_000

Tuning = Literal["none", "inside"]
ShortLists = Literal["keep", "complete"]


@dataclass(frozen=True)
class SelectorSpec:
    """A selector and its parameters.

    Attributes
    ----------
    name : str
        The algorithm, as tables call it.
    method : str
        The class: a name of the package, or ``module:Class`` of any selector with ``indices_``;
        "rankings" where these are read from the files of a folder, which ``parameters`` names.
    parameters : dict
        Constructor arguments, other than how many features to select.
    alphas, betas : tuple of float
        For S²FS, weights to try in all combinations; empty to rank with ``parameters`` alone.
    tune : {"none", "inside"}
        Keep the results of all combinations, or choose one combination from the training samples.
    """

    name: str
    method: str
    parameters: Mapping[str, Any]
    alphas: tuple[float, ...] = ()
    betas: tuple[float, ...] = ()
    tune: Tuning = "none"

    @property
    def weights(self) -> str:
        """How alpha and beta are set: "" (by the parameters), "grid" or "inside"."""
        if self.tune == "inside":
            return "inside"
        return "grid" if self.alphas else ""


@dataclass(frozen=True)
class Plan:
    """What to run: selectors on datasets, scored by learners.

    Attributes
    ----------
    title : str
        What the plan is for.
    datasets : tuple of str or DataFile
        Names that :func:`load_dataset` knows, or files of your own.
    selectors : tuple of SelectorSpec
        The algorithms to compare.
    learners : tuple of str
        Some of "cart", "knn", "svm", "kmeans", "logistic", "forest" and "bayes".
    sizes : int or tuple of int
        How many of the first features to use: all from 1 to a number, or just the given ones.
    protocol : {"inside", "before"}
        Where features are selected, see :func:`s2fs.evaluation.prefix_curves`.
    folds : int
        The number of folds.
    seeds : tuple of int
        One cross-validation is run for each.
    score : {"accuracy", "balanced_accuracy", "macro_f1"}
        What tables show.
    short_lists : {"keep", "complete"}
        What is done where a selector gives fewer features than the largest size: score the list as
        it is at every larger size, or let it go on by the F statistic of the other features.
    folder : str or None
        Where modules of your own are looked for: the folder of the plan's file.
    """

    title: str
    datasets: tuple[str | DataFile, ...]
    selectors: tuple[SelectorSpec, ...]
    learners: tuple[str, ...] = tuple(PAPER_LEARNERS)
    sizes: int | tuple[int, ...] = 150
    protocol: Protocol = "inside"
    folds: int = 10
    seeds: tuple[int, ...] = (0,)
    score: str = "accuracy"
    short_lists: ShortLists = "keep"
    folder: str | None = None

    @property
    def dataset_names(self) -> tuple[str, ...]:
        """What the datasets are called in tables and on the command line."""
        return tuple(d.name if isinstance(d, DataFile) else d for d in self.datasets)


def load_plan(plan: str | PathLike[str]) -> Plan:
    """Read a plan that comes with the package, or a TOML file.

    Parameters
    ----------
    plan : str or path-like
        "paper", "sensitivity", "variants", "unseen" or "quick", or the path of a file.

    Returns
    -------
    Plan
        The checked plan.

    Examples
    --------
    >>> from s2fs_bench import load_plan
    >>> plan = load_plan("quick")
    >>> plan.datasets, [selector.name for selector in plan.selectors]
    (('srbct_bundled',), ['S2FS', 'FDM', 'ANOVA'])
    """
    if str(plan) in PLANS:
        return parse_plan(plan_text(str(plan)), plan)
    path = Path(plan)
    if not path.is_file():
        raise FileNotFoundError(
            f"plan is {str(plan)!r}, which is not a file{did_you_mean(str(plan), PLANS)}; give a "
            f"TOML file, or one of {', '.join(PLANS)}."
        )
    return parse_plan(path.read_text("utf-8"), path, folder=path.parent.resolve())


def plan_text(plan: str) -> str:
    """Read the text of a plan that comes with the package, to be changed and run as a file.

    Parameters
    ----------
    plan : {"paper", "sensitivity", "variants", "unseen", "quick"}
        The plan.

    Returns
    -------
    str
        Its TOML.

    Examples
    --------
    >>> from s2fs_bench import plan_text
    >>> plan_text("quick").splitlines()[1]
    'title = "A quick look on the bundled data"'
    """
    if plan not in PLANS:
        raise ValueError(
            f"plan is {plan!r}, which does not come with the package{did_you_mean(plan, PLANS)}; "
            f"choose from {', '.join(PLANS)}."
        )
    return (files(__package__) / "plans" / f"{plan}.toml").read_text("utf-8")


def plan_for_file(
    path: str | PathLike[str], target: str | int | None, methods: Sequence[str] | None = None
) -> Plan:
    """Make a plan that compares selectors on a table of your own.

    Balanced accuracy of nearest neighbours, a support vector machine, logistic regression and a
    random forest at 5, 10, 20 and 50 features, by 5 folds.

    Parameters
    ----------
    path : str or path-like
        The file, as in :func:`s2fs.read_table`.
    target : str, int or None
        The column with the classes.
    methods : sequence of str, optional
        Selectors of the package, or ``module:Class``; by default all of the package.

    Returns
    -------
    Plan
        To be given to :func:`run_plan`.

    Examples
    --------
    >>> from s2fs_bench import plan_for_file
    >>> plan = plan_for_file("flowers.csv", "kind", ["S2FS", "PairCover"])
    >>> plan.dataset_names, [selector.name for selector in plan.selectors]
    (('flowers',), ['S2FS', 'PairCover'])
    """
    here = Path.cwd()
    for method in methods or ():
        check_method(method)
    return Plan(
        title=f"Selectors on {Path(path).name}",
        datasets=(_dataset({"path": str(path), "target": target}, "data", here),),
        selectors=tuple(
            SelectorSpec(method.rpartition(":")[2], method, {})
            for method in methods or installed_methods()
        ),
        learners=("knn", "svm", "logistic", "forest"),
        sizes=(5, 10, 20, 50),
        folds=5,
        score="balanced_accuracy",
        folder=str(here),
    )


def parse_plan(text: str, source: Any, folder: Path | None = None) -> Plan:
    """Check the text of a plan; every error message names the source and the key.

    Nothing that the text names is imported or called: that is left to those who run it.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"plan {source} is not valid TOML: {error}.") from None
    sizes_are_listed = isinstance(content.get("sizes"), list)
    keys = {
        "title": _Key(str, required=True),
        "datasets": _Key((str, dict), several=True, required=True),
        "selectors": _Key(dict, several=True, required=True),
        "learners": _Key(str, several=True, known=BENCH_LEARNERS),
        "sizes": _Key(int, several=sizes_are_listed, least=1),
        "protocol": _Key(str, known=get_args(Protocol)),
        "folds": _Key(int, least=2),
        "seeds": _Key(int, several=True, least=0, most=2**32 - 1),
        "score": _Key(str, known=SCORES),
        "short_lists": _Key(str, known=get_args(ShortLists)),
    }
    source = f"plan {source}"
    found = _check_keys(content, keys, source)
    if sizes_are_listed and list(found["sizes"]) != sorted(found["sizes"]):
        raise ValueError(f"{source}: sizes is {content['sizes']!r}; give increasing numbers.")
    found["datasets"] = tuple(
        _dataset(entry, f"{source}: datasets[{i}]", folder)
        for i, entry in enumerate(found["datasets"])
    )
    found["selectors"] = tuple(
        _selector(entry, f"{source}, selectors[{i}]") for i, entry in enumerate(found["selectors"])
    )
    plan = Plan(**found, folder=None if folder is None else str(folder))
    _check_names(plan, source)
    return plan


def _check_names(plan: Plan, source: str) -> None:
    """Raise if tables could not tell two datasets, or two selectors, apart."""
    names = plan.dataset_names
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"{source}: datasets has {name!r} twice; give each a name of its own.")
    # S²FS over a grid and with weights chosen inside have columns of their own under one name.
    shown = [(spec.name, spec.weights) for spec in plan.selectors]
    for i, (name, weights) in enumerate(shown):
        if (name, weights) in shown[:i]:
            raise ValueError(
                f"{source}: selectors has {name!r} twice; give each a name of its own."
            )


def _dataset(entry: str | dict[str, Any], source: str, folder: Path | None) -> str | DataFile:
    if isinstance(entry, str):
        known = known_datasets()
        if entry not in known:
            raise ValueError(
                f"{source} is {entry!r}{did_you_mean(entry, known)}; choose from "
                f"{', '.join(known)}, or give a file as {{path = …, target = …}}."
            )
        return entry
    for key in ("path", "name"):
        if key in entry or key == "path":
            _Key(str).check(entry.get(key), f"{source}: {key}")
    files = {key: entry[key] for key in ("path", "samples") if isinstance(entry.get(key), str)}
    files = {key: str((folder or Path()) / Path(file).expanduser()) for key, file in files.items()}
    options = {**entry, **files}  # what they may be is checked by the reader
    path = options.pop("path")
    return DataFile(options.pop("name", Path(path).name.partition(".")[0]), path, options)


def _selector(content: dict[str, Any], source: str) -> SelectorSpec:
    keys = {
        "name": _Key(str, required=True),
        "method": _Key((str, dict)),
        "parameters": _Key(dict),
        "grid": _Key(dict),
        "tune": _Key(str, known=get_args(Tuning)),
    }
    found = _check_keys(content, keys, source)
    if isinstance(found.get("method"), dict):
        _take_rankings(found, source)
    method, grid = found.setdefault("method", found["name"]), found.pop("grid", {})
    parameters = found.setdefault("parameters", {})
    for name, value in parameters.items():
        _check_parameter(value, f"{source}: parameters: {name}")
    try:
        check_method(method)
        if method in METHODS:  # a class of somebody else's is asked when it is run
            check_parameters(method, parameters, METHODS[method])
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    if grid and method != "S2FS":
        raise ValueError(f"{source}: grid is for S2FS, but method is {method!r}; leave it out.")
    if grid:
        weights = _Key((int, float), several=True, least=0, required=True)
        grid = _check_keys(grid, {"alpha": weights, "beta": weights}, f"{source}, grid")
        n_weightings = len(grid["alpha"]) * len(grid["beta"])
        if n_weightings > MOST_WEIGHTINGS:
            raise ValueError(
                f"{source}: grid has {n_weightings} weightings; give at most {MOST_WEIGHTINGS}."
            )
        found |= {f"{weight}s": tuple(map(float, values)) for weight, values in grid.items()}
    elif found.get("tune", "none") != "none":
        raise ValueError(f"{source}: tune is {found['tune']!r}; give a grid to choose from.")
    return SelectorSpec(**found)


def _take_rankings(found: dict[str, Any], source: str) -> None:
    """Let a selector be read from files: ``method = {rankings = "folder"}``."""
    keys = {"rankings": _Key(str, required=True)}
    given = _check_keys(found["method"], keys, f"{source}: method")
    for key in ("parameters", "grid"):
        if found.get(key):
            raise ValueError(
                f"{source}: {key} says nothing about rankings from files; leave it out."
            )
    found |= {"method": RANKINGS, "parameters": {"folder": given["rankings"]}}


def _check_parameter(value: Any, name: str) -> None:
    """Raise unless a parameter is what JSON can hold too."""
    if isinstance(value, (list, dict)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            _check_parameter(part, f"{name}[{key!r}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} is {value}; give a finite number.")
    elif not isinstance(value, (str, int, float)):  # bool is an int
        raise ValueError(
            f"{name} is {value}, a {type(value).__name__}; give a number, a text, true, false, or "
            "a list or table of these."
        )


class _Key(NamedTuple):
    """What a key of a plan may hold."""

    kind: type | tuple[type, ...]
    several: bool = False
    known: Iterable[str] | None = None
    least: int | None = None
    most: int | None = None
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
        seen = set()
        for i, entry in enumerate(value):
            self._check_one(entry, f"{name}[{i}]")
            if isinstance(entry, dict):
                continue
            if entry in seen:
                raise ValueError(f"{name} has {entry!r} twice; give it once.")
            seen.add(entry)

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
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value}; give a finite number.")
        if self.least is not None and not value >= self.least:
            raise ValueError(f"{name} is {value!r}; give at least {self.least}.")
        if self.most is not None and value > self.most:
            raise ValueError(f"{name} is {value!r}; give at most {self.most}.")


_IN_WORDS = {str: "a text", int: "a whole number", float: "a number", dict: "a table"}


def _check_keys(content: dict[str, Any], keys: Mapping[str, _Key], source: str) -> dict[str, Any]:
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
