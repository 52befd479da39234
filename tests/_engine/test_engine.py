"""The compiled engine takes the same decisions as the plain one, however it is run."""

import os
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import s2fs
from s2fs import S2FS
from s2fs._core.problem import Problem
from s2fs._engine.compiled import CompiledState
from s2fs._engine.reference import SubsetState
from s2fs._engine.separability import Separability
from s2fs._search.forward import forward
from strategies import examples, problems

weights = st.sampled_from([0, 0.01, 0.0316, 0.3162, 1, 1.0])
readings = st.sampled_from(["printed", "normalized"])


def near_ties(X, rng):
    """Add columns that differ from others by less and less, down to a single bit."""
    twins = X[:, rng.integers(0, X.shape[1], 6)].copy()
    for size, column in zip([1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 0], twins.T, strict=True):
        column *= 1 + size * rng.normal(size=len(column))
    return np.column_stack([twins[:, :3], X, twins[:, 3:]])


@examples(300)
@given(problems(), weights, weights, readings, st.booleans(), st.sampled_from(["minmax", None]))
def test_same_path_as_in_plain_numpy(data, alpha, beta, reading, crowded, scale):
    X, y = data
    if crowded:
        X = near_ties(X, np.random.default_rng(0))
    k = min(X.shape[1], 8)
    problem = Problem(X, y, scale)
    plain = list(forward(Separability(SubsetState(problem, reading), alpha, beta), k))
    fast = list(forward(Separability(CompiledState(problem, reading), alpha, beta), k))
    assert [step.feature for step in fast] == [step.feature for step in plain]
    seps = np.array([[step.score for step in path] for path in (fast, plain)])
    # Classes that are almost points have offsets of few known digits, whoever computes with them.
    seps = seps[:, seps.max(axis=0) < 1e4]
    np.testing.assert_allclose(*seps, rtol=1e-9, atol=1e-9)


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


def test_large_problems_are_compiled_and_small_ones_are_not(monkeypatch):
    made = []
    create = CompiledState.__init__
    monkeypatch.setattr(
        CompiledState, "__init__", lambda self, *a, **k: (made.append(1), create(self, *a, **k))[1]
    )
    X, y = wide_table()
    S2FS(20).fit(X[:, :100], y)
    assert not made
    S2FS(20).fit(X, y)
    assert made


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_number_of_threads(reference, n_jobs):
    same(S2FS(20, n_jobs=n_jobs).fit(*wide_table()), reference)


def test_block_size(reference, monkeypatch):
    monkeypatch.setattr("s2fs._core.problem.BLOCK", 5000)
    monkeypatch.setattr("s2fs._engine.compiled.SMALL_BLOCK", 5000)
    monkeypatch.setattr("s2fs._engine.compiled._FIRST", 3)
    selector = S2FS(20).fit(*wide_table())
    assert selector.indices_.tolist() == reference.indices_.tolist()


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
def test_blocks_of_sparse_input_rule_one_another_out(n_jobs, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.poisson(0.5 + (y == 0)[:, None] * rng.random(3000), (90, 3000)).astype(float)
    dense = S2FS(6).fit(X, y)
    monkeypatch.setattr("s2fs._core.problem.BLOCK", 90 * 40)  # 75 blocks
    thin = S2FS(6, n_jobs=n_jobs).fit(sparse.csc_array(X), y)
    assert thin.indices_.tolist() == dense.indices_.tolist()


def test_sparse_input_is_never_dense_as_a_whole(monkeypatch):
    shapes = []
    toarray = sparse.csc_array.toarray
    monkeypatch.setattr(
        sparse.csc_array, "toarray", lambda self: (shapes.append(self.shape), toarray(self))[1]
    )
    monkeypatch.setattr("s2fs._core.problem.BLOCK", 90 * 50)
    rng = np.random.default_rng(1)
    y = np.arange(90) % 5
    S2FS(3).fit(sparse.csc_array(rng.poisson(0.5, (90, 3000)).astype(float)), y)
    assert max(rows * columns for rows, columns in shapes) <= 90 * 50


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_sparse_input_with_bad_values(bad):
    X = sparse.random_array((20, 6), density=0.5, random_state=0).tolil()
    X[3, 4] = bad
    with pytest.raises(ValueError, match=r"in column\(s\) 4"):
        S2FS(2).fit(X.tocsc(), np.arange(20) % 2)


SCRIPT = """
import numpy as np
from s2fs import S2FS
rng = np.random.default_rng(0)
y = np.arange(90) % 5
X = rng.normal(size=(90, 3000)) + rng.normal(size=(5, 3000))[y]
print(S2FS(20).fit(X, y).indices_.tolist())
"""


def start(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={k: v for k, v in os.environ.items() if k != "XDG_CACHE_HOME"} | environment,
    )  # fmt: skip


@pytest.mark.long  # compiles everything
def test_processes_that_start_at_once_share_an_empty_cache(reference, tmp_path):
    processes = [start(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(4)]
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert out.strip() == str(reference.indices_.tolist())
    assert list((tmp_path / "cache").rglob("*.nbi"))


@pytest.mark.long  # compiles everything
def test_read_only_install_directory(reference, tmp_path):
    # A file in place of the cache folder cannot be written to, not even by root.
    package = tmp_path / "site" / "s2fs"
    shutil.copytree(
        Path(s2fs.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    for folder in {path.parent for path in package.rglob("*.py")}:
        (folder / "__pycache__").write_text("")
    home = tmp_path / "home"
    process = start(SCRIPT, PYTHONPATH=str(package.parent), HOME=str(home))
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert out.strip() == str(reference.indices_.tolist())
    assert list(home.rglob("*.nbi"))


@pytest.mark.long  # compiles everything
def test_no_folder_for_the_cache_at_all(reference):
    nowhere = """
from numba.core.caching import FunctionCache
def no_locator(self, function):
    raise RuntimeError("cannot cache function: no locator available")
FunctionCache.__init__ = no_locator
"""
    process = start(nowhere + SCRIPT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert out.strip() == str(reference.indices_.tolist())


def test_small_problems_do_not_import_numba():
    code = """
import sys
from sklearn.datasets import load_wine
from s2fs import S2FS
S2FS(5).fit(*load_wine(return_X_y=True))
assert "numba" not in sys.modules
"""
    process = start(code)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
