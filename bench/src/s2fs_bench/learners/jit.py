"""How the loops of the SVM and of the trees are compiled: once, and several numbers at a time.

Compilers only take a maximum several numbers at a time if told that no NaN is among them, and
numba does not say so of its ``max``, hence ``larger`` and ``smaller``. Only compiled code can call
them. Importing this module loads numba, so modules that use it are imported on first use.
"""

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import intrinsic
from numpy.typing import NDArray

Array = NDArray[Any]

_NO_NAN = ("nnan", "nsz")


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function without the interpreter lock, and keep it on disk if possible."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(nogil=True, cache=True, **options)(function)
        except RuntimeError:  # no folder for the cache can be written
            return njit(nogil=True, **options)(function)

    return decorate


def _choice(comparison: str) -> Any:
    def typed(context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = builder.fcmp_ordered(comparison, *args, flags=_NO_NAN)
            return builder.select(first, *args, flags=_NO_NAN)

        return a(a, a), generate

    return intrinsic(typed)


#: The larger and the smaller of two numbers of the same type, neither of them NaN.
larger, smaller = _choice(">"), _choice("<")
