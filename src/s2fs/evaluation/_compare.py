"""Selectors beside each other on held-out samples, framed by all, random and no features."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from numbers import Integral
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import has_fit_parameter

from s2fs._core.correlation import prefix_redundancy
from s2fs._core.covariates import (
    Covariates,
    check_complete,
    covariate_columns,
    encode_covariates,
    remove_learnt_covariates,
)
from s2fs._core.stability import stability
from s2fs._core.weights import check_sample_weight
from s2fs._selectors.base import features_in_order
from s2fs._selectors.cv import SelectorCV
from s2fs._selectors.pairs import PairCover
from s2fs._selectors.s2fs import S2FS
from s2fs._util.inputs import inner_fit, reject_nonfinite_columns, reject_text_columns
from s2fs._util.messages import did_you_mean
from s2fs._util.progress import progress
from s2fs._util.types import Floats, Indices
from s2fs.baselines import BASELINES, AnovaF
from s2fs.evaluation._folds import filled
from s2fs.evaluation._learners import LEARNERS, check_rows, predict_prefixes
from s2fs.evaluation._splits import Fold, Splits, make_splits
from s2fs.evaluation.comparison import MAJORITY, RANDOM, Comparison, ComparisonRow, sizes_up_to
from s2fs.evaluation.names import name_selector
from s2fs.evaluation.statistics import wilson_interval

#: What makes each selector that has a name, by that name in lower case.
SELECTORS: dict[str, Callable[..., Any]] = {
    "paircover": PairCover,
    "s2fs": S2FS,
    "s2fs-rms": partial(S2FS, compactness="rms"),
    **{name.lower(): baseline for name, baseline in BASELINES.items()},
}
#: With fewer samples a selection is not evaluated.
FEWEST_SAMPLES = 10
#: How many random sets of features are drawn in each fold.
N_RANDOM_DRAWS = 10
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
    data = _check_data(X, y, imputer, groups, sample_weight, covariates)
    sizes = _check_sizes(k, data.n_features)
    candidates = [
        _Candidate(name, selector, is_sized=k is not None)
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
    data = _check_data(X, y, imputer, groups, sample_weight, covariates)
    if len(data.y) < FEWEST_SAMPLES:
        raise ValueError(f"{len(data.y)} samples are too few for cross-validation.")
    sizes: list[int | None] = [*sizes_up_to(n_selected)] if is_ranked else [n_selected]
    if n_repeats is None:
        n_repeats = 1 if isinstance(selector, SelectorCV) and selector.selector is None else 5
    candidates = [_Candidate(name_selector(selector), selector, is_sized=False)]
    for other in (PairCover(n_selected), S2FS(n_selected), AnovaF(n_selected)):
        if not _select_alike(selector, other):
            name = name_selector(other)
            taken = name == candidates[0].name
            candidates.append(
                _Candidate(f"{name} (default)" if taken else name, other, is_sized=True)
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


@dataclass(frozen=True)
class _Data:
    """The samples of an evaluation."""

    X: Any  # as given, for selectors that know features by name
    values: Floats
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: Indices
    groups: NDArray[Any] | None
    sample_weight: Floats | None
    covariates: NDArray[Any] | None  # a field for each
    adjusted_for: Covariates | None  # the same, encoded
    imputer: Any
    has_missing: bool

    @property
    def n_features(self) -> int:
        return self.values.shape[1]


def _check_data(
    X: Any, y: ArrayLike, imputer: Any, groups: Any, sample_weight: Any, covariates: Any
) -> _Data:
    reject_text_columns(X)
    if issparse(X):
        X = X.toarray()
    values, labels = np.asarray(X, dtype=np.float64), column_or_1d(y)
    check_consistent_length(values, labels)
    check_classification_targets(labels)
    reject_nonfinite_columns(values, getattr(X, "columns", None), allow_nan=True)
    if groups is not None:
        groups = column_or_1d(groups)
        check_consistent_length(values, groups)
    classes, codes = np.unique(labels, return_inverse=True)
    adjusted_for = None
    if covariates is not None:
        check_complete(values)
        covariates = covariate_columns(covariates, len(labels))
        adjusted_for = encode_covariates(covariates, codes)
    return _Data(
        X,
        values,
        labels,
        classes,
        codes,
        groups,
        None if sample_weight is None else check_sample_weight(sample_weight, len(labels)),
        covariates,
        adjusted_for,
        imputer,
        bool(np.isnan(values).any()),
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


class _Candidate(NamedTuple):
    """A selector to evaluate; a sized one may be told how many features to select."""

    name: str
    selector: Any
    is_sized: bool


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
        settings |= {"n_features_to_select": k, "k": k}
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


class _Scored(NamedTuple):
    """What one row has reached in one fold with one number of features."""

    selected: Indices
    predicted: Indices  # (n_draws, n_test)
    redundancy: float | None = None
    seconds: float | None = None


#: For each row the results of a fold, one for each number of features.
_FoldRows = dict[str, list[_Scored]]


def _evaluate(
    data: _Data,
    candidates: list[_Candidate],
    sizes: Sequence[int | None],
    learner: Any,
    splits: Splits,
    random_state: int,
    n_jobs: int | None,
    verbose: int,
) -> Comparison:
    """Run every candidate, and the rows that frame them, in every fold; pool inside the repeats."""
    called, trained = _resolve_learner(learner)
    frame = [_name_all(data.n_features), RANDOM, MAJORITY]
    if clash := [one.name for one in candidates if one.name in frame]:
        raise ValueError(
            f"selectors has {clash[0]!r}, which is the name of another row; choose another name."
        )
    run = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    tasks = (
        delayed(_run_fold)(data, fold, candidates, sizes, trained, [random_state, number])
        for number, fold in enumerate(splits.folds)
    )
    folds: list[_FoldRows] = list(
        progress(run(tasks), len(splits.folds), "Comparing", show=verbose > 0)
    )
    by_size = {
        size: _pool(data, splits, [{n: of[i] for n, of in fold.items()} for fold in folds], called)
        for i, size in enumerate(sizes)
    }
    last = by_size[sizes[-1]]
    if len(sizes) == 1:
        return last
    return replace(last, by_size={size: at for size, at in by_size.items() if size is not None})


def _name_all(m: int) -> str:
    return f"all {m} features"


def _pool(data: _Data, splits: Splits, folds: list[dict[str, _Scored]], learner: str) -> Comparison:
    """The comparison with one number of features, from what every row has reached in every fold."""
    held_out = np.unique(np.concatenate([test for _, test in splits.folds]))
    units = np.arange(len(data.y))
    if data.groups is not None:
        units = np.unique(data.groups, return_inverse=True)[1]
    n_units = len(np.unique(units[held_out]))
    rows, accuracies, predictions = [], {}, {}
    for name in folds[0]:
        scored = [fold[name] for fold in folds]
        pooled = _pool_predictions(scored, splits.repeats, len(data.y))
        rows.append(_summarise_row(name, scored, pooled, data, n_units))
        accuracies[name] = np.array(
            [
                (one.predicted == data.codes[test]).mean()
                for one, (_, test) in zip(scored, splits.folds, strict=True)
            ]
        )
        if name != RANDOM:  # ten draws have no single prediction
            predictions[name] = pooled[:, 0]
    return Comparison(
        rows=rows,
        accuracies=accuracies,
        predictions=predictions,
        classes=data.classes,
        codes=data.codes,
        units=units,
        learner=learner,
        n_splits=len(splits.repeats[0]),
        n_repeats=len(splits.repeats),
        test_share=splits.test_share,
        notes=list(splits.notes),
        n_features_in=data.n_features,
    )


def _pool_predictions(scored: list[_Scored], repeats: list[list[Fold]], n: int) -> Indices:
    """The class each sample was given in each repeat and draw, −1 where it was not held out."""
    n_draws = len(scored[0].predicted)
    pooled = np.full((len(repeats), n_draws, n), -1)
    of_fold = iter(scored)
    for repeat, folds in zip(pooled, repeats, strict=True):
        for _, test in folds:
            repeat[:, test] = next(of_fold).predicted
    return pooled


def _summarise_row(
    name: str, scored: list[_Scored], pooled: Indices, data: _Data, n_units: int
) -> ComparisonRow:
    accuracy, balanced = _score_repeats(pooled, data.codes, len(data.classes))
    low, high = wilson_interval(float(accuracy.mean()), n_units)
    sets, m = [one.selected for one in scored], data.n_features
    share = sum(map(len, sets)) / (len(sets) * m)
    is_selection = scored[0].seconds is not None
    n_repeats = len(accuracy)
    return ComparisonRow(
        selector=name,
        n_features=share * m,
        accuracy=float(accuracy.mean()),
        accuracy_low=low,
        accuracy_high=high,
        accuracy_std=float(accuracy.std(ddof=1)) if n_repeats > 1 else 0.0,
        balanced_accuracy=float(balanced.mean()),
        balanced_accuracy_std=float(balanced.std(ddof=1)) if n_repeats > 1 else 0.0,
        stability=stability(sets, m).value if is_selection and 0 < share < 1 else None,
        redundancy=_mean_or_none([one.redundancy for one in scored]),
        seconds=_mean_or_none([one.seconds for one in scored]),
    )


def _score_repeats(pooled: Indices, codes: Indices, n_classes: int) -> tuple[Floats, Floats]:
    """Accuracy and balanced accuracy of each repeat, of predictions pooled over its folds."""
    held_out = pooled >= 0
    right = pooled == codes
    accuracy = right.sum(axis=2) / held_out.sum(axis=2)
    members = codes == np.arange(n_classes)[:, None]
    n_held_out = held_out.astype(int) @ members.T.astype(int)  # repeats × draws × classes
    n_right = right.astype(int) @ members.T.astype(int)
    with np.errstate(invalid="ignore"):
        balanced = np.nanmean(n_right / np.where(n_held_out > 0, n_held_out, np.nan), axis=2)
    return accuracy.mean(axis=1), balanced.mean(axis=1)


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


def _run_fold(
    data: _Data,
    fold: Fold,
    candidates: list[_Candidate],
    sizes: Sequence[int | None],
    learner: Any,
    seed: list[int],
) -> _FoldRows:
    """Select from the training samples and predict the held-out ones, for every row and size."""
    train, test = fold
    values = _fill_missing(data, train)
    X = data.X if data.imputer is None else values
    if data.adjusted_for is not None:
        values = remove_learnt_covariates(values, data.codes, data.adjusted_for, train)
    samples, prepared = _safe_indexing(X, train), None
    found: _FoldRows = {}
    for name, selector, is_sized in candidates:
        mine = samples
        if _needs_prepared(selector, data):
            prepared = values[train] if prepared is None else prepared
            mine = prepared
        found[name] = _run_selector(selector, is_sized, mine, data, values, fold, sizes, learner)
    m = data.n_features
    everything = _predict(values, data.codes, fold, np.arange(m), [m], learner)
    found[_name_all(m)] = [_Scored(np.arange(m), everything)] * len(sizes)
    first = found[candidates[0].name]
    found[RANDOM] = _run_random(values, data.codes, fold, first, learner, seed)
    counts = np.bincount(data.codes[np.concatenate(fold)])
    guess = np.full((1, len(test)), counts.argmax())  # of equal ones the first
    found[MAJORITY] = [_Scored(np.arange(0), guess)] * len(sizes)
    return found


def _fill_missing(data: _Data, train: Indices) -> Floats:
    """The table as the learner sees it in a fold: complete, by what the training samples say."""
    if data.imputer is not None:
        return filled(data.values, train, data.imputer)
    if not data.has_missing:
        return data.values
    return filled(data.values, train, SimpleImputer(strategy="median", keep_empty_features=True))


def _needs_prepared(selector: Any, data: _Data) -> bool:
    """Whether a selector cannot fill in or adjust the values itself."""
    if data.has_missing and data.imputer is None and not get_tags(selector).input_tags.allow_nan:
        return True
    return data.covariates is not None and not has_fit_parameter(selector, "covariates")


def _run_selector(
    selector: Any,
    is_sized: bool,
    samples: Any,
    data: _Data,
    values: Floats,
    fold: Fold,
    sizes: Sequence[int | None],
    learner: Any,
) -> list[_Scored]:
    """Fit a selector, once if it ranks, and score each number of its first features."""
    selected, is_ranked, seconds = _select(selector, samples, data, fold[0])
    own = len(selected)
    has_number = not {"n_features_to_select", "k"}.isdisjoint(selector.get_params(deep=False))
    if is_sized and not has_number:  # it selects what it selects, whatever was asked for
        return _score(values, data.codes, fold, selected, [own] * len(sizes), learner, seconds)
    if not is_ranked and is_sized and len(sizes) > 1:
        results = []
        for size in sizes[:-1]:
            smaller, _, took = _select(_make_selector(selector, size, 0), samples, data, fold[0])
            results += _score(values, data.codes, fold, smaller, [len(smaller)], learner, took)
        return results + _score(values, data.codes, fold, selected, [own], learner, seconds)
    # What a selector leaves open, such as "auto", is up to it: its last number is its own.
    numbers = [min(own, size or own) if is_ranked else own for size in sizes[:-1]]
    return _score(values, data.codes, fold, selected, [*numbers, own], learner, seconds)


def _select(
    selector: Any, samples: Any, data: _Data, train: Indices
) -> tuple[Indices, bool, float]:
    """The features that a fresh clone selects, whether they are ranked, and the time it took."""
    arguments = {
        name: given[train]
        for name, given in (
            ("sample_weight", data.sample_weight),
            ("covariates", data.covariates),
            ("groups", data.groups),
        )
        if given is not None and has_fit_parameter(selector, name)
    }
    start = perf_counter()
    with inner_fit():
        fitted = clone(selector).fit(samples, data.y[train], **arguments)
    seconds = perf_counter() - start
    order = None if isinstance(fitted, Pipeline) else features_in_order(fitted)
    selected = _kept_features(fitted, data.n_features) if order is None else order
    return selected, order is not None, seconds


def _score(
    values: Floats,
    codes: Indices,
    fold: Fold,
    ranking: Indices,
    sizes: Sequence[int],
    learner: Any,
    seconds: float,
) -> list[_Scored]:
    """Predict with the first features of a ranking, for each number of them."""
    steps = sorted({size for size in sizes if size > 0})
    by_size = {0: _Scored(ranking[:0], _guess_largest(codes, fold), None, seconds)}
    if steps:
        predicted = _predict(values, codes, fold, ranking, steps, learner)
        redundancy = prefix_redundancy(values[np.ix_(fold[0], ranking)], np.array(steps))
        for size, said, r in zip(steps, predicted, redundancy, strict=True):
            known = None if np.isnan(r) else float(r)
            by_size[size] = _Scored(ranking[:size], said[None], known, seconds)
    return [by_size[size] for size in sizes]


def _guess_largest(codes: Indices, fold: Fold) -> Indices:
    """What can be said without a feature: the largest class of the training samples."""
    return np.full((1, len(fold[1])), np.bincount(codes[fold[0]]).argmax())


def _predict(
    values: Floats,
    codes: Indices,
    fold: Fold,
    ranking: Indices,
    sizes: Sequence[int],
    learner: Any,
) -> Indices:
    """For each size the predicted classes of the held-out samples."""
    train, test = fold
    columns = ranking[: sizes[-1]]
    A, B = values[np.ix_(train, columns)], values[np.ix_(test, columns)]
    low = A.min(axis=0)
    width = A.max(axis=0) - low
    width[width == 0] = 1.0
    A, B = np.asfortranarray((A - low) / width), np.asfortranarray((B - low) / width)
    classes, trained = np.unique(codes[train], return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            "a fold has training samples of one class only; use fewer folds, or other groups."
        )
    check_rows({"": learner}, len(train))
    return classes[predict_prefixes(learner, A, trained, B, np.array(sizes))]


def _run_random(
    values: Floats,
    codes: Indices,
    fold: Fold,
    first: list[_Scored],
    learner: Any,
    seed: list[int],
) -> list[_Scored]:
    """As many random features as the first selector has selected, drawn ten times."""
    rng = np.random.default_rng(seed)
    sizes = [len(one.selected) for one in first]
    steps = sorted({size for size in sizes if size > 0})
    if not steps:
        nothing = np.repeat(_guess_largest(codes, fold), N_RANDOM_DRAWS, axis=0)
        return [_Scored(one.selected, nothing) for one in first]
    draws = [rng.choice(values.shape[1], steps[-1], replace=False) for _ in range(N_RANDOM_DRAWS)]
    predicted = np.array(
        [_predict(values, codes, fold, draw, steps, learner) for draw in draws]
    )  # draws × sizes × samples
    by_size = {size: predicted[:, i] for i, size in enumerate(steps)}
    by_size[0] = np.repeat(_guess_largest(codes, fold), N_RANDOM_DRAWS, axis=0)
    return [_Scored(draws[0][:size], by_size[size]) for size in sizes]


def _kept_features(fitted: Any, m: int) -> Indices:
    """Which of ``m`` features a fitted selector, or a pipeline that holds some, lets through."""
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
            kept = kept[_kept_features(step, len(kept))]
    return kept
