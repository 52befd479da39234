"""The native library: which build of it to load, and how arrays are handed to it.

Nothing is looked for before :func:`load` is called. Wrappers declare the functions they call and
fall back on NumPy where :func:`load` returns None.
"""

import ctypes
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

#: Builds of the library, from the plainest to the one for the widest registers; the position is
#: what ``s2fs_instruction_set`` of the native library counts in.
INSTRUCTION_SETS = ("baseline", "avx2", "avx512")
#: Names the engine to use; without it the fastest that this processor can run is taken.
VARIABLE = "S2FS_ENGINE"
#: Terms that one call may take: Python hears Ctrl-C between calls only, and this is a few
#: hundredths of a second.
TERMS_PER_CALL = 1 << 23

_FOLDER = Path(__file__).parent
_SUFFIX = ".dll" if sys.platform == "win32" else ".so"


class EngineWarning(UserWarning):
    """The native library is missing, and NumPy does its work."""


def engine() -> str:
    """The engine in use: "numpy", or the instruction set of the native library.

    Examples
    --------
    >>> from s2fs._engine.library import engine
    >>> engine() in ("numpy", "baseline", "avx2", "avx512")
    True
    """
    return _chosen(os.environ.get(VARIABLE, ""))


@cache
def load() -> ctypes.CDLL | None:
    """The native library for this processor, or None where NumPy does its work; chosen once.

    Raises
    ------
    ValueError
        If the variable S2FS_ENGINE names no engine, or one that cannot run here.

    Warns
    -----
    EngineWarning
        Once, if there is no library and S2FS_ENGINE does not ask for NumPy.
    """
    name = engine()
    if name == "numpy":
        if os.environ.get(VARIABLE) != "numpy":
            _tell()
        return None
    return _opened(name)


def address(array: NDArray[np.generic], dtype: DTypeLike) -> int:
    """Where the numbers of an array begin, for a pointer in a struct of the native library.

    The array must stay alive until the call is over.
    """
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(
            f"the native library wants a contiguous array of {np.dtype(dtype)}, "
            f"not one of {array.dtype} with strides {array.strides}."
        )
    return array.ctypes.data


def slices(count: int, terms: int) -> Iterator[tuple[int, int]]:
    """Cut a loop over ``count`` items of ``terms`` terms each into calls, see TERMS_PER_CALL.

    Examples
    --------
    >>> from s2fs._engine.library import slices
    >>> list(slices(5, 1 << 22))
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, TERMS_PER_CALL // max(1, terms))
    for start in range(0, count, step):
        yield start, min(start + step, count)


def choose(asked: str, there: Sequence[str], widest: int) -> str:
    """Which engine to use.

    Parameters
    ----------
    asked : str
        Its name, or "" for the fastest.
    there : sequence of str
        The instruction sets that a library was built for.
    widest : int
        Position in INSTRUCTION_SETS of the widest that this processor has.
    """
    if asked and asked not in ("numpy", *INSTRUCTION_SETS):
        names = ", ".join(("numpy", *INSTRUCTION_SETS))
        raise ValueError(f"{VARIABLE} is {asked!r}; give one of {names}, or leave it out.")
    able = [name for name in there if INSTRUCTION_SETS.index(name) <= widest]
    if not asked:
        return able[-1] if able else "numpy"
    if asked != "numpy" and asked not in there:
        raise ValueError(
            f"{VARIABLE} is {asked!r}, but this installation has no such library (it has "
            f"{', '.join(there) or 'none'})."
        )
    if asked != "numpy" and asked not in able:
        raise ValueError(
            f"{VARIABLE} is {asked!r}, but this processor does not have these instructions; "
            f"it can run {', '.join(able)}."
        )
    return asked


@cache
def _chosen(asked: str) -> str:
    there = [name for name in INSTRUCTION_SETS if _path(name).exists()]
    widest = _opened("baseline").s2fs_instruction_set() if "baseline" in there else -1
    return choose(asked, there, widest)


@cache
def _opened(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(str(_path(name)))


def _path(name: str) -> Path:
    return _FOLDER / f"libs2fs_{name}{_SUFFIX}"


@cache
def _tell() -> None:
    warnings.warn(
        "s2fs was installed without its native library and computes with NumPy: the same results, "
        "but slower. Install a C++ compiler (GCC or Clang), then s2fs again with pip's options "
        f"--force-reinstall --no-deps --no-cache-dir. {VARIABLE}=numpy in the environment accepts "
        "NumPy and ends this message.",
        EngineWarning,
        stacklevel=2,
    )
