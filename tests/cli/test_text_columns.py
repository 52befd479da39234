"""Columns of text with few values: each is one feature, for every method and command."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import PairCover, Panel, compare, read_table
from s2fs.baselines import BASELINES
from s2fs.cli import main
from s2fs.report import Report

N = 72
CLASSES = np.array(["a", "b", "c"])[np.arange(N) % 3]
METHODS = ["paircover", "s2fs", "s2fs-rms", "best", *sorted(map(str.lower, BASELINES))]
#: Others may rank by what says little of text.
USUAL = ("paircover", "s2fs", "anovaf", "relieff", "mrmr", "svmrfe", "mutualinformation", "best")


def make_table():
    """Sex tells one class, place tells all of them best, and ten numbers tell next to nothing."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3
    numbers = rng.normal(size=(N, 10)) + 0.3 * y[:, None] * (np.arange(10) == 0)
    frame = pd.DataFrame(numbers.round(3), columns=[f"n{i}" for i in range(10)])
    frame.insert(0, "sex", np.where(rng.random(N) < np.array([0.1, 0.1, 0.9])[y], "male", "female"))
    place = np.where(rng.random(N) < 0.85, y, rng.integers(0, 4, N))
    frame.insert(5, "place", np.array(["north", "south", "east", "west"])[place])
    return frame.assign(kind=CLASSES)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "t.csv"
    make_table().to_csv(path, index=False)
    return path


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result


def select(table, tmp_path, *options):
    """The rows of a ranking."""
    run("select", table, "-t", "kind", *options, "-o", tmp_path / "r.csv")
    return pd.read_csv(tmp_path / "r.csv")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", METHODS)
def test_every_method_ranks_whole_columns(table, tmp_path, method):
    ranking = select(table, tmp_path, "--method", method, "-k", 3, "--no-verdict")
    assert ranking["rank"].tolist() == [1, 2, 3]
    assert ranking["feature"].is_unique
    assert set(ranking["feature"]) < {*make_table().columns}
    if method in USUAL:
        assert ranking["feature"][:2].tolist() == ["place", "sex"]
        levels = [text.partition(": ")[0] for text in ranking["stands_out"][:2]]
        assert levels[0] in ("north", "south", "east")
        assert levels[1] == "male"


@pytest.mark.parametrize(
    "options",
    [
        ("-k", 5, "--min-per-class", 1, "--method", "s2fs"),
        ("-k", 4, "--min-per-class", 1),
        ("-k", 3, "--max-correlation", 0.9),
        ("-k", 3, "--max-correlation", 0.9, "--method", "anovaf"),
        ("--tune",),
        ("-k", 2, "--tune", "--method", "s2fs"),
        ("-k", "auto"),
        ("-k", 0.25,),
        ("-k", 2, "--include", "place", "--exclude", "sex"),
    ],
    ids=lambda options: " ".join(map(str, options)),
)  # fmt: skip
def test_constraints_count_columns(table, tmp_path, options):
    if "--tune" in options and "s2fs" in options:
        options = (*options, "--no-verdict")
    ranking = select(table, tmp_path, *options)
    assert ranking["feature"].tolist()[0] == "place"
    assert ranking["feature"].is_unique
    if "-k" in options and isinstance(options[1], int) and "--min-per-class" not in options:
        assert len(ranking) == options[1]
    if 0.25 in options:
        assert len(ranking) == 3  # of twelve
    if "--exclude" in options:
        assert "sex" not in set(ranking["feature"])
    if "--no-verdict" not in options:
        assert ranking["selected_in"][0] > 0.9


def test_all_features_are_twelve(table, tmp_path):
    done = run("select", table, "-t", "kind", "-k", "all", "--report", tmp_path / "p.html")
    assert "12 features by PairCover" in done.output
    assert "text with few values in columns 'sex', 'place'; each is one feature" in done.stderr
    compared = run("compare", table, "-t", "kind", "-k", 2, "--repeats", 1,
                   "-o", tmp_path / "c.csv")  # fmt: skip
    assert "all 12 features" in compared.output
    rows = pd.read_csv(tmp_path / "c.csv")
    random = rows[rows["selector"] == "random features"]
    assert random["n_features"].tolist() == random["k"].tolist()


def test_levels_stand_in_the_details(table):
    output = run("select", table, "-t", "kind", "-k", 2, "--details", "--no-verdict").output
    levels = [line.split()[:2] for line in output.split("\n\n")[2].splitlines()[1:]]
    words = [["place", word] for word in ("east", "north", "south", "west")]
    assert levels == [*words, ["sex", "male"]]


def test_names_are_for_screen_and_file(table, tmp_path):
    (tmp_path / "names.csv").write_text("feature,symbol\nplace,Region\n")
    ranking = select(table, tmp_path, "-k", 2, "--no-verdict", "--names", tmp_path / "names.csv")
    assert ranking["symbol"].tolist() == ["Region", "sex"]
    output = run("select", table, "-t", "kind", "-k", 2, "--names", tmp_path / "names.csv",
                 "--no-verdict").stdout  # fmt: skip
    assert output.splitlines()[1].split()[1] == "Region"


def test_a_score_is_of_whole_columns(table):
    whole = run("score", table, "-t", "kind", "-f", "place,sex", "--check").stdout
    levels = "place=east,place=north,place=south,place=west,sex=male"
    by_level = run("score", table, "-t", "kind", "-f", levels).stdout
    assert whole.splitlines()[1].split()[1:] == by_level.splitlines()[1].split()[1:]
    assert whole.splitlines()[1].split()[0] == "2"
    assert by_level.splitlines()[1].split()[0] == "5"


def test_a_saved_selection_encodes_the_words_again(table, tmp_path):
    model = tmp_path / "m.json"
    run("select", table, "-t", "kind", "-k", 2, "--no-verdict", "--save", model)
    new = make_table().drop(columns="kind").iloc[::-1]
    new.to_csv(tmp_path / "new.csv", index=False)
    lines = run("transform", model, tmp_path / "new.csv").stdout.splitlines()
    rows = pd.DataFrame([line.split(",") for line in lines[1:]], columns=lines[0].split(","))
    assert set(rows.columns) == {"sex=male", *(f"place={p}" for p in new["place"].unique())}
    for place in new["place"].unique():
        expected = (new["place"] == place).to_numpy()
        np.testing.assert_array_equal(rows[f"place={place}"].astype(float), expected)


@pytest.mark.filterwarnings("ignore")
def test_python_counts_columns(table):
    data = read_table(table, "kind")
    assert data.columns == list(make_table().columns[:5]) + ["place"] * 4 + [
        f"n{i}" for i in range(4, 10)
    ]
    selector = PairCover(2, feature_groups=data.feature_groups)
    selector.fit(data.named_X(), data.y)
    assert len(selector.indices_) == 5
    panel = Panel(PairCover(2, feature_groups=data.feature_groups)).fit(data.named_X(), data.y)
    assert (panel.predict(data.X) == data.y).mean() > 0.7
    found = compare(data.X, data.y, k=2, selectors=["paircover", "anovaf"], n_repeats=1,
                    feature_groups=data.feature_groups)  # fmt: skip
    assert found.n_features_in == 12
    assert [row.n_features for row in found.rows] == [2, 2, 12, 2, 0]
    page = Report(selector, data, comparison=found)
    assert [row["name"] for row in page.summary["features"]] == ["place", "sex"]
    assert page.summary["size"] == 2
    assert page.summary["features"][1]["stands_out"] == "male: high in c"
    assert page.summary["data"]["n_features"] == 12


@pytest.mark.filterwarnings("ignore")
def test_every_format_gives_the_same_columns(table, tmp_path):
    frame, truth = make_table(), read_table(table, "kind")
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    (tmp_path / "t.json").write_text(json.dumps(frame.to_dict("records")))
    for suffix in ("xlsx", "parquet", "json"):
        data = read_table(tmp_path / f"t.{suffix}", "kind")
        np.testing.assert_array_equal(data.X, truth.X)
        assert (data.feature_names, data.levels) == (truth.feature_names, truth.levels)
        assert data.feature_groups == truth.feature_groups


def make_titanic():
    """A table with the columns of a well-known one, where the best of them is text."""
    rng = np.random.default_rng(0)
    n = 200
    male = rng.random(n) < 0.6
    survived = rng.random(n) < np.where(male, 0.15, 0.85)
    return pd.DataFrame(
        {
            "survived": survived.astype(int),
            "pclass": rng.integers(1, 4, n),
            "name": [f"Person {i}" for i in range(n)],
            "sex": np.where(male, "male", "female"),
            "age": np.where(rng.random(n) < 0.2, np.nan, rng.integers(1, 80, n)),
            "fare": rng.exponential(30, n).round(2),
            "cabin": [f"C{i}" if i % 4 == 0 else "" for i in range(n)],
            "embarked": rng.choice(["S", "C", "Q", ""], n, p=[0.7, 0.18, 0.1, 0.02]),
            "alone": rng.choice([True, False], n),
        }
    )


def test_no_predictor_of_a_list_of_passengers_is_lost(tmp_path):
    make_titanic().to_csv(tmp_path / "t.csv", index=False)
    done = run("select", tmp_path / "t.csv", "-t", "survived", "-k", 4, "--no-verdict",
               "-o", tmp_path / "r.csv")  # fmt: skip
    assert pd.read_csv(tmp_path / "r.csv")["feature"][0] == "sex"
    assert "few values in columns 'sex', 'embarked'" in done.stderr
    assert "text in column 'cabin'; left out" in done.stderr
    assert "names samples in column 'name'" in done.stderr


def test_a_table_of_text_alone_is_ranked_by_columns(tmp_path):
    """Like the well-known mushrooms: nine words of one column say nearly all."""
    rng = np.random.default_rng(1)
    n = 240
    poisonous = rng.random(n) < 0.5
    odor = np.where(poisonous, rng.choice([*"fysp"], n), rng.choice([*"nal"], n))
    columns = {f"c{i}": rng.choice([*"abcd"], n) for i in range(6)}
    frame = pd.DataFrame({"class": np.where(poisonous, "p", "e"), "odor": odor, **columns})
    frame.to_csv(tmp_path / "t.csv", index=False)
    ranking = run("select", tmp_path / "t.csv", "-t", "class", "-k", 7, "-o", tmp_path / "r.csv")
    rows = pd.read_csv(tmp_path / "r.csv")
    assert rows["feature"][0] == "odor"
    assert len(rows) == 7
    assert "all 7 features" in ranking.output
