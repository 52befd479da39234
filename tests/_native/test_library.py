"""Which build of the native library is loaded, and what is said if there is none."""

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from inner import library

INSTRUCTION_SETS, EngineWarning = library.INSTRUCTION_SETS, library.EngineWarning
choose = library.choose
engine, load = library.engine, library.load


@pytest.fixture(autouse=True)
def nothing_chosen():
    """The library is chosen once per process: forget the choice before and after a test."""
    load.cache_clear()
    yield
    load.cache_clear()


@pytest.fixture
def installation(tmp_path, monkeypatch):
    """Looks for libraries in another folder; returns what copies some of ours there."""
    ours = {name: library.library_path(name) for name in INSTRUCTION_SETS}

    def with_libraries(*names):
        for name in names:
            shutil.copy(ours[name], tmp_path)
        return tmp_path

    def forget():
        for function in (library._choose_here, library.open_library, library._warn_of_numpy):
            function.cache_clear()

    forget()
    monkeypatch.delenv("S2FS_ENGINE", raising=False)
    monkeypatch.setattr(library, "_FOLDER", tmp_path)
    yield with_libraries
    forget()


#: Those that were built and that this processor can run.
RUNNABLE = [name for name in INSTRUCTION_SETS if library.library_path(name).exists()]
needs_library = pytest.mark.skipif(not RUNNABLE, reason="installed without the native library")
if RUNNABLE:
    RUNNABLE = [n for n in RUNNABLE if INSTRUCTION_SETS.index(n) <= load().s2fs_instruction_set()]


@pytest.mark.parametrize("name", RUNNABLE)
def test_an_engine_can_be_forced(name, monkeypatch):
    monkeypatch.setenv("S2FS_ENGINE", name)
    assert engine() == name
    assert Path(load()._name) == library.library_path(name)


def test_numpy_can_be_asked_for_and_nothing_is_said(monkeypatch):
    monkeypatch.setenv("S2FS_ENGINE", "numpy")
    assert engine() == "numpy"
    assert load() is None


@needs_library
def test_the_widest_registers_are_taken(monkeypatch):
    monkeypatch.delenv("S2FS_ENGINE", raising=False)
    assert engine() == RUNNABLE[-1]


@needs_library
def test_only_what_is_there_is_taken(installation):
    installation(RUNNABLE[0])
    assert engine() == RUNNABLE[0]
    assert load() is not None


def test_an_unknown_engine(monkeypatch):
    monkeypatch.setenv("S2FS_ENGINE", "cuda")
    with pytest.raises(ValueError, match="S2FS_ENGINE is 'cuda'; give one of numpy, baseline"):
        load()


@needs_library
def test_an_engine_that_was_not_built(installation, monkeypatch):
    installation(RUNNABLE[-1])
    other = "baseline" if RUNNABLE[-1] != "baseline" else "avx2"
    monkeypatch.setenv("S2FS_ENGINE", other)
    with pytest.raises(ValueError, match=rf"has no such library \(it has {RUNNABLE[-1]}\)"):
        load()


def test_an_engine_without_any_library(installation, monkeypatch):
    monkeypatch.setenv("S2FS_ENGINE", "baseline")
    with pytest.raises(ValueError, match=r"has no such library \(it has none\)"):
        load()


def test_an_engine_for_another_processor():
    assert choose("", INSTRUCTION_SETS, 0) == "baseline"
    assert choose("", INSTRUCTION_SETS, 1) == "avx2"
    assert choose("", ["baseline", "avx2"], 2) == "avx2"
    with pytest.raises(ValueError, match=r"not have these instructions; it can run baseline\."):
        choose("avx2", INSTRUCTION_SETS, 0)
    # A clone that was installed on another machine has the library of that one only.
    assert choose("", ["avx512"], 1) == "numpy"
    with pytest.raises(ValueError, match="it can run none of this installation"):
        choose("avx512", ["avx512"], 1)


def test_without_a_library_numpy_is_used_and_this_is_said_once(installation):
    with pytest.warns(EngineWarning, match=r"Install a C\+\+ compiler .* S2FS_ENGINE=numpy"):
        assert load() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load() is None


def test_with_warnings_as_errors_every_call_says_it(installation):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(EngineWarning):
                load()


def test_importing_loads_no_library():
    code = f"""
import s2fs, s2fs.baselines, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from inner import library, native_moments
assert library.open_library.cache_info().currsize == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True)
