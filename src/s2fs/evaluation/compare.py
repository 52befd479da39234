"""Selectors beside each other on held-out samples, framed by all, random and no features."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from s2fs._native.neighbours import knn
from s2fs._utils.progress import track_progress
from s2fs._utils.training_rows import TrainingRows
from s2fs.baselines import AnovaF
from s2fs.evaluation.candidates import Candidate, are_same_selector, resolve_selectors
from s2fs.evaluation.comparison import MAJORITY, RANDOM, Comparison, sizes_up_to
from s2fs.evaluation.folds import Splits, make_splits
from s2fs.evaluation.learners import resolve_learner
from s2fs.evaluation.names import name_selector
from s2fs.evaluation.neighbours import FEWEST_FEATURES, predict_by_all_features
from s2fs.evaluation.pooling import pool_rows
from s2fs.evaluation.samples import EvaluationSamples, check_samples
from s2fs.evaluation.trial import Scored, name_all_features, run_fold
from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.pair_cover import PairCover
from s2fs.selectors.s2fs import S2FS

#: With fewer samples a selection is not evaluated.
FEWEST_SAMPLES = 10


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
        Numeric features; a sparse array stays sparse, but for selectors that take none, and with
        covariates. Missing values are filled in by ``imputer``. Without one, they are filled in by
        the medians of the training samples, but for selectors that take them.
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
    learner : {"logistic", "knn", "svm", "cart"} or classifier, default="knn"
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
    samples = check_samples(X, y, imputer, groups, sample_weight, covariates)
    sizes = _check_sizes(k, samples.n_features)
    candidates = [
        Candidate(name, selector, is_sized=k is not None)
        for name, selector in resolve_selectors(selectors, sizes[-1], random_state).items()
    ]
    splits = make_splits(
        samples.y, cv, n_repeats=n_repeats, groups=samples.groups, random_state=random_state
    )
    return _evaluate(samples, candidates, sizes, learner, splits, random_state, n_jobs, verbose)


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
    """Evaluate a selector exactly as it was run, with all that it tunes on the data.

    In every fold a fresh clone selects from the training samples alone. It is not told the number
    of features, the weights or anything else that was tuned on all samples. PairCover, S²FS
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
    samples = check_samples(X, y, imputer, groups, sample_weight, covariates)
    if len(samples.y) < FEWEST_SAMPLES:
        raise ValueError(f"{len(samples.y)} samples are too few for cross-validation.")
    sizes: list[int | None] = [*sizes_up_to(n_selected)] if is_ranked else [n_selected]
    if n_repeats is None:
        tunes_weights = isinstance(selector, SelectorCV) and isinstance(selector.selector, S2FS)
        n_repeats = 1 if tunes_weights else 5
    candidates = [Candidate(name_selector(selector), selector, is_sized=False)]
    for peer in (PairCover(n_selected), S2FS(n_selected), AnovaF(n_selected)):
        if not are_same_selector(selector, peer):
            name = name_selector(peer)
            if name == candidates[0].name:
                name = f"{name} (default)"
            candidates.append(Candidate(name, peer, is_sized=True))
    splits = make_splits(
        samples.y,
        cv,
        n_repeats=n_repeats,
        groups=samples.groups,
        random_state=random_state,
        class_names=class_names,
    )
    return _evaluate(samples, candidates, sizes, "knn", splits, random_state, n_jobs, verbose)


def _check_sizes(k: Any, m: int) -> list[int | None]:
    """The numbers of features to compare, at most ``m``; None for that of the selectors."""
    if k is None:
        return [None]
    sizes = [k] if isinstance(k, Integral) or not np.iterable(k) else list(k)
    are_whole = all(
        isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1
        for size in sizes
    )
    if not sizes or not are_whole or any(size >= larger for size, larger in pairwise(sizes)):
        raise ValueError(f"k is {k!r}; give a whole number from 1, increasing ones, or None.")
    return list(dict.fromkeys(min(int(size), m) for size in sizes))


def _evaluate(
    samples: EvaluationSamples,
    candidates: list[Candidate],
    sizes: Sequence[int | None],
    learner: Any,
    splits: Splits,
    random_state: int,
    n_jobs: int | None,
    verbose: int,
) -> Comparison:
    """Run every candidate, and the rows that frame them, in every fold; pool inside the repeats."""
    learner_name, trained = resolve_learner(learner)
    frame = [name_all_features(samples.n_features), RANDOM, MAJORITY]
    if clash := [candidate.name for candidate in candidates if candidate.name in frame]:
        raise ValueError(
            f"selectors has {clash[0]!r}, which is the name of another row; choose another name."
        )
    by_all: list[Any] = [None] * len(splits.folds)
    if trained is knn and samples.n_features >= FEWEST_FEATURES and samples.is_same_in_folds:
        by_all = predict_by_all_features(samples.values, samples.codes, splits.folds)
    rows = TrainingRows()
    run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    tasks = (
        delayed(run_fold)(
            samples, fold, candidates, sizes, trained, [random_state, number], rows, by_all[number]
        )
        for number, fold in enumerate(splits.folds)
    )
    folds: list[dict[str, list[Scored]]] = list(
        track_progress(run(tasks), len(splits.folds), "Comparing", show=verbose > 0)
    )
    by_size = {}
    for i, size in enumerate(sizes):
        of_size = [{name: scored[i] for name, scored in fold.items()} for fold in folds]
        by_size[size] = pool_rows(samples, splits, of_size, learner_name)
    last = by_size[sizes[-1]]
    if len(sizes) == 1:
        return last
    return replace(last, by_size={size: at for size, at in by_size.items() if size is not None})
