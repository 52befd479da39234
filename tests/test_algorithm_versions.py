"""A selector that selects other features than before must say so, or old results would be reused.

``algorithm_versions.json`` holds for every selector its version and what it ranks. If this test
fails, the algorithm has changed: raise ``algorithm_version`` of its class, and run
``python tests/test_algorithm_versions.py`` to write the file anew.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from s2fs import S2FS, PairCover
from s2fs.baselines import BASELINES

KEPT = Path(__file__).with_name("algorithm_versions.json")
SELECTORS = {"S2FS": S2FS, "PairCover": PairCover, **BASELINES}
#: These follow the random numbers of scikit-learn, or another package, which may change by version.
ELSEWHERE = (
    "FastCan",
    "LightGBMGain",
    "MutualInformation",
    "RandomForestImportance",
    "RandomOrder",
)
NAMES = [name for name in SELECTORS if name not in ELSEWHERE]


def ranked(cls, **parameters):
    """The ranking of data with a clear order: no two scores are close."""
    rng = np.random.default_rng(7)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 12)) + np.outer(y == 1, np.linspace(0, 3, 12) ** 2 / 3)
    X += np.outer(y == 2, rng.normal(size=12))
    X[:, 4] = np.exp(X[:, 4])
    return cls(6, **parameters).fit(X, y).indices_.tolist()


def entry(name):
    cls = SELECTORS[name]
    found = {"version": cls.algorithm_version, "ranks": ranked(cls)}
    if hasattr(cls, "published_completion"):  # what the word stands for is not in the key of a run
        found["published"] = ranked(cls, completion="published")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_algorithm_is_that_of_its_version(name):
    assert json.loads(KEPT.read_text("utf-8")).get(name) == entry(name)


if __name__ == "__main__":
    lines = [f"  {json.dumps(name)}: {json.dumps(entry(name))}" for name in sorted(NAMES)]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
