"""Which column of a new table is which feature of a panel: by name, never by a similar one."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from s2fs._utils.messages import join_words

#: Accession numbers with their version, as in ENSG00000141510.12 and NM_000546.5.
_VERSIONED = re.compile(r"([A-Za-z]{1,10}_?\d{5,})(?:\.\d+)?")


class Match(NamedTuple):
    """A column that is a feature.

    Attributes
    ----------
    position : int
        The column.
    note : str
        What is to be said of it: nothing if both have the same name.
    """

    position: int
    note: str


def drop_version(name: str) -> str:
    """An accession number without its version; any other name as it is."""
    found = _VERSIONED.fullmatch(name)
    return found[1] if found else name


#: In what order names are compared, and what a match is said to differ in.
_WAYS: tuple[tuple[Callable[[str], str], str], ...] = (
    (str, ""),
    (str.casefold, "in case"),
    (drop_version, "in its version"),
    (lambda name: drop_version(name).casefold(), "in case and version"),
)


def match_names(
    wanted: Sequence[str],
    names: Sequence[str],
    source: str,
    repeated: Collection[str] = (),
) -> dict[str, Match]:
    """Find features among the columns of a table.

    Parameters
    ----------
    wanted : sequence of str
        The features.
    names : sequence of str
        The columns.
    source : str
        What messages call the table.
    repeated : collection of str
        Names that the file has more than once.

    Returns
    -------
    dict of str to Match
        Those that were found. Two columns that may be one feature are refused.
    """
    found: dict[str, Match] = {}
    taken: set[int] = set()
    for compare, what in _WAYS:
        columns: dict[str, list[int]] = defaultdict(list)
        for position, name in enumerate(names):
            if position not in taken:
                columns[compare(name)].append(position)
        for feature in (name for name in wanted if name not in found):
            positions = columns.get(compare(feature), [])
            if what and any(names[position] in wanted for position in positions):
                continue  # another feature of the panel
            if len(positions) > 1 or (positions and feature in repeated):
                called = join_words([repr(names[position]) for position in positions])
                if len(positions) == 1:
                    called = f"more than one column {feature!r}"
                raise ValueError(
                    f"{source} has {called}, which may all be the feature {feature!r} of the "
                    "panel; leave all but one of them out."
                )
            if positions:
                note = f"{feature} is taken from {names[positions[0]]} (differs {what})."
                found[feature] = Match(positions[0], note if what else "")
        taken = {match.position for match in found.values()}
    return found
