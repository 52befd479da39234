import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from report.pages import Page
from s2fs import S2FS, PairCover
from s2fs.baselines import AnovaF
from s2fs.cli import main
from s2fs.datasets import load_srbct


def slow_accuracy(X, y, k=None, selector=S2FS):
    """The folds spelt out: scale, select ``k`` features, fit and predict, one after the other."""
    right = 0
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        scaled = (X - low) / (high - low)
        kept = slice(None) if k is None else selector(k).fit(X[train], y[train]).support_
        model = KNeighborsClassifier(5).fit(scaled[train][:, kept], y[train])
        right += (model.predict(scaled[test][:, kept]) == y[test]).sum()
    return right / len(y)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """What the demo prints and writes; it takes seconds, so all look at the same run."""
    report = tmp_path_factory.mktemp("demo") / "report.html"
    result = CliRunner().invoke(main, ["demo", "--report", str(report)])
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout, report


@pytest.fixture(scope="module")
def output(demo):
    return demo[0]


def test_ranking_is_that_of_the_estimator(output):
    data = load_srbct()
    selector = S2FS(20).fit(data.X, data.y)
    shown = re.findall(r"^ *\d+  (V\d+) ", output, flags=re.MULTILINE)
    assert shown == [data.feature_names[f] for f in selector.indices_]


def test_accuracies(output):
    data = load_srbct()
    rows = re.findall(r"^(.+?)  +(\d+\.\d)%  +(\d+\.\d)%$", output, flags=re.MULTILINE)
    shown = {name: (float(few), float(more)) for name, few, more in rows}
    everything = shown["all 2308"]
    assert everything[0] == everything[1] == round(100 * slow_accuracy(data.X, data.y), 1)
    for name, selector in (("S²FS", S2FS), ("PairCover", PairCover), ("ANOVA F", AnovaF)):
        truth = tuple(round(100 * slow_accuracy(data.X, data.y, k, selector), 1) for k in (5, 20))
        assert shown[f"selected by {name}, inside the folds"] == truth
        # Genes selected on all samples, those left out among them, would have shown.
        leaky = slow_accuracy(selector(5).fit_transform(data.X, data.y), data.y)
        assert truth[0] != round(100 * leaky, 1)
    rng = np.random.default_rng(0)
    draws = [rng.choice(2308, 20, replace=False) for _ in range(10)]
    mean = np.mean([slow_accuracy(data.X[:, genes], data.y) for genes in draws])
    assert shown["at random, mean of 10 draws"][1] == round(100 * mean, 1)
    few, more = shown["selected by S²FS, inside the folds"]
    assert more == 100 > few > shown["selected by ANOVA F, inside the folds"][0] > everything[0]


def test_says_how_long_it_took_and_what_to_do_next(output):
    assert re.search(r"^Took \d+\.\d s\.$", output, flags=re.MULTILINE)
    assert output.splitlines()[-1].startswith("Your own data: s2fs select FILE --target COLUMN")


def test_ends_by_saying_where_the_report_is(demo):
    output, report = demo
    assert f"Open the report in a browser: {report}" in output
    ranked = [row[1] for row in Page(report.read_text("utf-8")).rows if row[0].isdecimal()]
    assert len(ranked) == 20
    assert set(ranked) <= set(load_srbct().feature_names)


def test_the_readme_shows_what_it_prints(output):
    readme = Path(__file__).parents[2].joinpath("README.md").read_text("utf-8")
    (shown,) = re.findall(r"^```text\n(Accuracy.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    printed = output.splitlines()
    assert [line for line in shown.splitlines() if line not in printed] == []
