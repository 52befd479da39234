"""Long names made short, and still distinct."""

import math
from collections import Counter
from collections.abc import Sequence

from s2fs._utils.messages import truncate_middle

#: A shared beginning or end is left out if it has at least so many characters, and if at least
#: this share of the names has it.
_LEAST_SHARED, _MOST = 6, 0.8
#: Where a name may be parted.
_SEPARATORS = "_-.:/| ;,"


def shorten_names(names: Sequence[str], longest: int) -> dict[str, str]:
    """What to show for each name: distinct, and at most ``longest`` characters or so.

    What nearly all names begin or end with says nothing and is left out; what is still too long is
    cut in the middle. Names that are then equal get a number.
    """
    unique = list(dict.fromkeys(names))
    if all(len(name) <= longest for name in unique):
        return {name: truncate_middle(name, longest) for name in unique}
    start, end = _choose_ends(unique, longest)
    short = {name: truncate_middle(_leave_out(name, start, end), longest) for name in unique}
    counts = Counter(short.values())
    numbers: Counter[str] = Counter()
    for name, text in short.items():
        if counts[text] > 1:
            numbers[text] += 1
            short[name] = f"{truncate_middle(text, longest - 4)} #{numbers[text]}"
    return short


def _leave_out(name: str, start: str, end: str) -> str:
    """A name without a beginning and an end that others have, too, and … in their place."""
    has_start, has_end = name.startswith(start) and start, name.endswith(end) and end
    core = name[len(start) if has_start else 0 : len(name) - (len(end) if has_end else 0)]
    return f"{'…' if has_start else ''}{core}{'…' if has_end else ''}"


def _choose_ends(names: Sequence[str], longest: int) -> tuple[str, str]:
    """The beginning and the end that are left out: one of the two if that is enough."""
    if len(names) < 2:
        return "", ""
    start = _find_shared_start(names)
    end = _find_shared_start([name.removeprefix(start)[::-1] for name in names])[::-1]
    if any(not _leave_out(name, start, end).strip("…") for name in names):
        return "", ""  # nothing would be left of one of them
    for one, other in (("", end), (start, "")):
        changed = [text for name in names if (text := _leave_out(name, one, other)) != name]
        if changed and max(map(len, changed)) <= longest:
            return one, other
    return start, end


def _find_shared_start(names: Sequence[str]) -> str:
    """What most names begin with, whole words if any; nothing if it is too short to matter."""
    in_order = sorted(names)
    n_sharing = math.ceil(_MOST * len(names))
    # What the first and the last of a stretch share, all between them share.
    shared = [
        _shared_by_two(one, other)
        for one, other in zip(in_order, in_order[n_sharing - 1 :], strict=False)
    ]
    best = max(shared, key=len)
    for text in (_up_to_separator(best), best):
        if len(text) >= _LEAST_SHARED:
            return text
    return ""


def _shared_by_two(one: str, other: str) -> str:
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return one[:i]
    return min(one, other, key=len)


def _up_to_separator(text: str) -> str:
    """A shared end without the part of a word at which it happens to stop."""
    cuts = [i for i, character in enumerate(text) if character in _SEPARATORS]
    return text[: cuts[-1] + 1] if cuts else ""
