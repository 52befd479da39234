import itertools
import json
import re
from html import unescape

import literal_evaluation as literal
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    mutual_info_classif,
)
from sklearn.impute import SimpleImputer
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import minmax_scale
from sklearn.tree import DecisionTreeClassifier

from rankers import Guessed
from s2fs import S2FS, PairCover, Panel, SelectorCV, StabilitySelector
from s2fs.baselines import AnovaF, Wilcoxon
from s2fs.criteria import problem
from s2fs.datasets import load_srbct
from s2fs.evaluation import all_features, checks, evaluate_selector, repeated, stability
from s2fs.io import Dataset
from s2fs.report import Report
from s2fs.report.next_commands import write_next_commands

SIZES = [1, 2, 5, 8, 10, 16]


@pytest.fixture(scope="module")
def srbct():
    data = load_srbct()
    selector = S2FS(8).fit(data.X, data.y)
    return data, selector, Report(selector, data).summary


@pytest.fixture(scope="module")
def held_out():
    """What the learner says of the held-out samples with the first genes of S²FS, spelt out."""
    data = load_srbct()
    repeats = literal.repeated_folds(data.y)
    said = {k: np.full((5, 83), -1) for k in SIZES}
    for number, folds in enumerate(repeats):
        for train, test in folds:
            ranking = S2FS(16).fit(data.X[train], data.y[train]).indices_
            for k in SIZES:
                held_out = literal.predict(data.X, data.y, (train, test), ranking[:k])
                said[k][number, test] = held_out
    return repeats, said


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.index = [f"bottle {i}" for i in range(len(X))]
    return X, np.array(["barolo", "grignolino", "barbera"])[y]


def at(summary, size):
    return next(one for one in summary["by_size"] if one["size"] == size)


def test_is_plain(srbct):
    summary = srbct[-1]
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_features_are_those_chosen_with_their_path(srbct):
    data, selector, summary = srbct
    names = list(selector.path_.dtype.names[2:])
    assert summary["components"] == names
    assert [row["rank"] for row in summary["features"]] == list(range(1, 9))
    for row, step in zip(summary["features"], selector.path_, strict=True):
        assert row["name"] == data.feature_names[step["feature"]]
        assert row["score"] == step["sep"]
        assert row["components"] == [step[name] for name in names]


def evaluate_in_few_folds(selector, X, y):
    """An evaluation for tests that are about another part of the page."""
    return evaluate_selector(selector, X, y, n_selected=len(selector.indices_), cv=2, n_repeats=1)


def test_how_sure_a_feature_is_and_what_could_take_its_place(wine):
    X, y = wine
    auto = S2FS("auto", include=["ash"]).fit(X, y)
    few_folds = evaluate_in_few_folds(auto, X, y)
    summary = Report(auto, X, y, comparison=few_folds).summary
    assert "p_value" not in summary["components"]
    given, *tested = (row["chances"] for row in summary["features"])
    assert given == {"p_value": None}  # what was asked for is not tested
    assert [chance["p_value"] for chance in tested] == auto.path_["p_value"][1:].tolist()
    found = auto.substitutes(X, y)
    rows = summary["features"]
    named = [(row["name"], one["name"]) for row in rows for one in row["substitutes"]]
    assert named == list(zip(found["feature"], found["substitute"], strict=True))
    stable = StabilitySelector(4, n_resamples=20, n_permutations=2).fit(X, y)
    summary = Report(stable, X, y, comparison=evaluate_in_few_folds(stable, X, y)).summary
    q_values = [row["chances"]["q_value"] for row in summary["features"]]
    assert q_values == stable.q_values_[stable.indices_].tolist()
    assert summary["false"]["estimate"] == stable.false_selections_
    assert summary["false"]["bound"] == stable.false_selections_bound_ < 4
    unsure = StabilitySelector(4, n_resamples=4, n_permutations=0).fit(X, y)
    summary = Report(unsure, X, y, comparison=evaluate_in_few_folds(unsure, X, y)).summary
    assert summary["false"] == {"estimate": None, "bound": None}


def test_describes_the_data(srbct):
    summary = srbct[-1]
    assert summary["data"]["n_samples"] == 83
    assert summary["data"]["n_features"] == 2308
    sizes = {one["name"]: one["size"] for one in summary["data"]["classes"]}
    assert sizes == {"BL": 11, "EWS": 29, "NB": 18, "RMS": 25}
    assert [one["label"] for one in summary["data"]["classes"]] == ["BL", "EWS", "NB", "RMS"]


def test_accuracy_is_measured_with_features_chosen_inside_the_folds(srbct, held_out):
    data, _, summary = srbct
    _, predicted = held_out
    assert [one["size"] for one in summary["by_size"]] == SIZES
    for k in SIZES:
        share = literal.accuracy(predicted[k], data.y)[0]
        low, high = (f"{100 * end:.1f}" for end in literal.wilson(share, 0.8 * 83))
        said = at(summary, k)
        assert said["value"] == pytest.approx(share)
        assert said["value_text"] == f"{100 * share:.1f}\xa0%"
        expected = f"95\xa0% interval {low} to {high}; the majority class gets 34.9\xa0%"
        assert said["value_note"] == expected
        table = np.zeros((4, 4))
        for of, as_what, n in said["confusion"]:
            table[of, as_what] = n
        truth = np.mean([confusion_matrix(data.y, one) for one in predicted[k]], axis=0)
        np.testing.assert_allclose(table, truth, atol=0.051)  # to one digit
    assert summary["by_size"][summary["start"]]["size"] == summary["size"] == 8
    run = summary["run"]
    assert (run["n_splits"], run["n_repeats"], run["grouped"]) == (5, 5, False)


def test_the_verdict_says_where_the_selection_stands(srbct, held_out):
    data, _, summary = srbct
    repeats, predicted = held_out
    k = 8
    headline, rest = summary["verdict"].values()
    share = literal.accuracy(predicted[k], data.y)[0]
    low, high = (f"{100 * end:.1f}" for end in literal.wilson(share, 0.8 * 83))
    assert headline == (
        f"{k} features by S²FS: accuracy {100 * share:.1f} % on held-out samples ({low} to {high})."
    )
    rows = {row["name"]: row for row in at(summary, k)["rows"]}
    names = ["S²FS", "PairCover", "ANOVA F", "all 2,308 features", "random features"]
    assert list(rows) == [*names, "majority class"]
    saved = summary["comparison"]["by_size"][str(k)]
    relations = {row["selector"]: (row["difference"] or {}).get("relation") for row in saved}
    assert relations["S²FS"] is None
    for name, kind in (("PairCover", PairCover), ("ANOVA F", AnovaF)):
        other = literal.pooled_predictions(
            data.X, data.y, repeats, lambda A, b, kind=kind: kind(k).fit(A, b).indices_
        )
        gap = literal.interval(predicted[k], other, data.y)
        row = rows[name]
        assert row["value"] == pytest.approx(literal.accuracy(other, data.y)[0])
        assert relations[name] == literal.words(*gap[1:])
        drawn = next(one for one in at(summary, k)["forest"] if one["name"] == name)
        assert [drawn["mean"], drawn["low"], drawn["high"]] == pytest.approx(
            [100 * one for one in gap], abs=0.0051
        )
    assert relations["majority class"] == "better than"
    assert rows["majority class"]["texts"][0] == "34.9"
    checks = {check["name"]: check for check in summary["checks"]}
    assert checks["majority"]["passed"]
    assert checks["majority"]["text"].startswith("Better than guessing the largest class (+")
    assert checks["random"]["passed"]
    assert checks["rising"]["passed"]
    assert checks["small_class"]["passed"]  # the smallest class has 11
    assert summary["comparison"]["verdict"] == f"{headline} {rest}".strip()


def test_noise_is_not_praised():
    """A leak would show as far better than the one third of a guess."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 300)), np.arange(60) % 3
    summary = S2FS(10).fit(X, y).report(X, y).summary
    start = "These 60 samples do not show that 10 features beat guessing the largest class ("
    assert summary["verdict"]["headline"].startswith(start)
    assert max(one["value"] for one in summary["by_size"]) < 0.55
    assert not next(one for one in summary["checks"] if one["name"] == "majority")["passed"]


def test_what_is_tuned_on_noise_is_not_praised():
    """The number of features is chosen again in every fold, not once on all samples."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 60)), np.arange(40) % 2
    tuned = SelectorCV(selector=AnovaF()).fit(X, y)
    report = Report(tuned, X, y)
    repeats = literal.repeated_folds(y)
    said = literal.pooled_predictions(
        X, y, repeats, lambda A, b: SelectorCV(selector=AnovaF()).fit(A, b).indices_
    )
    np.testing.assert_array_equal(report.comparison.predictions["ANOVA F, tuned"], said)
    assert not report.comparison.beats_majority


def test_frequencies_and_stability_are_those_of_the_folds(srbct):
    data, selector, summary = srbct
    folds = [fold for repeat in literal.repeated_folds(data.y) for fold in repeat]
    rankings = [S2FS(16).fit(data.X[train], data.y[train]).indices_ for train, _ in folds]
    for k in (2, 8, 16):
        here, sets = at(summary, k), [ranking[:k] for ranking in rankings]
        assert here["stability"] == stability(sets, 2308).value
        shares = [np.mean([f in one for one in sets]) for f in selector.indices_]
        assert here["frequencies"] == pytest.approx(shares)
    assert [row["frequency"] for row in summary["features"]] == at(summary, 8)["frequencies"]
    everything = S2FS("all").fit(data.X[:, :5], data.y)
    few_folds = evaluate_in_few_folds(everything, data.X[:, :5], data.y)
    summary = Report(everything, data.X[:, :5], data.y, comparison=few_folds).summary
    assert summary["by_size"][summary["start"]]["stability_text"] == "–"


def test_the_most_correlated_of_all_features(srbct):
    data, selector, summary = srbct
    r = np.corrcoef(data.X, rowvar=False)
    np.fill_diagonal(r, 0)
    for row, f in zip(summary["features"], selector.indices_, strict=True):
        nearest = int(np.abs(r[f]).argmax())
        assert row["correlated_with"] == data.feature_names[nearest]
        assert row["correlated_r"] == pytest.approx(r[f, nearest])
        assert (row["correlated_rank"] is not None) == (nearest in selector.indices_)


def test_where_a_feature_stands_out_is_by_ranks():
    """One sample that is far off does not turn it round."""
    y = np.repeat([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) * 0.1 + np.array([[0, 0], [0, 3], [2, 3]])[y]
    X[0, 0] = 1000  # of class 0, whose mean is now the largest
    summary = Report(AnovaF("all").fit(X, np.array(list("uvw"))[y]), X, y).summary
    rows = {row["index"]: row for row in summary["features"]}
    assert rows[0]["stands_out"] == "high in class 2"
    assert rows[0]["auc"] == pytest.approx(
        np.mean([roc_auc_score(y[y != q] == 2, X[y != q, 0]) for q in (0, 1)])
    )
    assert rows[1]["stands_out"] == "low in class 0"
    assert (rows[1]["auc"], rows[1]["high"]) == (1, False)
    assert (rows[1]["class"], rows[1]["stands_out_in"]) == (0, [0])


def test_redundant_pairs_are_counted_among_the_first_features():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    x = rng.normal(size=(40, 3)) + y[:, None]
    X = np.column_stack([x, x[:, 0] * 2 + 1, -x[:, 1] + 0.01 * rng.normal(size=40)])
    summary = Report(S2FS("all").fit(X, y), X, y).summary
    order = [row["name"] for row in summary["features"]]
    groups = summary["redundant"]["groups"]
    assert {frozenset(one["name"] for one in group) for group in groups} == {
        frozenset({"x0", "x3"}),
        frozenset({"x1", "x4"}),
    }
    for group in groups:  # the one that was selected first stands for the others
        assert [one["rank"] for one in group] == sorted(one["rank"] for one in group)
        r = np.corrcoef(X[:, int(group[0]["name"][1])], X[:, int(group[1]["name"][1])])[0, 1]
        assert group[1]["r"] == pytest.approx(r)
    left = summary["redundant"]["one_per_group"]
    assert left == [name for name in order if name in left]
    assert len(left) == 3
    assert np.abs(np.corrcoef(X[:, [int(name[1]) for name in left]].T) - np.eye(3)).max() < 0.9
    assert at(summary, 1)["redundant"] == 0
    assert at(summary, 5)["redundant"] == summary["redundant"]["total"] == 2


def test_class_pairs_by_definition(srbct):
    data, selector, summary = srbct
    scaled = minmax_scale(data.X)

    def apart(features, q, r):
        one, other = (scaled[data.y == c][:, features] for c in (q, r))
        spread = [np.linalg.norm(Z - Z.mean(axis=0), axis=1).mean() for Z in (one, other)]
        return np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)) / np.mean(spread)

    rows = summary["pairs"]["rows"]
    assert len(rows) == summary["pairs"]["total"] == 6
    assert [row["after"] for row in rows] == sorted(row["after"] for row in rows)
    for row in rows:
        q, r = data.class_names.index(row["one"]), data.class_names.index(row["other"])
        assert row["before"] == pytest.approx(apart(slice(None), q, r))
        assert row["after"] == pytest.approx(apart(selector.indices_, q, r))
        distances = [one["apart"] for one in row["features"]]
        assert distances == sorted(distances, reverse=True)


SELECTORS = [
    PairCover(4),
    AnovaF(1),
    Wilcoxon(3),
    S2FS("all"),
    SelectorCV(selector=S2FS(), alphas=[0.1], betas=[0.1]),
    StabilitySelector(selector=S2FS(3), n_resamples=3),
    SelectKBest(k=3),
    SelectKBest(mutual_info_classif, k=2),
    RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=3),
    SelectFromModel(DecisionTreeClassifier(random_state=0)),
    VarianceThreshold(),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: f"{type(s).__name__}")
def test_any_selector_and_its_python(selector, wine):
    """The code on the page, run by itself, selects the same features."""
    X, y = wine
    selector.fit(X, y)
    summary = Report(selector, X, y).summary
    names = {"X": X, "y": y}
    exec(summary["selector"]["code"], names)
    chosen = names["model"][0].get_feature_names_out().tolist()
    if "mutual_info" not in summary["selector"]["code"]:  # that one draws at random
        assert set(chosen) == {row["name"] for row in summary["features"]}
    assert names["model"].score(X, y) > 0.6
    assert summary["selector"]["ranked"] == (type(selector) not in
        (RFE, SelectFromModel, VarianceThreshold))  # fmt: skip
    assert summary["size"] == len(chosen)
    by = summary["by_size"][-1]["rows"]
    assert summary["verdict"]["headline"].startswith(f"{summary['size']} feature")
    assert f" by {by[0]['name']}" in summary["verdict"]["headline"]
    assert {"random features", "majority class", "all 13 features"} < {row["name"] for row in by}


def test_a_reconstructed_baseline_is_called_so(wine):
    X, y = wine
    summary = Report(Guessed(2).fit(X, y), X, y).summary
    assert summary["by_size"][-1]["rows"][0]["name"] == "Guessed (reconstructed)"
    assert summary["selector"]["citation"] == Guessed.citation


def test_samples_keep_their_ids(wine):
    X, y = wine
    named, counted = (
        Report(S2FS(2).fit(X, y), table, y).summary["misclassified"]["rows"]
        for table in (X, X.reset_index(drop=True))
    )
    assert named[0]["sample"].startswith("bottle ")
    i = int(named[0]["sample"].split()[1])
    assert counted[0]["sample"] == f"row {i + 1}"
    assert named[0]["class"] == y[i] != named[0]["predicted"]


def test_ids_and_filled_values_of_a_dataset_are_kept(wine):
    X, y = wine
    classes, codes = np.unique(y, return_inverse=True)
    data = Dataset(X.to_numpy(), codes, X.columns.tolist(), classes.tolist())
    data.sample_ids, data.incomplete = X.index.tolist(), X.where(X.min() < X).to_numpy()
    data.imputer = SimpleImputer(strategy="most_frequent")
    report = Report(S2FS(2).fit(data.X, data.y), data)
    right = 0
    for train, test in (fold for folds in literal.repeated_folds(codes) for fold in folds):
        model = make_pipeline(clone(data.imputer), S2FS(2), literal.make_learner())
        model.fit(data.incomplete[train], codes[train])
        right += (model.predict(data.incomplete[test]) == codes[test]).sum()
    assert at(report.summary, 2)["value"] == pytest.approx(right / (5 * len(y)))
    assert report.summary["misclassified"]["rows"][0]["sample"].startswith("bottle ")
    names = {"X": data.incomplete, "y": data.y}
    exec(report.summary["selector"]["code"], names)  # fills the gaps and selects the same
    chosen = [int(name[1:]) for name in names["model"][:2].get_feature_names_out()]
    assert sorted(chosen) == sorted(row["index"] for row in report.summary["features"])
    n_filled = int(np.isnan(data.incomplete).sum())
    assert f"{n_filled}, filled in; in each fold from its training samples" in report.html


def test_misclassified_are_the_samples_that_are_wrong_in_half_of_the_repeats(srbct, held_out):
    data, _, summary = srbct
    said = held_out[1][8]
    n_wrong = (said != data.y).sum(axis=0)
    wrong = [i for i in range(83) if n_wrong[i] >= 2.5]
    found = summary["misclassified"]
    assert found["total"] == len(wrong) > 0
    place = {data.sample_ids[i]: i for i in wrong}
    assert sorted(one["sample"] for one in found["rows"]) == sorted(place)
    confusions = [(one["class"], one["predicted"]) for one in found["rows"]]
    groups = [list(same) for _, same in itertools.groupby(confusions)]
    assert len(groups) == len(set(confusions))  # equal ones stand together, the most frequent first
    assert [len(group) for group in groups] == sorted(map(len, groups), reverse=True)
    for one in found["rows"]:
        i = place[one["sample"]]
        assert (one["n_wrong"], one["n_repeats"]) == (n_wrong[i], 5)
        assert one["class"] == data.class_names[data.y[i]]
        others = [data.class_names[q] for q in said[:, i] if q != data.y[i]]
        assert others.count(one["predicted"]) == max(others.count(name) for name in others)


def test_recall_precision_and_the_hardest_pair(srbct, held_out):
    data, selector, summary = srbct
    for k in SIZES:
        said = held_out[1][k]
        counts = np.mean([confusion_matrix(data.y, one) for one in said], axis=0)
        rates = at(summary, k)["rates"]
        recall, precision = (
            np.diag(counts) / counts.sum(axis=1),
            np.diag(counts) / counts.sum(axis=0),
        )
        assert [row["recall"] for row in rates] == [f"{100 * share:.0f}" for share in recall]
        assert [row["precision"] for row in rates] == [f"{100 * share:.0f}" for share in precision]
        shares = {}
        for q, r in itertools.combinations(range(4), 2):
            both = counts[q].sum() + counts[r].sum()
            shares[data.class_names[q], data.class_names[r]] = (counts[q, r] + counts[r, q]) / both
        hardest = at(summary, k)["hardest"]
        assert shares[hardest["one"], hardest["other"]] == max(shares.values())
    q, r = (data.class_names.index(hardest[end]) for end in ("one", "other"))
    one, other = (data.X[data.y == c] for c in (q, r))
    freedom = len(one) + len(other) - 2
    variance = (one.var(axis=0) * len(one) + other.var(axis=0) * len(other)) / freedom
    apart = np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.sqrt(variance)
    apart[selector.indices_] = 0
    best = [data.feature_names[f] for f in np.argsort(-apart)[:3]]
    assert [feature["name"] for feature in hardest["features"]] == best
    text = at(summary, SIZES[-1])["hardest_text"]
    assert text.startswith(f"Hardest pair: {hardest['one']} and {hardest['other']}, ")
    assert best[0] in text


def test_of_two_classes_there_is_no_hardest_pair():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 6)) + 0.7 * y[:, None] * (np.arange(6) < 4)
    summary = Report(PairCover(2).fit(X, y), X, y).summary
    start = summary["by_size"][summary["start"]]
    n_wrong = start["hardest"]["n_confused"]
    assert start["hardest_text"].startswith(f"Misclassified: {n_wrong:g} of 40 held-out samples")


def test_the_most_alike_are_named_where_no_two_are_redundant(srbct):
    data, selector, summary = srbct
    for k in SIZES[1:4]:
        r = np.corrcoef(data.X[:, selector.indices_[:k]].T) - np.eye(k)
        pair = at(summary, k)["most_alike"]
        assert abs(pair["r"]) == pytest.approx(np.abs(r).max())
        i, j = (data.feature_names.index(name) for name in pair["names"])
        assert np.corrcoef(data.X[:, i], data.X[:, j])[0, 1] == pytest.approx(pair["r"])
    shown = f"{pair['r']:.2f}".replace("-", "−")
    expected = f"The most alike are {pair['names'][0]} and {pair['names'][1]}, with r = {shown}."
    assert at(summary, k)["most_alike_text"] == expected
    assert at(summary, 1)["most_alike_text"] == ""


def test_two_features_without_any_correlation_are_still_two():
    y = np.repeat([0, 0, 1, 1], 5)
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float).repeat(5, axis=0)
    summary = Report(S2FS("all").fit(X, y), X, y).summary
    assert set(at(summary, 2)["most_alike"]["names"]) == {"x0", "x1"}
    assert at(summary, 2)["most_alike"]["r"] == pytest.approx(0)


def test_the_verdict_says_that_more_features_do_better():
    """Each feature tells one class from the others: none can be spared."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(13), 10)
    X = rng.normal(size=(130, 13)) + 6 * np.eye(13)[y]
    report = Report(PairCover(4).fit(X, y), X, y)
    assert report.summary["verdict"]["rest"].startswith("8 features do better: ")
    assert "; still rising; try -k 8." in report.summary["verdict"]["rest"]
    assert "13 classes (10 samples each)" in report.summary["methods"]
    for words in ("enough", "recommended"):
        assert words not in report.html.lower()


def test_misclassified_samples_follow_the_number_of_features(srbct, held_out):
    data, _, summary = srbct
    for k in SIZES:
        n_wrong = (held_out[1][k] != data.y).sum(axis=0)
        found = at(summary, k)["misclassified"]
        assert found["total"] == (n_wrong >= 2.5).sum()


def test_differences_are_those_of_the_comparison(srbct):
    data, selector, _ = srbct
    report = Report(selector, data)
    for entry in report.summary["by_size"]:
        here = report.comparison.at(entry["size"])
        for row in entry["forest"]:
            gap = here.difference("S²FS", row["name"])
            shown = [row["mean"], row["low"], row["high"]]
            assert shown == [round(100 * end, 2) for end in gap]
            words = {"better than": "better", "worse than": "worse", "as good as": "as good"}
            assert row["word"] == words.get(gap.relation, "cannot be told apart")


def test_the_paragraph_for_the_paper_has_the_numbers(srbct):
    summary = srbct[-1]
    text, k = summary["methods"], 8
    start = at(summary, k)
    names = [row["name"] for row in summary["features"][:k]]
    facts = [
        "S²FS (s2fs ",
        "2,308 features of 83 samples in 4 classes",
        "BL: 11, EWS: 29, NB: 18 and",
    ]
    facts += ["5 × 5 stratified folds (seed 0)", f"With {k} features it was "]
    facts.append(f"it was {100 * start['value']:.1f} % (95 %")
    facts += [f"was {start['stability']:.2f}.", ", ".join(names[:-1]), f"and {names[-1]}."]
    facts += [f"{row['texts'][0]} % for {row['name']} (difference " for row in start["rows"][1:-1]]
    facts.append(f"{start['rows'][-1]['texts'][0]} % by guessing the largest class. Intervals are")
    for fact in facts:
        assert fact in text


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
def test_a_class_of_one_sample_is_left_out_and_named():
    X, y = np.random.default_rng(0).random((17, 4)), np.array(list("uuuuuuuuvvvvvvvvw"))
    with pytest.warns(UserWarning, match="fewer than two samples"):
        selector = S2FS(2).fit(X, y)
    report = selector.report(X, y)
    assert report.summary["reason"] == ""
    (note,) = report.summary["notes"]
    assert note == "Class 'w' has a single sample, so it is left out of the evaluation."
    assert note in unescape(report.html)
    said = report.comparison.predictions["S²FS"]
    assert (said[:, -1] == -1).all()
    alone = S2FS(2).fit(X[:16], y[:16]).report(X[:16], y[:16]).summary
    accuracies = [one["value"] for one in report.summary["by_size"]]
    assert accuracies == [one["value"] for one in alone["by_size"]]


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
def test_data_that_cannot_be_cross_validated_say_why():
    X, y = np.random.default_rng(0).random((12, 4)), np.array([0] * 10 + [1, 2])
    report = Report(SelectKBest(k=2).fit(X, y), X, y)
    assert "fewer than two classes with at least two samples" in report.summary["reason"]
    assert report.comparison is None
    assert report.summary["by_size"][-1]["value"] is None
    assert "Accuracy was not measured" in report.html


def test_missing_values_are_filled_in_inside_the_folds(wine):
    X, y = wine
    holes = X.where(np.random.default_rng(0).random(X.shape) > 0.1)
    report = PairCover(3).fit(holes, y).report(holes, y)
    codes, values = np.unique(y, return_inverse=True)[1], holes.to_numpy()
    said = np.full((5, len(y)), -1)
    for number, folds in enumerate(literal.repeated_folds(codes)):
        for train, test in folds:
            chosen = PairCover(3).fit(values[train], codes[train]).indices_
            whole = np.where(np.isnan(values), np.nanmedian(values[train], axis=0), values)
            said[number, test] = literal.predict(whole, codes, (train, test), chosen)
    assert at(report.summary, 3)["value"] == pytest.approx((said == codes).mean())
    assert report.summary["reason"] == ""
    assert report.summary["data"]["n_missing"] == int(holes.isna().to_numpy().sum())
    assert "drawn as the median" in report.html
    with pytest.raises(ValueError, match="infinite"):
        Report(PairCover(3).fit(X, y), X.replace(X.iloc[0, 0], np.inf), y)


def test_groups_and_weights_are_used_inside_the_folds():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(16), 3)
    y = groups % 2
    X = rng.normal(size=(16, 6))[groups] + 0.1 * rng.normal(size=(48, 6))
    weight = 1 + rng.random(48)
    selector = PairCover(2).fit(X, y, sample_weight=weight)
    report = selector.report(X, y, groups=groups, sample_weight=weight)
    assert report.summary["run"]["grouped"]
    assert "whole groups held out" in report.html
    said = np.full((5, 48), -1)
    for number, folds in enumerate(literal.repeated_folds(y, groups=groups)):
        for train, test in folds:
            chosen = PairCover(2).fit(X[train], y[train], sample_weight=weight[train]).indices_
            said[number, test] = literal.predict(X, y, (train, test), chosen)
    np.testing.assert_array_equal(report.comparison.predictions["PairCover"], said)
    share = (said == y).mean()
    low, high = (f"{100 * end:.1f}" for end in literal.wilson(share, 0.8 * 16))
    assert f"95\xa0% interval {low} to {high};" in at(report.summary, 2)["value_note"]


def test_groups_and_covariates_are_named_everywhere_and_in_the_code():
    """The code on the page selects the same features, given the same."""
    rng = np.random.default_rng(1)
    y, lab = np.arange(60) % 2, np.array(["north", "south"])[(np.arange(60) % 5 < 2).astype(int)]
    X = rng.normal(size=(60, 12)) + 2.0 * (lab == "south")[:, None]
    X[:, 3] += 1.2 * y
    frame, given = pd.DataFrame(X).add_prefix("g"), pd.DataFrame({"lab": lab})
    groups = pd.Series(np.arange(60) // 2, name="patient")
    selector = PairCover("auto").fit(frame, y, covariates=given, groups=groups)
    report = Report(selector, frame, y, covariates=given, groups=groups)
    found = report.comparison
    assert "whole groups held out (patient)" in found.title
    assert "adjusted for lab" in found.title
    assert (found.to_dict()["groups"], found.to_dict()["covariates"]) == ("patient", ["lab"])
    assert "keep groups (patient) together" in report.summary["methods"]
    assert "adjusted for lab," in report.summary["methods"]
    first_line = re.search(r'<p class="facts">(.*?)</p>', report.html)[1]
    assert "60 samples of 30 patients" in first_line
    assert "· adjusted for lab" in first_line
    assert "60 samples of 30 patients in 2 classes" in report.summary["methods"]
    names = {"X": frame, "y": y, "covariates": given, "groups": groups}
    exec(report.summary["selector"]["code"], names)
    assert names["model"][0].get_feature_names_out().tolist() == [
        row["name"] for row in sorted(report.summary["features"], key=lambda row: row["index"])
    ]


def test_the_panel_is_that_of_the_class_and_of_the_formula(wine):
    """Two and three classes; probabilities by the formula on the page are those of the panel."""
    X, y = wine
    two = y != "barolo"
    for table, labels in ((X, y), (X[two], y[two])):
        selector = PairCover(3).fit(table, labels)
        found = Report(selector, table, labels).summary["panel"]
        model = Panel(PairCover(3)).fit(table, labels)
        coefficients = np.array([row["coefficients"] for row in found["rows"]])
        np.testing.assert_allclose(coefficients.T, model.coef_)
        centres, scales = (
            np.array([row[name] for row in found["rows"]]) for name in ("centre", "sd")
        )
        values = table.to_numpy()[:, selector.indices_]
        scores = found["intercepts"] + ((values - centres) / scales) @ coefficients
        if len(found["coefficients_of"]) == 1:
            assert found["coefficients_of"] == [model.classes_[1]]
            shares = 1 / (1 + np.exp(-scores[:, 0]))
            np.testing.assert_allclose(shares, model.predict_proba(table)[:, 1])
        else:
            assert found["coefficients_of"] == list(model.classes_)
            shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
            np.testing.assert_allclose(shares, model.predict_proba(table))


def test_without_a_panel_the_page_says_why(wine):
    X, y = wine
    lab = pd.DataFrame({"lab": np.arange(len(y)) % 3})
    selector = PairCover(2).fit(X, y, covariates=lab)
    few_folds = evaluate_selector(selector, X, y, n_selected=2, cv=2, n_repeats=1, covariates=lab)
    report = Report(selector, X, y, covariates=lab, comparison=few_folds)
    assert report.summary["panel"]["rows"] == []
    assert "A panel has no covariates" in report.html
    assert "s2fs predict" not in report.html


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("s2fs select a.csv -k 3", ["s2fs select a.csv -k 3 --save panel.json", "panel.json"]),
        ("s2fs select a.csv --save 'my p.json'", ["'my p.json'"]),
        ("s2fs select a.csv --save=p.json", ["p.json"]),
        ("s2fs demo", ['Panel(selector).fit(X, y).save("panel.json")  # in Python', "panel.json"]),
        (None, ['Panel(selector).fit(X, y).save("panel.json")  # in Python', "panel.json"]),
    ],
)
def test_the_next_command_predicts_new_samples(command, lines):
    *before, panel = lines
    expected = [*before, f"s2fs predict {panel} new.csv -o predictions.csv"]
    assert write_next_commands(command) == expected


def test_metrics_have_tiles_with_their_names():
    rng = np.random.default_rng(0)
    y = np.array(["benign", "malignant"])[np.arange(60) % 2]
    X = rng.normal(size=(60, 6)) + (y == "malignant")[:, None] * [1, 1, 0, 0, 0, 0]
    report = Report(PairCover(2).fit(X, y), X, y)
    start = report.summary["by_size"][report.summary["start"]]
    tiles = {tile["name"]: tile["text"] for tile in start["tiles"]}
    held_out = report.comparison.held_out["PairCover"]
    means = held_out.scores[..., 1]
    predicted = held_out.predicted
    recall = np.mean([(one == 1)[y == "malignant"].mean() for one in predicted])
    assert tiles["Sensitivity for malignant"] == f"{100 * recall:.1f}\xa0%"
    by_fold = [
        roc_auc_score(y[fold] == "malignant", scores[fold])
        for scores, folds in zip(means, held_out.folds, strict=True)
        for fold in (folds == number for number in np.unique(folds))
    ]
    assert tiles["AUC"] == f"{np.mean(by_fold):.2f}"
    names = {"Accuracy", "Balanced accuracy", "Specificity for malignant", "Stability"}
    assert names < set(tiles)
    assert "Sensitivity for malignant at 90\xa0% specificity" in tiles
    auc = report.comparison.rows[0].scores["auc"]
    assert f"{auc.value:.2f} (" in start["rows"][0]["texts"][3]


def test_as_markdown(wine):
    X, y = wine
    frame = X.rename(columns={"flavanoids": "a|b <i>x</i>"})
    report = Report(S2FS(2).fit(frame, y), frame, y, title="*Wine*")
    text = report.to_markdown()
    lines = text.splitlines()
    assert lines[0] == r"# \*Wine\*"
    assert r"| 1 | a\|b \<i\>x\</i\> |" in text
    assert "<i>" not in text
    assert report.comparison.verdict.replace("|", "\\|") in text
    for row in report.comparison.rows:
        assert f"| {row.selector} | {100 * row.scores['accuracy'].value:.1f} | " in text
    worries = [check for check in report.summary["checks"] if not check["passed"]]
    n_passed = len(report.summary["checks"]) - len(worries)
    listed = [line for line in lines if line.startswith("- ")]
    assert len(listed) == len(worries) + 1
    assert listed[-1] == f"- ✓ {n_passed} checks passed"
    copied = report.to_dict()
    copied["checks"].clear()
    assert report.summary["checks"]


def test_the_data_are_recognised_again(wine):
    X, y = wine
    selector = S2FS(1).fit(X, y)
    runs = [Report(selector, table, y).summary["run"]["data_sha256"] for table in (X, X + 0, X + 1)]
    assert runs[0] == runs[1] != runs[2]


def test_wrong_input_is_one_sentence(wine):
    X, y = wine
    data = load_srbct()
    with pytest.raises(TypeError, match="DecisionTreeClassifier, which has no get_support"):
        Report(DecisionTreeClassifier(), X, y)
    with pytest.raises(ValueError, match="fitted on 5 features, but X has 13"):
        Report(S2FS(1).fit(X.iloc[:, :5], y), X, y)
    with pytest.raises(ValueError, match="y is None"):
        Report(S2FS(1).fit(X, y), X)
    with pytest.raises(ValueError, match="y is given, but X is a Dataset"):
        Report(S2FS(1).fit(data.X, data.y), data, data.y)
    data.image_shape = (3, 5)
    with pytest.raises(ValueError, match="image_shape is 3 × 5"):
        Report(S2FS(1).fit(data.X, data.y), data)


@pytest.mark.parametrize("selector", [PairCover(3), AnovaF(3)], ids=str)
def test_a_sparse_table_has_the_page_of_the_dense_one(selector, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.where(rng.random((60, 400)) < 0.8, 0.0, rng.normal(size=(60, 400)))
    X[:, :4] += y[:, None] * rng.random(4)
    fitted = clone(selector).fit(X, y)
    monkeypatch.setattr(checks, "_MOST_RANKED", 60 * 50)
    expected = Report(fitted, X, y).to_dict()
    n_dense = []
    to_dense = csc_array.toarray

    def watched(part):
        n_dense.append(part.shape[0] * part.shape[1])
        return to_dense(part)

    monkeypatch.setattr(problem, "BLOCK", 60 * 50)
    monkeypatch.setattr(all_features, "_VALUES", 60 * 50)
    monkeypatch.setattr(repeated, "_VALUES", 60 * 50)
    monkeypatch.setattr(csc_array, "toarray", watched)
    shown = Report(fitted, csc_array(X), y).to_dict()
    assert shown["verdict"] == expected["verdict"]
    assert shown["checks"] == expected["checks"]
    assert shown["data"] == expected["data"]
    assert [at["rows"] for at in shown["by_size"]] == [at["rows"] for at in expected["by_size"]]
    assert shown["run"]["data_sha256"] == expected["run"]["data_sha256"]
    if isinstance(selector, PairCover):  # a selector that takes no sparse table gets a dense one
        assert max(n_dense) < 60 * 300


def test_a_frame_of_polars_is_read(wine):
    polars = pytest.importorskip("polars")
    X, y = wine
    frame = polars.DataFrame(X.reset_index(drop=True))
    summary = Report(S2FS(2).fit(X, y), frame, y).summary
    assert summary["features"][0]["name"] == "flavanoids"
    assert isinstance(X, pd.DataFrame)
