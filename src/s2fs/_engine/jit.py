"""How loops are compiled: once, and kept on disk wherever a folder can be written.

Importing this module loads numba, so modules that use it are imported on first use.
"""

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(*signatures: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that runs without the interpreter lock.

    With signatures it is compiled, and stored, at once and in their order: processes that start
    together then write the same files with the same contents. Without any it is compiled for the
    types of its first call.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        given = (list(signatures),) if signatures else ()
        try:
            return njit(*given, nogil=True, cache=True, **options)(function)
        except RuntimeError:  # no folder for the cache can be written
            return njit(*given, nogil=True, **options)(function)

    return decorate
