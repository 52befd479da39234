"""The report of a bench: every number of the tables is on the page, ours and the published ones."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from click.testing import CliRunner

from benches import MadeUp, made_up_results, result, small_results
from report.pages import Page
from s2fs.cli import main
from s2fs.evaluation import Curve
from s2fs_bench import (
    PAPER_DATASETS,
    Ledger,
    bench_report,
    build_tables,
    iter_results,
    published_results,
)

DATE = datetime(2025, 6, 1, 12, 30)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return small_results(tmp_path_factory.mktemp("results"))


def page_of(found, folder):
    path = bench_report(MadeUp(found), folder / "bench.html", title="A <bench>", date=DATE)
    return path.read_text(encoding="utf-8")


def test_the_table_holds_ours_and_the_published_numbers(tmp_path):
    found = made_up_results()
    page = Page(page_of(found, tmp_path))
    words = {"max": "best accuracy", "ave": "average accuracy"}
    for table in build_tables(found):
        for i, dataset in enumerate(table.datasets):
            expected = [dataset, "5-NN", words[table.statistic]]
            for ours, published in zip(table.ours[i], table.published[i], strict=True):
                beside = f" {published:.3f}" if published == published else ""
                expected.append(f"{ours:.3f}{beside}")
            assert expected in page.rows


def test_published_numbers_stand_below_ours(tmp_path):
    one = result("srbct", "N3Y", [0.5, 0.6, 0.7])
    run = replace(one.run, sizes=tuple(range(1, 151)), data_hash=PAPER_DATASETS["srbct"].content)
    curve = Curve("knn", np.arange(1, 151), {"accuracy": np.full(150, 0.5)})
    page = Page(page_of([replace(one, run=run, curves={"knn": curve})], tmp_path))
    published = published_results()["knn", "max", "SRBCT", "N3Y"]
    assert ["SRBCT", "5-NN", "best accuracy", f"0.500 {published:.3f}"] in page.rows


def test_published_numbers_of_another_experiment_are_not_shown(tmp_path):
    text = page_of(made_up_results(), tmp_path)  # three sizes, and data that are not the paper's
    assert "<small>" not in text
    assert "Published numbers are left out where the experiment differs: sizes 1 to 3" in text
    assert "The published numbers are those of" not in text


def test_the_summary_comes_first_and_only_honest_columns_compete(tmp_path):
    text = page_of(made_up_results(), tmp_path)
    page = Page(text)
    assert (
        text.index('id="s0-summary"') < text.index('id="s0-tables"') < text.index('id="s0-times"')
    )
    default = "S²FS α = β = 0.0316"
    ranks = {row[0]: row[1:] for row in page.rows if len(row) == 6 and row[0] in (default, "FDM")}
    # On all four datasets S²FS is first and FDM the fourth of five.
    assert ranks == {
        default: ["1.00", "1.00", "–", "–", "–"],
        "FDM": ["4.00", "4.00", "4", "0", "0"],
    }
    (heading,) = (row for row in page.rows if row[:3] == ["dataset", "learner", "statistic"])
    assert "S²FS best weighting (chosen on the test results)" in heading
    table = text[text.index('id="s0-results"') :]
    first = table[table.index("<tbody>") : table.index("</tr>", table.index("<tbody>"))]
    cells = first.split("<td")[3:]
    assert 'class="best"' in cells[0]  # of the default weighting
    assert 'class="tuned"' in cells[1]
    assert "best" not in cells[1]
    words = (f"{default} ranks significantly above", "has no significant difference from")
    assert any(one in text for one in words)
    assert "Accuracy of one classifier on each algorithm&#39;s top features." in text
    assert "S²-DWC is S²FS without directions within classes" in text


def test_has_a_figure_for_each_dataset_and_diagrams(tmp_path):
    text = page_of(made_up_results(), tmp_path)
    page = Page(text)
    datasets = [v for tag, name, v in page.attributes if (tag, name) == ("figure", "data-dataset")]
    assert datasets == ["GLIOMA", "SRBCT", "ALL-AML-3", "Isolet"]
    assert page.tags["figcaption"] == 4 + 2 + 1  # and what the variants are, below the times
    assert page.tags["svg"] == 4 + 2 + 1  # curves, diagrams, and the times
    assert {name: count for name, count in page.ids.items() if count > 1} == {}
    assert "A &lt;bench&gt;" in text
    assert "† reconstructed" in text
    assert "2025-06-01 12:30" in text


def test_stability_and_times_come_from_the_results_file(file, tmp_path):
    with Ledger(file) as ledger:
        path = bench_report(ledger, tmp_path / "bench.html")
        found = list(iter_results(ledger))
    text = path.read_text(encoding="utf-8")
    stable = Page(text[text.index('id="s0-stabilities"') :]).rows[1]
    assert all(-1 <= float(value.replace("−", "-")) <= 1 for value in stable[1:])
    head, times = Page(text[text.index('id="s0-milliseconds"') :]).rows[:2]
    assert head == ["dataset", "S²FS", "ANOVA"]
    # The time of a selection, not of a fold with its learners.
    assert times == ["SRBCT (bundled)", *(f"{1000 * one.seconds:.2f}" for one in found)]


def test_the_reference_comes_first(file, tmp_path):
    done = CliRunner().invoke(
        main,
        ["bench", "report", str(file), "--out", str(tmp_path / "r.html"), "--reference", "ANOVA"],
    )
    assert done.exit_code == 0, done.output
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Wins, ties and losses are those of ANOVA against" in text


def test_leaky_results_are_called_so(tmp_path):
    found = [result("srbct", "FDM", [0.5, 0.6, 0.7], protocol="before")]
    assert "<strong>Leaky</strong>" in page_of(found, tmp_path)
    found = [result("srbct", "FDM", [0.5, 0.6, 0.7])]
    assert "Leaky" not in page_of(found, tmp_path)


def test_settings_that_differ_do_not_share_a_table(tmp_path):
    found = [
        result("srbct", "FDM", [0.5, 0.6, 0.7], protocol=protocol)
        for protocol in ("inside", "before")
    ]
    page = Page(page_of(found, tmp_path))
    assert {"s0-tables", "s1-tables"} <= set(page.ids)
    assert {name: count for name, count in page.ids.items() if count > 1} == {}


def test_the_command_says_where_it_wrote(file, tmp_path):
    out = tmp_path / "page.html"
    done = CliRunner().invoke(main, ["bench", "report", str(file), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert done.output == f"{out}\n"
    assert "<h1>tiny.sqlite</h1>" in out.read_text(encoding="utf-8")


def test_an_empty_results_file_is_refused(tmp_path):
    with (
        Ledger(tmp_path / "empty.sqlite", create=True) as ledger,
        pytest.raises(ValueError, match="no complete cross-validation yet"),
    ):
        bench_report(ledger, tmp_path / "bench.html")
    assert not (tmp_path / "bench.html").exists()
