"""The state of a subset in the native library: screened in single, confirmed in double precision.

What is computed, and why the choice is that of a search in double precision, is derived in the
chapter on the engine in the documentation, in steps that the sources in ``native`` point to.
"""

import ctypes
import threading
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._core.criterion import CentroidMembership, Compactness, Components
from s2fs._core.problem import Problem
from s2fs._core.problem import class_sums as plain_class_sums
from s2fs._engine.library import TERMS_PER_CALL, load
from s2fs._engine.memory import Remembering
from s2fs._engine.protocol import Weights, may_be_best, no_number
from s2fs._util.types import Floats, Indices

LANES = 16
#: Relative error of Θ_dis in single precision, see step 6.
DISTANCE_ERROR = 40 * 2.0**-24
#: Under ``scale=None``, features of more different extents do not fit into single precision.
_SINGLE_EXTENTS = 1e-3
#: Nanoseconds, at most, that a candidate takes per instance and class, and per pair of classes, in
#: single and in double precision.
_NS_SINGLE, _NS_DOUBLE = 0.5, 5.0
#: Work of that many nanoseconds is shared out to threads; to start one takes some 50 000.
_WORTH_A_THREAD = 1_000_000
#: A call of that many nanoseconds would keep Ctrl-C waiting.
_TOO_LONG = 50_000_000
#: How often a thread that waits looks for Ctrl-C, and for new steps of a search; in seconds.
_LOOK = 0.02

_long, _int, _real = ctypes.c_int64, ctypes.c_int32, ctypes.c_double
_pointer = ctypes.c_void_p


class _Table(ctypes.Structure):
    _fields_: ClassVar = [
        ("n_samples", _long), ("n_features", _long), ("n_classes", _long), ("n_blocks", _long),
        ("values", _pointer), ("row_step", _long), ("column_step", _long),
        ("row_of", _pointer), ("start_of", _pointer),
        ("is_single", _int), ("is_sparse", _int), ("has_long_indices", _int),
        ("printed", _int), ("rms", _int), ("screens_in_single", _int),
        ("lower", _pointer), ("width", _pointer), ("centroids", _pointer),
        ("on_centroid", _pointer), ("weight", _pointer), ("own", _pointer), ("row", _pointer),
        ("instance_of", _pointer), ("unit", _real), ("mass", _real), ("distance_error", _real),
        ("offsets", _pointer), ("single_centroids", _pointer), ("reach", _pointer),
        ("spread", _pointer), ("widest", _pointer),
    ]  # fmt: skip


class _State(ctypes.Structure):
    _fields_: ClassVar = [
        ("D", _pointer), ("P", _pointer), ("near", _pointer), ("G", _pointer),
        ("spread", _real), ("size", _long),
    ]  # fmt: skip


class _Search(ctypes.Structure):
    _fields_: ClassVar = [
        ("table", _pointer), ("state", _pointer), ("weights", _pointer), ("n_pairs", _long),
        ("n_best", _long), ("candidates", _pointer), ("n_candidates", _long), ("low", _pointer),
        ("high", _pointer), ("out", _pointer), ("steps", _pointer), ("n_steps", _long),
        ("n_done", _long), ("stop", _pointer), ("n_threads", _long), ("workspace", _pointer),
        ("n_waiting", _int), ("round", _int),
    ]  # fmt: skip


_STEP = np.dtype(
    [("feature", np.int64), *((name, np.float64) for name in ("sep", *Components._fields))]
)


class _Instances:
    """The table of a problem as the native library wants it, and the arrays it points to.

    Beyond the input it holds one float32 copy of the scaled data, if that is dense.
    """

    def __init__(self, library: ctypes.CDLL, problem: Problem, printed: bool, rms: bool) -> None:
        self.library = library
        self.problem = problem
        n, m, p = problem.n_samples, problem.n_features, problem.n_classes
        self.n_blocks = -(-n // LANES)
        order = np.argsort(problem.codes, kind="stable")
        row = np.full(self.n_blocks * LANES, order[0], np.int32)
        row[:n] = order
        weight = np.zeros(len(row))
        weight[:n] = problem.weight[order]
        instance_of = np.empty(n if problem.is_sparse else 0, np.int32)
        if problem.is_sparse:
            instance_of[order] = np.arange(n)
        extents = problem.on_centroid[problem.varying]
        fits = extents.size > 0 and extents.min() > _SINGLE_EXTENTS * extents.max()
        dense = fits and not problem.is_sparse
        self.offsets = np.empty(m * n + LANES - 1 if dense else 0, np.float32)
        self.offsets[m * n :] = 0
        reach, spread = np.empty(len(row), np.float32), np.empty(m)
        centroids = np.empty((p, (-(-m // LANES) | 1) * LANES), np.float32)
        X, values = readable(problem.X)
        self._kept = [values]
        self.table = _Table(
            n, m, p, self.n_blocks, values.ctypes.data,
            printed=int(printed), rms=int(rms), screens_in_single=int(fits),
            is_sparse=int(problem.is_sparse),
            is_single=int(values.dtype == np.float32), unit=problem.unit,
            mass=weight.sum(), distance_error=DISTANCE_ERROR,
            lower=self._at(problem.lower, np.float64), width=self._at(problem.width, np.float64),
            centroids=self._at(problem.centroids, np.float64),
            on_centroid=self._at(problem.on_centroid, np.float64),
            weight=self._at(weight, np.float64), own=self._at(problem.codes[row], np.int32),
            row=self._at(row, np.int32), instance_of=self._at(instance_of, np.int32),
            reach=self._at(reach, np.float32), spread=self._at(spread, np.float64),
            widest=self._at(np.empty((p, p)), np.float64),
            offsets=self._at(self.offsets, np.float32) if dense else None,
            single_centroids=self._at(centroids, np.float32),
        )  # fmt: skip
        if problem.is_sparse:
            self.table.row_of = self._at(X.indices, X.indices.dtype)
            self.table.start_of = self._at(X.indptr, X.indices.dtype)
            self.table.has_long_indices = int(X.indices.dtype == np.int64)
        else:
            steps = (stride // values.itemsize for stride in values.strides)
            self.table.row_step, self.table.column_step = steps

    def arrays(self) -> list[NDArray[Any]]:
        """All arrays, those of the input too."""
        X = self.problem.X
        return [*self._kept, *((X.indices, X.indptr) if self.problem.is_sparse else ())]

    def _at(self, array: NDArray[Any], dtype: Any) -> int:
        """Where an array is, which is kept from now on."""
        array = np.ascontiguousarray(array, dtype)
        self._kept.append(array)
        return array.ctypes.data


class NativeState(Remembering):
    """The state of a growing subset in the native library, empty at first.

    Beyond the input it holds one float32 copy of the scaled data, if that is dense, and 16 bytes
    per instance and class.

    Parameters
    ----------
    problem : Problem
        The data.
    centroid_membership : {"printed", "normalized"}
        The variant of Eq. 20.
    compactness : {"mean", "rms"}
        What Θ_dis is of the distances to the own centroids.
    n_threads : int
        The candidates are shared out to that many threads.
    """

    def __init__(
        self,
        problem: Problem,
        centroid_membership: CentroidMembership = "printed",
        compactness: Compactness = "mean",
        n_threads: int = 1,
    ) -> None:
        library = load()
        if library is None:
            raise RuntimeError("there is no native library.")
        _check(library)
        p = problem.n_classes
        self.problem = problem
        self._n_threads = n_threads
        self._instances = _Instances(
            library, problem, centroid_membership == "printed", compactness == "rms"
        )
        n_blocks = self._instances.n_blocks
        self._D, self._P = (np.zeros((n_blocks, p, LANES)) for _ in range(2))
        self._near = np.zeros(n_blocks * LANES)
        self._G = np.zeros((p, p))
        self._spread, self._size = np.float64(0), np.int64(0)
        m = problem.n_features
        task = _Task(self, np.arange(m))
        task.run("prepare", 5 * m * problem.n_samples)

    _growing: ClassVar = ("_D", "_P", "_near", "_G", "_spread", "_size")

    @property
    def screens_in_single(self) -> bool:
        """Whether candidates are screened in single precision first."""
        return bool(self._instances.table.screens_in_single)

    def shortlists(
        self, candidates: Indices, weights: list[Weights], n_best: int = 1
    ) -> list[Indices]:
        """For each pair (alpha, beta) the candidates that may have the largest Sep, or equal it.

        With ``n_best`` those that may be among that many best, or equal the last of them.
        """
        n_best = min(n_best, len(candidates))
        low, high = self.between(candidates, weights, n_best)
        return [candidates[reach] for reach in may_be_best(low, high, n_best)]

    def between(self, candidates: Indices, weights: list[Weights], n_best: int) -> Floats:
        """Between what Sep of each candidate is, for each pair: the lower ends, the upper ends.

        Both are -1 for candidates that cannot be among the ``n_best`` best of any pair.
        """
        task = _Task(self, candidates, weights, n_best)
        task.run("shortlist", self._ns_of_a_step(len(candidates)))
        return np.array([task.low[:, candidates], task.high[:, candidates]])

    def most(self, candidates: Indices, weights: list[Weights]) -> Floats:
        """The first upper bounds of Sep in a step, for each pair (alpha, beta)."""
        task = _Task(self, candidates, weights)
        task.run("most", self._ns_of_a_step(len(candidates)))
        return task.high[:, candidates]

    def score(self, candidates: Indices) -> Components:
        """The components of the subset joined by each candidate, in double precision."""
        task = _Task(self, candidates, n_out=4)
        task.run("score", _NS_DOUBLE * self._size_of_a_score() * len(candidates))
        return Components(*task.out)

    def add(self, feature: int) -> None:
        """Let ``feature`` join the subset."""
        task = _Task(self, np.array([feature]))
        task.run("add", _NS_DOUBLE * self._size_of_a_score(), feature)
        self._grow(task)

    def separation(self, candidates: Indices) -> Floats:
        """Λ_dis and Λ_dir of the subset joined by each candidate."""
        return self._asked("separation", candidates, 2, _NS_DOUBLE)

    def most_separation(self, candidates: Indices) -> Floats:
        """Upper bounds of Λ_dis and Λ_dir of the subset joined by each candidate."""
        return self._asked("most_separation", candidates, 2, _NS_SINGLE)

    def least_compactness(self, candidates: Indices) -> Floats:
        """Lower bounds of what Θ_dis and Θ_dir are made of, for each candidate."""
        return self._asked("least", candidates, 2, _NS_SINGLE)

    def compactness(self, candidates: Indices, *, single: bool) -> Floats:
        """What Θ_dis and Θ_dir are made of, and the rounding error of the latter."""
        ns = _NS_SINGLE if single else _NS_DOUBLE
        return self._asked("compactness", candidates, 3, ns, int(single))

    def forward(
        self, candidates: Indices, n_steps: int, weights: Weights
    ) -> Iterator[tuple[int, float, tuple[float, ...]]]:
        """Let the best candidate join, ``n_steps`` times; yield each with Sep and its components.

        The subset may already hold more features than were yielded so far.
        """
        task = _Task(self, candidates, [weights], n_out=4, n_steps=n_steps)
        n_told = 0
        for _ in task.steps("forward", self._ns_of_a_step(len(candidates)), n_calls=n_steps):
            n_done = task.search.n_done  # it may grow meanwhile
            for feature, sep, *parts in task.found[n_told:n_done].tolist():
                yield feature, sep, tuple(parts)
            n_told = n_done
        self._grow(task)
        if n_told < n_steps:
            raise no_number()

    def with_threads(self, n_threads: int) -> "NativeState":
        """The same state, at work in some threads."""
        twin = copy(self)
        twin._n_threads = n_threads
        return twin

    @property
    def nbytes(self) -> int:
        """Size of the rows as they came, and of what was made of them."""
        return sum(
            array.nbytes
            for array in (*self._instances.arrays(), *vars(self).values())
            if isinstance(array, np.ndarray)
        )

    def _asked(
        self, name: str, candidates: Indices, n_out: int, ns: float, *arguments: int
    ) -> Floats:
        task = _Task(self, candidates, n_out=n_out)
        task.run(name, ns * self._size_of_a_score() * len(candidates), *arguments)
        return task.out

    def _grow(self, task: "_Task") -> None:
        """Take over what the library changed beside the arrays."""
        self._spread, self._size = np.float64(task.state.spread), np.int64(task.state.size)

    def _ns_of_a_step(self, n_candidates: int) -> float:
        return (n_candidates * _NS_SINGLE + 8 * _NS_DOUBLE) * self._size_of_a_score()

    def _size_of_a_score(self) -> int:
        """How many numbers the score of a candidate is made of."""
        n, p = self.problem.n_samples, self.problem.n_classes
        return p * (n + p)


class _Task:
    """One call of the native library, with all it reads and writes."""

    def __init__(
        self,
        state: NativeState,
        candidates: Indices,
        weights: list[Weights] | None = None,
        n_best: int = 1,
        *,
        n_out: int = 0,
        n_steps: int = 0,
    ) -> None:
        pairs = np.array(weights or [(0.0, 0.0)], np.float64)
        shape = (len(pairs) if weights else 0, state.problem.n_features)
        self._instances = state._instances
        self._grown = [state._D, state._P, state._near, state._G]
        self._n_threads = state._n_threads
        self._candidates = np.ascontiguousarray(candidates, np.int64)
        self._pairs = pairs
        self._stop = np.zeros(1, np.int32)
        self.low, self.high = np.empty((2, *shape))
        if not n_steps:  # nothing is known of them yet; a whole search looks at those it knows
            self.low[:], self.high[:] = -1, -1
        self.out = np.empty((n_out, len(candidates)))
        self.found = np.empty(n_steps, _STEP)
        self.state = _State(
            *(array.ctypes.data for array in self._grown),
            float(state._spread), int(state._size),
        )  # fmt: skip
        self.search = _Search(
            ctypes.addressof(self._instances.table), ctypes.addressof(self.state),
            pairs.ctypes.data, len(pairs), n_best,
            self._candidates.ctypes.data, len(candidates),
            self.low.ctypes.data, self.high.ctypes.data,
            self.out.ctypes.data, self.found.ctypes.data, n_steps, 0,
            self._stop.ctypes.data,
        )  # fmt: skip

    def run(self, name: str, ns: float, *arguments: int) -> None:
        """Call a function that takes at most about ``ns`` nanoseconds, to its end."""
        for _ in self.steps(name, ns, *arguments):
            pass

    def steps(self, name: str, ns: float, *arguments: int, n_calls: int = 1) -> Iterator[None]:
        """Call a function, and come back now and then until it is done.

        It takes at most about ``ns`` nanoseconds, ``n_calls`` times. A long call is left to other
        threads, so that the main one can answer Ctrl-C.
        """
        library, search = self._instances.library, self.search
        search.n_threads = self._n_threads if ns > _WORTH_A_THREAD else 1
        library.s2fs_workspace.restype = _long
        workspace = np.empty(library.s2fs_workspace(ctypes.byref(search)), np.uint8)
        search.workspace = workspace.ctypes.data
        function = getattr(library, f"s2fs_{name}")
        in_use = (self, workspace)

        def call(thread: int) -> None:
            # Whatever becomes of the caller, nothing is freed while the library works on it.
            _ = in_use
            function(ctypes.byref(search), *map(_long, arguments), _long(thread))

        is_main = threading.current_thread() is threading.main_thread()
        if search.n_threads == 1 and (ns * n_calls < _TOO_LONG or not is_main):
            call(0)
            yield
        else:
            yield from _in_threads(call, search.n_threads, self._stop)


@cache
def _check(library: ctypes.CDLL) -> None:
    """Raise if the structs of the library are not those of this module: it would write anywhere."""
    library.s2fs_engine_layout.restype = _long
    sizes = ctypes.sizeof(_Table), ctypes.sizeof(_Search), ctypes.sizeof(_State), _STEP.itemsize
    layout = (sizes[0] << 32) + (sizes[1] << 16) + (sizes[2] << 8) + sizes[3]
    if library.s2fs_engine_layout() != layout:
        raise ImportError(
            "the native library of s2fs is of another version than its modules; install s2fs again."
        )


def class_sums(
    X: Any, codes: Indices, lower: Floats, centre: Floats, sample_weight: Floats | None = None
) -> Floats:
    """What :func:`s2fs._core.problem.class_sums` gives, of dense rows without temporary arrays."""
    library = load()
    if library is None or issparse(X) or X.strides[1] != X.itemsize:
        return plain_class_sums(X, codes, lower, centre, sample_weight)
    _, values = readable(X)
    sums, centre = np.zeros(centre.shape), np.ascontiguousarray(centre)
    lower = np.ascontiguousarray(lower, np.float64)
    order = np.argsort(codes, kind="stable").astype(np.int32)
    own = codes[order].astype(np.int32)
    weight = np.ones(len(order)) if sample_weight is None else sample_weight[order].astype(float)
    row_step, column_step = (stride // values.itemsize for stride in values.strides)
    n_rows = 1 + TERMS_PER_CALL // centre.shape[1]
    for start in range(0, len(order), n_rows):
        some = slice(start, start + n_rows)
        table = _Table(
            len(order[some]), centre.shape[1], len(centre), values=values.ctypes.data,
            row_step=row_step, column_step=column_step,
            is_single=int(values.dtype == np.float32), lower=lower.ctypes.data,
            weight=weight[some].ctypes.data, own=own[some].ctypes.data,
            row=order[some].ctypes.data,
        )  # fmt: skip
        library.s2fs_class_sums(
            ctypes.byref(table), _pointer(centre.ctypes.data), _pointer(sums.ctypes.data)
        )
    return sums


def _in_threads(
    call: Callable[[int], None], n_threads: int, stop: NDArray[np.int32]
) -> Iterator[None]:
    """Make the calls 0 … n − 1 at once, and come back now and then until they are done.

    Ctrl-C may come between any two lines. So the threads are bare ones: to start one is a single
    step, where a :class:`threading.Thread` can be caught half started.
    """
    ended: list[int] = []
    news: SimpleQueue[None] = SimpleQueue()  # wakes the caller; what counts is ``ended``
    n_started = 0

    def run(i: int) -> None:
        try:
            call(i)
        finally:
            ended.append(i)
            news.put(None)

    def wait() -> None:
        with suppress(Empty):
            news.get(timeout=_LOOK)

    try:
        for i in range(n_threads):
            start_new_thread(run, (i,))
            n_started += 1
        while len(ended) < n_threads:
            wait()
            yield
        yield
    except BaseException:
        stop[0] = 1
        raise
    finally:
        while len(ended) < n_started:
            wait()


def readable(X: Any) -> tuple[Any, NDArray[Any]]:
    """The input in a form that the native library reads, and its values.

    What came over a network may begin at any byte, where no number may stand.
    """
    if isinstance(X, np.ndarray):
        whole = all(stride % X.itemsize == 0 for stride in X.strides)
        if X.dtype not in (np.float32, np.float64) or not whole:
            X = X.astype(np.float64)
        X = np.require(X, requirements="A")
        return X, X
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if not all(part.flags.aligned for part in (X.data, X.indices, X.indptr)):
        X = X.copy()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype != X.indptr.dtype:
        X = X.copy()
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X, np.ascontiguousarray(X.data)
