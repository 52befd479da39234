"""What is written: nothing is replaced by accident, followed, half-written or run as a formula."""

import json
import os
import stat
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from s2fs import S2FS, Selection
from s2fs.cli import main

FORMULA = '=HYPERLINK("http://x")'
NAMES = [FORMULA, "@sum", "-7", "+a", "plain"]
Y = np.arange(20) % 2
FRAME = pd.DataFrame(
    np.random.default_rng(2).normal(size=(20, 5)) + Y[:, None] * np.arange(5, 0, -1), columns=NAMES
).assign(kind=Y)
posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of Unix")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args):
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert "Traceback" not in result.output
    return result


def select(*options):
    return run("select", "t.csv", "-t", "kind", "-k", "all", "--no-verdict", *options)


def test_formulas_are_kept_from_running(folder):
    assert select("-o", "r.csv", "--save", "m.json").exit_code == 0
    written = pd.read_csv("r.csv")
    assert sorted(written["feature"]) == sorted([f"'{FORMULA}", "'@sum", "-7", "'+a", "plain"])
    assert (written["score"] > 0).all()
    assert select("-o", "r.json").exit_code == 0  # JSON and Parquet have types
    rows = json.loads((folder / "r.json").read_text())["rows"]
    assert {row["feature"] for row in rows} == set(NAMES)
    FRAME.assign(note="=1+1").to_csv("new.csv", index=False)
    shown = run("transform", "m.json", "new.csv", "--keep", "note").stdout.splitlines()
    assert shown[1].startswith("'=1+1,")
    assert [float(cell) for cell in shown[1].split(",")[1:]] == FRAME.iloc[0, :5].tolist()
    (folder / "again.csv").write_text("\n".join(shown) + "\n")  # and such names are understood
    again = run("transform", "m.json", "again.csv", "--keep", "note").stdout
    assert again.splitlines() == shown


def test_a_workbook_holds_text_and_numbers(folder):
    assert select("-o", "r.xlsx").exit_code == 0
    assert select("-o", "r.csv").exit_code == 0
    sheet = load_workbook("r.xlsx").active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n"}
    written = pd.read_csv("r.csv")
    written["feature"] = written["feature"].str.removeprefix("'")
    pd.testing.assert_frame_equal(pd.read_excel("r.xlsx"), written, check_dtype=False)
    result = run("transform", "m.json", "t.csv", "-o", "new.docx")
    assert ".parquet, .xlsx" in result.stderr


def test_a_saved_selection_is_replaced_on_request_only(folder):
    assert select("--save", "m.json").exit_code == 0
    before = (folder / "m.json").read_bytes()
    again = select("--save", "m.json", "--class-weight", "balanced")
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr == "Error: --save is 'm.json', which exists; add --force to replace it.\n"
    assert (folder / "m.json").read_bytes() == before
    assert select("--save", "m.json", "--force", "--class-weight", "balanced").exit_code == 0
    assert (folder / "m.json").read_bytes() != before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-o", "t.csv"], "--output is 't.csv', the data itself"),
        (["-o", "link.csv"], "--output is 'link.csv', the data itself"),
        (["--samples", "s.csv", "-o", "s.csv", "--id", 0], "--output is 's.csv', a file that is"),
    ],
)
def test_no_output_replaces_what_is_read(folder, options, sentence):
    (folder / "link.csv").symlink_to(folder / "t.csv")
    (folder / "s.csv").write_text("a,kind\n1,2\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    result = select(*options)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@posix
def test_a_private_file_stays_private(folder):
    secret = folder / "r.csv"
    secret.write_text("old")
    secret.chmod(0o600)
    assert select("-o", "r.csv").exit_code == 0
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert "old" not in secret.read_text()
    fresh = folder / "fresh.csv"
    mask = os.umask(0o027)
    try:
        assert select("-o", "fresh.csv").exit_code == 0
    finally:
        os.umask(mask)
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o640


@posix
def test_a_link_is_written_through(folder):
    (folder / "results").mkdir()
    (folder / "results" / "r.csv").write_text("old")
    (folder / "r.csv").symlink_to(folder / "results" / "r.csv")
    (folder / "new.csv").symlink_to(folder / "results" / "new.csv")
    for name in ("r.csv", "new.csv"):
        assert select("-o", name).exit_code == 0
        assert (folder / name).is_symlink()
        assert "plain" in (folder / "results" / name).read_text()
    assert sorted(path.name for path in (folder / "results").iterdir()) == ["new.csv", "r.csv"]
    (folder / "lost.csv").symlink_to(folder / "nowhere" / "r.csv")
    result = select("-o", "lost.csv")
    assert result.exit_code == 2
    assert "nowhere' is not a directory" in result.stderr


@posix
def test_temporary_names_are_new_and_cannot_be_known(folder, monkeypatch):
    """Links planted under names of before are not followed, and two runs use two names."""
    used = []
    really = os.open

    def watch(path, flags, *rest, **more):
        if str(path).endswith(".part"):
            assert flags & os.O_EXCL
            used.append(str(path))
        return really(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", watch)
    (folder / "victim").write_text("precious")
    (folder / f".r.csv.{os.getpid()}.part").symlink_to(folder / "victim")
    for _ in range(2):
        assert select("-o", "r.csv").exit_code == 0
    assert len(set(used)) == 2
    assert (folder / "victim").read_text() == "precious"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_leaves_what_was_there(folder, monkeypatch):
    really = os.open

    def full(path, flags, *rest, **more):
        if str(path).endswith(".part"):
            really(path, flags, *rest, **more)  # the entry is there, its content has no place
            return really("/dev/full", os.O_WRONLY)
        return really(path, flags, *rest, **more)

    (folder / "r.csv").write_text("precious")
    monkeypatch.setattr(os, "open", full)
    result = select("-o", "r.csv")
    assert result.exit_code == 2
    assert "r.csv cannot be written (No space left on device)" in result.stderr
    assert (folder / "r.csv").read_text() == "precious"
    assert sorted(path.name for path in folder.iterdir()) == ["r.csv", "t.csv"]


def test_names_cannot_steer_a_terminal(folder):
    evil = "a\x1b[2J\tb\0"
    model = Selection.of(S2FS(1).fit(FRAME[["plain"]], Y), [evil])
    model.save("m.json")
    result = run("transform", "m.json", "t.csv")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "\0" not in result.stderr
    FRAME.rename(columns={"plain": evil.replace("\0", "")}).to_csv("t.csv", index=False)
    shown = select().stdout
    assert r"a\x1b[2J\tb" in shown
    assert "\x1b" not in shown


def test_groups_show_their_help():
    for name in ("data", "bench"):
        result = run(name)
        assert (result.exit_code, "Commands:" in result.stdout) == (0, True)


def test_pictures_are_known_from_the_file(folder):
    """image_shape in an .npz reaches the report without an option."""
    np.savez("t.npz", X=np.random.default_rng(0).random((20, 12)), y=Y, image_shape=[3, 4])
    command = ["select", "t.npz", "-k", "2", "--no-verdict", "--report", "r.html"]
    assert run(*command).exit_code == 0
    assert "pixel" in (folder / "r.html").read_text(encoding="utf-8").lower()


def test_control_characters_steer_no_terminal(folder):
    """Neither of a ranking that is shown by ``cat`` nor of a table that follows it."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 2)), columns=["a\x1b[2Jb", "=c\x07"])
    frame.assign(kind=["u", "v"] * 10).to_csv(folder / "t.csv", index=False)
    asked = ["t.csv", "-t", "kind", "-k", "2", "--no-verdict"]
    assert run("select", *asked, "-o", "r.csv", "--save", "m.json").exit_code == 0
    assert run("transform", "m.json", "t.csv", "-o", "two.csv").exit_code == 0
    for name in ("r.csv", "two.csv"):
        text = (folder / name).read_text()
        assert "a\\x1b[2Jb" in text
        assert "'=c\\x07" in text
        assert text.isascii()
        assert all(c.isprintable() or c == "\n" for c in text)
    again = run("transform", "m.json", "two.csv", "-o", "again.csv")
    assert again.exit_code == 0, again.output
    assert (folder / "again.csv").read_text() == (folder / "two.csv").read_text()
