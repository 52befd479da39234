"""``s2fs compare`` against :func:`s2fs.compare`."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest

from s2fs import S2FS, PairCover, compare
from s2fs.cli import main
from s2fs.io import read_table


def run(*args):
    return CliRunner().invoke(main, ["compare", *map(str, args)])


def succeeds(*args):
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    path = tmp_path_factory.mktemp("wine") / "wine.csv"
    load_wine(as_frame=True).frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def arrays(wine):
    data = read_table(wine, "target")
    return data.X, data.y


def without_time(text):
    """Times differ from run to run."""
    return re.sub(r" +(seconds|\d+\.\d{3})$", "", text, flags=re.MULTILINE)


def test_prints_the_comparison(wine, arrays):
    shown = succeeds(wine, "-t", "target", "-k", 3)
    truth = compare(*arrays, k=3, selectors=["paircover", "s2fs", "anovaf"])
    assert without_time(shown).endswith(without_time(f"\n{truth}\n"))
    assert shown.startswith("Accuracy % on held-out samples by number of features:")
    assert (truth.n_splits, truth.n_repeats) == (5, 5)
    assert max(map(len, shown.splitlines())) <= 80


def test_options_and_files(wine, arrays, tmp_path):
    output = tmp_path / "c.json"
    names = "PairCover, sklearn.feature_selection:SelectKBest"
    options = ["-k", "4,2", "--selectors", names, "--learner", "svm", "--folds", 3, "--seed", 7]
    shown = succeeds(wine, "-t", "target", *options, "--repeats", 2, "-o", output)
    options = {"learner": "svm", "cv": 3, "n_repeats": 2, "random_state": 7}
    truth = compare(*arrays, k=[2, 4], selectors=[PairCover(), SelectKBest()], **options)
    rows = json.loads(output.read_text())
    expected = [row for size in (2, 4) for row in truth.at(size).rows]
    assert len(rows) == len(expected) == 10
    for row, known in zip(rows, expected, strict=True):
        assert row["selector"].rpartition(":")[2] == known.selector
        assert row["n_features"] == known.n_features
        for key in ("accuracy", "balanced_accuracy"):
            names = [key, *(f"{key}_{name}" for name in ("low", "high", "se"))]
            assert [row[name] for name in names] == list(known.scores[key])
        assert row["auc"] is None  # the learner gives no scores
        for name in ("stability", "redundancy"):
            assert row[name] == getattr(known, name)
    title, by_size, _, table, *_ = shown.split("\n\n")
    assert title == "Accuracy % on held-out samples by number of features:"
    lines = [re.split(r"\s{2,}", line.strip()) for line in by_size.splitlines()]
    assert lines[0] == ["selected by", "2", "4"]
    for place, line in enumerate(lines[1:]):
        accuracies = [
            f"{100 * truth.at(size).rows[place].scores['accuracy'].value:.1f}" for size in (2, 4)
        ]
        assert line[1:] == accuracies
    # Below it stands the number asked for: the last one.
    head, first = (re.split(r"\s{2,}", line) for line in table.splitlines()[:2])
    assert head[:2] == ["selected by", "top 4"]
    value = truth.rows[0].scores["accuracy"].value
    assert first[:2] == ["PairCover", f"{100 * value:.1f} %"]
    printed = " ".join(shown.replace("sklearn.feature_selection:", "").split())
    assert truth.verdict in printed


def test_one_page(wine, tmp_path):
    page = tmp_path / "page.html"
    options = ["-k", "2,3", "--selectors", "paircover", "--repeats", 2, "--report", page]
    shown = succeeds(wine, "-t", "target", *options)
    text = page.read_text("utf-8")
    verdict = " ".join(shown.split("\n\n")[-1].split())
    assert verdict in " ".join(text.split())
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_a_class_beside_the_data(wine, arrays, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_selector_of_two.py").write_text(
        "from s2fs import S2FS\nclass Mine(S2FS):\n"
        "    def __init__(self):\n        super().__init__(2)\n"
        "def broken():\n    raise TypeError('no')\n"
    )
    output = tmp_path / "c.csv"
    options = ["--selectors", "my_selector_of_two:Mine", "--repeats", 2, "-o", output]
    succeeds(wine, "-t", "target", *options)
    truth = compare(*arrays, k=None, selectors=[S2FS(2)], n_repeats=2)
    np.testing.assert_allclose(
        pd.read_csv(output)["accuracy"][0], truth.rows[0].scores["accuracy"].value
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--selectors", "paircove"],
            "--selectors has 'paircove' (did you mean 'paircover'?); choose from p",
        ),
        (["--selectors", ","], "it is empty; name at least one selector"),
        (["--selectors", "no_such_module:X"], "which cannot be imported: No module named"),
        (["--selectors", "sklearn.feature_selection:Nope"], "which cannot be imported: "),
        (["--selectors", "sklearn.feature_selection:RFE"], "which needs arguments (RFE.__init__"),
        (["--selectors", "sklearn.svm:SVC"], "selectors has a SVC, which has no get_support"),
        (["-k", "2,x"], "'2,x'; give a whole number from 1, or several such as 5,10,20."),
        (["-k", "0"], "'0'; give a whole number from 1, or several such as 5,10,20."),
        (["--repeats", "0"], "'--repeats': 0 is not in the range x>=1"),
        (["--folds", "1"], "'--folds': 1 is not in the range x>=2"),
        (["--learner", "tree"], "'tree'; choose from logistic, knn"),
        (["-o", "c.txt"], "--output is 'c.txt'"),
        (["--report", "c.txt"], "--report is 'c.txt'"),
    ],
)
def test_bad_options(wine, options, sentence):
    result = run(wine, "-t", "target", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr
