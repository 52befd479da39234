"""Plain lines read by the native library, against Python: its own ``float`` and its csv module."""

import io
import math
import random
import struct
import warnings
from contextlib import redirect_stderr

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inner import library, native_plain_numbers
from s2fs import read_table
from strategies import examples, long

needs_library = pytest.mark.skipif(library.engine() == "numpy", reason="there is no native library")


def write_number(draw):
    """A number as a program may write it, or as nobody would."""
    kind = draw.randrange(8)
    value = struct.unpack("<d", draw.randbytes(8))[0]
    value = value if math.isfinite(value) else draw.gauss(0, 1)
    if kind == 0:
        return repr(draw.gauss(0, 1))
    if kind == 1:
        return f"{draw.gauss(0, 100):.{draw.randrange(20)}f}"
    if kind == 2:
        return repr(value)
    if kind == 3:
        return f"{value:.{draw.randrange(25)}e}"
    if kind == 4:  # half way between two numbers, or next to it
        value = draw.gauss(0, 1) * 10.0 ** draw.randrange(-6, 6)
        middle = (int(value * 2**40) * 2 + 1) / 2**41 if draw.random() < 0.1 else value
        exact = f"{middle + math.ulp(middle) / 2:.{draw.randrange(14, 30)}g}"
        return exact.replace("e+", "e")
    if kind == 5:  # exactly half way: m + 1/2 units, with 16 to 19 digits
        return f"{2**53 + 2 * draw.randrange(2**51) + 1}" + draw.choice(["", "e-3", "e-9", "0e-12"])
    if kind == 6:
        digits = "".join(draw.choices("0123456789", k=draw.randrange(1, 24)))
        place = draw.randrange(len(digits) + 1)
        return draw.choice(["", "-", "+"]) + f"{digits[:place]}.{digits[place:]}"
    power = 2.0 ** draw.randrange(-80, 80)  # where the distance of numbers changes
    near = draw.choice([power, math.nextafter(power, 0), math.nextafter(power, math.inf)])
    return f"{near:.{draw.randrange(14, 19)}e}"


def parse(text, n_cells, *, decimal="."):
    return native_plain_numbers.parse_lines(
        np.frombuffer(text.encode(), np.uint8), np.zeros(n_cells, bool), delimiter=";",
        decimal=decimal, longest_quoted=0,
    )  # fmt: skip


@needs_library
@pytest.mark.parametrize("count", [20_000, long(1_000_000)])
def test_every_number_is_that_of_float(count):
    draw = random.Random(count)
    words = [write_number(draw) for _ in range(count)]
    text = "".join(f"{a};{b}\n" for a, b in zip(words[::2], words[1::2], strict=True))
    at, found, n_others = 0, [], 0
    while at < len(text):
        parsed = parse(text[at : text.find("\n", min(at + 200_000, len(text) - 1)) + 1], 2)
        others = {(line, column) for line, column, *_ in parsed.others.tolist()}
        for line, column in others:  # they are left to Python, whoever asks
            word = words[2 * (len(found) + line) + column]
            parsed.numbers[line, column] = float(word)
        n_others += len(others)
        found += parsed.numbers.tolist()
        at += parsed.n_bytes
    expected = [float(word) for word in words]
    assert (
        np.array(found).ravel().view(np.int64).tolist()
        == np.array(expected).view(np.int64).tolist()
    )
    assert n_others < count / 2


@needs_library
def test_numbers_as_programs_write_them_are_not_left_to_python():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 3)) * 10.0 ** rng.integers(-8, 9, size=(400, 3))
    for write in (repr, "{:.18e}".format, "{:.15g}".format, "{:.17g}".format, "{:.4f}".format):
        words = [[write(value) for value in row] for row in values.tolist()]
        parsed = parse("".join(";".join(row) + "\n" for row in words), 3)
        assert not len(parsed.others)
        assert np.array_equal(parsed.numbers, np.array(words, float))
        commas = "".join(";".join(row).replace(".", ",") + "\n" for row in words)
        parsed = parse(commas, 3, decimal=",")
        left = {tuple(other[:2]) for other in parsed.others.tolist()}
        assert len(left) < 5  # next to a power of two
        known = [row for row in range(400) if not left & {(row, f) for f in range(3)}]
        assert np.array_equal(parsed.numbers[known], np.array(words, float)[known])


@needs_library
@pytest.mark.parametrize("word", ["", " ", "NA", "na", "NaN", "nan", "?"])
def test_missing_values_are_known(word):
    parsed = parse(f"1;{word}\n", 2)
    assert not len(parsed.others)
    assert np.isnan(parsed.numbers).tolist() == [[False, True]]


@needs_library
@pytest.mark.parametrize(
    "word",
    ["x", "1_0", "1.2.3", "inf", "1e", "e5", "1e+", "0x1", "--1", "+", ".", "1,5", "1 2", "١"],
)
def test_other_cells_are_handed_back_with_their_place(word):
    text = f"1;2\n3;{word}\n"
    parsed = parse(text, 2)
    line, column, begin, end = parsed.others[0].tolist()
    assert (line, column, text.encode()[begin:end].decode()) == (1, 1, word)
    assert parsed.n_bytes == len(text.encode())


@needs_library
@pytest.mark.parametrize("line", ["1", "1;2;3", "1;2;;", "#;;", "1;2; x"])
def test_a_line_of_another_kind_is_left_to_python(line):
    parsed = parse(f"1;2\n\n3;4;\n{line}\n5;6\n", 2)
    assert parsed.numbers.tolist() == [[1, 2], [3, 4]]
    assert parsed.n_bytes == len("1;2\n\n3;4;\n")


CELLS = st.one_of(
    st.from_regex(r"[+-]?[0-9]{1,9}(\.[0-9]{0,18})?", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["", "NA", " 3 ", "-0", "inf", "1_0", "é", "#", '"4"', '"a;b"', '"5""x"', '"\n"']
    ),
)
LABELS = st.sampled_from(["a", "b", '"c d"', "#e"])


def read(file, monkeypatch, *, plain):
    """What is read of a file, its remarks, or why it is refused."""
    with warnings.catch_warnings(), monkeypatch.context() as patch, redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        if not plain:
            patch.setattr("s2fs.io._delimited.has_plain_lines", lambda *_: False)
        else:
            patch.setattr("s2fs.io._plain_numbers._PIECE", 40)  # several of them
        try:
            data = read_table(file, "kind", impute="keep", missing="-7")
        except ValueError as error:
            return str(error)
    numbers = np.asarray(data.X, float).view(np.int64).tolist()
    return numbers, data.feature_names, data.y.tolist(), data.class_names, data.remarks


@needs_library
@examples(400)
@given(st.data())
def test_files_are_read_as_python_reads_them(tmp_path_factory, data):
    delimiter = data.draw(st.sampled_from(";\t,|"))
    kinds = [data.draw(st.sampled_from([CELLS, st.integers(-99, 99).map(str)])) for _ in range(3)]
    rows = data.draw(st.lists(st.tuples(LABELS, *kinds), min_size=3, max_size=12))
    lines = [delimiter.join(row).replace(";", delimiter) for row in rows]
    odd = data.draw(st.sampled_from([None, None, "", " ", "# note", delimiter * 4, '"', "1"]))
    if odd is not None:
        lines.insert(data.draw(st.integers(0, len(lines))), odd)
    if data.draw(st.booleans()):
        lines = [f"{line}{delimiter}" for line in lines]
    header = delimiter.join(["kind", "a", "b", "c"])
    file = tmp_path_factory.mktemp("files") / "table.txt"
    file.write_text("\n".join([header, *lines]) + data.draw(st.sampled_from(["", "\n"])))
    with pytest.MonkeyPatch.context() as monkeypatch:
        found, expected = (read(file, monkeypatch, plain=plain) for plain in (True, False))
    assert found == expected
