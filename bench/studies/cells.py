"""Genes of single cells: accuracy on new cells, why to filter first, memory and time.

Run ``python bench/studies/cells.py``; the extra ``bio`` is needed, and scanpy for the first table,
which is on the 700 blood cells in the wheel of scanpy: panels of genes are selected inside the
folds (5-fold, 3 repeats). The other tables are on simulated counts: genes of very different
frequency, one in fifty of them eight times as frequent in a type of cell. Each way of selecting
runs in a process of its own, so that the peak memory is that of the selection (Linux only). The
table of filters selects on one half of the cells and scores on the other.
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


def run(way: str, path: str, k: int, method: str) -> None:
    """Select once and print the time, and the memory beyond that of the idle process in MB."""
    import anndata

    from s2fs import S2FS, PairCover
    from s2fs.bio import select
    from s2fs.io import read_table

    selector = {"s2fs": S2FS, "paircover": PairCover}[method]

    def memory(line: str) -> float:
        return float(Path("/proc/self/status").read_text().split(line)[1].split()[0]) / 1024

    warm, labels = classes_in_noise(200, 3000, 10)
    selector(5).fit(sparse.csc_array(warm), labels)  # loads the compiled loops
    before = memory("VmRSS:")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew, from what is there now
    start = time.perf_counter()
    if way == "read_table (command line)":
        data = read_table(path, "cell_type")
        chosen = selector(k).fit(data.X, data.y).indices_
    else:
        adata = anndata.read_h5ad(path, backed="r" if way == "backed" else None)
        if way == "made dense first":
            adata.X = adata.X.toarray()
        chosen = select(adata, "cell_type", k, method=method).indices_
    print(json.dumps([time.perf_counter() - start, memory("VmHWM:") - before, chosen.tolist()]))


WAYS = ("in memory", "backed", "read_table (command line)", "made dense first")


def filtering(n: int, m: int, p: int, k: int) -> list[tuple[str, ...]]:
    """Accuracy on new cells after genes seen in few cells are left out, or not.

    The last but one column is the median share of the cells that show the first ten genes chosen.
    """
    from sklearn.neighbors import KNeighborsClassifier

    from s2fs import S2FS, PairCover

    X, y = counts(n, m, p)
    rows = []
    selectors = {"PairCover": PairCover(k), "S2FS": S2FS(k), "S2FS, beta=0": S2FS(k, beta=0)}
    for name, values in (("counts", X), ("log(1 + count)", X.log1p())):
        for share, selector in product((0, 0.01, 0.05), selectors):
            seen = (values[: n // 2] != 0).mean(axis=0)
            kept = np.flatnonzero(seen >= share)
            A, B = values[: n // 2, kept], values[n // 2 :, kept]
            chosen = selectors[selector].fit(A, y[: n // 2]).indices_
            model = KNeighborsClassifier().fit(A[:, chosen].toarray(), y[: n // 2])
            accuracy = model.score(B[:, chosen].toarray(), y[n // 2 :])
            first = np.median(seen[kept][chosen[:10]])
            shown = f"{first:.2%}", f"{accuracy:.1%}"
            rows.append((name, f"{share:.0%}", len(kept), selector, *shown))
    return rows


def panels(sizes: tuple[int, ...]) -> list[tuple[str, ...]]:
    """Accuracy of 5 nearest neighbours on new blood cells, by the way the genes were selected."""
    import warnings

    from sklearn.metrics import accuracy_score, balanced_accuracy_score
    from sklearn.model_selection import RepeatedStratifiedKFold
    from sklearn.neighbors import KNeighborsClassifier

    from s2fs.bio import select

    warnings.simplefilter("ignore")  # scanpy's own
    import scanpy

    cells = scanpy.datasets.pbmc68k_reduced()
    values, y = cells.raw.X.toarray(), cells.obs["bulk_labels"].astype(str).to_numpy()

    def by_scanpy(train: object, k: int, method: str) -> list[str]:
        """The best genes of each group in turn, until there are k."""
        scanpy.tl.rank_genes_groups(train, "bulk_labels", method=method)
        names = train.uns["rank_genes_groups"]["names"]
        turns = (name for row in names for name in row)
        return list(dict.fromkeys(turns))[:k]

    def by_s2fs(train: object, k: int, method: str) -> list[str]:
        return select(train, "bulk_labels", k, method=method).feature_names_.tolist()

    ways = {
        "select(method='paircover')": (by_s2fs, "paircover"),
        "select(method='s2fs')": (by_s2fs, "s2fs"),
        "rank_genes_groups, t test, groups in turn": (by_scanpy, "t-test"),
        "rank_genes_groups, Wilcoxon, groups in turn": (by_scanpy, "wilcoxon"),
        "all 765 genes": (lambda train, k, method: list(train.var_names), ""),
    }
    scores = {(way, k): [] for way in ways for k in sizes}
    for fit, test in RepeatedStratifiedKFold(n_repeats=3, random_state=0).split(values, y):
        for way, (choose, method) in ways.items():
            for k in sizes:
                train = cells[fit].copy()
                genes = cells.raw.var_names.get_indexer(choose(train, k, method))
                model = KNeighborsClassifier().fit(values[np.ix_(fit, genes)], y[fit])
                guess = model.predict(values[np.ix_(test, genes)])
                scores[way, k].append(
                    (accuracy_score(y[test], guess), balanced_accuracy_score(y[test], guess))
                )
    shown = {key: "{:.1%} ({:.1%})".format(*np.mean(both, axis=0)) for key, both in scores.items()}
    return [(way, *(shown[way, k] for k in sizes)) for way in ways]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("-n", type=int, default=20_000, help="cells")
    parser.add_argument("-m", type=int, default=2_000, help="genes")
    parser.add_argument("-p", type=int, default=10, help="types of cells")
    parser.add_argument("-k", type=int, default=50, help="genes to select")
    parser.add_argument("--panels", action="store_true", help="the first table only")
    args = parser.parse_args()
    if args.one:
        run(*json.loads(args.one))
        return
    print(machine("anndata", "scanpy"), end="\n\n")
    sizes = (10, 20, 50)
    print(table(["genes", *map(str, sizes)], panels(sizes)), end="\n\n")
    if args.panels:
        return
    rows, choices = [], set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.h5ad"
        size = write_cells(path, args.n, args.m, args.p)
        for way, method in product(WAYS, ("paircover", "s2fs")):
            call = [sys.executable, __file__, "--one"]
            call.append(json.dumps([way, str(path), args.k, method]))
            out = subprocess.run(call, check=True, capture_output=True, text=True).stdout
            taken, peak, chosen = json.loads(out)
            choices.add((method, tuple(chosen)))
            rows.append((way, method, f"{taken:.1f} s", f"{peak:.0f} MB"))
    dense = 4 * args.n * args.m / 2**20
    print(
        f"{args.n} × {args.m} counts of {args.p} types, {args.k} genes: sparse {size:.0f} MB, "
        f"dense {dense:.0f} MB in float32 and {2 * dense:.0f} MB in float64\n"
    )
    header = ["way", "method", "time with reading", "peak beyond the idle process"]
    print(table(header, rows), end="\n\n")
    print(f"different selections by the two methods: {len(choices)}\n")
    header = ["values", "seen in at least", "genes left", "selector", "first ten", "accuracy"]
    print(table(header, filtering(8_000, args.m, args.p, args.k)))


if __name__ == "__main__":
    main()
