"""Training and test rows in ranked order, and scikit-learn fitted from scratch on every prefix."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import MinMaxScaler

from s2fs.evaluation import stratified_folds

SIZES = np.arange(1, 31)


def from_scratch(model, X_train, codes, X_test, sizes):
    return np.array([model.fit(X_train[:, :k], codes).predict(X_test[:, :k]) for k in sizes])


def split(X, y, n_ranked=None):
    """First fold, scaled, with columns in the order of their F statistic."""
    train, test = next(stratified_folds(y))
    scaler = MinMaxScaler().fit(X[train])
    X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
    ranking = np.argsort(-f_classif(X_train, y[train])[0], kind="stable")[:n_ranked]
    return np.asfortranarray(X_train[:, ranking]), y[train], np.asfortranarray(X_test[:, ranking])


def continuous_rows():
    """Rows without ties: 30 features, 5 classes."""
    X, y = make_classification(300, 30, n_informative=8, n_classes=5, class_sep=0.7, random_state=4)
    return split(X, y)
