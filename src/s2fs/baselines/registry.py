"""The baselines by name: those of this package, and those that other distributions register.

The bench, the command line, the tests of the common contract and the reference pages all read
:data:`BASELINES`.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from s2fs._utils.messages import did_you_mean
from s2fs._utils.optional import INSTALL_LABORATORY
from s2fs.baselines.base import Baseline
from s2fs.baselines.reference import AnovaF, MutualInformation, RandomOrder, ReliefF
from s2fs.baselines.wrappers import (
    MRMR,
    SVMRFE,
    FastCan,
    GroupLasso,
    LightGBMGain,
    OneVsRestT,
    RandomForestImportance,
    Wilcoxon,
)

#: The group of entry points by which another distribution adds baselines.
ENTRY_POINTS = "s2fs.baselines"
#: The baselines that come with s2fs-bench, so that whoever asks for one learns what to install.
OF_LABORATORY = ("FDM", "FGZEFSR", "FSNMER", "IPD", "MAFRFS", "MDP", "N3Y", "RDSI", "SFSS")
_OWN: dict[str, type[Baseline]] = {
    cls.__name__: cls
    for cls in (
        AnovaF,
        FastCan,
        GroupLasso,
        LightGBMGain,
        MRMR,
        MutualInformation,
        OneVsRestT,
        RandomForestImportance,
        RandomOrder,
        ReliefF,
        SVMRFE,
        Wilcoxon,
    )
}


class _Baselines(Mapping[str, type[Baseline]]):
    """The baselines by name; one of another distribution is imported when it is asked for."""

    def __getitem__(self, name: str) -> type[Baseline]:
        if name in _OWN:
            return _OWN[name]
        if name in _find_registered():
            return _load(_find_registered()[name])
        raise KeyError(f"there is no baseline {name!r}{explain_unknown(name, self)}")

    def __contains__(self, name: object) -> bool:
        return name in _OWN or name in _find_registered()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*_OWN, *_find_registered()}))

    def __len__(self) -> int:
        return len({*_OWN, *_find_registered()})

    def __repr__(self) -> str:
        return f"<baselines {', '.join(self)}>"


#: Every baseline by name; the names themselves are known without importing anything.
BASELINES: Mapping[str, type[Baseline]] = _Baselines()


class WithBaselines(Mapping[str, Callable[..., Any]]):
    """What makes selectors, by name: some given, then every baseline, imported when asked for.

    Parameters
    ----------
    given : mapping of str to callable
        Those that come first.
    spell : callable, default=str
        What makes the name here of that of a baseline.
    """

    def __init__(
        self, given: Mapping[str, Callable[..., Any]], spell: Callable[[str], str] = str
    ) -> None:
        self._given, self._spell = given, spell

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self._given[name] if name in self._given else BASELINES[self._names()[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._given or name in self._names()

    def __iter__(self) -> Iterator[str]:
        return iter({**self._given, **self._names()})

    def __len__(self) -> int:
        return len({**self._given, **self._names()})

    def _names(self) -> dict[str, str]:
        return {self._spell(name): name for name in BASELINES}


def explain_unknown(name: str, known: Mapping[str, object], alternative: str = "") -> str:
    """How a sentence about a name of no selector ends: what to install, or what there is."""
    for missing in OF_LABORATORY:
        if name.lower() == missing.lower() and missing not in BASELINES:
            return f", which comes with s2fs-bench: {INSTALL_LABORATORY}."
    return f"{did_you_mean(name, known)}; choose from {', '.join(known)}{alternative}."


@cache
def _find_registered() -> dict[str, EntryPoint]:
    """The entry points by name; of two with one name the first on the path."""
    found: dict[str, EntryPoint] = {}
    for entry_point in entry_points(group=ENTRY_POINTS):
        found.setdefault(entry_point.name, entry_point)
    return found


def _load(entry_point: EntryPoint) -> type[Baseline]:
    """The class of an entry point; raises ImportError, whatever fails in foreign code."""
    home = entry_point.dist.name if entry_point.dist else entry_point.module
    try:
        cls = entry_point.load()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    else:
        if isinstance(cls, type) and issubclass(cls, Baseline):
            return cls
        reason = f"{entry_point.value} is no subclass of s2fs.baselines.Baseline"
    raise ImportError(
        f"the baseline {entry_point.name!r} of {home} cannot be loaded ({reason}); install {home} "
        "again, or without it."
    )


def installed_baselines() -> dict[str, type[Baseline]]:
    """List the baselines that can run here: some need another package.

    Returns
    -------
    dict of str to type
        The classes by name.

    Warns
    -----
    UserWarning
        If one that another distribution registers cannot be loaded; it is left out.
    """
    found = {}
    for name in BASELINES:
        try:
            cls = BASELINES[name]
        except ImportError as error:
            warnings.warn(f"{error} It is left out.", stacklevel=2)
            continue
        if cls.package is None or find_spec(cls.package) is not None:
            found[name] = cls
    return found
