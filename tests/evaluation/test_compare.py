import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectFpr, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler, minmax_scale
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from s2fs import S2FS, PairCover, compare
from s2fs.baselines import AnovaF
from s2fs.evaluation import stability, stratified_folds

X, Y = load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def several():
    tree = RFE(DecisionTreeClassifier(random_state=0))
    return compare(X, Y, k=[1, 2, 4], selectors=[S2FS(), SelectKBest(), tree])


def test_each_size_is_the_comparison_of_that_size_alone(several):
    assert several.sizes == [1, 2, 4]
    for k in several.sizes:
        tree = RFE(DecisionTreeClassifier(random_state=0))
        alone = compare(X, Y, k=k, selectors=[S2FS(), SelectKBest(), tree])
        assert alone.sizes == []
        for name, accuracies in several.at(k).accuracies.items():
            np.testing.assert_array_equal(accuracies, alone.accuracies[name])
            np.testing.assert_array_equal(several.at(k).predictions[name], alone.predictions[name])
        assert [row["n_features"] for row in several.at(k).rows] == [k, k, k, 13, 0]
    assert [row["accuracy"] for row in several.rows] == [
        row["accuracy"] for row in several.at(4).rows
    ]


def test_predictions_are_those_of_the_fold_that_had_not_seen_the_sample(several):
    folds = list(stratified_folds(Y, 5, random_state=0))
    predicted = np.full(len(Y), -1)
    for train, test in folds:
        chosen = S2FS(2).fit(X[train], Y[train]).indices_
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        scaled = ((X - low) / (high - low))[:, chosen]
        model = KNeighborsClassifier(5).fit(scaled[train], Y[train])
        predicted[test] = model.predict(scaled[test])
    assert several.at(2).predictions["S2FS"].tolist() == predicted.tolist()
    shares = [(predicted[test] == Y[test]).mean() for _, test in folds]
    assert several.at(2).accuracies["S2FS"].tolist() == shares


def test_where_the_first_stands():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    noise = rng.normal(size=(60, 30))
    told_apart = np.column_stack([noise, y + rng.normal(scale=0.1, size=60)])
    result = compare(minmax_scale(told_apart), y, k=1, selectors=[S2FS(), AnovaF()])
    assert result.standing("chance") == "ahead of"
    assert result.standing("AnovaF") == "level with"
    against = compare(told_apart, y, k=1, selectors={"blind": SelectKBest(lambda X, y: -X.std(0))})
    mean, margin = against.difference("blind", "chance")
    expected = "level with" if abs(mean) <= margin else "ahead of" if mean > 0 else "behind"
    assert against.standing("chance") == expected
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


@pytest.mark.parametrize("k", [0, [2, 2], [3, 1], [], "3", 1.5])
def test_wrong_numbers_of_features_are_refused(k):
    with pytest.raises(ValueError, match="whole number from 1, increasing ones, or None"):
        compare(X, Y, k=k, selectors=[AnovaF()])


def test_sizes_beyond_the_features_are_all_of_them():
    result = compare(X, Y, k=[1, 13, 40], selectors=[AnovaF()])
    assert result.sizes == [1, 13]
    with pytest.raises(ValueError, match="k is 40, but these sizes were compared: 1, 13"):
        result.at(40)


SELECTORS = {
    "paper": S2FS(4),
    "cover": PairCover(4),
    "best": SelectKBest(k=4),
    "after a step": make_pipeline(StandardScaler(), VarianceThreshold(), SelectKBest(k=4)),
}
LEARNERS = [
    ("knn", KNeighborsClassifier(5)),
    ("svm", SVC(C=10.0)),
    ("logistic", LogisticRegression(max_iter=1000)),
    (GaussianNB(), GaussianNB()),
]


@pytest.mark.parametrize(("learner", "model"), LEARNERS, ids=str)
def test_accuracies_are_those_of_pipelines(learner, model):
    result = compare(X, Y, k=None, selectors=SELECTORS, learner=learner, cv=4, random_state=3)
    folds = list(stratified_folds(Y, 4, random_state=3))
    for name, steps in {**SELECTORS, "all 13 features": "passthrough"}.items():
        pipeline = make_pipeline(steps, MinMaxScaler(), model)
        for scoring in ("accuracy", "balanced_accuracy"):
            scores = cross_val_score(pipeline, X, Y, cv=folds, scoring=scoring)
            (row,) = [row for row in result.rows if row["selector"] == name]
            assert row[scoring] == pytest.approx(scores.mean(), abs=1e-12)
            assert row[f"{scoring}_spread"] == pytest.approx(scores.std(ddof=1), abs=1e-12)
    largest = [(Y[test] == np.bincount(Y[train]).argmax()).mean() for train, test in folds]
    assert result.accuracies["chance"].tolist() == largest


def test_stability_redundancy_and_number_of_features():
    result = compare(X, Y, k=3, selectors=["paircover", SelectFpr(alpha=1e-20)])
    sets = {"paircover": [], "SelectFpr": []}
    redundancy = {"paircover": [], "SelectFpr": []}
    for train, _ in stratified_folds(Y, 5, random_state=0):
        for name, selector in (("paircover", PairCover(3)), ("SelectFpr", SelectFpr(alpha=1e-20))):
            chosen = selector.fit(X[train], Y[train]).get_support(indices=True)
            r = np.abs(np.corrcoef(X[np.ix_(train, chosen)].T))
            sets[name].append(chosen)
            redundancy[name].append(r[np.triu_indices(len(chosen), 1)].mean())
    for row in result.rows[:2]:
        name = row["selector"]
        assert row["n_features"] == pytest.approx(np.mean([len(one) for one in sets[name]]))
        assert row["stability"] == pytest.approx(stability(sets[name], 13).value)
        assert row["redundancy"] == pytest.approx(np.mean(redundancy[name]))
        assert row["seconds"] > 0
    assert result.rows[1]["n_features"] > 3  # one without a number keeps its own
    for row in result.rows[2:]:
        assert row["stability"] is row["redundancy"] is row["seconds"] is None


def test_a_difference_is_that_of_the_corrected_t_test():
    result = compare(X, Y, k=2, selectors=["randomorder", "anovaf"], random_state=1)
    paired = result.accuracies["anovaf"] - result.accuracies["randomorder"]
    mean, margin = result.difference("anovaf", "randomorder")
    assert mean == pytest.approx(paired.mean())
    # Nadeau and Bengio: the variance of a mean of J folds times 1/J + n_test/n_train.
    variance = paired.var(ddof=1) * (1 / 5 + 1 / 4)
    assert margin == pytest.approx(stats.t.ppf(0.975, 4) * np.sqrt(variance))
    assert result.standing("anovaf") == ("behind" if mean > margin else "level with")


def test_noise_is_not_said_to_beat_chance():
    rng = np.random.default_rng(0)
    result = compare(rng.normal(size=(60, 40)), np.arange(60) % 3, k=5, selectors=["paircover"])
    assert result.verdict.startswith("Not shown to beat chance: paircover with 5 feature(s) gets ")


def test_frames_sparse_tables_and_names():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(13)])
    labels = np.array(["u", "v", "w"])[Y]
    named = compare(frame, labels, k=4, selectors=[S2FS(include=["f3"]), S2FS()])
    plain = compare(sparse.csr_array(X), Y, k=4, selectors={"a": S2FS(include=[3]), "b": S2FS()})
    assert [row["selector"] for row in named.rows[:2]] == ["S2FS", "S2FS 2"]
    for one, other in zip(named.rows, plain.rows, strict=True):
        assert one["accuracy"] == other["accuracy"]
    threads = compare(X, Y, k=4, selectors={"a": S2FS(include=[3]), "b": S2FS()}, n_jobs=2)
    np.testing.assert_equal(threads.accuracies, plain.accuracies)


def test_as_text_and_as_html():
    name = "a very <long> name of a selector"
    result = compare(X, Y, k=2, selectors={name: AnovaF(), "paircover": PairCover()})
    assert max(map(len, str(result).splitlines())) <= 80
    assert " ".join(str(result).split("\n\n")[-1].split()) == result.verdict
    page = result._repr_html_()
    assert "a very &lt;long&gt; name" in page
    assert "<long>" not in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selectors": ["paircove"]}, r"'paircove' \(did you mean 'paircover'\?\); choose from"),
        ({"selectors": "paircover"}, "selectors is 'paircover'; give a list, or a dict of names"),
        ({"selectors": []}, "selectors is empty; give at least one"),
        ({"selectors": [3]}, "selectors has 3; give an estimator with get_support"),
        ({"selectors": {"chance": S2FS()}}, "'chance', which is the name of another row"),
        ({"selectors": [GaussianNB()]}, "selectors has a GaussianNB, which has no get_support"),
        ({"learner": "svn"}, r"learner is 'svn' \(did you mean 'svm'\?\); choose from knn"),
        ({"learner": S2FS()}, "learner is S2FS.*or give a classifier"),
        ({"cv": 1}, "cv is 1; give at least two folds"),
    ],
)  # fmt: skip
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        compare(X, Y, k=2, **options)


def test_bad_tables():
    with pytest.raises(ValueError, match="y has a single member of class 1"):
        compare(X[:11], np.arange(11) // 10, k=2)
    hole = np.where(np.arange(X.size).reshape(X.shape) == 5, np.nan, X)
    with pytest.raises(ValueError, match="X has NaN"):
        compare(hole, Y, k=2)
    predicts = make_pipeline(SelectKBest(k=2), GaussianNB())
    with pytest.raises(ValueError, match="a pipeline that does more than select"):
        compare(X, Y, k=None, selectors=[predicts])
