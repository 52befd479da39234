"""Genes of an AnnData: the same as those of a dense table, whatever form the data come in."""

import json
import sys
import tracemalloc

import anndata
import numpy as np
import pandas as pd
import pytest
from anndata import AnnData
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from s2fs import S2FS
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


def truth(adata, k, **parameters):
    """The selector on a plain dense table."""
    X = adata.X.toarray() if sparse.issparse(adata.X) else np.asarray(adata.X)
    return S2FS(k, **parameters).fit(X.astype(np.float64), adata.obs["cell_type"].astype(str))


def test_what_is_written(adata):
    selector = select(adata, n_features_to_select=7, alpha=0.1)
    expected = truth(adata, 7, alpha=0.1)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_array_equal(selector.classes_, sorted(TYPES))
    var = adata.var
    assert var["s2fs_selected"].dtype == bool
    assert set(np.flatnonzero(var["s2fs_selected"])) == set(expected.indices_)
    assert var["s2fs_rank"].iloc[expected.indices_].tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_allclose(var["s2fs_score"].iloc[expected.indices_], expected.scores_)
    assert (var[["s2fs_rank", "s2fs_score"]].notna().all(axis=1) == var["s2fs_selected"]).all()
    path = adata.uns["s2fs"]["path"]
    assert path["feature"].tolist() == adata.var_names[expected.indices_].tolist()
    assert path["position"].tolist() == expected.indices_.tolist()
    for name in expected.path_.dtype.names[1:]:
        np.testing.assert_allclose(path[name], expected.path_[name], rtol=1e-9, atol=1e-12)
    params = json.loads(adata.uns["s2fs"]["params"])
    assert params["label"] == "cell_type"
    assert params["layer"] is None
    assert {name: params[name] for name in ("n_features_to_select", "alpha", "scale")} == {
        "n_features_to_select": 7,
        "alpha": 0.1,
        "scale": "minmax",
    }
    assert set(selector.get_params()) < set(params)


def test_the_selector_knows_the_genes(adata):
    selector = select(adata, n_features_to_select=4)
    assert list(selector.feature_names_in_) == list(adata.var_names)
    chosen = adata[:, adata.var["s2fs_selected"]]
    assert selector.get_feature_names_out().tolist() == chosen.var_names.tolist()


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
    selector = select(adata, n_features_to_select=6, layer=layer)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-9)
    assert adata.var["s2fs_selected"].sum() == 6
    if "file" in place:
        adata.file.close()


@pytest.mark.parametrize("backed", [None, "r"])
def test_odd_names_survive_a_file(adata, tmp_path, backed):
    adata.write_h5ad(tmp_path / "in.h5ad")
    adata = anndata.read_h5ad(tmp_path / "in.h5ad", backed=backed)
    select(adata, n_features_to_select=1.0)
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
    np.testing.assert_array_equal(selector.indices_, S2FS(5).fit(X.toarray(), y).indices_)


def test_truth_values_as_labels():
    X, y = counts()
    adata = AnnData(X)
    adata.obs["healthy"] = y > 0
    selector = select(adata, "healthy", 5)
    assert selector.classes_.tolist() == [False, True]
    np.testing.assert_array_equal(selector.indices_, S2FS(5).fit(X.toarray(), y > 0).indices_)


@pytest.mark.parametrize(
    "missing", [None, np.nan, "nan", "NA", ""], ids=["None", "NaN", "'nan'", "'NA'", "empty"]
)
def test_cells_without_a_label(adata, missing):
    labels = adata.obs["cell_type"].astype(object)
    labels.iloc[[4, 9]] = missing
    adata.obs["cell_type"] = labels
    with pytest.raises(ValueError, match="missing for 2 of 60 cells, such as 'cell 4'") as error:
        select(adata, n_features_to_select=5)
    assert "unlabelled='ignore'" in str(error.value)
    assert "s2fs" not in adata.uns

    rest = adata[[i for i in range(60) if i not in (4, 9)]]
    selector = select(adata, n_features_to_select=5, unlabelled="ignore")
    np.testing.assert_array_equal(selector.indices_, truth(rest, 5).indices_)
    assert adata.n_obs == 60


def test_no_cell_with_a_label(adata):
    adata.obs["empty"] = None
    with pytest.raises(ValueError, match="missing for 60 of 60 cells"):
        select(adata, "empty", unlabelled="ignore")


def test_genes_of_the_same_name(adata):
    expected = truth(adata, 5)
    adata.var_names = ["twin"] * adata.n_vars
    select(adata, n_features_to_select=5)
    assert set(np.flatnonzero(adata.var["s2fs_selected"])) == set(expected.indices_)
    assert adata.uns["s2fs"]["path"]["position"].tolist() == expected.indices_.tolist()


def test_genes_to_include_and_exclude_may_be_named(adata):
    first, second, *_ = truth(adata, 5).indices_
    chosen = {"include": ["<script>", 9], "exclude": [adata.var_names[first], int(second)]}
    selector = select(adata, n_features_to_select=6, **chosen)
    named = pd.DataFrame(adata.X.toarray(), columns=adata.var_names)
    expected = S2FS(6, **chosen).fit(named, adata.obs["cell_type"].astype(str))
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    assert selector.indices_[:2].tolist() == [2, 9]
    assert {name: selector.get_params()[name] for name in chosen} == chosen
    params = json.loads(adata.uns["s2fs"]["params"])
    assert {name: params[name] for name in chosen} == chosen


@pytest.mark.parametrize("kind", ["lists", "labels"])
def test_groups_of_genes(adata, kind):
    lists = [["<script>", "gene 8"], ["a/b", "gene 20", 11]]
    label_of = {2: "one", 8: "one", 1: "two", 20: "two", 11: "two"}
    groups = lists if kind == "lists" else [label_of.get(f) for f in range(30)]
    selector = select(adata, n_features_to_select=30, groups=groups)
    order = selector.indices_.tolist()
    for group in ((2, 8), (1, 20, 11)):
        places = sorted(order.index(f) for f in group)
        assert places == list(range(places[0], places[0] + len(group)))


def test_a_gene_that_is_not_there_or_there_twice(adata):
    with pytest.raises(ValueError, match=r"'gene 88', but adata has no such column .*'gene 8'"):
        select(adata, include=["gene 88"])
    names = adata.var_names.to_numpy(copy=True)
    names[[3, 4]] = "twin"
    adata.var_names = names
    with pytest.raises(ValueError, match="'twin', but adata has 2 columns of this name"):
        select(adata, exclude=["twin"])


def test_classes_may_be_weighted_by_name(adata):
    weights = {"NK/T": 3.0}
    selector = select(adata, n_features_to_select=5, class_weight=weights)
    expected = truth(adata, 5, class_weight=weights)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_allclose(selector.scores_, expected.scores_)
    assert json.loads(adata.uns["s2fs"]["params"])["class_weight"] == weights


def test_as_many_genes_as_beat_chance(adata):
    selector = select(adata, n_features_to_select="auto")
    np.testing.assert_array_equal(selector.indices_, truth(adata, "auto").indices_)
    assert adata.var["s2fs_selected"].sum() == len(selector.indices_)


def test_a_view_becomes_an_object_of_its_own(adata):
    view = adata[10:50, 5:25]
    expected = truth(view, 5)
    selector = select(view, n_features_to_select=5)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    assert view.var["s2fs_selected"].sum() == 5
    assert "s2fs" in view.uns
    assert "s2fs_selected" not in adata.var
    assert "s2fs" not in adata.uns


def test_the_data_are_not_touched(adata):
    before = adata.copy()
    select(adata, n_features_to_select=3)
    assert (adata.X != before.X).nnz == 0
    pd.testing.assert_frame_equal(adata.obs, before.obs)
    assert list(adata.var.columns) == ["s2fs_selected", "s2fs_rank", "s2fs_score"]


def test_a_second_selection_replaces_the_first(adata):
    select(adata, n_features_to_select=9)
    select(adata, n_features_to_select=2)
    assert adata.var["s2fs_selected"].sum() == adata.var["s2fs_rank"].notna().sum() == 2
    assert len(adata.uns["s2fs"]["path"]) == 2


BAD = {
    "misspelt label": ({"label": "celltype"}, r"no such column .*did you mean 'cell_type'\?"),
    "unlike label": ({"label": "zzz"}, "no such column in adata.obs; it has 'cell_type'"),
    "misspelt layer": ({"layer": "count"}, r"no such layer \(did you mean 'counts'\?\)"),
    "unlike layer": ({"layer": "zzz"}, "no such layer; its layers are 'counts', 'names'"),
    "text layer": ({"layer": "names"}, "layers/names is no matrix of real numbers"),
    "quantity": ({"label": "depth"}, "fractions such as 0.5, so it is a quantity"),
    "one class": ({"label": "batch"}, r"label 'batch' has one class only \('b1'\)"),
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
        select(adata, **{"n_features_to_select": 3, **arguments})
    assert "s2fs" not in adata.uns


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_missing_numbers_are_told_by_gene(adata, make):
    X = adata.X.toarray()
    X[3, 2], X[5, 8] = np.nan, np.nan
    adata.X = make(X)
    with pytest.raises(ValueError, match=r"NaN in column\(s\) '<script>', 'gene 8'"):
        select(adata, n_features_to_select=3)


def test_no_columns_and_no_matrix():
    with pytest.raises(ValueError, match=r"no such column in adata\.obs, which has no columns"):
        select(AnnData(counts()[0]))
    adata = AnnData(obs=pd.DataFrame({"cell_type": ["a", "b"]}, index=["1", "2"]), shape=(2, 3))
    with pytest.raises(ValueError, match="adata has no matrix X; choose a layer"):
        select(adata)


def test_a_view_of_a_file_cannot_be_written_into(adata, tmp_path):
    adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    with pytest.raises(ValueError, match=r"view of a file.*adata\.to_memory\(\)"):
        select(backed[:30])
    backed.file.close()


def test_something_else_than_an_anndata():
    with pytest.raises(TypeError, match="adata is a DataFrame; give an AnnData"):
        select(pd.DataFrame({"a": [1, 2]}))


def test_without_anndata(monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"pip install 's2fs\[bio\]'"):
        select(None)


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
    expected = S2FS(k).fit(X.toarray(), y)
    np.testing.assert_array_equal(selector.indices_, expected.indices_)
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-9)
