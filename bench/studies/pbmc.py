"""Write ``pbmc.npz``, the single-cell table of the plan "unseen", from an installed scanpy.

Run ``pip install scanpy``, then ``python bench/studies/pbmc.py FOLDER``. The wheel of scanpy
carries 700 cells of 10x Genomics' 68k PBMC data; features are the 765 genes of ``.raw`` (log
counts) and classes the ten types in ``obs["bulk_labels"]``. Nothing is downloaded, and the table
is not kept in this repository.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import anndata
import numpy as np


def main() -> None:
    scanpy = find_spec("scanpy")
    if scanpy is None or len(sys.argv) != 2:
        sys.exit(f"{__doc__}\n{'scanpy is not installed.' if scanpy is None else ''}")
    file = Path(scanpy.origin).parent / "datasets" / "10x_pbmc68k_reduced.h5ad"
    cells = anndata.read_h5ad(file)
    types = cells.obs["bulk_labels"].astype("category").cat
    place = Path(sys.argv[1]) / "pbmc.npz"
    np.savez_compressed(
        place,
        X=cells.raw.X.toarray().astype(np.float32),
        y=types.codes.to_numpy().astype(np.int16),
        classes=np.array(types.categories.astype(str), dtype=str),
        feature_names=np.array(cells.raw.var_names.astype(str), dtype=str),
    )
    print(place)


if __name__ == "__main__":
    main()
