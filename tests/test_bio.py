"""Genes of an AnnData: the same as those of a dense table, whatever form the data come in."""

import json
import sys
import tracemalloc
import warnings

import anndata
import matplotlib
import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
from anndata import AnnData
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import false_discovery_control, ttest_ind

from s2fs import S2FS, PairCover, StabilitySelector
from s2fs.baselines import AnovaF
from s2fs.bio import select
from strategies import examples

TYPES = ['T "helper" cell', "NK/T", "größe µ <script>alert(1)</script>"]
ODD = ['HLA-"A"', "a/b", "<script>", "größe 基因", "it's", "tab\there", "new\nline", " "]


def counts(n=60, m=30, seed=0, density=0.3):
    """Sparse counts of three kinds of cells; a few genes are more frequent in one of them."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    rate = np.full((3, m), 4 * density)
    rate[np.arange(m) % 3, np.arange(m)] *= 1 + 3 * rng.random(m)
    X = rng.poisson(rate[y]) * (rng.random((n, m)) < 0.6)
    return sparse.csr_matrix(X.astype(np.float32)), y


@pytest.fixture
def adata():
    X, y = counts()
    cells = AnnData(X, obs=pd.DataFrame(index=[f"cell {i}" for i in range(len(y))]))
    cells.obs["cell_type"] = pd.Categorical.from_codes(y, [*TYPES])
    cells.var_names = [*ODD, *(f"gene {f}" for f in range(len(ODD), X.shape[1]))]
    return cells


METHODS = {"paircover": PairCover, "s2fs": S2FS}


def truth(adata, k, method="paircover", **parameters):
    """The selector on a plain dense table."""
    X = adata.X.toarray() if sparse.issparse(adata.X) else np.asarray(adata.X)
    selector = METHODS[method](k, **parameters)
    return selector.fit(X.astype(np.float64), adata.obs["cell_type"].astype(str))


@pytest.mark.parametrize(("method", "options"), [
    ("paircover", {"correlation": 0.25}),
    ("s2fs", {"alpha": 0.1}),
])  # fmt: skip
def test_what_is_written(adata, method, options):
    selector = select(adata, "cell_type", 7, method=method, **options)
    expected = truth(adata, 7, method, **options)
    assert type(selector) is METHODS[method]
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_array_equal(selector.classes_, sorted(TYPES))
    var = adata.var
    assert var["s2fs_selected"].dtype == bool
    assert set(np.flatnonzero(var["s2fs_selected"])) == set(expected.indices_)
    assert var["s2fs_rank"].iloc[expected.indices_].tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_allclose(var["s2fs_score"].iloc[expected.indices_], expected.scores_)
    for name in ("rank", "score", "group", *(["pair"] if method == "paircover" else [])):
        assert (var[f"s2fs_{name}"].notna() == var["s2fs_selected"]).all()
    path = adata.uns["s2fs"]["path"]
    assert path["feature"].tolist() == adata.var_names[expected.indices_].tolist()
    assert path["position"].tolist() == expected.indices_.tolist()
    assert path["group"].tolist() == var["s2fs_group"].iloc[expected.indices_].tolist()
    for name in expected.path_.dtype.names[1:]:
        np.testing.assert_allclose(path[name], expected.path_[name], rtol=1e-9, atol=1e-12)
    params = adata.uns["s2fs"]["params"]
    assert {name: params[name] for name in ("groupby", "use_raw", "method", "reference")} == {
        "groupby": "cell_type",
        "use_raw": False,
        "method": method,
        "reference": "rest",
    }
    parameters = json.loads(params["selector"])
    assert set(parameters) == set(selector.get_params())
    assert parameters | options | {"n_features_to_select": 7} == parameters


def test_the_pair_each_gene_serves(adata):
    selector = select(adata, "cell_type", 6)
    path, bound = adata.uns["s2fs"]["path"], adata.uns["s2fs"]["error_bounds"]
    paircover = adata.var["s2fs_pair"].iloc[selector.indices_]
    assert paircover.tolist() == [f"{a} | {b}" for a, b in path[["first", "second"]].to_numpy()]
    assert path["first"].tolist() == selector.classes_[selector.class_pairs_["first"]].tolist()
    np.testing.assert_array_equal(path["after"], selector.class_pairs_["after"])
    groups = adata.uns["s2fs"]["groups"].tolist()
    assert groups == TYPES  # as the categories are ordered
    np.testing.assert_allclose(
        pd.DataFrame(bound, groups, groups).loc[sorted(TYPES), sorted(TYPES)],
        np.exp(-selector.class_distances_ / 8),
    )
    select(adata, "cell_type", 6, method="s2fs")  # serves no pairs
    assert "s2fs_pair" not in adata.var
    assert "error_bounds" not in adata.uns["s2fs"]


def test_how_sure_a_gene_is(adata, tmp_path):
    selector = select(adata, "cell_type", "auto", level=0.5, tol=0)
    var, path = adata.var, adata.uns["s2fs"]["path"]
    np.testing.assert_array_equal(var["s2fs_p_value"].iloc[selector.indices_], path["p_value"])
    assert (var["s2fs_p_value"].notna() == var["s2fs_selected"]).all()
    repeated = StabilitySelector(selector=PairCover(3), n_resamples=5)
    selector = select(adata, "cell_type", 4, method=repeated)
    assert len(selector.indices_) == adata.var["s2fs_selected"].sum() == 4
    np.testing.assert_array_equal(adata.var["s2fs_q_value"], selector.q_values_)
    assert not {"s2fs_p_value", "s2fs_pair"} & {*adata.var}
    assert adata.uns["s2fs"]["params"]["method"] == "StabilitySelector"
    assert not hasattr(repeated, "indices_")
    adata.write_h5ad(tmp_path / "cells.h5ad")


def test_for_each_group_the_genes_by_a_t_test(adata):
    adata.X = adata.X.toarray()
    adata.X[4, :] = np.nan  # this cell is left out
    selector = select(adata, "cell_type", 5)
    result = adata.uns["s2fs"]
    assert result["names"].dtype.names == tuple(TYPES)
    values = np.delete(adata.X, 4, axis=0)
    labels = np.delete(np.array(adata.obs["cell_type"]), 4)
    for group in TYPES:
        own, rest = values[labels == group], values[labels != group]
        exact = ttest_ind(own, rest, equal_var=False)
        adjusted = false_discovery_control(np.nan_to_num(exact.pvalue, nan=1.0))
        fold = np.log2((np.expm1(own.mean(0)) + 1e-9) / (np.expm1(rest.mean(0)) + 1e-9))
        order = selector.indices_[np.argsort(-exact.statistic[selector.indices_], kind="stable")]
        assert result["names"][group].tolist() == adata.var_names[order].tolist()
        np.testing.assert_allclose(result["scores"][group], exact.statistic[order], rtol=1e-5)
        np.testing.assert_allclose(result["pvals"][group], exact.pvalue[order], rtol=1e-4)
        np.testing.assert_allclose(result["pvals_adj"][group], adjusted[order], rtol=1e-4)
        np.testing.assert_allclose(result["logfoldchanges"][group], fold[order], rtol=1e-4)
    best = {gene: max(TYPES, key=lambda g: score_of(result, g, gene)) for gene in
            result["names"][TYPES[0]]}  # fmt: skip
    assert adata.var["s2fs_group"].dropna().to_dict() == best


def score_of(result, group, gene):
    return result["scores"][group][result["names"][group].tolist().index(gene)]


@pytest.mark.filterwarnings("ignore:Class 'c' has fewer than two samples")
@pytest.mark.filterwarnings("ignore:Class 'c' has fewer than two samples")
def test_no_infinity_is_written(tmp_path):
    X = np.repeat([[0.0, 1.0, 2.0], [3.0, 1.0, 2.5], [6.0, 1.0, 2.0]], [4, 4, 1], axis=0)
    kinds = np.repeat(list("abc"), [4, 4, 1])
    adata = AnnData(X, obs=pd.DataFrame({"kind": kinds}, index=map(str, range(9))))
    for method in METHODS:
        select(adata, "kind", "all", method=method, key_added=method)
        adata.write_h5ad(tmp_path / "cells.h5ad")
        result = adata.uns[method]
        for name in ("scores", "pvals", "pvals_adj"):
            for group in "abc":
                assert np.isfinite(result[name][group]).all()
        assert not np.isinf(adata.var[f"{method}_score"]).any()
        assert not np.isinf(result["path"].select_dtypes("number").to_numpy()).any()
        json.loads(result["params"]["selector"], parse_constant=pytest.fail)
    bounds = adata.uns["paircover"]["error_bounds"]  # the group of one cell is left out
    assert np.isnan(bounds).tolist() == [[False] * 2 + [True]] * 2 + [[True] * 3]


@pytest.mark.parametrize("more", [False, True], ids=["the same genes", "more genes"])
def test_the_raw_matrix(adata, more):
    expected = truth(adata, 6)
    whole = adata.copy()
    adata = whole[:, 3:].copy() if more else whole.copy()
    adata.raw = whole
    adata.X = adata.X[::-1].copy()
    selector = select(adata, "cell_type", 6)  # as in scanpy, because it is there
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    assert adata.uns["s2fs"]["params"]["use_raw"] is True
    selected = set(whole.var_names[expected.indices_])
    assert set(adata.uns["s2fs"]["path"]["feature"]) == selected
    assert set(adata.var_names[adata.var["s2fs_selected"]]) == selected & set(adata.var_names)
    other = select(adata, "cell_type", 6, use_raw=False, key_added="scaled")
    np.testing.assert_array_equal(other.indices_, truth(adata, 6).indices_)
    assert {"s2fs_rank", "scaled_rank"} <= set(adata.var)
    assert {"s2fs", "scaled"} <= set(adata.uns)


def test_a_raw_matrix_that_cannot_be_used(adata):
    with pytest.raises(ValueError, match="use_raw is True, but adata has no raw matrix"):
        select(adata, "cell_type", use_raw=True)
    adata.raw = adata.copy()
    adata.layers["counts"] = adata.X
    with pytest.raises(ValueError, match="use_raw is True, but layer is 'counts'"):
        select(adata, "cell_type", use_raw=True, layer="counts")
    assert select(adata, "cell_type", 2, layer="counts").n_features_in_ == 30
    smaller = adata[:, :20].copy()
    smaller.var_names = ["twin", "twin", *smaller.var_names[2:]]
    with pytest.raises(ValueError, match=r"adata\.raw has other genes than adata, and 'twin' is"):
        select(smaller, "cell_type")


@pytest.mark.parametrize("backed", [None, "r"])
def test_a_copy_leaves_the_data_as_they_are(adata, tmp_path, backed):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    adata = anndata.read_h5ad(tmp_path / "cells.h5ad", backed=backed)
    annotated = select(adata, "cell_type", 4, copy=True)
    assert isinstance(annotated, AnnData)
    assert annotated.var["s2fs_selected"].sum() == 4
    assert "s2fs" not in adata.uns
    assert list(adata.var.columns) == []
    if backed:
        adata.file.close()


def test_the_selector_knows_the_genes(adata):
    selector = select(adata, "cell_type", n_features_to_select=4)
    assert list(selector.feature_names_in_) == list(adata.var_names)
    selected = adata[:, adata.var["s2fs_selected"]]
    assert selector.get_feature_names_out().tolist() == selected.var_names.tolist()


FORMS = {
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "csr array": sparse.csr_array,
    "dense": lambda X: X.toarray(),
    "dense, by columns": lambda X: np.asfortranarray(X.toarray()),
    "float64": lambda X: X.astype(np.float64),
    "whole numbers": lambda X: X.astype(np.int32),
    "small numbers": lambda X: X.astype(np.uint8).toarray(),
    "truth values": lambda X: X.astype(bool),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", ["memory", "file", "layer", "layer of a file"])
def test_every_form_selects_the_same(adata, tmp_path, form, place):
    adata.X = FORMS[form](adata.X)
    expected = truth(adata, 6)
    layer = "counts" if "layer" in place else None
    if layer:
        adata.layers[layer] = adata.X
        adata.X = adata.X[::-1].copy()
    if "file" in place:
        adata.write_h5ad(tmp_path / "cells.h5ad")
        adata = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    selector = select(adata, "cell_type", n_features_to_select=6, layer=layer)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-9)
    assert adata.var["s2fs_selected"].sum() == 6
    if "file" in place:
        adata.file.close()


@pytest.mark.parametrize("backed", [None, "r"])
def test_odd_names_survive_a_file(adata, tmp_path, backed):
    adata.write_h5ad(tmp_path / "in.h5ad")
    adata = anndata.read_h5ad(tmp_path / "in.h5ad", backed=backed)
    select(adata, "cell_type", n_features_to_select=1.0)
    adata.write_h5ad(tmp_path / "out.h5ad")
    again = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert set(ODD) <= set(again.uns["s2fs"]["path"]["feature"])
    assert again.obs["cell_type"].cat.categories.tolist() == TYPES
    pd.testing.assert_frame_equal(again.var, adata.var)
    pd.testing.assert_frame_equal(again.uns["s2fs"]["path"], adata.uns["s2fs"]["path"])
    assert again.uns["s2fs"]["params"] == adata.uns["s2fs"]["params"]
    if backed:
        adata.file.close()


LABELS = {
    "text": lambda y: np.array(TYPES)[y],
    "unused categories": lambda y: pd.Categorical.from_codes(y + 1, ["none", *TYPES, "more"]),
    "categories in another order": lambda y: pd.Categorical(np.array(TYPES)[y], TYPES[::-1]),
    "whole numbers": lambda y: y * 10 - 3,
    "categories of numbers": lambda y: pd.Categorical(y),
    "floats": lambda y: y.astype(float),
    "nullable numbers": lambda y: pd.array(y, dtype="Int64"),
    "nullable text": lambda y: pd.array(np.array(TYPES)[y], dtype="string"),
    "text that looks like fractions": lambda y: np.array(["1.1", "1.2", "2.1"])[y],
    "mixed": lambda y: np.array(["a", 1, 2.5], dtype=object)[y],
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_every_kind(kind):
    X, y = counts()
    adata = AnnData(X)
    adata.obs["group"] = LABELS[kind](y)
    selector = select(adata, "group", 5)
    assert len(selector.classes_) == 3
    np.testing.assert_array_equal(selector.indices_, PairCover(5).fit(X.toarray(), y).indices_)


def test_truth_values_as_labels():
    X, y = counts()
    adata = AnnData(X)
    adata.obs["healthy"] = y > 0
    selector = select(adata, "healthy", 5)
    assert selector.classes_.tolist() == [False, True]
    np.testing.assert_array_equal(selector.indices_, PairCover(5).fit(X.toarray(), y > 0).indices_)


@pytest.mark.parametrize(
    "missing", [None, np.nan, "nan", "NA", ""], ids=["None", "NaN", "'nan'", "'NA'", "empty"]
)
def test_cells_without_a_label(adata, missing):
    labels = adata.obs["cell_type"].astype(object)
    labels.iloc[[4, 9]] = missing
    adata.obs["cell_type"] = labels
    with pytest.raises(ValueError, match="missing for 2 of 60 cells, such as 'cell 4'") as error:
        select(adata, "cell_type", n_features_to_select=5)
    assert "unlabelled='ignore'" in str(error.value)
    assert "s2fs" not in adata.uns

    rest = adata[[i for i in range(60) if i not in (4, 9)]]
    selector = select(adata, "cell_type", n_features_to_select=5, unlabelled="ignore")
    np.testing.assert_array_equal(selector.indices_, truth(rest, 5).indices_)
    assert adata.n_obs == 60


def test_no_cell_with_a_label(adata):
    adata.obs["empty"] = None
    with pytest.raises(ValueError, match="missing for 60 of 60 cells"):
        select(adata, "empty", unlabelled="ignore")


def test_genes_of_the_same_name(adata):
    expected = truth(adata, 5)
    adata.var_names = ["twin"] * adata.n_vars
    select(adata, "cell_type", n_features_to_select=5)
    assert set(np.flatnonzero(adata.var["s2fs_selected"])) == set(expected.indices_)
    assert adata.uns["s2fs"]["path"]["position"].tolist() == expected.indices_.tolist()


def test_genes_to_include_and_exclude_may_be_named(adata):
    first, second, *_ = truth(adata, 5).indices_
    limits = {"include": ["<script>", 9], "exclude": [adata.var_names[first], int(second)]}
    selector = select(adata, "cell_type", n_features_to_select=6, **limits)
    named = pd.DataFrame(adata.X.toarray(), columns=adata.var_names)
    expected = PairCover(6, **limits).fit(named, adata.obs["cell_type"].astype(str))
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    assert selector.indices_[:2].tolist() == [2, 9]
    assert {name: selector.get_params()[name] for name in limits} == limits
    params = json.loads(adata.uns["s2fs"]["params"]["selector"])
    assert {name: params[name] for name in limits} == limits


@pytest.mark.parametrize("kind", ["lists", "labels"])
def test_groups_of_genes(adata, kind):
    lists = [["<script>", "gene 8"], ["a/b", "gene 20", 11]]
    label_of = {2: "one", 8: "one", 1: "two", 20: "two", 11: "two"}
    groups = lists if kind == "lists" else [label_of.get(f) for f in range(30)]
    selector = select(adata, "cell_type", n_features_to_select=27, feature_groups=groups)
    order = selector.indices_.tolist()
    for group in ((2, 8), (1, 20, 11)):
        places = sorted(order.index(f) for f in group)
        assert places == list(range(places[0], places[0] + len(group)))


def test_a_gene_that_is_not_there_or_there_twice(adata):
    with pytest.raises(ValueError, match=r"'gene 88', but X has no such column .*'gene 8'"):
        select(adata, "cell_type", include=["gene 88"])
    names = adata.var_names.to_numpy(copy=True)
    names[[3, 4]] = "twin"
    adata.var_names = names
    with pytest.raises(ValueError, match="'twin', but X has 2 columns of this name"):
        select(adata, "cell_type", exclude=["twin"])


def test_classes_may_be_weighted_by_name(adata):
    weights = {"NK/T": 3.0}
    selector = select(adata, "cell_type", n_features_to_select=5, class_weight=weights)
    expected = truth(adata, 5, class_weight=weights)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_allclose(selector.scores_, expected.scores_)
    assert json.loads(adata.uns["s2fs"]["params"]["selector"])["class_weight"] == weights


def test_as_many_genes_as_beat_chance(adata):
    selector = select(adata, "cell_type", n_features_to_select="auto")
    np.testing.assert_array_equal(selector.indices_, truth(adata, "auto").indices_)
    assert adata.var["s2fs_selected"].sum() == len(selector.indices_)


def test_a_view_becomes_an_object_of_its_own(adata):
    view = adata[10:50, 5:25]
    expected = truth(view, 5)
    selector = select(view, "cell_type", n_features_to_select=5)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    assert view.var["s2fs_selected"].sum() == 5
    assert "s2fs" in view.uns
    assert "s2fs_selected" not in adata.var
    assert "s2fs" not in adata.uns


def test_the_data_are_not_touched(adata):
    before = adata.copy()
    select(adata, "cell_type", n_features_to_select=3)
    assert (adata.X != before.X).nnz == 0
    pd.testing.assert_frame_equal(adata.obs, before.obs)
    written = ["selected", "rank", "score", "group", "pair"]
    assert list(adata.var.columns) == [f"s2fs_{name}" for name in written]


def test_a_second_selection_replaces_the_first(adata):
    select(adata, "cell_type", n_features_to_select=9)
    select(adata, "cell_type", n_features_to_select=2)
    assert adata.var["s2fs_selected"].sum() == adata.var["s2fs_rank"].notna().sum() == 2
    assert len(adata.uns["s2fs"]["path"]) == 2


@pytest.fixture(scope="module")
def scanpy():
    """Scanpy, which warns of its own doings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matplotlib.use("agg")
        yield pytest.importorskip("scanpy", reason="comparing with scanpy needs scanpy")


@pytest.fixture(scope="module")
def blood(scanpy):
    """700 cells of ten kinds and 765 genes, from the wheel of scanpy, with a panel of 20 genes."""
    cells = scanpy.datasets.pbmc68k_reduced()
    select(cells, "bulk_labels", 20)
    return cells


@pytest.mark.filterwarnings("ignore")
def test_scanpy_reads_the_result_as_its_own(scanpy, blood):
    ours = scanpy.get.rank_genes_groups_df(blood, None, key="s2fs").set_index(["group", "names"])
    assert ours.shape == (200, 4)
    scanpy.tl.rank_genes_groups(blood, "bulk_labels", method="t-test", key_added="t")
    theirs = scanpy.get.rank_genes_groups_df(blood, None, key="t").set_index(["group", "names"])
    for name in ours:
        wanted = theirs.loc[ours.index, name]
        np.testing.assert_allclose(ours[name], wanted, rtol=1e-4, atol=1e-12, err_msg=name)
    assert blood.uns["s2fs"]["names"].dtype == blood.uns["t"]["names"].dtype  # order of groups
    assert blood.uns["s2fs"]["params"]["use_raw"] is blood.uns["t"]["params"]["use_raw"] is True


@pytest.mark.filterwarnings("ignore")
def test_scanpy_draws_the_result(scanpy, blood, tmp_path):
    blood.write_h5ad(tmp_path / "cells.h5ad")
    cells = scanpy.read_h5ad(tmp_path / "cells.h5ad")
    path = cells.uns["s2fs"]["path"]
    markers = path.groupby("group", observed=True)["feature"].agg(list).to_dict()
    for draw in (scanpy.pl.dotplot, scanpy.pl.matrixplot):
        shown = draw(cells, markers, "bulk_labels", return_fig=True)
        assert sorted(shown.var_names) == sorted(path["feature"])
        shown.make_figure()
    of_groups = {"key": "s2fs", "n_genes": 2, "dendrogram": False, "return_fig": True}
    for draw in (scanpy.pl.rank_genes_groups_dotplot, scanpy.pl.rank_genes_groups_matrixplot):
        shown = draw(cells, **of_groups)
        wanted = [
            gene for group in shown.categories for gene in cells.uns["s2fs"]["names"][group][:2]
        ]
        assert list(shown.var_names) == wanted
        shown.make_figure()
    matplotlib.pyplot.close("all")


BAD = {
    "misspelt label": ({"groupby": "celltype"}, r"no such column .*did you mean 'cell_type'\?"),
    "unlike label": ({"groupby": "zzz"}, "no such column in adata.obs; it has 'cell_type'"),
    "misspelt layer": ({"layer": "count"}, r"no such layer \(did you mean 'counts'\?\)"),
    "unlike layer": ({"layer": "zzz"}, "no such layer; its layers are 'counts', 'names'"),
    "text layer": ({"layer": "names"}, "layers/names is not a matrix of real numbers"),
    "quantity": ({"groupby": "depth"}, "fractions such as 0.5, so it is a quantity"),
    "one class": ({"groupby": "batch"}, r"groupby 'batch' has one class only \('b1'\)"),
    "method": ({"method": "t-test"}, "method is 't-test'; use 'paircover', 's2fs' or a sel"),
    "unlabelled": ({"unlabelled": "drop"}, "unlabelled is 'drop'; use 'error' or 'ignore'"),
}


@pytest.mark.parametrize("case", BAD)
def test_error_messages(adata, case):
    adata.layers["counts"] = adata.X
    adata.layers["names"] = np.full(adata.shape, "text")
    adata.obs["depth"] = np.arange(60) / 2
    adata.obs["batch"] = "b1"
    arguments, sentence = BAD[case]
    with pytest.raises(ValueError, match=sentence):
        select(adata, **{"groupby": "cell_type", "n_features_to_select": 3, **arguments})
    assert "s2fs" not in adata.uns


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_missing_numbers_are_told_by_gene(adata, make):
    X = adata.X.toarray()
    X[3, 2], X[5, 8] = np.nan, np.nan
    adata.X = make(X)
    with pytest.raises(ValueError, match=r"NaN in columns '<script>', 'gene 8'"):
        select(adata, "cell_type", 3, method="s2fs")
    selector = select(adata, "cell_type", 3)  # which leaves them out
    np.testing.assert_array_equal(selector.indices_, truth(adata, 3).indices_)
    X[3, 2] = np.inf
    adata.X = make(X)
    with pytest.raises(ValueError, match=r"infinity in column '<script>'"):
        select(adata, "cell_type", 3)


def test_no_columns_and_no_matrix():
    with pytest.raises(ValueError, match=r"no such column in adata\.obs, which has no columns"):
        select(AnnData(counts()[0]), "cell_type")
    adata = AnnData(obs=pd.DataFrame({"cell_type": ["a", "b"]}, index=["1", "2"]), shape=(2, 3))
    with pytest.raises(ValueError, match="adata has no matrix X; choose a layer"):
        select(adata, "cell_type")


def test_a_view_of_a_file_cannot_be_written_into(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    with pytest.raises(ValueError, match=r"view of a file.*adata\.to_memory\(\)"):
        select(backed[:30], "cell_type")
    backed.file.close()


def test_something_else_than_an_anndata():
    with pytest.raises(TypeError, match="adata is a DataFrame; give an AnnData"):
        select(pd.DataFrame({"a": [1, 2]}), "a")


def test_without_anndata(monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"pip install 's2fs\[bio\]'"):
        select(None, "a")


@pytest.mark.filterwarnings("ignore:Few samples decide")
@pytest.mark.parametrize("place", ["memory", "file"])
def test_nothing_is_made_dense(tmp_path, place):
    """The largest allocation stays below a third of the dense float32 table."""
    rng = np.random.default_rng(0)
    n, m = 6000, 3000
    X = sparse.random_array((n, m), density=0.01, format="csr", dtype=np.float32, random_state=rng)
    adata = AnnData(X, obs=pd.DataFrame({"kind": np.arange(n) % 2}, index=map(str, range(n))))
    if place == "file":
        adata.write_h5ad(tmp_path / "cells.h5ad")
        adata = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    select(adata, "kind", 2)  # loads the compiled loops
    tracemalloc.start()
    select(adata, "kind", 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * n * m / 3
    if place == "file":
        adata.file.close()


@examples(40)
@given(st.integers(0, 10_000), st.integers(1, 8), st.floats(0.02, 0.9))
def test_sparse_counts_select_as_dense_ones(seed, k, density):
    X, y = counts(n=31, m=12, seed=seed, density=density)
    adata = AnnData(X)
    adata.obs["kind"] = y
    selector = select(adata, "kind", k)
    expected = PairCover(k).fit(X.toarray(), y)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-9)


def test_a_warning_about_rare_genes_names_them():
    X = np.random.default_rng(0).normal(size=(100, 2))
    X[:, 1] = 0
    X[7, 1] = 1
    cells = AnnData(
        X, obs=pd.DataFrame({"kind": np.repeat(["a", "b"], 50)}, index=map(str, range(100)))
    )
    cells.var_names = ["common", "seen in one cell"]
    with pytest.warns(UserWarning, match="'seen in one cell'.*exclude these features"):
        select(cells, "kind", 2)


def test_raw_counts_are_told():
    X, y = counts()
    adata = AnnData(50 * X)
    adata.obs["cell_type"] = np.array(TYPES)[y]
    with pytest.warns(UserWarning, match=r"whole numbers up to \d+, which are raw counts; normal"):
        select(adata, "cell_type", 3)
    adata.X = np.log1p(adata.X)
    select(adata, "cell_type", 3)  # nothing to say


def cells_of(adata, *groups):
    return adata[adata.obs["cell_type"].isin(groups)]


def test_some_groups_against_the_rest(adata):
    """The other cells are one group, as if they had been relabelled."""
    selector = select(adata, "cell_type", n_genes=4, groups=[TYPES[1]])
    merged = np.where(adata.obs["cell_type"] == TYPES[1], TYPES[1], "rest")
    expected = PairCover(4).fit(adata.X.toarray(), merged)
    assert selector.indices_.tolist() == expected.indices_.tolist()
    result = adata.uns["s2fs"]
    assert result["groups"].tolist() == [TYPES[1], "rest"]
    assert result["names"].dtype.names == (TYPES[1],)  # the rest has no markers
    assert set(adata.var["s2fs_group"].dropna()) == {TYPES[1]}


def test_groups_compared_with_a_reference(adata):
    """Only cells of these groups count, and t tests are against the reference."""
    reference, group = TYPES[2], TYPES[0]
    some = cells_of(adata, group, reference)
    expected = PairCover(4).fit(some.X.toarray(), some.obs["cell_type"].astype(str))
    selector = select(adata, "cell_type", 4, groups=[group], reference=reference)
    assert selector.indices_.tolist() == expected.indices_.tolist()
    result = adata.uns["s2fs"]
    assert result["names"].dtype.names == (group,)
    assert result["params"]["reference"] == reference
    own, others = (cells_of(adata, name).X.toarray() for name in (group, reference))
    exact = ttest_ind(own, others, equal_var=False).statistic[selector.indices_]
    np.testing.assert_allclose(result["scores"][group], np.sort(exact)[::-1], rtol=1e-5)
    everything = select(adata, "cell_type", 4, reference=reference)
    assert everything.indices_.tolist() == truth(adata, 4).indices_.tolist()
    assert adata.uns["s2fs"]["names"].dtype.names == tuple(t for t in TYPES if t != reference)


def test_scanpy_compares_with_the_reference_alike(scanpy, blood):
    groups, reference = ["CD19+ B", "Dendritic"], "CD34+"
    select(blood, "bulk_labels", 10, groups=groups, reference=reference)
    scanpy.tl.rank_genes_groups(
        blood, "bulk_labels", groups=groups, reference=reference, method="t-test", key_added="own"
    )
    for group in groups:
        ours = scanpy.get.rank_genes_groups_df(blood, group, key="s2fs").set_index("names")
        theirs = scanpy.get.rank_genes_groups_df(blood, group, key="own").set_index("names")
        np.testing.assert_allclose(ours["scores"], theirs.loc[ours.index, "scores"], rtol=1e-3)


def test_a_batch_is_adjusted_for(adata):
    rng = np.random.default_rng(0)
    adata.obs["donor"] = pd.Categorical(np.array(["d1", "d2"])[rng.integers(0, 2, adata.n_obs)])
    X = adata.X.toarray() + 3 * (adata.obs["donor"] == "d2").to_numpy()[:, None]
    adata.X = X
    selector = select(adata, "cell_type", 4, batch_key="donor")
    labels = adata.obs["cell_type"].astype(str)
    expected = PairCover(4).fit(X, labels, covariates=adata.obs["donor"].astype(str).to_numpy())
    assert selector.indices_.tolist() == expected.indices_.tolist()
    assert adata.uns["s2fs"]["params"]["batch_key"] == "donor"


@pytest.mark.parametrize("parameters", [{}, {"correlation": 0}, {"min_per_class": 1}])
def test_a_batch_of_sparse_counts_is_adjusted_for_alike(adata, parameters):
    """Without a dense table, what is left of a feature has the same moments."""
    donor = np.random.default_rng(0).integers(0, 3, adata.n_obs)
    adata.obs["donor"] = pd.Categorical(np.array(["d1", "d2", "d3"])[donor])
    X = adata.X.toarray()
    X[(X > 0) & (donor == 1)[:, None]] += 3.0
    dense = adata.copy()
    dense.X, adata.X = X, sparse.csr_matrix(X)
    one, other = (
        select(cells, "cell_type", 6, batch_key="donor", **parameters) for cells in (dense, adata)
    )
    assert other.indices_.tolist() == one.indices_.tolist()
    np.testing.assert_allclose(other.scores_, one.scores_, rtol=1e-9)
    assert other.indices_.tolist() != select(adata, "cell_type", 6, **parameters).indices_.tolist()
    with pytest.raises(ValueError, match=r"covariates need dense rows.*or let PairCover"):
        select(adata, "cell_type", 6, batch_key="donor", method="s2fs")


@pytest.mark.parametrize(("options", "message"), [
    ({"groups": "B cell"}, "give 'all', or a list"),
    ({"groups": ["nobody"]}, "groups has 'nobody', but there is no such group"),
    ({"reference": "nobody"}, "reference has 'nobody', but there is no such group"),
    ({"groups": [TYPES[0]], "reference": TYPES[0]}, "at least two groups are needed"),
    ({"batch_key": "plate"}, "batch_key is 'plate', but there is no such column"),
    ({"batch_key": "cell_type", "method": AnovaF(3)}, "does not adjust for covariates"),
])  # fmt: skip
def test_groups_and_batches_that_are_not_there(adata, options, message):
    with pytest.raises(ValueError, match=message):
        select(adata, "cell_type", 3, **options)


def test_each_group_gets_its_markers(adata):
    selector = select(adata, "cell_type", 6, min_per_class=2)
    assert np.bincount(selector.served_classes_, minlength=3).tolist() == [2, 2, 2]
    served = np.array(sorted(TYPES))[selector.served_classes_]
    assert adata.uns["s2fs"]["path"]["group"].tolist() == served.tolist()
    ranked = adata.var.dropna(subset="s2fs_rank").sort_values("s2fs_rank")
    assert ranked["s2fs_group"].tolist() == served.tolist()
    plain = truth(adata, 6, min_per_class=2)
    assert selector.indices_.tolist() == plain.indices_.tolist()


def test_groups_in_the_order_of_their_categories(adata):
    """Names of pairs and error bounds are those of the groups, in whatever order these stand."""
    order = sorted(TYPES, reverse=True)
    adata.obs["cell_type"] = pd.Categorical(adata.obs["cell_type"], categories=order)
    groups = order[:2]
    selector = select(adata, "cell_type", 3, groups=groups)
    result = adata.uns["s2fs"]
    assert result["groups"].tolist() == [*groups, "rest"]
    merged = np.where(adata.obs["cell_type"].isin(groups), adata.obs["cell_type"], "rest")
    expected = PairCover(3).fit(adata.X.toarray(), merged)
    assert selector.indices_.tolist() == expected.indices_.tolist()
    first, second = (expected.classes_[expected.class_pairs_[end]] for end in ("first", "second"))
    assert result["path"]["first"].tolist() == first.tolist()
    assert result["path"]["second"].tolist() == second.tolist()
    places = [expected.classes_.tolist().index(name) for name in result["groups"]]
    bounds = np.exp(-expected.class_distances_ / 8)[np.ix_(places, places)]
    np.testing.assert_allclose(result["error_bounds"], bounds, rtol=1e-6)
