"""Series of one kind of measurement, one a line: the format ``.ts`` of the UCR archive."""

from dataclasses import replace

from s2fs.io._delimited import Delimited
from s2fs.io._errors import UnreadableError
from s2fs.io._options import ReadOptions


def is_series(data: bytes) -> bool:
    """Whether a text declares itself a problem with series, and not an ARFF file."""
    head = data[: 1 << 16].lower()
    return b"\n@data" in head and b"@problemname" in head


def series_table(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """A table with a column for each point in time, called t0, t1, …, and one called class."""
    text = data.decode()
    start = text.lower().index("\n@data") + 1
    rows = [line.strip() for line in text[start:].split("\n")[1:] if line.strip()]
    series = [row.split(":") for row in rows]
    if any(len(parts) != 2 for parts in series):
        raise UnreadableError(
            f"{source} has series of several measurements, or none with a class; write a table "
            "with one row per sample and one column per feature.",
            reason="foreign format",
        )
    lengths = {parts[0].count(",") for parts in series}
    if len(lengths) != 1:
        raise UnreadableError(
            f"{source} has series of different lengths; bring them to one length first.",
            reason="foreign format",
        )
    names = [f"t{i}" for i in range(lengths.pop() + 1)]
    lines = [",".join([*names, "class"]), *(",".join(parts) for parts in series)]
    plain = replace(options, delimiter=",", header=True)
    return Delimited("\n".join(lines).encode(), source, ".csv", plain)
