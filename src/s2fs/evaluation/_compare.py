"""Selectors beside each other on held-out samples, framed by all, random and no features."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier

from s2fs._selectors.cv import SelectorCV
from s2fs._selectors.pairs import PairCover
from s2fs._selectors.s2fs import S2FS
from s2fs._util.messages import did_you_mean
from s2fs._util.progress import progress
from s2fs.baselines import BASELINES, AnovaF
from s2fs.evaluation._learners import LEARNERS
from s2fs.evaluation._pooling import pool_rows
from s2fs.evaluation._samples import EvaluationData, check_data
from s2fs.evaluation._splits import Splits, make_splits
from s2fs.evaluation._trial import NUMBER_NAMES, Candidate, Scored, name_all_features, run_fold
from s2fs.evaluation.comparison import MAJORITY, RANDOM, Comparison, sizes_up_to
from s2fs.evaluation.names import name_selector

#: What makes each selector that has a name, by that name in lower case.
SELECTORS: dict[str, Callable[..., Any]] = {
    "paircover": PairCover,
    "s2fs": S2FS,
    "s2fs-rms": partial(S2FS, compactness="rms"),
    **{name.lower(): baseline for name, baseline in BASELINES.items()},
}
#: With fewer samples a selection is not evaluated.
FEWEST_SAMPLES = 10
#: Parameters that do not change what a selector selects.
_INCIDENTAL = {"n_features_to_select", "n_jobs", "verbose", "random_state"}


def compare(
    X: Any,
    y: ArrayLike,
    *,
    k: int | Sequence[int] | None = 20,
    selectors: Mapping[str, Any] | Iterable[Any] | None = None,
    learner: Any = "knn",
    cv: Any = 5,
    n_repeats: int = 5,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    covariates: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    imputer: Any = None,
) -> Comparison:
    """Compare selectors on held-out samples: how good, how stable, how redundant, how fast.

    Each selector selects from the training samples of each fold, the learner is trained on the
    selected features, scaled to [0, 1], and predicts the samples that were held out. All selectors
    see the same folds. All features, random features and always guessing the largest class frame
    them.

    Parameters
    ----------
    X : array-like, sparse array or data frame of shape (n_samples, n_features)
        Numeric features; a sparse array is made dense. Missing values are filled in by
        ``imputer``. Without one, they are filled in by the medians of the training samples, but
        for selectors that take them.
    y : array-like of shape (n_samples,)
        Class labels. Classes of a single sample are left out, with a note.
    k : int, increasing sequence of int, or None, default=20
        How many features to select, at most all: set as ``n_features_to_select`` or ``k`` of every
        selector that has one of these. None leaves the selectors as they are. Of several numbers
        the rows are about the last, ``result.at(number)`` is about another, and the verdict about
        the recommended one; a selector that ranks is fitted once with the last.
    selectors : dict of str to selector, or iterable of selectors, default=None
        Estimators with ``get_support`` after ``fit``, pipelines that hold some, or names:
        "paircover", "s2fs", "s2fs-rms" or any of ``s2fs.baselines.BASELINES``. The verdict is about
        the first. None is PairCover, S2FS and AnovaF.
    learner : {"knn", "svm", "cart", "logistic"} or classifier, default="knn"
        What is trained on the selected features.
    cv : int, splitter or iterable of (train, test), default=5
        A number of stratified folds, lowered with a note to the size of the smallest class; or any
        splitter of scikit-learn.
    n_repeats : int, default=5
        How often the folds are drawn anew, if ``cv`` is a number.
    groups : array-like of shape (n_samples,), optional
        What each sample belongs to, such as a patient: samples of one group are always held out
        together.
    sample_weight : array-like of shape (n_samples,), optional
        Given to the selectors that take it; every sample counts once in the accuracies.
    covariates : array-like or data frame of shape (n_samples, n_covariates), optional
        What features are adjusted for, as in :meth:`s2fs.PairCover.fit`. The effects are learnt
        from the training samples of each fold.
    random_state : int, default=0
        Seed of the folds, of the random features, and of named selectors that draw at random.
    n_jobs : int, default=None
        Number of threads, which share the folds; more than one makes ``seconds`` less exact.
    verbose : int, default=0
        With 1 or more, a progress bar on standard error if that is a terminal.
    imputer : transformer, default=None
        What fills in missing values, such as scikit-learn's ``SimpleImputer``; fitted on the
        training samples of each fold.

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
    >>> [(row["selector"], round(row["accuracy"], 3)) for row in result.rows[:2]]
    [('PairCover', 0.943), ('SelectKBest', 0.921)]
    >>> result.relation("majority class")
    'better than'
    """
    data = check_data(X, y, imputer, groups, sample_weight, covariates)
    sizes = _check_sizes(k, data.n_features)
    candidates = [
        Candidate(name, selector, is_sized=k is not None)
        for name, selector in _resolve_selectors(selectors, sizes[-1], random_state).items()
    ]
    splits = make_splits(
        data.y, cv, n_repeats=n_repeats, groups=data.groups, random_state=random_state
    )
    return _evaluate(data, candidates, sizes, learner, splits, random_state, n_jobs, verbose)


def evaluate_selector(
    selector: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_selected: int,
    is_ranked: bool = True,
    cv: Any = 5,
    n_repeats: int | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    covariates: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    imputer: Any = None,
    class_names: Sequence[str] | None = None,
) -> Comparison:
    """Evaluate a selector exactly as it was run, everything it chooses from the data included.

    In every fold a fresh clone selects from the training samples alone. It is not told the number
    of features, the weights or anything else that it has chosen on all samples. PairCover, S²FS
    and ANOVA F with ``n_selected`` features stand beside it.

    Parameters
    ----------
    selector : estimator
        What was run, fitted or not: any selector of this package or of scikit-learn.
    X : array-like, sparse array or data frame of shape (n_samples, n_features)
        As for :func:`s2fs.compare`.
    y : array-like of shape (n_samples,)
        Class labels.
    n_selected : int
        How many features it has selected on all samples: up to there the accuracy is measured for
        several numbers of its first features.
    is_ranked : bool, default=True
        Whether its features have an order; if not, they are evaluated together.
    cv : int, splitter or iterable of (train, test), default=5
        As for :func:`s2fs.compare`.
    n_repeats : int, optional
        As for :func:`s2fs.compare`. By default 5, and 1 for a :class:`s2fs.SelectorCV` that
        chooses the weights of S²FS: it fits hundreds of selections in each fold.
    groups : array-like of shape (n_samples,), optional
        What each sample belongs to, such as a patient.
    sample_weight : array-like of shape (n_samples,), optional
        Given to the selectors that take it.
    covariates : array-like or data frame of shape (n_samples, n_covariates), optional
        What features are adjusted for.
    random_state : int, default=0
        Seed of the folds and of the random features.
    n_jobs : int, optional
        Number of threads, which share the folds.
    verbose : int, default=0
        With 1 or more, a progress bar on standard error if that is a terminal.
    imputer : transformer, optional
        What fills in missing values, fitted on the training samples of each fold.
    class_names : sequence of str, optional
        What notes call the classes, in sorted order of the labels.

    Returns
    -------
    Comparison
        With the selector as its first row.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import PairCover
    >>> from s2fs.evaluation import evaluate_selector
    >>> X, y = load_wine(return_X_y=True)
    >>> result = evaluate_selector(PairCover(5), X, y, n_selected=5)
    >>> result.recommendation.size, result.sizes
    (4, [1, 2, 3, 4, 5])
    """
    data = check_data(X, y, imputer, groups, sample_weight, covariates)
    if len(data.y) < FEWEST_SAMPLES:
        raise ValueError(f"{len(data.y)} samples are too few for cross-validation.")
    sizes: list[int | None] = [*sizes_up_to(n_selected)] if is_ranked else [n_selected]
    if n_repeats is None:
        n_repeats = 1 if isinstance(selector, SelectorCV) and selector.selector is None else 5
    candidates = [Candidate(name_selector(selector), selector, is_sized=False)]
    for other in (PairCover(n_selected), S2FS(n_selected), AnovaF(n_selected)):
        if not _select_alike(selector, other):
            name = name_selector(other)
            taken = name == candidates[0].name
            candidates.append(
                Candidate(f"{name} (default)" if taken else name, other, is_sized=True)
            )
    splits = make_splits(
        data.y,
        cv,
        n_repeats=n_repeats,
        groups=data.groups,
        random_state=random_state,
        class_names=class_names,
    )
    return _evaluate(data, candidates, sizes, "knn", splits, random_state, n_jobs, verbose)


def _select_alike(one: Any, other: Any) -> bool:
    """Whether two selectors differ in nothing that matters but the number of features."""
    if type(one) is not type(other):
        return False
    own, others = one.get_params(deep=False), other.get_params(deep=False)
    return all(
        own[name] is others[name] or own[name] == others[name] for name in own.keys() - _INCIDENTAL
    )


def _check_sizes(k: Any, m: int) -> list[int | None]:
    """The numbers of features to compare, at most ``m``; None for that of the selectors."""
    if k is None:
        return [None]
    sizes = [k] if isinstance(k, Integral) or not np.iterable(k) else list(k)
    whole = all(isinstance(s, Integral) and not isinstance(s, bool) and int(s) >= 1 for s in sizes)
    if not sizes or not whole or any(one >= other for one, other in pairwise(sizes)):
        raise ValueError(f"k is {k!r}; give a whole number from 1, increasing ones, or None.")
    return list(dict.fromkeys(min(int(size), m) for size in sizes))


def _resolve_selectors(selectors: Any, k: int | None, random_state: int) -> dict[str, Any]:
    """The selectors by the names of their rows, set to ``k`` features."""
    if selectors is None:
        selectors = [PairCover(), S2FS(), AnovaF()]
    if isinstance(selectors, str) or not isinstance(selectors, Iterable):
        raise ValueError(f"selectors is {selectors!r}; give a list, or a dict of names.")
    if isinstance(selectors, Mapping):
        named = {str(name): _make_selector(one, k, random_state) for name, one in selectors.items()}
    else:
        named, seen = {}, Counter[str]()
        for one in selectors:
            selector = _make_selector(one, k, random_state)
            name = name_selector(selector)
            seen[name] += 1
            named[name if seen[name] == 1 else f"{name} {seen[name]}"] = selector
    if not named:
        raise ValueError("selectors is empty; give at least one.")
    return named


def _make_selector(selector: Any, k: int | None, random_state: int) -> Any:
    """A fresh selector by name or object, set to ``k`` features if it has a number of them."""
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
        settings |= dict.fromkeys(NUMBER_NAMES, k)
    taken = selector.get_params(deep=False)
    return clone(selector).set_params(**{n: v for n, v in settings.items() if n in taken})


def _resolve_learner(learner: Any) -> tuple[str, Any]:
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


def _evaluate(
    data: EvaluationData,
    candidates: list[Candidate],
    sizes: Sequence[int | None],
    learner: Any,
    splits: Splits,
    random_state: int,
    n_jobs: int | None,
    verbose: int,
) -> Comparison:
    """Run every candidate, and the rows that frame them, in every fold; pool inside the repeats."""
    called, trained = _resolve_learner(learner)
    frame = [name_all_features(data.n_features), RANDOM, MAJORITY]
    if clash := [one.name for one in candidates if one.name in frame]:
        raise ValueError(
            f"selectors has {clash[0]!r}, which is the name of another row; choose another name."
        )
    run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    tasks = (
        delayed(run_fold)(data, fold, candidates, sizes, trained, [random_state, number])
        for number, fold in enumerate(splits.folds)
    )
    folds: list[dict[str, list[Scored]]] = list(
        progress(run(tasks), len(splits.folds), "Comparing", show=verbose > 0)
    )
    by_size = {
        size: pool_rows(
            data, splits, [{n: of[i] for n, of in fold.items()} for fold in folds], called
        )
        for i, size in enumerate(sizes)
    }
    last = by_size[sizes[-1]]
    if len(sizes) == 1:
        return last
    return replace(last, by_size={size: at for size, at in by_size.items() if size is not None})
