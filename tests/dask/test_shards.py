"""Shards add up to the whole, for any cut of the samples; no cluster is needed to see that."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse

import inner
from inner import (
    ClusterCopies,
    ClusterCorrelations,
    ClusterProblem,
    ClusterSamples,
    ClusterState,
    NativeState,
    OverallCorrelations,
    Problem,
    Separability,
    SubsetState,
    forward,
)
from inner import chunks as chunk_room
from inner import shard as shard_room
from strategies import examples, problems


def samples_of(X, y, cuts, weight=None, form=np.asarray):
    """Samples cut at ``cuts``, in the care of Dask in this process."""
    sizes = tuple(np.diff([0, *sorted(cuts), len(y)]).tolist())
    chunks = da.from_array(X, chunks=(sizes, -1)).map_blocks(form, dtype=X.dtype)
    return ClusterSamples(chunks, y, weight, stay=True)


def problem_of(samples, scale="minmax"):
    return ClusterProblem(samples, samples.summarize(), scale)


def distributed_state(X, y, cuts, scale="minmax", weight=None, form=np.asarray, compactness="mean"):
    """The state of samples cut at ``cuts``, the chunks dealt out to two shards."""
    samples = samples_of(X, y, cuts, weight, form)
    return ClusterState(problem_of(samples, scale), compactness=compactness)


@pytest.fixture(autouse=True, scope="module")
def two_shards():
    with dask.config.set(num_workers=2):
        yield


@pytest.fixture(autouse=True, scope="module")
def three_threads():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shard_room, "_count_threads", lambda: 3)
        yield


@examples(150)
@given(problems(max_samples=30), st.data())
def test_any_cut_gives_the_choice_of_one_machine(problem, data):
    X, y = problem
    cuts = data.draw(st.lists(st.integers(0, len(y)), max_size=8))
    scale = data.draw(st.sampled_from(["standard", "minmax", None]))
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
def test_correlations_over_all_chunks_are_those_of_the_table(problem, data):
    X, y = np.float64(np.float32(problem[0])), problem[1]
    weight = data.draw(st.sampled_from([None, np.arange(1.0, len(y) + 1)]))
    form = data.draw(st.sampled_from([np.asarray, np.float32, csr_array]))
    cuts = data.draw(st.lists(st.integers(0, len(y)), max_size=8))
    holes = X.copy()
    holes[data.draw(st.integers(0, len(y) - 1)), data.draw(st.integers(0, X.shape[1] - 1))] = np.nan
    for table in (X, holes, X + 1e9):
        samples = samples_of(table, y, cuts, weight, form)
        on_cluster = ClusterCorrelations(samples, samples.summarize())
        cast = form(table)
        dense = cast.toarray() if issparse(cast) else np.asarray(cast, np.float64)
        local = OverallCorrelations(dense, weight)
        for feature in range(X.shape[1]):
            np.testing.assert_allclose(on_cluster(feature), local(feature), rtol=0, atol=1e-10)


@examples(30)
@given(problems(max_samples=30), st.data())
def test_what_all_samples_have_in_common_is_found_from_the_chunks(problem, data):
    X, y = problem
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    cuts = data.draw(st.lists(st.integers(0, len(y)), max_size=8))
    whole = Problem(X, y, "minmax", weight)
    on_cluster = distributed_state(X, y, cuts, weight=weight).problem.centroids
    np.testing.assert_array_equal(on_cluster.varying, whole.varying)
    np.testing.assert_allclose(on_cluster.centroids, whole.centroids, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(on_cluster.on_centroid, whole.on_centroid)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("weight", [None, np.arange(1.0, 31.0)], ids=["alike", "weighted"])
def test_class_means_are_exact(real, order, weight):
    rng = np.random.default_rng(6)
    y = np.arange(30) % 3
    X = np.asarray(1e3 + rng.normal(size=(30, 7)), dtype=real, order=order)
    X[:, 0] = 1000.1  # so its mean must be that very number
    X[y == 1, 1] = 1000.2  # and that of a class
    X.flags.writeable = False  # as chunks are that come from another worker
    problem = problem_of(samples_of(X, y, [4, 19], weight), None).centroids
    exact = np.array(
        [np.average(X[y == q].astype(np.longdouble), 0, None if weight is None else weight[y == q])
         for q in range(3)]
    )  # fmt: skip
    np.testing.assert_allclose(problem.X, exact.astype(float), rtol=1e-15)
    assert (problem.X[:, 0] == X[0, 0]).all()
    assert problem.X[1, 1] == X[1, 1]


def test_a_copy_goes_its_own_way():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 8)) + y[:, None]
    state = distributed_state(X, y, [20, 40])
    state.add(2)
    copied = state.copy()
    copied.add(5)
    expected = NativeState(Problem(X, y))
    expected.add(2)
    for got, want in zip(state.score(np.arange(8)), expected.score(np.arange(8)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    expected.add(5)
    for got, want in zip(copied.score(np.arange(8)), expected.score(np.arange(8)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_candidates_may_come_in_any_order():
    rng = np.random.default_rng(4)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 8))
    mixed = np.array([5, 0, 7, 2])
    got = distributed_state(X, y, [30]).score(mixed)
    want = NativeState(Problem(X, y)).score(mixed)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_an_answer_depends_on_samples_and_selected_features_only():
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    problem = problem_of(samples_of(rng.normal(size=(40, 4)), y, []))
    (shard,) = problem.build_shards(("published", "mean"))
    fresh = pickle.dumps(shard)  # as another worker gets it

    def answer(of, selected):
        return of.sum_samples(selected, np.arange(4)).tobytes()

    wanted = answer(shard, (1, 2))
    for selected in [(1,), (1, 2), (1, 3), (), (2, 1, 0), (1, 2), (1, 2, 3), (1, 2)]:
        again = answer(shard, selected)
        assert again == answer(pickle.loads(fresh), selected)
        assert (again == wanted) == (selected == (1, 2))


@examples(60)
@given(problems(max_samples=30), st.sampled_from(["mean", "rms"]))
def test_the_bound_holds_for_every_candidate(problem, compactness):
    X, y = problem
    state = distributed_state(X, y, [len(y) // 2], compactness=compactness)
    alone = SubsetState(Problem(X, y), "published", compactness)
    features, weights = np.arange(X.shape[1]), [(0.0, 0.3), (0.5, 0.0)]
    for selected in range(min(3, X.shape[1])):
        state.shortlists(features, weights)
        lambdas = alone.separation(features)
        bound = state._bound_separability(features, lambdas, weights)
        for (alpha, beta), of_pair in zip(weights, bound, strict=True):
            assert (alone.score(features).separability(alpha, beta) <= of_pair * (1 + 1e-12)).all()
        state.score(np.array([selected]))
        state.add(selected)
        alone.add(selected)


def test_a_shard_weighs_what_it_holds():
    X, y = np.ones((64, 5), np.float32), np.arange(64) % 2
    X[0] = 0
    (shard,) = problem_of(samples_of(X, y, [])).build_shards(("published", "mean"))
    assert X.nbytes <= shard.__sizeof__() <= 2 * X.nbytes


def test_samples_that_do_not_count_are_left_out_before_scaling():
    X = np.array([[0.0], [1.0], [100.0], [3.0]])
    summary = samples_of(X, np.array([0, 1, 0, 1]), [], np.array([1, 1, 0, 2])).summarize()
    assert summary.range == (0, 3)
    np.testing.assert_array_equal(summary.weights, [1, 3])


def test_many_labels_are_no_classes(monkeypatch):
    X, y = np.ones((40, 2)), np.arange(40)
    monkeypatch.setattr(inner.summary, "MAX_CLASSES", 30)
    for cuts in ([], [20]):
        with pytest.raises(ValueError, match="y has 40 different values, more than 30 classes"):
            samples_of(X, y, cuts).summarize()


def test_arrays_from_a_network_may_stand_anywhere():
    rng = np.random.default_rng(7)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 4))

    def shift(array):
        """The same numbers at a byte where no number may stand."""
        raw = np.empty(array.nbytes + 1, np.uint8)[1:]
        raw[:] = np.frombuffer(array.tobytes(), np.uint8)
        return raw.view(array.dtype).reshape(array.shape)

    samples = samples_of(X, y, [], np.ones(40))
    (aligned,) = samples.chunks
    moved = chunk_room.Chunk(*map(shift, aligned))
    assert not moved.X.flags.aligned
    answers = []
    for chunk in (aligned, moved):
        samples.chunks = [chunk]
        summary = samples.summarize()
        (shard,) = problem_of(samples).build_shards(("published", "mean"))
        factors = tuple(map(shift, (summary.classes, np.array([2.0, 1.0]))))
        weighed = chunk_room.weigh_chunk(chunk, factors)
        correlations = ClusterCorrelations(samples, summary)
        copies = ClusterCopies(samples, summary)
        answers.append([
            shard.sum_samples((1,), np.arange(4)), correlations(2), weighed.sample_weight,
            summary.means, copies(1, np.array([0, 2])),
        ])  # fmt: skip
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)
