"""Summarise a selection to a plain dict: numbers, text and lists, nothing to draw."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from s2fs._core.criterion import Components
from s2fs._core.problem import Problem
from s2fs._selectors.s2fs import S2FS
from s2fs._util.values import plain
from s2fs.datasets import Dataset
from s2fs.evaluation import Curve, prefix_curves
from s2fs.plotting import ClassGeometry, class_geometry

#: The numbers of features at which the learners are scored; few, for each costs time.
SIZES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150)
#: An instance with less than this share of its own class sits between classes.
BETWEEN = 0.6
#: How many instances, and how many pairs of classes, are listed at most.
LONGEST_LIST = 20
N_FOLDS = 10
#: A sparse table of at most this many numbers is made dense to be drawn; that takes 128 MB.
MOST_NUMBERS = 1 << 24
LEARNER_NAMES = {"knn": "5 nearest neighbours", "svm": "support vector machine"}


def summarise_selection(
    data: Dataset, selector: S2FS, *, n_jobs: int | None = None
) -> dict[str, Any]:
    """Collect what a selection report says.

    Parameters
    ----------
    data : Dataset
        The data the selector was fitted on.
    selector : S2FS
        The fitted selector.
    n_jobs : int, optional
        How many folds of the cross-validation to run at once.

    Returns
    -------
    dict
        Plain values under "data", "parameters", "ranking", "suggested", "pairs", "between" and
        "curves".

    Examples
    --------
    >>> from s2fs import S2FS
    >>> from s2fs.datasets import load_srbct
    >>> from s2fs.report import summarise_selection
    >>> data = load_srbct()
    >>> summary = summarise_selection(data, S2FS(3).fit(data.X, data.y))
    >>> summary["ranking"][0]["feature"], summary["suggested"]
    ('V153', 3)
    """
    _check(data, selector)
    data = made_dense(data)
    suggested = suggested_size(selector, data.X, data.y)
    scaled = scaled_columns(data, selector)
    before = class_geometry(scaled(np.arange(data.X.shape[1])), data.y)
    after = class_geometry(scaled(selector.indices_[:suggested]), data.y)
    return {
        "data": _describe(data),
        "parameters": _parameters(selector),
        "ranking": _ranking(data, selector),
        "suggested": suggested,
        "more_would_help": (
            selector.n_features_to_select != "auto"
            and suggested == len(selector.indices_) < data.X.shape[1]
        ),
        "pairs": _pairs(before, after, data.class_names),
        "between": _between(after, data.class_names),
        "curves": _curves(data, selector, n_jobs),
    }


def suggested_size(selector: S2FS, X: Any, y: Any) -> int:
    """Suggest how many of the selected features to use: as many as do better than chance.

    The rule is that of ``S2FS("auto")``, with the ``level`` and ``tol`` of the selector; one if
    none does better.

    Parameters
    ----------
    selector : S2FS
        The fitted selector.
    X : array-like of shape (n_samples, n_features)
        The data it was fitted on.
    y : array-like of shape (n_samples,)
        The class labels.

    Returns
    -------
    int
        A number from 1 to the number of selected features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s2fs import S2FS
    >>> from s2fs.report import suggested_size
    >>> X, y = load_iris(return_X_y=True)
    >>> suggested_size(S2FS(2).fit(X, y), X, y)
    2
    """
    n_selected = len(selector.indices_)
    if selector.n_features_to_select == "auto":
        return n_selected
    auto = clone(selector).set_params(n_features_to_select="auto", search="forward", verbose=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No feature does better than chance")
        n_better = len(auto.fit(X, y).indices_)
    return min(n_selected, max(1, n_better))


def scaled_columns(data: Dataset, selector: S2FS) -> Any:
    """A function that gives columns of the data as the selector saw them."""
    if selector.scale is None:
        return lambda features: data.X[:, features]
    problem = Problem(data.X, data.y, selector.scale)
    return lambda features: problem.columns(np.asarray(features)).T


def made_dense(data: Dataset) -> Dataset:
    """The same data with a dense table; raise if that would be too large.

    Parameters
    ----------
    data : Dataset
        Data with a dense or a sparse table.

    Returns
    -------
    Dataset
        The data given, if they are dense.

    Examples
    --------
    >>> from s2fs.datasets import load_srbct
    >>> from s2fs.report import made_dense
    >>> data = load_srbct()
    >>> made_dense(data) is data
    True
    """
    if not issparse(data.X):
        return data
    n, m = data.X.shape
    if n * m > MOST_NUMBERS:
        raise ValueError(
            f"report needs a dense table, but the data are sparse and {n} × {m}, more than "
            f"{MOST_NUMBERS} numbers; leave the report out, or make it of fewer rows or columns."
        )
    return data._replace(X=data.X.toarray())


def _check(data: Dataset, selector: S2FS) -> None:
    if not isinstance(selector, S2FS):
        raise TypeError(
            f"selector is a {type(selector).__name__}; the report explains the path of S2FS, so "
            "give one of those."
        )
    check_is_fitted(selector)
    if selector.n_features_in_ != data.X.shape[1]:
        raise ValueError(
            f"selector was fitted on {selector.n_features_in_} features, but data has "
            f"{data.X.shape[1]}; give the data it was fitted on."
        )
    shape = data.image_shape
    if shape is not None and shape[0] * shape[1] != data.X.shape[1]:
        raise ValueError(
            f"image_shape is {shape[0]} × {shape[1]}, which are {shape[0] * shape[1]} pixels, but "
            f"data has {data.X.shape[1]} features; give the shape of one picture."
        )


def _parameters(selector: S2FS) -> dict[str, Any]:
    """The parameters that shape the criterion, and the others that are not as by default."""
    usual = {**S2FS().get_params(), "n_jobs": selector.n_jobs, "verbose": selector.verbose}
    always = ("n_features_to_select", "alpha", "beta", "scale", "centroid_membership")
    return {
        name: plain(value)
        for name, value in selector.get_params().items()
        if name in always or str(value) != str(usual[name])
    }


def _describe(data: Dataset) -> dict[str, Any]:
    n, m = data.X.shape
    counts = np.bincount(data.y, minlength=len(data.class_names)).tolist()
    return {
        "n_samples": n,
        "n_features": m,
        "n_constant": int((data.X.min(axis=0) == data.X.max(axis=0)).sum()),
        "classes": [
            {"name": name, "size": size}
            for name, size in zip(data.class_names, counts, strict=True)
        ],
        "largest_share": max(counts) / n,
    }


def _ranking(data: Dataset, selector: S2FS) -> list[dict[str, Any]]:
    measures = ("sep", "gain", *Components._fields)
    columns = [selector.path_[name].tolist() for name in measures]
    names = [data.feature_names[f] for f in selector.indices_]
    return [
        {"rank": rank, "feature": name, **dict(zip(measures, values, strict=True))}
        for rank, (name, *values) in enumerate(zip(names, *columns, strict=True), start=1)
    ]


def _pairs(before: ClassGeometry, after: ClassGeometry, names: list[str]) -> dict[str, Any]:
    """The pairs of classes, those that are hardest to tell apart first."""
    first, second = np.triu_indices(len(names), k=1)
    apart = after.separation[first, second]
    order = np.argsort(apart, kind="stable")[:LONGEST_LIST]
    rows = [
        {
            "one": names[q],
            "other": names[r],
            "before": float(before.separation[q, r]),
            "after": float(after.separation[q, r]),
        }
        for q, r in zip(first[order], second[order], strict=True)
    ]
    return {"rows": rows, "total": len(first)}


def _between(geometry: ClassGeometry, names: list[str]) -> dict[str, Any]:
    """The instances that sit between classes, the least sure first."""
    share, other = geometry.own_share, geometry.nearest_other
    found = np.flatnonzero(share < BETWEEN)
    order = found[np.argsort(share[found], kind="stable")]
    rows = [
        {
            "row": int(i) + 1,
            "own": names[geometry.codes[i]],
            "own_membership": float(geometry.memberships[i, geometry.codes[i]]),
            "other": names[other[i]],
            "other_membership": float(geometry.memberships[i, other[i]]),
            "share": float(share[i]),
            "nearer_to_other": bool(share[i] < 0.5),
        }
        for i in order[:LONGEST_LIST]
    ]
    return {
        "rows": rows,
        "total": len(order),
        "nearer_to_other": int((share < 0.5).sum()),
        "threshold": BETWEEN,
    }


def _curves(data: Dataset, selector: S2FS, n_jobs: int | None) -> dict[str, Any]:
    """Leak-free curves of the learners, or why there are none."""
    k = min(len(selector.indices_), SIZES[-1])
    sizes = sorted({size for size in SIZES if size < k} | {k})
    ranker = clone(selector).set_params(n_features_to_select=k, verbose=0)
    X, imputer = data.for_folds()
    try:
        curves = prefix_curves(
            X,
            data.y,
            ranker,
            imputer=imputer,
            learners=tuple(LEARNER_NAMES),
            sizes=sizes,
            cv=N_FOLDS,
            n_jobs=n_jobs,
        )
    except ValueError as error:  # a class with one member, or too few rows
        return {"reason": str(error), "learners": [], "sizes": sizes, "n_folds": 0}
    return {
        "reason": "",
        "sizes": sizes,
        "n_folds": curves.n_splits,
        "learners": [_learner(LEARNER_NAMES[name], curves[name]) for name in LEARNER_NAMES],
    }


def _learner(name: str, curve: Curve) -> dict[str, Any]:
    return {
        "name": name,
        "accuracy": curve.values.tolist(),
        "balanced_accuracy": curve.scores["balanced_accuracy"].tolist(),
        "best": curve.max,
        "best_size": int(curve.sizes[curve.values.argmax()]),
    }
