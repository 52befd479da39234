import re
from pathlib import Path

import literal_evaluation as literal
import numpy as np
import pytest
from click.testing import CliRunner

from report.pages import Page
from s2fs import S2FS, PairCover
from s2fs.baselines import AnovaF
from s2fs.cli import main
from s2fs.datasets import load_srbct


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


def test_rankings_are_those_of_the_estimators(output):
    data = load_srbct()
    row = r"^ *\d+  (\S.*?) +([\d.]+)  (\S.*?) +([\d.]+)$"
    shown = re.findall(row, output, flags=re.MULTILINE)
    for place, kind in ((0, PairCover), (2, S2FS)):
        selector = kind(20).fit(data.X, data.y)
        assert [row[place] for row in shown] == [data.feature_names[f] for f in selector.indices_]
        scores = [float(row[place + 1]) for row in shown]
        assert scores == pytest.approx(selector.scores_.tolist(), rel=5e-3)


@pytest.fixture(scope="module")
def table(output):
    """The rows of the accuracies by name, and the headings."""
    (text,) = re.findall(r"^selected by .*?(?=\n\n)", output, flags=re.MULTILINE | re.DOTALL)
    head, *rows = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines())
    return head, {row[0]: row[1:] for row in rows}


def test_accuracies(output, table):
    """The folds spelt out: select, standardise, fit and predict, one after the other."""
    data = load_srbct()
    X, y = data.X, data.y
    repeats = literal.repeated_folds(y)
    head, rows = table
    kinds = {"PairCover": PairCover, "S²FS": S2FS, "ANOVA F": AnovaF}
    ranked = {
        name: [[kind(20).fit(X[a], y[a]).indices_ for a, _ in folds] for folds in repeats]
        for name, kind in kinds.items()
    }

    def predict(rankings):
        one = np.full((5, len(y)), -1)
        for row, folds, some in zip(one, repeats, rankings, strict=True):
            for fold, ranking in zip(folds, some, strict=True):
                row[fold[1]] = literal.predict(X, y, fold, ranking)
        return one

    assert head == ["selected by", "top 20", "95 % interval", "balanced", "AUC", "stability"]
    everything = [[np.arange(2308)] * 5] * 5
    for name, rankings in {**ranked, "all 2,308 features": everything}.items():
        share = literal.accuracy(predict(rankings), y)[0]
        ends = " to ".join(f"{100 * end:.1f}" for end in literal.wilson(share, 0.8 * 83))
        assert rows[name][:2] == [f"{100 * share:.1f} %", ends]
    assert rows["majority class"] == ["34.9 %", "25.0 %", "0.50"]
    verdict = " ".join(output.split())
    accuracy, ends = rows["PairCover"][:2]
    told = f"20 features by PairCover: accuracy {accuracy} on held-out samples ({ends})."
    assert told in verdict


def test_says_how_long_it_took_and_what_to_do_next(output):
    assert re.search(r"^Took \d+\.\d s\.$", output, flags=re.MULTILINE)
    assert output.splitlines()[-1].startswith("Your own data: s2fs select FILE --target COLUMN")


def test_ends_by_saying_where_the_report_is(demo):
    output, report = demo
    assert f"Open the report in a browser: {report}" in output
    ranked = [row[1] for row in Page(report.read_text("utf-8")).rows if row[0].isdecimal()]
    assert len(ranked) == 20
    data = load_srbct()
    assert ranked == [data.feature_names[f] for f in PairCover(20).fit(data.X, data.y).indices_]


def test_the_report_says_the_same(demo, table):
    output, report = demo
    page = Page(report.read_text("utf-8"))
    verdict = re.search(r"\n\n(\d+ features by .*?)\n\n", output, flags=re.DOTALL)[1]
    assert " ".join(verdict.split()) in " ".join("".join(page.text).split())
    beside = {row[0]: row[1:] for row in page.rows if len(row) == 6}
    for name, cells in table[1].items():
        # The page has the interval of the AUC, too.
        assert [cell.partition(" (")[0] for cell in beside[name] if cell != "–"] == [
            cell.removesuffix(" %") for cell in cells
        ]


def test_the_readme_shows_what_it_prints(output):
    readme = Path(__file__).parents[2].joinpath("README.md").read_text("utf-8")
    (shown,) = re.findall(r"^```text\n(Accuracy.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    printed = output.splitlines()
    table = [line for line in shown.splitlines() if "  " in line]
    assert len(table) > 3
    assert [line for line in table if line not in printed] == []
    # Sentences may be broken at other words.
    assert " ".join(shown.split()) in " ".join(output.split())
