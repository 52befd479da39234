"""What the nine have in common: the contract, their versions, and the names that lead to them.

``algorithm_versions.json`` holds for each its version and what it ranks. Where an algorithm has
changed, raise ``algorithm_version`` of its class, and run this file, with ``tests`` and
``bench/tests`` on PYTHONPATH, to write the other anew.
"""

import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest

from nine import NINE
from s2fs import compare
from s2fs.baselines import check_baseline
from s2fs.cli import main
from versions import entry, write

KEPT = Path(__file__).with_name("algorithm_versions.json")
each = pytest.mark.parametrize("name", NINE)


@each
def test_it_keeps_the_contract(name):
    check_baseline(NINE[name])


@each
def test_its_algorithm_is_that_of_its_version(name):
    assert json.loads(KEPT.read_text("utf-8")).get(name) == entry(NINE[name])


@each
def test_its_examples_run(name):
    """Pytest looks for them in the module that a class names, which is not its file."""
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    (example,) = doctest.DocTestFinder(recurse=False).find(NINE[name], name, module=False, globs={})
    runner.run(example)
    assert runner.tries > 1
    assert runner.failures == 0


@each
def test_it_is_imported_from_the_package(name):
    assert NINE[name].__module__ == "s2fs_bench.baselines"
    assert "{" not in NINE[name].__doc__.partition("Parameters")[0]


def test_their_names_are_known_without_a_compiler():
    code = """
import sys
from s2fs.baselines import BASELINES
from s2fs.evaluation import SELECTORS
from s2fs_bench.methods import METHODS
assert "SFSS" in BASELINES and "sfss" in SELECTORS and "SFSS" in METHODS
assert len(BASELINES) == len(list(BASELINES)) > 9
assert not {"numba", "s2fs_bench.baselines"} & set(sys.modules)
BASELINES["SFSS"]
assert "numba" in sys.modules and "s2fs_bench.baselines.fdm" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_commands_and_comparisons_find_them(tmp_path, capsys):
    rows = [f"{c},{i % 7},{5 * (c == 'b') + i % 3},{i * i % 11}" for i, c in enumerate("ab" * 20)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["class,u,v,w", *rows]), encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(f"select {table} -t class --method sfss -k 1 --no-verdict".split())
    assert end.value.code == 0
    assert " v " in capsys.readouterr().out
    X = [[float(cell) for cell in row.split(",")[1:]] for row in rows]
    result = compare(X, list("ab" * 20), k=1, selectors=["MDP", "fgzefsr"], cv=2)
    assert [row.selector for row in result.rows][:2] == [
        "MDP (reconstructed)", "FGZEFSR (reconstructed)"
    ]  # fmt: skip


if __name__ == "__main__":
    write(KEPT, NINE)
