"""Time of S²FS against its peers on the same data, in one process, as ratios.

Run ``S2FS_DATA=folder python bench/studies/peers.py``; ``make peers`` installs the peers, and
those that are missing are left out. The data are the paper's nine local datasets and noisy classes
of growing n, m and p. A run that would take longer than ``--limit`` seconds, judging by a run of
the same selector on the data nearest in size, is skipped and says so. ``--literal`` adds Algorithm
1 word for word and a step of scikit-learn's sequential search, which take minutes on SRBCT. With
``--n-jobs 1 --peer-threads 1 --processor-time`` one thread is compared with one thread by the time
the processor works, which a busy machine changes less; with ``--turns 9`` besides, the fits take
turns, nine times each.
"""

import argparse
import contextlib
import functools
import io
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from sklearn.feature_selection import (
    RFE,
    SequentialFeatureSelector,
    f_classif,
    mutual_info_classif,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits
from timing import (
    PAPER,
    classes_in_noise,
    machine,
    medians_in_turns,
    paper_data,
    seconds,
    table,
)

from s2fs import S2FS, PairCover, separability

Run = Callable[[np.ndarray, np.ndarray, int], object]
#: Sizes (n, m, p) of synthetic data: n grows, then m, then p, from the first one.
SYNTHETIC = (
    (200, 500, 10), (2_000, 500, 10), (20_000, 500, 10),
    (200, 5_000, 10), (200, 50_000, 10), (2_000, 5_000, 10),
    (2_000, 500, 2), (2_000, 500, 40),
)  # fmt: skip


class Size(NamedTuple):
    """Instances, features, classes, and features to select."""

    n: int
    m: int
    p: int
    k: int


class Peer(NamedTuple):
    """A selector, and the powers of n, m, p and k its time grows with, about."""

    run: Run
    powers: tuple[int, int, int, int]


def fastcan_on_labels(X, y, k):
    from fastcan import FastCan

    return FastCan(k, verbose=0).fit(X, y.astype(float))


def fastcan_on_indicators(X, y, k):
    from fastcan import FastCan

    return FastCan(k, verbose=0).fit(X, np.eye(y.max() + 1)[y])


def mrmr(X, y, k):
    import pandas as pd
    from mrmr import mrmr_classif

    return mrmr_classif(pd.DataFrame(X), pd.Series(y), K=k, n_jobs=1, show_progress=False)


def fast_select_relief(X, y, k):
    from fast_select import ReliefF

    return ReliefF(n_features_to_select=k, backend="cpu", n_jobs=2).fit(X, y)


def skrebate_relief(X, y, k):
    from skrebate import ReliefF

    return ReliefF(n_features_to_select=k, n_neighbors=10).fit(X, y)


def recursive_elimination(X, y, k):
    return RFE(LinearSVC(), n_features_to_select=k, step=0.1).fit(minmax_scale(X), y)


PEERS = {
    "fastcan, class indicators": Peer(fastcan_on_indicators, (1, 1, 1, 1)),
    "fastcan, label numbers": Peer(fastcan_on_labels, (1, 1, 0, 1)),
    "f_classif": Peer(lambda X, y, k: f_classif(X, y), (1, 1, 0, 0)),
    "mutual_info_classif": Peer(
        lambda X, y, k: mutual_info_classif(X, y, random_state=0), (1, 1, 0, 0)
    ),
    "mrmr_classif": Peer(mrmr, (1, 1, 0, 1)),
    "fast_select.ReliefF": Peer(fast_select_relief, (2, 1, 0, 0)),
    "skrebate.ReliefF": Peer(skrebate_relief, (2, 1, 0, 0)),
    "RFE, linear SVM, 10 % a step": Peer(recursive_elimination, (1, 1, 1, 0)),
}


#: What the peers are compared with, for each choice of ``--ours``.
OURS = {
    "S²FS": lambda k, n_jobs: S2FS(k, n_jobs=n_jobs),
    "S²FS, minmax": lambda k, n_jobs: S2FS(k, scale="minmax", n_jobs=n_jobs),
    "PairCover": lambda k, n_jobs: PairCover(k),
    "PairCover, correlation 0": lambda k, n_jobs: PairCover(k, correlation=0),
}


class TooLong(Exception):  # noqa: N818
    """A run is skipped; the text says how long it would take."""


class Clock:
    """Times runs, unless one would take too long.

    How long is judged by runs of the same selector on other data, and by runs on some of the
    features, as many as an eighth of the limit allows: a time of which most is overhead grows less
    than the data do.
    """

    def __init__(self, limit: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.limit, self.clock = limit, clock
        self._known: dict[str, dict[Size, float]] = {}

    def time(self, name: str, peer: Peer, X: np.ndarray, y: np.ndarray, k: int) -> float:
        """Seconds of a run; raises TooLong if it would exceed the limit."""
        known = self._known.setdefault(name, {})
        size = Size(*X.shape, len(np.unique(y)), k)
        tried = 0
        while (expected := _expected(known, size, peer.powers)) > self.limit:
            m = min(size.m // 2, int(size.m * self.limit / 8 / expected)) if known else size.m // 10
            if m < max(20, 1.5 * tried):
                raise TooLong(f"skipped, about {expected:.0f} s")
            some, few = np.ascontiguousarray(X[:, :m]), min(k, m // 2)
            # The first run of all may have to compile, so it is repeated.
            patience = 0.0 if known else math.inf
            known[size._replace(m=m, k=few)] = seconds(
                quiet, peer.run, some, y, few, repeats=1, patience=patience, clock=self.clock
            )
            tried = m
        known[size] = seconds(quiet, peer.run, X, y, k, repeats=5, patience=5.0, clock=self.clock)
        return known[size]


def _expected(known: dict[Size, float], size: Size, powers: tuple[int, ...]) -> float:
    """Seconds judged by the known run that is nearest in size, on the same rows if there is one."""

    def growth(other: Size) -> float:
        ratios = zip(size, other, powers, strict=True)
        return math.prod((now / then) ** power for now, then, power in ratios)

    def distance(other: Size) -> tuple[bool, float]:
        return (other.n, other.p) != (size.n, size.p), abs(math.log(growth(other)))

    if not known:
        return math.inf
    nearest = min(known, key=distance)
    return known[nearest] * growth(nearest)


def literal(X, y, k):
    """Algorithm 1 with the criterion recomputed from scratch for each candidate."""
    scaled = minmax_scale(X)
    chosen: list[int] = []
    for _ in range(k):
        left = [f for f in range(X.shape[1]) if f not in chosen]
        seps = [separability(scaled[:, [*chosen, f]], y) for f in left]
        chosen.append(left[int(np.argmax(seps))])
    return chosen


def quiet(run, *arguments):
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return run(*arguments)


def all_data(names: list[str], synthetic: bool) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features and labels, one after the other: not all fit into memory at once."""
    yield from ((name, *paper_data(name)) for name in names)
    if synthetic:
        yield from (("classes in noise", *classes_in_noise(*size)) for size in SYNTHETIC)


def compare_in_turns(
    timer: Callable[[], float], runs: list[Run], X: np.ndarray, y: np.ndarray, k: int, turns: int
) -> list[str]:
    """Time of the first one, and of each other one over it; all take turns."""
    calls = [functools.partial(quiet, run, X, y, k) for run in runs]
    own, *others = medians_in_turns(calls, turns, timer)
    return [f"{own * 1e3:.3g} ms", *(f"{time / own:.2f}" for time in others)]


def compare(
    clock: Clock,
    ours: dict[str, Peer],
    peers: dict[str, Peer],
    X: np.ndarray,
    y: np.ndarray,
    k: int,
) -> list[str]:
    """Time of our selector, and of each peer over it."""
    times, cells, (own,) = {}, [], ours
    for name, peer in (ours | peers).items():
        try:
            times[name] = clock.time(name, peer, X, y, k)
        except ImportError:
            cells.append("not installed")
        except TooLong as skipped:
            cells.append(str(skipped))
        except Exception as error:  # a peer may not allow this k
            cells.append(type(error).__name__)
        else:
            if name == own or own not in times:
                cells.append(f"{times[name] * 1e3:.3g} ms")
            else:
                ratio = times[name] / times[own]
                cells.append(f"{ratio:.1f}" if ratio >= 0.1 else f"{ratio:.1g}")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", type=int, nargs="+", default=[30, 150])
    parser.add_argument("--datasets", nargs="*", default=PAPER)
    parser.add_argument("--peers", nargs="*", default=[*PEERS], choices=[*PEERS])
    parser.add_argument("--no-synthetic", action="store_true")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds one run may take")
    parser.add_argument("--literal", action="store_true", help="the slow ones, on SRBCT")
    parser.add_argument("--n-jobs", type=int, default=2, help="threads of S²FS")
    parser.add_argument("--peer-threads", type=int, default=2, help="threads of the peers")
    parser.add_argument("--ours", default="S²FS", choices=[*OURS])
    parser.add_argument(
        "--processor-time", action="store_true", help="of all threads, where other programs run too"
    )
    parser.add_argument("--turns", type=int, help="time fits in turns, this many times each")
    args = parser.parse_args()

    print(machine("fastcan", "mrmr-selection", "fast-select", "skrebate"), end="\n\n")
    timer = time.process_time if args.processor_time else time.perf_counter
    clock, peers = Clock(args.limit, timer), {name: PEERS[name] for name in args.peers}
    make = OURS[args.ours]
    run = Peer(lambda X, y, k: make(k, args.n_jobs).fit(X, y), (1, 1, 1, 1))
    ours = {args.ours: run}
    for k in args.k:
        rows = []
        for name, X, y in all_data(args.datasets, not args.no_synthetic):
            shape = [name, f"{X.shape[0]} × {X.shape[1]}", len(np.unique(y))]
            with threadpool_limits(args.peer_threads):
                if args.turns:
                    runs = [peer.run for peer in (ours | peers).values()]
                    cells = compare_in_turns(timer, runs, X, y, k, args.turns)
                else:
                    cells = compare(clock, ours, peers, X, y, k)
            rows.append([*shape, *cells])
            print(f"k = {k}:", *rows[-1], sep="  ", flush=True, file=sys.stderr)
        print(f"### k = {k}: time of each peer over the time of {args.ours}\n")
        print(table(["data", "n × m", "classes", *ours, *peers], rows), end="\n\n")

    if args.literal:
        X, y = paper_data("srbct")
        one = seconds(S2FS(1, n_jobs=args.n_jobs).fit, X, y)
        greedy = SequentialFeatureSelector(KNeighborsClassifier(), n_features_to_select=1, cv=5)
        step = seconds(greedy.fit, X, y, repeats=1)
        print(
            f"SequentialFeatureSelector with kNN on SRBCT, k = 1: {step:.1f} s, {step / one:.0f}×"
        )
        own = seconds(S2FS(50, n_jobs=args.n_jobs).fit, X, y)
        words = seconds(literal, X, y, 50, repeats=1)
        print(f"Algorithm 1 word for word on SRBCT, k = 50: {words:.1f} s, {words / own:.0f}×")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
