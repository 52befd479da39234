"""CONTRIBUTING's example: one file and one line, and a baseline is found everywhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import s2fs
from s2fs import baselines

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def with_example(tmp_path_factory):
    """Run Python with a copy of the package to which the example has been added."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(Path(s2fs.__file__).parent, folder / "s2fs")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    new_file, registry = (folder / path for path in re.findall(r"`src/(s2fs/\S+\.py)`", text))
    code, line = re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    assert line.count("\n") == 1
    new_file.write_text(code, encoding="utf-8")
    imports = registry.read_text(encoding="utf-8")
    first = re.search(
        r"^from s2fs\.baselines\.\w+ import (\w+) as \1$", imports, flags=re.MULTILINE
    )
    registry.write_text(
        imports[: first.start()] + line + imports[first.start() :], encoding="utf-8"
    )
    # An editable install may look for the package itself, before the path is asked.
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "sys.meta_path = [f for f in sys.meta_path if 'editable' not in type(f).__module__]\n",
        encoding="utf-8",
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
        )

    return run


def test_the_registry_holds_every_public_class():
    public = {
        name: thing
        for name, thing in vars(baselines).items()
        if isinstance(thing, type) and thing is not baselines.Baseline
    }
    assert public == baselines.BASELINES
    assert all(issubclass(cls, baselines.Baseline) for cls in public.values())
    assert list(baselines.BASELINES) == sorted(baselines.BASELINES)


def test_the_example_passes_the_common_tests(with_example):
    tests = "tests/test_conformance.py"
    result = with_example("-m", "pytest", tests, "-k", "NearMean", "-p", "no:cacheprovider")
    assert result.returncode == 0, result.stdout
    passed = int(re.search(r"(\d+) passed", result.stdout)[1])
    assert passed == 21  # in three of them run all checks of scikit-learn


def test_the_example_is_public_and_documented(with_example):
    code = (
        "import runpy, s2fs.baselines as b; assert 'package' in b.__file__, b.__file__;"
        "print(b.BASELINES['NearMean'] is b.NearMean);"
        "print(runpy.run_path('docs/_ext/baselines.py')['page']())"
    )
    result = with_example("-c", code)
    assert result.returncode == 0, result.stderr
    identical, *page = result.stdout.splitlines()
    assert identical == "True"
    assert "| `NearMean` | confirmed | None: an example |" in page
    assert "   NearMean" in page


def test_the_command_line_knows_the_example(with_example, tmp_path):
    text = 'title = "t"\ndatasets = ["srbct_bundled"]\nlearners = ["knn"]\nsizes = [1]\nfolds = 2\n'
    plans = [tmp_path / f"{name}.toml" for name in ("NearMaen", "NearMean")]
    for plan in plans:
        plan.write_text(f'{text}[[selectors]]\nname = "{plan.stem}"\n', encoding="utf-8")
    both = """
import sys
from s2fs.cli import main

for plan in sys.argv[2:]:
    try:
        main(["bench", "run", plan, "--results", sys.argv[1]])
    except SystemExit as end:
        print("exit", end.code)
"""
    found = with_example("-c", both, str(tmp_path / "results.sqlite"), *map(str, plans))
    assert re.search(r"did you mean 'NearMean'.*choose from .*\bNearMean\b", found.stderr)
    refused, done, *_, last = found.stdout.splitlines()
    assert (refused, last) == ("exit 2", "exit 0")
    assert done.startswith("2 done, 0 failed")
