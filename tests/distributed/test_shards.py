"""Shards add up to the whole, for any cut of the rows; no cluster is needed to see that."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from inner import (
    ClusterOverallCorrelations,
    ClusterProblem,
    DistributedState,
    NativeState,
    OverallCorrelations,
    Problem,
    Question,
    Separability,
    forward,
)
from inner import rows as _rows
from inner import shard as _shard
from strategies import examples, problems


class Here:
    """A cluster that is this process: futures are their results."""

    def submit(self, function, *arguments):
        return function(*arguments)

    def map(self, function, *arguments, **same):
        return [function(*each, **same) for each in zip(*arguments, strict=True)]

    hand_out = staticmethod(lambda facts: facts)
    gather = staticmethod(list)


def chunks_of(X, y, cuts, weight, form):
    """Rows cut at ``cuts``."""
    return [
        _rows.ready_rows(form(X[a:b]), y[a:b], None if weight is None else weight[a:b], {})
        for a, b in pairwise([0, *sorted(cuts), len(y)])
    ]


def distributed_state(X, y, cuts, scale="minmax", weight=None, form=np.asarray):
    """The state of rows cut at ``cuts``, the chunks dealt out to two shards."""
    chunks = chunks_of(X, y, cuts, weight, form)
    half = len(chunks) // 2
    shards = [chunks[:half], chunks[half:]]
    survey = _rows.merge([_rows.survey(shard) for shard in shards])
    return DistributedState(ClusterProblem(Here(), shards, survey, scale))


@pytest.fixture(autouse=True, scope="module")
def three_threads():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_shard, "_threads", lambda: 3)
        yield


@examples(150)
@given(problems(max_samples=30), st.data())
def test_any_cut_gives_the_choice_of_one_machine(problem, data):
    X, y = problem
    cuts = data.draw(st.lists(st.integers(0, len(y)), max_size=8))
    scale = data.draw(st.sampled_from(["minmax", None]))
    form = data.draw(st.sampled_from([np.asarray, csr_array]))
    order = data.draw(st.sampled_from([np.arange(len(y)), np.argsort(y, kind="stable")]))
    k, weights = min(5, X.shape[1]), (0.3, 0.3)
    alone = list(forward(Separability(NativeState(Problem(X, y, scale)), *weights), k))
    state = distributed_state(X[order], y[order], cuts, scale=scale, form=form)
    steps = list(forward(Separability(state, *weights), k))
    assert [step.feature for step in steps] == [step.feature for step in alone]
    np.testing.assert_allclose(
        [step.score for step in steps], [step.score for step in alone], rtol=1e-9, atol=1e-12
    )


@examples(60)
@given(problems(max_samples=30), st.data())
def test_correlations_of_shards_and_chunks_are_those_of_the_table(problem, data):
    X, y = np.float64(np.float32(problem[0])), problem[1]
    weight = data.draw(st.sampled_from([None, np.arange(1.0, len(y) + 1)]))
    form = data.draw(st.sampled_from([np.asarray, np.float32, csr_array]))
    cuts = data.draw(st.lists(st.integers(0, len(y)), max_size=8))
    holes = X.copy()
    holes[data.draw(st.integers(0, len(y) - 1)), data.draw(st.integers(0, X.shape[1] - 1))] = np.nan
    shards = distributed_state(X, y, cuts, weight=weight, form=form).correlations()
    chunks = ClusterOverallCorrelations(Here(), chunks_of(holes, y, cuts, weight, form))
    for table, there in ((X, shards), (holes, chunks)):
        here = OverallCorrelations(table, weight)
        for feature in range(X.shape[1]):
            np.testing.assert_allclose(there(feature), here(feature), rtol=0, atol=1e-10)


@examples(30)
@given(problems(max_samples=30), st.data())
def test_what_all_rows_have_in_common_is_found_from_the_chunks(problem, data):
    X, y = problem
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    cuts = data.draw(st.lists(st.integers(0, len(y)), max_size=8))
    whole = Problem(X, y, "minmax", weight)
    there = distributed_state(X, y, cuts, weight=weight).problem.centroids
    np.testing.assert_array_equal(there.varying, whole.varying)
    np.testing.assert_allclose(there.centroids, whole.centroids, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(there.on_centroid, whole.on_centroid)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("weight", [None, np.arange(1.0, 31.0)], ids=["alike", "weighted"])
def test_class_sums_of_a_chunk(real, order, weight):
    rng = np.random.default_rng(6)
    y = np.arange(30) % 3
    X = np.asarray(1e3 + rng.normal(size=(30, 7)), dtype=real, order=order)
    X[:, 0] = 1000.1  # so its mean must be that very number
    X.flags.writeable = False  # as chunks are that come from another worker
    rows = _rows.ready_rows(X, y, weight, {})
    survey = _rows.survey([rows])
    of_class = survey.weight_of_class[:, None]
    means = survey.sums / of_class
    left = _rows.shard_sums([rows], (survey.classes, survey.lower, means)) / of_class
    exact = np.array(
        [np.average(X[y == q].astype(np.longdouble), 0, None if weight is None else weight[y == q])
         for q in range(3)]
    )  # fmt: skip
    np.testing.assert_allclose(survey.lower + (means + left), exact.astype(float), rtol=1e-15)
    assert (survey.lower[0] + (means + left)[:, 0] == X[0, 0]).all()


def test_a_copy_goes_its_own_way():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 8)) + y[:, None]
    state = distributed_state(X, y, [20, 40])
    state.add(2)
    twin = state.copy()
    twin.add(5)
    expected = NativeState(Problem(X, y))
    expected.add(2)
    for got, want in zip(state.score(np.arange(8)), expected.score(np.arange(8)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    expected.add(5)
    for got, want in zip(twin.score(np.arange(8)), expected.score(np.arange(8)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_candidates_may_come_in_any_order():
    rng = np.random.default_rng(4)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 8))
    mixed = np.array([5, 0, 7, 2])
    got = distributed_state(X, y, [30]).score(mixed)
    want = NativeState(Problem(X, y)).score(mixed)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_an_answer_depends_on_rows_and_features_only():
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    rows = [_rows.ready_rows(rng.normal(size=(40, 4)), y, None, {})]
    problem = ClusterProblem(Here(), [rows], _rows.survey(rows), "minmax")
    (shard,) = problem.build_shards(("printed", "mean"))
    features = np.arange(4)
    question = Question.about(4, {"least": features, "single": features, "double": features})
    fresh = pickle.loads(pickle.dumps(shard))  # as another worker gets it
    first = _shard.keep(shard, None, (1,))
    kept = [{name: array.copy() for name, array in memory.items()} for memory in first.memories]

    def answer(of, start, subset):
        sent = _shard.answer(of, start, subset, question)
        return {kind: array.tobytes() for kind, array in sent.items()}

    wanted = answer(shard, None, (1, 2))
    ways = [(first, (1, 2)), (None, (1, 2)), (first, (1, 3)), (None, ()), (first, (1, 2))]
    for start, subset in ways:
        again = answer(shard, start, subset)
        assert again == answer(pickle.loads(pickle.dumps(fresh)), None, subset)
        assert (again == wanted) == (subset == (1, 2))
    for memory, before in zip(first.memories, kept, strict=True):
        for name, array in before.items():
            np.testing.assert_array_equal(memory[name], array)


def test_a_shard_weighs_what_it_holds():
    X, y = np.ones((64, 5), np.float32), np.arange(64) % 2
    X[0] = 0
    rows = [_rows.ready_rows(X, y, None, {})]
    problem = ClusterProblem(Here(), [rows], _rows.survey(rows), "minmax")
    (shard,) = problem.build_shards(("printed", "mean"))
    held = 2 * X.nbytes + 64 * (4 * 4 + 2 * 8 + 2 * 16)
    assert held <= shard.__sizeof__() < 1.25 * held


def test_rows_that_do_not_count_are_left_out_before_scaling():
    X = np.array([[0.0], [1.0], [100.0], [3.0]])
    rows = _rows.ready_rows(X, np.array([0, 1, 0, 1]), [1, 1, 0, 2], {})
    survey = _rows.survey([rows])
    assert survey.upper == 3
    np.testing.assert_array_equal(survey.weight_of_class, [1, 3])
