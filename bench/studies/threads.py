"""What two threads gain on one fit: time waited with one thread over that with two.

Run ``python bench/studies/threads.py`` on a machine with two idle cores: fits with one thread and
with two take turns, and the features must be the same. Small fits are among them, which share
nothing out.
"""

import argparse
import statistics
import sys
import time

import numpy as np
from timing import classes_in_noise, machine, table

from s2fs import S2FS, PairCover

#: Samples, features, classes and features to select.
SHAPES = (
    (80, 2_000, 4, 30),
    (2_000, 5_000, 10, 20),
    (5_000, 5_000, 10, 20),
    (500, 200_000, 4, 20),
    (200_000, 200, 10, 20),
)


def waited_in_turns(
    selectors: list[S2FS] | list[PairCover], X: np.ndarray, y: np.ndarray, turns: int
) -> list[float]:
    """Median time of a fit of each selector, which must all select the same features."""
    times: list[list[float]] = [[] for _ in selectors]
    for _ in range(turns + 1):
        for selector, own_times in zip(selectors, times, strict=True):
            start = time.perf_counter()
            selector.fit(X, y)
            own_times.append(time.perf_counter() - start)
    paths = [selector.indices_.tolist() for selector in selectors]
    if any(path != paths[0] for path in paths):
        sys.exit(f"The number of threads changed the features: {paths}")
    return [statistics.median(own_times[1:]) for own_times in times]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    print(machine(), end="\n\n")
    rows = []
    for n, m, p, k in SHAPES:
        X, y = classes_in_noise(n, m, p, np.float32)
        row = [f"{n} × {m}, {p} classes, k = {k}"]
        for make in (S2FS, PairCover):
            alone, shared = waited_in_turns(
                [make(k, n_jobs=1), make(k, n_jobs=2)], X, y, args.turns
            )
            row += [f"{1e3 * alone:.0f} ms", f"{alone / shared:.1f}"]
        rows.append(row)
    print(table(["size", "S²FS", "two threads", "PairCover", "two threads"], rows))


if __name__ == "__main__":
    main()
