"""Tables without what covariates explain: a laboratory, a day, the age of a patient.

A feature is modelled as x = class mean + effects of the covariates + rest, by least squares (1).
What is taken away are the effects of the covariates alone (2), so the difference of two classes in
the result is the one seen at equal covariates, also where classes have unequal shares in them. For
one category this is the two-way additive model of analysis of variance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.arguments import Argument, ArgumentError
from s2fs._utils.messages import format_count, format_named
from s2fs._utils.types import Floats, Indices

_COVARIATES = Argument("covariates", bare=True)

#: A direction of the covariates that is shorter than this share of the longest is rounding.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class Covariates:
    """The covariates of the samples in the form least squares need.

    Attributes
    ----------
    design : ndarray of shape (n_samples, n_effects)
        Columns with mean 0 that span all covariates: a category has one for each of its values but
        one, a number has itself.
    strata : ndarray of shape (n_samples,)
        The combination of categories of each sample as 0, 1, …
    has_numbers : bool
        Whether a covariate is a number.
    """

    design: Floats
    strata: Indices
    has_numbers: bool

    def __getitem__(self, rows: Any) -> "Covariates":
        return Covariates(self.design[rows], self.strata[rows], self.has_numbers)


def covariate_columns(covariates: Any, n_samples: int) -> NDArray[Any]:
    """The covariates as a structured array, one field each, whose rows can be taken apart.

    Numbers become ``float64``; text, booleans and categories become text.
    """
    frame = nw.from_native(covariates, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.Series):
        frame = frame.to_frame()
    if isinstance(frame, nw.DataFrame):
        columns = {str(column.name): _values_of(column) for column in frame.iter_columns()}
    elif isinstance(covariates, Mapping):
        columns = {str(name): np.asarray(column) for name, column in covariates.items()}
    elif isinstance(covariates, np.ndarray) and covariates.dtype.names:
        columns = {name: covariates[name] for name in covariates.dtype.names}
    else:
        values = np.asarray(covariates)
        if values.ndim == 1:
            values = values[:, None]
        if values.ndim != 2:
            raise ArgumentError(
                _COVARIATES,
                f" has the shape {values.shape}; give one value, or one row of values, "
                "for each sample.",
            )
        columns = {f"covariate {i}": column for i, column in enumerate(values.T)}
    if not columns:
        raise ArgumentError(_COVARIATES, " has no columns; leave it out, or give at least one.")
    checked = {name: _checked(name, column, n_samples) for name, column in columns.items()}
    table = np.empty(n_samples, dtype=[(name, column.dtype) for name, column in checked.items()])
    for name, column in checked.items():
        table[name] = column
    return table


def _values_of(column: Any) -> NDArray[Any]:
    """The values of a column of a data frame; categories that happen to be numbers stay apart."""
    if column.dtype.is_numeric():
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return np.array(column.to_list(), dtype=object)


def _checked(name: str, column: NDArray[Any], n_samples: int) -> NDArray[Any]:
    """One covariate as numbers or as text; what is missing is refused."""
    if len(column) != n_samples:
        raise ArgumentError(
            _COVARIATES,
            f" has {len(column)} entries for the {format_count(n_samples, 'sample')} of X; give "
            "one for each sample.",
        )
    if column.dtype.kind in "iuf":
        column = column.astype(np.float64)
        missing = ~np.isfinite(column)
    else:
        values = column.tolist()
        missing = np.array([value is None or value != value for value in values], dtype=bool)
        column = np.array([str(value) for value in values])
    if missing.any():
        raise ArgumentError(
            _COVARIATES,
            f" has missing values in {name!r}, in "
            f"{format_named('sample', np.flatnonzero(missing))}; fill them in, or leave these "
            "samples out.",
        )
    return column


def encode_covariates(table: NDArray[Any], codes: Indices) -> Covariates:
    """The covariates of samples of these classes; see :func:`covariate_columns` for the table."""
    columns: list[Floats] = []
    strata = np.zeros(len(table), dtype=np.intp)
    has_numbers = False
    for name in table.dtype.names or ():
        values = table[name]
        if values.dtype.kind == "f":
            has_numbers = True
            columns.append(values[:, None])
        else:
            labels, category = np.unique(values, return_inverse=True)
            columns.append((category[:, None] == np.arange(len(labels))).astype(np.float64))
            strata = np.unique(strata * len(labels) + category, return_inverse=True)[1]
    covariates = Covariates(_spanning(np.hstack(columns)), strata, has_numbers)
    _check_separable(codes, covariates)
    return covariates


def _spanning(columns: Floats) -> Floats:
    """Orthogonal columns that span the same differences between samples.

    Covariates may repeat each other: only what they explain together matters.
    """
    centred = columns - columns.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    # A column that is constant up to rounding explains nothing.
    varies = length > NEGLIGIBLE * np.sqrt((columns**2).sum(axis=0))
    if not varies.any():
        return np.zeros((len(columns), 0))
    left, lengths, _ = np.linalg.svd(centred[:, varies] / length[varies], full_matrices=False)
    return np.asarray(left[:, lengths > NEGLIGIBLE * lengths[0]])


def _check_separable(codes: Indices, covariates: Covariates) -> None:
    """Raise if classes and covariates explain the same, or leave nothing unexplained."""
    n, n_classes = len(codes), int(codes.max()) + 1
    design = np.hstack([codes[:, None] == np.arange(n_classes), covariates.design])
    if np.linalg.matrix_rank(design, tol=NEGLIGIBLE * np.sqrt(n)) < design.shape[1]:
        raise ArgumentError(
            _COVARIATES,
            " and y cannot be told apart: some classes share no covariate value, "
            "directly or through others, with the rest; leave out the covariate, or the samples "
            "whose values occur in one class only.",
        )
    if n <= design.shape[1]:
        raise ArgumentError(
            _COVARIATES,
            f" and classes have {design.shape[1]} effects for {n} samples, which leaves nothing "
            "unexplained; give fewer covariates.",
        )


def remove_covariates(
    X: Any, codes: Indices, covariates: Covariates, sample_weight: Floats | None
) -> Floats:
    """The table less the effects of the covariates on each feature, in double precision."""
    classes = (codes[:, None] == np.arange(codes.max() + 1)).astype(np.float64)
    effects = _least_squares(np.hstack([classes, covariates.design]), X, sample_weight)  # (1)
    return np.asarray(X - covariates.design @ effects[classes.shape[1] :])  # (2)


def fit_effects(means: Floats, weights: Floats, design: Floats) -> Floats:
    """The effects of categories on each feature, from its mean in every stratum and class.

    As :func:`remove_covariates` takes them away: samples of one class and stratum differ in nothing
    that is modelled.

    Parameters
    ----------
    means : ndarray of shape (n_strata, n_classes, n_features)
        The mean of the samples of a stratum and class.
    weights : ndarray of shape (n_strata, n_classes)
        The weight of these samples.
    design : ndarray of shape (n_strata, n_effects)
        The covariates of a stratum.

    Returns
    -------
    ndarray of shape (n_strata, n_features)
        What is to be taken away in each stratum.
    """
    n_strata, n_classes = weights.shape
    classes = np.tile(np.eye(n_classes), (n_strata, 1))
    full = np.hstack([classes, np.repeat(design, n_classes, axis=0)])
    values = means.reshape(n_strata * n_classes, -1)
    effects = _least_squares(full, values, weights.ravel())
    return np.asarray(design @ effects[n_classes:])


def explained_by_covariates(X: Any, covariates: Covariates, sample_weight: Floats | None) -> Floats:
    """What the covariates explain of each feature if the classes are left out of account."""
    design = np.hstack([np.ones((len(X), 1)), covariates.design])
    return np.asarray(design @ _least_squares(design, X, sample_weight))


def remove_learnt_covariates(
    X: Floats, codes: Indices, covariates: Covariates, train: Indices
) -> Floats:
    """The table less what the training samples say of the covariates.

    Samples that are held out are adjusted by their covariates, which are known; their classes have
    no part in it.
    """
    own = codes[train]
    classes = (own[:, None] == np.unique(own)).astype(np.float64)
    design = np.hstack([classes, covariates.design[train]])
    effects = _least_squares(design, X[train], None)[classes.shape[1] :]
    return np.asarray(X - covariates.design @ effects)


def check_complete(X: Any, *, takes_sparse: bool = False) -> None:
    """Raise if the table has missing values, or is sparse where that cannot be."""
    if issparse(X) and not takes_sparse:
        raise ArgumentError(
            _COVARIATES,
            " need dense rows, but X is sparse; give X.toarray(), or let PairCover select a number "
            "of features adjusted for categories.",
        )
    if np.isnan(X.sum()):
        raise ArgumentError(
            _COVARIATES, " need every value, but X has missing ones; impute them first."
        )


def _least_squares(design: Floats, X: Any, sample_weight: Floats | None) -> Floats:
    """The coefficients of every feature."""
    if sample_weight is not None:
        root = np.sqrt(sample_weight)[:, None]
        design, X = root * design, root * X
    return np.asarray(np.linalg.lstsq(design, X, rcond=None)[0])
