"""Damaged results files: every command ends in one sentence, or does what it would have done."""

import json
import os
import shutil
import sqlite3
import zipfile
from io import BytesIO

import numpy as np
import pytest
from click.testing import CliRunner

from benches import small_results
from s2fs.cli import main
from s2fs_bench import Ledger, write_archive

#: Damages of each random kind that are tried.
N_RANDOM = 200 if os.environ.get("S2FS_TESTS") == "long" else 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A results file, its archive and the plan that made them."""
    place = tmp_path_factory.mktemp("whole")
    with Ledger(small_results(place)) as ledger:
        write_archive(ledger, place / "tiny.npz")
        ledger._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return place


def commands(file, out):
    """The commands that read a results file."""
    yield ["bench", "tables", file, "--out", out / "tables"]
    yield ["bench", "export", file, "--out", out / "rows.csv"]
    yield ["figures", file, "--only", "curves", "--formats", "svg", "--out", out / "figures"]
    yield ["bench", "report", file, "--out", out / "page.html"]
    if file.suffix == ".sqlite":
        yield ["bench", "archive", file, "--out", out / "again.npz"]
        yield ["bench", "status", file]
        yield ["bench", "run", file.parent / "tiny.toml", "--results", file]


def written(out):
    """All that a command wrote, without the date of a report."""
    return {
        path.relative_to(out): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.suffix not in (".html", ".npz", ".svg")
    }


def call(arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    """What the commands give for a whole file."""
    out, answers = tmp_path_factory.mktemp("expected"), {}
    for suffix in (".sqlite", ".npz"):
        for arguments in commands(folder / f"tiny{suffix}", out):
            done = call(arguments)
            assert done.exit_code == 0, done.output
            answers[suffix, arguments[1] if arguments[0] == "bench" else "figures"] = written(out)
            shutil.rmtree(out)
            out.mkdir()
    return answers


def check(file, folder, expected, tmp_path, *, must_fail=()):
    """Run every command on a damaged file that replaces the whole one."""
    shutil.copy(folder / "tiny.toml", tmp_path / "tiny.toml")
    content = file.read_bytes()
    for arguments in commands(file, tmp_path / "out"):
        (tmp_path / "out").mkdir()
        name = arguments[1] if arguments[0] == "bench" else "figures"
        done = call(arguments)
        if done.exit_code != 0 or name in must_fail:
            assert isinstance(done.exception, SystemExit), (name, done.exception)
            assert done.exit_code == 2, (name, done.output)
            assert done.stderr.startswith("Error: "), done.stderr
            assert done.stderr.count("\n") == 1, done.stderr
            assert "Traceback" not in done.stderr
        elif name not in ("status", "run"):
            # Damage in a place that is not read, or in what decides no number.
            assert written(tmp_path / "out") == expected[file.suffix, name], name
        shutil.rmtree(tmp_path / "out")
        for beside in tmp_path.glob(f"{file.name}-*"):  # of SQLite's journal
            beside.unlink()
        file.write_bytes(content)


READERS = ("tables", "export", "figures", "report", "archive")


def rewritten(source, target, change):
    """An archive with some of its arrays changed."""
    with np.load(source) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    np.savez_compressed(target, **arrays)


def about(**changes):
    """A change of the description of an archive."""

    def change(arrays):
        content = json.loads(str(arrays["about"]))
        for path, value in changes.items():
            *parents, last = [int(p) if p.isdecimal() else p for p in path.split("__")]
            place = content
            for parent in parents:
                place = place[parent]
            if value is None and isinstance(place, dict):
                place.pop(last)
            else:
                place[last] = value
        arrays["about"] = np.array(json.dumps(content))

    return change


def setting(name, value):
    return lambda arrays: arrays.update({name: value(arrays[name])})


def objects(array):
    """An array that only a pickle could hold."""
    return array.astype(object)


ARCHIVES = {
    "no description": lambda arrays: arrays.pop("about"),
    "description of numbers": setting("about", lambda a: np.arange(3)),
    "description that is no JSON": setting("about", lambda a: np.array("{")),
    "description of a list": setting("about", lambda a: np.array("[1, 2]")),
    "endless nesting": setting("about", lambda a: np.array("[" * 100_000)),
    "objects": setting("by_knn", objects),
    "no array of scores": lambda arrays: arrays.pop("by_knn"),
    "no stabilities": lambda arrays: arrays.pop("stabilities"),
    "too few rows": setting("by_knn", lambda a: a[:1]),
    "too few sizes": setting("by_knn", lambda a: a[:, :1]),
    "one dimension": setting("by_knn", lambda a: a[0]),
    "three dimensions": setting("by_knn", lambda a: a[None]),
    "no dimension": setting("by_knn", lambda a: np.float32(1)),
    "text": setting("by_knn", lambda a: a.astype(str)[:, :1]),
    "words": setting("by_knn", lambda a: np.full(a.shape, "high")),
    "dates": setting("stabilities", lambda a: np.zeros(a.shape, "datetime64[s]").astype("O")),
    "NaN": setting("by_knn", lambda a: a * np.nan),
    "infinity": setting("by_knn", lambda a: a * np.inf),
    "other format": about(format=99),
    "format of text": about(format="3"),
    "no results": about(results=None),
    "results of text": about(results="none"),
    "a result of text": about(results__0="none"),
    "no run": about(results__0__run=None),
    "no selector": about(results__0__run__selector=None),
    "a selector of text": about(results__0__run__selector="S2FS"),
    "unknown field": about(results__0__run__colour="red"),
    "sizes of text": about(results__0__run__sizes="12"),
    "sizes of fractions": about(results__0__run__sizes=[0.5, 1]),
    "negative sizes": about(results__0__run__sizes=[-2, -1]),
    "falling sizes": about(results__0__run__sizes=[2, 1]),
    "no sizes": about(results__0__run__sizes=[]),
    "unknown learner": about(results__0__run__learners=["oracle"]),
    "scores of an unknown learner": about(results__0__scores={"oracle": "accuracy"}),
    "scores of a list": about(results__0__scores=["knn"]),
    "empty scores": about(results__0__scores={}),
    "number for a title": about(results__0__run__dataset_title=3),
    "number for a name": about(results__0__run__selector__name=3),
    "list for a status": about(results__0__run__status=["confirmed"]),
    "list for parameters": about(results__0__run__parameters=[1]),
    "folds of text": about(results__0__run__n_folds="2"),
    "unknown protocol": about(results__0__run__protocol="after"),
    "unknown score": about(results__0__run__score="luck"),
    "weights of one number": about(results__0__weights=[0.1]),
    "weights of text": about(results__0__weights=["a", "b"]),
    "times of no result": about(seconds=[[99, 1.0]]),
    "times of text": about(seconds=[["a", "b"]]),
    "time of text": about(results__0__seconds="long"),
    "lengths of text": about(results__0__lengths=["long"]),
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_archives_with_wrong_content(kind, folder, expected, tmp_path):
    rewritten(folder / "tiny.npz", tmp_path / "tiny.npz", ARCHIVES[kind])
    fails = () if kind == "text" else READERS
    check(tmp_path / "tiny.npz", folder, expected, tmp_path, must_fail=fails)


@pytest.mark.parametrize("suffix", [".npz", ".sqlite"])
@pytest.mark.parametrize("how", ["truncated", "bytes flipped", "zeroed", "empty", "other file"])
def test_damaged_bytes(how, suffix, folder, expected, tmp_path):
    rng = np.random.default_rng(0)
    whole = (folder / f"tiny{suffix}").read_bytes()
    for _ in range(N_RANDOM if how in ("truncated", "bytes flipped", "zeroed") else 1):
        content = bytearray(whole)
        if how == "truncated":
            content = content[: rng.integers(1, len(whole))]
        elif how == "bytes flipped":
            for place in rng.integers(len(whole), size=rng.integers(1, 40)):
                content[place] ^= int(rng.integers(1, 256))
        elif how == "zeroed":
            start = int(rng.integers(len(whole)))
            content[start : start + 200] = bytes(len(content[start : start + 200]))
        else:
            content = bytearray(b"" if how == "empty" else b"kind,x\na,1\nb,2\n" * 50)
        file = tmp_path / f"tiny{suffix}"
        file.write_bytes(content)
        # An empty file is what a run that was killed at its start leaves.
        fails = READERS if how == "other file" or (how == "empty" and suffix == ".npz") else ()
        check(file, folder, expected, tmp_path, must_fail=fails)


def zipped(**members):
    """An .npz file of any content."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def npy(array, shape=None):
    """An array as NumPy writes it, with the shape that its header claims."""
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=True)
    content = buffer.getvalue()
    if shape is not None:
        old, new = f"{array.shape}, }}".encode(), f"{shape}, }}".encode()
        content = content.replace(old + b" " * (len(new) - len(old)), new)
    return content


class Trap:
    """Runs when a pickle that holds it is loaded."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


RESULTS = {
    "text": "none",
    "number": 3,
    "missing": None,
    "empty": b"",
    "no npz": b"none",
    "an npy": npy(np.eye(2)),
    "no arrays": zipped(),
    "one array": zipped(weights=npy(np.zeros((1, 2)))),
    "members that are no arrays": zipped(weights=b"x", rankings=b"y"),
    "huge shape": zipped(weights=npy(np.zeros(3), shape=(10**15,))),
    "a pickle": npy(np.array([Trap()], dtype=object)),
    "arrays of pickles": zipped(weights=npy(np.array([Trap()], dtype=object))),
}
ARRAYS = {
    f"{name}: {what}": (name, change)
    for name in ("weights", "rankings", "y_test", "redundancy", "seconds", "by_knn", "lengths")
    for what, change in {
        "missing": lambda a: None,
        "one dimension more": lambda a: a[None],
        "text": lambda a: np.full(a.shape, "x"),
        "objects": objects,
        "complex": lambda a: a.astype(complex),
        "empty": lambda a: a[..., :0] if a.ndim else np.zeros(0),
    }.items()
    if (name, what) != ("lengths", "missing")  # older files have none
}


def edit(file, statement, *values):
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize("kind", RESULTS)
def test_results_that_are_no_results(kind, folder, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = shutil.copy(folder / "tiny.sqlite", tmp_path / "tiny.sqlite")
    edit(file, "UPDATE runs SET result = ? WHERE rowid = 2", RESULTS[kind])
    check(file, folder, expected, tmp_path, must_fail=READERS)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("kind", ARRAYS)
def test_results_with_wrong_arrays(kind, folder, expected, tmp_path):
    name, change = ARRAYS[kind]
    file = shutil.copy(folder / "tiny.sqlite", tmp_path / "tiny.sqlite")
    with sqlite3.connect(file) as connection:
        (content,) = connection.execute("SELECT result FROM runs WHERE rowid = 2").fetchone()
    with np.load(BytesIO(content)) as arrays:
        kept = {key: arrays[key] for key in arrays.files}
    kept[name] = change(kept[name])
    buffer = BytesIO()
    np.savez(buffer, **{key: array for key, array in kept.items() if array is not None})
    edit(file, "UPDATE runs SET result = ? WHERE rowid = 2", buffer.getvalue())
    check(file, folder, expected, tmp_path, must_fail=READERS)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("run", "none"), ("run", "[]"), ("run", "{}"), ("run", b"\xff"), ("run", 3),
        ("run", "[" * 100_000), ("state", "lost"), ("state", 3), ("key", "k"), ("key", 5),
        ("seconds", "long"), ("error", b"\xff"), ("changed", "often"),
    ],
)  # fmt: skip
def test_rows_with_wrong_values(column, value, folder, expected, tmp_path):
    file = shutil.copy(folder / "tiny.sqlite", tmp_path / "tiny.sqlite")
    edit(file, f"UPDATE runs SET {column} = ? WHERE rowid = 2", value)
    fails = () if column == "changed" else (*READERS, "status")
    check(file, folder, expected, tmp_path, must_fail=fails)


@pytest.mark.parametrize(
    "change", [{"fold": 7}, {"sizes": [1, 3]}, {"n_folds": 9}, {"learners": ["svm"]}]
)
def test_a_run_that_was_changed_does_not_agree_with_its_key(change, folder, expected, tmp_path):
    file = shutil.copy(folder / "tiny.sqlite", tmp_path / "tiny.sqlite")
    with sqlite3.connect(file) as connection:
        (content,) = connection.execute("SELECT run FROM runs WHERE rowid = 2").fetchone()
    edit(file, "UPDATE runs SET run = ? WHERE rowid = 2", json.dumps(json.loads(content) | change))
    check(file, folder, expected, tmp_path, must_fail=(*READERS, "status"))


@pytest.mark.parametrize(
    "statement",
    ["DROP TABLE runs", "ALTER TABLE runs DROP COLUMN seconds", "PRAGMA user_version = 7"],
)
def test_other_tables(statement, folder, expected, tmp_path):
    file = shutil.copy(folder / "tiny.sqlite", tmp_path / "tiny.sqlite")
    edit(file, statement)
    check(file, folder, expected, tmp_path, must_fail=READERS)
