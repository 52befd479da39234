"""Where a table comes from: headers of numbers, pipes, devices, and how much memory it may take."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs.cli import main
from s2fs.io import ReadWarning, read_table

RNG = np.random.default_rng(4)
KINDS = np.arange(24) % 2
GOOD = "a,b,kind\n1.5,2,u\n3,4,v\n5,7.5,u\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="pipes and devices of Linux")


def rising(n_columns, rows):
    """Rows that rise from column to column, as cumulative shares do."""
    return np.cumsum(RNG.random((rows, n_columns)), axis=1).round(3)


def test_a_first_line_that_rises_like_the_others_is_data(tmp_path):
    values = np.column_stack([rising(6, 24), KINDS + 9])  # also the classes lie above
    np.savetxt(tmp_path / "t.csv", values, delimiter=",", fmt="%g")
    with pytest.warns(ReadWarning, match="has no header: its first line is data"):
        data = read_table(tmp_path / "t.csv", -1)
    np.testing.assert_array_equal(data.X, values[:, :-1])


def test_a_first_line_that_rises_alone_is_a_header_with_a_note(tmp_path):
    path, values = tmp_path / "t.csv", RNG.normal(size=(24, 5)).round(3)
    frame = pd.DataFrame(values, columns=[400, 410, 425, 440, 450]).assign(**{"451": KINDS})
    frame.to_csv(path, index=False)
    with pytest.warns(ReadWarning, match=r"begins with 400, 410, 425, .*`header=False`"):
        data = read_table(path, -1)
    assert data.feature_names == ["400", "410", "425", "440", "450"]
    assert data.remarks[0].kind == "header of numbers"
    assert read_table(path, -1, header=True).remarks == ()
    lines = path.read_text().splitlines()
    path.write_text("\n".join(["400,410,425,440,450,1", *lines[1:]]))
    assert read_table(path, -1, header=False).X.shape == (25, 5)


def test_quoted_words_without_a_header_keep_their_first_line(tmp_path):
    rows = [
        ("red", "big", "u"),
        ("blue", "small", "v"),
        ("red", "small", "u"),
        ("blue", "big", "v"),
    ]
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows * 3]
    (tmp_path / "t.data").write_text("\n".join(lines))
    with pytest.warns(ReadWarning, match="has no header"):
        data = read_table(tmp_path / "t.data", -1)
    assert len(data.y) == 12


def test_the_note_on_equal_names_gives_the_name_that_is_used(tmp_path):
    (tmp_path / "t.csv").write_text("a,a.1,a,kind\n1.5,2,3,u\n4,5.5,6,v\n")
    with pytest.warns(ReadWarning, match=r"'a'; the later ones are called a\.2 and so on"):
        data = read_table(tmp_path / "t.csv", "kind")
    assert data.feature_names == ["a", "a.1", "a.2"]


# Labels, and whether they are taken as classes without a word.
TARGETS = {
    "codes from 0": (np.arange(24) % 10, True),
    "codes from 1": (np.arange(24) % 6 + 1, True),
    "two codes": (np.arange(24) % 2 * 2 + 2, True),
    "grades": (np.arange(24) % 6 + 3, False),
    "concentrations": (np.array([0, 5, 10, 20, 40, 80])[np.arange(24) % 6], False),
}


@pytest.mark.parametrize("case", TARGETS)
def test_a_quantity_taken_as_classes_is_told(tmp_path, case):
    labels, is_quiet = TARGETS[case]
    frame = pd.DataFrame(RNG.normal(size=(24, 2)), columns=["a", "b"]).assign(y=labels)
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = ["select", str(tmp_path / "t.csv"), "-t", "y", "-k", "1", "--no-verdict"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    assert ("looks like a quantity: it has 6 different whole numbers" in result.stderr) != is_quiet


@linux
def test_a_named_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "t.csv"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=[GOOD])
    writer.start()
    data = read_table(pipe, "kind")
    writer.join()
    np.testing.assert_array_equal(data.X, [[1.5, 2], [3, 4], [5, 7.5]])


@linux
def test_a_pipe_without_a_writer_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    with pytest.raises(ValueError, match="is a pipe that nobody writes to"):
        read_table(tmp_path / "t.csv", "kind")


@linux
def test_a_pipe_without_end_is_bounded(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    with subprocess.Popen(["sh", "-c", f"cat /dev/zero > {tmp_path}/t.csv"]) as writer:
        with pytest.raises(ValueError, match="max_memory"):
            read_table(tmp_path / "t.csv", "kind", max_memory="20M")
        writer.wait(30)


@linux
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_devices_are_refused(device):
    result = CliRunner().invoke(main, ["select", device, "-t", "y"])
    assert result.exit_code == 2
    assert result.stderr == f"Error: {device} is a device and has no end; give a file.\n"


def test_the_limit_of_a_container_counts(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(GOOD)
    files = {
        "/proc/self/cgroup": "0::/box/inner\n",
        "/sys/fs/cgroup/box/inner/memory.max": "max\n",
        "/sys/fs/cgroup/box/memory.max": "20\n",
    }
    really = Path.read_text

    def read_text(self, *args, **kwargs):
        name = os.path.normpath(self)
        if name.startswith(("/proc", "/sys")):
            if name not in files:
                raise FileNotFoundError(name)
            return files[name]
        return really(self, *args, **kwargs)

    monkeypatch.setattr(Path, "read_text", read_text)
    with pytest.raises(ValueError, match="`max_memory`"):
        read_table(tmp_path / "t.csv", "kind")
    files["/sys/fs/cgroup/box/memory.max"] = "max\n"
    assert read_table(tmp_path / "t.csv", "kind").X.shape == (3, 2)


def test_shared_texts_of_a_workbook_are_bounded(tmp_path):
    path, big = tmp_path / "t.xlsx", tmp_path / "big.xlsx"
    pd.DataFrame({"a": [1.5, 2], "kind": ["u", "v"]}).to_excel(path, index=False)
    main_space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(big, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == "[Content_Types].xml":
                part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="' + kind + b'"/>'
                content = content.replace(b"</Types>", part + b"</Types>")
            new.writestr(info.filename, content)
        words = b"<si><t>x</t></si>" * 4_000_000
        new.writestr("xl/sharedStrings.xml", b'<sst xmlns="%s">%s</sst>' % (main_space, words))
    assert big.stat().st_size < 2_000_000
    assert read_table(path, "kind", max_memory="100M").X.shape == (2, 1)
    with pytest.raises(ValueError, match=r"asks for .*`max_memory`"):
        read_table(big, "kind", max_memory="100M")


def test_texts_of_parquet_are_bounded(tmp_path):
    frame = pd.DataFrame({"a": np.arange(2000) / 7, "kind": KINDS.repeat(84)[:2000].astype(str)})
    same = frame.assign(word="x" * 100_000)
    same.to_parquet(tmp_path / "same.parquet", compression="zstd")
    with pytest.warns(ReadWarning, match="text in column"):  # 200 MB as text, kept once
        assert read_table(tmp_path / "same.parquet", "kind", max_memory="20M").X.shape == (2000, 1)
    others = frame.assign(word=[f"{i}" + "x" * 100_000 for i in range(2000)])
    others.to_parquet(tmp_path / "others.parquet", compression="zstd")
    assert (tmp_path / "others.parquet").stat().st_size < 2_000_000
    with pytest.raises(ValueError, match=r"asks for .*`max_memory`"):
        read_table(tmp_path / "others.parquet", "kind", max_memory="20M")
