"""Loops in which the processor takes several numbers at a time.

Compilers only take a minimum several numbers at a time if told that no NaN is among them, and
numba does not say so of its ``min``, hence this function. Only compiled code can call it.
"""

from typing import Any

from numba.extending import intrinsic
from numpy.typing import NDArray

Array = NDArray[Any]

_NO_NAN = ("nnan", "nsz")


def _choice(comparison: str) -> Any:
    def typed(context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = builder.fcmp_ordered(comparison, *args, flags=_NO_NAN)
            return builder.select(first, *args, flags=_NO_NAN)

        return a(a, a), generate

    return intrinsic(typed)


#: The smaller of two numbers of the same type, neither of them NaN.
smaller = _choice("<")
