"""Selectors beside each other on held-out samples, framed by all, random and no features."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from s2fs._utils.log import LOGGER
from s2fs._utils.messages import did_you_mean, format_count
from s2fs._utils.progress import track_progress
from s2fs._utils.training_rows import TrainingRows
from s2fs.baselines import AnovaF
from s2fs.evaluation.candidates import (
    Candidate,
    are_same_selector,
    can_go_on,
    count_free_features,
    resolve_selectors,
)
from s2fs.evaluation.comparison import (
    MAJORITY,
    RANDOM,
    Comparison,
    ComparisonRow,
    name_all_features,
)
from s2fs.evaluation.folds import DEFAULT_FOLDS, DEFAULT_REPEATS, Splits, make_splits
from s2fs.evaluation.learners import find_class_weight, resolve_learner
from s2fs.evaluation.metrics import SCORINGS
from s2fs.evaluation.names import name_selector
from s2fs.evaluation.plan import draw_rows, plan_work
from s2fs.evaluation.pooling import (
    Pool,
    Scores,
    make_guess_row,
    make_pool,
    make_row,
    pool_answers,
)
from s2fs.evaluation.repeated import describe_repeated_samples, find_repeated_samples
from s2fs.evaluation.samples import EvaluationSamples, check_samples
from s2fs.evaluation.sentences import list_sizes
from s2fs.evaluation.trial import Scored, run_fold
from s2fs.selectors.base import get_feature_groups, set_feature_groups
from s2fs.selectors.cv import SelectorCV
from s2fs.selectors.pair_cover import PairCover
from s2fs.selectors.s2fs import S2FS

#: With fewer samples nothing can be said of how good a selection is.
FEWEST_SAMPLES = 10
#: What is trained on the selected features.
DEFAULT_LEARNER = "logistic"


def compare(
    X: Any,
    y: ArrayLike,
    *,
    k: int | Sequence[int] | None = 10,
    selectors: Mapping[str, Any] | Iterable[Any] | None = None,
    learner: Any = DEFAULT_LEARNER,
    scoring: str = "accuracy",
    positive: Any = None,
    cv: Any = DEFAULT_FOLDS,
    n_repeats: int = DEFAULT_REPEATS,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    covariates: Any = None,
    feature_groups: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    imputer: Any = None,
) -> Comparison:
    """Compare selectors on held-out samples: how good, how stable, how redundant, how fast.

    Each selector selects from the training samples of each fold, the learner is trained on the
    selected features and predicts the samples that were held out. All selectors see the same folds.
    All features, random features and always guessing the largest class frame them.

    Parameters
    ----------
    X : array-like, sparse array or data frame of shape (n_samples, n_features)
        Numeric features; a sparse array stays sparse, but for selectors that take none, and with
        covariates. Missing values are filled in by ``imputer``. Without one, they are filled in by
        the medians of the training samples, but for selectors that take them.
    y : array-like of shape (n_samples,)
        Class labels. Classes of a single sample are left out, with a note.
    k : int, increasing sequence of int, or None, default=10
        How many features to select, at most all: set as ``n_features_to_select`` or ``k`` of every
        selector that has one of these. The verdict and ``rows`` are about this number;
        ``result.at(number)`` is about some smaller ones and twice as many. Of a sequence these
        numbers are compared, and the last is the one asked for. None leaves the selectors as they
        are.
    selectors : dict of str to selector, or iterable of selectors, default=None
        Estimators with ``get_support`` after ``fit``, pipelines that hold some, or names:
        "paircover", "s2fs", "s2fs-rms" or any of ``s2fs.baselines.BASELINES``. The verdict is about
        the first. None is PairCover, S2FS and AnovaF.
    learner : {"logistic", "knn", "svm", "cart"} or classifier, default="logistic"
        What is trained on the selected features: ridge logistic regression on standardised
        features, 5 nearest neighbours, a support vector machine or a decision tree, the last three
        on features scaled to [0, 1].
    scoring : {"accuracy", "balanced_accuracy", "auc"}, default="accuracy"
        What the verdict is about.
    positive : label, default=None
        Of two classes the one that sensitivity is about; None is the second in sorted order.
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
    feature_groups : list of lists, or a label per column, optional
        Columns that are one feature, as in :class:`s2fs.PairCover`; given to the selectors that
        take them. Of others a feature is selected if one of its columns is. By default what the
        first of the selectors was told that was told any.
    random_state : int, default=0
        Seed of the folds, of the random features, and of named selectors that draw at random.
    n_jobs : int, default=None
        Number of threads, which share the folds; more than one makes ``seconds`` less exact.
    verbose : int, default=0
        With 1 or more, progress on standard error: a bar on a terminal, else one line a minute.
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
    >>> [(row.selector, round(row.scores["accuracy"].value, 3)) for row in result.rows[:2]]
    [('PairCover', 0.931), ('SelectKBest', 0.934)]
    >>> result.relation("majority class")
    'better than'
    """
    named = resolve_selectors(selectors, None, random_state)
    if feature_groups is None:
        told = (get_feature_groups(selector) for selector in named.values())
        feature_groups = next((one for one in told if one is not None), None)
    samples = check_samples(X, y, imputer, groups, sample_weight, covariates, feature_groups)
    sizes, size, notes = _check_sizes(k, samples.n_features)
    candidates = [
        Candidate(name, selector, is_sized=k is not None)
        for name, selector in resolve_selectors(named, size, random_state).items()
    ]
    for candidate in candidates:
        set_feature_groups(candidate.selector, samples.features.groups)
    asked = Asked(sizes, size, learner, scoring, positive, random_state, notes)
    splits = _plan_splits(samples, asked, cv, n_repeats, None)
    return _evaluate(samples, candidates, asked, splits, n_jobs, verbose)


def evaluate_selector(
    selector: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_selected: int,
    is_ranked: bool = True,
    learner: Any = DEFAULT_LEARNER,
    scoring: str = "accuracy",
    positive: Any = None,
    cv: Any = DEFAULT_FOLDS,
    n_repeats: int | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    covariates: Any = None,
    feature_groups: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    imputer: Any = None,
    class_names: Sequence[str] | None = None,
    sample_names: Sequence[str] | None = None,
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
        How many features it has selected on all samples. The verdict is about what was run; some
        smaller numbers, and twice as many, stand beside it if the selector can go on.
    is_ranked : bool, default=True
        Whether its features have an order; if not, they are evaluated together.
    learner : {"logistic", "knn", "svm", "cart"} or classifier, default="logistic"
        As for :func:`s2fs.compare`.
    scoring : {"accuracy", "balanced_accuracy", "auc"}, default="accuracy"
        As for :func:`s2fs.compare`.
    positive : label, default=None
        As for :func:`s2fs.compare`.
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
    feature_groups : list of lists, or a label per column, optional
        Columns that are one feature; by default what the selector was told.
    random_state : int, default=0
        Seed of the folds and of the random features.
    n_jobs : int, optional
        Number of threads, which share the folds.
    verbose : int, default=0
        With 1 or more, progress on standard error: a bar on a terminal, else one line a minute.
    imputer : transformer, optional
        What fills in missing values, fitted on the training samples of each fold.
    class_names : sequence of str, optional
        What the classes are called, in sorted order of the labels.
    sample_names : sequence of str, optional
        What notes call the samples; by default their rows.

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
    (10, [1, 2, 5, 10])
    """
    if feature_groups is None:
        feature_groups = get_feature_groups(selector)
    samples = check_samples(X, y, imputer, groups, sample_weight, covariates, feature_groups)
    sizes: list[int | None] = [n_selected]
    if is_ranked:
        n_free = max(n_selected, count_free_features(selector, samples))
        sizes = [*list_sizes(n_selected, n_free)]
        if not can_go_on(selector):
            sizes = [size for size in sizes if size is not None and size <= n_selected]
    if n_repeats is None:
        tunes_weights = isinstance(selector, SelectorCV) and isinstance(selector.selector, S2FS)
        n_repeats = 1 if tunes_weights else DEFAULT_REPEATS
    candidates = [Candidate(name_selector(selector), selector, is_sized=False)]
    for peer in (PairCover(n_selected), S2FS(n_selected), AnovaF(n_selected)):
        if not are_same_selector(selector, peer):
            set_feature_groups(peer, samples.features.groups)
            name = name_selector(peer)
            if name == candidates[0].name:
                name = f"{name} (default)"
            candidates.append(Candidate(name, peer, is_sized=True))
    asked = Asked(sizes, n_selected, learner, scoring, positive, random_state, [], sample_names)
    splits = _plan_splits(samples, asked, cv, n_repeats, class_names)
    if class_names is not None:
        samples = replace(samples, classes=np.array(class_names, dtype=object))
    found = _evaluate(samples, candidates, asked, splits, n_jobs, verbose)
    return replace(found, is_ordered=is_ranked)


class Asked(NamedTuple):
    """What a comparison was asked for.

    Attributes
    ----------
    sizes : list
        The numbers of features to try; a single None leaves them to the selectors.
    size : int or None
        The number the verdict is about.
    learner : str or classifier
        What is trained.
    scoring : str
        The metric of the verdict.
    positive : label or None
        The class that sensitivity is about.
    random_state : int
        Seed of the random features.
    notes : list of str
        What differs from what was asked for.
    sample_names : sequence of str or None
        What samples are called; by default their rows.
    """

    sizes: list[int | None]
    size: int | None
    learner: Any
    scoring: str
    positive: Any
    random_state: int
    notes: list[str]
    sample_names: Sequence[str] | None = None


def _plan_splits(
    samples: EvaluationSamples,
    asked: Asked,
    cv: Any,
    n_repeats: int,
    class_names: Sequence[str] | None,
) -> Splits:
    """The folds; of a table that is too large for all of them fewer repeats, then fewer rows."""
    rows, notes = None, []
    are_numbers = all(isinstance(one, Integral) for one in (cv, n_repeats))
    if are_numbers and not isinstance(cv, bool) and cv > 1 and n_repeats > 0:
        n, m = samples.values.shape
        fewer, n_rows = plan_work(n, m, len(asked.sizes), int(cv), int(n_repeats))
        if fewer < n_repeats:
            times = "once" if fewer == 1 else f"{fewer} times"
            notes.append(f"The table is large: the folds are drawn {times}, not {n_repeats} times.")
            n_repeats = fewer
        if n_rows < n:
            rows = draw_rows(samples.codes, n_rows, asked.random_state)
            notes.append(f"A sample of {len(rows):,} of its {n:,} rows is evaluated.")
    splits = make_splits(
        samples.y,
        cv,
        n_repeats=n_repeats,
        groups=samples.groups,
        random_state=asked.random_state,
        class_names=class_names,
        rows=rows,
    )
    return splits._replace(notes=[*notes, *splits.notes], is_sampled=rows is not None)


def _check_sizes(k: Any, m: int) -> tuple[list[int | None], int | None, list[str]]:
    """The numbers of features to compare, at most ``m``, the one asked for, and a note."""
    if k is None:
        return [None], None, []
    is_one = isinstance(k, Integral) or not np.iterable(k)
    sizes = [k] if is_one else list(k)
    are_whole = all(
        isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1
        for size in sizes
    )
    if not sizes or not are_whole or any(size >= larger for size, larger in pairwise(sizes)):
        raise ValueError(f"k is {k!r}; give a whole number from 1, increasing ones, or None.")
    size, notes = int(sizes[-1]), []
    if size > m:
        notes = [f"{size} features were asked for, but there are {m}: all are selected."]
        size = m
    if is_one:
        return [*list_sizes(size, m)], size, notes
    return list(dict.fromkeys(min(int(one), m) for one in sizes)), size, notes


def _check_scoring(scoring: Any) -> None:
    """Raise if the verdict cannot be about this metric."""
    if scoring not in SCORINGS:
        hint = did_you_mean(str(scoring), SCORINGS)
        raise ValueError(f"scoring is {scoring!r}{hint}; choose from {', '.join(SCORINGS)}.")


def _find_positive(positive: Any, classes: Any) -> int:
    """The position of the positive class, by its label or the text of it."""
    if positive is None:
        return len(classes) - 1 if len(classes) == 2 else 1
    if len(classes) != 2:
        raise ValueError(
            f"positive is {positive!r}, but there are {len(classes)} classes; it is for two."
        )
    for place, label in enumerate(classes):
        if label == positive or str(label) == str(positive):
            return place
    names = " and ".join(repr(str(label)) for label in classes)
    raise ValueError(f"positive is {positive!r}, which is no class; the classes are {names}.")


def _evaluate(
    samples: EvaluationSamples,
    candidates: list[Candidate],
    asked: Asked,
    splits: Splits,
    n_jobs: int | None,
    verbose: int,
) -> Comparison:
    """Run every candidate, and the rows that frame them, in every fold; pool inside the repeats."""
    n = len(samples.y)
    if n < FEWEST_SAMPLES:
        raise ValueError(f"{format_count(n, 'sample')} are too few to say how good this is.")
    _check_scoring(asked.scoring)
    positive = _find_positive(asked.positive, samples.classes)
    learner_name, trained = resolve_learner(asked.learner)
    frame = [name_all_features(samples.n_features), RANDOM, MAJORITY]
    if clash := [candidate.name for candidate in candidates if candidate.name in frame]:
        raise ValueError(
            f"selectors has {clash[0]!r}, which is the name of another row; choose another name."
        )
    LOGGER.info(
        "evaluating %s with %s features in %d folds of %d samples",
        ", ".join(candidate.name for candidate in candidates),
        ", ".join("chosen" if size is None else str(size) for size in asked.sizes),
        len(splits.folds),
        n,
    )
    rows = TrainingRows()
    run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    tasks = (
        delayed(run_fold)(
            samples,
            fold,
            candidates,
            asked.sizes,
            asked.size,
            trained,
            [asked.random_state, number],
            rows,
        )
        for number, fold in enumerate(splits.folds)
    )
    folds: list[dict[str, list[Scored]]] = list(
        track_progress(run(tasks), len(splits.folds), "Comparing", show=verbose > 0)
    )
    by_size = _pool(samples, asked, learner_name, splits, folds, positive)
    found = _look_for_repeats(by_size[asked.size], samples, asked)
    if asked.scoring not in found.rows[0].scores:
        raise ValueError(
            f"scoring is {asked.scoring!r}, which needs a learner that says probabilities; "
            'leave learner at "logistic", or choose another scoring.'
        )
    if len(asked.sizes) == 1:
        return found
    return replace(found, by_size={size: at for size, at in by_size.items() if size is not None})


def _look_for_repeats(found: Comparison, samples: EvaluationSamples, asked: Asked) -> Comparison:
    """Add what is to be said of samples that seem to belong together, if no groups were given."""
    if samples.groups is not None:
        return found
    repeats = find_repeated_samples(samples.values, samples.codes)
    sentences = describe_repeated_samples(repeats, asked.sample_names)
    many = sentences[0] if repeats is not None and repeats.are_many else ""
    return replace(found, notes=[*found.notes, *sentences], repeated=many)


def _pool(
    samples: EvaluationSamples,
    asked: Asked,
    learner: str,
    splits: Splits,
    folds: list[dict[str, list[Scored]]],
    positive: int,
) -> dict[int | None, Comparison]:
    """The comparison with each number of features, from what was said in every fold."""
    pool = make_pool(samples, splits, positive, find_class_weight(asked.learner))
    known: dict[tuple[int, ...], Any] = {}
    by_size: dict[int | None, Comparison] = {}
    for i, size in enumerate(asked.sizes):
        rows, held_out, selected = [], {}, {}
        for name in folds[0]:
            scored = [fold[name][i] for fold in folds]
            # A row that does not depend on the number has the same answers at every size.
            same = tuple(id(in_fold.answers) for in_fold in scored)
            if same not in known:
                answers = pool_answers(pool, scored)
                known[same] = answers, Scores(answers, has_intervals=pool.has_intervals)
            held_out[name], scores = known[same]
            rows.append(make_row(name, scored, scores, pool.n_features))
            selected[name] = [in_fold.selected for in_fold in scored]
        rows.append(make_guess_row(held_out[rows[0].selector]))
        by_size[size] = _make_comparison(
            samples, asked, learner, splits, pool, rows, held_out, selected, size
        )
    return by_size


def _make_comparison(
    samples: EvaluationSamples,
    asked: Asked,
    learner: str,
    splits: Splits,
    pool: Pool,
    rows: list[ComparisonRow],
    held_out: dict[str, Any],
    selected: dict[str, Any],
    size: int | None,
) -> Comparison:
    return Comparison(
        rows=rows,
        held_out=held_out,
        selected=selected,
        classes=samples.classes,
        codes=samples.codes,
        units=pool.units,
        learner=learner,
        scoring=asked.scoring,
        n_splits=pool.n_splits,
        n_repeats=len(splits.repeats),
        n_features_in=samples.n_features,
        size=size,
        positive=pool.positive,
        has_intervals=pool.has_intervals,
        is_sampled=splits.is_sampled,
        group_name=samples.group_name,
        covariate_names=samples.covariate_names,
        features=samples.features,
        notes=[*asked.notes, *splits.notes],
    )
