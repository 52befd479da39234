"""The report of a bench: every number of the tables is on the page, ours and the published ones."""

from datetime import datetime

import pytest
from click.testing import CliRunner

from bench.benches import made_up_file, made_up_results, result, small_results
from report.pages import Page
from s2fs.bench import Ledger, bench_report, build_tables
from s2fs.cli import main

DATE = datetime(2025, 6, 1, 12, 30)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return small_results(tmp_path_factory.mktemp("results"))


def page_of(found, folder, name="made-up.sqlite"):
    with Ledger(made_up_file(found, folder / name)) as ledger:
        path = bench_report(ledger, folder / "bench.html", title="A <bench>", date=DATE)
    return path.read_text(encoding="utf-8")


def test_tables_hold_ours_and_the_published_numbers(tmp_path):
    found = made_up_results()
    page = Page(page_of(found, tmp_path))
    for table in build_tables(found):
        width = len(table.columns) + 1
        shown = [row for row in page.rows if len(row) == width and row[0] in table.datasets]
        for i, dataset in enumerate(table.datasets):
            expected = [dataset]
            for ours, published in zip(table.ours[i], table.published[i], strict=True):
                beside = f" {published:.4f}" if published == published else ""
                expected.append(f"{ours:.4f}{beside}")
            assert expected in shown


def test_has_a_figure_for_each_dataset_and_diagrams(tmp_path):
    text = page_of(made_up_results(), tmp_path)
    page = Page(text)
    datasets = [v for _, name, v in page.attributes if name == "data-dataset"]
    assert datasets == ["GLIOMA", "SRBCT", "ALL-AML-3", "Isolet"]
    assert page.tags["svg"] == page.tags["figcaption"] == 4 + 2
    assert {name: count for name, count in page.ids.items() if count > 1} == {}
    assert "A &lt;bench&gt;" in text
    assert "† reconstructed" in text
    assert "2025-06-01 12:30" in text


def test_stability_and_times_come_from_the_results_file(file, tmp_path):
    with Ledger(file) as ledger:
        path = bench_report(ledger, tmp_path / "bench.html")
        seconds = {}
        for entry in ledger.entries():
            name = entry.run.selector.name
            seconds[name] = seconds.get(name, 0) + entry.seconds
    rows = Page(path.read_text(encoding="utf-8")).rows
    for name, total in seconds.items():
        assert ["SRBCT (bundled)", name, "2", f"{total:.1f}"] in rows
    stable = [row for row in rows if row[:2] == ["SRBCT (bundled)", "S2FS"] and row[3] == "1"]
    assert len(stable) == 1
    assert -1 <= float(stable[0][2]) <= 1


def test_leaky_results_are_called_so(tmp_path):
    found = [result("srbct", "FDM", [0.5, 0.6, 0.7], protocol="before")]
    assert "<strong>Leaky</strong>" in page_of(found, tmp_path)
    found = [result("srbct", "FDM", [0.5, 0.6, 0.7])]
    assert "Leaky" not in page_of(found, tmp_path, "honest.sqlite")


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
