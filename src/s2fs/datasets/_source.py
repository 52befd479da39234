"""A file to read: what users may say about it, its content, and the errors if it cannot be used."""

import bz2
import codecs
import gzip
import lzma
import os
import re
import stat
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, fields
from io import BytesIO
from numbers import Real
from os import PathLike
from pathlib import Path, PurePosixPath
from time import monotonic, sleep
from typing import Any, BinaryIO, Literal

from s2fs._util.inputs import MISSING
from s2fs._util.messages import did_you_mean, some_of
from s2fs._util.optional import need
from s2fs.datasets._errors import UnreadableError
from s2fs.datasets._foreign import ODS, raise_foreign, reject_foreign
from s2fs.datasets._number_format import NumberFormat

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
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
#: Where the system does not say how much memory it has.
_USUAL_MEMORY = 8 * 2**30


@dataclass(frozen=True)
class Remark:
    """What a reader has decided about a file.

    Attributes
    ----------
    kind : str
        What was decided, in a word or two: "row numbers", "sample names", "text", ….
    text : str
        The same in one sentence; keywords of :func:`read_table` stand in backquotes.
    columns : tuple of str
        The columns it is about that are no features because of it.
    """

    kind: str
    text: str
    columns: tuple[str, ...] = ()


class ReadWarning(UserWarning):
    """A remark of a reader as a warning."""


#: The remarks on the file that is being read.
_remarks: ContextVar[list[Remark] | None] = ContextVar("s2fs_remarks", default=None)


def remark(text: str, kind: str = "note", columns: Iterable[str] = ()) -> None:
    """Say what was done with a file beyond reading it, as a warning and in ``Dataset.remarks``."""
    if (found := _remarks.get()) is not None:
        found.append(Remark(kind, text, tuple(columns)))
    warnings.warn(text, ReadWarning, stacklevel=2)


@contextmanager
def collect_remarks() -> Iterator[list[Remark]]:
    """The list that remarks are added to inside."""
    found: list[Remark] = []
    token = _remarks.set(found)
    try:
        yield found
    finally:
        _remarks.reset(token)


@contextmanager
def reading(source: Any, kind: str) -> Iterator[None]:
    """Turn every failure of a reader into one sentence that names the file.

    What a damaged file makes a library raise can be anything; our own errors pass as they are.
    """
    try:
        yield
    except (UnreadableError, FileNotFoundError, ImportError):
        raise
    except PermissionError:
        raise UnreadableError(f"{source} may not be read; ask for permission.") from None
    except MemoryError:
        raise UnreadableError(
            f"{source} asks for more memory than there is, or is damaged; give a smaller file."
        ) from None
    except Exception as error:
        text = " ".join(str(error).split()).rstrip(".")
        reason = text[:200] if text else type(error).__name__
        raise UnreadableError(
            f"{source} is damaged, or not a {kind} file ({reason}); check it, or make it again."
        ) from None


def check_size(wanted: int, limit: int, source: Any) -> None:
    """Raise if a file asks for more memory than it may, before it is taken."""
    if wanted > limit:
        raise UnreadableError(
            f"{source} asks for {wanted / 2**30:.3g} GiB of memory where {limit / 2**30:.3g} GiB "
            "are allowed; give a smaller file, or allow more with `max_memory`."
        )


@dataclass(frozen=True)
class ReadOptions:
    """What may be said about a file; see :func:`read_table`."""

    target: str | int | None = None
    drop: Sequence[str | int] = ()
    transpose: bool = False
    layer: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    comment: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: Iterable[str] = ()
    sheet: str | None = None
    samples: str | PathLike[str] | None = None
    sample_id: str | int | None = None
    by_position: bool = False
    target_from_names: str | None = None
    id: str | int | None = None
    keep: Sequence[str | int] = ()
    group: str | int | None = None
    covariates: Sequence[str | int] = ()
    drop_unlabelled: bool = False
    log2: bool = False
    impute: Literal["median", "knn", "keep"] | None = None
    drop_missing: float | None = None
    numeric_only: bool = False
    encode: bool = False
    max_memory: int | str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ValueError(f"`delimiter` is {self.delimiter!r}; give one character, such as ';'.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"`decimal` is {self.decimal!r}; give '.' or ','.")
        mark = self.thousands
        if mark is not None and (len(mark) != 1 or mark.isalnum() or mark in "+-"):
            raise ValueError(f"`thousands` is {mark!r}; give one character, such as ','.")
        if mark is not None and mark == self.decimal:
            raise ValueError(
                f"`thousands` and `decimal` are both {mark!r}; a number could not be read."
            )
        if self.delimiter is not None and self.delimiter == self.decimal:
            raise ValueError(
                f"delimiter and decimal are both {self.decimal!r}; a number could not be read."
            )
        if self.impute not in (None, "median", "knn", "keep"):
            raise ValueError(f"`impute` is {self.impute!r}; choose median, knn or keep.")
        share = self.drop_missing
        if share is not None and not (isinstance(share, Real) and 0 <= share <= 1):
            raise ValueError(f"`drop_missing` is {share!r}; give a share from 0 to 1, such as 0.2.")
        if self.numeric_only and self.encode:
            raise ValueError("`numeric_only` leaves text out and `encode` takes it in; choose one.")
        if self.sample_id is not None and self.samples is None:
            raise ValueError(
                "`sample_id` is a column of the file of samples; give that file with `samples`."
            )
        if self.by_position and (self.samples is None or self.sample_id is not None):
            raise ValueError(
                "`by_position` is for a file of samples (`samples`) in the order of the rows, "
                "without `sample_id`."
            )
        if self.target_from_names is not None:
            if self.target is not None:
                raise ValueError("target and `target_from_names` both name classes; choose one.")
            try:
                re.compile(self.target_from_names)
            except re.error as error:
                raise ValueError(
                    f"`target_from_names` is {self.target_from_names!r}, which is no regular "
                    f"expression ({error}); give one such as '^[A-Za-z]+'."
                ) from None
        bytes_of(self.max_memory)

    @property
    def descriptions(self) -> list[tuple[str, str | int]]:
        """The columns that describe rows, each with the keyword that names it."""
        found: list[tuple[str, str | int | None]] = [("group", self.group)]
        found += [(f"covariates:{name}", name) for name in self.covariates]
        return [(keyword, name) for keyword, name in found if name is not None]

    @classmethod
    def of(cls, given: dict[str, Any]) -> "ReadOptions":
        """Options by name; a name that is not known is refused with the closest one."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise TypeError(
                    f"read_table has no option {name!r}"
                    f"{did_you_mean(name, known) or '; it has ' + ', '.join(known)}."
                )
        return cls(**given)

    @property
    def missing_words(self) -> frozenset[str]:
        """All words that stand for "not known", in lower case."""
        own = [self.missing] if isinstance(self.missing, str) else self.missing
        return MISSING | {word.strip().lower() for word in own}

    @property
    def number_format(self) -> NumberFormat | None:
        """How numbers are written, if anything was said about it."""
        if self.decimal is None and self.thousands is None:
            return None
        return NumberFormat(self.decimal or ("," if self.thousands == "." else "."), self.thousands)

    @property
    def limit(self) -> int:
        """The number of bytes that the content may take."""
        return bytes_of(self.max_memory)


def bytes_of(amount: int | str | None) -> int:
    """An amount of memory in bytes; None is what the machine and the container allow."""
    if amount is None:
        try:
            machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):  # not a Unix system
            return _USUAL_MEMORY
        return min([machine, *_container_limits()])
    found = _AMOUNT.fullmatch(str(amount).strip())
    if found is None:
        raise ValueError(
            f"`max_memory` is {amount!r}; give a number of bytes, or an amount such as 500M or 4G."
        )
    return int(float(found[1]) * _UNITS[found[2].upper()])


def _container_limits() -> Iterator[int]:
    """What Linux allows the control groups of this process, and those around them."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:  # not a Linux system
        return
    for line in lines:
        _, controllers, own = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, name = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        if not controllers:  # version 2
            root, name = ("/sys/fs/cgroup", "memory.max")
        place = PurePosixPath(own)
        for folder in (place, *place.parents):
            with suppress(OSError, ValueError):  # not mounted here, or "max"
                yield int(Path(f"{root}/{folder}/{name}").read_text())


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
_ZIP = b"PK\x03\x04"


class Source:
    """A file with its kind, opened and decompressed as far as needed; "-" is standard input.

    Its ``suffix`` is the kind of the content: the last one in lower case, without that of a
    compression, or what a binary file without a known one begins with. Its ``path`` is None unless
    the content lies on disk as it is, and ``limit`` the number of bytes it may take.
    """

    def __init__(self, path: str | PathLike[str], limit: int) -> None:
        self.limit = limit
        self.name = str(path)
        self.path: Path | None = None
        self._data: bytes | None = None
        place = Path(path)
        if self.name == STANDARD_INPUT:
            self.name = "standard input"
            with reading(self.name, "readable"):
                self._data = self._all_of(sys.stdin.buffer)
            place, head = Path(), self._data[:512]
        else:
            if not place.exists():
                raise FileNotFoundError(f"There is no file {str(path)!r}; check the path.")
            if place.is_dir():
                raise UnreadableError(f"{path} is a directory; give a file.")
            mode = place.stat().st_mode
            if stat.S_ISFIFO(mode):
                with reading(self.name, "readable"):
                    self._data = self._all_of_pipe(place)
                head = self._data[:512]
            elif not stat.S_ISREG(mode):
                raise UnreadableError(f"{path} is a device and has no end; give a file.")
            else:
                self.path = place
                with reading(self.name, "readable"), place.open("rb") as file:
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

    def _unpack(self, head: bytes) -> None:
        """Replace a compressed content by what is in it."""
        content = None
        if head.startswith(_ZIP):
            with reading(self.name, ".zip"), self.open() as packed:
                content = self._from_zip(packed)
        for suffix, (magic, opener) in COMPRESSED.items():
            if head.startswith(magic):
                with reading(self.name, suffix), self.open() as packed, opener(packed) as file:
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
                    f"{self.name} holds {len(members)} files ({some_of(names)}); give an archive "
                    "of one file."
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
        with reading(self.name, "readable"), self.open() as file:
            check_size(file.seek(0, 2), self.limit, self.name)
            file.seek(0)
            return file.read()

    def text(self, encoding: str | None) -> bytes:
        """The content as UTF-8 text without a byte order mark; lines end in a line feed."""
        data = self.content()
        encoding = encoding or _encoding_of(data)
        if encoding is None:
            data = data.removeprefix(codecs.BOM_UTF8)
            _check_utf8(data, self.name)
        else:
            try:
                data = data.decode(encoding).removeprefix("\ufeff").encode()
            except LookupError:
                raise UnreadableError(
                    f"`encoding` is {encoding!r}, which Python does not know; give one "
                    "such as latin-1, cp1252 or utf-16."
                ) from None
            except UnicodeError as error:
                reason = getattr(error, "reason", error)
                raise UnreadableError(
                    f"{self.name} is not text in the encoding {encoding} ({reason}); give another "
                    "with `encoding`."
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


def _encoding_of(data: bytes) -> str | None:
    """The encoding that a byte order mark, or a zero in every other byte, gives away."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    head = data[:512]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros = head[start::2]
        if len(zeros) > 3 and zeros.count(0) > 0.9 * len(zeros) and 0 not in head[1 - start :: 2]:
            return encoding
    return None


def _check_utf8(data: bytes, name: str) -> None:
    if data.isascii():
        return
    for number, line in enumerate(BytesIO(data), start=1):  # without a copy of all as text
        try:
            line.decode()
        except UnicodeDecodeError as error:
            raise UnreadableError(
                f"{name} is not UTF-8 text: byte 0x{line[error.start]:02x} in line {number}; say "
                "how it is written with `encoding`, such as latin-1."
            ) from None
