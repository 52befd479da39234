"""The options of ``s2fs select`` beyond a plain ranking, against the estimators they stand for."""

import json
import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from s2fs import S2FS, PairCover, Selection, SelectorCV, StabilitySelector, compare
from s2fs.baselines import BASELINES, AnovaF
from s2fs.cli import main
from s2fs.datasets import read_table


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def succeeds(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def printed(output):
    """The table, and the lines below it."""
    table, *lines = output.split("\n\n")
    return pd.read_csv(StringIO(table), sep=r"\s+"), [" ".join(line.split()) for line in lines]


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    data = load_wine(as_frame=True)
    path = tmp_path_factory.mktemp("wine") / "wine.csv"
    cultivar = data.target.map({0: "barolo", 1: "grignolino", 2: "barbera"})
    data.data.assign(cultivar=cultivar).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def arrays(wine):
    data = read_table(wine, "cultivar")
    return data.X, data.y


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["-k", "auto"], {"n_features_to_select": "auto"}),
        (["-k", 4, "--search", "floating"], {"n_features_to_select": 4, "search": "floating"}),
        (["-k", 4, "--search", "beam"], {"n_features_to_select": 4, "search": "beam"}),
        (["-k", "all"], {"n_features_to_select": "all"}),
        (["-k", 6, "--max-correlation", 0.5], {"n_features_to_select": 6, "max_correlation": 0.5}),
        (["--class-weight", "balanced"], {"class_weight": "balanced"}),
        (
            ["--include", "ash", "--include", 4, "--exclude", "flavanoids"],
            {"include": [2, 4], "exclude": [6]},
        ),
    ],
    ids=str,
)
def test_options_are_those_of_the_estimator(wine, arrays, options, parameters):
    table, _ = printed(succeeds("select", wine, "-t", "cultivar", "--no-verdict", *options))
    fit = S2FS(**parameters).fit(*arrays)
    names = read_table(wine, "cultivar").feature_names
    assert table["feature"].tolist() == [names[f] for f in fit.indices_]


@pytest.mark.parametrize(
    ("k", "number", "limit"), [("auto", "auto", None), (3, 3, None), ("auto", "auto", 0.5)]
)
def test_tune(wine, arrays, k, number, limit):
    options = ["-t", "cultivar", "--tune", "-k", k, "--no-verdict"]
    options += [] if limit is None else ["--max-correlation", limit]
    table, (line,) = printed(succeeds("select", wine, *options))
    tuned = SelectorCV(number, max_correlation=limit).fit(*arrays)
    best = tuned.best_params_
    assert len(table) == len(tuned.indices_) == best["n_features_to_select"]
    assert table["score"].tolist() == pytest.approx(tuned.scores_.tolist(), rel=1e-5)
    assert line.startswith(
        f"Chosen by 5-fold cross-validation: alpha {best['alpha']:g}, beta {best['beta']:g}, "
        f"{best['n_features_to_select']} feature(s); accuracy of 5 nearest neighbours "
        f"{tuned.best_score_:.1%}"
    )


def test_stability(wine, arrays, tmp_path):
    output = tmp_path / "r.csv"
    options = ["-k", 3, "--stability", 12, "--n-jobs", 2, "-o", output, "--no-verdict"]
    table, (line,) = printed(succeeds("select", wine, "-t", "cultivar", *options))
    stable = StabilitySelector(selector=S2FS(3), n_resamples=12, n_shuffles=5).fit(*arrays)
    chosen = S2FS(3).fit(*arrays).indices_
    returns = stable.frequencies_[chosen].tolist()
    assert list(table.columns) == ["rank", "feature", "score", "gain", "returns", "q_value"]
    assert table["returns"].tolist() == [f"{share:.0%}" for share in returns]
    assert pd.read_csv(output)["returns"].tolist() == returns
    assert pd.read_csv(output)["q_value"].tolist() == stable.q_values_[chosen].tolist()
    numbers = re.findall(r"\d\.\d{3}", line)
    index = stable.stability_
    assert numbers == [f"{value:.3f}" for value in (index.value, index.low, index.high)]
    options = ["-t", "cultivar", "-k", 13, "--stability", 2, "--no-verdict"]
    _, (line,) = printed(succeeds("select", wine, *options))
    assert "no stability to measure" in line


METHODS = [
    ("s2fs-rms", [], S2FS(4, compactness="rms")),
    ("S2FS-RMS", ["--beta", 0.2], S2FS(4, compactness="rms", beta=0.2)),
    ("paircover", [], PairCover(4)),
    ("paircover", ["--search", "beam", "--exclude", 6], PairCover(4, search="beam", exclude=[6])),
    *((name, [], BASELINES[name](4)) for name in ("AnovaF", "ReliefF", "SFSS")),
    ("RandomOrder", [], BASELINES["RandomOrder"](4, random_state=0)),
    ("AnovaF", ["--max-correlation", 0.5], AnovaF(4, max_correlation=0.5)),
]


@pytest.mark.parametrize(("method", "options", "selector"), METHODS, ids=str)
def test_methods(wine, arrays, tmp_path, method, options, selector):
    files = ["-o", tmp_path / "r.csv", "--save", tmp_path / "m.json"]
    options = ["-k", 4, "--method", method, *options, *files, "--no-verdict", "--stability", 3]
    table, _ = printed(succeeds("select", wine, "-t", "cultivar", *options))
    selector.fit(*arrays)
    names = read_table(wine, "cultivar").feature_names
    assert table["feature"].tolist() == [names[f] for f in selector.indices_]
    written = pd.read_csv(tmp_path / "r.csv")
    np.testing.assert_allclose(written["score"], selector.scores_, rtol=1e-9)
    stable = StabilitySelector(selector=selector, n_resamples=3).fit(*arrays)
    assert written["returns"].tolist() == stable.frequencies_[selector.indices_].tolist()
    selection = Selection.load(tmp_path / "m.json")
    assert selection.selector == type(selector).__name__
    assert selection.indices == tuple(selector.indices_.tolist())


def test_tune_shows_no_accuracy_of_values_filled_in_before_the_folds(wine, tmp_path):
    table = pd.read_csv(wine)
    table.iloc[3, 0] = np.nan
    holes = tmp_path / "holes.csv"
    table.to_csv(holes, index=False)
    options = ["-t", "cultivar", "--tune", "-k", 3, "--no-verdict"]
    result = run("select", holes, *options, "--impute", "median")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "accuracy of 5 nearest neighbours is not shown, as --impute filled values in" in said
    assert "optimistic" not in said
    assert "optimistic" in run("select", wine, *options).stdout


def test_tune_chooses_the_number_for_other_methods(wine, arrays):
    options = ["--tune", "-k", "auto", "--method", "paircover", "--no-verdict"]
    table, (line,) = printed(succeeds("select", wine, "-t", "cultivar", *options))
    tuned = SelectorCV(selector=PairCover()).fit(*arrays)
    assert len(table) == len(tuned.indices_)
    assert line.startswith(f"Chosen by 5-fold cross-validation: {len(tuned.indices_)} feature(s);")


VERDICTS = [
    (["-k", 3], {"s2fs": S2FS(3), "paircover": PairCover(3), "anovaf": AnovaF(3)}),
    (["-k", 2, "--method", "paircover"], {"paircover": PairCover(2), "anovaf": AnovaF(2)}),
    (
        ["-k", "auto", "--method", "paircover", "--tune"],
        {"paircover": SelectorCV(selector=PairCover()), "anovaf": AnovaF(5)},
    ),
    (
        ["-k", 3, "--exclude", "proline", "--class-weight", "balanced"],
        {"s2fs": S2FS(3, exclude=[12], class_weight="balanced"),
         "paircover": PairCover(3), "anovaf": AnovaF(3)},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("options", "selectors"), VERDICTS, ids=str)
def test_ends_with_a_verdict_from_the_same_folds(wine, arrays, options, selectors):
    output = succeeds("select", wine, "-t", "cultivar", *options)
    assert max(map(len, output.splitlines())) <= 80
    title, table, verdict = output.rstrip("\n").split("\n\n")[-3:]
    assert "5 nearest neighbours, 5 folds, features selected\ninside the folds" in title
    truth = compare(*arrays, k=None, selectors=selectors)
    assert " ".join(verdict.split()) == truth.verdict
    rows = [re.split(r"\s{2,}", line) for line in table.splitlines()]
    assert rows[0] == ["selected by", "features", "accuracy %", "balanced %"]
    for (name, k, accuracy, balanced), row in zip(rows[1:], truth.rows, strict=True):
        assert (name, float(k)) == (row["selector"], round(row["n_features"], 1))
        assert accuracy.split(" ± ")[0] == f"{100 * row['accuracy']:.1f}"
        assert balanced.split(" ± ")[1] == f"{100 * row['balanced_accuracy_spread']:.1f}"


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ("u" * 9 + "v", "class 'v' has a single sample, and cross-validation needs two."),
        ("uuuvvv", "6 samples are too few for cross-validation with 5 nearest neighbours."),
    ],
)
def test_why_there_is_no_verdict(tmp_path, y, words):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{i * i % 7},{i % 5},{c}\n" for i, c in enumerate(y)))
    result = run("select", path, "-t", "y", "-k", 1)
    assert (result.exit_code, result.stderr) == (0, f"No verdict: {words}\n")
    assert len(printed(result.stdout)[0]) == 1


def test_save(wine, arrays, tmp_path):
    model = tmp_path / "wine.json"
    succeeds("select", wine, "-t", "cultivar", "-k", 4, "--alpha", 0.1, "--save", model)
    selection = Selection.load(model)
    assert selection.indices == tuple(S2FS(4, alpha=0.1).fit(*arrays).indices_.tolist())
    assert selection.feature_names[0] == "flavanoids"
    assert json.loads(model.read_text(encoding="utf-8"))["parameters"]["alpha"] == 0.1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--tune", "--alpha", "0.1"], "--alpha and --tune contradict each other"),
        (["--tune", "--search", "beam"], "--search and --tune contradict each other"),
        (["--stability", "1"], "'--stability': 1 is not in the range x>=2"),
        (["--include", "alcohl"], "--include has 'alcohl', but"),
        (["--include", "alcohl"], "did you mean 'alcohol'?"),
        (["--include", "ash", "--exclude", "2"], "include and exclude share"),
        (["--search", "sideways"], "'sideways' is not one of"),
        (["--save", "model.pkl"], "--save is 'model.pkl'; give a name that ends in .json"),
        (
            ["--save", "no/such/m.json"],
            "--save is 'no/such/m.json', but 'no/such' is not a directory",
        ),
        (["--save", "a.json", "-o", "./a.json"], "--save and --output are both 'a.json'"),
        (["-k", "some"], "'some'; give a whole number from 1, a fraction up to 1.0 such as 0.1, a"),
        (["--max-correlation", "2"], "'--max-correlation': 2.0 is not in the range 0<=x<=1"),
        (
            ["--method", "pair"],
            "'pair' (did you mean 'paircover'?); choose from s2fs, paircover, s2fs-rms",
        ),
        (
            ["--method", "paircover", "--alpha", "1"],
            "--alpha is not for --method paircover; leave it out",
        ),
        (
            ["--method", "paircover", "--no-scale"],
            "--no-scale is not for --method paircover; leave it out",
        ),
        (
            ["--method", "AnovaF", "--search", "beam"],
            "--search is not for --method anovaf; leave it out, or use --method s2fs or paircover.",
        ),
        (["--method", "sfss", "--include", "ash"], "--include is not for --method sfss; leave it"),
        (
            ["--method", "sfss", "-k", "auto"],
            "--n-features is auto, which --method sfss cannot decide alone",
        ),
        (
            ["--method", "paircover", "--tune"],
            "--tune chooses the number of features for --method p",
        ),
        (["--scheduler", "tcp://x:1", "--tune"], "--tune needs all rows in one place"),
        (["--scheduler", "tcp://x:1", "--stability", "5"], "--stability needs all rows in one"),
    ],
)
def test_bad_options(wine, options, sentence):
    result = run("select", wine, "--target", "cultivar", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr
