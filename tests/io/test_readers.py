"""Every format gives the same dataset back, whatever the names and labels are."""

import bz2
import gzip
import lzma
import tracemalloc
import warnings
from io import StringIO

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import arff, savemat

from s2fs.io import Dataset, ReadWarning, read_table
from strategies import examples

X = np.array([[0.1, -2.0, 1e-300], [1 / 3, 4.0, 1e9 + 1], [5.0, 0.0, np.pi], [2.0, 1.0, 7.0]])
NAMES = ["gene, long", 'the "quoted" one', "größe µ 基因"]
LABELS = ["Ärger", "calm, very", "Ärger", "don't"]
CLASSES = ["calm, very", "don't", "Ärger"]
CODES = [2, 0, 2, 1]


def frame():
    return pd.DataFrame(X, columns=NAMES).assign(kind=LABELS)


def write_csv(path):
    frame().to_csv(path, index=False)


def write_semicolon(path):
    frame().to_csv(path, index=False, sep=";")


def write_bom(path):
    frame().to_csv(path, index=False, encoding="utf-8-sig", lineterminator="\r\n")


def write_tab(path):
    frame().to_csv(path, index=False, sep="\t")


def write_parquet(path):
    frame().to_parquet(path)


def write_polars_parquet(path):
    pl.DataFrame({**dict(zip(NAMES, X.T, strict=True)), "kind": LABELS}).write_parquet(path)


def write_categorical_parquet(path):
    frame().astype({"kind": "category"}).to_parquet(path)


def write_compressed(opener, sep):
    def write(path):
        with opener(path, "wt", encoding="utf-8") as file:
            frame().to_csv(file, index=False, sep=sep)

    return write


def write_arff(path):
    lines = ["% a comment", "", "@RELATION tumours"]
    lines += [f"@attribute '{name}' NUMERIC" for name in NAMES]
    lines += ["@ATTRIBUTE kind {'Ärger', 'calm, very', 'don\\'t'}", "@DATA"]
    for row, label in zip(X.tolist(), LABELS, strict=True):
        escaped = label.replace("'", "\\'")
        lines.append(", ".join(map(repr, row)) + f", '{escaped}'")
    path.write_text("\n".join(lines), encoding="utf-8")


def write_npz(path):
    np.savez(path, X=X, y=np.array(LABELS), feature_names=np.array(NAMES))


def write_coded_npz(path):
    np.savez_compressed(
        path, X=X, Y=np.array(CODES, dtype=np.int16), classes=CLASSES, feature_names=NAMES
    )


def write_mat(path):
    savemat(
        path,
        {
            "X": X,
            "Y": np.array(LABELS, dtype=object)[:, None],
            "feature_names": np.array(NAMES, dtype=object),
        },
    )


def write_coded_mat(path):
    codes = np.array(CODES, dtype=np.int16)[:, None]
    names = {"classes": np.array(CLASSES, dtype=object), "feature_names": np.array(NAMES, object)}
    savemat(path, {"X": sparse.csc_matrix(X), "Y": codes, **names})


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.csv", write_csv),
        ("T.CSV", write_csv),
        ("t.csv", write_semicolon),
        ("t.csv", write_bom),
        ("t.tsv", write_tab),
        ("t.tab", write_tab),
        ("t.txt", write_tab),
        ("t.txt", write_csv),
        ("t.csv.gz", write_compressed(gzip.open, ",")),
        ("t.tsv.bz2", write_compressed(bz2.open, "\t")),
        ("t.txt.xz", write_compressed(lzma.open, "\t")),
        ("t.parquet", write_parquet),
        ("t.parquet", write_polars_parquet),
        ("t.parquet", write_categorical_parquet),
        ("t.arff", write_arff),
        ("t.npz", write_npz),
        ("t.npz", write_coded_npz),
        ("t.mat", write_mat),
        ("t.mat", write_coded_mat),
    ],
)
def test_round_trip(tmp_path, name, write):
    path = tmp_path / name
    write(path)
    target = None if path.suffix in (".npz", ".mat") else "kind"
    data = read_table(path, target)
    np.testing.assert_array_equal(data.X, X)
    assert data.X.dtype == np.float64
    assert data.y.tolist() == CODES
    assert data.feature_names == NAMES
    assert data.class_names == CLASSES
    assert read_table(str(path), target).feature_names == NAMES


FINITE = st.floats(allow_nan=False, allow_infinity=False)
# Surrounding white space is not part of a name; a lone surrogate cannot be written as UTF-8.
NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda s: s == s.strip()
)


@examples(60)
@given(names=st.lists(NAME, min_size=2, max_size=5, unique=True), rows=st.data())
def test_any_text_and_number_survives_csv(tmp_path_factory, names, rows):
    table = rows.draw(
        st.lists(st.lists(FINITE, min_size=len(names), max_size=len(names)), min_size=2, max_size=5)
    )
    y = np.arange(len(table)) % 2
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    pd.DataFrame(table, columns=names).assign(**{" target": y}).to_csv(path, index=False)
    with warnings.catch_warnings():  # names may be equal, or look like identifiers
        warnings.simplefilter("ignore", UserWarning)
        data = read_table(path, -1, header=True, delimiter=",", decimal=".")
    assert data.feature_names == names
    np.testing.assert_array_equal(data.X, table)
    np.testing.assert_array_equal(data.y, y)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_target_by_name_position_and_from_the_end(tmp_path):
    path = write(tmp_path / "t.csv", "y,a,b\nu,1,2\nv,3,4\n")
    for target in ("y", 0, "0", -3, "-3"):
        data = read_table(path, target)
        assert data.feature_names == ["a", "b"]
        assert data.y.tolist() == [0, 1]
    path = write(tmp_path / "t.csv", "1,0\n1,2\n5,3\n")
    for target, other in (("0", "1"), (0, "0")):  # the name goes before the position
        with pytest.warns(ReadWarning, match="begins with 1, 0, …, which is taken for a header"):
            assert read_table(path, target).feature_names == [other]
    path = write(tmp_path / "t.csv", "0,1.5,2.5\n1,0.5,9.5\n0,2.5,7\n")
    with pytest.warns(ReadWarning, match="has no header"):
        assert read_table(path, "0").X.shape == (3, 2)  # a position, though the line holds it


def test_drop_by_name_and_position(tmp_path):
    path = write(tmp_path / "t.csv", "id,a,b,y\ns_1,1,2,u\ns_2,3,4,v\n")
    for drop in (["id"], "id", 0, ["0"], (-4,), iter(["id"])):
        assert read_table(path, "y", drop=drop).feature_names == ["a", "b"]
    assert read_table(path, "y", drop=["b", 0]).feature_names == ["a"]


def test_numeric_labels_are_sorted_by_value(tmp_path):
    path = write(tmp_path / "t.csv", "a,y\n1,10\n2,9\n3,-1\n4,9\n")
    data = read_table(path, "y")
    assert data.class_names == ["-1", "9", "10"]
    assert data.y.tolist() == [2, 1, 0, 1]
    np.savez(tmp_path / "t.npz", X=data.X, y=np.array([10, 9, -1, 9]))
    assert read_table(tmp_path / "t.npz").class_names == ["-1", "9", "10"]
    pd.DataFrame({"a": [1, 2], "y": [10, 9]}).to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", "y").class_names == ["9", "10"]


def test_one_text_label_makes_all_text(tmp_path):
    path = write(tmp_path / "t.csv", "a,y\n1,10\n2,9\n3,none\n")
    assert read_table(path, "y").class_names == ["10", "9", "none"]


def test_features_in_rows(tmp_path):
    path = write(
        tmp_path / "t.tsv",
        "gene\ts1\ts2\ts3\nplatform\tA\tA\tB\nTP53\t1\t2\t3\nMYC\t4\t5.5\t6\ntumour\tx\ty\tx\n",
    )
    data = read_table(path, "tumour", drop=["platform"], transpose=True)
    assert data.feature_names == ["TP53", "MYC"]
    np.testing.assert_array_equal(data.X, [[1, 4], [2, 5.5], [3, 6]])
    assert (data.y.tolist(), data.class_names) == ([0, 1, 0], ["x", "y"])


def test_features_in_rows_of_parquet_and_arrays(tmp_path):
    table = pd.DataFrame({"gene": ["a", "b", "y"], "s1": [1.5, 2, 0], "s2": [3, 4, 1.0]})
    table.to_parquet(tmp_path / "t.parquet")
    data = read_table(tmp_path / "t.parquet", "y", transpose=True)
    np.testing.assert_array_equal(data.X, [[1.5, 2], [3, 4]])
    assert data.feature_names == ["a", "b"]
    np.savez(tmp_path / "t.npz", X=X.T, y=CODES)
    np.testing.assert_array_equal(read_table(tmp_path / "t.npz", transpose=True).X, X)


def test_transposing_a_file_is_transposing_the_table(tmp_path):
    table = frame().set_axis([f"s{i}" for i in range(4)])
    table.T.to_csv(tmp_path / "rows.csv")
    direct, turned = tmp_path / "t.csv", tmp_path / "rows.csv"
    table.to_csv(direct, index=False)
    one, other = read_table(direct, "kind"), read_table(turned, "kind", transpose=True)
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.y, other.y)
    assert one[2:] == other[2:]


def test_rows_without_a_label_are_left_out_of_arrays_and_pictures_stay(tmp_path):
    rows = np.arange(18.0).reshape(3, 6)
    arrays = {"y": ["u", "", "v"], "image_shape": [2, 3], "image_order": "F"}
    np.savez(tmp_path / "t.npz", X=rows, **arrays)
    with pytest.warns(ReadWarning, match="no label in 1 of 3"):
        data = read_table(tmp_path / "t.npz")
    np.testing.assert_array_equal(data.X, rows[[0, 2]])
    assert (data.y.tolist(), data.class_names) == ([0, 1], ["u", "v"])
    assert (data.image_shape, data.image_order) == ((2, 3), "F")
    with pytest.warns(ReadWarning, match="no label in 1 of 3"):
        fewer = read_table(tmp_path / "t.npz", drop_unlabelled=True, drop="x5")
    assert (fewer.X.shape, fewer.image_shape) == ((2, 5), None)


def test_arrays_without_names(tmp_path):
    np.savez(tmp_path / "t.npz", X=X.astype(np.float32), y=np.array([b"v", b"u", b"v", b"u"]))
    data = read_table(tmp_path / "t.npz", drop="x1")
    assert data.feature_names == ["x0", "x2"]
    assert (data.class_names, data.X.dtype) == (["u", "v"], np.float64)


def test_labels_under_another_key(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=np.zeros(4), grade=[1, 2, 1, 2])
    assert read_table(tmp_path / "t.npz", "grade").class_names == ["1", "2"]


def test_classes_without_instances_are_left_out(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=[2, 0, 2, 0], classes=["a", "b", "c"])
    data = read_table(tmp_path / "t.npz")
    assert (data.y.tolist(), data.class_names) == ([1, 0, 1, 0], ["a", "c"])


def test_booleans_integers_and_decimals_of_parquet_are_numbers(tmp_path):
    table = pl.DataFrame(
        {
            "flag": [True, False],
            "count": [1, 2],
            "price": pl.Series([1.25, 2.5]).cast(pl.Decimal(8, 2)),
            "y": ["u", "v"],
        }
    )
    table.write_parquet(tmp_path / "t.parquet")
    np.testing.assert_array_equal(
        read_table(tmp_path / "t.parquet", "y").X, [[1, 1, 1.25], [0, 2, 2.5]]
    )


@pytest.mark.parametrize("names", [["x", "x.1", "y.1", "z"], ["a.b", "b", "c", "d"]])
@pytest.mark.parametrize("size", [1, 200, 1 << 24])
def test_columns_of_parquet_are_read_a_few_at_a_time(tmp_path, monkeypatch, names, size):
    monkeypatch.setattr("s2fs.io.parquet_folder.BATCH_SIZE", size)
    table = pl.DataFrame({name: [10 * j, None, 10 * j + 2] for j, name in enumerate(names)})
    table = table.with_columns(pl.Series("kind", ["u", "v", "u"]))
    table.write_parquet(tmp_path / "t.parquet", row_group_size=2)
    data = read_table(tmp_path / "t.parquet", "kind", impute="keep")
    assert data.feature_names == names
    expected = [[0, 10, 20, 30], [np.nan] * 4, [2, 12, 22, 32]]
    assert np.array_equal(data.X, expected, equal_nan=True)


def test_blank_lines_and_spaces_do_not_matter(tmp_path):
    path = write(tmp_path / "t.csv", "\n a , b, y\n1, 2, u \n\n3,4,v\n\n")
    data = read_table(path, "y")
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])
    assert data[2:] == (["a", "b"], ["u", "v"])


ASCII_ARFF = """% from a textbook
@relation plants
@attribute 'leaf width' real
@attribute height numeric
@attribute kind {fern, moss}
@data
1.5, 2, fern
3,4.25,moss
% half way
5,6,fern
"""


def test_arff_agrees_with_scipy(tmp_path):
    data = read_table(write(tmp_path / "t.arff", ASCII_ARFF), "kind")
    truth, meta = arff.loadarff(StringIO(ASCII_ARFF))
    assert [*data.feature_names, "kind"] == meta.names()
    np.testing.assert_array_equal(data.X[:, 0], truth["leaf width"])
    np.testing.assert_array_equal(data.X[:, 1], truth["height"])
    assert [data.class_names[c].encode() for c in data.y] == truth["kind"].tolist()


def test_arff_with_double_quotes_and_a_text_id(tmp_path):
    text = '@relation r\n@attribute id string\n@attribute a real\n@attribute y {"u v",w}\n@data\n'
    path = write(tmp_path / "t.arff", text + 'k_1,1,"u v"\nk_2,2,w\n')
    data = read_table(path, "y", drop="id")
    assert data.class_names == ["u v", "w"]
    np.testing.assert_array_equal(data.X, [[1], [2]])


def test_it_is_a_named_tuple(tmp_path):
    data = read_table(write(tmp_path / "t.csv", "a,y\n1,u\n2,v\n"), "y")
    assert isinstance(data, Dataset)
    features, codes, feature_names, class_names = data
    assert features.shape == (2, 1)
    assert (len(codes), feature_names, class_names) == (2, ["a"], ["u", "v"])


def test_a_header_of_any_length(tmp_path):
    names = [f"a rather long name of the gene number {i:06d}" for i in range(4000)]
    for suffix, delimiter in (("csv", ","), ("txt", "\t")):
        path = tmp_path / f"t.{suffix}"
        rows = [[*names, "kind"], *([i % 7] * 4000 + [kind] for i, kind in enumerate("uvu"))]
        write(path, "\n".join(delimiter.join(map(str, row)) for row in rows))
        data = read_table(path, "kind")
        assert data.feature_names == names
        assert data.X.shape == (3, 4000)


def test_a_column_may_turn_out_to_be_text_late(tmp_path):
    """Its cells are then those of the file, from the first row on."""
    cells = [*("9.0", "10", "9") * 40, "none", "010"]
    ids = [*map(str, range(121)), "x_1"]
    lines = [
        f"{i},{int(i[-3:].strip('x_')) / 7!r},{cell},,"
        for i, cell in zip(ids, map(str, cells), strict=True)
    ]
    path = write(tmp_path / "t.csv", "id,a,kind,b,c\n" + "\n".join(lines) + "\n")
    with pytest.warns(ReadWarning, match=r"names samples in column 'id'"):
        assert read_table(path, "kind", drop=["b", "c"]).sample_ids == ids
    data = read_table(path, "kind", drop=["id", "b", "c"])
    assert data.class_names == ["010", "10", "9", "9.0", "none"]
    assert [data.class_names[q] for q in data.y] == cells


def test_a_large_file_takes_little_more_memory_than_its_numbers(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 300))).assign(kind=np.arange(400) % 2)
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    read_table(path, "kind")
    tracemalloc.start()
    data = read_table(path, "kind")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(data.X, table.iloc[:, :300])
    # The bytes of the file and their text, to be checked; then the bytes and the numbers, twice.
    assert peak < 2.5 * path.stat().st_size
