"""What a baseline promises, as one function that the tests of any distribution can call."""

import warnings
from inspect import signature
from itertools import product
from typing import Any

import numpy as np

from s2fs.baselines.base import STATUSES, Baseline

#: Tables at the edge of what has an answer, each of samples in three classes.
_ROWS = 18
_CODES = np.arange(_ROWS) % 3
_BASE = np.random.default_rng(0).normal(size=(_ROWS, 5))
_EDGES = {
    "a feature that is constant inside the classes": np.column_stack([_BASE, _CODES]),
    "equal samples": np.tile(_BASE[:1], (_ROWS, 1)),
    "constant features": _BASE * [1, 0, 1, 0, 1],
    "nothing but zeros": np.zeros((_ROWS, 3)),
    "values of 1e300": _BASE * [1, 1e300, 1, 1, 1],
    "values of 1e-300": _BASE * [1, 1e-300, 1, 1, 1],
    "one feature": _BASE[:, :1],
}


def check_baseline(baseline: type[Baseline], **parameters: Any) -> None:
    """Check that a class keeps the contract of a baseline; call it in a test of your own.

    It looks at what the class says of itself, fits it to a few small tables, and runs the checks
    that scikit-learn has for estimators.

    Parameters
    ----------
    baseline : type
        A subclass of :class:`Baseline`.
    **parameters : dict
        What its constructor is given, for instance ``n_estimators=5`` to be quick.

    Raises
    ------
    AssertionError
        With one sentence, if it does not.

    Examples
    --------
    >>> from s2fs.baselines import AnovaF, check_baseline
    >>> check_baseline(AnovaF)
    """
    _check_declarations(baseline)
    _check_rankings(baseline, parameters)
    _check_edges(baseline, parameters)
    _check_as_estimator(baseline(**parameters))


def _require(is_kept: Any, sentence: str) -> None:
    if not is_kept:
        raise AssertionError(sentence)


def _check_declarations(cls: Any) -> None:
    """What results are kept by, and what tables and pages say of a baseline."""
    _require(
        isinstance(cls, type) and issubclass(cls, Baseline),
        f"{cls!r} is no subclass of s2fs.baselines.Baseline.",
    )
    name, status, version = cls.__name__, getattr(cls, "status", None), cls.algorithm_version
    _require(
        status in STATUSES,
        f"{name}.status is {status!r}; give one of {', '.join(map(repr, STATUSES))}.",
    )
    _require(
        isinstance(getattr(cls, "citation", None), str) and cls.citation,
        f"{name}.citation is missing; say where the algorithm was published.",
    )
    _require(
        type(version) is int and version >= 1,
        f"{name}.algorithm_version is {version!r}; give a whole number from 1, and raise it when "
        "the same parameters may select other features than before.",
    )
    _require(
        cls.package is None or isinstance(cls.package, str),
        f"{name}.package is {cls.package!r}; give the name of a package, or None.",
    )
    _require(
        cls.__doc__ is None or f"Status: {status}" in cls.__doc__,
        f"The docstring of {name} does not say 'Status: {{status}}'.",
    )
    first = next(iter(signature(cls).parameters))
    _require(
        first == "n_features_to_select",
        f"The first argument of {name} is {first}; n_features_to_select must come first.",
    )
    for parameter in ("max_correlation", "feature_groups"):
        _require(
            parameter in cls().get_params(),
            f"The constructor of {name} does not take {parameter}.",
        )


def _check_rankings(cls: type[Baseline], parameters: dict[str, Any]) -> None:
    """Ranked lists of any length: one beginning, finite scores, constant features last."""
    rng, name = np.random.default_rng(0), cls.__name__
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 8)) + y[:, None] * rng.random(8)
    X[:, 2] = 7.0
    seeded = {"random_state": 0} if "random_state" in cls().get_params() else {}
    whole = cls("all", **{**seeded, **parameters}).fit(X, y)
    _require(
        sorted(whole.indices_) == list(range(8)),
        f"{name} ranks {whole.indices_.tolist()} of 8 features; each must come once.",
    )
    _require(whole.indices_[-1] == 2, f"{name} does not rank the constant feature last.")
    _require(np.isfinite(whole.scores_).all(), f"{name} has scores that are not finite.")
    for k in (1, 5, 5):  # twice: the same each time
        part = cls(k, **{**seeded, **parameters}).fit(X, y)
        _require(
            part.indices_.tolist() == whole.indices_[:k].tolist()
            and part.scores_.tolist() == whole.scores_[:k].tolist(),
            f"{name}({k}) selects {part.indices_.tolist()}, which is not the beginning of the "
            f"whole list {whole.indices_.tolist()}, or has other scores.",
        )
        _require(1 <= part.peak_ <= k, f"{name}({k}).peak_ is {part.peak_}, not from 1 to {k}.")
    doubled = cls(7, max_correlation=0.999, **{**seeded, **parameters}).fit(np.hstack([X, X]), y)
    _require(
        len({f % 8 for f in doubled.indices_}) == 7,
        f"{name} selects {doubled.indices_.tolist()} of 8 features that are there twice, although "
        "max_correlation is 0.999.",
    )
    groups = [[0, 3], [1, 2, 5]]
    grouped = cls(3, feature_groups=groups, **{**seeded, **parameters}).fit(X, y)
    columns_of = {f: group for group in groups for f in group}
    in_order = [columns_of.get(f, [f]) for f in whole.indices_.tolist()]
    first = [columns for i, columns in enumerate(in_order) if columns not in in_order[:i]][:3]
    _require(
        grouped.indices_.tolist() == [f for columns in first for f in columns],
        f"{name} selects {grouped.indices_.tolist()}, where columns 0 and 3, and 1, 2 and 5, are "
        "one feature each, which has the place of the best of them.",
    )


def _check_edges(cls: type[Baseline], parameters: dict[str, Any]) -> None:
    """Finite numbers or one sentence, where there is little to tell apart."""
    labels = {"of three classes": _CODES, "of one large class": (np.arange(_ROWS) < 2).astype(int)}
    for (table, X), (classes, y) in product(_EDGES.items(), labels.items()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # every feature is constant, one sample decides
            try:
                fitted = cls("all", **parameters).fit(X, y)
            except ValueError as error:
                _require(
                    len(str(error).splitlines()) == 1,
                    f"{cls.__name__} refuses {table} {classes} in more than one line: {error}",
                )
                continue
        _require(
            np.isfinite(fitted.scores_).all(),
            f"{cls.__name__} has scores that are not finite for {table} {classes}.",
        )


def _check_as_estimator(baseline: Baseline) -> None:
    """scikit-learn's checks, those of wrong parameters among them."""
    from sklearn.utils import estimator_checks

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most of these tables have fewer features than are wanted
        estimator_checks.check_estimator(baseline, on_skip=None)
        estimator_checks.check_param_validation(type(baseline).__name__, baseline)
