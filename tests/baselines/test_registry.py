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
    assert passed > 100


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
    plan = tmp_path / "plan.toml"
    text = 'title = "t"\ndatasets = ["srbct_bundled"]\nlearners = ["knn"]\nsizes = [1]\nfolds = 2\n'
    results = str(tmp_path / "results.sqlite")
    command = "-c", "from s2fs.cli import main; main()", "bench", "run", str(plan)
    plan.write_text(text + '[[selectors]]\nname = "NearMaen"\n', encoding="utf-8")
    refused = with_example(*command, "--results", results)
    assert refused.returncode == 2
    assert re.search(r"did you mean 'NearMean'.*choose from .*\bNearMean\b", refused.stderr)
    plan.write_text(text + '[[selectors]]\nname = "NearMean"\n', encoding="utf-8")
    done = with_example(*command, "--results", results)
    assert done.returncode == 0, done.stderr
    assert "2 done, 0 failed" in done.stdout
