"""Fixtures and settings shared by the tests of both distributions."""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import inner
from browser_fixtures import browser, visit  # noqa: F401  (fixtures of both distributions)
from strategies import FEW, FULL

# The same examples in every run; a failure can be repeated anywhere.
for profile, count in {"ci": FEW, "long": FULL}.items():
    settings.register_profile(profile, deadline=None, derandomize=True, max_examples=count)
PROFILE = os.environ.get("S2FS_TESTS", "ci")  # "docs" also runs the slow code of the pages
settings.load_profile("long" if PROFILE == "long" else "ci")

#: One cluster, one browser and one compilation of each loop are enough.
SHARED = {
    "tests/dask/": "cluster",
    "tests/browser/": "browser",
    "bench/tests/browser/": "browser",
    "bench/tests/baselines/": "compiled",
    "bench/tests/test_forest": "compiled",
    "bench/tests/test_learners": "compiled",
    "bench/tests/test_run.py": "compiled",
    "bench/tests/test_tree": "compiled",
}
#: Tests that share nothing: they come last, and fill up what is left of each core.
ALONE = ("tests/test_conformance.py", "tests/io/test_fuzz.py")


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
    return json.loads((Path(__file__).parent / "tests" / "test_vectors.json").read_text())


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
