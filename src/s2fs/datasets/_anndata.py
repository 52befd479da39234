"""Files of annotated cells (``.h5ad``).

Only what a selection needs is read: one matrix, the annotation of the cells and the names of the
genes.
"""

from pathlib import Path
from typing import Any, NamedTuple

from s2fs._util.annotated import as_floats, key_of_matrix
from s2fs._util.optional import need


class Cells(NamedTuple):
    """What is read of an ``.h5ad`` file.

    Attributes
    ----------
    X : ndarray or csc_array, of shape (n_cells, n_genes)
        Real numbers; float32 if the file has them, else float64.
    obs : pandas.DataFrame
        The annotation of the cells.
    gene_names : list of str
        Names that are unique: where the file has one twice, the later ones get ``-1``, ``-2``, …,
        as AnnData's own ``var_names_make_unique`` does.
    """

    X: Any
    obs: Any
    gene_names: list[str]


def read_h5ad(path: Path, layer: str | None) -> Cells:
    """Read a matrix of an ``.h5ad`` file without making it dense."""
    h5py, anndata_io, anndata_utils = (
        need(module, extra="bio", purpose=f"Reading {path}")
        for module in ("h5py", "anndata.io", "anndata.utils")
    )
    try:
        file = h5py.File(path, "r")
    except OSError:
        raise ValueError(f"{path} is damaged or no .h5ad file.") from None
    with file:
        if not {"obs", "var"} <= set(file):
            raise ValueError(f"{path} is an HDF5 file but no .h5ad file: it lacks obs and var.")
        if not all(isinstance(file[part], h5py.Group) for part in ("obs", "var")):
            raise ValueError(
                f"{path} is in the format that AnnData wrote before version 0.7; open and save it "
                "with a newer one."
            )
        key = key_of_matrix(file, layer, str(path))
        try:
            X, obs, var = (anndata_io.read_elem(file[part]) for part in (key, "obs", "var"))
        except Exception as error:  # whatever a damaged file makes the HDF5 library raise
            reason = str(error).splitlines()[0].rstrip(".")
            raise ValueError(f"{path} cannot be read as .h5ad ({reason}).") from None
    names = anndata_utils.make_index_unique(var.index.astype(str)).tolist()
    return Cells(as_floats(X, f"{key} of {path}"), obs, names)
