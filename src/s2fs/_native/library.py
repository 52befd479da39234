"""The native library: which build of it this processor can run, and how it is loaded.

It is built once for every instruction set, or by ``make`` on a clone for that of the machine alone.
Nothing is looked for before :func:`load` is called; where it returns None, NumPy does the work.
"""

import ctypes
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from s2fs._utils.warn import warn_user

#: Builds of the library, from the plainest to the one for the widest registers; the position is
#: what ``s2fs_instruction_set`` counts in.
INSTRUCTION_SETS = ("baseline", "avx2", "avx512")
#: The environment variable that names the engine; without it the fastest is used.
VARIABLE = "S2FS_ENGINE"
#: Version of the border, see src/border.h.
ABI = 1

_FOLDER = Path(__file__).parent
_SUFFIX = ".dll" if sys.platform == "win32" else ".so"


class EngineWarning(UserWarning):
    """The native library is missing, and NumPy does its work."""


def engine() -> str:
    """The engine in use: "numpy", or the instruction set of the native library.

    Examples
    --------
    >>> from s2fs._native.library import engine
    >>> engine() in ("numpy", "baseline", "avx2", "avx512")
    True
    """
    return _choose_here(os.environ.get(VARIABLE, ""))


@cache
def load() -> ctypes.CDLL | None:
    """The native library for this processor, or None where NumPy does its work; chosen once.

    Raises
    ------
    ValueError
        If the variable S2FS_ENGINE names no engine, or one that cannot run here.
    ImportError
        If the library was built from other sources than this installation.

    Warns
    -----
    EngineWarning
        Once, if there is no library and S2FS_ENGINE does not ask for NumPy.
    """
    instruction_set = engine()
    if instruction_set == "numpy":
        if os.environ.get(VARIABLE) != "numpy":
            _warn_of_numpy()
        return None
    return open_library(instruction_set)


def choose(requested: str, built: Sequence[str], widest: int) -> str:
    """Which engine to use.

    Parameters
    ----------
    requested : str
        Its name, or "" for the fastest.
    built : sequence of str
        The instruction sets that there are libraries for.
    widest : int
        Position in INSTRUCTION_SETS of the widest that this processor has.
    """
    if requested and requested not in ("numpy", *INSTRUCTION_SETS):
        names = ", ".join(("numpy", *INSTRUCTION_SETS))
        raise ValueError(f"{VARIABLE} is {requested!r}; give one of {names}, or leave it out.")
    can_run = [name for name in built if INSTRUCTION_SETS.index(name) <= widest]
    if not requested:
        return can_run[-1] if can_run else "numpy"
    if requested != "numpy" and requested not in built:
        raise ValueError(
            f"{VARIABLE} is {requested!r}, but this installation has no such library (it has "
            f"{', '.join(built) or 'none'})."
        )
    if requested != "numpy" and requested not in can_run:
        raise ValueError(
            f"{VARIABLE} is {requested!r}, but this processor does not have these instructions; "
            f"it can run {', '.join(can_run) or 'none of this installation'}."
        )
    return requested


@cache
def open_library(instruction_set: str) -> ctypes.CDLL:
    """One build of the library; raises ImportError if it has another version of the border."""
    library = ctypes.CDLL(str(library_path(instruction_set)))
    check_abi(library)
    library.s2fs_last_message.restype = ctypes.c_char_p
    return library


def check_abi(library: ctypes.CDLL) -> None:
    """Raise ImportError unless a library has the version of the border that is declared here."""
    version = library.s2fs_abi() if hasattr(library, "s2fs_abi") else None
    if version != ABI:
        raise ImportError(
            f"the native library of s2fs has version {version} of its interface and the modules "
            f"have {ABI}; install s2fs again."
        )


def library_path(instruction_set: str) -> Path:
    """Where a build of the library is."""
    return _FOLDER / f"libs2fs_engine_{instruction_set}{_SUFFIX}"


@cache
def _choose_here(requested: str) -> str:
    built = [name for name in INSTRUCTION_SETS if library_path(name).exists()]
    # Any of them can be asked: this part is compiled for every processor of the architecture.
    widest = open_library(built[0]).s2fs_instruction_set() if built else -1
    return choose(requested, built, widest)


@cache
def _warn_of_numpy() -> None:
    warn_user(
        "s2fs was installed without its native library and computes with NumPy: the same results, "
        "but slower. Install a C++ compiler (GCC or Clang), then s2fs again with pip's options "
        f"--force-reinstall --no-deps --no-cache-dir. {VARIABLE}=numpy in the environment accepts "
        "NumPy and ends this message.",
        EngineWarning,
    )
