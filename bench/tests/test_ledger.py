"""Claims, leases and results in a results file."""

import os
import signal
import sqlite3
import time
from dataclasses import replace

import pytest

from processes import SERVER
from s2fs_bench import Ledger, Run, SelectorSpec

RUNS = [
    Run("d", "h", SelectorSpec("S2FS", "S2FS", {}), "inside", fold, 40, 0, (1,), ("knn",))
    for fold in range(40)
]
KEY = RUNS[0].key


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.sqlite"
    with Ledger(path, create=True) as ledger:
        ledger.add(RUNS)
    return path


def state(path, key=KEY):
    with Ledger(path) as ledger:
        return ledger.states()[key]


def test_life_of_a_run(path):
    with Ledger(path) as ledger:
        assert state(path) == "waiting"
        assert ledger.claim(KEY)
        assert state(path) == "claimed"
        assert not ledger.claim(KEY)
        ledger.finish(KEY, b"numbers", 1.5)
        assert ledger.result(KEY) == b"numbers"
        entry = ledger.entries()[0]
        assert (entry.run, entry.state, entry.seconds) == (RUNS[0], "done", 1.5)
        assert not ledger.claim(KEY)


def test_adding_again_keeps_what_is_done(path):
    with Ledger(path) as ledger:
        ledger.claim(KEY)
        ledger.finish(KEY, b"numbers", 1)
        ledger.add(RUNS)
        assert ledger.result(KEY) == b"numbers"
        assert len(ledger.entries()) == len(RUNS)


def test_failed_unit_is_tried_again_by_a_later_run_only(path):
    with Ledger(path) as first, Ledger(path) as beside:
        first.claim(KEY)
        first.fail(KEY, "it broke", 1)
        assert first.entries()[0].error == "it broke"
        assert not first.claim(KEY)
        assert not beside.claim(KEY)
    with Ledger(path) as later:
        assert later.claim(KEY)
        assert later.entries()[0].error is None


def test_release_gives_back_the_unfinished_only(path):
    with Ledger(path) as ledger:
        for run in RUNS[:2]:
            ledger.claim(run.key)
        ledger.finish(KEY, b"numbers", 1)
        ledger.release()
        assert state(path, RUNS[0].key) == "done"
        assert state(path, RUNS[1].key) == "waiting"
        assert not ledger.claim(RUNS[1].key)
    assert not ledger.claim(RUNS[1].key)  # nor after the file was closed
    with Ledger(path) as other:
        assert other.claim(RUNS[1].key)


def test_claim_ends_with_its_lease_unless_renewed(path):
    with Ledger(path, lease=-1) as slow, Ledger(path) as other:
        assert slow.claim(KEY)
        slow.lease = 100
        slow.renew()
        assert not other.claim(KEY)
        slow.lease = -1
        slow.renew()
        assert other.claim(KEY)
        # The process that was taken for dead wakes up: its result comes too late.
        slow.finish(KEY, b"late", 1)
        slow.renew()
        slow.release()
        assert state(path) == "claimed"
        other.finish(KEY, b"in time", 1)
        assert other.result(KEY) == b"in time"


def claim_and_wait(path, claimed):
    ledger = Ledger(path)
    ledger.claim(KEY)
    claimed.set()
    time.sleep(600)


def test_claim_of_a_killed_process_is_free_at_once(path):
    claimed = SERVER.Event()
    process = SERVER.Process(target=claim_and_wait, args=(path, claimed), daemon=True)
    process.start()
    assert claimed.wait(600)
    with Ledger(path) as ledger:
        assert not ledger.claim(KEY)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert ledger.claim(KEY)


def test_claim_from_another_machine_holds_until_its_lease_ends(path):
    with Ledger(path) as far, Ledger(path) as near:
        far.owner = "elsewhere:999999999:0"
        assert far.claim(KEY)
        assert not near.claim(KEY)
        far.lease = -1
        far.renew()
        assert near.claim(KEY)


def claim_all(path, ready, mine):
    with Ledger(path) as ledger:
        ready.wait()
        mine.put([run.key for run in RUNS if ledger.claim(run.key)])
        ready.wait()  # a process that has ended holds no claims


def test_two_processes_never_hold_the_same_run(path):
    ready, mine = SERVER.Barrier(2), SERVER.Queue()
    processes = [
        SERVER.Process(target=claim_all, args=(path, ready, mine), daemon=True) for _ in range(2)
    ]
    for process in processes:
        process.start()
    claims = [mine.get(timeout=600) for _ in processes]
    for process in processes:
        process.join()
    assert sorted(claims[0] + claims[1]) == sorted(run.key for run in RUNS)


def create(path, ready):
    ready.wait()
    with Ledger(path, create=True) as ledger:
        ledger.add(RUNS)


def test_two_processes_may_make_the_same_file(tmp_path):
    path, ready = tmp_path / "new.sqlite", SERVER.Barrier(2)
    processes = [SERVER.Process(target=create, args=(path, ready), daemon=True) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    with Ledger(path) as ledger:
        assert len(ledger.states()) == len(RUNS)


def test_file_without_tables_is_a_new_results_file(tmp_path):
    """What a process leaves that is killed before its first transaction."""
    path = tmp_path / "new.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode = WAL")
    db.close()
    with Ledger(path, create=True) as ledger:
        ledger.add(RUNS)
        assert ledger.claim(KEY)


def test_bad_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no results file .*'s2fs bench run PLAN --res"):
        Ledger(tmp_path / "none.sqlite")
    with pytest.raises(FileNotFoundError, match="is not a directory; make it first"):
        Ledger(tmp_path / "none" / "new.sqlite", create=True)
    with pytest.raises(ValueError, match="which is a directory; give a file"):
        Ledger(tmp_path, create=True)
    text = tmp_path / "text.csv"
    text.write_text("a,b\n" * 500)
    with pytest.raises(ValueError, match=r"is not a results file .*give another file"):
        Ledger(text)
    assert text.read_text() == "a,b\n" * 500
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE things (name TEXT)")
    db.close()
    with pytest.raises(ValueError, match=r"is not a results file \(it holds something else"):
        Ledger(other, create=True)


def edited(path, *statements):
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()


def test_file_with_a_missing_column_is_refused(path):
    edited(path, "ALTER TABLE runs DROP COLUMN seconds")
    with pytest.raises(
        ValueError, match=r"is not a results file \(its table .* column 'seconds'\)"
    ):
        Ledger(path)


def test_file_of_an_older_version_is_refused(path):
    edited(path, "PRAGMA user_version = 0")
    with pytest.raises(
        ValueError, match=r"was written by another version of s2fs.*; give another file"
    ):
        Ledger(path)


def test_full_disk_is_called_so_and_costs_no_result(path):
    with Ledger(path) as ledger:
        ledger.claim(KEY)
        ledger.finish(KEY, b"numbers", 1)
        ledger.claim(RUNS[1].key)
        # SQLite then refuses to grow the file, as it does when the disk has no more space.
        (pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(OSError, match=r"cannot be written: the disk is full .* make space and"):
            ledger.finish(RUNS[1].key, bytes(100_000), 1)
    assert state(path, KEY) == "done"
    assert state(path, RUNS[1].key) == "claimed"


def test_file_that_cannot_be_written(path):
    path.chmod(0o400)
    with Ledger(path) as ledger:
        ledger._connection.execute("PRAGMA query_only = ON")  # the superuser may write anywhere
        with pytest.raises(OSError, match=r"cannot be written \(.*readonly"):
            ledger.claim(KEY)


@pytest.mark.parametrize("jump", [-1e6, 1e6])
def test_clock_that_is_set_changes_nothing(path, monkeypatch, jump):
    with Ledger(path) as first:
        first.claim(KEY)
        first.fail(KEY, "it broke", 1)
        first.owner = "elsewhere:999999999:0"
        first.claim(RUNS[1].key)
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + jump)
        assert not first.claim(KEY)
        with Ledger(path) as later:
            assert later.claim(KEY)
            # A lease that seems to end far in the future is from before the clock was set back.
            assert later.claim(RUNS[1].key)


def test_titles_are_brought_up_to_date(path):
    with Ledger(path) as ledger:
        ledger.claim(KEY)
        ledger.finish(KEY, b"numbers", 1)
        ledger.add([replace(RUNS[0], dataset_title="D", score="macro_f1")])
        entry = ledger.entries()[0]
        assert (entry.run.dataset_title, entry.state) == ("D", "done")
