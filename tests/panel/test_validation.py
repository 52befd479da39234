"""What a second cohort says of a panel, against scikit-learn, scipy and plain counting."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    balanced_accuracy_score,
    confusion_matrix,
    recall_score,
    roc_auc_score,
)

from cohorts import GENES, KINDS, make_cohort
from s2fs import PairCover, Panel
from s2fs.datasets import load_srbct
from s2fs.evaluation.repeated import find_shared_samples


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y.map({0: "malignant", 1: "benign"})


@pytest.fixture(scope="module")
def panel(cancer):
    X, y = cancer
    panel = Panel(PairCover(4), positive="malignant").fit(X[:200], y[:200])
    panel.evaluate(X[:200], y[:200])
    return panel


@pytest.fixture(scope="module")
def found(cancer, panel):
    X, y = cancer
    return panel.validate(X[200:], y[200:])


def get(found, key, cut=None):
    return next(one for one in found.measures if one.key == key and cut in (None, one.cut))


def test_the_metrics_are_those_of_scikit_learn(cancer, panel, found):
    X, y = cancer[0][200:], cancer[1][200:]
    p = panel.predict_proba(X)[:, 1]  # malignant
    assert panel.classes_.tolist() == ["benign", "malignant"]
    truth = (y == "malignant").to_numpy()
    assert get(found, "auc").estimate.value == pytest.approx(roc_auc_score(truth, p))
    assert found.auc == get(found, "auc").estimate
    share = panel._model.class_shares[1]
    new_cut = np.sort(p)[::-1][truth.sum() - 1]
    specific = panel._first_cohort.specificity_cut[0]
    cuts = {
        "class shares": share, "0.5": 0.5, "uses these labels": new_cut,
        "90 % specificity": specific,
    }  # fmt: skip
    for cut, at in cuts.items():
        decided = p >= at
        sensitivity = get(found, "sensitivity", cut)
        assert sensitivity.name == "sensitivity for malignant"
        assert sensitivity.estimate.value == pytest.approx(recall_score(truth, decided))
        assert get(found, "specificity", cut).estimate.value == pytest.approx(
            recall_score(~truth, ~decided)
        )
        if cut != "90 % specificity":
            assert get(found, "balanced_accuracy", cut).estimate.value == pytest.approx(
                balanced_accuracy_score(truth, decided)
            )
        interval = binomtest(int((decided & truth).sum()), int(truth.sum())).proportion_ci()
        assert sensitivity.estimate[1:3] == pytest.approx((interval.low, interval.high))
    labels = ["benign", "malignant"]
    np.testing.assert_array_equal(
        found.confusion, confusion_matrix(y, np.where(p > 0.5, *labels[::-1]), labels=labels)
    )
    accuracy = np.mean((p > 0.5) == truth)
    assert get(found, "accuracy").estimate.value == pytest.approx(accuracy)
    first = panel._first_cohort
    assert get(found, "sensitivity", "class shares").first.value == pytest.approx(
        first.scores["sensitivity"].value
    )
    assert (
        get(found, "balanced_accuracy", "class shares").first == first.scores["balanced_accuracy"]
    )
    assert get(found, "sensitivity", "0.5").first is None


def test_calibration_is_that_of_scikit_learn(cancer, panel, found):
    X, y = cancer[0][200:], cancer[1][200:]
    p = panel.predict_proba(X)[:, 1]
    logit = np.log(p / (1 - p))
    model = LogisticRegression(C=1e12, tol=1e-10, max_iter=10_000)
    model.fit(logit[:, None], y == "malignant")
    assert found.calibration.slope == pytest.approx(model.coef_[0, 0], rel=1e-3)
    # At the slope 1 the intercept makes the mean probability that of the class.
    shifted = 1 / (1 + np.exp(-(logit + found.calibration.intercept)))
    assert shifted.mean() == pytest.approx((y == "malignant").mean(), abs=1e-6)
    assert panel.validate(X[:200], y[:200]).calibration.points == []  # fewer than 100 of a class
    points = found.calibration.points
    assert len(points) == 10
    assert np.mean([point.observed for point in points]) == pytest.approx(
        (y == "malignant").mean(), abs=0.01
    )
    few = panel.validate(cancer[0][200:260], cancer[1][200:260])
    assert few.calibration is None


def test_features_are_shown_in_both_cohorts(cancer, panel, found):
    X, y = cancer
    truth = (y == "malignant").to_numpy()
    for one in found.features:
        column = X[one.name].to_numpy()
        assert one.class_name == "malignant"
        assert one.first == pytest.approx(roc_auc_score(truth[:200], column[:200]))
        assert one.second == pytest.approx(roc_auc_score(truth[200:], column[200:]))
        moved = (column[200:].mean() - column[:200].mean()) / column[:200].std()
        assert one.shift == pytest.approx(moved)
    turned = X[200:].copy()
    name = found.features[0].name
    turned[name] = turned[name].max() + turned[name].min() - turned[name]
    again = panel.validate(turned, y[200:])
    assert [one.name for one in again.features if one.is_reversed] == [name]
    assert any(check.name == "direction" and not check.passed for check in again.checks)


def test_groups_are_units(cancer, panel):
    X, y = cancer[0][200:], cancer[1][200:]
    alone = panel.validate(X, y)
    same = panel.validate(X, y, groups=np.arange(len(y)))
    assert same.auc == alone.auc
    assert not same.is_grouped
    four = pd.concat([X] * 4)
    grouped = panel.validate(four, pd.concat([y] * 4), groups=np.tile(np.arange(len(y)), 4))
    assert (grouped.n_samples, grouped.n_units) == (4 * len(y), len(y))
    assert grouped.auc.se == pytest.approx(alone.auc.se, rel=0.02)
    repeated = panel.validate(four, pd.concat([y] * 4))
    assert repeated.auc.se < 0.7 * grouped.auc.se
    one = panel.validate(X[:30], y[:30], groups=np.zeros(30))
    assert (one.word, one.sentence) == ("cannot be judged", "All 30 new samples are of one group.")


def test_some_classes_only_and_labels_nobody_knows():
    first, second = make_cohort(80, 1), make_cohort(45, 2, kinds=KINDS[:3])
    panel = Panel(PairCover(10)).fit(first[GENES], first["kind"])
    found = panel.evaluate(first[GENES], first["kind"])
    labels = second["kind"].replace({"beta": "unheard"}).where(second.index != 3)
    labels[3] = None
    result = panel.validate(second[GENES], labels)
    kept = labels.isin(["alpha", "delta"]).to_numpy()
    assert result.n_samples == kept.sum()
    assert result.class_sizes == [kept[labels == "alpha"].sum(), 0, kept[labels == "delta"].sum(),
                                  0, 0]  # fmt: skip
    areas = found.held_out["PairCover"].pair_areas
    assert result.auc_first.value == pytest.approx(areas[:, 1].mean())  # alpha and delta
    notes = " ".join(result.notes)
    n_unknown = int((labels == "unheard").sum())
    assert f"{n_unknown} samples of classes that the panel never saw are left out" in notes
    assert "1 sample without a label is left out." in notes
    texts = " ".join(check.text for check in result.checks if not check.passed)
    assert "No new sample of classes beta, gamma and omega" in texts
    assert "never saw: unheard." in texts
    # Decisions stay among all classes.
    assert result.confusion.shape == (5, 5)
    assert result.probabilities.shape == (kept.sum(), 5)
    nobody = panel.validate(second[GENES], ["else"] * 45)
    assert nobody.word == "cannot be judged"
    assert nobody.measures == []


def test_a_cut_that_does_not_travel(cancer, panel):
    X, y = cancer
    second, labels = X[200:].copy(), y[200:]
    assert not [
        c for c in panel.validate(second, labels).checks if c.name == "cut" and not c.passed
    ]
    moved = second + 2.0 * X[:200].std() * np.sign(
        [np.corrcoef(X[name], y == "malignant")[0, 1] for name in X]
    )
    result = panel.validate(moved, labels)
    assert "The cut does not travel: choose it anew." in " ".join(c.text for c in result.checks)
    assert result.auc.value > 0.9
    rescaled = panel.validate(moved, labels, rescale=True)
    assert rescaled.is_rescaled
    assert get(rescaled, "balanced_accuracy", "class shares").estimate.value > (
        get(result, "balanced_accuracy", "class shares").estimate.value + 0.1
    )


def test_rescaling_is_by_the_means_of_the_new_samples(cancer, panel):
    X, y = cancer[0][200:], cancer[1][200:]
    kept = X[panel.feature_names_.tolist()]
    standardised = (kept - kept.mean()) / kept.std(ddof=0)
    table = panel.table()
    values = standardised.to_numpy() * table["sd"].to_numpy() + table["centre"].to_numpy()
    result = panel.validate(kept * 1000.0 + 7, y, rescale=True)
    expected = panel._model.logistic.predict_proba(values)
    np.testing.assert_allclose(result.probabilities, expected, atol=1e-9)
    plain = panel.validate(kept * 1000.0 + 7, y)
    assert "the values look like other units: try `rescale=True`" in " ".join(plain.notes)
    assert plain.auc_other_way == result.auc
    with pytest.raises(
        ValueError, match="`rescale` takes the means of the new samples, and X has 5"
    ):
        panel.validate(kept[:5], y[:5], rescale=True)


def test_the_blind_test_of_the_tumours():
    data = load_srbct()
    X = pd.DataFrame(data.X, columns=data.feature_names, index=data.sample_ids)
    y = np.array(data.class_names)[data.y]
    panel = Panel(PairCover(10)).fit(X[:63], y[:63])
    result = panel.validate(X[63:], y[63:], first=(X[:63], y[:63]))
    assert result.n_samples == 20
    assert result.word == "works"
    assert "The file holds no held-out AUC of the first cohort." in result.sentence
    shared = next(check for check in result.checks if check.name == "shared")
    assert not shared.passed
    assert shared.text.endswith("equal or nearly the same: EWS.T13 and TEST.21.")
    names = [check.text for check in result.checks if check.name == "small_class"]
    assert names == ["Fewer than 20 new samples: BL (n = 3), EWS (n = 6), NB (n = 6) and RMS "
                     "(n = 5)."]  # fmt: skip
    without = panel.validate(X[63:], y[63:])
    assert "cannot be known without the first table" in " ".join(without.notes)


def test_shared_samples_are_found_equal_and_nearly_so():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(50, 100)) * 7 + 3, rng.normal(size=(30, 100)) * 7 + 3
    codes = np.arange(50) % 2
    assert find_shared_samples(first, codes, second) == (True, [])
    second[4], second[9] = first[7], first[30] + 0.02 * rng.normal(size=100)
    assert find_shared_samples(first, codes, second) == (True, [(7, 4), (30, 9)])
    assert find_shared_samples(first, None, second).pairs == [(7, 4), (30, 9)]
    assert find_shared_samples(first[:, :10], codes, second[:, :10]) == (False, [])
    first[7, 3] = second[4, 3] = np.nan
    assert find_shared_samples(first, codes, second).pairs[0] == (7, 4)


def test_all_of_it_is_plain_values_and_text(found):
    content = found.to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert content["word"] == found.word
    text = str(found)
    assert text.startswith(found.sentence[:60])
    assert "specificity" in text
    assert "<table>" in found._repr_html_()
    assert {check["passed"] for check in content["checks"]} <= {True, False}


def test_what_cannot_be(cancer, panel):
    X, y = cancer[0][200:], cancer[1][200:]
    with pytest.raises(ValueError, match="log2 and unlog2 contradict each other"):
        panel.validate(X, y, log2=True, unlog2=True)
    with pytest.raises(ValueError, match=r"y has the shape \(3,\) for the 369 samples of X"):
        panel.validate(X, y[:3])
    with pytest.raises(ValueError, match="groups has the shape"):
        panel.validate(X, y, groups=[1, 2])
    with pytest.raises(ValueError, match="X has 7 columns, but the panel was fitted to 30"):
        panel.validate(X.to_numpy()[:, :7], y)
    by_position = panel.validate(X.to_numpy(), y)
    assert by_position.auc == panel.validate(X, y).auc
    name = panel.feature_names_[0]
    with pytest.raises(ValueError, match=f"X has text in the feature '{name}'"):
        panel.validate(X.assign(**{name: "much"}), y)
