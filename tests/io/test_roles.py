"""Which columns are features, and what else is said about the rows: groups and covariates."""

import warnings

import anndata
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs.cli import main
from s2fs.io import ReadWarning, read_table

RNG = np.random.default_rng(3)
N = 36
KINDS = np.array(["u", "v"])[np.arange(N) % 2]
FEATURES = pd.DataFrame(RNG.normal(size=(N, 4)).round(3), columns=list("abcd"))
PATIENTS = [f"P{i // 3}" for i in range(N)]


def write(path, **columns):
    FEATURES.assign(**columns, kind=KINDS).to_csv(path, index=False)
    return path


def read(*arguments, **options):
    """The dataset and its remarks by kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadWarning)
        data = read_table(*arguments, **options)
    return data, {remark.kind: remark for remark in data.remarks}


def test_what_looks_like_an_identifier_can_be_kept(tmp_path):
    path = write(tmp_path / "t.csv", Idx=np.arange(N) + 1, code=np.arange(N) * 7, name=PATIENTS)
    data, remarks = read(path, "kind")
    assert data.feature_names == list("abcd")
    assert remarks["row numbers"].columns == ("Idx",)
    assert remarks["identifiers"].columns == ("code",)
    assert remarks["text"].columns == ("name",)
    kept, _ = read(path, "kind", keep=["Idx", "code"])
    assert kept.feature_names == [*"abcd", "Idx", "code"]
    np.testing.assert_array_equal(kept.X[:, 4], np.arange(N) + 1)
    kept, _ = read(path, "kind", keep="name")
    assert kept.feature_names[4] == "name=P0"
    with pytest.raises(ValueError, match="`keep` has 'a', which is no feature"):
        read(path, "kind", keep="a", drop="a")
    result = CliRunner().invoke(
        main, ["select", str(path), "-t", "kind", "--no-verdict", "--keep", "Idx", "-k", "all"]
    )
    assert result.exit_code == 0, result.output
    assert "Idx" in result.stdout
    assert "code" not in result.stdout


def test_row_counters_of_arrays_are_no_features(tmp_path):
    X = np.column_stack([np.arange(N), FEATURES])
    np.savez(tmp_path / "t.npz", X=X, y=KINDS)
    data, remarks = read(tmp_path / "t.npz")
    assert data.feature_names == ["x1", "x2", "x3", "x4"]
    assert remarks["row numbers"].columns == ("x0",)
    assert read(tmp_path / "t.npz", keep="x0")[0].X.shape == (N, 5)


@pytest.mark.parametrize("n_columns", [40, 600])
def test_whole_numbers_all_over_are_measurements(tmp_path, n_columns):
    """Counts, many of them all different, and ranks of every column."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 5000, (N, n_columns))
    ranks = np.argsort(rng.random((N, n_columns)), axis=0) + 1
    for values in (counts, ranks):
        names = [f"gene {i}" for i in range(n_columns)]
        frame = pd.DataFrame(values, columns=names)
        frame.assign(kind=KINDS).to_csv(tmp_path / "t.csv", index=False)
        data, remarks = read(tmp_path / "t.csv", "kind", log2=True)
        assert len(data.feature_names) >= n_columns - 1
        assert not any("identifier" in remark.text for remark in remarks.values())


def test_measured_whole_numbers_stay(tmp_path):
    """All different, but neither in order, nor first, nor a run, nor named like an identifier."""
    platelets = RNG.permutation(np.arange(150, 450))[:N]
    data, remarks = read(write(tmp_path / "t.csv", platelets=platelets), "kind")
    assert "platelets" in data.feature_names
    assert remarks == {}


def test_a_first_column_beside_row_names_is_measured_unless_it_holds_codes(tmp_path):
    people = RNG.permutation(np.arange(400, 30000))[:N]
    codes = RNG.permutation(np.arange(60000, 79999))[:N]
    for first, is_feature in ((people, True), (codes, False)):
        frame = pd.DataFrame({"first": first, "a": FEATURES["a"], "kind": KINDS})
        frame.to_csv(tmp_path / "t.csv")
        data, _ = read(tmp_path / "t.csv", "kind")
        assert ("first" in data.feature_names) == is_feature
        frame.to_csv(tmp_path / "t.csv", index=False)
        data, remarks = read(tmp_path / "t.csv", "kind")
        assert remarks["identifiers"].columns == ("first",)


def test_ranks_do_not_hide_a_column_of_codes_in_order(tmp_path):
    ranks = {f"rank {i}": RNG.permutation(N) + 1 for i in range(8)}
    frame = pd.DataFrame({"a": FEATURES["a"], **ranks, "dept": np.arange(N) * 3 + 2, "kind": KINDS})
    frame.to_csv(tmp_path / "t.csv", index=False)
    data, remarks = read(tmp_path / "t.csv", "kind")
    assert data.feature_names == ["a", *ranks]
    assert remarks["identifiers"].columns == ("dept",)


def test_samples_that_belong_together(tmp_path):
    path = write(tmp_path / "t.csv", Patient=PATIENTS, age=np.repeat(np.arange(12) + 40, 3))
    data, remarks = read(path, "kind")
    assert data.groups is None
    assert remarks["groups"].text == (
        "Patient has 12 values in 36 rows; `group='Patient'` keeps samples with the same "
        "one in one fold."
    )
    data, remarks = read(path, "kind", group="Patient", covariates=["age"])
    assert data.groups.tolist() == PATIENTS
    assert data.covariates["age"].tolist() == np.repeat(np.arange(12.0) + 40, 3).tolist()
    assert data.feature_names == list("abcd")
    assert remarks == {}
    assert data.covariates["age"].dtype == np.float64
    data, _ = read(path, "kind", group="age", covariates="Patient")
    assert data.groups.tolist() == [str(a) for a in np.repeat(np.arange(12) + 40, 3)]
    assert data.covariates["Patient"].tolist() == PATIENTS
    result = CliRunner().invoke(main, ["select", str(path), "-t", "kind", "--no-verdict"])
    assert "--group Patient keeps samples with the same one in one fold" in result.stderr


@pytest.mark.parametrize("name", ["patient_id", "Subject", "Patient No."])
def test_numbers_of_patients_are_no_feature(tmp_path, name):
    path = write(tmp_path / "t.csv", **{name: np.arange(N) // 3 + 1000})
    for options in ({}, {"drop": name}):
        data, remarks = read(path, "kind", **options)
        assert name not in data.feature_names
        assert f"`group={name!r}` keeps samples" in remarks["groups"].text
    few = write(tmp_path / "t.csv", sex=["m", "f", "f"] * 12)
    assert "groups" not in read(few, "kind")[1]


def test_groups_must_be_known(tmp_path):
    path = write(tmp_path / "t.csv", Patient=["", *PATIENTS[1:]])
    for option in ("group", "covariates"):
        with pytest.raises(ValueError, match=rf"'Patient' of .*\(`{option}`\) is missing in 1 row"):
            read(path, "kind", **{option: "Patient"})
    with pytest.raises(ValueError, match=r"`group` is 'patent'.*did you mean 'Patient'"):
        read(path, "kind", group="patent")


def test_groups_of_a_sheet_follow_the_samples(tmp_path):
    names = [f"s{i}" for i in range(N)]
    FEATURES.set_axis(names).to_csv(tmp_path / "t.csv")
    order = RNG.permutation(N)
    sheet = pd.DataFrame({"s": names, "who": PATIENTS, "kind": KINDS, "age": np.arange(N)})
    sheet.iloc[order].to_csv(tmp_path / "s.csv", index=False)
    data, _ = read(tmp_path / "t.csv", "kind", samples=tmp_path / "s.csv", group="who",
                   covariates="age")  # fmt: skip
    assert data.groups.tolist() == PATIENTS
    assert data.covariates["age"].tolist() == list(range(N))
    unlabelled = sheet.assign(kind=["", *KINDS[1:]])
    unlabelled.to_csv(tmp_path / "s.csv", index=False)
    data, _ = read(tmp_path / "t.csv", "kind", samples=tmp_path / "s.csv", group="who",
                   drop_unlabelled=True)  # fmt: skip
    assert data.groups.tolist() == PATIENTS[1:]


def test_groups_of_cells_and_arrays(tmp_path):
    obs = pd.DataFrame({"kind": KINDS, "donor": PATIENTS, "depth": np.arange(N) / 2},
                       index=[f"c{i}" for i in range(N)])  # fmt: skip
    obs["donor"] = obs["donor"].astype("category")
    anndata.AnnData(FEATURES.to_numpy(), obs=obs).write_h5ad(tmp_path / "t.h5ad")
    np.savez(tmp_path / "t.npz", X=FEATURES, y=KINDS, donor=PATIENTS, depth=np.arange(N) / 2)
    for name in ("t.h5ad", "t.npz"):
        target = "kind" if name == "t.h5ad" else None
        data, _ = read(tmp_path / name, target, group="donor", covariates=["depth", "donor"])
        assert data.groups.tolist() == PATIENTS
        np.testing.assert_array_equal(data.covariates["depth"], np.arange(N) / 2)
        assert data.covariates["donor"].tolist() == PATIENTS
        with pytest.raises(ValueError, match="`group` is 'nobody'"):
            read(tmp_path / name, target, group="nobody")


def test_columns_with_words_for_missing_are_judged_by_their_own_numbers(tmp_path):
    """Such a column is kept as text and read once more; its neighbours must not be mistaken."""
    holes = ["-", *FEATURES["a"].astype(str)[1:]]
    path = write(tmp_path / "t.csv", Idx=np.arange(N) + 1, hole=holes, code=np.arange(N) * 7)
    data, remarks = read(path, "kind", impute="keep")
    assert data.feature_names == [*"abcd", "hole"]
    assert np.isnan(data.X[0, 4])
    np.testing.assert_array_equal(data.X[1:, 4], FEATURES["a"][1:])
    assert remarks["row numbers"].columns == ("Idx",)
    assert remarks["identifiers"].columns == ("code",)


def test_a_first_column_is_measured_where_text_names_the_rows(tmp_path):
    income = RNG.permutation(np.arange(600, 90000))[:N]
    frame = pd.DataFrame({"country": [f"c{i}" for i in range(N)], "income": income, "kind": KINDS})
    frame.to_csv(tmp_path / "t.csv", index=False)
    data, _ = read(tmp_path / "t.csv", "kind")
    assert data.feature_names == ["income"]


def test_numbers_that_start_again_in_every_group_are_row_numbers(tmp_path):
    """A counter by name only: visits 1, 2, 3, … may well be measured ones."""
    numbers = np.tile(np.arange(1, 10), 4)
    path = write(tmp_path / "t.csv", index=numbers, visit=numbers, case=np.arange(N) % 2)
    data, remarks = read(path, "kind")
    assert data.feature_names == [*"abcd", "visit", "case"]
    assert remarks["row numbers"].columns == ("index",)


def test_a_copy_of_the_classes_is_told(tmp_path):
    copy = np.where(KINDS == "u", 3, 8)
    data, remarks = read(
        write(tmp_path / "t.csv", arm=copy, near=copy + (np.arange(N) == 5)), "kind"
    )
    assert {"arm", "near"} <= set(data.feature_names)
    text = remarks["one value in every class"].text
    assert "in column 'arm'; if that was made from the classes" in text
    assert "`drop='arm'`" in text
    words = write(tmp_path / "t.csv", arm=np.where(KINDS == "u", "left", "right"))
    _, remarks = read(words, "kind")
    assert "`drop='arm'`" in remarks["one value in every class"].text
    assert "arm=right" not in read(words, "kind", drop="arm")[0].feature_names
    few = pd.DataFrame({"a": [1, 1, 2, 2], "b": [0.1, 0.2, 0.3, 0.4], "kind": [*"uuvv"]})
    few.to_csv(tmp_path / "few.csv", index=False)
    assert read(tmp_path / "few.csv", "kind")[1] == {}


def test_numbers_of_patients_without_a_name_are_told_by_their_values(tmp_path):
    """Large, and nearly all different; those that come again may be one patient."""
    rng = np.random.default_rng(7)
    codes = rng.integers(60_000, 13_000_000, 200)
    codes[100:110] = codes[:10]
    table = pd.DataFrame(rng.integers(1, 11, (200, 5))).assign(kind=np.arange(200) % 2)
    for first, is_feature in (
        (codes, False),
        (codes // 1000 * 1000, True),  # rounded, as incomes are
        (rng.normal(1e6, 1e5, 200).round(1), True),
    ):
        whole = pd.concat([pd.Series(first), table], axis=1)
        whole.to_csv(tmp_path / "t.data", index=False, header=False)
        data, remarks = read(tmp_path / "t.data", "-1")
        assert ("x0" in data.feature_names) == is_feature
        assert ("groups" in remarks) != is_feature
    counts = pd.DataFrame(rng.integers(10**5, 10**6, (200, 5))).assign(kind=np.arange(200) % 2)
    counts.iloc[10:20, 0] = counts.iloc[:10, 0].to_numpy()
    counts.to_csv(tmp_path / "t.data", index=False, header=False)
    assert read(tmp_path / "t.data", "-1")[0].X.shape == (200, 5)


def test_long_counters_that_start_again_are_row_numbers_whatever_their_name(tmp_path):
    """But not what is called a time, or what starts again after a few rows."""
    number = np.concatenate([np.arange(1, 24), np.arange(1, 14)])
    path = write(tmp_path / "t.csv", n_in_ward=number, day=number, try_=np.tile([1, 2, 3, 4], 9))
    data, remarks = read(path, "kind")
    assert data.feature_names == [*"abcd", "day", "try_"]
    assert remarks["row numbers"].columns == ("n_in_ward",)
    assert "groups" not in remarks


@pytest.mark.parametrize(
    ("name", "is_named"),
    [("hospid", True), ("ptid", True), ("acid", False), ("medicaid", False), ("thyroid", False)],
)
def test_names_that_end_in_id(tmp_path, name, is_named):
    path = write(tmp_path / "t.csv", **{name: np.arange(N) % 7 + 20})
    data, remarks = read(path, "kind")
    assert (name in data.feature_names) != is_named
    assert ("groups" in remarks) == is_named


def test_numbers_with_a_few_words_are_never_advised_away(tmp_path):
    """Levels of a category and codes are kept as text; gaps in measured numbers may be filled."""
    doors = np.array(["2", "3", "4", "5more"])[np.arange(N) % 4]
    family = [f"{i // 2 + 10}" for i in range(N)]
    family[3] = "136A"
    alley = np.where(np.arange(N) % 5 == 0, np.where(np.arange(N) % 2, "gravel", "paved"), "NA")
    crp = ["<0.5", *FEATURES["a"].astype(str)[1:]]
    path = write(tmp_path / "t.csv", doors=doors, family=family, alley=alley, crp=crp)
    data, _ = read(path, "kind")
    advised = [remark.text for remark in data.remarks if "missing" in remark.text.arguments]
    assert len(advised) == 1
    assert "in column 'crp', but '<0.5' in 1 row; left out; `missing='<0.5'` takes" in advised[0]


def test_a_column_with_gaps_is_not_advised_as_group(tmp_path):
    """It would be refused; one with the name of an identifier is told."""
    gaps = ["", *PATIENTS[1:]]
    _, remarks = read(write(tmp_path / "t.csv", Patient=gaps), "kind")
    assert remarks["groups"].text == (
        "Patient has 12 values in 36 rows and none in 1; fill it in, then `group` keeps samples "
        "with the same one in one fold."
    )
    assert "groups" not in read(write(tmp_path / "t.csv", ward=gaps), "kind")[1]
