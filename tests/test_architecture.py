"""Imports point down, and nobody reaches into the private parts of another subpackage."""

import ast
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

import s2fs

ROOT = Path(__file__).parents[1]
PACKAGE = Path(s2fs.__file__).parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
TESTS = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]

#: The test files that name private parts of the package, and why they do.
PRIVATE = {
    "inner.py": "the inner parts that tests are about, in one place",
    "io/test_plain_numbers.py": "files read by the native library and by Python, in small pieces",
}
#: The tests whose subject is an inner part, which they take from ``inner.py``, and what it is.
ABOUT_INNER = {
    "_utils/test_progress.py": "lines of progress by a clock that can be set",
    "evaluation/test_checks.py": "the one rule of features that rest on few samples",
    "_utils/test_arguments.py": "messages keep arguments apart from words",
    "cli/test_methods.py": "declared options against the parameters of the selectors",
    "_utils/test_training_rows.py": "rows in one place in memory against plain indexing",
    "criteria/test_correlation.py": "correlations of any form of a table against exact ones",
    "io/test_plain_numbers.py": "the native parser of numbers against float",
    "_native/test_feature_groups.py": "the best group by the native library against trials",
    "_native/test_library.py": "which build of the native library is loaded",
    "_native/test_border.py": "wrong arguments of native functions are errors",
    "_native/test_pair_cover.py": "PairCover in the native library against NumPy",
    "_native/test_subset.py": "the native engine against the NumPy state",
    "_native/test_state.py": "both states against the definition, and the bounds of a step",
    "selectors/test_pair_cover.py": "what moments tell without the rows",
    "selectors/test_paths.py": "each distinct set of a grid is evaluated once",
    "dask/test_connection.py": "how long a scheduler is waited for",
    "dask/test_lost_workers.py": "how long workers are waited for, and when they die",
    "dask/test_pair_cover.py": "chunks add up to the moments of the whole",
    "dask/test_shards.py": "shards add up to the state of the whole",
    "lazy/test_fit.py": "queries in several batches, and how many classes there may be",
}


def lint(package):
    """What import-linter says of a package under the contract of pyproject.toml."""
    # An editable install may look for the package itself, before the path is asked.
    command = (
        "import sys; sys.meta_path = [f for f in sys.meta_path if 'editable' not in "
        "type(f).__module__]; from importlinter.cli import lint_imports_command; "
        "lint_imports_command()"
    )
    return subprocess.run(
        [sys.executable, "-c", command, "--config", ROOT / "pyproject.toml", "--no-cache"],
        cwd=package.parent, capture_output=True, text=True,
    )  # fmt: skip


def imports(code, package=""):
    """Every name that the code imports, at the top or in a function, with its full path."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{module}.{alias.name}" for alias in node.names)


def texts(code):
    """Every name of the package that stands in a text, as in a patch or the code of a child."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\bs2fs(?:\.\w+)+", node.value)


def foreign(names, home):
    """The names that are private to another subpackage than ``home``."""
    for name in names:
        top, _, rest = name.partition(".")
        room, _, inside = rest.partition(".")
        if top == "s2fs" and room != home and re.search(r"(^|\.)_[^_]", inside):
            yield name


def private(names, home):
    """The names that only the developers of the package know."""
    inside = set(foreign(names, home))
    return [name for name in names if name in inside or re.match(r"s2fs\._[^_]", name)]


def home(path, folder):
    return path.relative_to(folder).with_suffix("").parts[0]


def reaching_in(path, code):
    """The private names of other subpackages that the code of a file imports."""
    parent = ".".join(("s2fs", *path.parent.relative_to(PACKAGE).parts))
    return list(foreign(imports(code, parent), home(path, PACKAGE)))


def test_imports_point_down():
    result = lint(PACKAGE)
    assert result.returncode == 0, result.stdout


def test_no_subpackage_imports_private_names_of_another():
    found = {path: reaching_in(path, path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}
    assert {str(path): names for path, names in found.items() if names} == {}


@pytest.fixture
def copy(tmp_path):
    without = shutil.ignore_patterns("__pycache__", "data", "*.so")
    return Path(shutil.copytree(PACKAGE, tmp_path / "s2fs", ignore=without))


@pytest.mark.parametrize(
    ("file", "line", "words"),
    [
        (
            "criteria/separability.py",
            "from s2fs import search",
            "criteria is not allowed to import",
        ),
        ("_utils/types.py", "def f():\n    import s2fs.cli", "_utils is not allowed to import"),
        ("report/page.py", "from s2fs import cli", "report is not allowed to import s2fs.cli"),
        ("info.py", "import s2fs_bench", "s2fs is not allowed to import s2fs_bench"),
        ("attic.py", "", "attic"),  # every module of the package has its place in the contract
    ],
    ids=["at the top", "in a function", "a module above", "the laboratory", "a new module"],
)
def test_a_wrong_import_is_noticed(copy, file, line, words):
    with (copy / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    result = lint(copy)
    assert result.returncode == 1
    assert words in result.stdout


@pytest.mark.parametrize(
    "line",
    [
        "from s2fs.io._readers import read_table",
        "def f():\n    from s2fs.io import _readers",
        "from ..io._readers import read_table",
    ],
    ids=["at the top", "in a function", "relative"],
)
def test_a_private_name_of_another_subpackage_is_noticed(line):
    path = PACKAGE / "report" / "page.py"
    (found,) = reaching_in(path, f"{path.read_text('utf-8')}\n{line}\n")
    assert found.startswith("s2fs.io._readers")


def of_tests(names_of):
    """What a function finds in the code of each test file, where it finds something."""
    found = {
        path.relative_to(ROOT / "tests").as_posix(): names_of(path.read_text(encoding="utf-8"))
        for path in TESTS
    }
    return {path: names for path, names in found.items() if names}


def attributes(code):
    """Every name that is reached through the package itself, as in ``s2fs.io.read_table``."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and (name := ast.unparse(node)).startswith("s2fs."):
            yield name


def private_names(code):
    """The private names of the package that a test imports, patches or hands to a child."""
    return private([*imports(code), *texts(code), *attributes(code)], "")


def test_tests_go_through_public_names():
    """A file that needs no private name any more leaves the list, so that it only gets shorter."""
    found = of_tests(private_names)
    new = {path: names for path, names in found.items() if path not in PRIVATE}
    assert not new, f"say it by public names, or by inner.py: {new}"
    assert set(PRIVATE) == set(found)


def test_inner_parts_are_for_the_tests_about_them():
    found = of_tests(lambda code: [name for name in imports(code) if re.match(r"inner\b", name)])
    assert set(found) == set(ABOUT_INNER)


@pytest.mark.parametrize(
    "line",
    [
        "from s2fs._native.library import load",
        "from s2fs.io import _readers",
        "def test(monkeypatch):\n    monkeypatch.setattr('s2fs.cli._select.check', None)",
        "CHILD = 'from s2fs.io._readers import read'",
        "import s2fs.io\ns2fs.io._readers.read",
    ],
    ids=["a subpackage", "a module", "a patch", "the code of a child", "an attribute"],
)
def test_a_private_name_in_a_test_is_noticed(line):
    assert private_names(line)
    assert not private_names("from s2fs import S2FS\nfrom s2fs.__main__ import main")


def test_pages_and_examples_use_public_names():
    codes = {path: path.read_text(encoding="utf-8") for path in EXAMPLES}
    for page in PAGES:
        if page.stem not in ("CONTRIBUTING", "architecture"):  # for those who change the package
            blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
            codes[page] = "\n".join(blocks)
    found = {path.name: private(list(imports(code)), "") for path, code in codes.items()}
    assert {name: reached for name, reached in found.items() if reached} == {}


def test_no_module_imports_itself_in_a_circle():
    modules = {
        ".".join(["s2fs", *path.relative_to(PACKAGE).with_suffix("").parts]): path
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    graph = {}
    for module, path in modules.items():
        code = re.sub(
            r"^if TYPE_CHECKING:\n((    .*)?\n)+", "", path.read_text("utf-8"), flags=re.M
        )
        found = set(imports(code, module.rpartition(".")[0]))
        graph[module] = {name for name in modules if name != module and reaches(found, name)}
    TopologicalSorter(graph).prepare()  # raises CycleError


def reaches(found, module):
    return any(name == module or name.startswith(f"{module}.") for name in found)
