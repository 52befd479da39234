"""Memory and time of selecting genes from sparse counts of single cells, and why to filter first.

Run ``python benchmarks/cells.py``; the extra ``bio`` is needed. The counts are simulated: genes of
very different frequency, one in fifty of them eight times as frequent in a type of cell. Each way
of selecting runs in a process of its own, so that the peak memory is that of the selection (Linux
only). The second table selects on one half of the cells and judges on the other.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np
from scipy import sparse
from timing import classes_in_noise, machine, table


def counts(n: int, m: int, p: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Sparse float32 counts of n cells of p types in m genes, and the types."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, p, n)
    rate = rng.gamma(0.3, 0.4, size=m) * np.where(rng.random((p, m)) < 0.02, 8.0, 1.0)
    parts = [rng.poisson(rate[some]).astype(np.float32) for some in np.array_split(y, n // 1000)]
    return sparse.vstack([sparse.csr_array(part) for part in parts], format="csr"), y


def write_cells(path: Path, n: int, m: int, p: int) -> float:
    """Write an .h5ad file and give the size of its sparse matrix in memory, in MB."""
    import anndata
    import pandas as pd

    X, y = counts(n, m, p)
    obs = pd.DataFrame({"cell_type": pd.Categorical(y.astype(str))}, index=map(str, range(n)))
    anndata.AnnData(X, obs=obs).write_h5ad(path)
    return (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20


def run(way: str, path: str, k: int, n_jobs: int) -> None:
    """Select once and print the time, and the memory beyond that of the idle process in MB."""
    import anndata

    from s2fs import S2FS
    from s2fs.bio import select
    from s2fs.datasets import read_table

    def memory(line: str) -> float:
        return float(Path("/proc/self/status").read_text().split(line)[1].split()[0]) / 1024

    warm, labels = classes_in_noise(200, 3000, 10)
    S2FS(5, n_jobs=n_jobs).fit(sparse.csc_array(warm), labels)  # loads the compiled loops
    before = memory("VmRSS:")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew, from what is there now
    start = time.perf_counter()
    if way == "read_table (command line)":
        data = read_table(path, "cell_type")
        chosen = S2FS(k, n_jobs=n_jobs).fit(data.X, data.y).indices_
    else:
        adata = anndata.read_h5ad(path, backed="r" if way == "backed" else None)
        if way == "made dense first":
            adata.X = adata.X.toarray()
        chosen = select(adata, "cell_type", k, n_jobs=n_jobs).indices_
    print(json.dumps([time.perf_counter() - start, memory("VmHWM:") - before, chosen.tolist()]))


WAYS = ("in memory", "backed", "read_table (command line)", "made dense first")


def filtering(n: int, m: int, p: int, k: int) -> list[tuple[str, ...]]:
    """Accuracy on new cells after genes seen in few cells are left out, or not.

    The last but one column is the median share of the cells that show the first ten genes chosen.
    """
    from sklearn.neighbors import KNeighborsClassifier

    from s2fs import S2FS

    X, y = counts(n, m, p)
    rows = []
    for name, values in (("counts", X), ("log(1 + count)", X.log1p())):
        for share, beta in product((0, 0.01, 0.05), (0.0316, 0.0)):
            seen = (values[: n // 2] != 0).mean(axis=0)
            kept = np.flatnonzero(seen >= share)
            A, B = values[: n // 2, kept], values[n // 2 :, kept]
            chosen = S2FS(k, beta=beta).fit(A, y[: n // 2]).indices_
            model = KNeighborsClassifier().fit(A[:, chosen].toarray(), y[: n // 2])
            accuracy = model.score(B[:, chosen].toarray(), y[n // 2 :])
            first = np.median(seen[kept][chosen[:10]])
            rows.append((name, f"{share:.0%}", len(kept), beta, f"{first:.2%}", f"{accuracy:.1%}"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("-n", type=int, default=20_000, help="cells")
    parser.add_argument("-m", type=int, default=2_000, help="genes")
    parser.add_argument("-p", type=int, default=10, help="types of cells")
    parser.add_argument("-k", type=int, default=50, help="genes to select")
    parser.add_argument("--n-jobs", type=int, default=1)
    args = parser.parse_args()
    if args.one:
        run(*json.loads(args.one))
        return
    print(machine("anndata"), end="\n\n")
    rows, choices = [], set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.h5ad"
        size = write_cells(path, args.n, args.m, args.p)
        for way in WAYS:
            call = [sys.executable, __file__, "--one"]
            call.append(json.dumps([way, str(path), args.k, args.n_jobs]))
            out = subprocess.run(call, check=True, capture_output=True, text=True).stdout
            taken, peak, chosen = json.loads(out)
            choices.add(tuple(chosen))
            rows.append((way, f"{taken:.1f} s", f"{peak:.0f} MB"))
    dense = 4 * args.n * args.m / 2**20
    print(
        f"{args.n} × {args.m} counts of {args.p} types, {args.k} genes: sparse {size:.0f} MB, "
        f"dense {dense:.0f} MB in float32 and {2 * dense:.0f} MB in float64\n"
    )
    print(table(["way", "time with reading", "peak beyond the idle process"], rows), end="\n\n")
    print(f"different selections: {len(choices)}\n")
    header = ["values", "seen in at least", "genes left", "beta", "first ten", "accuracy"]
    print(table(header, filtering(8_000, args.m, args.p, args.k)))


if __name__ == "__main__":
    main()
