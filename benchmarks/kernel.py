"""Throughput of the compactness kernel against a plain C loop of the same arithmetic.

Run ``python benchmarks/kernel.py``; without a C compiler only our side is measured. The unit is one
(instance, class, candidate) update.
"""

import argparse
import ctypes
import shutil
import subprocess
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from timing import classes_in_noise, machine, seconds, table

from s2fs._core.problem import Problem
from s2fs._engine.library import engine
from s2fs._engine.native import NativeState

C_LOOP = r"""
#include <math.h>
/* Sums of distance and direction for each candidate: row-major x[m][n], c[m][p], D, P[n][p]. */
void theta(long n, long p, long first, long last, const float *x, const float *c,
           const float *D, const float *P, const int *own, double *out) {
    for (long f = first; f < last; f++) {
        double dis = 0, dir = 0;
        for (long i = 0; i < n; i++) {
            const float *d = D + i * p, *q = P + i * p, *cf = c + f * p;
            float xi = x[f * n + i], a = xi - cf[own[i]], S = 0, U = 0;
            for (long r = 0; r < p; r++) {
                float b = xi - cf[r];
                float w = 1 / sqrtf(fmaxf(d[r] + b * b, 1e-30f));
                S += w * w;
                U += (q[r] + a * b) * w * w * w;
            }
            float root = sqrtf(fmaxf(d[own[i]] + a * a, 1e-30f));
            dis += root;
            dir += 1 - U / (S * root);
        }
        out[2 * f] = dis / n;
        out[2 * f + 1] = dir / n;
    }
}
"""
SHAPES = {"Isolet": (1560, 617, 26), "ORL": (400, 1024, 40), "SRBCT": (83, 2308, 4),
          "ALL-AML-3": (72, 7129, 3)}  # fmt: skip


def build(folder: str) -> ctypes.CDLL | None:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source, library = Path(folder, "theta.c"), Path(folder, "theta.so")
    source.write_text(C_LOOP)
    flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", library, source, "-lm"], check=True)
    return ctypes.CDLL(str(library))


def in_threads(run, m: int, n_threads: int) -> None:
    """Share the candidates out to threads, as the engine does."""
    edges = np.linspace(0, m, n_threads + 1).astype(int)
    threads = [threading.Thread(target=run, args=pair) for pair in pairwise(edges)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--processor-time", action="store_true", help="of all threads, where other programs run too"
    )
    args = parser.parse_args()
    clock = time.process_time if args.processor_time else time.perf_counter
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
        for name, (n, m, p) in SHAPES.items():
            X, y = classes_in_noise(n, m, p)
            problem = Problem(X, y)
            state = NativeState(problem, n_threads=args.threads)
            for f in range(5):
                state.add(f)
            everything = np.arange(m)
            times = {
                what: seconds(
                    lambda s=state, single=single, m=m: s.compactness(np.arange(m), single=single),
                    repeats=9,
                    clock=clock,
                )
                for what, single in (("float32", True), ("float64", False))
            }
            if library is not None:
                D, P = (
                    np.ascontiguousarray(a.swapaxes(1, 2).reshape(-1, p)[:n], np.float32)
                    for a in (state._D, state._P)
                )
                order = np.argsort(y, kind="stable")  # as the engine has the instances
                x = np.ascontiguousarray(problem.columns(everything)[:, order], np.float32)
                c = problem.centroids.astype(np.float32)
                own = y[order].astype(np.int32)
                out = np.empty((m, 2))
                arrays = [ctypes.c_void_p(a.ctypes.data) for a in (x, c, D, P, own, out)]

                def plain(first, last, arrays=arrays, n=n, p=p):
                    library.theta(*map(ctypes.c_long, (n, p, first, last)), *arrays)

                times["C"] = seconds(in_threads, plain, m, args.threads, repeats=9, clock=clock)
                ours = state.compactness(everything, single=True)[:2].T
                np.testing.assert_allclose(out, ours, rtol=1e-4, atol=1e-5)
            rate = {what: n * m * p / taken / 1e9 for what, taken in times.items()}
            share = f"{rate['float32'] / rate['C']:.0%}" if "C" in rate else "no compiler"
            c_rate = f"{rate['C']:.2f}" if "C" in rate else "–"
            rows.append(
                (name, f"{n} × {m} × {p}", f"{rate['float32']:.2f}", f"{rate['float64']:.2f}",
                 c_rate, share)
            )  # fmt: skip
    print(machine(), f"{args.threads} threads, {engine()}", sep=", ", end="\n\n")
    header = ["shape of", "n × m × p", "float32, 10⁹/s", "float64, 10⁹/s", "C loop, 10⁹/s",
              "float32 over C"]  # fmt: skip
    print(table(header, rows))


if __name__ == "__main__":
    main()
