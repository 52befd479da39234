import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from s2fs.cli._shared import note, print_table

TABLE = {
    "rank": [1, 2],
    "feature": ["[red]a[/red]", "two\nlines\t\x1b[2J\0!"],
    "sep": [1.5, float("inf")],
}


class Terminal(StringIO):
    def isatty(self):
        return True


def test_plain_when_piped(capsys):
    print_table(TABLE)
    assert capsys.readouterr().out == (
        "rank  feature                   sep\n"
        "   1  [red]a[/red]              1.5\n"
        "   2  two\\nlines\\t\\x1b[2J\\x00!  inf\n"
    )  # fmt: skip


def test_drawn_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    print_table(TABLE)
    drawn = sys.stdout.getvalue()
    assert "[red]a[/red]" in drawn  # a name, not a colour
    assert "│" in drawn
    assert r"two\nlines\t\x1b[2J\x00!" in drawn


def test_notes_are_for_terminals_only(monkeypatch, capsys):
    note("hello")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", Terminal())
    note("hello")
    assert sys.stderr.getvalue() == "hello\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_progress_goes_to_a_terminal_and_not_into_the_pipe(tmp_path):
    data = tmp_path / "t.csv"
    data.write_text("a,b,y\n0,1,u\n1,3,u\n5,2,v\n6,9,v\n")
    ours, theirs = os.openpty()
    command = [Path(sys.executable).with_name("s2fs"), "select", data, "-t", "y", "-k", "2"]
    environment = {**os.environ, "TERM": "xterm"}
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment, check=True
    )
    os.close(theirs)
    seen = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "4 samples, 2 features, 2 classes" in seen
    assert "S²FS" in seen
    assert result.stdout.decode().split()[:2] == ["rank", "feature"]
    assert "S²FS" not in result.stdout.decode()
