"""Selection of genes in single-cell data, in and out of AnnData."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.stats import false_discovery_control, ttest_ind_from_stats
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from s2fs._native.class_moments import compute_class_moments
from s2fs._utils.annotated import matrix_of
from s2fs._utils.columns import find_repeated, reject_nonfinite_columns
from s2fs._utils.labels import read_labels, reject_one_class
from s2fs._utils.messages import did_you_mean, format_names
from s2fs._utils.named import with_names
from s2fs._utils.optional import need
from s2fs._utils.types import Floats, Indices
from s2fs._utils.values import plain
from s2fs._utils.warn import warn_user
from s2fs.selectors.base import RankingSelector
from s2fs.selectors.pair_cover import PairCover
from s2fs.selectors.s2fs import S2FS
from s2fs.selectors.stability import StabilitySelector

if TYPE_CHECKING:
    from anndata import AnnData

__all__ = ["select"]

#: What cells are called that are of none of the groups asked for, as in scanpy.
_REST = "rest"
#: Whole numbers up to at least this count as raw counts, not as grades or genotypes.
_LEAST_RAW_COUNT = 30
_METHODS = {"paircover": PairCover, "s2fs": S2FS}
#: What is written for a number that is too large for any format: a gene without any spread.
_LARGEST = float(np.finfo(np.float32).max)
#: How many numbers of a matrix are taken at once.
_BLOCK = 1 << 18
#: What a mean is raised by before a fold change is taken, as scanpy does.
_TINY = 1e-9


@overload
def select(
    adata: "AnnData",
    groupby: str,
    n_genes: int | float | Literal["all", "auto"] = ...,
    *,
    groups: Literal["all"] | Sequence[Any] = ...,
    reference: str = ...,
    batch_key: str | None = ...,
    method: Literal["paircover", "s2fs"] | RankingSelector = ...,
    layer: str | None = ...,
    use_raw: bool | None = ...,
    key_added: str = ...,
    copy: Literal[False] = ...,
    unlabelled: Literal["error", "ignore"] = ...,
    **parameters: Any,
) -> RankingSelector: ...
@overload
def select(
    adata: "AnnData",
    groupby: str,
    n_genes: int | float | Literal["all", "auto"] = ...,
    *,
    groups: Literal["all"] | Sequence[Any] = ...,
    reference: str = ...,
    batch_key: str | None = ...,
    method: Literal["paircover", "s2fs"] | RankingSelector = ...,
    layer: str | None = ...,
    use_raw: bool | None = ...,
    key_added: str = ...,
    copy: Literal[True],
    unlabelled: Literal["error", "ignore"] = ...,
    **parameters: Any,
) -> "AnnData": ...
def select(
    adata: "AnnData",
    groupby: str,
    n_genes: int | float | Literal["all", "auto"] = 50,
    *,
    groups: Literal["all"] | Sequence[Any] = "all",
    reference: str = "rest",
    batch_key: str | None = None,
    method: Literal["paircover", "s2fs"] | RankingSelector = "paircover",
    layer: str | None = None,
    use_raw: bool | None = None,
    key_added: str = "s2fs",
    copy: bool = False,
    unlabelled: Literal["error", "ignore"] = "error",
    **parameters: Any,
) -> "RankingSelector | AnnData":
    """Select the genes that tell the groups of cells apart, one panel for all groups.

    The arguments have the names they have in ``scanpy.tl.rank_genes_groups``, and what is written
    into ``adata`` can be given to the functions of scanpy that show its result. The matrix may be
    dense or sparse, in memory or on disk (``backed="r"``); a sparse one is never made dense as a
    whole.

    Written are, with ``key_added="s2fs"``:

    * ``adata.var["s2fs_selected"]``: whether the gene is selected;
    * ``adata.var["s2fs_rank"]``: its rank as a float, 1 for the first, NaN if not selected;
    * ``adata.var["s2fs_score"]``: the criterion after the gene was selected, NaN if not selected;
    * with ``n_genes="auto"`` ``adata.var["s2fs_p_value"]``, and with a
      :class:`s2fs.StabilitySelector` ``adata.var["s2fs_q_value"]`` of every gene;
    * ``adata.var["s2fs_group"]``: the group that the gene marks, by the largest t of the group
      against the rest, or with ``min_per_class`` the group it counts for; with
      ``method="paircover"`` also ``adata.var["s2fs_pair"]``: the two groups that it was selected to
      tell apart;
    * ``adata.uns["s2fs"]["names"]``, ``["scores"]``, ``["logfoldchanges"]``, ``["pvals"]`` and
      ``["pvals_adj"]``: the selected genes for each group, as ``rank_genes_groups`` with its t test
      writes them, the gene with the largest t first;
    * ``adata.uns["s2fs"]["path"]``: a data frame with a row for each step: ``rank``, ``feature``,
      ``position`` (of the gene, from 0), ``group``, the criterion with its parts, and with
      ``method="paircover"`` the pair ``first`` and ``second`` with its error bound ``before`` and
      ``after``;
    * ``adata.uns["s2fs"]["groups"]``, and with ``method="paircover"`` ``["error_bounds"]``: the
      names of the groups, and the error bound of every two of them by all selected genes;
    * ``adata.uns["s2fs"]["params"]``: what was asked for; the parameters of the selector are JSON
      text.

    All of it is kept by ``write_h5ad``. Where a criterion is infinite, NaN is written.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns. A view becomes an AnnData of its own, as with anything
        that is written into it.
    groupby : str
        The column of ``adata.obs`` with the groups: categories, text, whole numbers or truth
        values. Categories that no cell has do not count. Text such as "nan" or "NA" is a missing
        label.
    n_genes : int, float, "all" or "auto", default=50
        How many genes to select, as ``n_features_to_select`` of :class:`s2fs.PairCover`.
    groups : "all" or sequence of labels, default="all"
        The groups to tell apart. Cells of other groups are taken together as one group called
        "rest", or left out if ``reference`` is a group.
    reference : str, default="rest"
        What each group is compared with in the t tests: all other cells, or one group, which is
        then among the groups that are told apart.
    batch_key : str, optional
        A column of ``adata.obs`` to adjust for, such as a donor or a batch: genes are selected for
        what they say beyond it, as with ``covariates`` of :class:`s2fs.PairCover`.
    method : {"paircover", "s2fs"} or selector, default="paircover"
        The selector: :class:`s2fs.PairCover`, :class:`s2fs.S2FS` as published, or another one of
        this package such as ``StabilitySelector(selector=PairCover(20))``, of which a copy gets
        ``n_genes`` and ``parameters``.
    layer : str, optional
        The layer to select from.
    use_raw : bool, optional
        Whether to select from ``adata.raw``. By default it is used if it is there and no layer is
        named, as in scanpy. Genes that only ``adata.raw`` has are in ``uns``, but not in ``var``.
    key_added : str, default="s2fs"
        The key in ``adata.uns``, and the beginning of the columns in ``adata.var``.
    copy : bool, default=False
        Whether to leave ``adata`` as it is and return an annotated copy.
    unlabelled : {"error", "ignore"}, default="error"
        What to do about cells without a group: raise an error, or select on the other cells.
    **parameters
        Further parameters of the selector, such as ``min_per_class`` (at least so many markers for
        each group), ``correlation`` and ``class_weight``. Genes to ``include`` or ``exclude``, and
        those in ``feature_groups``, may be named.

    Returns
    -------
    selector or AnnData
        The fitted selector, whose features bear the names of the genes; with ``copy=True`` the
        annotated copy.

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
    >>> adata.var[["s2fs_rank", "s2fs_group"]].dropna().sort_values("s2fs_rank")
       s2fs_rank s2fs_group
    3        1.0     T cell
    7        2.0     B cell
    """
    _check(adata, groupby, unlabelled)
    selector = _make_selector(method, n_genes, parameters)
    if use_raw is None:
        use_raw = layer is None and adata.raw is not None
    if copy:
        adata = adata.to_memory() if adata.isbacked else adata.copy()
    cells = _choose_cells(adata, groupby, unlabelled, groups, reference)
    X = matrix_of(adata, layer, use_raw=use_raw)
    gene_names = (adata.raw if use_raw else adata).var_names.astype(str).tolist()
    places = _places(adata, gene_names) if use_raw else np.arange(len(gene_names))
    covariates = _covariates(adata, batch_key, selector)
    codes = cells.codes
    if (left_out := codes < 0).any():
        X, codes = X[~left_out], codes[~left_out]
        covariates = {name: values[~left_out] for name, values in covariates.items()}
    reject_nonfinite_columns(X, gene_names, allow_nan=get_tags(selector).input_tags.allow_nan)
    _warn_if_raw_counts(X)
    selector.fit(with_names(X, gene_names), cells.labels[codes], **covariates)
    tests = _t_tests(X, codes, len(cells.labels), selector.indices_, cells.reference)
    names = np.array([str(label) for label in cells.labels], dtype=object)
    tested = [q for q in cells.order if q not in cells.not_tested]
    marks = names[tested][tests["scores"][tested].argmax(axis=0)]
    of_selector = np.array([str(label) for label in selector.classes_], dtype=object)
    if hasattr(selector, "served_classes_"):  # what min_per_class has counted
        served = selector.served_classes_
        marks = np.where(served >= 0, of_selector[served], marks)
    path = _path(selector, of_selector, marks)
    _write_genes(adata, selector, key_added, places, path)
    asked = {"groupby": groupby, "layer": layer, "use_raw": use_raw, "unlabelled": unlabelled,
             "reference": str(reference), "batch_key": batch_key}  # fmt: skip
    adata.uns[key_added] = {
        "params": {name: value for name, value in asked.items() if value is not None}
        | {
            "method": method if isinstance(method, str) else type(selector).__name__,
            "corr_method": "benjamini-hochberg",
            # JSON, because a file has no place for lists of lists or for odd keys.
            "selector": json.dumps(plain(selector.get_params()), ensure_ascii=False),
        },
        "groups": names[cells.order],
        "path": path,
        **_per_group(tests, selector.feature_names_, names, tested),
    }
    if isinstance(selector, PairCover):
        bound = np.exp(-selector.class_distances_ / 8)
        # A group of a single cell is left out, and tells nothing.
        place_of = {name: place for place, name in enumerate(of_selector)}
        known = [q for q, name in enumerate(names[cells.order]) if name in place_of]
        of_known = [place_of[name] for name in names[cells.order][known]]
        every = np.full((len(cells.order), len(cells.order)), np.nan)
        every[np.ix_(known, known)] = bound[np.ix_(of_known, of_known)]
        adata.uns[key_added]["error_bounds"] = every
    return adata if copy else selector


class _Cells(NamedTuple):
    """The groups that are told apart, and for each cell the position of its own, −1 for none."""

    labels: NDArray[Any]
    codes: Indices
    order: list[int]  # of the groups, as scanpy shows them
    reference: int | None  # the group that others are compared with; None is all other cells
    not_tested: frozenset[int]  # groups that others are compared with


def _choose_cells(
    adata: "AnnData", groupby: str, unlabelled: str, groups: Any, reference: Any
) -> _Cells:
    """The cells and groups that ``groups`` and ``reference`` ask for."""
    labels, codes = _labels(adata, groupby, unlabelled)
    order = _order_of_groups(adata.obs[groupby], labels).tolist()
    words = [str(label) for label in labels]
    wanted = words if isinstance(groups, str) and groups == "all" else _group_names(groups, words)
    has_reference = str(reference) != _REST
    if has_reference:
        _group_names([reference], words, "reference")
    kept = [q for q in order if words[q] in {*wanted, *([str(reference)] * has_reference)}]
    if len(kept) == len(words):
        at = words.index(str(reference)) if has_reference else None
        return _Cells(labels, codes, order, at, frozenset() if at is None else frozenset([at]))
    if not has_reference and _REST in words:
        raise ValueError(
            f"groupby {groupby!r} has a group called {_REST!r}, which is the name of all other "
            "cells; rename it, or give reference."
        )
    in_order = [words[q] for q in kept] + [_REST] * (not has_reference)
    if len(in_order) < 2:
        raise ValueError(
            f"groups is {list(groups)!r} and reference {reference!r}: at least two groups are "
            "needed; add one."
        )
    new_labels = sorted(in_order)  # as selectors sort classes
    new_code = np.full(len(words) + 1, -1)  # the last one is for cells without a label
    if not has_reference:
        new_code[:-1] = new_labels.index(_REST)
    new_code[kept] = [new_labels.index(words[q]) for q in kept]
    at = new_labels.index(str(reference))
    return _Cells(
        np.array(new_labels, dtype=object),
        new_code[codes],
        [new_labels.index(word) for word in in_order],
        at if has_reference else None,
        frozenset([at]),
    )


def _group_names(groups: Any, known: list[str], argument: str = "groups") -> list[str]:
    """Groups by name, each of which must be there."""
    if isinstance(groups, str):
        raise ValueError(f"{argument} is {groups!r}; give 'all', or a list such as [{groups!r}].")
    names = [str(label) for label in groups]
    for name in names:
        if name not in known:
            raise ValueError(
                f"{argument} has {name!r}, but there is no such group"
                f"{did_you_mean(name, known) or '; there are ' + format_names(known)}."
            )
    return names


def _covariates(adata: "AnnData", batch_key: str | None, selector: Any) -> dict[str, Any]:
    """What ``fit`` gets to adjust for: a category for each cell."""
    if batch_key is None:
        return {}
    if batch_key not in adata.obs:
        columns = list(adata.obs.columns)
        raise ValueError(
            f"batch_key is {batch_key!r}, but there is no such column in adata.obs"
            f"{did_you_mean(str(batch_key), columns) or '; it has ' + format_names(columns)}."
        )
    if not has_fit_parameter(selector, "covariates"):
        raise ValueError(
            f"batch_key is given, but {type(selector).__name__} does not adjust for covariates; "
            "leave it out, or use method='paircover'."
        )
    column = adata.obs[batch_key]
    if column.isna().any():
        raise ValueError(
            f"batch_key {batch_key!r} is missing for {int(column.isna().sum())} of "
            f"{adata.n_obs} cells; fill it in, or leave these cells out."
        )
    return {"covariates": column.astype(str).to_numpy(dtype=str)}


def _warn_if_raw_counts(X: Any) -> None:
    """Warn of whole numbers up to large ones: the depth of a cell decides there, not its kind."""
    values = X.data if issparse(X) else np.asarray(X)
    if values.size and values.max() >= _LEAST_RAW_COUNT and (values == np.rint(values)).all():
        warn_user(
            f"the matrix holds whole numbers up to {values.max():.0f}, which are raw counts; "
            "normalise each cell and take logarithms first (scanpy: pp.normalize_total, pp.log1p), "
            "or choose another layer.",
        )


def _make_selector(method: Any, n_genes: Any, parameters: dict[str, Any]) -> RankingSelector:
    """A selector that is not fitted, for a number of genes."""
    if isinstance(method, str) and method in _METHODS:
        return _METHODS[method](n_genes).set_params(**parameters)
    if not isinstance(method, RankingSelector):
        raise ValueError(f"method is {method!r}; use 'paircover', 's2fs' or a selector of s2fs.")
    return clone(method).set_params(n_features_to_select=n_genes, **parameters)


def _check(adata: Any, groupby: str, unlabelled: str) -> None:
    anndata = need("anndata", extra="bio", purpose="s2fs.bio")
    if not isinstance(adata, anndata.AnnData):
        raise TypeError(f"adata is a {type(adata).__name__}; give an AnnData.")
    if adata.isbacked and adata.is_view:
        raise ValueError(
            "adata is a view of a file, so that nothing can be written into it; give the whole, "
            "or adata.to_memory()."
        )
    if groupby not in adata.obs:
        columns = list(adata.obs.columns)
        known = f"; it has {format_names(columns)}" if columns else ", which has no columns"
        raise ValueError(
            f"groupby is {groupby!r}, but there is no such column in adata.obs"
            f"{did_you_mean(str(groupby), columns) or known}."
        )
    if unlabelled not in ("error", "ignore"):
        raise ValueError(f"unlabelled is {unlabelled!r}; use 'error' or 'ignore'.")


def _labels(adata: "AnnData", groupby: str, unlabelled: str) -> tuple[NDArray[Any], Indices]:
    """The groups, and for each cell the position of its own, −1 where it has none."""
    column = adata.obs[groupby]
    labels = column.astype(object).where(column.notna(), None).to_numpy()
    classes, codes = read_labels(labels, f"groupby {groupby!r}")
    missing = codes < 0
    if missing.any() and (unlabelled == "error" or missing.all()):
        raise ValueError(
            f"groupby {groupby!r} is missing for {missing.sum()} of {len(codes)} cells, such as "
            f"{format_names(adata.obs_names[missing][:1])}; label these cells, or select on the "
            "others with unlabelled='ignore'."
        )
    reject_one_class(classes, f"groupby {groupby!r}")
    return classes, codes


def _places(adata: "AnnData", names: list[str]) -> Indices:
    """For each gene of ``adata.raw`` its position in ``adata.var``, −1 if it is not there."""
    own = adata.var_names.astype(str).tolist()
    if own == names:
        return np.arange(len(names))
    if twice := find_repeated(names) or find_repeated(own):
        raise ValueError(
            f"adata.raw has other genes than adata, and {format_names(twice)} is there more than "
            "once; make the names unique, or give use_raw=False."
        )
    position = {name: place for place, name in enumerate(own)}
    return np.array([position.get(name, -1) for name in names])


def _order_of_groups(column: Any, classes: NDArray[Any]) -> Indices:
    """The groups as scanpy shows them: in the order of the categories if there are any."""
    if not hasattr(column, "cat"):
        return np.arange(len(classes))
    place = {str(label): i for i, label in enumerate(column.cat.categories)}
    return np.argsort([place.get(str(label), 0) for label in classes], kind="stable")


def _t_tests(
    X: Any, codes: Indices, p: int, selected: Indices, reference: int | None
) -> dict[str, Floats]:
    """Welch's t test of each group against the rest or one group: a row for each group.

    P-values are adjusted over all genes, as scanpy adjusts them. The fold change takes the values
    for logarithms of 1 + count, as scanpy does.
    """
    n, mean, square = _class_means(X, codes, p)
    total = n.sum(axis=0)
    tests = {
        name: np.empty((p, len(selected)))
        for name in ("scores", "pvals", "pvals_adj", "logfoldchanges")
    }
    for q in range(p):
        if reference is None:
            rest = total - n[q]
            few = np.maximum(rest, 1)
            rest_mean = ((n * mean).sum(axis=0) - n[q] * mean[q]) / few
            rest_square = ((n * square).sum(axis=0) - n[q] * square[q]) / few
        else:
            rest, rest_mean, rest_square = n[reference], mean[reference], square[reference]
        with np.errstate(all="ignore"):  # groups of one cell, genes without spread
            t, pvals = ttest_ind_from_stats(
                mean[q], _deviation(n[q], mean[q], square[q]), n[q],
                rest_mean, _deviation(rest, rest_mean, rest_square), rest, equal_var=False,
            )  # fmt: skip
            fold = np.log2((np.expm1(mean[q]) + _TINY) / (np.expm1(rest_mean) + _TINY))
        pvals = np.where(np.isnan(t), 1.0, pvals)
        tests["scores"][q] = np.nan_to_num(t[selected], nan=0.0, posinf=_LARGEST, neginf=-_LARGEST)
        tests["pvals"][q] = pvals[selected]
        tests["pvals_adj"][q] = false_discovery_control(pvals)[selected]
        tests["logfoldchanges"][q] = np.where(np.isfinite(fold), fold, np.nan)[selected]
    return tests


def _class_means(X: Any, codes: Indices, p: int) -> tuple[Floats, Floats, Floats]:
    """Number, mean and mean square of the values in each class: class × gene."""
    values = compute_class_moments(X, codes, p)
    squares = np.empty_like(values.means)
    step = max(1, _BLOCK * X.shape[1] // max(X.nnz if issparse(X) else X.size, 1))
    for start in range(0, X.shape[1], step):  # a whole table of squares would double the memory
        genes = slice(start, start + step)
        squares[:, genes] = compute_class_moments(_square(X[:, genes]), codes, p).means
    return values.counts, values.means, squares


def _square(X: Any) -> Any:
    """Every value times itself, in double precision; ``**`` would multiply sparse matrices."""
    X = X.astype(np.float64)
    return X.multiply(X).tocsc() if issparse(X) else X * X


def _deviation(n: Floats, mean: Floats, square: Floats) -> Floats:
    """The standard deviation with n − 1 in the denominator, 0 where rounding would have it less."""
    return np.sqrt(np.maximum(square - mean**2, 0.0) * n / np.maximum(n - 1, 1))


def _write_genes(adata: "AnnData", selector: Any, key: str, places: Indices, path: Any) -> None:
    """Annotate the genes; those that only ``adata.raw`` has are left out."""
    pandas = need("pandas", extra="bio")
    there = places[selector.indices_] >= 0
    chosen = places[selector.indices_][there]
    selected = np.zeros(adata.n_vars, dtype=bool)
    selected[chosen] = True
    columns = {"selected": selected}
    numbers = {"rank": path["rank"], "score": _finite(selector.scores_)}
    numbers |= {name: path[name] for name in ("p_value",) if name in path}
    words = {"group": path["group"]}
    if isinstance(selector, PairCover):
        words["pair"] = path["first"] + " | " + path["second"]
    for name, values in numbers.items():
        columns[name] = np.full(adata.n_vars, np.nan)
        columns[name][chosen] = values[there]
    if isinstance(selector, StabilitySelector):
        columns["q_value"] = np.full(adata.n_vars, np.nan)
        columns["q_value"][places[places >= 0]] = selector.q_values_[places >= 0]
    for name, values in words.items():
        text = np.full(adata.n_vars, None, dtype=object)
        text[chosen] = values[there]
        columns[name] = pandas.Categorical(text)
    # Assigned as a whole, for a view would warn of each column.
    every = ("group", "pair", "p_value", "q_value")
    stale = [f"{key}_{name}" for name in every if f"{key}_{name}" in adata.var]
    adata.var = adata.var.drop(columns=stale).assign(
        **{f"{key}_{name}": values for name, values in columns.items()}
    )


def _path(selector: Any, groups: NDArray[Any], marks: NDArray[Any]) -> Any:
    """The steps of the search as a data frame."""
    path = selector.ranking_table()
    for name in path.select_dtypes("floating"):
        path[name] = _finite(path[name].to_numpy())
    path.insert(2, "position", selector.indices_)
    path.insert(3, "group", marks)
    if isinstance(selector, PairCover):
        served = selector.class_pairs_
        path["first"], path["second"] = groups[served["first"]], groups[served["second"]]
        path["before"], path["after"] = served["before"], served["after"]
    return path


def _per_group(
    tests: dict[str, Floats], names: NDArray[Any], groups: NDArray[Any], tested: list[int]
) -> dict[str, Any]:
    """The selected genes for each group, as ``rank_genes_groups`` writes them."""
    best = np.argsort(-tests["scores"], axis=1, kind="stable")
    columns = {"names": np.broadcast_to(names, best.shape), **tests}
    return {
        name: np.rec.fromarrays(
            [values[q][best[q]] for q in tested],
            dtype=[(groups[q], object if name == "names" else np.float64) for q in tested],
        )
        for name, values in columns.items()
    }


def _finite(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, NaN in the place of infinity."""
    return np.where(np.isfinite(values), values, np.nan)
