"""Wrong arguments of native functions are errors in Python, and never a crash."""

import ctypes
import pickle
import threading
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from inner import (
    border,
    library,
    native_class_sums,
    native_correlations,
    native_moments,
    native_pair_cover,
    native_plain_numbers,
    native_subset,
    native_table,
)
from strategies import examples

pytestmark = pytest.mark.skipif(library.engine() == "numpy", reason="there is no native library")
rng = np.random.default_rng(0)
N, M, P = 30, 7, 3
X = rng.normal(size=(N, M))


def make_cover(correlation=0.25):
    noise = np.full(P, 0.1)
    n_pairs = P * (P - 1) // 2
    return native_pair_cover._new(
        rng.normal(size=(P, M)), np.ones(M), noise, None, n_pairs, correlation
    )


def numbers(*shape):
    return rng.random(shape)


def make_data():
    return native_subset._new_data(
        native_table.make_table(X), np.arange(N) % P, np.ones(N) / N, np.zeros(M), np.ones(M),
        np.full(M, 1e-12), numbers(M, P), 1.0, 1, 0,
    )  # fmt: skip


def make_search():
    return native_subset._new_search(make_data())


def make_copied():
    data = make_data()
    return [native_subset._new_search(data), data]


#: Every function that is declared, with arguments that will do.
CALLS = {
    "class moments": (
        native_moments._class_moments,
        lambda: [
            native_table.make_table(X), np.arange(N) % P, np.ones(N), 0, M, 1,
            numbers(P, M), numbers(P, M), numbers(M), numbers(M), numbers(M), np.empty(M, bool),
        ],
    ),
    "correlations": (
        native_correlations._correlations,
        lambda: [
            native_table.make_table(X), np.arange(N) % P, np.ones(N), numbers(P, M), np.zeros(M),
            np.ones(M), 0, 1, 2, 0, M, 1, numbers(M),
        ],
    ),
    "residuals": (
        native_correlations._residuals,
        lambda: [
            native_table.make_table(X), np.arange(N) % P, np.ones(N), numbers(P, M), np.ones(M),
            np.arange(3), 5, numbers(20, 3),
        ],
    ),
    "new cover": (
        native_pair_cover._new,
        lambda: [numbers(P, M), np.ones(M), numbers(P), numbers(P * (P - 1) // 2, M), 3, 0.5],
    ),
    "copy": (native_pair_cover._copy, lambda: [make_cover()]),
    "candidates": (native_pair_cover._set_candidates, lambda: [make_cover(), np.arange(M)]),
    "drop": (native_pair_cover._drop_candidates, lambda: [make_cover(), np.arange(3)]),
    "best": (
        native_pair_cover._best,
        lambda: [make_cover(), 2, np.empty(1, np.int64), np.empty(1)],
    ),
    "score": (
        native_pair_cover._score,
        lambda: [make_cover(), np.arange(M), 1, numbers(M), numbers(M)],
    ),
    "best group": (
        native_pair_cover._best_group,
        lambda: [
            make_cover(), np.arange(4), np.array([0, 2, 4]), np.ones(8), 1,
            np.empty(1, np.int64), numbers(1), numbers(1),
        ],
    ),
    "class sums": (
        native_class_sums._class_sums,
        lambda: [
            native_table.make_table(X), np.arange(N) % P, np.ones(N), np.zeros(M), numbers(P, M), 1,
            numbers(P, M),
        ],
    ),
    "class means": (
        native_class_sums._class_means,
        lambda: [
            native_table.make_table(X), np.arange(N) % P, np.ones(N), np.ones(P), 1, numbers(M),
            numbers(M), numbers(P, M), numbers(M),
        ],
    ),
    "new data": (
        native_subset._new_data,
        lambda: [
            native_table.make_table(X), np.arange(N) % P, np.ones(N), np.zeros(M), np.ones(M),
            np.zeros(M), numbers(M, P), 1.0, 1, 0,
        ],
    ),
    "new search": (native_subset._new_search, lambda: [make_data()]),
    "copied search": (native_subset._copy_search, make_copied),
    "add to search": (native_subset._add, lambda: [make_search(), 3]),
    "best of search": (
        native_subset._find_best,
        lambda: [
            make_search(), np.arange(M), np.full(2, 0.1), np.full(2, 0.1), 0.0, 2,
            np.empty(2, np.int64), numbers(2, 5),
        ],
    ),
    "add the best to search": (
        native_subset._add_best,
        lambda: [make_search(), np.arange(M), 0.1, 0.1, 2, np.empty(1, np.int64), numbers(5)],
    ),
    "best group of search": (
        native_subset._best_group,
        lambda: [
            make_search(), np.arange(4), np.array([0, 2, 4]), 0.1, 0.1, 1,
            np.empty(1, np.int64), numbers(5),
        ],
    ),
    "score of subset": (
        native_subset._score,
        lambda: [make_search(), np.arange(M), 1, numbers(4, M)],
    ),
    "row sums": (native_subset._row_sums, lambda: [make_search(), np.arange(M), 1, numbers(2, M)]),
    "separation": (
        native_subset._separation,
        lambda: [make_search(), np.arange(M), numbers(2, M)],
    ),
    "upper bounds": (
        native_subset._bounds,
        lambda: [make_search(), np.arange(M), 0.1, 0.1, 3, numbers(M)],
    ),
    "plain lines": (
        native_plain_numbers._parse_lines,
        lambda: [
            np.frombuffer(b'1,a,2.5e3\nx,"b,"",",\n', np.uint8), ord(","), ord("."), 99,
            np.array([False, True, False]), numbers(2, 2), np.empty((2, 1, 2), np.int64),
            np.empty((3, 4), np.int64), np.empty(3, np.int64),
        ],
    ),
    "add": (native_pair_cover._add, lambda: [make_cover(), 3, numbers(M), numbers(P)]),
}  # fmt: skip


def unaligned(array):
    """The same numbers, one byte further than they may stand."""
    room = np.empty(array.nbytes + 1, np.uint8)
    moved = room[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def freed(handle):
    handle.free()
    return handle


SPOILED_ARRAYS = {
    "a list": np.ndarray.tolist,
    "another type": lambda a: a.astype(np.float32 if a.dtype == np.float64 else np.float64),
    "complex": lambda a: a.astype(complex),
    "objects": lambda a: a.astype(object),
    "the other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "one more dimension": lambda a: a[None],
    "flat": lambda a: a.ravel()[:1].reshape(()),
    "longer": lambda a: np.concatenate([a, a]),
    "shorter": lambda a: a[:-1],
    "empty": lambda a: a[:0],
    "strides": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "backwards": lambda a: a[..., ::-1],
    "unaligned": unaligned,
    "a masked array's text": str,
    "nothing": lambda a: None,
}
SPOILED_NUMBERS = [None, "3", 2**70, -(2**70), -1, M, M + 1, 2**62, -(2**63), np.nan, 1j, [1], X]
SPOILED_HANDLES = [None, 0, 12345, "cover", freed, lambda h: native_table.make_table(X), X]
ERRORS = (TypeError, ValueError, OverflowError)


def spoil(value, draw):
    if isinstance(value, np.ndarray):
        return SPOILED_ARRAYS[draw(st.sampled_from(sorted(SPOILED_ARRAYS)))](value)
    if isinstance(value, border.Handle):
        other = draw(st.sampled_from(SPOILED_HANDLES))
        return other(value) if callable(other) else other
    return draw(st.sampled_from(SPOILED_NUMBERS))


#: More text than there is room for is left for another call, and so are cells that are no numbers.
FREE_LENGTHS = {("longer", "bytes"), ("longer", "room"), ("shorter", "room"), ("empty", "room")}


@pytest.mark.parametrize("name", CALLS)
def test_right_arguments_are_taken(name):
    function, arguments = CALLS[name]
    function(*arguments())


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", sorted(SPOILED_ARRAYS))
def test_a_spoiled_array_is_an_error_for_every_argument(name, kind):
    function, make = CALLS[name]
    kinds = [one for one in function.arguments.values() if one.is_given]
    for place, argument in enumerate(make()):
        if not isinstance(argument, np.ndarray):
            continue
        arguments = make()
        spoiled = SPOILED_ARRAYS[kind](arguments[place])
        if kind == "the other byte order" and argument.itemsize == 1:
            continue  # bytes have none
        if kind == "unaligned" and argument.itemsize == 1:
            continue
        if kind in ("strides", "backwards") and argument.size == 1:
            continue  # one number lies in one piece
        arguments[place] = spoiled
        if spoiled is None and kinds[place].optional:
            continue
        free_length = [*kinds[place].shape] in (["n_candidates"], ["n_pairs"])
        if (
            kind in ("longer", "shorter", "empty")
            and free_length
            and name in ("candidates", "drop", "best of search", "add the best to search")
        ):
            continue  # as many candidates as there are
        if (
            kind == "longer"
            and name in ("correlations", "residuals")
            and kinds[place].shape[0] == "classes"
        ):
            continue  # there may be classes that no sample has
        if name == "plain lines" and (kind, kinds[place].shape[0]) in FREE_LENGTHS:
            continue
        if kind in ("shorter", "empty") and kinds[place].shape[0] == "n_block":
            continue  # of as many samples as there is room for
        with pytest.raises(ERRORS):
            function(*arguments)


def test_what_is_written_must_be_writable():
    for function, make in CALLS.values():
        for place, kind in enumerate(k for k in function.arguments.values() if k.is_given):
            if getattr(kind, "writable", False):
                arguments = make()
                arguments[place].flags.writeable = False
                with pytest.raises(ValueError, match="is read-only"):
                    function(*arguments)


@examples(600)
@given(st.sampled_from(sorted(CALLS)), st.data())
def test_several_spoiled_arguments_never_crash(name, data):
    function, make = CALLS[name]
    arguments = make()
    for place in data.draw(st.sets(st.integers(0, len(arguments) - 1), min_size=1, max_size=3)):
        arguments[place] = spoil(arguments[place], data.draw)
    with suppress(*ERRORS):
        function(*arguments)


def test_too_few_or_too_many_arguments():
    for function, make in CALLS.values():
        for arguments in (make()[:-1], [*make(), 1]):
            with pytest.raises(TypeError, match="takes"):
                function(*arguments)


def test_a_freed_handle_is_an_error_and_freeing_twice_is_not():
    cover = make_cover()
    copied = native_pair_cover._copy(cover)
    cover.free()
    cover.free()
    with pytest.raises(ValueError, match="the pair_cover was freed"):
        native_pair_cover._set_candidates(cover, np.arange(M))
    native_pair_cover._set_candidates(copied, np.arange(M))  # has what it needs


def test_a_handle_stays_in_its_process():
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(make_cover())


def test_two_threads_cannot_change_an_object_at_once():
    cover = make_cover()
    with cover.lock, pytest.raises(RuntimeError, match="in use in another thread"):
        native_pair_cover._set_candidates(cover, np.arange(M))
    native_pair_cover._set_candidates(cover, np.arange(M))


def test_an_object_keeps_its_table_alive():
    table = native_table.make_table(rng.normal(size=(200, 50)))  # the only reference
    codes = np.arange(200) % 2
    arrays = [numbers(2, 50), numbers(2, 50), numbers(50), numbers(50), numbers(50)]
    rubbish = [np.full((200, 50), 1e300) for _ in range(50)]
    native_moments._class_moments(table, codes, np.ones(200), 0, 50, 1, *arrays, np.empty(50, bool))
    assert np.abs(arrays[1]).max() < 5
    del rubbish


@pytest.mark.parametrize(
    "spoil_part",
    [
        lambda S: S.indices.__setitem__(3, N),
        lambda S: S.indices.__setitem__(3, -1),
        lambda S: S.indices.__setitem__(0, S.indices[1]),
        lambda S: S.indptr.__setitem__(2, S.indptr[3] + 1),
        lambda S: S.indptr.__setitem__(2, -5),
        lambda S: S.indptr.__setitem__(-1, S.indptr[-1] + 4),
        lambda S: S.indptr.__setitem__(0, 1),
    ],
)
@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_a_damaged_sparse_table_is_an_error(spoil_part, index_type):
    table = sparse.csc_array(X)
    table.indices, table.indptr = (a.astype(index_type) for a in (table.indices, table.indptr))
    native_table.make_table(table)
    spoil_part(table)
    table.has_canonical_format = True  # what a careless program says of its own
    with pytest.raises(ValueError, match="the sparse table has"):
        native_table.make_table(table)


@pytest.mark.parametrize("codes", [np.full(N, P), np.full(N, -1), np.full(N, 2**40)])
def test_classes_out_of_range_are_an_error(codes):
    for name in ("class moments", "correlations", "residuals"):
        function, make = CALLS[name]
        arguments = make()
        arguments[1] = codes
        with pytest.raises(ValueError, match="a class is out of range"):
            function(*arguments)


def test_another_version_of_the_border_is_refused(monkeypatch):
    opened = library.load()
    monkeypatch.setattr(library, "ABI", library.ABI + 1)
    with pytest.raises(ImportError, match="install s2fs again"):
        library.check_abi(opened)


def test_other_arguments_than_those_of_the_library_are_refused():
    opened = library.load()
    declared = [*native_pair_cover._score.arguments.values()]
    swapped = [*declared[:3], declared[4], declared[3], declared[5]]
    fewer = declared[:-1]
    read_only = [*declared[:-1], border.Array(np.float64, "n_candidates")]
    for kinds in (swapped, fewer, read_only):
        with pytest.raises(ImportError, match=r"takes .*, not .*; install s2fs again"):
            border.declare(opened, "s2fs_pair_cover_score", kinds)
    with pytest.raises(ImportError, match="has no function s2fs_nothing"):
        border.declare(opened, "s2fs_nothing", declared)


def test_a_library_that_is_not_ours_is_refused():
    with pytest.raises(ImportError, match="version None"):
        library.check_abi(ctypes.CDLL(None))


def test_errors_of_threads_are_their_own():
    """The message of an error is that of the thread it happened in."""
    found = {}

    def run(name, argument):
        for _ in range(200):
            try:
                native_pair_cover._drop_candidates(make_cover(), np.array([argument]))
            except ValueError as error:
                found.setdefault(name, set()).add(str(error))

    threads = [
        threading.Thread(target=run, args=(name, argument))
        for name, argument in (("one", M), ("two", 2))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"one": {"the feature is not in the table."}}
