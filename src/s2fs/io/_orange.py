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
#: What the third line may say, beside attributes such as ``a=b``, and what that means.
_ROLES = {
    **{"class": "class", "c": "class", "meta": "meta", "m": "meta"},
    **{"ignore": "ignore", "i": "ignore", "weight": "weight", "w": "weight", "": ""},
}
_WHOLE_WORDS = {"class", "meta", "ignore", "weight"}


def is_orange(data: bytes) -> bool:
    """Whether the second and third line of a text say what its columns are."""
    return any(_has_three_lines(data, delimiter) for delimiter in "\t,")


def _has_three_lines(data: bytes, delimiter: str) -> bool:
    lines = _first_lines(data)
    if len(lines) < 4:
        return False
    names, types, roles = (_split(line, delimiter) for line in lines[:3])
    if len(types) < 2 or len(types) != len(names) or len(roles) > len(types):
        return False
    has_types = all(cell in _TYPES or " " in cell for cell in types)
    has_roles = all(cell in _ROLES or re.search(r"\w=", cell) for cell in roles)
    # Letters between commas may be data; words for roles are not.
    is_sure = delimiter == "\t" or any(cell in _WHOLE_WORDS for cell in roles)
    return has_types and has_roles and is_sure and any(cell in _TYPES - {""} for cell in types)


def _split(line: str, delimiter: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(delimiter)]


def _first_lines(data: bytes) -> list[str]:
    """The three lines of the header, and the rest of the beginning as one."""
    return [line.decode(errors="replace") for line in data[: 1 << 20].split(b"\n", 3)]


def orange_table(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """The table without its second and third line, which say what the columns are for."""
    header, _, roles, rest = data.split(b"\n", 3)
    delimiter = "\t" if _has_three_lines(data, "\t") else ","
    warn_reader(
        f"{source} says in its second and third line what its columns are, as files of Orange do; "
        "these lines are left out.",
        kind="Orange header",
    )
    names = _split(header.decode(), delimiter)
    words = [cell.split() for cell in _split(roles.decode(), delimiter)]
    declared = {
        name: role
        for name, word in zip(names, words, strict=False)
        if word and (role := _ROLES.get(word[0]))
    }
    plain = replace(options, delimiter=delimiter, header=True)
    return Delimited(header + b"\n" + rest, source, ".tsv", plain, declared=declared)
