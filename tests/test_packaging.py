"""What is declared about the package fits the code, and the files that repeat it agree."""

import ast
import re
import runpy
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
import yaml

import s2fs
from s2fs.cli.app import ENTRY_POINTS, LABORATORY

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
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
        for extra in extras.keys() - {"all", "check", "dev", "docs", "test"}
        for name in names(extras[extra])
    }


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    laboratory = runpy.run_path(str(ROOT / "bench" / "src" / "s2fs_bench" / "version.py"))
    versions = {citation["version"], recipe["context"]["version"], laboratory["__version__"]}
    assert versions == {s2fs.__version__}


def test_the_laboratory_adds_its_commands_by_entry_points():
    project = tomllib.loads((ROOT / "bench" / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(project["entry-points"][ENTRY_POINTS]) == set(LABORATORY)
    names_of_product = {name.partition("[")[0] for name in project["dependencies"]}
    assert "s2fs" in names_of_product


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


def test_what_is_built_for_others_has_its_native_library():
    """A package that fell back on NumPy works, so only these lines tell that it is slow."""
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["build"]["script"]["env"]["S2FS_REQUIRE_NATIVE"] == "1"
    scripts = [line for test in recipe["tests"] for line in test.get("script", [])]
    assert any("assert 'native' in info()" in line for line in scripts)
    for name in ("ci.yml", "wheels.yml"):
        text = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
        assert yaml.safe_load(text)["env"]["S2FS_REQUIRE_NATIVE"] == 1


def test_the_cases_of_asv_run(monkeypatch, tmp_path):
    """`make bench` measures these; a name that is gone would end a run nobody watches."""
    cases = runpy.run_path(str(ROOT / "bench" / "asv" / "benchmarks" / "selectors.py"))
    monkeypatch.delenv("S2FS_DATA", raising=False)
    tables, selectors = cases["Fit"].params
    assert tables == ["SRBCT", "ORL", "Isolet", "20000x500"]
    for selector in selectors:
        case = cases["Fit"]()
        case.setup("SRBCT", selector)
        case.time_fit("SRBCT", selector)
        assert case.selector.n_features_in_ == 2308
        assert len(case.selector.indices_) == 30
        with pytest.raises(NotImplementedError, match=r"S2FS_DATA names no folder with orl\.npz"):
            case.setup("ORL", selector)
    # Isolet's first samples are of one class.
    np.savez(tmp_path / "isolet.npz", X=np.eye(120, 40), y=np.arange(120) // 60)
    monkeypatch.setenv("S2FS_DATA", str(tmp_path))
    for selector in selectors:
        cases["Fit"]().setup("Isolet", selector)
    X, y = cases["many_samples"](100)
    assert X.shape == (100, 500)
    assert len(set(y)) == 5
    for name in cases["Cases"].params:
        case = cases["Cases"]()
        case.setup(name)
        case.time_fit(name)
        assert len(case.selector.indices_) == (80 if name == "groups" else 20)
    folder = cases["Command"]().setup_cache()
    cases["Command"]().time_csv(folder)  # an error of a command is one here
    cases["Import"]().time_import()


def test_every_action_is_pinned_by_the_hash_of_a_commit():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for use in re.findall(r"uses: (.+)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use


def test_the_list_of_pages_for_programs_names_pages_that_exist():
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    targets = links(text)
    assert "start.html" in targets
    for target in targets:
        assert (ROOT / "docs" / target.replace(".html", ".md")).is_file(), target


def links(text):
    """What links and pictures of a text in Markdown lead to; blocks of code have none."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.fixture(scope="module")
def describe():
    """What makes the long description of the package from its README."""
    return runpy.run_path(str(ROOT / "tools" / "package_metadata.py"))["describe"]


def test_every_link_and_picture_of_the_readme_is_a_file_of_the_clone():
    targets = [target for target in links(README) if "://" not in target]
    assert "docs/images/report.png" in targets
    for target in targets:
        path = (ROOT / target.partition("#")[0]).resolve()
        assert path.is_relative_to(ROOT), target
        assert path.is_file(), target


def test_without_an_address_the_description_has_no_relative_link(describe):
    text = describe(README, "", "1.2.3")
    assert [target for target in links(text) if not target.startswith("https://")] == []
    assert "[Start]" not in text
    assert "(Picture: The first screen of a report: the verdict" in text
    assert re.findall(r"^```.*?^```$", text, flags=re.DOTALL | re.MULTILINE) == re.findall(
        r"^```.*?^```$", README, flags=re.DOTALL | re.MULTILINE
    )


def test_with_an_address_every_link_of_the_description_leads_to_the_release(describe):
    before, after = links(README), links(describe(README, "https://host.example/s2fs", "1.2.3"))
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        if "://" in old:
            assert new == old
        else:
            assert (
                re.fullmatch(r"https://host\.example/s2fs/(blob|raw)/v1\.2\.3/(.+)", new)[2] == old
            )
            assert ("/raw/" in new) == old.endswith((".svg", ".png"))


def test_no_text_of_a_block_of_code_is_taken_for_a_link(describe):
    text = "[a](b.md) ![c](d.svg) [e](#f) [g](https://h.org)\n\n```python\nx = y[i](j)\n```\n"
    assert describe(text, "", "1") == (
        "a (Picture: c.) [e](#f) [g](https://h.org)\n\n```python\nx = y[i](j)\n```\n"
    )


def test_no_address_of_the_project_is_given_twice_or_invented():
    """The address stands in pyproject.toml, and is empty until the project has one."""
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    (address,) = (table["address"] for table in tables["dynamic-metadata"] if "address" in table)
    texts = [
        path
        for pattern in (
            "*.*",
            ".github/**/*.*",
            "docs/*.*",
            "docs/_*/**/*.*",
            "recipe/*",
            "src/**/*.py",
        )
        for path in ROOT.glob(pattern)
        if path.suffix in (".md", ".toml", ".cff", ".yml", ".yaml", ".py", ".txt", ".css", ".html")
        and "_build" not in path.parts
    ]
    assert ROOT / "CITATION.cff" in texts
    found = {
        str(path.relative_to(ROOT)): re.findall(
            r"https?://[^\s)>\"']*s2fs[^\s)>\"']*|\b[\w.-]+@[\w-]+\.\w[\w.]*",
            path.read_text("utf-8"),
        )
        for path in texts
    }
    assert {page: urls for page, urls in found.items() if urls} == (
        {"pyproject.toml": [address]} if address else {}
    )
