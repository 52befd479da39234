"""Tables of Orange: a header of three lines, with names, types and roles of the columns."""

import re
from dataclasses import replace

from s2fs.io._delimited import Delimited
from s2fs.io._options import ReadOptions
from s2fs.io._remarks import warn_reader

#: What the second line may say of a column, beside a list of its values.
_TYPES = {
    *("c", "continuous", "n", "numeric", "d", "discrete", "categorical", "s", "string", "text"),
    *("t", "time", "b", "basket", ""),
}
#: What the third line may say, beside attributes such as ``a=b``.
_ROLES = {"class", "c", "meta", "m", "ignore", "i", "weight", "w", ""}


def is_orange(data: bytes) -> bool:
    """Whether the second and third line of a text say what its columns are."""
    lines = data[: 1 << 20].split(b"\n", 3)
    if len(lines) < 4 or b"\t" not in lines[0]:
        return False
    _, types, roles = (line.decode(errors="replace").split("\t") for line in lines[:3])
    if len(types) < 2 or len(types) != len(lines[0].split(b"\t")) or len(roles) > len(types):
        return False
    has_types = all(cell.strip() in _TYPES or " " in cell.strip() for cell in types)
    has_roles = all(cell.strip() in _ROLES or re.search(r"\w=", cell) for cell in roles)
    return has_types and has_roles and any(cell.strip() in _TYPES - {""} for cell in types)


def orange_table(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """The table without its second and third line."""
    header, _, _, rest = data.split(b"\n", 3)
    warn_reader(
        f"{source} says in its second and third line what its columns are, as files of Orange do; "
        "these lines are left out.",
        "Orange header",
    )
    plain = replace(options, delimiter="\t", header=True)
    return Delimited(header + b"\n" + rest, source, ".tsv", plain)
