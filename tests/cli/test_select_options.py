"""The options of ``s2fs select`` beyond a plain ranking, against the estimators they stand for."""

import hashlib
import json
import re
import shlex

import literal_evaluation as literal
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.datasets import load_wine

from s2fs import S2FS, PairCover, Selection, SelectorCV
from s2fs.baselines import BASELINES, AnovaF
from s2fs.cli import main
from s2fs.evaluation import evaluate_selector
from s2fs.io import read_table


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


def succeeds(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def parse(table):
    """A printed table as a data frame, with the headings of files and plain numbers."""
    head, *rows = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]
    names = {"#": "rank", "score so far": "score", "selected in": "selected_in", "q": "q_value"}
    head = [names.get(name, name) for name in head]
    frame = pd.DataFrame([row[: len(head)] for row in rows], columns=head)
    for name in set(head) - {"feature", "stands out", "selected_in", "q_value"}:
        frame[name] = pd.to_numeric(frame[name].str.replace("−", "-"))
    return frame


def printed(output):
    """The table, and the lines below it."""
    table, *lines = output.split("\n\n")
    return parse(table), [" ".join(line.split()) for line in lines]


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
    names = read_table(wine, "cultivar").feature_names
    plain = ["-t", "cultivar", "--no-verdict", *options]
    for method, kind in (([], PairCover), (["--method", "s2fs"], S2FS)):
        table, _ = printed(succeeds("select", wine, *plain, *method))
        fit = kind(**parameters).fit(*arrays)
        assert table["feature"].tolist() == [names[f] for f in fit.indices_]


@pytest.mark.parametrize(
    ("k", "number", "limit"), [("auto", "auto", None), (3, 3, None), ("auto", "auto", 0.5)]
)
def test_tune(wine, arrays, k, number, limit):
    options = ["-t", "cultivar", "--tune", "-k", k, "--no-verdict", "--method", "s2fs"]
    options += [] if limit is None else ["--max-correlation", limit]
    table, (line,) = printed(succeeds("select", wine, *options))
    tuned = SelectorCV(number, selector=S2FS(max_correlation=limit)).fit(*arrays)
    best = tuned.best_params_
    assert len(table) == len(tuned.indices_) == best["n_features_to_select"]
    assert table["score"].tolist() == pytest.approx(tuned.scores_.tolist(), rel=5e-3)
    assert line == (
        f"Chosen by 5-fold cross-validation: alpha {best['alpha']:g}, beta {best['beta']:g}, "
        f"{best['n_features_to_select']} features. The verdict makes this choice again in every "
        "fold."
    )


METHODS = [
    ("s2fs-rms", [], S2FS(4, compactness="rms")),
    ("S2FS-RMS", ["--beta", 0.2], S2FS(4, compactness="rms", beta=0.2)),
    ("paircover", [], PairCover(4)),
    ("paircover", ["--exclude", 6], PairCover(4, exclude=[6])),
    *((name, [], BASELINES[name](4)) for name in ("AnovaF", "ReliefF")),
    ("RandomOrder", [], BASELINES["RandomOrder"](4, random_state=0)),
    ("AnovaF", ["--max-correlation", 0.5], AnovaF(4, max_correlation=0.5)),
]


@pytest.mark.parametrize(("method", "options", "selector"), METHODS, ids=str)
def test_methods(wine, arrays, tmp_path, method, options, selector):
    files = ["-o", tmp_path / "r.csv", "--save", tmp_path / "m.json"]
    options = ["-k", 4, "--method", method, *options, *files, "--no-verdict"]
    shown = succeeds("select", wine, "-t", "cultivar", *options)
    table, _ = printed(shown)
    selector.fit(*arrays)
    names = read_table(wine, "cultivar").feature_names
    assert table["feature"].tolist() == [names[f] for f in selector.indices_]
    written = pd.read_csv(tmp_path / "r.csv")
    np.testing.assert_allclose(written["score"], selector.scores_, rtol=1e-9)
    assert "selected_in" not in written  # what the folds of the verdict tell
    selection = Selection.load(tmp_path / "m.json")
    assert selection.selector == type(selector).__name__
    assert selection.indices == tuple(selector.indices_.tolist())


def test_tune_shows_no_accuracy(wine):
    """The best of many accuracies is too good; only the verdict, which tunes inside, has some."""
    for options in (["--method", "s2fs", "-k", 3], ["-k", "auto"]):
        result = succeeds("select", wine, "-t", "cultivar", "--tune", "--no-verdict", *options)
        assert "The verdict makes this choice again in every fold." in " ".join(result.split())
        assert "%" not in result
        assert "accuracy" not in result


@pytest.mark.parametrize("options", [["-k", "auto"], []], ids=str)
def test_tune_chooses_the_number_for_other_methods(wine, arrays, options):
    options = ["--tune", *options, "--method", "paircover", "--no-verdict"]
    table, (line,) = printed(succeeds("select", wine, "-t", "cultivar", *options))
    tuned = SelectorCV(selector=PairCover()).fit(*arrays)
    n = len(tuned.indices_)
    assert len(table) == n > 1
    assert line.startswith(f"Chosen by 5-fold cross-validation: {n} features. The verdict")


TITLES = {PairCover: "PairCover", S2FS: "S²FS", AnovaF: "ANOVA F"}
VERDICTS = [
    (["-k", 3, "--method", "s2fs"], "S²FS", S2FS(3), [PairCover, AnovaF]),
    (["-k", 2], "PairCover", PairCover(2), [S2FS, AnovaF]),
    (
        ["--tune"],
        "PairCover, tuned",
        SelectorCV(selector=PairCover()),
        [PairCover, S2FS, AnovaF],
    ),
    (
        ["-k", 3, "--method", "s2fs", "--exclude", "proline", "--class-weight", "balanced"],
        "S²FS",
        S2FS(3, exclude=[12], class_weight="balanced"),
        [PairCover, S2FS, AnovaF],
    ),
    (["-k", 3, "--method", "anovaf"], "ANOVA F", AnovaF(3), [PairCover, S2FS]),
]


@pytest.mark.parametrize(("options", "name", "selector", "others"), VERDICTS, ids=str)
def test_ends_with_a_verdict_from_folds_in_which_all_is_chosen_again(
    wine, arrays, tmp_path, options, name, selector, others
):
    X, y = arrays
    file = tmp_path / "r.json"
    output = succeeds("select", wine, "-t", "cultivar", *options, "-o", file)
    *parts, last = output.rstrip("\n").split("\n\n")
    assert last.startswith("Next: s2fs select ")  # in one piece, to be pasted
    assert max(len(line) for part in parts for line in part.splitlines()) <= 80
    place = next(i for i, part in enumerate(parts) if part.startswith("Accuracy on held-out"))
    title, table, *_ = parts[place:]
    assert " ".join(title.split()) == (
        "Accuracy on held-out samples (logistic regression, 5 × 5 folds, features selected inside "
        "the folds):"
    )
    result = json.loads(file.read_text())
    k = len(result["rows"])
    rows = {name: selector}
    for one in others:
        rows[TITLES[one] if TITLES[one] not in rows else f"{TITLES[one]} (default)"] = one(k)
    repeats = literal.repeated_folds(y)
    shown = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]
    has_counts = "tuned" in name  # folds may choose different numbers
    headings = ["k", "accuracy"] if has_counts else [f"top {k}"]
    headings = ["selected by", *headings, "95 % interval", "balanced", "AUC", "stability"]
    assert shown[0] == headings
    frame = ["all 13 features", "random features", "majority class"]
    assert [line[0] for line in shown[1:]] == [*rows, *frame]
    said = {}
    for line in shown[1 : 1 + len(rows)]:
        said[line[0]] = predicted = literal.pooled_predictions(
            X, y, repeats, lambda A, b, of=rows[line[0]]: clone(of).fit(A, b).indices_
        )
        share, _ = literal.accuracy(predicted, y)
        accuracy, interval, *_ = line[1 + has_counts :]
        assert accuracy == f"{100 * share:.1f} %"
        ends = literal.wilson(share, 0.8 * 178)
        assert interval == " to ".join(f"{100 * end:.1f}" for end in ends)
    accuracy, interval = shown[1][1 + has_counts : 3 + has_counts]
    verdict = result["evaluation"]["verdict"]
    assert verdict.startswith(
        f"{k} features by {name}: accuracy {accuracy} on held-out samples ({interval})."
    )
    assert verdict in " ".join(output.split())
    differences = {row["selector"]: row["difference"] for row in result["evaluation"]["rows"]}
    for other in [*rows][1:]:
        gap = literal.interval(said[name], said[other], y)
        found = differences[other]
        assert [found["value"], found["low"], found["high"]] == pytest.approx(gap)
        assert found["relation"] == literal.words(*gap[1:])


def test_the_file_holds_all_that_was_found(wine, arrays, tmp_path):
    file = tmp_path / "r.json"
    shown = succeeds("select", wine, "-t", "cultivar", "-k", 3, "-o", file)
    result = json.loads(file.read_text(encoding="utf-8"))
    told = ["s2fs_version", "method", "parameters", "seed", "file", "remarks", "verdict"]
    assert [*result] == [*told, "rows", "evaluation", "checks"]
    digest = hashlib.sha256(wine.read_bytes()).hexdigest()
    assert result["file"] == {"name": wine.name, "sha256": digest}
    assert " ".join(result["verdict"].split()) in " ".join(shown.split())
    fit = PairCover(3).fit(*arrays)
    names = read_table(wine, "cultivar").feature_names
    assert [row["feature"] for row in result["rows"]] == [names[f] for f in fit.indices_]
    assert [row["score"] for row in result["rows"]] == fit.scores_.tolist()
    assert result["method"] == "paircover"
    assert result["parameters"]["n_features_to_select"] == 3
    found = evaluate_selector(PairCover(3), *arrays, n_selected=3)
    truth = found.to_dict()
    for evaluation in (truth, result["evaluation"]):
        every = [*evaluation["by_size"].values(), evaluation["rows"]]
        for row in (row for rows in every for row in rows):
            row.pop("seconds")
    assert result["evaluation"] == json.loads(json.dumps(truth))
    for check in result["checks"]:
        assert [*check] == ["passed", "name", "text"]
        assert check["passed"] != (f"! {check['text']}" in " ".join(shown.split()))
    options = ["-t", "cultivar", "-k", 3, "--no-verdict", "-o", file]
    succeeds("select", wine, *options)
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["evaluation"] is result["checks"] is None


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ("uuuvvv", "6 samples are too few to say how good this is."),
    ],
)
def test_why_there_is_no_verdict(tmp_path, y, words):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{i * i % 7},{i % 5},{c}\n" for i, c in enumerate(y)))
    result = run("select", path, "-t", "y", "-k", 1)
    assert (result.exit_code, result.stderr) == (0, f"No verdict: {words}\n")
    assert len(printed(result.stdout)[0]) == 1


def test_a_class_of_one_sample_is_left_out_with_a_note(tmp_path):
    path = tmp_path / "t.csv"
    y = "u" * 12 + "v" * 12 + "w"
    path.write_text("a,b,y\n" + "".join(f"{i * i % 7},{i % 5},{c}\n" for i, c in enumerate(y)))
    for method in ("paircover", "s2fs", "anovaf"):
        file = tmp_path / f"{method}.csv"
        options = ["-t", "y", "-k", 1, "--method", method, "-o", file]
        result = run("select", path, *options)
        assert result.exit_code == 0
        assert "Note: class 'w' has a single sample; left out." in result.stderr
        assert result.stderr.count("single sample") == 1
        assert "majority class 50.0 %" in " ".join(result.stdout.split())
        rest = tmp_path / "rest.csv"
        rest.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
        options[-1] = tmp_path / "rest_ranking.csv"
        assert run("select", rest, *options).stdout == result.stdout
        assert file.read_text() == options[-1].read_text()


def test_save(wine, arrays, tmp_path):
    model = tmp_path / "wine.json"
    options = ["--method", "s2fs", "--alpha", 0.1, "--no-verdict"]
    succeeds("select", wine, "-t", "cultivar", "-k", 4, *options, "--save", model)
    selection = Selection.load(model)
    assert selection.indices == tuple(S2FS(4, alpha=0.1).fit(*arrays).indices_.tolist())
    assert selection.feature_names[0] == "flavanoids"
    assert json.loads(model.read_text(encoding="utf-8"))["selection"]["parameters"]["alpha"] == 0.1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--method", "s2fs", "--tune", "--alpha", "0.1"],
            "--alpha and --tune contradict each other",
        ),
        (["--positive", "red"], "--positive is 'red', but there are 3 classes; leave it out."),
        (["--scoring", "f1"], "'f1' is not one of 'accuracy', 'balanced_accuracy', 'auc'"),
        (["--include", "alcohl"], "--include has 'alcohl', but"),
        (["--include", "alcohl"], "did you mean 'alcohol'?"),
        (["--include", "ash", "--exclude", "2"], "--include and --exclude share"),
        (["--class-weight", "heavy"], "'heavy' is not"),
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
            "'pair' (did you mean 'paircover'?); choose from paircover, s2fs, s2fs-rms",
        ),
        (
            ["--alpha", "1"],
            "--alpha is not for --method paircover; leave it out, or use --method s",
        ),
        (
            ["--method", "paircover", "--scale", "minmax"],
            "--scale minmax is not for --method paircover; use ",
        ),
        (
            ["--method", "AnovaF", "--class-weight", "balanced"],
            "--class-weight is not for --method anovaf; leave it out, or use --method s2fs or pair",
        ),
        (["--method", "sfss", "--include", "ash"], "--include is not for --method sfss; leave it"),
        (
            ["--method", "sfss", "-k", "auto"],
            "--n-features is auto, which --method sfss cannot decide alone",
        ),
        (
            ["--method", "paircover", "--tune", "-k", "3"],
            "--tune chooses the number of features for --method paircover, but --n-features is 3",
        ),
    ],
)
def test_bad_options(wine, options, sentence):
    result = run("select", wine, "--target", "cultivar", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr


def test_each_class_gets_its_features(wine, arrays, tmp_path):
    file = tmp_path / "r.json"
    options = ["-k", 6, "--min-per-class", 2, "--no-verdict", "-o", file]
    succeeds("select", wine, "-t", "cultivar", *options)
    fit = PairCover(6, min_per_class=2).fit(*arrays)
    assert fit.indices_.tolist() != PairCover(6).fit(*arrays).indices_.tolist()
    names = read_table(wine, "cultivar").feature_names
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert [row["feature"] for row in rows] == [names[f] for f in fit.indices_]


def test_the_next_command_runs_and_more_features_are_proposed(tmp_path, monkeypatch):
    """Twice as many features as there are would be no advice."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.arange(120) % 8
    bits = np.column_stack([y % 2, y // 2 % 2, y // 4]) + rng.normal(0, 0.1, (120, 3))
    with open("t.csv", "w", encoding="utf-8") as file:
        file.write("a,b,c,d,kind\n")
        for row, code in zip(np.column_stack([bits, rng.normal(size=120)]), y, strict=True):
            file.write(",".join(map(repr, row.tolist())) + f",k{code}\n")
    output = succeeds("select", "t.csv", "-t", "kind", "-k", 2)
    assert "4 features do better: " in " ".join(output.split())
    assert "; try -k 4." in " ".join(output.split())
    command = output.rstrip("\n").splitlines()[-1].removeprefix("Next: s2fs ")
    assert command.endswith("-k 2 --save panel.json --report report.html")
    again = succeeds(*shlex.split(command))
    assert (tmp_path / "report.html").exists()
    predict = "Next: s2fs predict panel.json new.csv -o predictions.csv"
    assert again.rstrip("\n").splitlines()[-1] == predict


def test_nothing_is_proposed_where_nothing_was_shown(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{a},{b},{c},{'uv'[i % 2]}" for i, (a, b, c) in enumerate(rng.normal(size=(24, 3)))]
    (tmp_path / "noise.csv").write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    output = succeeds("select", tmp_path / "noise.csv", "-t", "y", "-k", 2)
    assert "do not show that 2 features beat guessing" in " ".join(output.split())
    assert "Next:" not in output


def test_long_names_lose_what_most_of_them_share(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"ENSG{f:06d}|transcript variant of chromosome 21" for f in range(4)] + ["age"]
    rows = [",".join(map(repr, row.tolist())) + f",{'uv'[i % 2]}" for i, row in
            enumerate(rng.normal(size=(30, 5)))]  # fmt: skip
    text = "\n".join([",".join([*names, "y"]), *rows]) + "\n"
    (tmp_path / "t.csv").write_text(text)
    output = succeeds("select", tmp_path / "t.csv", "-t", "y", "-k", 5, "--no-verdict")
    shown = {line.split()[1] for line in output.splitlines()[1:]}
    assert shown == {*(f"ENSG{f:06d}…" for f in range(4)), "age"}


def test_bars_are_of_the_gain(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 3)) + y[:, None] * [3, 1, 0]
    rows = [",".join(map(repr, row.tolist())) + f",{'uv'[q]}" for row, q in zip(X, y, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    output = succeeds("select", tmp_path / "t.csv", "-t", "y", "-k", 3, "--no-verdict")
    gains = PairCover(3).fit(X, y).path_["gain"]
    bars = [line.count("▇") for line in output.splitlines()[1:]]
    assert bars == [max(0, round(8 * gain / gains.max())) for gain in gains]


@pytest.mark.parametrize(
    ("options", "title", "told"),
    [
        (
            ["--scoring", "auc", "--positive", "barbera"],
            "AUC on held-out",
            "for barbera ",
        ),
        (
            ["--scoring", "balanced_accuracy"],
            "Balanced accuracy on held-out",
            "for grignolino ",
        ),
    ],
)
def test_what_the_verdict_is_about(wine, tmp_path, options, title, told):
    frame = pd.read_csv(wine)
    two = tmp_path / "two.csv"
    frame[frame["cultivar"] != "barolo"].to_csv(two, index=False)
    shown = " ".join(succeeds("select", two, "-t", "cultivar", "-k", 2, *options).split())
    assert title in shown
    assert f"sensitivity {told}" in shown


def test_a_small_table_is_selected_whole_without_a_note(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b,kind\n" + "1.5,2,u\n2,1,v\n1,2.5,u\n3,1,v\n" * 5, encoding="utf-8")
    result = CliRunner().invoke(main, ["select", str(file), "-t", "kind", "--no-verdict"])
    assert (result.exit_code, result.stderr) == (0, "")
    asked = CliRunner().invoke(main, ["select", str(file), "-t", "kind", "-k", "9", "--no-verdict"])
    assert asked.stderr == "Note: -k is 9, but there are 2 features; all are selected.\n"
    assert asked.stdout == result.stdout
