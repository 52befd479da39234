"""Moments and pair cover in the native library, where there is one.

What is computed, and why the choice is that of a search in double precision, is derived in the
chapter on the engine in the documentation, in steps that the sources in ``native`` point to.
"""

import ctypes
from collections.abc import Iterator
from copy import copy
from ctypes import c_double, c_int32, c_int64, c_void_p
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._core.criterion import EQUAL
from s2fs._core.pairs import Moments, noise_counts, spread, tells_of_class
from s2fs._engine.copies import ROUNDING_OF_SHARE, Copies
from s2fs._engine.library import TERMS_PER_CALL, address, load, slices
from s2fs._engine.native import readable
from s2fs._engine.pairs import (
    Correlations,
    Cover,
    checked,
    correlation_for,
    missing_columns,
    residual_products,
    table_moments,
)
from s2fs._engine.protocol import Scored, may_be_best, no_number
from s2fs._util.types import Floats, Indices

#: As in native/pairs.h.
_TILE, _BLOCK, _PADDING, _PAIR_BYTES = 32, 16, 32, 48
#: Residuals of the rows are kept in single precision if they are no more than this, 32 MB.
_MOST_RESIDUALS = 1 << 23
#: How many times as long as a term of a sum the score of a pair of classes takes, above ρ = 0.
_TERMS_OF_A_PAIR = 4


class _Rows(ctypes.Structure):
    """S2fsRows of native/pairs.h."""

    _fields_: ClassVar = [
        ("values", c_void_p),
        *((name, c_int64) for name in ("row_step", "column_step")),
        *((name, c_int64) for name in ("n_samples", "n_features", "n_classes")),
        *((name, c_void_p) for name in ("codes", "weight")),
        ("is_single", c_int64),
    ]


class _Moments(ctypes.Structure):
    """S2fsMoments of native/pairs.h."""

    _fields_: ClassVar = [
        (name, c_void_p) for name in ("counts", "mean", "squares", "lower", "upper", "room")
    ]


_TABLES = ("bounds", "centres", "inverses", "reach", "residuals")
_SUBSET = ("J", "alone", "joint", "cross", "exact", "seen")
_JOINED = ("joined", "joined_centres", "chosen")
_STEP = ("left", "pairs", "separations", "lines", "lanes", "column", "single_column", "found",
         "totals")  # fmt: skip


class _Cover(ctypes.Structure):
    """S2fsCover of native/pairs.h."""

    _fields_: ClassVar = [
        ("rows", _Rows),
        *((name, c_int64) for name in ("n_features", "n_classes", "n_pairs", "n_blocks")),
        *((name, c_double) for name in ("correlation", "equal", "most_noise")),
        *((name, c_void_p) for name in ("mean", "spread", "unit", "counts")),
        *((name, c_int64) for name in ("class_step", "feature_step")),
        *((name, c_void_p) for name in (*_TABLES, *_SUBSET, *_JOINED)),
        ("size", c_int64),
        ("cross_error", c_double),
        *((name, c_void_p) for name in _STEP),
        *((name, c_int64) for name in ("n_found", "seed")),
        *((name, c_double) for name in ("nearest", "best", "limit")),
    ]


class _Shares(ctypes.Structure):
    """S2fsShares of native/pairs.h."""

    _fields_: ClassVar = [
        ("of_feature", c_void_p),
        ("before", c_void_p),
        ("n_before", c_int64),
        ("rounding", c_double),
    ]


def moments_of(
    X: Any, codes: Indices, n_classes: int, sample_weight: Floats | None = None
) -> Moments:
    """As :func:`s2fs._engine.pairs.table_moments`, of dense rows by the native library."""
    library = load()
    if library is None or issparse(X):
        return table_moments(X, codes, n_classes, sample_weight)
    n, m = X.shape
    rows = _DenseRows(X, codes, n_classes, sample_weight)
    counts, mean = np.zeros((2, n_classes, m))
    squares, ends = np.zeros(m), np.full((2, m), np.nan)
    room = np.empty((3, n_classes, _TILE))
    known = _Moments(
        *(address(array, np.float64) for array in (counts, mean, squares, *ends, room))
    )
    missing, run = 0, _declared(library).s2fs_moments
    for first, last in slices(n, m) if n > m else ((0, n),):
        for start, stop in slices(m, last - first):
            missing |= run(rows.struct, known, first, last, start, stop)
    if missing:
        holes = missing_columns(rows.values)
        return Moments(counts, mean, squares, ends[0], ends[1], holes)
    # One column of counts is that of all.
    counts = np.broadcast_to(counts[:, :1].copy(), counts.shape)
    return Moments(counts, mean, squares, ends[0], ends[1], np.zeros(m, dtype=bool))


def cover_of(
    known: Moments,
    correlation: float | Literal["auto"] = 0.0,
    products: Any = None,
    copies: Copies | None = None,
) -> Cover:
    """The criterion of the empty subset, by the native library where there is one.

    The parameters are those of :class:`~s2fs._engine.pairs.Cover`; the correlation may be "auto".
    A table with a feature that tells nothing of one of the classes is left to NumPy: what such a
    feature says of two classes is no difference of means.
    """
    correlation = correlation_for(known, correlation, products)
    if load() is None or not tells_of_class(known)[:, known.varying].all():
        return Cover(known, correlation, products, copies)
    return NativeCover(known, correlation, products, copies)


class NativeCorrelations(Correlations):
    """The same correlations, of dense rows by the native library."""

    def _products(self, residual: Floats) -> Floats:
        if issparse(self.X):
            return super()._products(residual)
        return dense_residual_products(self.X, self.codes, self.mean, residual)


def dense_residual_products(X: Any, codes: Indices, mean: Floats, residual: Floats) -> Floats:
    """As :func:`s2fs._engine.pairs.residual_products`, of dense rows by the native library."""
    library = load()
    if library is None:
        return residual_products(X, codes, mean, residual)
    n, m = X.shape
    rows = _DenseRows(X, codes, len(mean), None)
    mean, residual = (np.require(array, None, ["C", "A"]) for array in (mean, residual))
    products = np.zeros(m)
    run = _declared(library).s2fs_residual_products
    for first, last in slices(n, m) if n > m else ((0, n),):
        for start, stop in slices(m, last - first):
            run(
                rows.struct, mean.ctypes.data, residual.ctypes.data, products.ctypes.data,
                first, last, start, stop,
            )  # fmt: skip
    return products


class _DenseRows:
    """A dense table as the native library wants it, and the arrays it points to."""

    def __init__(
        self, X: Any, codes: Indices, n_classes: int, sample_weight: Floats | None
    ) -> None:
        self.values = readable(X)[1]
        self.codes = np.ascontiguousarray(codes, np.int32)
        weight = np.ones(len(codes)) if sample_weight is None else sample_weight
        self.weight = np.require(weight, np.float64, ["C", "A"])
        row_step, column_step = (stride // self.values.itemsize for stride in self.values.strides)
        self.struct = _Rows(
            self.values.ctypes.data, row_step, column_step, *X.shape, n_classes,
            self.codes.ctypes.data, self.weight.ctypes.data, int(self.values.dtype == np.float32),
        )  # fmt: skip


class NativeCover(Cover):
    """Q of a growing subset in the native library, empty at first.

    Parameters
    ----------
    known : Moments
        What one pass over the rows tells; features that vary tell of every class.
    correlation : float
        ρ: how much the correlation of features inside the classes counts.
    products : callable, optional
        Needed if ρ is above 0: gives for a feature its correlations inside the classes with all
        features. Of :class:`~s2fs._engine.pairs.Correlations` of a dense table that is not too
        large the rows are used instead.
    copies : Copies, optional
        Tells which features repeat another. Without it every feature is one of its own.
    """

    def __init__(
        self,
        known: Moments,
        correlation: float = 0.0,
        products: Any = None,
        copies: Copies | None = None,
    ) -> None:
        library = load()
        if library is None:
            raise RuntimeError("there is no native library.")
        self._library = _declared(library)
        known = checked(known)
        self.distinct = varying = known.varying
        self._copies = copies
        self._selected: tuple[int, ...] = ()
        self.correlation = correlation
        self.separations: tuple[Floats, ...] = ()
        self._products = products
        self._rows: _DenseRows | None = None
        p, m = known.mean.shape
        n_blocks, n_pairs = -(-m // _BLOCK), p * (p - 1) // 2
        if correlation and isinstance(products, Correlations):
            self._rows = self._rows_of(products, p, n_blocks)
        self._fixed = self._tables(known, n_blocks, n_pairs)
        if self._rows is not None:
            self._fixed["unit"] = np.ascontiguousarray(products.unit)
            shape = n_blocks, self._rows.struct.n_samples, _BLOCK
            self._fixed["residuals"] = np.empty(shape, np.float32)
        self._growing = self._empty(m, p, n_blocks, n_pairs)
        counts = np.require(noise_counts(known), None, "A")
        least = counts[:, varying].min(initial=np.inf)
        self._struct = _Cover(
            n_features=m, n_classes=p, n_pairs=n_pairs, n_blocks=n_blocks,
            correlation=correlation, equal=EQUAL, most_noise=2 / least, seed=-1,
            counts=counts.ctypes.data,
            class_step=counts.strides[0] // 8, feature_step=counts.strides[1] // 8,
        )  # fmt: skip
        self._counts = counts
        if self._rows is not None:
            self._struct.rows = self._rows.struct
        self._point()
        self._in_slices("prepare", p * p * _BLOCK)
        if self._rows is not None:
            self._in_slices("residuals", self._rows.struct.n_samples * _BLOCK)

    def shortlist(self, candidates: Indices, n_best: int = 1) -> Indices:
        """The candidates that may have one of the ``n_best`` largest scores, increasing."""
        if n_best > 1 or len(candidates) == 1:
            known = self.score(candidates).scores
            return candidates[may_be_best(known, known, n_best)]
        self._leave(candidates)
        return self._best()

    def score(self, candidates: Indices) -> Scored:
        """Q, and the separation of the closest pair, of the subset joined by each candidate."""
        candidates = np.ascontiguousarray(candidates, np.int64)
        scores, closest = np.empty((2, len(candidates)))
        run = self._library.s2fs_cover_score
        where = candidates.ctypes.data, scores.ctypes.data, closest.ctypes.data
        for start, stop in slices(len(candidates), self._terms_of_a_score()):
            run(self._struct, *where, start, stop)
        return Scored(scores, closest[None])

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        self._pass_over_copies(feature)
        self._selected += (feature,)
        self._make_space(1)
        separations = np.empty(self._struct.n_pairs)
        self._library.s2fs_cover_add(self._struct, feature, separations.ctypes.data)
        self.separations += (separations,)
        if not self.correlation:
            return
        products, terms = None, self._struct.n_classes
        if self._rows is None:
            products = np.require(self._products(feature), np.float64, ["C", "A"])
        else:
            terms += self._rows.struct.n_samples
        where = None if products is None else products.ctypes.data
        for start, stop in slices(self._struct.n_blocks, terms * _BLOCK):
            self._library.s2fs_cover_correlate(self._struct, feature, where, start, stop)

    def run(
        self, candidates: Indices, n_steps: int
    ) -> Iterator[tuple[int, float, tuple[float, ...]]]:
        """Let the best candidate join, ``n_steps`` times; yield each with its score and parts.

        The subset may be ahead of the yields. It ends early if copies alone are left.
        """
        self._leave(candidates)
        waited = not self.distinct[candidates].any()  # it is their turn now
        n_pairs = self._struct.n_pairs
        terms = self._struct.n_features * self._terms_of_pairs()
        if self._rows is not None:
            terms += self._rows.struct.n_samples * self._struct.n_features
        by_itself = terms <= TERMS_PER_CALL and (not self.correlation or self._rows is not None)
        done = 0
        while done < n_steps:
            if not by_itself:
                best = self._best()[:1]
                if not len(best):
                    break
                done += 1
                yield self._step(int(best[0]))
                continue
            some = min(n_steps - done, max(1, TERMS_PER_CALL // terms))
            self._make_space(some)
            features, found = np.empty(some, np.int64), np.empty((2, some))
            separations = np.empty((some, n_pairs))
            joined = self._library.s2fs_cover_run(
                self._struct, some,
                *(array.ctypes.data for array in (features, *found, separations)),
                None if waited else self._shares(),
            )  # fmt: skip
            self.separations += tuple(separations[:joined])
            steps = features[:joined].tolist(), *found[:, :joined].tolist()
            self._selected += tuple(steps[0])
            done += joined
            for feature, score, closest in zip(*steps, strict=True):
                yield feature, score, (closest,)
            if joined < some and features[joined] < 0:
                break
            if joined < some and not self._repeats(int(features[joined])):
                done += 1
                yield self._step(int(features[joined]))
        if done < n_steps and not np.isnan(self._growing["left"]).all():
            raise no_number()

    def _step(self, feature: int) -> tuple[int, float, tuple[float, ...]]:
        """Let a candidate join; returns it with its score and parts."""
        (score,), ((closest,),) = self.score(np.array([feature]))
        self.add(feature)
        self._growing["left"][feature] = np.nan
        return feature, float(score), (float(closest),)

    def _repeats(self, feature: int) -> bool:
        """Whether a candidate is a copy of a feature of the subset; it is passed over then."""
        assert self._copies is not None  # for mypy # nosec B101
        if not len(self._copies.among(feature, np.array(self._selected, np.intp))):
            return False
        self._wait(np.array([feature]))
        return True

    def _shares(self) -> "_Shares | None":
        """What tells the library which candidates may be copies."""
        if self._copies is None:
            return None
        before = np.array(self._selected, np.int64)
        shares = _Shares(
            self._copies.shares.ctypes.data, before.ctypes.data, len(before), ROUNDING_OF_SHARE
        )
        shares.kept = before  # the struct has no more than its address
        return shares

    def _wait(self, features: Indices) -> None:
        super()._wait(features)
        self._growing["left"][features] = np.nan

    def copy(self) -> "NativeCover":
        """An independent criterion of the same subset."""
        twin = copy(self)
        twin._growing = {name: array.copy() for name, array in self._growing.items()}
        twin._struct = _Cover.from_buffer_copy(self._struct)
        twin._point()
        return twin

    def _best(self) -> Indices:
        """The candidates that are left with the largest score, increasing."""
        of, library = self._struct, self._library
        library.s2fs_cover_begin(of)
        for start, stop in slices(of.n_blocks, _BLOCK * self._terms_of_pairs()):
            library.s2fs_cover_scan(of, start, stop)
        library.s2fs_cover_decide(of)
        return np.sort(self._growing["found"][: of.n_found])

    def _leave(self, candidates: Indices) -> None:
        """Let nothing but ``candidates`` be chosen."""
        left = self._growing["left"]
        left[:] = np.nan
        left[candidates] = 0

    def _make_space(self, n_steps: int) -> None:
        """Have space for what more features bring."""
        if self._rows is None:
            return
        needed = self._struct.size + n_steps
        if needed > len(self._growing["chosen"]):
            for name in _JOINED:
                array = self._growing[name]
                grown = np.empty((2 * needed, *array.shape[1:]), array.dtype)
                grown[: len(array)] = array
                self._growing[name] = grown
            self._point()

    def _in_slices(self, name: str, terms: int) -> None:
        run = getattr(self._library, f"s2fs_cover_{name}")
        for start, stop in slices(self._struct.n_blocks, terms):
            run(self._struct, start, stop)

    def _terms_of_pairs(self) -> int:
        return self._struct.n_pairs * (_TERMS_OF_A_PAIR if self.correlation else 1)

    def _terms_of_a_score(self) -> int:
        terms = self._struct.n_pairs * _TERMS_OF_A_PAIR
        if self._rows is not None:
            terms += self._rows.struct.n_samples * (1 + self._struct.size)
        return terms

    def _point(self) -> None:
        """Let the struct point to the arrays."""
        for name, array in (self._fixed | self._growing).items():
            setattr(self._struct, name, array.ctypes.data)

    def _rows_of(self, products: Correlations, n_classes: int, n_blocks: int) -> _DenseRows | None:
        """The rows of a dense table, if their residuals are few enough to be kept."""
        if issparse(products.X) or n_blocks * _BLOCK * len(products.codes) > _MOST_RESIDUALS:
            return None
        return _DenseRows(products.X, products.codes, n_classes, products.sample_weight)

    def _tables(self, known: Moments, n_blocks: int, n_pairs: int) -> dict[str, NDArray[Any]]:
        """What stays as it is while the subset grows."""
        p = len(known.mean)
        fixed: dict[str, NDArray[Any]] = {
            "mean": np.require(known.mean, None, ["C", "A"]),
            "spread": np.where(known.varying, spread(known), 0.0),
        }
        if not self.correlation:
            fixed["bounds"] = np.empty((n_blocks, n_pairs, _BLOCK), np.float32)
            return fixed
        names = ["centres", *["inverses"] * bool(noise_counts(known).strides[1])]
        fixed |= {name: np.empty((n_blocks, p, _BLOCK), np.float32) for name in names}
        fixed["reach"] = np.empty((n_blocks, _BLOCK), np.float32)
        return fixed

    def _empty(self, m: int, p: int, n_blocks: int, n_pairs: int) -> dict[str, NDArray[Any]]:
        """What is known of the empty subset, and space to work in."""
        growing: dict[str, NDArray[Any]] = {
            "J": np.zeros(n_pairs),
            "left": np.empty(n_blocks * _BLOCK, np.float32),
            "pairs": np.empty(n_pairs * _PAIR_BYTES, np.uint8),
            "separations": np.empty((2, n_pairs)),
            "lines": np.empty((4, p)),
            "lanes": np.empty((p, _BLOCK), np.float32),
            "found": np.empty(m, np.int64),
            "totals": np.empty((3, m)),
        }
        if not self.correlation:
            return growing
        growing |= {"alone": np.zeros(n_pairs), "joint": np.zeros(n_pairs)}
        growing["cross"] = np.zeros((n_blocks, p, _BLOCK))
        if self._rows is not None:
            n = self._rows.struct.n_samples
            padded = -(-n // _PADDING) * _PADDING
            growing |= {
                "exact": np.zeros((m, p)),
                "seen": np.zeros(m, np.int32),
                "joined": np.empty((0, padded)),
                "joined_centres": np.empty((0, p)),
                "chosen": np.empty(0, np.int64),
                "column": np.empty(padded),
                "single_column": np.empty(n, np.float32),
            }
        return growing


@cache
def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """The library with its functions declared; raises if its structs are not those of here."""
    library.s2fs_cover_layout.restype = c_int64
    cover, rows, moments = map(ctypes.sizeof, (_Cover, _Rows, _Moments))
    layout = (cover << 32) + (rows << 16) + moments + _TILE + _BLOCK + _PADDING + _PAIR_BYTES
    if library.s2fs_cover_layout() != layout:
        raise ImportError(
            "the native library of s2fs is of another version than its modules; install s2fs again."
        )
    of = ctypes.POINTER(_Cover)
    library.s2fs_moments.argtypes = [
        ctypes.POINTER(_Rows), ctypes.POINTER(_Moments), *[c_int64] * 4
    ]  # fmt: skip
    library.s2fs_moments.restype = c_int32
    library.s2fs_residual_products.argtypes = [
        ctypes.POINTER(_Rows), *[c_void_p] * 3, *[c_int64] * 4
    ]  # fmt: skip
    library.s2fs_residual_products.restype = None
    for name, *types in (
        ("prepare", c_int64, c_int64),
        ("residuals", c_int64, c_int64),
        ("begin",),
        ("scan", c_int64, c_int64),
        ("decide",),
        ("score", c_void_p, c_void_p, c_void_p, c_int64, c_int64),
        ("add", c_int64, c_void_p),
        ("correlate", c_int64, c_void_p, c_int64, c_int64),
        ("run", c_int64, *[c_void_p] * 4, ctypes.POINTER(_Shares)),
    ):
        function = getattr(library, f"s2fs_cover_{name}")
        function.argtypes, function.restype = [of, *types], None
    library.s2fs_cover_run.restype = c_int64
    return library
