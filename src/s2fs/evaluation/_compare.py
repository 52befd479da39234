"""Selectors beside each other on unseen rows, with all features and chance as the frame."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from itertools import pairwise
from numbers import Integral
from textwrap import fill
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from s2fs._core.correlation import prefix_redundancy
from s2fs._core.folds import stratified_folds
from s2fs._core.stability import stability
from s2fs._selectors.base import features_in_order
from s2fs._selectors.pairs import PairCover
from s2fs._selectors.s2fs import S2FS
from s2fs._util.inputs import inner_fit, reject_nonfinite_columns, reject_text_columns
from s2fs._util.messages import cut, did_you_mean, listed
from s2fs._util.progress import progress
from s2fs._util.types import Floats, Indices
from s2fs.baselines import BASELINES, AnovaF
from s2fs.evaluation._curves import pool_folds
from s2fs.evaluation._folds import FoldResult, evaluate_fold, filled
from s2fs.evaluation._learners import LEARNERS

#: What makes each selector that has a name, by that name in lower case.
SELECTORS: dict[str, Callable[..., Any]] = {
    "s2fs": S2FS,
    "paircover": PairCover,
    "s2fs-rms": partial(S2FS, compactness="rms"),
    **{name.lower(): baseline for name, baseline in BASELINES.items()},
}
#: The name of the row that always guesses the largest class.
CHANCE = "chance"
#: Widths of a page of text, and of a name on it.
_PAGE, _NAME = 79, 20
_HEADINGS = ("selector", "k", "accuracy %", "balanced %", "stability", "|r|", "seconds")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`s2fs.compare` found; prints as a table with a verdict below it.

    Attributes
    ----------
    rows : list of dict
        For each selector, for all features and for chance: ``selector``, ``n_features`` (mean over
        the folds), ``accuracy`` and ``balanced_accuracy`` (means over the folds, each followed by
        its standard deviation, ``accuracy_spread`` and ``balanced_accuracy_spread``),
        ``stability`` (Nogueira's index of the sets chosen in the folds), ``redundancy`` (mean |r|
        of two chosen features) and ``seconds`` per fit. None where there is nothing to say.
    accuracies : dict of str to ndarray of shape (n_splits,)
        For each row the accuracy in each fold.
    predictions : dict of str to ndarray of shape (n_samples,)
        For each row the label that every sample was given in the fold that had not seen it.
    learner : str
        What was trained on the chosen features.
    by_size : dict of int to Comparison
        If several numbers of features were compared, the comparison of each.
    """

    rows: list[dict[str, Any]]
    accuracies: Mapping[str, Floats]
    predictions: Mapping[str, NDArray[Any]]
    learner: str
    by_size: Mapping[int, "Comparison"] = field(default_factory=dict, repr=False)

    @property
    def sizes(self) -> list[int]:
        """The numbers of features that were compared, if there were several."""
        return list(self.by_size)

    def at(self, k: int) -> "Comparison":
        """The same comparison with another number of features.

        Parameters
        ----------
        k : int
            One of ``sizes``.

        Returns
        -------
        Comparison
            The selectors with ``k`` features each, on the same folds.
        """
        if k not in self.by_size:
            known = ", ".join(map(str, self.by_size)) or "no others"
            raise ValueError(f"k is {k!r}, but these sizes were compared: {known}.")
        return self.by_size[k]

    @property
    def n_splits(self) -> int:
        """The number of folds."""
        return len(self.accuracies[CHANCE])

    def difference(self, one: str, other: str) -> tuple[float, float]:
        """How much more accurate one row is than another, and how far that can be trusted.

        Parameters
        ----------
        one, other : str
            The rows, by their ``selector``.

        Returns
        -------
        difference : float
            The mean of the paired differences over the folds.
        margin : float
            Half the width of its 95 % interval. Training rows are shared between folds, so the
            variance is corrected as in Nadeau and Bengio (2003).
        """
        from scipy.stats import t

        paired = self.accuracies[one] - self.accuracies[other]
        n = len(paired)
        error = float(paired.std(ddof=1)) * (1 / n + 1 / (n - 1)) ** 0.5
        return float(paired.mean()), float(t.ppf(0.975, n - 1)) * error

    def standing(self, other: str) -> Literal["ahead of", "level with", "behind"]:
        """Where the first selector stands beside another row.

        Parameters
        ----------
        other : str
            The row, by its ``selector``.

        Returns
        -------
        {"ahead of", "level with", "behind"}
            A difference within its margin is level.
        """
        mean, margin = self.difference(self.rows[0]["selector"], other)
        return "level with" if abs(mean) <= margin else "ahead of" if mean > 0 else "behind"

    @property
    def verdict(self) -> str:
        """One sentence on the first selector; a difference within its margin is "level"."""
        first = self.rows[0]["selector"]
        found: dict[str, list[str]] = {"ahead of": [], "level with": [], "behind": []}
        for other in [row["selector"] for row in self.rows[1:]]:
            mean, margin = self.difference(first, other)
            said = f"{other} ({100 * mean:+.1f} ± {100 * margin:.1f})"
            found[self.standing(other)].append(said)
        beats_chance = any(said.startswith(f"{CHANCE} (") for said in found["ahead of"])
        parts = [f"{word} {listed(said)}" for word, said in found.items() if said]
        doubt = "" if beats_chance else "Not shown to beat chance: "
        return (
            f"{doubt}{first} with {_count(self.rows[0])} feature(s) gets "
            f"{self.rows[0]['accuracy']:.1%} of unseen rows right, {'; '.join(parts)} (points, "
            "95 % interval)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which JSON can hold.

        Returns
        -------
        dict
            ``learner``, ``n_splits``, ``verdict`` and ``rows``.
        """
        return {
            "learner": self.learner,
            "n_splits": self.n_splits,
            "verdict": self.verdict,
            "rows": self.rows,
        }

    @property
    def _title(self) -> str:
        return (
            f"On unseen rows ({self.learner}, {self.n_splits} folds, features chosen inside the "
            "folds):"
        )

    def _cells(self) -> list[tuple[str, ...]]:
        """The table as text."""

        def pair(row: dict[str, Any], name: str) -> str:
            return f"{100 * row[name]:.1f} ± {100 * row[f'{name}_spread']:.1f}"

        def number(value: float | None, digits: int) -> str:
            return "" if value is None else f"{value:.{digits}f}"

        return [
            (
                row["selector"],
                _count(row),
                pair(row, "accuracy"),
                pair(row, "balanced_accuracy"),
                number(row["stability"], 2),
                number(row["redundancy"], 2),
                number(row["seconds"], 3),
            )
            for row in self.rows
        ]

    def __str__(self) -> str:
        lines = [_HEADINGS, *((cut(name, _NAME), *cells) for name, *cells in self._cells())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]).rstrip()
            for name, *cells in lines
        ]
        return "\n".join([self._title, "", *table, "", fill(self.verdict, _PAGE)])

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Iterable[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

        body = "".join(line("td", cells) for cells in self._cells())
        return (
            f"<p>{escape(self._title)}</p><table><thead>{line('th', _HEADINGS)}</thead>"
            f"<tbody>{body}</tbody></table><p>{escape(self.verdict)}</p>"
        )


def compare(
    X: Any,
    y: ArrayLike,
    *,
    k: int | Sequence[int] | None = 20,
    selectors: Mapping[str, Any] | Iterable[Any] | None = None,
    learner: Any = "knn",
    cv: int = 5,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    imputer: Any = None,
) -> Comparison:
    """Compare selectors on unseen rows: how good, how stable, how redundant, how fast.

    Each selector chooses from the training rows of each fold, the learner is trained on the chosen
    features, scaled to [0, 1], and scored on the test rows. All selectors see the same folds. All
    features together, and always guessing the largest class, stand beside them.

    Parameters
    ----------
    X : array-like, sparse array or data frame of shape (n_samples, n_features)
        Numeric features, without missing values unless there is an ``imputer``; a sparse array is
        made dense.
    y : array-like of shape (n_samples,)
        Class labels; each class needs at least two members.
    k : int, increasing sequence of int, or None, default=20
        How many features to choose, at most all: set as ``n_features_to_select`` or ``k`` of every
        selector that has one of these. None leaves the selectors as they are. Of several numbers
        the result is about the last, and ``result.at(number)`` about another; a selector that ranks
        is fitted once with the last, and its first features are taken.
    selectors : dict of str to selector, or iterable of selectors, default=None
        Estimators with ``get_support`` after ``fit``, pipelines that hold some, or names: "s2fs",
        "paircover", "s2fs-rms" or any of ``s2fs.baselines.BASELINES``. The verdict is about the
        first. None is S2FS, PairCover and AnovaF.
    learner : {"knn", "svm", "cart", "logistic"} or classifier, default="knn"
        What is trained on the chosen features.
    cv : int, default=5
        The number of folds, see :func:`s2fs.evaluation.stratified_folds`.
    random_state : int, default=0
        Seed of the folds, and of named selectors that draw at random.
    n_jobs : int, default=None
        Number of threads, which share the fits; more than one makes ``seconds`` less exact.
    verbose : int, default=0
        With 1 or more, a progress bar on standard error if that is a terminal.
    imputer : transformer, default=None
        What fills in missing values, such as scikit-learn's ``SimpleImputer``; fitted on the
        training rows of each fold.

    Returns
    -------
    Comparison
        A table with a verdict.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> import s2fs
    >>> X, y = load_wine(return_X_y=True)
    >>> result = s2fs.compare(X, y, k=3, selectors=["paircover", SelectKBest()])
    >>> [(row["selector"], round(row["accuracy"], 3)) for row in result.rows]
    [('paircover', 0.933), ('SelectKBest', 0.922), ('all 13 features', 0.972), ('chance', 0.399)]
    """
    reject_text_columns(X)
    if issparse(X):
        X = X.toarray()
    values, labels = np.asarray(X, dtype=np.float64), column_or_1d(y)
    check_consistent_length(values, labels)
    check_classification_targets(labels)
    reject_nonfinite_columns(values, getattr(X, "columns", None), allow_nan=imputer is not None)
    m = values.shape[1]
    sizes = _sizes(k, m)
    named = _resolved(selectors, sizes[-1], random_state)
    fixed = {f"all {m} features": np.arange(m), CHANCE: np.arange(0)}
    if clash := [name for name in fixed if name in named]:
        raise ValueError(
            f"selectors has {clash[0]!r}, which is the name of another row; choose another name."
        )
    called, trained = _learner(learner)
    folds = list(stratified_folds(labels, cv, random_state=random_state))
    every = {**named, **fixed}
    run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    parts = [_Fold(X, values, labels, *fold) for fold in folds]
    if imputer is not None:
        complete = [filled(values, train, imputer) for train, _ in folds]
        parts = [one._replace(X=X, values=X) for one, X in zip(parts, complete, strict=True)]
    tasks = (
        delayed(_run_fold)(part, selector, trained, sizes)
        for selector in every.values()
        for part in parts
    )
    total = len(every) * len(folds)
    scored = list(progress(run(tasks), total, "Comparing", show=verbose > 0))
    by_name = {name: scored[i * len(folds) : (i + 1) * len(folds)] for i, name in enumerate(every)}
    order = np.argsort(np.concatenate([test for _, test in folds]))

    def at(size: int) -> Comparison:
        found = {name: [fold[size] for fold in of_folds] for name, of_folds in by_name.items()}
        return Comparison(
            rows=[_row(name, scores, m) for name, scores in found.items()],
            accuracies={name: np.array([f.accuracy for f in of]) for name, of in found.items()},
            predictions={
                name: np.concatenate([f.predicted for f in of])[order] for name, of in found.items()
            },
            learner=called,
        )

    by_size = {size: at(i) for i, size in enumerate(sizes) if size is not None}
    return replace(at(len(sizes) - 1), by_size=by_size if len(sizes) > 1 else {})


def _sizes(k: Any, m: int) -> list[int | None]:
    """The numbers of features to compare, at most ``m``; None for that of the selectors."""
    if k is None:
        return [None]
    sizes = [k] if isinstance(k, Integral) or not np.iterable(k) else list(k)
    known = all(isinstance(size, Integral) and int(size) >= 1 for size in sizes) and sizes
    if not known or any(one >= other for one, other in pairwise(sizes)):
        raise ValueError(f"k is {k!r}; give a whole number from 1, increasing ones, or None.")
    return list(dict.fromkeys(min(int(size), m) for size in sizes))


class _Fold(NamedTuple):
    """The data, as given and as numbers, and the rows to learn from and to score on."""

    X: Any
    values: Floats
    y: NDArray[Any]
    train: Indices
    test: Indices


class _Scored(NamedTuple):
    """What one selector has reached in one fold."""

    chosen: Indices
    predicted: NDArray[Any]
    accuracy: float
    balanced_accuracy: float
    redundancy: float | None
    seconds: float | None


def _resolved(selectors: Any, k: int | None, random_state: int) -> dict[str, Any]:
    """The selectors by the names of their rows, set to ``k`` features."""
    if selectors is None:
        selectors = [S2FS(), PairCover(), AnovaF()]
    if isinstance(selectors, str) or not isinstance(selectors, Iterable):
        raise ValueError(f"selectors is {selectors!r}; give a list, or a dict of names.")
    if not isinstance(selectors, Mapping):
        given, seen = list(selectors), Counter[str]()
        selectors = {}
        for one in given:
            name = one if isinstance(one, str) else type(one).__name__
            seen[name] += 1
            selectors[name if seen[name] == 1 else f"{name} {seen[name]}"] = one
    if not selectors:
        raise ValueError("selectors is empty; give at least one.")
    return {str(name): _sized(one, k, random_state) for name, one in selectors.items()}


def _sized(selector: Any, k: int | None, random_state: int) -> Any:
    """A selector by name or object, set to ``k`` features if it has a number of them."""
    settings: dict[str, Any] = {}
    if isinstance(selector, str):
        make = SELECTORS.get(selector.lower())
        if make is None:
            raise ValueError(
                f"selectors has {selector!r}{did_you_mean(selector.lower(), SELECTORS)}; choose "
                f"from {', '.join(SELECTORS)}, or give a selector."
            )
        selector = make()
        settings["random_state"] = random_state
    if not (hasattr(selector, "fit") and hasattr(selector, "get_params")):
        raise ValueError(f"selectors has {selector!r}; give an estimator with get_support.")
    if k is not None:
        settings |= {"n_features_to_select": k, "k": k}
    taken = selector.get_params(deep=False)
    return clone(selector).set_params(**{n: v for n, v in settings.items() if n in taken})


def _learner(learner: Any) -> tuple[str, Any]:
    """The name of a learner, and what evaluates it."""
    if isinstance(learner, str) and learner in LEARNERS:
        return learner, LEARNERS[learner]
    if isinstance(learner, str) or not is_classifier(learner):
        hint = did_you_mean(learner, LEARNERS) if isinstance(learner, str) else ""
        raise ValueError(
            f"learner is {learner!r}{hint}; choose from {', '.join(LEARNERS)}, or give a "
            "classifier."
        )
    return type(learner).__name__, learner


def _run_fold(
    fold: _Fold, selector: Any, learner: Any, sizes: Sequence[int | None]
) -> list[_Scored]:
    """Choose on the training rows, unless the columns are known, and score each size on the rest.

    A ranking is fitted once, with the last size, and its first features are taken.
    """
    if isinstance(selector, np.ndarray):
        return _score(fold, selector, [len(selector)], learner) * len(sizes)
    chosen, ranked, seconds = _choose(fold, selector)
    own = len(chosen)
    if ranked and len(sizes) > 1:
        first = [min(own, size or own) for size in sizes]
        return _score(fold, chosen, first, learner, seconds)
    scored = _score(fold, chosen, [own], learner, seconds)
    for size in reversed(sizes[:-1]):
        chosen, _, seconds = _choose(fold, _sized(selector, size, 0))
        scored = _score(fold, chosen, [len(chosen)], learner, seconds) + scored
    return scored


def _choose(fold: _Fold, selector: Any) -> tuple[Indices, bool, float]:
    """The features that a selector chooses, whether they are ranked, and the time it took."""
    X, values, y, train, _ = fold
    rows, start = _safe_indexing(X, train), perf_counter()
    with inner_fit():
        fitted = clone(selector).fit(rows, y[train])
    seconds = perf_counter() - start
    order = None if isinstance(fitted, Pipeline) else features_in_order(fitted)
    chosen = _chosen(fitted, values.shape[1]) if order is None else order
    return chosen, order is not None, seconds


def _score(
    fold: _Fold,
    ranking: Indices,
    sizes: Sequence[int],
    learner: Any,
    seconds: float | None = None,
) -> list[_Scored]:
    """Train on the first columns of a ranking, for each size, and score on the test rows."""
    _, values, y, train, test = fold
    A, B = values[np.ix_(train, ranking)], values[np.ix_(test, ranking)]
    steps = sorted(set(sizes))
    if len(ranking):
        order = np.arange(len(ranking))
        result = evaluate_fold(A, y[train], B, y[test], order, learners={"": learner}, sizes=steps)
    else:  # nothing to learn from: the largest class, the first of equal ones
        classes, counts = np.unique(y[train], return_counts=True)
        guess = np.full((1, len(test)), classes[counts.argmax()])
        result = FoldResult(np.array(steps), ranking, y[test], {"": guess}, {})
    scores = pool_folds([result])[""].scores
    # NaN for all features and for chance, which nobody chose, and for a single feature.
    redundancy = np.full(len(steps), np.nan)
    if seconds is not None and len(ranking):
        redundancy = prefix_redundancy(A, np.array(steps))
    by_size = {
        size: _Scored(
            ranking[:size],
            result.predictions[""][i],
            float(scores["accuracy"][i]),
            float(scores["balanced_accuracy"][i]),
            None if np.isnan(redundancy[i]) else float(redundancy[i]),
            seconds,
        )
        for i, size in enumerate(steps)
    }
    return [by_size[size] for size in sizes]


def _chosen(fitted: Any, m: int) -> Indices:
    """Which of ``m`` columns a fitted selector, or a pipeline that holds some, lets through."""
    if not isinstance(fitted, Pipeline):
        if hasattr(fitted, "get_support"):
            return np.flatnonzero(fitted.get_support())
        raise ValueError(
            f"selectors has a {type(fitted).__name__}, which has no get_support after fit; give a "
            "selector."
        )
    kept = np.arange(m)
    for _, step in fitted.steps:
        if step in (None, "passthrough"):
            continue
        selects = isinstance(step, Pipeline) or hasattr(step, "get_support")
        if getattr(step, "n_features_in_", len(kept)) != len(kept) or (
            hasattr(step, "predict") and not selects
        ):
            raise ValueError(
                f"selectors has a pipeline that does more than select before or in its step "
                f"{type(step).__name__}; leave out what makes features or predicts."
            )
        if selects:
            kept = kept[_chosen(step, len(kept))]
    return kept


def _row(name: str, found: list[_Scored], m: int) -> dict[str, Any]:
    """The mean and the spread over the folds."""

    def mean(field: str) -> float | None:
        values = [getattr(one, field) for one in found]
        return None if None in values else float(np.mean(values))

    def spread(field: str) -> float:
        return float(np.std([getattr(one, field) for one in found], ddof=1))

    sets = [one.chosen for one in found]
    share = sum(map(len, sets)) / (len(sets) * m)
    known = found[0].seconds is not None and 0 < share < 1
    return {
        "selector": name,
        "n_features": share * m,
        "accuracy": mean("accuracy"),
        "accuracy_spread": spread("accuracy"),
        "balanced_accuracy": mean("balanced_accuracy"),
        "balanced_accuracy_spread": spread("balanced_accuracy"),
        "stability": stability(sets, m).value if known else None,
        "redundancy": mean("redundancy"),
        "seconds": mean("seconds"),
    }


def _count(row: dict[str, Any]) -> str:
    """How many features were chosen, on average over the folds."""
    return f"{round(row['n_features'], 1):g}"
