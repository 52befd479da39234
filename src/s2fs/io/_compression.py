"""What opens a compressed file."""

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from s2fs._utils.optional import need


def _zstd(file: BinaryIO) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.open(file)
    arrow = need("pyarrow", extra="parquet", purpose="Reading a .zst file")
    return arrow.CompressedInputStream(arrow.PythonFile(file), "zstd")


#: What opens a compressed file, by suffix and by how it begins.
COMPRESSED: dict[str, tuple[bytes, Callable[[BinaryIO], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\x00", lzma.open),
    ".zst": (b"\x28\xb5\x2f\xfd", _zstd),
}
