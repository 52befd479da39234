"""The summary of some samples, by the native library where there is one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.labels import encode_classes
from s2fs._utils.types import Floats
from s2fs.criteria.summary import ClassSummary, Summary, reject_many_classes


def summarize(
    X: Any, labels: NDArray[Any], sample_weight: Floats | None = None, n_threads: int = 1
) -> Summary:
    """What some samples tell.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        The table; sparse input in CSC format. NaN is missing.
    labels : ndarray of shape (n_samples,)
        The class of each sample.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts, above 0.
    n_threads : int, default=1
        The features are shared out to that many threads.
    """
    classes, codes = encode_classes(labels)
    reject_many_classes(len(classes))
    weight = np.ones(len(codes)) if sample_weight is None else sample_weight
    by_row = X.tocsr() if issparse(X) and len(classes) > 1 else X
    of_class = []
    for code in range(len(classes)):
        rows = np.flatnonzero(codes == code)
        own = X if len(classes) == 1 else by_row[rows]
        own = own.tocsc() if issparse(own) else own
        some = weight[rows]
        with np.errstate(all="ignore"):  # infinity is reported by whoever sees the ranges
            moments = compute_class_moments(own, np.zeros(len(rows), int), 1, some, n_threads)
        ends = float(some.sum()), float(some.min()), float(some.max())
        of_class.append(ClassSummary(len(rows), *ends, moments))
    return Summary(classes, tuple(of_class))
