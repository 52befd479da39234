"""Cells in .h5ad files, read by Python and by the command line, as sparse as they are."""

import json
import shlex
import sys

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
from anndata import AnnData
from click.testing import CliRunner
from scipy import sparse

from flags import as_flags
from s2fs import S2FS
from s2fs.bio import select
from s2fs.cli import main
from s2fs.io import ReadWarning, read_table

GENES = ['HLA-"A"', "a/b", "<script>", "größe 基因", "it's", "MYC"]
KINDS = ['T "helper", cell', "NK/T", "größe µ <script>alert(1)</script>"]


def cells(form=sparse.csr_matrix, dtype=np.float32):
    rng = np.random.default_rng(3)
    y = np.arange(40) % 3
    X = rng.poisson(0.5 + np.eye(3, 6)[y] * 2).astype(dtype)
    obs = pd.DataFrame(
        {"donor": "d1", "cell_type": pd.Categorical.from_codes(y, KINDS)},
        index=[f"cell {i}" for i in range(40)],
    )
    return AnnData(form(X), obs=obs, var=pd.DataFrame(index=GENES))


def saved(adata, path):
    adata.write_h5ad(path)
    return path


def run(*args):
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert "Traceback" not in result.output
    return result


def test_names_and_categories_may_be_text_with_gaps(tmp_path):
    """As AnnData 0.13 writes text: a group of values and a mask."""
    path = saved(cells(), tmp_path / "t.h5ad")
    whole = read_table(path, "cell_type")
    with h5py.File(path, "a") as file:
        for place in ("obs/_index", "var/_index", "obs/cell_type/categories"):
            old = file[place]
            values = (old if isinstance(old, h5py.Dataset) else old["values"]).asstr()[()]
            del file[place]
            group = file.create_group(place)
            group.attrs["encoding-type"] = "nullable-string-array"
            group["values"] = values.astype(object)
            group["mask"] = np.zeros(len(values), bool)
    again = read_table(path, "cell_type")
    assert again.feature_names == whole.feature_names
    assert again.class_names == whole.class_names
    np.testing.assert_array_equal(again.y, whole.y)
    np.testing.assert_array_equal(again.X.toarray(), whole.X.toarray())


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, np.asarray])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint16])
def test_the_matrix_comes_as_it_is_stored(tmp_path, form, dtype):
    adata = cells(form, dtype)
    data = read_table(saved(adata, tmp_path / "t.h5ad"), "cell_type")
    assert data.X.dtype == (dtype if np.dtype(dtype).kind == "f" else np.float64)
    if form is np.asarray:
        np.testing.assert_array_equal(data.X, adata.X)
    else:
        assert data.X.format == "csc"
        np.testing.assert_array_equal(data.X.toarray(), adata.X.toarray())
    assert data.feature_names == GENES
    assert data.class_names == sorted(KINDS)
    assert [data.class_names[q] for q in data.y] == adata.obs["cell_type"].tolist()


def test_a_layer_and_dropped_genes(tmp_path):
    adata = cells()
    adata.layers["twice"] = adata.X * 2
    path = saved(adata, tmp_path / "t.h5ad")
    data = read_table(path, "cell_type", layer="twice", drop=["a/b", -1])
    assert data.feature_names == [GENES[f] for f in (0, 2, 3, 4)]
    np.testing.assert_array_equal(data.X.toarray(), 2 * adata.X.toarray()[:, [0, 2, 3, 4]])


def test_genes_of_the_same_name_are_told_apart(tmp_path):
    adata = cells()
    adata.var_names = ["MYC", "TP53", "MYC", "MYC", "ALK", "TP53"]
    with pytest.warns(UserWarning, match="names are not unique"):
        adata = adata.copy()
    path = saved(adata, tmp_path / "t.h5ad")
    data = read_table(path, "cell_type")
    assert data.feature_names == ["MYC", "TP53", "MYC-1", "MYC-2", "ALK", "TP53-1"]
    adata.var_names_make_unique()
    assert data.feature_names == adata.var_names.tolist()


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (np.arange(40) % 2 == 0, ["False", "True"]),
        (np.arange(40) % 3 * 5, ["0", "5", "10"]),
        (np.arange(40) % 2 * 1.0, ["0", "1"]),
        (pd.Categorical(["1.1", "1.2"] * 20, ["1.0", "1.1", "1.2"]), ["1.1", "1.2"]),
    ],
    ids=["truth values", "whole numbers", "floats", "text and an unused category"],
)
def test_labels_of_several_kinds(tmp_path, labels, names):
    adata = cells()
    adata.obs["label"] = labels
    data = read_table(saved(adata, tmp_path / "t.h5ad"), "label")
    assert data.class_names == names
    assert [names[q] for q in data.y] == [
        str(int(v)) if isinstance(v, float) else str(v) for v in adata.obs["label"]
    ]


def test_cells_without_a_label_are_left_out(tmp_path):
    adata = cells()
    adata.obs.loc[["cell 0", "cell 4"], "cell_type"] = None
    path = saved(adata, tmp_path / "t.h5ad")
    with pytest.warns(ReadWarning, match=r"no label in 2 of 40 row"):
        data = read_table(path, "cell_type")
    kept = adata[adata.obs["cell_type"].notna()]
    assert data.sample_ids == kept.obs_names.tolist()
    assert len(data.sample_ids) == 38
    np.testing.assert_array_equal(data.X.toarray(), kept.X.toarray())
    assert [data.class_names[code] for code in data.y] == kept.obs["cell_type"].tolist()


def read_rows(path):
    return pd.DataFrame(json.loads(path.read_text())["rows"])


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_the_command_line_writes_what_python_selects(tmp_path, suffix):
    adata = cells()
    path, output = saved(adata, tmp_path / "t.h5ad"), tmp_path / f"ranking.{suffix}"
    options = [
        "--target",
        "cell_type",
        "-k",
        5,
        "--no-verdict",
        "--method",
        "s2fs",
        "--output",
        output,
    ]
    result = run("select", path, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    readers = {"csv": pd.read_csv, "json": read_rows, "parquet": pd.read_parquet}
    table = readers[suffix](output).drop(columns=["stands_out", "AUC_on_these_samples"])
    select(adata, "cell_type", 5, method="s2fs")
    expected = (
        adata.uns["s2fs"]["path"]
        .drop(columns=["position", "group"])
        .rename(columns={"sep": "score"})
    )
    pd.testing.assert_frame_equal(table, expected, rtol=1e-9)
    # Long names are cut in the middle to fit the terminal.
    whole = [name for name in expected["feature"] if len(name) < 10]
    places = [result.stdout.index(f" {name} ") for name in whole]
    assert places == sorted(places)


def test_a_layer_on_the_command_line(tmp_path):
    adata = cells()
    adata.layers["turned"] = adata.X[:, ::-1].copy()
    path = saved(adata, tmp_path / "t.h5ad")
    options = ["-t", "cell_type", "-k", 3, "--layer", "turned", "-o", tmp_path / "r.json"]
    options += ["--method", "s2fs"]
    assert run("select", path, *options).exit_code == 0
    expected = S2FS(3).fit(adata.X.toarray()[:, ::-1], adata.obs["cell_type"].astype(str))
    rows = json.loads((tmp_path / "r.json").read_text())["rows"]
    assert [row["feature"] for row in rows] == [GENES[f] for f in expected.indices_]
    one = run("score", path, "-t", "cell_type", "--layer", "turned", "-f", "MYC,a/b")
    two = run("score", path, "-t", "cell_type", "-f", "0,4")
    assert one.exit_code == two.exit_code == 0
    assert one.stdout == two.stdout


def test_a_report_of_sparse_cells(tmp_path):
    path = saved(cells(), tmp_path / "t.h5ad")
    command = ["select", path, "-t", "cell_type", "-k", 3, "--report", tmp_path / "r.html"]
    result = run(*command)
    assert (result.exit_code, result.stderr) == (0, "")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "größe µ &lt;script&gt;" in page
    assert "<script>alert" not in page


def with_missing(adata, labels):
    adata.obs["cell_type"] = labels
    return adata


def with_nan(adata, value):
    adata.X[3, 4], adata.X[5, 1] = value, value
    return adata


def in_text(adata):
    adata.layers["names"] = np.full(adata.shape, "text")
    return adata


def emptied(adata):
    del adata.X
    return adata


def nonsense(path):
    path.write_text("nonsense")


def cut_short(path):
    path.write_bytes(saved(cells(), path).read_bytes()[:3000])


def strange_hdf5(path):
    with h5py.File(path, "w") as file:
        file["data"] = np.arange(3)


def damaged(path):
    whole = path.with_name("whole.h5ad")
    cells().write_h5ad(whole)
    with h5py.File(whole, "r+") as file:
        del file["X/indptr"]
    whole.rename(path)


def half_old(path):
    cells().write_h5ad(path)
    with h5py.File(path, "r+") as file:
        del file["obs"]
        file["obs"] = np.zeros(40, dtype=[("index", "S4"), ("kind", "i4")])


# What writes the file, the arguments of read_table, what the sentence must say.
CASES = {
    "no hdf5": (nonsense, {}, r"damaged, or not a \.h5ad file"),
    "cut short": (cut_short, {}, r"damaged, or not a \.h5ad file"),
    "other hdf5": (strange_hdf5, {}, "HDF5 file but not an .h5ad file: it lacks obs and var"),
    "lacks a part": (damaged, {}, r"damaged, or not a \.h5ad file .*indptr"),
    "half old": (half_old, {}, "damaged: obs and var are of different versions"),
    "no target": (cells, {"target": None}, "column of obs in .* it has 'donor', 'cell_type'"),
    "misspelt target": (cells, {"target": "celltype"}, r"did you mean 'cell_type'\?"),
    "target beyond": (cells, {"target": "7"}, "columns of obs in .* are numbered from 0 to 1"),
    "one class": (cells, {"target": "donor"}, r"'donor' of .* has one class only \('d1'\)"),
    "missing labels": (
        lambda: with_missing(cells(), pd.Categorical(["a", "b", None, None, None] * 8)),
        {},
        r"has 24 missing labels, .* row 3 \('cell 2'\); label .*`drop_unlabelled`",
    ),
    "text for missing": (
        lambda: with_missing(cells(), ["a", "nan", "b", "NA", "nan"] * 8),
        {},
        r"has 24 missing labels, the first in data row 2 \('cell 1'\)",
    ),
    "fractions": (
        lambda: with_missing(cells(), np.arange(40) / 4),
        {},
        "fractions such as 0.25, so it is a quantity",
    ),
    "misspelt layer": (lambda: in_text(cells()), {"layer": "name"}, "did you mean 'names'"),
    "text layer": (
        lambda: in_text(cells()),
        {"layer": "names"},
        "layers/names of .* not a matrix of real",
    ),
    "no layers": (cells, {"layer": "counts"}, "no such layer; it has no layers"),
    "no matrix": (lambda: emptied(in_text(cells())), {}, "no matrix X; .* layers are 'names'"),
    "missing numbers": (
        lambda: with_nan(cells(sparse.csc_matrix), np.nan),
        {},
        r"missing values in columns 'a/b', \"it's\"",
    ),
    "infinite numbers": (
        lambda: with_nan(cells(np.asarray), np.inf),
        {},
        r"infinite values in columns 'a/b', \"it's\"",
    ),
    "misspelt drop": (cells, {"drop": ["MYCC"]}, r"drop has 'MYCC'.*did you mean 'MYC'\?"),
    "transposed": (cells, {"transpose": True}, r"`transpose` is not for \.h5ad files"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_that_says_what_is_wrong(tmp_path, case):
    make, arguments, sentence = CASES[case]
    path = tmp_path / "t.h5ad"
    if make in (strange_hdf5, damaged, half_old, nonsense, cut_short):
        make(path)
    else:
        saved(make(), path)
    arguments = {"target": "cell_type", **arguments}
    with pytest.raises(ValueError, match=sentence) as caught:
        read_table(path, **arguments)
    message = str(caught.value)
    assert "\n" not in message

    options = [] if arguments["target"] is None else ["--target", arguments["target"]]
    for column in arguments.get("drop", ()):
        options += ["--drop", column]
    if "layer" in arguments:
        options += ["--layer", arguments["layer"]]
    if arguments.get("transpose"):
        options.append("--transpose")
    result = run("select", "-k", "1", path, "--method", "s2fs", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    sentence, *rest = result.stderr.splitlines()
    assert sentence == f"Error: {as_flags(caught.value)}"
    for line in rest:
        again = run(*shlex.split(line.removeprefix("Try: s2fs ")))
        assert again.exit_code == 0, again.output


def test_layers_are_for_h5ad_only(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,u\n2,v\n")
    with pytest.raises(ValueError, match=r"`layer` is 'counts', but only \.h5ad files have layers"):
        read_table(path, "y", layer="counts")


def test_without_h5py(tmp_path, monkeypatch):
    path = saved(cells(), tmp_path / "t.h5ad")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"needs h5py: pip install 's2fs\[bio\]'"):
        read_table(path, "cell_type")


def test_only_what_is_needed_is_read(tmp_path):
    """A layer that is not asked for may be damaged, or larger than memory."""
    adata = cells()
    adata.layers["other"] = adata.X
    path = saved(adata, tmp_path / "t.h5ad")
    with h5py.File(path, "r+") as file:
        del file["layers/other/indptr"]
    with pytest.raises(Exception, match="indptr"):
        anndata.read_h5ad(path)
    assert read_table(path, "cell_type").X.shape == (40, 6)


def test_the_format_of_anndata_before_groups(tmp_path):
    """Records in the place of groups, and the categories of codes in uns."""
    adata = cells()
    kinds = adata.obs["cell_type"].astype("category")
    adata.write_h5ad(tmp_path / "new.h5ad")
    with h5py.File(tmp_path / "old.h5ad", "w") as file:
        file["X"] = adata.X.toarray() if hasattr(adata.X, "toarray") else adata.X
        fields = [("index", "S32"), ("cell_type", "i1"), ("depth", "f4"), ("site", "S2")]
        rows = zip(adata.obs_names, kinds.cat.codes, range(40), ["a", "b"] * 20, strict=True)
        file["obs"] = np.array([(n.encode(), c, d, s.encode()) for n, c, d, s in rows], fields)
        file["var"] = np.array([(name.encode(),) for name in adata.var_names], [("index", "S32")])
        file["uns/cell_type_categories"] = np.array([c.encode() for c in kinds.cat.categories])
    new = read_table(tmp_path / "new.h5ad", "cell_type")
    old = read_table(tmp_path / "old.h5ad", "cell_type", group="site", covariates="depth")
    np.testing.assert_array_equal(as_dense(old.X), as_dense(new.X))
    assert old.y.tolist() == new.y.tolist()
    assert (old.class_names, old.sample_ids) == (new.class_names, new.sample_ids)
    assert old.feature_names == new.feature_names
    assert old.groups.tolist() == ["a", "b"] * 20
    assert old.covariates["depth"].tolist() == list(range(40))


def as_dense(X):
    return X.toarray() if hasattr(X, "toarray") else X
