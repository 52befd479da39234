"""In which encoding a text is written."""

import codecs
from io import BytesIO

from s2fs.io._errors import UnreadableError


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


def check_utf8(data: bytes, name: str) -> None:
    if data.isascii():
        return
    for number, line in enumerate(BytesIO(data), start=1):  # without a copy of all as text
        try:
            line.decode()
        except UnicodeDecodeError as error:
            raise UnreadableError(
                f"{name} is not UTF-8 text: byte 0x{line[error.start]:02x} in line {number}; say "
                "how it is written with `encoding`, such as latin-1.",
                reason="encoding",
                fixes={"encoding": "latin-1"},
            ) from None
