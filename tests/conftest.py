"""Fixtures and settings shared by all tests."""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from strategies import FEW, FULL

# The same examples in every run; a failure can be repeated anywhere.
for profile, count in {"ci": FEW, "long": FULL}.items():
    settings.register_profile(profile, deadline=None, derandomize=True, max_examples=count)
PROFILE = os.environ.get("S2FS_TESTS", "ci")
settings.load_profile(PROFILE)

#: One cluster and one browser are enough.
SHARED = {"distributed": "cluster", "browser": "browser"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Say which tests pytest-xdist leaves to one worker, and which wait for the long profile.

    The tests of a file share what they have fitted; those of every selector share nothing.
    """
    for item in items:
        shared = SHARED.get(item.path.parent.name, item.path.name)
        if shared != "test_conformance.py":
            item.add_marker(pytest.mark.xdist_group(shared))
        if item.get_closest_marker("long") and PROFILE != "long":
            item.add_marker(pytest.mark.skip(reason="takes long; set S2FS_TESTS=long to run it"))


@pytest.fixture(scope="session")
def vectors():
    """Numbers computed from the definitions with explicit vectors."""
    return json.loads(Path(__file__).with_name("test_vectors.json").read_text())


@pytest.fixture
def shortest_calls(monkeypatch):
    """Once called, a native loop is cut into as many calls as it can be."""
    return partial(monkeypatch.setattr, "s2fs._engine.library.TERMS_PER_CALL", 1)


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
