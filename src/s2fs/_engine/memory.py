"""States that can be remembered and gone back to."""

from copy import copy
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

#: What is remembered of a subset, by name.
Memory = dict[str, NDArray[Any]]


class Remembering:
    """A state of which some attributes grow with the subset, and the others never change."""

    _growing: ClassVar[tuple[str, ...]]

    def memory(self) -> Memory:
        """What to remember of the subset."""
        return {name: getattr(self, name).copy() for name in self._growing}

    def at(self, memory: Memory) -> Self:
        """The state of the subset that is remembered; the memory is its own from now on."""
        twin = copy(self)
        vars(twin).update(memory)
        return twin

    def copy(self) -> Self:
        """An independent state of the same subset, on the same data."""
        return self.at(self.memory())
