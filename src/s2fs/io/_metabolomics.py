"""Tables of measured metabolites: the text format of the Metabolomics Workbench (mwTab)."""

import csv
import re
from dataclasses import replace

from s2fs.io._delimited import Delimited
from s2fs.io._errors import UnreadableError
from s2fs.io._options import ReadOptions

_BEGIN = re.compile(rb"^(\w+)_DATA_START\n", re.MULTILINE)
_FACTOR = re.compile(r"\s*([^:|]+?)\s*:\s*([^|]*?)\s*(?:\||$)")


def is_mwtab(data: bytes) -> bool:
    """Whether a text is in the format of the Metabolomics Workbench."""
    return data.startswith(b"#METABOLOMICS WORKBENCH") and _BEGIN.search(data) is not None


def mwtab(data: bytes, source: str, options: ReadOptions) -> Delimited:
    """Metabolites in rows, below the names of the samples and the factors of the study."""
    begin = _BEGIN.search(data)
    if begin is None:
        raise UnreadableError(f"{source} holds no table of measured values.", reason="damaged")
    end = data.find(begin[1] + b"_DATA_END", begin.end())
    if end < 0:
        raise UnreadableError(
            f"{source} ends before {begin[1].decode()}_DATA_END; download it again.",
            reason="damaged",
        )
    lines = data[begin.end() : end].split(b"\n")
    annotation: dict[str, list[str]] = {}
    if len(lines) > 1 and lines[1].startswith(b"Factors"):
        cells = next(csv.reader([lines.pop(1).decode()], delimiter="\t"))[1:]
        for i, cell in enumerate(cells):
            for name, value in _FACTOR.findall(cell):
                annotation.setdefault(name, [""] * len(cells))[i] = value
    plain = replace(options, delimiter="\t", header=True, transpose=True)
    return Delimited(b"\n".join(lines), source, ".tsv", plain, annotation=annotation)
