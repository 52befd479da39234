"""The options of ``s2fs select`` beyond a plain ranking, against the estimators they stand for."""

import json
import re
from io import StringIO

import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine

from s2fs import S2FS, S2FSCV, Selection, StabilitySelector
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
    return pd.read_csv(StringIO(table), sep=r"\s+"), [line.strip() for line in lines]


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
        (["--class-weight", "balanced"], {"class_weight": "balanced"}),
        (
            ["--include", "ash", "--include", 4, "--exclude", "flavanoids"],
            {"include": [2, 4], "exclude": [6]},
        ),
    ],
    ids=str,
)
def test_options_are_those_of_the_estimator(wine, arrays, options, parameters):
    table, _ = printed(succeeds("select", wine, "-t", "cultivar", *options))
    fit = S2FS(**parameters).fit(*arrays)
    names = read_table(wine, "cultivar").feature_names
    assert table["feature"].tolist() == [names[f] for f in fit.indices_]


@pytest.mark.parametrize(("k", "number"), [("auto", "auto"), (3, 3)])
def test_tune(wine, arrays, k, number):
    table, (line,) = printed(succeeds("select", wine, "-t", "cultivar", "--tune", "-k", k))
    tuned = S2FSCV(number).fit(*arrays)
    best = tuned.best_params_
    assert len(table) == len(tuned.indices_) == best["n_features_to_select"]
    assert table["sep"].tolist() == pytest.approx(tuned.scores_.tolist(), rel=1e-5)
    assert line.startswith(
        f"Chosen by 5-fold cross-validation: alpha {best['alpha']:g}, beta {best['beta']:g}, "
        f"{best['n_features_to_select']} feature(s); accuracy of 5 nearest neighbours "
        f"{tuned.best_score_:.1%}"
    )


def test_stability(wine, arrays, tmp_path):
    output = tmp_path / "r.csv"
    options = ["-k", 3, "--stability", 12, "--n-jobs", 2, "-o", output]
    table, (line,) = printed(succeeds("select", wine, "-t", "cultivar", *options))
    stable = StabilitySelector(selector=S2FS(3), n_resamples=12).fit(*arrays)
    chosen = S2FS(3).fit(*arrays).indices_
    assert table["frequency"].tolist() == pytest.approx(stable.frequencies_[chosen].tolist())
    assert pd.read_csv(output)["frequency"].tolist() == stable.frequencies_[chosen].tolist()
    numbers = re.findall(r"\d\.\d{3}", line)
    index = stable.stability_
    assert numbers == [f"{value:.3f}" for value in (index.value, index.low, index.high)]
    _, (line,) = printed(succeeds("select", wine, "-t", "cultivar", "-k", 13, "--stability", 2))
    assert "no stability to measure" in line


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
        (["--save", "no/such/m.json"], "--save is 'no/such/m.json', but 'no/such' is no directory"),
        (["--save", "a.json", "-o", "./a.json"], "--save and --output are both 'a.json'"),
        (["-k", "all"], "'all'; give a whole number from 1, a fraction up to 1.0 such as 0.1, or"),
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
