"""Tables: the paper's own numbers give the paper's own marks, ranks and tests."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import rankdata

from benches import MadeUp, published_table
from s2fs.baselines import BASELINES
from s2fs.evaluation import Curve
from s2fs_bench import (
    PAPER_DATASETS,
    PAPER_LEARNERS,
    Column,
    Result,
    Run,
    SelectorSpec,
    Table,
    build_tables,
    compare_ranks,
    published_results,
    write_tables,
)

#: F_F as published.
F_F = {
    "max": {"cart": 15.3958, "knn": 18.4042, "svm": 15.2697, "kmeans": 24.8028},
    "ave": {"cart": 21.0668, "knn": 22.0702, "svm": 15.4123, "kmeans": 27.9357},
}
EIGHT = [(learner, statistic) for learner in PAPER_LEARNERS for statistic in ("max", "ave")]


@pytest.mark.parametrize(("learner", "statistic"), EIGHT)
def test_published_numbers_give_the_published_statistics(learner, statistic):
    table = published_table(learner, statistic)
    assert table.ours.shape == (10, 9)
    (comparison,) = compare_ranks(table)
    assert round(comparison.friedman.statistic, 4) == F_F[statistic][learner]
    ranks = rankdata(-table.ours, axis=1).mean(axis=0)
    assert np.allclose(comparison.friedman.average_ranks, ranks)
    assert np.allclose(comparison.published_ranks, ranks)


def test_published_verdicts():
    verdicts = [
        comparison.verdict(j)
        for learner, statistic in EIGHT
        for comparison in compare_ranks(published_table(learner, statistic))
        for j in range(1, 9)
    ]
    assert (verdicts.count("better"), verdicts.count("cannot be told from")) == (35, 29)


@pytest.mark.parametrize(("learner", "statistic"), EIGHT)
def test_best_and_second_by_hand(learner, statistic):
    table = published_table(learner, statistic)
    for values, marks in zip(table.ours, table.marks(), strict=True):
        best = max(values)
        second = max(v for v in values if v < best)
        expected = ["best" if v == best else "second" if v == second else "" for v in values]
        assert marks == expected


def test_wins_ties_and_losses_by_hand():
    table = published_table("knn", "max")
    (comparison,) = compare_ranks(table)
    for j in range(9):
        pairs = [(row[0], row[j]) for row in table.ours]
        assert comparison.wins[j] == sum(a > b for a, b in pairs)
        assert comparison.ties[j] == sum(a == b for a, b in pairs)
        assert comparison.losses[j] == sum(a < b for a, b in pairs)


def small(**changes):
    table = Table(
        "svm",
        "max",
        ("Yale", "Other"),
        (
            Column("S2FS", "best", ""),
            Column("S2FS", "inside", ""),
            Column("IPD", "fixed", "reconstructed"),
            Column("RDSI", "fixed", "partly reconstructed"),
        ),
        np.array([[0.7, 0.9, 0.70001, 0.6], [0.5, 0.2, np.nan, 0.4]]),
        np.array([[0.7030, 0.7030, 0.5, 0.6], [np.nan] * 4]),
    )
    return replace(table, **changes)


def test_columns_beside_take_no_part():
    table = small()
    assert table.compared() == [0, 2, 3]
    assert table.beside() == [Column("S2FS", "inside", "")]
    # 0.70001 is shown as 0.7000: a tie. The inside column is best but stands beside.
    assert table.marks() == [["best", "", "best", "second"], ["best", "", "", "second"]]


def test_columns_beside_are_compared_in_their_turn():
    complete = small(ours=np.array([[0.7, 0.9, 0.8, 0.6], [0.5, 0.2, 0.3, 0.4]]))
    best, inside = compare_ranks(complete)
    assert [column.how for column in best.columns] == ["best", "fixed", "fixed"]
    assert [column.how for column in inside.columns] == ["inside", "fixed", "fixed"]
    assert best.wins.tolist() == [0, 1, 2]
    assert inside.losses.tolist() == [0, 1, 1]
    assert best.published_ranks is None


def test_incomplete_datasets_are_not_compared():
    assert list(compare_ranks(small())) == []


def written(found, folder):
    """The files that results are written to, as text by their names."""
    paths = write_tables(MadeUp(found), folder)
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def of_svm(name, dataset, value, **spec):
    """A result of the paper's experiment whose best and average score are the same."""
    one = as_in_paper(result(name, **spec), value)
    run = replace(one.run, dataset=dataset.lower(), dataset_title=dataset, learners=("svm",))
    return replace(one, run=run, curves={"svm": replace(one.curves["knn"], learner="svm")})


def as_in_paper(one, value=0.5):
    """The same result as if the plan "paper" had given it on the paper's Yale."""
    sizes = tuple(range(1, 151))
    given = {"completion": "published"} if one.selector.name in ("FDM", "IPD", "RDSI") else {}
    if one.selector.name == "S2FS":
        given = {"scale": "minmax"}
    spec = replace(one.selector, parameters=given)
    run = replace(one.run, sizes=sizes, selector=spec, data_hash=PAPER_DATASETS["yale"].content)
    curve = Curve("knn", np.array(sizes), {"accuracy": np.full(150, value)})
    return replace(one, run=run, curves={"knn": curve})


def four_columns(*, rdsi=(0.6, 0.4), ipd=(0.70001, None)):
    """Weights tuned on the test data, chosen inside, and two baselines, on two datasets."""
    grid = {"alphas": (0.01,), "betas": (0.01,)}
    inside = {"chosen": ((0.01, 0.01),), "tune": "inside", **grid}
    found = []
    for i, dataset in enumerate(("Yale", "Other")):
        found.append(of_svm("S2FS", dataset, (0.7, 0.5)[i], weights=(0.01, 0.01), **grid))
        found.append(of_svm("S2FS", dataset, (0.9, 0.2)[i], **inside))
        found.append(of_svm("RDSI", dataset, rdsi[i]))
        if ipd[i] is not None:
            found.append(of_svm("IPD", dataset, ipd[i]))
    return found


#: What the paper has for Yale, in the order of the columns.
PUBLISHED = [published_results()["svm", "max", "Yale", a] for a in ("S2FS", "S2FS", "RDSI", "IPD")]


def test_markdown(tmp_path):
    text = written(four_columns(), tmp_path)["tables.md"]
    lines = text[text.index("## SVM, Max accuracy") :].splitlines()[2:]
    headings = "S²FS weighting chosen inside | S²FS best weighting | RDSI‡ | IPD†"
    assert lines[0] == f"| Dataset | {headings} |"
    ours = [0.9, 0.7, 0.6, 0.70001]
    beside = [f"({p:.4f}, {v - p:+.4f})" for v, p in zip(ours, PUBLISHED, strict=True)]
    beside = [cell.replace("-", "−") for cell in beside]  # a real minus sign
    assert lines[2] == (
        f"| Yale | **0.9000** {beside[0]} | 0.7000 {beside[1]} "
        f"| 0.6000 {beside[2]} | <u>0.7000</u> {beside[3]} |"
    )
    assert lines[3] == "| Other | <u>0.2000</u> | 0.5000 | **0.4000** | – |"
    # Of two datasets one is complete.
    assert lines[4] == "| Mean of 1 | 0.9000 | 0.7000 | 0.6000 | 0.7000 |"


def test_rows_of_means_and_average_ranks(tmp_path):
    text = written(four_columns(ipd=(0.95, 0.3)), tmp_path)["tables.md"]
    lines = text[text.index("## SVM, Max accuracy") :].splitlines()[2:]
    assert lines[4] == "| Mean | 0.5500 | 0.6000 | 0.5000 | 0.6250 |"
    # Inside: 2 and 3; beside it the best weighting takes its place: 2 and 1.
    assert lines[5] == "| Average rank | 2.50 | 1.50 | 2.00 | 1.50 |"


def test_latex(tmp_path):
    text = written(four_columns(ipd=(0.95, 0.3)), tmp_path)["tables.tex"]
    assert r"S\textsuperscript{2}FS weighting chosen inside &" in text
    inside, best = (f"({PUBLISHED[0]:.4f}; ${v - PUBLISHED[0]:+.4f}$)" for v in (0.9, 0.7))
    assert rf"Yale & \underline{{0.9000}} {inside} & 0.7000 {best} &" in text
    assert r"Other & 0.2000 & 0.5000 & \textbf{0.4000} & \underline{0.3000} \\" in text
    assert r"\label{tab:svm-max}" in text
    caption = next(line for line in text.splitlines() if line.startswith(r"\caption"))
    assert r"$\dagger$: reconstructed algorithm, so a" in caption
    (comparison, _) = compare_ranks(build_tables(four_columns(ipd=(0.95, 0.3)))[0])
    assert f"$F_F$ = {comparison.friedman.statistic:.4f}" in caption
    assert f"critical difference {comparison.nemenyi.critical_difference:.4f}" in caption
    assert r"Wins / ties / losses & -- & -- & 1 / 0 / 1 & 0 / 0 / 2 \\" in text
    assert r"Difference & -- & -- & $+0.0500$ & $-0.0750$ \\" in text
    assert text.isascii()
    for environment in ("table", "tabular"):
        begun, ended = (text.count(rf"\{word}{{{environment}}}") for word in ("begin", "end"))
        assert begun == ended == 3  # Max, Ave, times


def test_latex_takes_any_name(tmp_path):
    found = [
        replace(one, run=replace(one.run, selector=replace(one.selector, name="my_own & 50%")))
        for one in (result("FDM"), result("FDM", seed=1))
    ]
    text = written(found, tmp_path)["tables.tex"]
    assert r"my\_own \& 50\%" in text
    assert "my_own" not in text


def test_columns_are_in_the_order_of_the_plan():
    names = ["SFSS", "FDM", "S2FS", "IPD"]
    (table, _) = build_tables([result(name) for name in names])
    assert [column.algorithm for column in table.columns] == names


def two_datasets(*names):
    """Some selectors on two datasets; each is better than the one before."""
    return [
        replace(one, run=replace(one.run, dataset=d, dataset_title=d, data_hash=d))
        for d in ("a", "b")
        for i, name in enumerate(names)
        for one in [result(name, (0.5 + i / 10, 0.6 + i / 10))]
    ]


def test_the_reference_is_held_against_the_others(tmp_path):
    found = two_datasets("FDM", "IPD", "S2FS")
    write_tables(MadeUp(found), tmp_path, reference="IPD")
    rows = list(csv.DictReader((tmp_path / "comparisons.csv").read_text("utf-8").splitlines()))
    rows = [row for row in rows if row["statistic"] == "max"]
    assert [row["algorithm"] for row in rows] == ["IPD", "FDM", "S2FS"]
    assert {row["reference"] for row in rows} == {"IPD"}
    assert [row["wins"] for row in rows] == ["", "2", "0"]
    assert [row["losses"] for row in rows] == ["", "0", "2"]
    assert float(rows[1]["mean_difference"]) == pytest.approx(0.1)
    assert float(rows[2]["effect_size"]) == -1
    headings = [c.algorithm for c in build_tables(found)[0].columns]
    assert headings == ["FDM", "IPD", "S2FS"]  # the table stays in the order of the plan
    with pytest.raises(ValueError, match=r"reference is 'IDP'.*did you mean 'IPD'\?.*FDM, IPD"):
        write_tables(MadeUp(found), tmp_path, reference="IDP")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"n_folds": 5}, "5 folds instead of 10"),
        ({"sizes": (5, 10, 20, 50)}, "sizes 5 to 50, 4 of them, instead of 1 to 150"),
        ({"protocol": "before"}, "features selected before the split instead of inside"),
        ({"data_hash": "wine"}, "Yale holds other data than the paper's table of that name"),
        ({"score": "balanced_accuracy"}, "balanced accuracy instead of accuracy"),
    ],
)
def test_published_numbers_stand_beside_the_papers_experiment_alone(change, reason, tmp_path):
    same = as_in_paper(result("FDM"))
    (table, _) = build_tables([same])
    assert table.published[0, 0] == published_results()["knn", "max", "Yale", "FDM"]
    assert table.remarks == ()
    other = replace(same, run=replace(same.run, **change))
    (table, _) = build_tables([other])
    assert not table.has_published
    (remark,) = table.remarks
    assert remark.startswith("Published numbers are left out where the experiment differs: ")
    assert reason in remark
    files = written([other], tmp_path)
    assert remark in files["tables.md"]
    assert "published" not in files["tables.md"].replace(remark, "")


@pytest.mark.parametrize(
    "change", [{"method": "mine:FDM"}, {"parameters": {"completion": "importance"}}]
)
def test_a_selector_named_like_the_papers_does_not_inherit_its_numbers(change):
    same = as_in_paper(result("FDM"))
    other = replace(same, run=replace(same.run, selector=replace(same.selector, **change)))
    (table, _) = build_tables([other])
    assert not table.has_published
    assert "FDM has another class or other parameters than in the plan paper" in table.remarks[0]


def test_names_that_are_not_the_papers_need_no_excuse():
    one = result("FDM")
    other = replace(one, run=replace(one.run, dataset="mine", dataset_title="mine", n_folds=5))
    assert build_tables([other])[0].remarks == ()


def test_leaky_results_are_called_leaky_everywhere(tmp_path):
    honest = four_columns(rdsi=(0.6, 0.4), ipd=(0.8, 0.3))
    leaky = [replace(one, run=replace(one.run, protocol="before")) for one in honest]
    assert all(table.leaky for table in build_tables(leaky))
    files = written(leaky, tmp_path)
    assert "leaky: selected before the split" in files["tables.tex"]
    for name in ("tables.csv", "comparisons.csv"):
        rows = list(csv.DictReader(files[name].splitlines()))
        assert {row["leaky"] for row in rows} == {"True"}
    text = files["tables.md"]
    assert "**Leaky**" in text
    assert "## SVM, Max accuracy (leaky: selected before the split)" in text
    assert "### SVM, Max (leaky): S²FS weighting chosen inside against the others" in text
    assert "leaky" not in written(honest, tmp_path)["tables.md"].lower()


def test_csv(tmp_path):
    files = written(four_columns(), tmp_path)
    rows = list(csv.DictReader(files["tables.csv"].splitlines()))
    rows = [row for row in rows if row["statistic"] == "max"]
    assert len(rows) == 8
    first, tuned = rows[:2]
    assert (first["algorithm"], first["weights"], first["mark"]) == ("S2FS", "inside", "best")
    assert (tuned["algorithm"], tuned["weights"], tuned["mark"]) == ("S2FS", "best", "")
    assert float(first["difference"]) == pytest.approx(0.9 - PUBLISHED[0])
    assert rows[3]["status"] == "reconstructed"
    assert files["comparisons.csv"] == ""  # one dataset is not complete


def test_comparisons_of_the_published_numbers(tmp_path):
    table = published_table("knn", "max")
    found = []
    for dataset, row in zip(table.datasets, table.ours, strict=True):
        for column, value in zip(table.columns, row, strict=True):
            one = result("S2FS" if column.algorithm == "S2FS" else "FDM", (value, value))
            spec = SelectorSpec(column.algorithm, f"published:{column.algorithm}", {})
            run = replace(one.run, selector=spec, dataset=dataset, dataset_title=dataset)
            found.append(replace(one, run=replace(run, status="confirmed")))
    rows = csv.DictReader(written(found, tmp_path)["comparisons.csv"].splitlines())
    lines = [row for row in rows if row["statistic"] == "max"]
    assert len(lines) == 9
    assert {line["status"] for line in lines} == {"confirmed"}  # as published, all are originals
    assert float(lines[0]["critical_difference"]) == pytest.approx(3.7988, abs=1e-4)
    assert round(float(lines[0]["F_F"]), 4) == F_F["max"]["knn"]


def test_srbct_has_83_samples_in_the_paper():
    best = np.array(
        [
            value
            for (learner, statistic, dataset, _), value in published_results().items()
            if (statistic, dataset) == ("max", "SRBCT") and learner != "kmeans"
        ]
    )
    off = {n: np.abs(np.round(best * n) / n - best).max() for n in (83, 84)}
    assert off[83] < 0.5e-4 < off[84]  # accuracies have four decimals


def test_all_720_numbers_are_there():
    numbers = published_results()
    assert len(numbers) == 720
    assert all(0 < value <= 1 for value in numbers.values())
    # Max and Ave as the protocol notes quote them.
    assert numbers["knn", "ave", "GLIOMA", "S2FS"] == pytest.approx(0.81, abs=0.005)


def result(name="S2FS", values=(0.5, 0.7), *, seed=0, **spec):
    weights, chosen = spec.pop("weights", None), spec.pop("chosen", ())
    selector = SelectorSpec(name, spec.pop("method", name), {}, **spec)
    run = Run(
        *("yale", "h", selector, "inside", 0, 10, seed, (1, 2), ("knn",)),
        status="confirmed" if name == "S2FS" else BASELINES[name].status,
        dataset_title="Yale",
    )
    curve = Curve("knn", np.array([1, 2]), {"accuracy": np.array(values)})
    return Result(run, weights, chosen, {"knn": curve}, np.array([np.nan, 0.5]), np.zeros(2), 0.1)


def test_cells_of_every_kind():
    pairs = {"alphas": (0.01, 0.0316), "betas": (0.0316,)}
    max_, ave = build_tables(
        [
            result("IPD", (0.1, 0.9)),
            result(values=(0.2, 0.9), weights=(0.01, 0.0316), **pairs),
            result(values=(0.6, 0.7), weights=(0.0316, 0.0316), **pairs),
            result(values=(0.3, 0.4), chosen=((0.01, 0.01),), tune="inside", **pairs),
        ]
    )
    assert [c.heading for c in max_.columns] == [
        "IPD†",
        "S²FS weighting chosen inside",
        "S²FS α = β = 0.0316",
        "S²FS best weighting",
    ]
    assert max_.columns[-1].label == "S²FS best weighting, chosen on the test results"
    assert max_.datasets == ("Yale",)
    # The best weighting is another one for Max than for Ave.
    assert np.allclose(max_.ours, [[0.9, 0.4, 0.7, 0.9]])
    assert np.allclose(ave.ours, [[0.5, 0.35, 0.65, 0.65]])
    assert max_.compared() == [0, 1]


def test_seeds_are_averaged(tmp_path):
    found = [result("FDM", (0.4, 0.4)), result("FDM", (0.6, 0.6), seed=1)]
    (table, _) = build_tables(found)
    assert np.allclose(table.ours, [[0.5]])
    assert np.allclose(table.spread, [[np.std([0.4, 0.6], ddof=1)]])
    assert "| Yale | **0.5000** ± 0.1414 |" in written(found, tmp_path)["tables.md"]
    assert build_tables(found[:1])[0].spread is None


def test_settings_keep_what_differs_apart(tmp_path):
    one = result()
    beside = replace(one, run=replace(one.run, dataset="other", dataset_title="Other"))
    other = replace(one, run=replace(one.run, n_folds=5))
    leaky = replace(one, run=replace(one.run, protocol="before"))
    write_tables(MadeUp([one, other, leaky, beside]), tmp_path)
    datasets = {}
    for folder in tmp_path.iterdir():
        rows = csv.DictReader((folder / "tables.csv").read_text(encoding="utf-8").splitlines())
        datasets[folder.name] = {row["dataset"] for row in rows}
    assert datasets == {
        "inside-10-folds-top-1-to-2": {"Yale", "Other"},
        "inside-5-folds-top-1-to-2": {"Yale"},
        "before-10-folds-top-1-to-2": {"Yale"},
    }
