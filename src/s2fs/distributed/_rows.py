"""What workers find out about their rows before the search: ranges, classes and class sums."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._core.problem import Problem
from s2fs._engine.native import class_sums as native_sums
from s2fs._util.inputs import encode_classes
from s2fs._util.types import Floats, Indices


class Rows(NamedTuple):
    """One chunk, ready for use: numbers, labels, and how much each row counts (None is 1 each)."""

    X: Any
    labels: NDArray[Any]
    mass: Floats | None


class Survey(NamedTuple):
    """What some rows have in common with others once it is merged.

    Attributes
    ----------
    n_rows : int
        Rows that count.
    classes : ndarray of shape (n_classes,)
        The labels that occur, sorted.
    mass : ndarray of shape (n_classes,)
        Weight of each class.
    lower, upper : ndarray of shape (n_features,)
        Range of each feature; not finite where a value is not.
    sums : ndarray of shape (n_classes, n_features)
        Weighted class sums of the differences to ``lower``.
    """

    n_rows: int
    classes: NDArray[Any]
    mass: Floats
    lower: Floats
    upper: Floats
    sums: Floats


class Part(Problem):
    """Some rows of a problem, measured by the ranges, centroids and weights of all its rows.

    Parameters
    ----------
    rows : Rows
        The rows.
    classes : ndarray of shape (n_classes,)
        All labels of the problem, sorted; some may be missing here.
    **facts
        The attributes of :class:`~s2fs._core.problem.Problem` that all parts share.
    """

    def __init__(self, rows: Rows, classes: NDArray[Any], **facts: Any) -> None:
        self.__dict__.update(facts)
        self.X, self._mass = rows.X, rows.mass
        self.is_sparse = issparse(rows.X)
        self.n_samples, self.n_features = rows.X.shape
        self.n_classes = len(classes)
        self.codes = np.searchsorted(classes, rows.labels)
        self._class_mass = np.bincount(self.codes, rows.mass, self.n_classes).astype(np.float64)
        self.weight = (np.ones(self.n_samples) if rows.mass is None else rows.mass) / self._total

    @classmethod
    def surveyed(cls, rows: Rows) -> Survey:
        """The ranges and class sums of these rows alone."""
        classes, _ = encode_classes(rows.labels)
        part = cls(rows, classes, _total=1.0)
        with np.errstate(all="ignore"):  # what is not finite is reported by whoever sees the ranges
            part.lower, upper = part._range()
            sums = part._class_sums(np.zeros((part.n_classes, part.n_features)))
        return Survey(part.n_samples, classes, part._class_mass, part.lower, upper, sums)

    def class_sums(self, centre: Floats) -> Floats:
        """Weighted class sums of the differences to ``centre`` above the lower end."""
        return self._class_sums(centre)

    def _class_sums(self, centre: Floats) -> Floats:
        # In plain NumPy it takes temporary arrays, and workers of Dask are told to give memory back
        # as soon as it is free: to get it anew for each array takes longer than the sums.
        sums = None if self.is_sparse else native_sums(self, self._mass, centre)
        return super()._class_sums(centre) if sums is None else sums

    def _pieces_of(self, rows: Indices) -> Iterator[tuple[NDArray[Any], Indices, Indices]]:
        if len(rows):  # a class may be missing here
            yield from super()._pieces_of(rows)


def ready_rows(X: Any, y: Any, sample_weight: Any, class_weight: Mapping[Any, float]) -> Rows:
    """One chunk as numbers, without the rows that count nothing."""
    values, labels = _as_matrix(X), np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    n = values.shape[0]
    if labels.shape != (n,):
        raise ValueError(
            f"y has a chunk of shape {labels.shape} for the {n} row(s) of the same chunk of X; "
            "give one label per row, chunked as X is."
        )
    if sample_weight is None and not class_weight:
        return Rows(values, labels, None)
    mass = chunk_mass(sample_weight, n)
    for label, weight in class_weight.items():
        mass[labels == label] *= weight
    counts = mass > 0
    if counts.all():
        return Rows(values, labels, mass)
    return Rows(values[np.flatnonzero(counts)], labels[counts], mass[counts])


def chunk_mass(sample_weight: Any, n: int) -> Floats:
    """The weights of the ``n`` rows of a chunk, as a new array."""
    if sample_weight is None:
        return np.ones(n)
    mass = np.array(sample_weight, dtype=np.float64)
    if mass.shape != (n,):
        raise ValueError(
            f"sample_weight has a chunk of shape {mass.shape} for the {n} row(s) of the same chunk "
            "of X; give one number per row, chunked as X is."
        )
    if not np.isfinite(mass).all() or (mass < 0).any():
        raise ValueError(
            "sample_weight has NaN, infinity or a negative number; give finite weights from 0 up."
        )
    return mass


def _as_matrix(X: Any) -> Any:
    """Floating-point numbers in an array, or in a sparse array with quick columns."""
    if issparse(X):
        values = X.tocsc()
    else:
        values = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
        if values.dtype == object:  # columns with a marker of their own for what is missing
            values = X.to_numpy(dtype=np.float64, na_value=np.nan)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    return values if issparse(values) else np.ascontiguousarray(values)


def n_rows(X: Any) -> int:
    """Length of a chunk, dense or sparse."""
    return int(X.shape[0])


def label_mass(y: Any, sample_weight: Any) -> dict[Any, float]:
    """Weight of each label in a chunk."""
    labels = np.asarray(y).ravel()
    classes, codes = encode_classes(labels)
    mass = np.bincount(codes, chunk_mass(sample_weight, len(labels)), len(classes))
    return dict(zip(classes.tolist(), mass.tolist(), strict=True))


def survey(chunks: Sequence[Rows]) -> Survey | None:
    """The survey of the chunks of one shard, in one pass; None if none has rows."""
    return merge([Part.surveyed(rows) for rows in chunks if len(rows.labels)])


def merge(surveys: Sequence[Survey | None]) -> Survey | None:
    """One survey of all, taken in their order; None if no row is in any."""
    parts = [part for part in surveys if part is not None]
    if not parts:
        return None
    classes, _ = encode_classes(np.concatenate([part.classes for part in parts]))
    lower = np.min([part.lower for part in parts], axis=0)
    upper = np.max([part.upper for part in parts], axis=0)
    mass, sums = np.zeros(len(classes)), np.zeros((len(classes), len(lower)))
    with np.errstate(all="ignore"):
        for part in parts:
            here = np.searchsorted(classes, part.classes)
            mass[here] += part.mass
            sums[here] += part.sums + part.mass[:, None] * (part.lower - lower)
    return Survey(sum(part.n_rows for part in parts), classes, mass, lower, upper, sums)


def class_sums(chunks: Sequence[Rows], asked: tuple[Mapping[str, Any], Floats]) -> Floats:
    """Class sums over the chunks of one shard: (facts, centre) as in :class:`Part`."""
    facts, centre = asked
    return add_up(
        [Part(rows, **facts).class_sums(centre) for rows in chunks if len(rows.labels)],
        np.zeros_like(centre),
    )


def add_up(parts: Sequence[Floats], start: Floats | float = 0.0) -> Floats:
    """The sum of some arrays in double precision, taken in their order."""
    total = np.array(start, dtype=np.float64)
    for part in parts:
        total = total + part
    return total
