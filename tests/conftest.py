"""Fixtures and settings shared by all tests."""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import inner
from strategies import FEW, FULL

# The same examples in every run; a failure can be repeated anywhere.
for profile, count in {"ci": FEW, "long": FULL}.items():
    settings.register_profile(profile, deadline=None, derandomize=True, max_examples=count)
PROFILE = os.environ.get("S2FS_TESTS", "ci")
settings.load_profile(PROFILE)

#: One cluster, one browser and one compilation of each loop are enough.
SHARED = {
    "tests/distributed/": "cluster",
    "tests/browser/": "browser",
    "tests/bench/test_forest": "compiled",
    "tests/bench/test_learners": "compiled",
    "tests/bench/test_run.py": "compiled",
    "tests/bench/test_tree": "compiled",
}
#: Tests that share nothing: they come last, and fill up what is left of each core.
ALONE = ("tests/test_conformance.py", "tests/datasets/test_fuzz.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Leave the tests of a file, which share what they have fitted, to one worker.

    The marks of ``--dist loadgroup`` would say the same, but pytest 9.2 does not hand them on.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            if nodeid.startswith(ALONE):
                return nodeid
            file = nodeid.partition("::")[0]
            return next((SHARED[part] for part in SHARED if nodeid.startswith(part)), file)

    return ByFile(config, log)


def pytest_collection_modifyitems(items):
    """Leave out the tests that wait for the long profile."""
    for item in items:
        if item.get_closest_marker("long") and PROFILE != "long":
            item.add_marker(pytest.mark.skip(reason="takes long; set S2FS_TESTS=long to run it"))


@pytest.fixture(scope="session")
def vectors():
    """Numbers computed from the definitions with explicit vectors."""
    return json.loads(Path(__file__).with_name("test_vectors.json").read_text())


@pytest.fixture
def shortest_calls(monkeypatch):
    """Once called, a native loop is cut into as many calls as it can be."""
    return partial(monkeypatch.setattr, inner.library, "TERMS_PER_CALL", 1)


@pytest.fixture(scope="session")
def paper_data():
    """Loader of the paper's datasets from the folder S2FS_DATA."""
    folder = os.environ.get("S2FS_DATA")
    if not folder:
        pytest.skip("S2FS_DATA does not name a folder with the paper's datasets")

    def load(name):
        path = Path(folder) / f"{name}.npz"
        if not path.exists():
            pytest.skip(f"{path} is not there")
        with np.load(path, allow_pickle=False) as file:
            return file["X"].astype(np.float64), file["y"].astype(np.intp)

    return load
