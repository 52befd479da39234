"""StabilitySelector against a literal count, and the picture of it."""

import io
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine, make_classification
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from s2fs import S2FS, PairCover, StabilitySelector
from s2fs.baselines import AnovaF
from s2fs.evaluation import stability
from s2fs.plotting import plot_stability


def data(seed=0, m=15):
    return make_classification(
        60, m, n_informative=4, n_classes=3, weights=[0.5, 0.3, 0.2], random_state=seed
    )


class Recording(S2FS):
    """Notes the rows it is fitted on; the first feature carries their numbers."""

    seen = None
    labels: ClassVar = []

    def fit(self, X, y):
        Recording.seen.append(X[:, 0].astype(int))
        Recording.labels.append(y)
        return super().fit(X, y)


def test_counts_by_hand():
    X, y = data()
    fitted = StabilitySelector(selector=S2FS(4), n_resamples=12).fit(X, y)
    assert len(fitted.selected_) == 12
    counts, ranks = np.zeros(15), np.zeros((12, 15))
    for b, selected in enumerate(fitted.selected_):
        for f in range(15):
            is_selected = f in selected
            counts[f] += is_selected
            ranks[b, f] = 1 + list(selected).index(f) if is_selected else 5
    np.testing.assert_allclose(fitted.frequencies_, counts / 12)
    np.testing.assert_allclose(fitted.mean_ranks_, ranks.mean(axis=0))
    order = sorted(range(15), key=lambda f: (-counts[f], ranks[:, f].sum(), f))
    assert fitted.indices_.tolist() == order[:4]
    np.testing.assert_array_equal(fitted.scores_, counts[order[:4]] / 12)
    assert fitted.stability_ == stability(fitted.selected_, 15)
    table = fitted.ranking_table()
    assert table.columns.tolist() == ["rank", "feature", "frequency", "mean_rank", "q_value"]


@pytest.mark.parametrize("fraction", [0.3, 0.5, 0.9])
def test_subsamples_keep_the_shares_of_the_classes(fraction):
    X, y = data()
    X[:, 0] = np.arange(60)
    Recording.seen = []
    StabilitySelector(
        n_permutations=0, selector=Recording(2), n_resamples=30, sample_fraction=fraction
    ).fit(X, y)
    assert len(Recording.seen) == 30
    for rows in Recording.seen:
        assert len(set(rows)) == len(rows)  # without replacement
        drawn, there = np.bincount(y[rows], minlength=3), np.bincount(y)
        most = there if fraction > 0.5 else there // 2  # so that two halves share no sample
        assert drawn.tolist() == [
            min(round(fraction * n), q) for n, q in zip(there, most, strict=True)
        ]
    assert len({tuple(rows) for rows in Recording.seen}) == 30
    assert set(np.concatenate(Recording.seen)) == set(range(60))  # everyone has a turn


@pytest.mark.filterwarnings("ignore:Class.* fewer than two samples:UserWarning")
def test_small_classes_are_never_lost():
    X, y = data()
    y = np.where(np.arange(60) == 7, 9, np.where(np.arange(60) < 2, 8, 0))
    X[:, 0] = np.arange(60)
    Recording.seen = []
    StabilitySelector(
        n_permutations=0, selector=Recording(2), n_resamples=5, sample_fraction=0.1
    ).fit(X, y)
    for rows in Recording.seen:
        assert sorted(y[rows]) == [0] * 6 + [8, 8, 9]


def test_the_same_for_any_number_of_threads_and_another_for_another_seed():
    X, y = data()
    one = StabilitySelector(4, n_resamples=10).fit(X, y)
    two = StabilitySelector(4, n_resamples=10, n_jobs=2).fit(X, y)
    assert [s.tolist() for s in one.selected_] == [s.tolist() for s in two.selected_]
    other = StabilitySelector(4, n_resamples=10, random_state=1).fit(X, y)
    assert [s.tolist() for s in one.selected_] != [s.tolist() for s in other.selected_]


def test_how_many_are_selected():
    X, y = data()
    assert len(StabilitySelector(n_resamples=3).fit(X, y).indices_) == 10
    assert len(StabilitySelector(6, selector=S2FS(2), n_resamples=3).fit(X, y).indices_) == 6
    assert len(StabilitySelector(selector=S2FS(0.2), n_resamples=3).fit(X, y).indices_) == 3
    strict = StabilitySelector(selector=PairCover(5), n_resamples=10, threshold=0.7).fit(X, y)
    assert strict.scores_.min() >= 0.7
    everything = StabilitySelector(selector=PairCover(5), n_resamples=10).fit(X, y)
    reached = [f for f in everything.indices_.tolist() if everything.frequencies_[f] >= 0.7]
    assert strict.indices_.tolist() == reached
    assert 0 < len(reached) < 5
    noise = np.random.default_rng(0).normal(size=(60, 200))
    fickle = StabilitySelector(selector=S2FS(1), n_resamples=20, threshold=1.0)
    with pytest.warns(UserWarning, match=r"No feature was selected in a share of 1\.0"):
        fickle.fit(noise, y)
    assert fickle.indices_.tolist() == []
    assert fickle.false_selections_bound_ == fickle.false_selections_ == 0
    assert fickle._get_support_mask().sum() == 0


def test_all_features_every_time_have_no_stability():
    X, y = load_wine(return_X_y=True)
    fitted = StabilitySelector(1.0, n_resamples=3).fit(X, y)
    assert fitted.stability_ is None
    assert (fitted.frequencies_ == 1).all()


def test_any_selector_in_a_pipeline_by_name_and_sparse():
    X, y = load_wine(return_X_y=True, as_frame=True)
    stable = StabilitySelector(selector=AnovaF(3), n_resamples=5)
    assert cross_val_score(make_pipeline(stable, GaussianNB()), X, y).mean() > 0.85
    assert set(stable.fit(X, y).get_feature_names_out()) <= set(X.columns)
    truth = StabilitySelector(selector=S2FS(3), n_resamples=5).fit(X.to_numpy(), y)
    sparse = StabilitySelector(selector=S2FS(3), n_resamples=5).fit(csr_array(X.to_numpy()), y)
    np.testing.assert_array_equal(sparse.frequencies_, truth.frequencies_)
    ranked = StabilitySelector(selector=AnovaF(2), n_resamples=5).fit(X, y)
    scored = StabilitySelector(selector=SelectKBest(k=2), n_resamples=5).fit(X, y)
    assert [a.tolist() for a in scored.selected_] == [a.tolist() for a in ranked.selected_]
    with pytest.raises(ValueError, match="VarianceThreshold, which has no indices_"):
        StabilitySelector(selector=VarianceThreshold(), n_resamples=2).fit(X, y)


def drawn(figure):
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg")  # must not warn, for warnings are errors
    return buffer.getvalue()


def test_plot_shows_the_most_frequent_and_the_threshold():
    frequencies = [0.2, 0.0, 1.0, 0.6, 0.6]
    names = ["a", "b", "$c", "d", "e"]
    index = stability([[0, 2], [2, 3], [2, 4]], 5)
    ax = plot_stability(
        frequencies, feature_names=names, threshold=0.5, stability=index, title="Wine"
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == [r"\$c", "d", "e", "a"]
    assert [bar.get_width() for bar in ax.patches] == [1.0, 0.6, 0.6, 0.2]
    filled = [bar.get_facecolor()[3] > 0 for bar in ax.patches]
    assert filled == [True, True, True, False]
    assert [line.get_xdata()[0] for line in ax.lines] == [0.5]
    assert f"stability {index.value:.2f}" in ax.get_xlabel()
    drawn(ax.figure)
    assert len(plot_stability(frequencies, n_shown=2).patches) == 2


@pytest.mark.parametrize(
    ("frequencies", "names", "words"),
    [([0.5], ["a", "b"], "feature_names has 2"), ([0.0, 0.0], None, "no feature that was ever")],
)
def test_plot_refuses_what_it_cannot_draw(frequencies, names, words):
    with pytest.raises(ValueError, match=words):
        plot_stability(frequencies, feature_names=names)


def test_groups_are_drawn_whole():
    X, y = data()
    groups = np.arange(60) // 3
    X[:, 0] = np.arange(60)
    Recording.seen = []
    StabilitySelector(n_permutations=0, selector=Recording(3), n_resamples=5).fit(
        X, y, groups=groups
    )
    for rows in Recording.seen:
        assert set(rows) == set(np.flatnonzero(np.isin(groups, groups[rows])))
        assert set(y[rows]) == {0, 1, 2}
        assert len(rows) < 60
    with pytest.raises(ValueError, match=r"groups has 59 entries for the 60 samples of X"):
        StabilitySelector(n_resamples=2).fit(X, y, groups=groups[:-1])


def test_weights_reach_the_selector():
    X, y = data()
    weight = np.random.default_rng(0).random(60) + 0.1
    fitted = StabilitySelector(selector=S2FS(3), n_resamples=4).fit(X, y, sample_weight=weight)
    plain = StabilitySelector(selector=S2FS(3), n_resamples=4).fit(X, y)
    rows = plain._subsamples(np.unique(y, return_inverse=True)[1], None, np.random.RandomState(0))
    for selected, drawn in zip(fitted.selected_, rows, strict=True):
        alone = S2FS(3).fit(X[drawn], y[drawn], sample_weight=weight[drawn])
        assert selected.tolist() == alone.indices_.tolist()


def test_the_html_representation_links_to_no_site():
    assert "href=" not in StabilitySelector()._repr_html_()


class Scripted(BaseEstimator):
    """Chooses what stands in a list, call by call."""

    def __init__(self, script=None):
        self.script = script

    def __sklearn_clone__(self):
        return self  # the script goes on

    def fit(self, X, y):
        self.indices_ = np.array(self.script.pop(0), dtype=np.intp)
        return self


def test_false_selections_by_hand():
    real = [[0, 1], [0, 1], [0, 2], [0, 1]]
    permuted = [[3, 4], [3, 1], [2, 3], [4, 1], [0, 1], [2, 3], [4, 5], [6, 7]]
    X, y = np.random.default_rng(0).normal(size=(12, 8)), np.arange(12) % 2
    fitted = StabilitySelector(
        selector=Scripted(real + permuted), n_resamples=4, n_permutations=2
    ).fit(X, y)
    counts = [4, 3, 1, 0, 0, 0, 0, 0]
    by_chance = [0, 2, 1, 3, 2, 0, 0, 0] + [1] * 8
    share = {}
    for t in range(5):
        n_false = (1 + sum(count >= t for count in by_chance)) / 2
        share[t] = min(1, n_false / max(1, sum(count >= t for count in counts)))
    expected = [min(share[t] for t in range(count + 1)) for count in counts]
    np.testing.assert_allclose(fitted.q_values_, expected)
    assert expected[0] == 0.5
    assert fitted.indices_.tolist() == [0, 1]
    assert fitted.false_selections_ == (1 + 1) / 2  # a single one comes back three times
    assert fitted.q_value_floor_ == 0.5  # one feature more often than any permuted one
    assert fitted.false_selections_bound_ == pytest.approx(8 * extreme_tail(1 / 4, 4, 3, -1 / 4))
    table = fitted.ranking_table()
    assert table["q_value"].tolist() == fitted.q_values_[[0, 1]].tolist()


def test_no_permutations_no_q_values():
    fitted = StabilitySelector(2, n_resamples=3, n_permutations=0).fit(*data())
    assert np.isnan(fitted.q_values_).all()
    assert np.isnan(fitted.false_selections_)
    assert "q_value" not in fitted.ranking_table()


def test_q_values_tell_signal_from_noise():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 80))
    stable = StabilitySelector(selector=S2FS(12), n_resamples=20, n_permutations=3)
    assert not (stable.fit(X, y).q_values_ <= 0.1).any()
    X[:, :12] += 2 * rng.normal(size=(3, 12))[y]
    found = np.flatnonzero(stable.fit(X, y).q_values_ <= 0.1)
    assert len(found) >= 6
    assert (found >= 12).sum() <= 1


def test_groups_are_permuted_whole_if_they_have_one_class():
    """Two groups have both classes: their samples swap inside, the others as a whole."""
    groups = np.repeat(np.arange(20), 3)
    X, y = np.random.default_rng(0).normal(size=(60, 5)), groups % 2
    y[[0, 3]] = 1, 0
    X[:, 0] = np.arange(60)
    Recording.seen, Recording.labels = [], []
    repeated = StabilitySelector(selector=Recording(3), n_resamples=8, n_permutations=3)
    repeated.fit(X, y, groups=groups)
    fits = list(zip(Recording.seen, Recording.labels, strict=True))
    assert len(fits) == 32
    for rows, labels in fits[:8]:
        np.testing.assert_array_equal(labels, y[rows])
    for rows, labels in fits[8:]:
        assert set(rows) == set(np.flatnonzero(np.isin(groups, groups[rows])))
        for group in set(groups[rows]):
            found = sorted(labels[groups[rows] == group].tolist())
            assert found in ([[0, 0, 1], [0, 1, 1]][group : group + 1] or [[0] * 3, [1] * 3])
    moved = np.mean([(labels != y[rows]).mean() for rows, labels in fits[8:]])
    assert 0.3 < moved < 0.7


def test_pairs_of_halves_share_no_sample():
    X, y = data()
    X[:, 0] = np.arange(60)
    Recording.seen = []
    StabilitySelector(n_permutations=0, selector=Recording(2), n_resamples=10).fit(X, y)
    for first, second in zip(Recording.seen[::2], Recording.seen[1::2], strict=True):
        assert not set(first) & set(second)
        assert len(first) == len(second) == sum(np.bincount(y) // 2)


def extreme_tail(mean, n, threshold, r):
    """The largest P(X ≥ threshold), by a general optimiser over logarithms of probabilities."""
    steps = np.arange(n + 1)

    def probabilities(logs):
        each = np.exp(logs - logs.max())
        return each / each.sum()

    def convexity(logs):  # of f^r, for r < 0
        power = np.exp(r * (logs - logs.max()))
        return (power[2:] - 2 * power[1:-1] + power[:-2]) / power[1:-1]

    limits = [
        {"type": "ineq", "fun": lambda logs: mean * n - steps @ probabilities(logs)},
        {"type": "ineq", "fun": convexity},
    ]
    highest = 0.0
    for start in np.linspace(0.1, 3, 8):
        with np.errstate(all="ignore"):
            found = minimize(
                lambda logs: -probabilities(logs)[threshold:].sum(),
                np.log(start + steps) / r,
                constraints=limits,
                options={"maxiter": 2000, "ftol": 1e-14},
            )
            if all(np.min(limit["fun"](found.x)) > -1e-7 for limit in limits):
                highest = max(highest, -found.fun)
    return highest


@pytest.mark.parametrize("often", [5, 6])
def test_bound_of_shah_and_samworth(often):
    """Six halves of 20 features: two are selected from each, feature 0 from five or six of them."""
    script = [[0, 1 + i] if i < often else [10, 11] for i in range(6)]
    X, y = np.random.default_rng(0).normal(size=(16, 20)), np.arange(16) % 2
    stable = StabilitySelector(1, selector=Scripted(script), n_resamples=6, n_permutations=0)
    stable.fit(X, y)
    bound = 20 * min(extreme_tail(0.01, 3, often - 3, -0.5), extreme_tail(0.1, 6, often, -0.25))
    assert stable.scores_.tolist() == [often / 6]
    assert stable.false_selections_bound_ == pytest.approx(bound, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "sizes"), [({"n_resamples": 5}, 8), ({"sample_fraction": 0.4}, 8), ({}, 3)]
)
def test_no_bound_without_pairs_of_halves(change, sizes):
    X, y = np.random.default_rng(0).normal(size=(2 * sizes, 20)), np.arange(2 * sizes) % 2
    X[:, 0] += 9 * y
    options = {"n_resamples": 6, "n_permutations": 0} | change
    assert np.isnan(StabilitySelector(1, **options).fit(X, y).false_selections_bound_)


def test_constant_features_are_false():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([np.full((40, 6), 3.7), rng.normal(size=(40, 4))])
    X[:, 6] += 3 * y
    stable = StabilitySelector(8, n_resamples=10, n_permutations=5).fit(X, y)
    assert (stable.q_values_[:6] == 1).all()
    assert set(stable.indices_) & set(range(6))
    assert stable.false_selections_ >= len(set(stable.indices_) & set(range(6)))
    few = StabilitySelector(selector=S2FS(1), n_resamples=10, n_permutations=20).fit(X, y)
    assert few.q_values_[6] == few.q_value_floor_ == 1 / 20
    sparse = StabilitySelector(8, n_resamples=10, n_permutations=5).fit(csr_array(X), y)
    np.testing.assert_array_equal(sparse.q_values_, stable.q_values_)


def test_too_few_permutations_are_refused():
    X, y = np.random.default_rng(0).normal(size=(8, 5)), np.arange(8) % 2
    stable = StabilitySelector(2, n_resamples=4, n_permutations=9)
    with pytest.raises(ValueError, match=r"groups allow 8 distinct orders.*n_permutations=7"):
        stable.fit(X, y, groups=np.arange(8) // 2)


def test_covariates_are_kept_in_the_permutations():
    """Features that follow the age say nothing once it is taken away; they keep their names."""
    lowest = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = np.arange(60) % 2
        age = rng.normal(50, 10, 60) + 8 * y
        X = rng.normal(size=(60, 8)) + np.outer(age, np.arange(8) * 0.05)
        X = pd.DataFrame(X, columns=list("abcdefgh"))
        stable = StabilitySelector(selector=S2FS(2, exclude=["a"]), n_resamples=6, n_permutations=6)
        lowest.append(stable.fit(X, y, covariates=age).q_values_.min())
        assert stable.frequencies_[0] == 0
    assert np.mean(lowest) > 0.3


def test_rows_that_belong_together_are_no_evidence():
    """Four measurements of each patient, and features that differ by patient alone."""
    lowest = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        patient = np.repeat(np.arange(16), 4)
        X = rng.normal(size=(16, 60))[patient] + 0.1 * rng.normal(size=(64, 60))
        stable = StabilitySelector(5, n_resamples=8, n_permutations=4)
        lowest.append(stable.fit(X, patient % 2, groups=patient).q_values_.min())
    assert np.mean(lowest) > 0.3
    assert min(lowest) > 0.1


def test_a_selector_that_finds_nothing():
    X, y = np.random.default_rng(5).normal(size=(30, 20)), np.arange(30) % 3
    with pytest.warns(UserWarning, match="none is selected"):
        fitted = StabilitySelector(
            2, selector=S2FS("auto", level=0.01), n_resamples=3, threshold=0.9
        ).fit(X, y)
    assert fitted.indices_.tolist() == []
    assert (fitted.q_values_ == 1).all()


def test_columns_of_one_feature_count_once():
    """The frequency of a feature is that of its columns, and it has one place in the ranking."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 8)) + 0.5 * y[:, None] * (np.arange(8) < 3)
    groups = [[0, 5], [1, 2, 6]]
    stable = StabilitySelector(3, selector=PairCover(2, feature_groups=groups), n_resamples=20)
    stable.fit(X, y)
    feature_of = np.array([0, 1, 1, 2, 3, 0, 1, 4])
    counts = np.zeros(5)
    for columns in stable.selected_:
        features = {*feature_of[columns].tolist()}
        assert len(features) == 2
        counts[[*features]] += 1
    np.testing.assert_allclose(stable.frequencies_, (counts / 20)[feature_of])
    best = sorted(range(5), key=lambda f: -counts[f])[:2]
    assert {*feature_of[stable.ranking_ <= 2].tolist()} == {*best}
    assert len(set(stable.ranking_[stable.support_])) == 3
    index = stability([np.unique(feature_of[one]) for one in stable.selected_], 5)
    assert stable.stability_ == index
