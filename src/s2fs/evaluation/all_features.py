"""The learner on all features: what a selection is measured against in every fold.

In a wide table the products of samples are all that ridge logistic regression needs, so they are
summed over some columns at a time: no standardised copy of the table is made. In a sparse table
columns with few stored values stay sparse: of Z = (X − 1 μᵀ) / σ the products are those of X / σ
but for terms of rank one.
"""

from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.sparse import diags_array, issparse

from s2fs._utils.threads import use_one_thread
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.logistic import compute_scales, logistic, predict_by_products
from s2fs.evaluation.folds import Fold
from s2fs.evaluation.samples import take_columns

#: How many values are standardised at a time: 16 MB.
_VALUES = 1 << 21
#: Products of fewer multiplications are done before a second thread has begun.
_MULTIPLICATIONS = 1 << 30
#: Columns with a smaller share of stored values stay sparse. Their means are less than a third of
#: their standard deviations, so the terms of rank one cost no digits; and a product of two stored
#: values takes as long as a hundred of a dense table.
_SPARSE_SHARE = 0.1


def predict_by_all_features(values: Any, codes: Indices, fold: Fold) -> Floats:
    """Predict by ridge logistic regression on all features of a table.

    Parameters
    ----------
    values : ndarray or csc_array of shape (n_samples, n_features)
        The table, complete.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    fold : (train, test)
        The samples to learn from, and those that are held out.

    Returns
    -------
    ndarray of shape (n_test, n_classes)
        The probabilities of the classes that the training samples have, in order: those of
        :func:`s2fs.criteria.logistic.logistic`.
    """
    train, test = fold
    train_codes = np.unique(codes[train], return_inverse=True)[1]
    m = values.shape[1]
    if m <= len(train):
        columns = np.arange(m)
        parts = (take_columns(values, samples, columns) for samples in fold)
        return logistic(next(parts), train_codes, next(parts), np.array([m]))[0]
    is_small = len(train) ** 2 * m < _MULTIPLICATIONS
    with use_one_thread() if is_small else nullcontext():
        products = compute_products(values, train, test)
    return predict_by_products(*products, train_codes)


def compute_products(values: Any, train: Indices, test: Indices) -> tuple[Floats, Floats]:
    """The products of training samples, and of test with training samples.

    Features are standardised by the training samples.
    """
    K = np.zeros((len(train), len(train)), order="F")
    K_test = np.zeros((len(test), len(train)))
    dense = np.arange(values.shape[1])
    if issparse(values):
        is_sparse = np.diff(values.indptr) <= _SPARSE_SHARE * values.shape[0]
        dense = np.flatnonzero(~is_sparse)
        if is_sparse.any():
            _add_sparse_products(values[:, np.flatnonzero(is_sparse)], train, test, K, K_test)
    step = max(1, _VALUES // values.shape[0])
    for start in range(0, len(dense), step):
        columns = dense[start : start + step]
        A, B = (take_columns(values, samples, columns) for samples in (train, test))
        means, scales = compute_scales(A)
        for part in (A, B):
            part -= means
            part /= scales
        # Half of the symmetric products; Fortran's order, so that nothing is copied.
        K = dsyrk(1.0, A.T, beta=1.0, c=K, trans=1, lower=1, overwrite_c=1)
        K_test += B @ A.T
    above = np.triu_indices(len(K), 1)
    K[above] = K.T[above]
    return K, K_test


def _add_sparse_products(
    values: Any, train: Indices, test: Indices, K: Floats, K_test: Floats
) -> None:
    """Add the products of columns with few stored values, in place."""
    rows = values.tocsr()
    A, B = rows[train], rows[test]
    peaks = np.abs(A).max(axis=0).toarray().ravel()
    peaks[peaks == 0] = 1.0
    n = len(train)
    means = np.asarray(A.sum(axis=0)).ravel() / n
    A, B = (part @ diags_array(1 / peaks) for part in (A, B))  # else squares overflow
    means /= peaks
    scales = np.sqrt(np.asarray(A.power(2).sum(axis=0)).ravel() / n - means**2)
    scales[scales == 0] = 1.0
    A, B = (part @ diags_array(1 / scales) for part in (A, B))
    means /= scales
    square = float(means @ means)
    of_train, of_test = A @ means, B @ means
    across = A.T.tocsr()
    K += (A @ across).toarray()
    K += square - of_train[:, None] - of_train
    K_test += (B @ across).toarray()
    K_test += square - of_test[:, None] - of_train
