"""What is declared about the package fits the code, and the files that repeat it agree."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

import s2fs

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: Packages that another one brings, which could not do without: pandas is what anndata and Dask's
#: data frames hold, and onnx is used only when skl2onnx calls.
BROUGHT = {"onnx", "pandas"}
#: Part of Python since 3.14; before, it is not asked for.
SINCE_3_14 = {"compression"}


def names(requirements):
    """The distributions of a list of requirements, those of our own extras included."""
    for requirement in requirements:
        name, extras = re.match(r"([\w-]+)(?:\[([\w,]+)\])?", requirement).groups()
        if name == "s2fs":
            for extra in extras.split(","):
                yield from names(PROJECT["optional-dependencies"][extra])
        else:
            yield name.lower()


def imported():
    """The packages from elsewhere that some module of ours imports, anywhere in it."""
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield node.module.partition(".")[0]


def test_every_import_is_declared():
    declared = {*names(PROJECT["dependencies"]), *names(["s2fs[all]"])}
    distributions = packages_distributions()
    foreign = set(imported()) - sys.stdlib_module_names - {"s2fs"} - BROUGHT - SINCE_3_14
    missing = {
        package
        for package in foreign
        if declared.isdisjoint(name.lower() for name in distributions[package])
    }
    assert missing == set()


def asked_for():
    """Each call of ``need`` in our code, as the package and the extra that is to bring it."""
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "need":
                (module,), extra = node.args, node.keywords[0].value.value
                if isinstance(module, ast.Constant):
                    yield module.value.partition(".")[0], extra


@pytest.mark.parametrize(("package", "extra"), sorted(set(asked_for())))
def test_an_extra_that_is_named_brings_the_package(package, extra):
    assert package in set(names([f"s2fs[{extra}]"]))


def test_all_holds_every_extra_that_is_for_users():
    extras = PROJECT["optional-dependencies"]
    assert set(names(["s2fs[all]"])) == {
        name
        for extra in extras.keys() - {"all", "dev", "docs", "test"}
        for name in names(extras[extra])
    }


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    assert {citation["version"], recipe["context"]["version"]} == {s2fs.__version__}


def test_the_recipe_needs_what_the_package_needs():
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    (command,) = recipe["build"]["python"]["entry_points"]
    assert dict([command.split(" = ")]) == PROJECT["scripts"]
    run = [requirement.replace(" ", "") for requirement in recipe["requirements"]["run"]]
    assert run == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    extras = {
        requirement.partition("[")[0].partition(">")[0]: requirement.partition(">=")[2]
        for extra in PROJECT["optional-dependencies"].values()
        for requirement in extra
    }
    for requirement in recipe["requirements"]["run_constraints"]:
        name, lowest = requirement.split(" >=")
        assert extras[name.removesuffix("-base")] == lowest, name


def test_the_links_of_the_readme_work_where_its_folder_is_not_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", text) == []
