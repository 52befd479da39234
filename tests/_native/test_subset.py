"""The native engine takes the same decisions as the plain one, however it is run."""

import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import inner
from inner import (
    LEVELS,
    NativeState,
    Problem,
    SubsetState,
    forward,
    library,
    separability_of,
)
from s2fs import S2FS, PairCover
from strategies import examples, long, problems

INSTRUCTION_SETS = library.INSTRUCTION_SETS
LINUX = sys.platform == "linux"

weights = st.sampled_from([0, 0.01, 0.0316, 0.3162, 1, 1.0])
readings = st.sampled_from(["published", "normalized"])
compactnesses = st.sampled_from(["mean", "rms"])
scales = st.sampled_from(["standard", "minmax", None])


def near_ties(X, rng):
    """Add columns that differ from others by less and less, down to a single bit."""
    twins = X[:, rng.integers(0, X.shape[1], 6)].copy()
    for size, column in zip([1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 0], twins.T, strict=True):
        column *= 1 + size * rng.normal(size=len(column))
    return np.column_stack([twins[:, :3], X, twins[:, 3:]])


def paths(states, weights, k):
    """The features chosen with each state, and the scores on the way."""
    found = [list(forward(separability_of(state, *weights), k)) for state in states]
    return (
        [[step.feature for step in path] for path in found],
        np.array([[step.score for step in path] for path in found]),
    )


@examples(300)
@given(problems(), weights, weights, readings, compactnesses, st.booleans(), scales, st.data())
def test_same_path_as_in_plain_numpy(data, alpha, beta, reading, compactness, crowded, scale, more):
    X, y = data
    if crowded:
        X = near_ties(X, np.random.default_rng(0))
    if more.draw(st.booleans()):  # one bad cell
        X[more.draw(st.integers(0, len(y) - 1)), 0] = 10.0 ** more.draw(st.integers(2, 15))
    options = reading, compactness
    problem = Problem(more.draw(st.sampled_from([np.asarray, sparse.csc_array]))(X), y, scale)
    n_threads = more.draw(st.sampled_from([1, 2]))
    states = SubsetState(problem, *options), NativeState(problem, *options, n_threads)
    (plain, fast), seps = paths(states, (alpha, beta), min(X.shape[1], 8))
    assert fast == plain
    # Classes that are almost points have offsets of few known digits, whoever computes with them.
    seps = seps[:, seps.max(axis=0) < 1e4]
    np.testing.assert_allclose(*seps, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("compactness", ["mean", "rms"])
@pytest.mark.parametrize("weight", [long(0.0), 0.0316, long(1.0)])
@pytest.mark.parametrize("p", [2, 4, long(13)])
def test_a_long_run_chooses_as_step_by_step(p, weight, compactness):
    # Long enough for sums to be carried along and made anew; crowded with near-ties.
    rng = np.random.default_rng(p)
    y = np.arange(120) % p
    X = rng.normal(size=(120, 150)) + rng.normal(size=(p, 150))[y] / 2
    X = np.hstack([X, X[:, ::3] * (1 + 1e-7 * rng.normal(size=(120, 50))), X[:, :20]])
    problem = Problem(X, y)
    state = NativeState(problem, "published", compactness)
    criterion = separability_of(state.copy(), weight, weight)
    run = [feature for feature, *_ in criterion.run(np.arange(220), 80)]
    (steps,), _ = paths([SubsetState(problem, "published", compactness)], (weight, weight), 80)
    assert run == steps


@pytest.mark.parametrize(("weight", "reading"), [(0.0316, "published"), (1.0, "normalized")])
@pytest.mark.parametrize("p", [8, 9, 20])
def test_a_long_run_with_many_classes_is_that_of_plain_numpy(p, weight, reading):
    # Bounds that are carried from step to step, near-ties, classes that nearly coincide at first
    rng = np.random.default_rng(p)
    y = np.arange(3 * p) % p
    few = rng.normal(size=(p, 5)) @ rng.normal(size=(5, 45))
    X = near_ties(few[y] + 0.3 * rng.normal(size=(len(y), 45)), rng)
    X[:, 20:25] = np.round(X[:, 20:25])
    X[:, 25:29] = (y[:, None] == 1) + 1e-7 * X[:, 25:29]
    problem = Problem(X, y)
    states = SubsetState(problem, reading), NativeState(problem, reading)
    features, scores = paths(states, (weight, weight), 40)
    assert features[0] == features[1]
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-9)


@pytest.mark.parametrize("p", [2, long(3), 7, long(12), 34])
@pytest.mark.parametrize("scale", ["standard", "minmax", long(None)])
@pytest.mark.parametrize("reading", ["published", "normalized"])
def test_bounds_are_never_too_small_whatever_the_level(p, scale, reading):
    weights = [(0.0, 0.0), (0.0316, 0.0316), (1.0, 1e3)]  # with the last one directions decide
    for seed in range(7):
        rng = np.random.default_rng([p, seed])
        n, m = 4 * p + 16, 40
        y = np.arange(n) % p
        X = rng.normal(size=(n, m)) + rng.choice([0.1, 1, 5]) * rng.normal(size=(p, m))[y]
        if seed % 3 == 0:  # centroids coincide, or are as far from one as from another
            X = np.round(2 * X)
        if seed % 2 == 0:  # a bad cell moves the centroid of its class far away
            X[rng.integers(n), rng.integers(30, m, 5)] = 10.0 ** rng.integers(1, 4, 5)
        if seed == 6:  # a row in other units makes the range of every feature
            X[0] *= 1e6
        table = sparse.csc_array(X) if seed == 5 else X
        state = NativeState(Problem(table, y, scale), reading, ["mean", "rms"][seed % 2])
        for f in range(-1, 30):
            if f >= 0:
                state.add(f)
            if f + 1 not in (0, 1, 2, 5, 9, 17, 30):
                continue
            left = np.arange(f + 1, m)
            scores = state.score(left)
            for pair in weights:
                sep = scores.separability(*pair)
                for level in LEVELS:
                    assert (state.upper_bounds(left, pair, level) >= sep * (1 - 1e-11)).all(), level
                state.best(left, pair)  # what it sums is carried to the steps that follow


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("p", [2, 3, 9])
def test_a_subset_may_be_asked_again_for_other_candidates_and_weightings(p, n_threads):
    # What is known of candidates stays: it must decide nothing for those who are not asked for.
    rng = np.random.default_rng(p)
    m = 1300  # more than a chunk of features
    y = np.arange(6 * p) % p
    X = rng.normal(size=(6 * p, m)) + rng.normal(size=(p, m))[y]
    X[:, 700:710] = X[:, :10]  # equal scores: the smaller index
    state = NativeState(Problem(X, y), n_threads=n_threads)
    weightings = [(0.01, 0.01), (1.0, 0.0316), (0.0, 1.0), (0.3, 1.0)]
    for joined in range(3):
        for size in (m, 40, 500, 3, m):
            candidates = np.sort(rng.choice(m, size, replace=False))
            scores = state.copy().score(candidates)
            best = state.best_of_each(candidates, weightings)
            for (feature, score, _), pair in zip(best, weightings, strict=True):
                sep = scores.separability(*pair)
                assert feature == candidates[np.argmax(sep >= sep.max() * (1 - 1e-10))]
                np.testing.assert_allclose(score, sep.max(), rtol=1e-12)
        state.add(joined)


def test_bounds_leave_few_candidates():
    # A bound that holds but is far too large would cost time only, so nothing else would notice.
    rng = np.random.default_rng(0)
    y = np.arange(300) % 6
    X = rng.normal(size=(300, 200)) + rng.normal(size=(6, 200))[y]
    state, left = NativeState(Problem(X, y)), np.arange(20, 200)
    for feature in range(20):
        state.add(feature)
    sep = state.score(left).separability(0.0316, 0.0316)
    # What a bound may exceed Sep by, relatively.
    for level, most in zip(LEVELS, (0.04, 0.03, 0.01, 0.002, 1e-4), strict=True):
        excess = state.upper_bounds(left, (0.0316, 0.0316), level) / sep - 1
        assert np.median(excess) < most, level


@pytest.mark.parametrize("compactness", ["mean", "rms"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_search_without_a_level_selects_the_same(level, compactness):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 5
    X = near_ties(rng.normal(size=(90, 60)) + rng.normal(size=(5, 60))[y], rng)
    found = []
    for without in (None, level):
        state, left = NativeState(Problem(X, y), "published", compactness), np.arange(60)
        if without is not None:
            state.skip(without)
        selected = []
        for _ in range(20):
            feature, _, _ = state.copy().add_best(left, (0.0316, 0.0316))
            state.add(feature)
            selected.append(feature)
            left = left[left != feature]
        found.append(selected)
    assert found[0] == found[1]


@pytest.mark.parametrize("scale", ["standard", "minmax"])
def test_a_row_in_other_units_leaves_few_candidates(scale):
    # All but this row are near one end of the range, where single precision has few digits.
    rng = np.random.default_rng(0)
    y = np.arange(300) % 6
    X = rng.normal(size=(300, 500)) + rng.normal(size=(6, 500))[y]
    X[0] *= 1e6
    state, left = NativeState(Problem(X, y, scale)), np.arange(500)
    for _ in range(10):
        feature, best, _ = state.best(left, (0.0316, 0.0316))
        bounds = state.upper_bounds(left, (0.0316, 0.0316), "screen")
        assert np.count_nonzero(bounds >= best) <= 25
        state.add(feature)
        left = left[left != feature]


def test_the_best_score_is_found_if_it_is_large_enough():
    rng = np.random.default_rng(0)
    y, weights = np.arange(60) % 4, (0.0316, 0.0316)
    X = rng.normal(size=(60, 80)) + 0.5 * rng.normal(size=(4, 80))[y]
    state = NativeState(Problem(X, y))
    for step in range(8):
        left = np.setdiff1d(np.arange(80), np.arange(step))
        sep = float(state.score(left).separability(*weights).max())
        for share in (0.5, 0.99, 1 - 1e-9, 1.0):
            assert state.best_score(left, weights, share * sep) == pytest.approx(sep, rel=1e-14)
        for share in (1 + 1e-9, 1.01, 2.0):
            assert state.best_score(left, weights, share * sep) == -np.inf
        assert state.best(left, weights)[1] == pytest.approx(sep, rel=1e-14)
        state.add(step)


def test_thousands_of_equal_columns():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.repeat(rng.normal(size=(60, 2)) + y[:, None], 4000, axis=1)
    assert S2FS(5).fit(X, y).indices_[0] in (0, 4000)
    np.testing.assert_array_equal(np.diff(S2FS(3).fit(X[:, :4000], y).indices_), 1)


def test_one_bad_cell_does_not_change_the_first_choice_with_the_number_of_steps():
    rng = np.random.default_rng(3)
    for _ in range(20):
        X, y = rng.normal(size=(14, 12)), np.arange(14) % 6
        X[rng.integers(14), 0] = 1e12
        longer = [S2FS(k).fit(X, y).indices_[0] for k in (1, 10)]
        assert longer[0] == longer[1]


def test_extents_that_differ_by_more_than_single_precision_holds():
    rng = np.random.default_rng(4)
    y = np.arange(90) % 4
    X = rng.normal(size=(90, 60)) + rng.normal(size=(4, 60))[y]
    X *= 10.0 ** np.linspace(-12, 3, 60)
    problem = Problem(X, y, None)
    (plain, fast), _ = paths([SubsetState(problem), NativeState(problem)], (0.1, 0.1), 20)
    assert fast == plain


def interrupted(code):
    """Run code that prints a line, send it Ctrl-C, and return how long it takes to end."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline()
    time.sleep(0.5)
    start_of_end = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return time.perf_counter() - start_of_end, out, err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other systems")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_long_fit(n_jobs):
    _, out, err = interrupted(f"""
import numpy as np
from s2fs import S2FS, PairCover
rng = np.random.default_rng(0)
X, y = rng.standard_normal((20_000, 600), dtype=np.float32), np.arange(20_000) % 30
print("ready")
try:
    S2FS(600, alpha=1, beta=1, n_jobs={n_jobs}).fit(X, y)
except KeyboardInterrupt:
    print("stopped")
""")
    assert out.strip() == "stopped", err


def off_by_a_byte(array):
    """The same array where no number should stand, as bytes that came over a network."""
    bytes_of = np.empty(array.nbytes + 1, np.uint8)[1:]
    bytes_of[:] = np.frombuffer(array.tobytes(), np.uint8)
    return bytes_of.view(array.dtype).reshape(array.shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_library_gets_numbers_where_they_may_stand(dtype):
    X, y = wide_table(40)
    X = X.astype(dtype)
    astray = off_by_a_byte(X)
    assert not astray.flags.aligned
    S = sparse.csc_array(X)
    for name in ("data", "indices", "indptr"):
        setattr(S, name, off_by_a_byte(getattr(S, name)))
    np.testing.assert_array_equal(S2FS(5).fit(S, y).indices_, S2FS(5).fit(X, y).indices_)
    for cls in (S2FS, PairCover):
        whole = cls(5).fit(X, y).indices_
        np.testing.assert_array_equal(cls(5).fit(astray, y).indices_, whole)


def wide_table(m=3000):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 5
    return rng.normal(size=(90, m)) + rng.normal(size=(5, m))[y], y


@pytest.fixture(scope="module")
def reference():
    X, y = wide_table()
    return S2FS(20).fit(X, y)


def same(selector, reference):
    assert selector.indices_.tolist() == reference.indices_.tolist()
    np.testing.assert_array_equal(selector.path_, reference.path_)


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_number_of_threads(reference, n_jobs):
    same(S2FS(20, n_jobs=n_jobs).fit(*wide_table()), reference)


def test_fits_in_several_threads_at_once(reference):
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(lambda: S2FS(20, n_jobs=2).fit(*wide_table())) for _ in range(8)]
        for fit in fits:
            same(fit.result(), reference)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_fits_in_joblib_workers(reference, backend):
    X, y = wide_table()
    jobs = (joblib.delayed(S2FS(20, n_jobs=2).fit)(X, y) for _ in range(4))
    # Forking a process that has run threads is deprecated in Python, and still common in use.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for selector in joblib.Parallel(2, backend=backend)(jobs):
            same(selector, reference)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_layout_and_precision_of_the_input(order, dtype):
    X, y = wide_table()
    X = X.astype(np.float32)
    plain = S2FS(10).fit(X.astype(np.float64), y)
    selector = S2FS(10).fit(np.asarray(X, dtype=dtype, order=order), y)
    assert selector.indices_.tolist() == plain.indices_.tolist()
    np.testing.assert_allclose(selector.scores_, plain.scores_, rtol=1e-12)


@pytest.mark.parametrize("make", [sparse.csc_array, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("m", [30, 3000])
def test_sparse_input(make, m):
    rng = np.random.default_rng(1)
    y = np.arange(90) % 5
    X = rng.poisson(0.3 + 0.7 * rng.random((5, m))[y]).astype(float)
    X[:, 3] = 0
    dense, thin = S2FS(12).fit(X, y), S2FS(12).fit(make(X), y)
    assert thin.indices_.tolist() == dense.indices_.tolist()
    np.testing.assert_allclose(thin.scores_, dense.scores_, rtol=1e-12)
    assert sparse.issparse(thin.transform(make(X)))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_sparse_input_in_threads(n_jobs):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.poisson(0.5 + (y == 0)[:, None] * rng.random(3000), (90, 3000)).astype(float)
    dense = S2FS(6).fit(X, y)
    thin = S2FS(6, n_jobs=n_jobs).fit(sparse.csc_array(X), y)
    assert thin.indices_.tolist() == dense.indices_.tolist()


def test_sparse_input_is_never_dense_as_a_whole(monkeypatch):
    shapes = []
    toarray = sparse.csc_array.toarray
    monkeypatch.setattr(
        sparse.csc_array, "toarray", lambda self: (shapes.append(self.shape), toarray(self))[1]
    )
    monkeypatch.setattr(inner.problem, "BLOCK", 90 * 50)
    rng = np.random.default_rng(1)
    y = np.arange(90) % 5
    S2FS(3).fit(sparse.csc_array(rng.poisson(0.5, (90, 3000)).astype(float)), y)
    assert max(rows * columns for rows, columns in shapes) <= 90 * 50


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_sparse_input_with_bad_values(bad):
    X = sparse.random_array((20, 6), density=0.5, random_state=0).tolil()
    X[3, 4] = bad
    with pytest.raises(ValueError, match=r"in column 4"):
        S2FS(2).fit(X.tocsc(), np.arange(20) % 2)


SCRIPT = """
import numpy as np
from s2fs import S2FS, PairCover
rng = np.random.default_rng(0)
y = np.arange(90) % 5
X = rng.normal(size=(90, 3000)) + rng.normal(size=(5, 3000))[y]
print(S2FS(20).fit(X, y).indices_.tolist())
"""
PAIRS = """
import numpy as np
from s2fs import PairCover
rng = np.random.default_rng(5)
y = np.arange(150) % 11
X = rng.normal(size=(150, 120)) + rng.normal(size=(11, 120))[y] / 2
X[:, 60:70] = X[:, :10] * (1 + 1e-8 * rng.normal(size=(150, 10)))
holed = np.where(rng.random(X.shape) < 0.01, np.nan, X)
for correlation in (0, 0.25, 1):
    print(PairCover(60, correlation=correlation).fit(X, y).indices_.tolist())
    print(PairCover(60, correlation=correlation).fit(holed, y).indices_.tolist())
"""


def start(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={k: v for k, v in os.environ.items() if k != "XDG_CACHE_HOME"} | environment,
    )  # fmt: skip


def test_numba_is_not_needed(reference):
    process = start(SCRIPT + "import sys; assert 'numba' not in sys.modules")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out.strip() == str(reference.indices_.tolist())


@pytest.mark.parametrize("engine", ["numpy", *INSTRUCTION_SETS])
def test_every_engine_chooses_alike(reference, engine, capsys):
    if engine in INSTRUCTION_SETS[INSTRUCTION_SETS.index(library.engine()) + 1 :]:
        pytest.skip(f"{engine} cannot run here")
    if engine != "numpy" and not library.library_path(engine).exists():
        pytest.skip(f"{engine} was not built: make test-long builds all")
    process = start(SCRIPT + PAIRS, S2FS_ENGINE=engine)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    exec(PAIRS, {})
    assert out == f"{reference.indices_.tolist()}\n{capsys.readouterr().out}"


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("p", [2, 12])
@pytest.mark.parametrize("bad", ["underflow", "overflow", "NaN", "no centroids", "no candidates"])
def test_a_search_ends_whatever_the_numbers(bad, p, n_threads):
    """Weights and centroids that are refused before: the library must come back with them, too."""
    rng = np.random.default_rng(0)
    n, m = 1200, 1000  # so much that threads share it
    y = np.arange(n) % p
    X = rng.normal(size=(n, m)) + y[:, None]
    weights = {"underflow": (1e-200, 1e200), "overflow": (1e308, 1e308), "NaN": (np.nan, 1.0)}
    candidates = np.arange(0 if bad == "no candidates" else m)
    with np.errstate(all="ignore"):
        problem = Problem(X, y, "minmax", np.ones(n))
        problem._sample_weight = np.where(y == 0, *weights.get(bad, (1.0, 1.0)))
        if bad == "no centroids":
            problem.centroids[:] = np.nan
        state = NativeState(problem, n_threads=n_threads)
        try:
            run = separability_of(state, 0.1, 0.1).run(candidates, 10)
            found = [feature for feature, *_ in run]
        except ValueError as error:
            if "The score of no feature is a number" not in str(error):
                raise
            return
    assert {*found} <= {*range(m)}
    assert len(found) == len({*found})
