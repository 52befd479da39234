"""A selector that selects other features than before must say so, or old results would be reused.

``algorithm_versions.json`` holds for every selector its version and what it ranks. If this test
fails, the algorithm has changed: raise ``algorithm_version`` of its class, and run
``python tests/test_algorithm_versions.py`` to write the file anew.
"""

import json
from pathlib import Path

import pytest

from rankers import RANKERS
from s2fs import S2FS, PairCover
from versions import entry, write

KEPT = Path(__file__).with_name("algorithm_versions.json")
#: These follow the random numbers of scikit-learn, or another package, which may change by version.
ELSEWHERE = (
    "FastCan",
    "LightGBMGain",
    "MutualInformation",
    "RandomForestImportance",
    "RandomOrder",
)
SELECTORS = {"S2FS": S2FS, "PairCover": PairCover}
SELECTORS |= {name: cls for name, cls in RANKERS.items() if name not in ELSEWHERE}


@pytest.mark.parametrize("name", SELECTORS)
def test_algorithm_is_that_of_its_version(name):
    assert json.loads(KEPT.read_text("utf-8")).get(name) == entry(SELECTORS[name])


if __name__ == "__main__":
    write(KEPT, SELECTORS)
