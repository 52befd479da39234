"""Two cohorts as they come: expression of genes on a log2 scale, of five kinds of samples."""

import numpy as np
import pandas as pd

GENES = [f"ENSG{100000 + g:011d}.{g % 9 + 1}" for g in range(60)]
KINDS = ["alpha", "beta", "delta", "gamma", "omega"]


def make_cohort(n, seed, *, kinds=KINDS, distance=2.0, genes=GENES):
    """Samples of one law: each kind is high in four genes, and two of these have a partner."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % len(kinds)
    levels = np.random.default_rng(0).uniform(6, 11, len(genes))
    values = rng.normal(levels, 1.0, (n, len(genes)))
    for code, kind in enumerate(kinds):
        first = 4 * KINDS.index(kind)
        values[codes == code, first : first + 4] += distance
    values[:, 40:50] = values[:, :20:2] + 0.3 * rng.normal(size=(n, 10)) + 1
    table = pd.DataFrame(np.maximum(values, 0.01).round(4), columns=genes)
    table.insert(0, "kind", [kinds[code] for code in codes])
    table.insert(0, "sample", [f"S{seed}-{i:02d}" for i in range(n)])
    return table
