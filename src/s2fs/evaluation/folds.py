"""Which samples are held out when: repeated folds that keep samples of one group together."""

import warnings
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from s2fs._utils.messages import format_count, format_names
from s2fs._utils.types import Indices

#: The samples to learn from, and those that are held out.
Fold = tuple[Indices, Indices]
#: The number of folds, and how often they are drawn anew.
DEFAULT_FOLDS, DEFAULT_REPEATS = 5, 5


class Splits(NamedTuple):
    """The folds of an evaluation.

    Attributes
    ----------
    repeats : list of list of (train, test)
        The folds of each repeat; inside a repeat no sample is held out twice.
    notes : list of str
        What differs from what was asked for: fewer folds, classes that are left out.
    has_intervals : bool
        Whether every repeat holds every sample out: else no interval is known to hold.
    is_sampled : bool
        Whether only some samples take part, because the table is large.
    """

    repeats: list[list[Fold]]
    notes: list[str]
    has_intervals: bool = True
    is_sampled: bool = False

    @property
    def folds(self) -> list[Fold]:
        """The folds of all repeats, one after the other."""
        return [fold for repeat in self.repeats for fold in repeat]


def make_splits(
    y: NDArray[Any],
    cv: Any = DEFAULT_FOLDS,
    *,
    n_repeats: int = DEFAULT_REPEATS,
    groups: NDArray[Any] | None = None,
    random_state: int = 0,
    class_names: Sequence[str] | None = None,
    rows: Indices | None = None,
) -> Splits:
    """Plan the folds: stratified and repeated for a number, as a splitter says otherwise.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class labels.
    cv : int, splitter or iterable of (train, test), default=5
        A number of folds, which is lowered to the size of the smallest class; or any splitter of
        scikit-learn, whose own repeats are kept apart.
    n_repeats : int, default=5
        How often the folds are drawn anew, if ``cv`` is a number.
    groups : ndarray of shape (n_samples,), optional
        Samples of one group are on one side of every fold.
    random_state : int, default=0
        Seed of the folds.
    class_names : sequence of str, optional
        What the notes call the classes; by default their labels.
    rows : ndarray, optional
        The samples that take part if ``cv`` is a number; by default all.
    """
    if not isinstance(cv, Integral) or isinstance(cv, bool):
        return _judge_folds(_list_folds(cv, y, groups), len(y))
    if int(cv) < 2:
        raise ValueError(f"cv is {cv!r}; give at least two folds.")
    if not isinstance(n_repeats, Integral) or n_repeats < 1:
        raise ValueError(f"n_repeats is {n_repeats!r}; give a whole number from 1.")
    if not isinstance(random_state, Integral):
        raise ValueError(f"random_state is {random_state!r}; give a whole number.")
    rows = np.arange(len(y)) if rows is None else rows
    y, groups = y[rows], None if groups is None else groups[rows]
    unit = np.arange(len(y)) if groups is None else groups
    classes, codes = np.unique(y, return_inverse=True)
    names = classes if class_names is None else np.array(class_names, dtype=object)
    sizes = np.array([len(np.unique(unit[codes == q])) for q in range(len(classes))])
    noun = "sample" if groups is None else "group"
    notes = []
    counts = np.bincount(codes)
    if (in_one := (sizes < 2) & (counts > 1)).any():
        one = names[in_one][:1]
        raise ValueError(
            f"all {counts[in_one][0]} samples of class {format_names(one)} are of one group, so "
            "they cannot be held out and learnt from; give more groups, or leave groups out."
        )
    alone = sizes < 2
    if alone.any():
        each, are = ("", "it is") if alone.sum() == 1 else (" each", "they are")
        notes.append(
            f"{_begin_sentence(names[alone])} a single {noun}{each}, so {are} left out of the "
            "evaluation."
        )
    if (~alone).sum() < 2:
        raise ValueError(
            f"y has fewer than two classes with at least two {noun}s; cross-validation needs two "
            "classes of two."
        )
    samples = np.flatnonzero(~alone[codes])
    n_folds = min(int(cv), int(sizes[~alone].min()))
    if n_folds < int(cv):
        smallest = names[~alone][[sizes[~alone].argmin()]]
        notes.append(
            f"{_begin_sentence(smallest)} {n_folds} {noun}s, so there are {n_folds} folds "
            f"instead of {cv}."
        )
    repeats = []
    for repeat in range(n_repeats):
        seed = random_state + repeat
        if groups is None:
            splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        else:
            splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
        some_groups = None if groups is None else groups[samples]
        with warnings.catch_warnings():
            # A class may be in fewer groups than there are folds: it was counted above.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            folds = list(splitter.split(np.zeros(len(samples)), y[samples], some_groups))
        of_all = rows[samples]
        repeats.append([(of_all[train], of_all[test]) for train, test in folds if len(test)])
    return Splits(repeats, notes)


def _judge_folds(repeats: list[list[Fold]], n: int) -> Splits:
    """The folds of a user, with a note where they hold some samples out more often than others."""
    are_complete = all(
        len(np.unique(np.concatenate([test for _, test in repeat]))) == n for repeat in repeats
    )
    if are_complete:
        return Splits(repeats, [])
    note = "The folds do not hold every sample out equally often, so nothing has an interval."
    return Splits(repeats, [note], has_intervals=False)


def _list_folds(cv: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> list[list[Fold]]:
    """The folds of a splitter, or those given; a sample that comes again begins a new repeat."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        with warnings.catch_warnings():
            # Whether groups stay together is checked below, whatever the splitter does with them.
            warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
            folds = list(cv.split(np.zeros((len(y), 1)), y, groups))
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        folds = [tuple(fold) for fold in cv]
    else:
        raise ValueError(
            f"cv is {cv!r}; give a number of folds, a splitter of scikit-learn, or pairs of "
            "training and test samples."
        )
    if len(folds) < 2:
        raise ValueError(f"cv makes {format_count(len(folds), 'fold')}; at least two are needed.")
    repeats: list[list[Fold]] = []
    held_out = np.ones(len(y), dtype=bool)
    for train, test in folds:
        fold = _as_positions(train), _as_positions(test)
        if not len(fold[1]):
            continue
        if np.isin(fold[1], fold[0]).any():
            raise ValueError(
                "cv has samples on both sides of a fold; hold them out, or train on them."
            )
        if groups is not None and np.isin(groups[fold[1]], groups[fold[0]]).any():
            raise ValueError(
                "cv has samples of one group on both sides of a fold; give a splitter that keeps "
                "groups together, such as StratifiedGroupKFold, or leave groups out."
            )
        if held_out[fold[1]].any():
            repeats.append([])
            held_out[:] = False
        held_out[fold[1]] = True
        repeats[-1].append(fold)
    return repeats


def _as_positions(samples: Any) -> Indices:
    """Samples as positions, whether they are given as those or as a mask."""
    given = np.asarray(samples)
    return np.flatnonzero(given) if given.dtype == bool else given.astype(np.intp)


def _begin_sentence(names: NDArray[Any]) -> str:
    """How a sentence about some classes begins: ``Class 'a' has``."""
    word, verb = ("Class", "has") if len(names) == 1 else ("Classes", "have")
    return f"{word} {format_names(names)} {verb}"
