"""Tables without the differences between batches, such as laboratories, plates or days.

A column is modelled as x = class mean + batch effect + rest, by least squares (1). What is taken
away is the batch effect alone (2), so the difference of two classes in the result is the one seen
inside the batches, also where classes have unequal shares in them. This is the two-way additive
model of analysis of variance.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import column_or_1d

from s2fs._util.types import Floats, Indices


def without_batches(
    X: Any, codes: Indices, batch: NDArray[Any], sample_weight: Floats | None
) -> Floats:
    """The table less the effect of each batch on each feature, dense and in double precision."""
    if issparse(X):
        raise ValueError("batch needs dense rows, but X is sparse; give X.toarray().")
    if np.isnan(X.sum()):
        raise ValueError("batch needs every value, but X has missing ones; impute them first.")
    batches, batch_codes = np.unique(batch, return_inverse=True)
    p, b = int(codes.max()) + 1, len(batches)
    design = np.zeros((len(codes), p + b))
    design[np.arange(len(codes)), codes] = 1.0
    design[np.arange(len(codes)), p + batch_codes] = 1.0
    # One batch is the reference: the columns of the classes and of the batches have equal sums.
    design = design[:, :-1]
    root = np.sqrt(np.ones(len(codes)) if sample_weight is None else sample_weight)[:, None]
    effects, _, rank, _ = np.linalg.lstsq(root * design, root * X, rcond=None)  # (1)
    if rank < design.shape[1]:
        raise ValueError(
            "batch and y cannot be told apart: some classes share no batch, directly or through "
            "others, with the rest; leave batch out, or the batches with a single class."
        )
    return np.asarray(X - design[:, p:] @ effects[p:])  # (2)


def check_batch(batch: Any, n: int) -> NDArray[Any]:
    """The batch of each of ``n`` rows."""
    found: NDArray[Any] = column_or_1d(batch)
    if len(found) != n:
        raise ValueError(
            f"batch has {len(found)} entries for the {n} row(s) of X; give one for each row."
        )
    return found
