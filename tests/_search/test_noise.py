"""How often "auto" and q-values take noise for something, in the designs that studies have.

At a level of 0.1 in a tenth of all tables: not more, within two standard errors.
"""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from s2fs import S2FS, PairCover, StabilitySelector
from strategies import FULL

PATH = Path(__file__).parents[2] / "benchmarks" / "noise_designs.py"
spec = spec_from_file_location("noise_designs", PATH)
designs = module_from_spec(spec)
spec.loader.exec_module(designs)

LEVEL = 0.1
N_TABLES = 200 if settings.default.max_examples == FULL else 40
MOST = LEVEL * N_TABLES + 2 * np.sqrt(LEVEL * (1 - LEVEL) * N_TABLES)


def tables(design):
    return (design(np.random.default_rng(seed)) for seed in range(N_TABLES))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("design", designs.COMPLETE)
@pytest.mark.parametrize("cls", [S2FS, PairCover])
def test_auto_keeps_its_level(cls, design):
    auto = cls("auto", level=LEVEL, tol=0)
    found = [
        len(auto.fit(X, y, **given).indices_) for X, y, given in tables(designs.COMPLETE[design])
    ]
    assert np.count_nonzero(found) <= MOST


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("design", designs.WITH_GAPS)
def test_auto_keeps_its_level_with_missing_values(design):
    auto = PairCover("auto", level=LEVEL, tol=0)
    found = [len(auto.fit(X, y).indices_) for X, y, _ in tables(designs.WITH_GAPS[design])]
    assert np.count_nonzero(found) <= MOST
