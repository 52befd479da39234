"""Selection of genes in single-cell data, in and out of AnnData."""

import json
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from s2fs._selectors.s2fs import S2FS
from s2fs._util.annotated import labels_of, matrix_of
from s2fs._util.inputs import Columns, read_labels, reject_nonfinite_columns, reject_one_class
from s2fs._util.messages import did_you_mean, some_of
from s2fs._util.optional import need
from s2fs._util.values import plain

if TYPE_CHECKING:
    from anndata import AnnData

__all__ = ["select"]

#: The parameters of the selector that may name genes.
_OF_GENES = {"include", "exclude", "groups"}


def select(
    adata: "AnnData",
    label: str = "cell_type",
    n_features_to_select: int | float | Literal["auto"] = 50,
    *,
    layer: str | None = None,
    unlabelled: Literal["error", "ignore"] = "error",
    **parameters: Any,
) -> S2FS:
    """Select the genes that tell the cells of different labels apart.

    The matrix may be dense or sparse, in memory or on disk (``backed="r"``); a sparse one is never
    made dense as a whole. The result is written into ``adata``:

    * ``adata.var["s2fs_selected"]``: whether the gene is selected;
    * ``adata.var["s2fs_rank"]``: its rank as a float, 1 for the first chosen, NaN if not selected;
    * ``adata.var["s2fs_score"]``: Sep after the gene was chosen, NaN if not selected;
    * ``adata.uns["s2fs"]["path"]``: a data frame with a row for each step: ``rank``, ``feature``,
      ``position`` (of the gene, from 0), ``sep``, ``gain`` and the four components;
    * ``adata.uns["s2fs"]["params"]``: label, layer and the parameters of the selector as JSON text.

    All of it is kept by ``write_h5ad``.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns. A view becomes an AnnData of its own, as with anything
        that is written into it.
    label : str, default="cell_type"
        The column of ``adata.obs`` with the classes: categories, text, whole numbers or truth
        values. Categories that no cell has do not count. Text such as "nan" or "NA" is a missing
        label.
    n_features_to_select : int, float or "auto", default=50
        How many genes to select, as in :class:`s2fs.S2FS`.
    layer : str, optional
        The layer to select from, by default ``adata.X``.
    unlabelled : {"error", "ignore"}, default="error"
        What to do about cells without a label: raise an error, or select on the other cells.
    **parameters
        Further parameters of :class:`s2fs.S2FS`, such as ``alpha`` and ``n_jobs``. Genes to
        ``include`` or ``exclude``, and those in ``groups``, may be named.

    Returns
    -------
    S2FS
        The fitted selector; its features bear the names of the genes.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from scipy.sparse import random_array
    >>> from s2fs.bio import select
    >>> counts = random_array((60, 20), density=0.2, format="lil", rng=0)
    >>> counts[:30, 7] = counts[30:, 3] = 2.0
    >>> adata = anndata.AnnData(counts.tocsr())
    >>> adata.obs["cell_type"] = np.repeat(["B cell", "T cell"], 30)
    >>> selector = select(adata, "cell_type", 2)
    >>> adata.var["s2fs_rank"].dropna().sort_values()
    3    1.0
    7    2.0
    Name: s2fs_rank, dtype: float64
    """
    _check(adata, label, unlabelled)
    classes, codes = read_labels(labels_of(adata.obs[label]), f"label {label!r}")
    labelled = codes >= 0
    if not labelled.all() and (unlabelled == "error" or not labelled.any()):
        raise ValueError(
            f"label {label!r} is missing for {(~labelled).sum()} of {len(codes)} cells, such as "
            f"{some_of(adata.obs_names[~labelled][:1])}; label these cells, or select on the "
            "others with unlabelled='ignore'."
        )
    reject_one_class(classes, f"label {label!r}")
    X = matrix_of(adata, layer)
    if not labelled.all():
        X = X[labelled]
    names = adata.var_names.astype(str).tolist()
    reject_nonfinite_columns(X, names)
    genes = Columns(names, len(names), "adata")
    by_position = {
        name: _by_position(name, parameters[name], genes) for name in _OF_GENES & parameters.keys()
    }
    selector = S2FS(n_features_to_select, **parameters | by_position)
    selector.fit(X, classes[codes[labelled]])
    # From here on as after a fit on a table whose columns have the names of the genes.
    selector.feature_names_in_ = np.array(names, dtype=object)
    selector.feature_names_ = selector.feature_names_in_[selector.indices_]
    selector.set_params(**parameters)
    _write(adata, selector, {"label": label, "layer": layer, "unlabelled": unlabelled})
    return selector


def _check(adata: Any, label: str, unlabelled: str) -> None:
    anndata = need("anndata", extra="bio", purpose="s2fs.bio")
    if not isinstance(adata, anndata.AnnData):
        raise TypeError(f"adata is a {type(adata).__name__}; give an AnnData.")
    if adata.isbacked and adata.is_view:
        raise ValueError(
            "adata is a view of a file, so that nothing can be written into it; give the whole, "
            "or adata.to_memory()."
        )
    if label not in adata.obs:
        columns = list(adata.obs.columns)
        known = f"; it has {some_of(columns)}" if columns else ", which has no columns"
        raise ValueError(
            f"label is {label!r}, but there is no such column in adata.obs"
            f"{did_you_mean(str(label), columns) or known}."
        )
    if unlabelled not in ("error", "ignore"):
        raise ValueError(f"unlabelled is {unlabelled!r}; use 'error' or 'ignore'.")


def _by_position(argument: str, wanted: Any, genes: Columns) -> Any:
    """Put the positions of genes in the place of their names."""
    if wanted is None or isinstance(wanted, str):
        return wanted  # a single name is for the selector to refuse
    entries = list(wanted)
    if argument != "groups":
        return genes.positions(entries, argument)
    # Entries that are no lists are the label of a group for each gene.
    return [
        genes.positions(entry, argument)
        if hasattr(entry, "__iter__") and not isinstance(entry, str)
        else entry
        for entry in entries
    ]


def _write(adata: "AnnData", selector: S2FS, choices: dict[str, Any]) -> None:
    """Annotate the genes, and keep how the selection came about."""
    score = np.full(adata.n_vars, np.nan)
    score[selector.indices_] = selector.scores_
    # Assigned as a whole, for a view would warn of each column.
    adata.var = adata.var.assign(
        s2fs_selected=selector.support_,
        s2fs_rank=np.where(selector.support_, selector.ranking_, np.nan),
        s2fs_score=score,
    )
    path = selector.ranking_table()
    path.insert(2, "position", selector.indices_)
    # JSON, because a file has no place for None, for lists of lists or for odd keys.
    params = json.dumps(plain({**choices, **selector.get_params()}), ensure_ascii=False)
    adata.uns["s2fs"] = {"path": path, "params": params}
