"""The documents say what is true: their code runs, links lead somewhere, no name is missing."""

import doctest
import os
import re
import runpy
import shlex
import tomllib
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

import s2fs
from s2fs.baselines import BASELINES
from s2fs.cli import main

ROOT = Path(__file__).parents[1]
DOCS = [page for page in ROOT.glob("docs/**/*.md") if "_build" not in page.parts]
PAGES = sorted([*ROOT.glob("*.md"), *DOCS])
#: Commands of the documents that take long or need more than a file; their own tests run them.
NOT_RUN_HERE = ("s2fs demo", "s2fs bench run", "s2fs data fetch")
#: Packages of others whose code the pages show beside ours. It is slow: it runs with the pages
#: (S2FS_TESTS=docs) and in the long profile, where the packages are there.
OTHERS = ("boruta", "mrmr")
#: Pictures of what a command prints, each by a script of its name.
OF_TERMINALS = {"decisions"}
RUNS_OTHERS = os.environ.get("S2FS_TESTS") in ("docs", "long")


def named(page):
    return str(page.relative_to(ROOT))


class Block(NamedTuple):
    """A fenced block and where it stands in the text of its page."""

    kind: str
    code: str
    start: int
    end: int


def blocks(page):
    text = page.read_text(encoding="utf-8")
    fenced = re.finditer(r"^```(\w+)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [Block(found[1], found[2], *found.span()) for found in fenced]


def runs(page):
    """Each block of code with the output the page shows for it, if it shows any.

    A text block that follows with nothing in between is the output.
    """
    text, every = page.read_text(encoding="utf-8"), blocks(page)
    for block, following in pairwise([*every, Block("", "", len(text), len(text))]):
        shown = following.kind == "text" and not text[block.end : following.start].strip()
        if block.kind in ("python", "sh"):
            yield block, following.code if shown else None


def commands(code):
    """The s2fs commands of a shell block, one by one, as the words after ``s2fs``."""
    for line in re.sub(r"\\\n", " ", code).splitlines():
        for command in line.split(" && "):
            if command.startswith("s2fs ") and not command.startswith(NOT_RUN_HERE):
                yield shlex.split(command, comments=True)[1:]


def run_commands(code):
    printed = ""
    for words in commands(code):
        both = words[-1] == "2>&1"
        result = CliRunner().invoke(main, words[:-1] if both else words)
        assert result.exit_code == 0, f"s2fs {' '.join(words)}: {result.output}"
        printed += result.output if both else result.stdout
    return printed


def write_tumours():
    """The table that stands for the reader's own on every page: 45 patients, 30 genes."""
    rng = np.random.default_rng(0)
    genes = ["TP53", "MYC", "ALK", *(f"G{i}" for i in range(27))]
    rows = [f"patient,diagnosis,{','.join(genes)}"]
    for i in range(45):
        values = rng.normal(size=len(genes))
        values[:3] += 2 * (i % 3)
        rows.append(f"p{i},{('EWS', 'NB', 'RMS')[i % 3]},{','.join(map(str, values.round(3)))}")
    Path("tumours.csv").write_text("\n".join(rows), encoding="utf-8")


# A page may select rare genes, and says so: bio.md.
# The code of the contributors' page is tried in tests/baselines/test_registry.py.
# scanpy takes fold changes of counts; these genes are below 0 on their log scale: which.md.
@pytest.mark.filterwarnings("ignore:Few samples decide")
@pytest.mark.filterwarnings("ignore:invalid value encountered in log2:RuntimeWarning")
@pytest.mark.parametrize("page", [p for p in PAGES if p.stem != "CONTRIBUTING"], ids=named)
def test_the_code_of_a_page_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch, capsys):
    if "import scanpy" in page.read_text(encoding="utf-8"):
        pytest.importorskip("scanpy", reason="the page needs scanpy")
    monkeypatch.chdir(tmp_path)
    write_tumours()
    names = {"__name__": "__main__"}
    for block, shown in runs(page):
        if "set_callbacks" in block.code and find_spec("sklearn.callback") is None:
            continue  # scikit-learn before 1.9
        imported = re.findall(rf"^(?:from|import) ({'|'.join(OTHERS)})\b", block.code, re.MULTILINE)
        if imported and not (RUNS_OTHERS and all(map(find_spec, imported))):
            continue
        if block.kind == "python":
            line = page.read_text(encoding="utf-8").count("\n", 0, block.start) + 2
            # Empty lines in front make the line numbers of an error those of the page.
            exec(compile("\n" * (line - 1) + block.code, str(page), "exec"), names)
            printed = capsys.readouterr().out
        else:
            printed = run_commands(block.code)
        if shown is not None:
            wanted = shown.replace("…", "...")
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            alike = doctest.OutputChecker().check_output(wanted, printed, flags)
            assert alike, f"{named(page)} shows\n{shown}\nbut this is printed:\n{printed}"


def test_every_public_name_is_in_the_api_page():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    # The command line has a page of its own, and that of the baselines is written from BASELINES.
    rooms = {room.name for room in iter_modules(s2fs.__path__) if not room.name.startswith("_")}
    modules = [import_module(f"s2fs.{room}") for room in sorted(rooms - {"baselines", "cli"})]
    names = [
        "BASELINES",
        *(name for room in [s2fs, *modules] for name in getattr(room, "__all__", ())),
    ]
    assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []


def test_the_page_on_installing_lists_every_extra():
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)
    assert sorted(rows) == sorted(
        project["optional-dependencies"].keys() - {"check", "dev", "docs", "test"}
    )


def test_the_page_of_baselines_gives_their_status():
    page = (ROOT / "docs" / "baselines.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|", page, flags=re.MULTILINE))
    assert rows == {name: BASELINES[name].status for name in rows}
    assert len(rows) == 9


def anchors(page):
    """What a heading is called in a link: lower case, hyphens for spaces, no punctuation."""
    text = page.read_text(encoding="utf-8")
    for included in re.findall(r"^```{include} (\S+)$", text, flags=re.MULTILINE):
        text += (page.parent / included).read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        if "://" in target or file.startswith(("gallery/", "reference/")):  # made by `make docs`
            continue
        place = page.parent / file if file else page
        assert place.exists(), target
        if anchor:
            assert anchor in anchors(place), target


def test_gallery_links_name_an_example():
    for page in DOCS:
        for name in re.findall(r"\(gallery/(\w+)\.\w+\)", page.read_text(encoding="utf-8")):
            assert name == "index" or (ROOT / "examples" / f"{name}.py").exists(), name


@pytest.fixture(scope="module")
def pictures():
    """What draws the pictures: the variables of docs/images/make.py."""
    folder = str(ROOT / "docs" / "images")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return runpy.run_path(f"{folder}/make.py")


def test_every_picture_of_the_pages_is_drawn_by_a_script(pictures):
    folder = ROOT / "docs" / "images"
    drawn = {path.stem for path in folder.glob("*.svg")}
    assert drawn == {*pictures["PICTURES"], *pictures["STUDIES"], *OF_TERMINALS}
    assert all((folder / f"{name}.py").exists() for name in OF_TERMINALS)
    for example, variable in pictures["PICTURES"].values():
        code = (ROOT / "examples" / f"{example}.py").read_text(encoding="utf-8")
        assert re.search(rf"^{variable}(, \w+)* = ", code, flags=re.MULTILINE), example


def test_every_picture_is_shown(pictures):
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"images/([\w-]+)\.svg\)", page.read_text(encoding="utf-8"))
    }
    assert shown == {*pictures["PICTURES"], *pictures["STUDIES"], *OF_TERMINALS}


def test_pictures_of_studies_show_the_numbers_of_the_pages(pictures):
    """A picture that is older than its numbers: run docs/images/make.py with its name."""
    stale = [
        name
        for name, study in pictures["STUDIES"].items()
        if study.digest() not in (ROOT / "docs" / "images" / f"{name}.svg").read_text("utf-8")
    ]
    assert stale == []


def test_pages_use_the_words_of_the_field():
    """A baseline is no rival, and what is published is not called print."""
    avoided = re.compile(r"\b(rivals?|in print|the print|as printed|complaints?|so many)\b")
    found = {
        named(page): avoided.findall(page.read_text(encoding="utf-8"))
        for page in [*PAGES, *(ROOT / "examples").glob("*.py")]
    }
    assert {page: words for page, words in found.items() if words} == {}


def test_the_sizes_of_the_tutorial_are_those_of_its_picture():
    """Both compare the same numbers of genes; a picture once showed other ones than the code."""
    pattern = re.compile(r"^result = compare\(.*?, (k=\[.*?\])\)$", flags=re.MULTILINE)
    example = (ROOT / "examples" / "plot_chosen_features.py").read_text(encoding="utf-8")
    tutorial = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    ours, theirs = (pattern.search(text) for text in (example, tutorial))
    assert ours[1] == theirs[1]


def test_summaries_of_the_reference_are_whole_sentences():
    """The list of names shows the text before the first full stop and blank: "Eq. 23" cuts it."""
    objects = [getattr(s2fs, name) for name in s2fs.__all__]
    for room in ("bio", "dask", "datasets", "evaluation", "io", "plotting", "report"):
        module = import_module(f"s2fs.{room}")
        objects += [getattr(module, name) for name in module.__all__]
    for thing in objects:
        if (
            callable(thing)
            and thing.__doc__
            and getattr(thing, "__module__", "").startswith("s2fs")
        ):
            summary = thing.__doc__.strip().split("\n\n")[0].split(". ")[0]
            assert summary.count("(") == summary.count(")"), thing
            assert not summary.endswith(("Eq", "Fig", "e.g")), thing
