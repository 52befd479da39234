"""The border to the native library: every function is declared once, every argument is checked.

A declaration lists the arguments of the C function in their order, with names and kinds::

    add_up = Function(
        "s2fs_add_up",
        values=Array(np.float64, "samples", "features"),
        samples=Length(),
        features=Length(),
        sums=Array(np.float64, "features", writable=True),
    )

    add_up(X, sums)

Lengths are those of the arrays: where two arrays have a length in common, it must be the same.
An array must have its data type, its shape, aligned numbers in C order, and be writable if it is
written. What C++ makes is held by a :class:`Handle`, which frees it with its last reference and
keeps what it reads alive. The kinds are compared with the signature that the library exports for
each function, so that two sides of different versions raise ImportError and never crash.
"""

import ctypes
import threading
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from s2fs._native.library import load
from s2fs._utils.messages import format_count

_LETTERS = {
    np.dtype(np.float64): "d",
    np.dtype(np.float32): "f",
    np.dtype(np.int64): "l",
    np.dtype(np.int32): "i",
    np.dtype(np.uint8): "b",
    np.dtype(np.bool_): "b",
}
#: The error codes of src/border.h.
_ERRORS: dict[int, type[Exception]] = {1: ValueError, 2: MemoryError, 3: RuntimeError}
_LARGEST_INT = 2**63


class Handle:
    """An object of the native library; it is freed with the last reference to it.

    Attributes
    ----------
    kind : str
        What it is, as in the name of the function that frees it, ``s2fs_<kind>_free``.
    lengths : dict
        The lengths of the arrays it was made of, by name.
    """

    def __init__(
        self,
        kind: str,
        pointer: int,
        free: Callable[[int], Any],
        lengths: dict[str, int],
        kept: list[Any],
    ) -> None:
        self.kind, self.lengths = kind, lengths
        self._pointer: int | None = pointer
        self._kept = kept  # arrays and handles that the object reads
        self.lock = threading.Lock()
        self._finalizer = weakref.finalize(self, free, pointer)

    @property
    def pointer(self) -> int:
        """Where it is; raises ValueError once it was freed."""
        if self._pointer is None:
            raise ValueError(f"the {self.kind} was freed; make a new one.")
        return self._pointer

    def free(self) -> None:
        """Free the object now; it must not be used any more."""
        with self.lock:
            self._pointer = None
            self._finalizer()
            self._kept = []

    def __reduce__(self) -> Any:
        raise TypeError(f"a {self.kind} of the native library cannot be pickled or copied.")


class Argument:
    """One argument of a C function. Subclasses say what it is."""

    #: As in src/border.h: two characters for the type.
    letters: str
    ctype: Any
    #: Whether the caller gives it, or the call makes it.
    is_given = True
    #: Whether the function changes the handle, so that one thread may use it at a time.
    changed = False
    #: Whether the new handle reads it later.
    kept = False

    def convert(self, value: Any, name: str, lengths: dict[str, int]) -> Any:
        """What ctypes is given; raises TypeError or ValueError if the value will not do."""
        raise TypeError(f"{name} follows from the other arguments; leave it out.")


class Int(Argument):
    """A whole number of 64 bits; arrays may have it as their length."""

    letters, ctype = " l", ctypes.c_int64

    def convert(self, value: Any, name: str, lengths: dict[str, int]) -> int:
        """As a Python integer."""
        if type(value) is not int and not isinstance(value, (int, np.integer, np.bool_)):
            raise TypeError(f"{name} must be an integer, not {type(value).__name__}.")
        number = int(value)
        if not -_LARGEST_INT <= number < _LARGEST_INT:
            raise ValueError(f"{name} is {number}, which has more than 64 bits.")
        return number


class Length(Argument):
    """The length of an array of this call or of a handle, by the name of the argument."""

    letters, ctype, is_given = " l", ctypes.c_int64, False


class Real(Argument):
    """A number in double precision."""

    letters, ctype = " d", ctypes.c_double

    def convert(self, value: Any, name: str, lengths: dict[str, int]) -> float:
        """As a Python float."""
        if not isinstance(value, (float, int, np.integer, np.floating)):
            raise TypeError(f"{name} must be a number, not {type(value).__name__}.")
        return float(value)


class Array(Argument):
    """A NumPy array in C order.

    Parameters
    ----------
    dtype : dtype
        Its data type.
    *shape : str or int
        Its lengths, by name or number.
    writable : bool, default=False
        Whether the function writes to it.
    kept : bool, default=False
        Whether the new handle reads it later, so that it must stay alive.
    optional : bool, default=False
        Whether it may be None, which C sees as a null pointer.
    """

    ctype = ctypes.c_void_p

    def __init__(
        self,
        dtype: DTypeLike,
        *shape: str | int,
        writable: bool = False,
        kept: bool = False,
        optional: bool = False,
    ) -> None:
        self.dtype, self.shape = np.dtype(dtype), shape
        self.writable, self.kept, self.optional = writable, kept, optional
        self.letters = ("!" if writable else "*") + _LETTERS[self.dtype]

    def convert(self, value: Any, name: str, lengths: dict[str, int]) -> int | None:
        """Where the numbers begin."""
        if value is None and self.optional:
            return None
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, not {type(value).__name__}.")
        if value.dtype != self.dtype:
            raise TypeError(f"{name} must hold {self.dtype}, not {value.dtype}.")
        self._check_shape(value, name, lengths)
        flags = value.flags
        if not (flags.carray if self.writable else flags.c_contiguous and flags.aligned):
            self._explain_flags(value, name)
        return value.ctypes.data

    def _explain_flags(self, value: NDArray[Any], name: str) -> NoReturn:
        if not value.flags.c_contiguous:
            raise ValueError(f"{name} must be in C order, but has strides {value.strides}.")
        if not value.flags.aligned:
            raise ValueError(f"{name} must be aligned in memory.")
        raise ValueError(f"{name} is read-only, but must be written to.")

    def _check_shape(self, value: NDArray[Any], name: str, lengths: dict[str, int]) -> None:
        if value.ndim != len(self.shape):
            raise ValueError(
                f"{name} must have {format_count(len(self.shape), 'dimension')}, not {value.ndim}."
            )
        for length, size in zip(self.shape, value.shape, strict=True):
            expected = lengths.setdefault(length, size) if isinstance(length, str) else length
            if size != expected:
                raise ValueError(
                    f"{name} has the shape {value.shape}, but {length} must be {expected}."
                )


class Buffer(Argument):
    """An array that the caller of :class:`Function` has checked, of any type and strides."""

    letters, ctype = "*v", ctypes.c_void_p
    kept = True

    def convert(self, value: Any, name: str, lengths: dict[str, int]) -> int:
        """Where the numbers begin."""
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, not {type(value).__name__}.")
        return value.ctypes.data


class Given(Argument):
    """A handle.

    Parameters
    ----------
    kind : str
        What it must be of.
    changed : bool, default=True
        Whether the function changes the object. If so, one thread may use it at a time.
    kept : bool, default=False
        Whether the new handle reads it later.
    optional : bool, default=False
        Whether it may be None.
    """

    ctype = ctypes.c_void_p

    def __init__(
        self, kind: str, *, changed: bool = True, kept: bool = False, optional: bool = False
    ) -> None:
        self.kind, self.changed, self.kept, self.optional = kind, changed, kept, optional
        self.letters = "!h" if changed else "*h"

    def convert(self, value: Any, name: str, lengths: dict[str, int]) -> int | None:
        """Where the object is."""
        if value is None and self.optional:
            return None
        if not isinstance(value, Handle) or value.kind != self.kind:
            found = value.kind if isinstance(value, Handle) else type(value).__name__
            raise TypeError(f"{name} must be a {self.kind}, not {found}.")
        for length, size in value.lengths.items():
            if lengths.setdefault(length, size) != size:
                raise ValueError(f"{name} has {size} {length}, but {lengths[length]} are expected.")
        return value.pointer


class New(Argument):
    """A handle that the function makes and the call returns; always the last argument."""

    letters, ctype, is_given = "Nh", ctypes.c_void_p, False

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Function:
    """A function of the native library.

    Parameters
    ----------
    name : str
        Its name in C.
    **arguments : Argument
        Its arguments, in their order.
    """

    def __init__(self, name: str, /, **arguments: Argument) -> None:
        self.name, self.arguments = name, arguments
        self._items = list(arguments.items())
        self._given = [
            (key, kind, isinstance(kind, Int)) for key, kind in self._items if kind.is_given
        ]
        #: Loaded with the first call.
        self._call: Callable[..., int] | None = None
        self._free: Callable[[int], Any] | None = None
        self._message: Callable[[], bytes] | None = None

    def __call__(self, *values: Any) -> Handle | None:
        """Check the arguments and call; returns the new handle, if the function makes one.

        Raises
        ------
        TypeError, ValueError
            If an argument will not do, or C++ finds it invalid.
        MemoryError, RuntimeError
            If C++ runs out of memory or fails.
        """
        call = self._call or self._load()
        if len(values) != len(self._given):
            raise TypeError(f"{self.name} takes {len(self._given)} arguments, not {len(values)}.")
        lengths: dict[str, int] = {}
        converted: dict[str, Any] = {}
        locked: list[Handle] = []
        kept: list[Any] = []
        for (key, kind, is_int), value in zip(self._given, values, strict=True):
            converted[key] = number = kind.convert(value, key, lengths)
            if is_int and lengths.setdefault(key, number) != number:
                raise ValueError(f"{key} is {number}, but the arrays have {lengths[key]}.")
            if kind.changed and value is not None:
                locked.append(value)
            if kind.kept:
                kept.append(value)
        made = ctypes.c_void_p()
        arguments = [
            converted[key] if kind.is_given else self._derive(key, kind, lengths, made)
            for key, kind in self._items
        ]
        self._run(call, arguments, locked)
        if not isinstance(self._items[-1][1], New):
            return None
        assert self._free is not None  # for mypy # nosec B101
        assert made.value is not None  # for mypy # nosec B101
        return Handle(self._items[-1][1].kind, made.value, self._free, lengths, kept)

    def _derive(self, key: str, kind: Argument, lengths: dict[str, int], made: Any) -> Any:
        if isinstance(kind, New):
            return ctypes.byref(made)
        if key not in lengths:
            raise ValueError(f"{self.name} cannot tell {key} from its arguments.")
        return lengths[key]

    def _run(self, call: Callable[..., int], arguments: list[Any], locked: list[Handle]) -> None:
        """Call, while no other thread uses the handles that change."""
        in_use: list[Handle] = []
        try:
            for handle in locked:
                if not handle.lock.acquire(blocking=False):
                    raise RuntimeError(f"the {handle.kind} is in use in another thread.")
                in_use.append(handle)
                handle.pointer  # noqa: B018 # raises if it was freed meanwhile
            code = call(*arguments)
        finally:
            for handle in in_use:
                handle.lock.release()
        if code:
            assert self._message is not None  # for mypy # nosec B101
            raise _ERRORS.get(code, RuntimeError)(self._message().decode("utf-8", "replace"))

    def _load(self) -> Callable[..., int]:
        library = load()
        if library is None:
            raise RuntimeError("there is no native library.")
        self._message = library.s2fs_last_message
        call = declare(library, self.name, [kind for _, kind in self._items])
        last = self._items[-1][1]
        if isinstance(last, New):
            self._free = declare(library, f"s2fs_{last.kind}_free", [Given(last.kind)])
        self._call = call
        return call


def declare(library: ctypes.CDLL, name: str, kinds: list[Argument]) -> Callable[..., int]:
    """A function of a library with its types, if the library has it with the same arguments."""
    try:
        function, signature = getattr(library, name), getattr(library, f"{name}_signature")
    except AttributeError:
        raise ImportError(
            f"the native library of s2fs has no function {name}; install s2fs again."
        ) from None
    signature.restype = ctypes.c_char_p
    letters = "".join(kind.letters for kind in kinds)
    if signature().decode() != letters:
        raise ImportError(
            f"{name} of the native library takes {signature().decode()!r}, not {letters!r}; "
            "install s2fs again."
        )
    function.argtypes = [
        ctypes.POINTER(ctypes.c_void_p) if isinstance(kind, New) else kind.ctype for kind in kinds
    ]
    function.restype = ctypes.c_int
    return function
