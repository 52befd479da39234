"""Numbers read many at a time, against Python's own ``float``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2fs._utils.cells import as_numbers
from s2fs.io._plain_numbers import cut_into_pieces, parse_lines

CELLS = st.one_of(
    st.from_regex(r"[+-]?[0-9]{1,9}(\.[0-9]{0,9})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,17}", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["", "NA", "nan", "-inf", "1e5", " 3 ", "-0", "+.5", "00012", "1234567890123456"]
    ),
)


def parse(lines, n_cells, text_columns=()):
    return parse_lines(lines.encode(), ",", n_cells, text_columns, as_numbers)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=20))
def test_cells_are_read_as_python_reads_them(rows):
    block = parse("\n".join(["0,1,2", *map(",".join, rows)]), 3)
    expected = as_numbers([cell for row in rows for cell in row])
    if block is not None:  # few plain numbers are left to Python
        assert np.array_equal(block.numbers[1:].ravel(), expected, equal_nan=True)
        assert np.array_equal(np.signbit(block.numbers[1:].ravel()), np.signbit(expected))


def test_columns_of_text_stay_as_they_are_written():
    block = parse("a, 1,2,é\nb,3,4,x y\n", 4, [3, 0])
    assert block.text == [["é", "a"], ["x y", "b"]]
    assert block.numbers.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "lines",
    [
        "1,2\n3\n",
        "1,2,3\n4,5\n",
        "1,2\n\n3,4\n",
        "1,x\n2,3\n",
        "1_0,2\n3,4\n",
        "1.2.3,4\n5,6\n",
        ",\n1,2\n",
    ],
)
def test_what_is_not_plain_is_left_to_python(lines):
    assert parse(lines, 2) is None


def test_pieces_are_whole_lines(monkeypatch):
    monkeypatch.setattr("s2fs.io._plain_numbers._PIECE", 4)
    data = b"header\n1,2\n3,4\n5,6"
    assert [data[a:b] for a, b in cut_into_pieces(data, 7)] == [b"1,2\n", b"3,4\n", b"5,6"]
