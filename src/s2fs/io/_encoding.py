"""In which encoding a text is written."""

import codecs
import re
from io import BytesIO

#: In a Western language no larger share of letters with accents is followed by two others.
_MOST_IN_A_ROW = 0.05


def guess_encoding(data: bytes) -> str | None:
    """The encoding that a byte order mark, or a zero in every other byte, gives away."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[:512]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros = head[start::2]
        if len(zeros) > 3 and zeros.count(0) > 0.9 * len(zeros) and 0 not in head[1 - start :: 2]:
            return encoding
    return None


def find_bad_utf8(data: bytes) -> int | None:
    """The number of the first line that is not UTF-8 text; None if all are."""
    if data.isascii():
        return None
    for number, line in enumerate(BytesIO(data), start=1):  # without a copy of all as text
        try:
            line.decode()
        except UnicodeDecodeError:
            return number
    return None


def is_western(data: bytes) -> bool:
    """Whether a text may be in cp1252, as spreadsheets write it.

    No byte stands for nothing, and three letters with accents hardly ever follow each other.
    """
    if re.search(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]", data) is not None:
        return False
    n_beyond_ascii = len(re.findall(rb"[\x80-\xff]", data))
    n_in_a_row = len(re.findall(rb"[\x80-\xff](?=[\x80-\xff]{2})", data))
    return n_in_a_row <= _MOST_IN_A_ROW * n_beyond_ascii
