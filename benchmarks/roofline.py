"""How near the loops of the engine come to what the machine can move and compute, on one thread.

Run ``python benchmarks/roofline.py``. All times are those the processor works. The bound of Θ reads
the scaled table once; the screen of a candidate takes 15 operations per instance and class. What
the machine moves is measured by the sum of an array as large as the table, what it computes by a
product of matrices in single precision.
"""

import argparse
import time
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits
from timing import classes_in_noise, machine, seconds, table

from s2fs._core.problem import Problem
from s2fs._engine.library import engine
from s2fs._engine.native import NativeState

SHAPES = {"narrow (Isolet)": (1560, 617, 26), "wide": (500, 50_000, 4)}
#: Operations per instance and class of a screen: the offset, the distance, its inverse root with a
#: Newton step, the product, the membership and the pull.
OPERATIONS = 15
worked = partial(seconds, clock=time.process_time)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    rows = []
    for name, (n, m, p) in SHAPES.items():
        state = NativeState(Problem(*classes_in_noise(n, m, p)))
        for f in range(10):
            state.add(f)
        candidates = np.arange(10, m)
        size = n * len(candidates)
        moved = np.ones(size, np.float32)
        square = np.ones((1024, 1024), np.float32)
        with threadpool_limits(1):
            reads = size * 4 / worked(moved.sum)
            computes = 2 * 1024**3 / worked(square.__matmul__, square)
        bound = size * 4 / worked(state.least_compactness, candidates)
        some = candidates[:500]
        screen = (
            OPERATIONS * n * p * len(some)
            / worked(lambda s=state, c=some: s.compactness(c, single=True))
        )  # fmt: skip
        rows.append(
            (name, f"{n} × {m} × {p}", f"{bound / 1e9:.1f}", f"{reads / 1e9:.1f}",
             f"{bound / reads:.0%}", f"{screen / 1e9:.0f}", f"{computes / 1e9:.0f}",
             f"{screen / computes:.0%}")
        )  # fmt: skip
    print(machine(), engine(), sep=", ", end="\n\n")
    header = ["table", "n × m × p", "bound, GB/s", "a plain sum, GB/s", "share",
              "screen, 10⁹ operations/s", "matrix product, 10⁹/s", "share"]  # fmt: skip
    print(table(header, rows))


if __name__ == "__main__":
    main()
