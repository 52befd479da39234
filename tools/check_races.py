"""Fits with four threads on tables that are large enough to start them; ``make races`` runs this.

The thread sanitizer ends the program with an error if two threads meet. The features must be those
of one thread.
"""

import sys

import numpy as np
from scipy.sparse import csc_array

from s2fs import S2FS, PairCover, s2fs_paths


def main() -> None:
    """Fit with one thread and with four."""
    rng = np.random.default_rng(0)
    y = np.arange(1500) % 12
    X = rng.normal(size=(1500, 1200)) + rng.normal(size=(12, 1200))[y]
    sparse = csc_array(np.where(rng.random(X.shape) < 0.3, X, 0))
    for table in (X, sparse):
        for selector in (S2FS(5), S2FS(5, scale="minmax"), PairCover(5)):
            alone = selector.set_params(n_jobs=1).fit(table, y).indices_.tolist()
            shared = selector.set_params(n_jobs=4).fit(table, y).indices_.tolist()
            if alone != shared:
                sys.exit(f"{selector}: {shared} with four threads, {alone} with one.")
    s2fs_paths(X, y, 3, n_jobs=4)


if __name__ == "__main__":
    main()
