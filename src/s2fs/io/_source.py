"""A file to read: opened, decompressed, decoded; of which format it is."""

import codecs
import os
import stat
import sys
import zipfile
from io import BytesIO
from os import PathLike
from pathlib import Path
from time import monotonic, sleep
from typing import Any, BinaryIO

from s2fs._utils.arguments import Argument
from s2fs._utils.files import check_exists
from s2fs._utils.messages import format_names
from s2fs._utils.parquet_parts import list_parts
from s2fs.io._compression import COMPRESSED
from s2fs.io._encoding import find_bad_utf8, guess_encoding, is_western
from s2fs.io._errors import UnreadableError, reader_errors
from s2fs.io._foreign import ODS, is_json, raise_foreign, reject_foreign, reject_zarr
from s2fs.io._remarks import warn_reader
from s2fs.io.memory import check_size

STANDARD_INPUT = "-"
#: How the formats begin that are not text.
_MAGIC = {
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"\x93NUMPY": ".npy",
    b"\x89HDF\r\n\x1a\n": ".h5ad",
    b"MATLAB 5.0": ".mat",
    b"MATLAB 7.3": ".mat",
}
#: Formats that are read by their own readers, whatever they begin with.
BINARY = (".parquet", ".feather", ".npz", ".npy", ".mat", ".h5ad", ".xlsx")
_SYNONYMS = {".pq": ".parquet", ".arrow": ".feather", ".ipc": ".feather", ".xlsm": ".xlsx"}
_BLOCK = 1 << 20
#: How many seconds a named pipe is waited for.
_PATIENCE = 3
_ZIP = b"PK\x03\x04"


class Source:
    """A file with its kind, opened and decompressed as far as needed; "-" is standard input.

    Its ``suffix`` is the kind of the content: the last one in lower case, without that of a
    compression, or what a binary file without a known one begins with. Its ``path`` is None unless
    the content lies on disk as it is, and ``limit`` the number of bytes it may take. Parquet files
    may be the parts of one table: it ``is_folder`` then, or a pattern that fits them.
    """

    def __init__(self, path: str | PathLike[str], limit: int) -> None:
        self.limit = limit
        self.name = str(path)
        self.path: Path | None = None
        self.is_folder = self.is_json = False
        self._data: bytes | None = None
        place = Path(path)
        if self.name == STANDARD_INPUT:
            self.name = "standard input"
            with reader_errors(self.name, "readable"):
                self._data = self._all_of(sys.stdin.buffer)
            place, head = Path(), self._data[:512]
        else:
            if list_parts(path):
                self.path, self.suffix, self.is_folder = place, ".parquet", True
                return
            check_exists(path)
            if place.is_dir():
                reject_zarr(place)
                raise UnreadableError(
                    f"{path} is a directory without .parquet files; give a file, or a directory "
                    "of Parquet files."
                )
            mode = place.stat().st_mode
            if stat.S_ISFIFO(mode):
                with reader_errors(self.name, "readable"):
                    self._data = self._all_of_pipe(place)
                head = self._data[:512]
            elif not stat.S_ISREG(mode):
                raise UnreadableError(f"{path} is a device and has no end; give a file.")
            else:
                self.path = place
                with reader_errors(self.name, "readable"), place.open("rb") as file:
                    head = file.read(512)
        suffixes = [suffix.lower() for suffix in place.suffixes]
        packed = suffixes.pop() if suffixes and suffixes[-1] in (*COMPRESSED, ".zip") else None
        self.suffix = suffixes[-1] if suffixes else ""
        self.suffix = _SYNONYMS.get(self.suffix, self.suffix)
        if self.suffix not in BINARY or packed:
            self._unpack(head)
            head = head if self._data is None else self._data[:512]
        if self.suffix not in BINARY:
            kinds = (kind for magic, kind in _MAGIC.items() if head.startswith(magic))
            self.suffix = next(kinds, self.suffix)
        if self.suffix not in BINARY:
            reject_foreign(head, self.suffix, self.name)
            self.is_json = is_json(head, self.suffix)

    def _unpack(self, head: bytes) -> None:
        """Replace a compressed content by what is in it."""
        content = None
        if head.startswith(_ZIP):
            with reader_errors(self.name, ".zip"), self.open() as packed:
                content = self._from_zip(packed)
        for suffix, (magic, opener) in COMPRESSED.items():
            if head.startswith(magic):
                with (
                    reader_errors(self.name, suffix),
                    self.open() as packed,
                    opener(packed) as file,
                ):
                    content = self._all_of(file)
        if content is not None:
            self._data, self.path = content, None

    def _from_zip(self, file: BinaryIO) -> bytes | None:
        """The one file in an archive; None if the archive is itself a format."""
        with zipfile.ZipFile(file) as archive:
            members = [
                info
                for info in archive.infolist()
                if not info.is_dir() and not info.filename.startswith("__MACOSX")
            ]
            names = [info.filename for info in members]
            if "mimetype" in names and "content.xml" in names:
                raise_foreign(self.name, *ODS)
            if "[Content_Types].xml" in names:
                self.suffix = ".xlsx"
                return None
            if names and all(name.endswith(".npy") for name in names):
                self.suffix = ".npz"
                return None
            if len(members) != 1:
                raise UnreadableError(
                    f"{self.name} holds {len(members)} files ({format_names(names)}); give an "
                    "archive of one file."
                )
            self.suffix = Path(names[0]).suffix.lower()
            self.suffix = _SYNONYMS.get(self.suffix, self.suffix)
            check_size(members[0].file_size, self.limit, self.name)
            with archive.open(members[0]) as member:
                return self._all_of(member)

    def _all_of(self, file: Any) -> bytes:
        """Everything that can be read, as long as it stays below the limit."""
        blocks, total = [], 0
        while block := file.read(_BLOCK):
            total += len(block)
            check_size(total, self.limit, self.name)
            blocks.append(block)
        return b"".join(blocks)

    def _all_of_pipe(self, place: Path) -> bytes:
        """Everything that is written to a named pipe, which can be read once only."""
        with open(os.open(place, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
            deadline = monotonic() + _PATIENCE
            while (first := pipe.read(_BLOCK)) == b"":  # None: somebody is about to write
                if monotonic() > deadline:
                    raise UnreadableError(
                        f"{self.name} is a pipe that nobody writes to; give a file, or start what "
                        "writes to it."
                    )
                sleep(0.02)
            os.set_blocking(pipe.fileno(), True)
            return (first or b"") + self._all_of(pipe)

    def open(self) -> BinaryIO:
        """The content as a file in binary mode that can be read from anywhere."""
        return BytesIO(self._data or b"") if self.path is None else self.path.open("rb")

    def content(self) -> bytes:
        """The content as a whole."""
        if self._data is not None:
            return self._data
        with reader_errors(self.name, "readable"), self.open() as file:
            check_size(file.seek(0, 2), self.limit, self.name)
            file.seek(0)
            return file.read()

    def _western(self, data: bytes) -> str | None:
        """The encoding of a text that is not UTF-8 but may be Western; a remark says so."""
        line = find_bad_utf8(data)
        if line is None:
            return None
        if not is_western(data):
            raise UnreadableError(
                f"{self.name} is not UTF-8 text in line {line}; say how it is written with ",
                Argument("encoding"),
                ", such as cp1252 or shift-jis.",
                reason="encoding",
            )
        warn_reader(
            f"{self.name} is not UTF-8 text in line {line} and read as Western text; if names look "
            "wrong, say how it is written, such as ",
            Argument("encoding", "mac-roman"),
            ".",
            kind="encoding",
        )
        return "cp1252"

    def text(self, encoding: str | None) -> bytes:
        """The content as UTF-8 text without a byte order mark; lines end in a line feed."""
        data = self.content()
        encoding = encoding or guess_encoding(data)
        if encoding is None:
            data = data.removeprefix(codecs.BOM_UTF8)
            encoding = self._western(data)
        if encoding is not None:
            try:
                data = data.decode(encoding).removeprefix("\ufeff").encode()
            except LookupError:
                raise UnreadableError(
                    Argument("encoding"),
                    f" is {encoding!r}, which Python does not know; give one "
                    "such as latin-1, cp1252 or utf-16.",
                ) from None
            except UnicodeError as error:
                reason = getattr(error, "reason", error)
                raise UnreadableError(
                    f"{self.name} is not text in the encoding {encoding} ({reason}); give another "
                    "with ",
                    Argument("encoding"),
                    ".",
                ) from None
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not data or data.isspace():
            raise UnreadableError(f"{self.name} is empty; a header line and data are needed.")
        if b"\0" in data[: 1 << 16]:
            raise UnreadableError(
                f"{self.name} is neither text nor of a known format; give delimited text, "
                f"{', '.join(BINARY)}, .arff or .gct."
            )
        return data
