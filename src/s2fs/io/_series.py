"""Series, one sample a line: the format ``.ts`` of the UCR archive."""

from dataclasses import replace

from s2fs.io._delimited import Delimited
from s2fs.io._errors import UnreadableError
from s2fs.io._options import ReadOptions


def is_series(data: bytes) -> bool:
    """Whether a text declares itself a problem with series, and not an ARFF file."""
    head = data[: 1 << 16].lower()
    return b"\n@data" in head and b"@problemname" in head


def series_table(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """A table with a column for each point in time, called t0, t1, …, and one called class.

    Of several measurements each has its own columns, called d0_t0, d0_t1, …, d1_t0, ….
    """
    text = data.decode()
    start = text.lower().index("\n@data") + 1
    rows = [line.strip() for line in text[start:].split("\n")[1:] if line.strip()]
    samples = [row.split(":") for row in rows]
    n_parts = {len(parts) for parts in samples}
    if len(n_parts) != 1 or n_parts == {1} or "(" in text[start:]:
        raise UnreadableError(
            f"{source} has series with times of their own, or none with a class; write a table "
            "with one row per sample and one column per feature.",
            reason="foreign format",
        )
    lengths = {series.count(",") + 1 for parts in samples for series in parts[:-1]}
    if len(lengths) != 1:
        raise UnreadableError(
            f"{source} has series of different lengths; bring them to one length first.",
            reason="foreign format",
        )
    times = [f"t{i}" for i in range(lengths.pop())]
    n_series = n_parts.pop() - 1
    names = times if n_series == 1 else [f"d{d}_{t}" for d in range(n_series) for t in times]
    lines = [",".join([*names, "class"]), *(",".join(parts) for parts in samples)]
    plain = replace(options, delimiter=",", header=True)
    return Delimited("\n".join(lines).encode(), source, ".csv", plain, declared={"class": "class"})
