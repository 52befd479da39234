"""Files of other programs that are not read: what they are, and how to make a table of them."""

import re
from pathlib import Path

from s2fs.io._errors import UnreadableError

#: What pandas can read, by the end of the name of its function; SPSS files need pyreadstat too.
_SPSS, _STATA, _SAS = (
    'convert it with python -c "import pandas; '
    f"pandas.read_{kind}({{name!r}}).to_csv('table.csv', index=False)\""
    for kind in ("spss", "stata", "sas")
)
#: How such a file begins, its suffixes, what it is, and what makes a table of it.
_FOREIGN: list[tuple[bytes, tuple[str, ...], str, str]] = [
    (
        rb"[XB]\n\x00\x00\x00[\x02\x03]|A\n[23]\n",
        (".rds",),
        "an R object",
        "write it in R with write.csv(readRDS({name!r}), 'table.csv', row.names = FALSE)",
    ),
    (
        rb"RD[XA][23]\n",
        (".rda", ".rdata"),
        "a file of R objects",
        "write the one you mean in R with load({name!r}) and write.csv(…, 'table.csv')",
    ),
    (
        rb"SQLite format 3\x00",
        (".sqlite", ".sqlite3"),
        "an SQLite database",
        "write a table of it with sqlite3 -header -csv {name} 'select * from …' > table.csv",
    ),
    (
        rb"(?s).{8}DUCK",
        (".duckdb",),
        "a DuckDB database",
        "give PairCover one of its tables, as s2fs.lazy.open_table('duckdb:{name}', 'TABLE')",
    ),
    (
        rb"(?s)\s*\{.{0,500}(Biological Observation Matrix|biom-format\.org)",
        (".biom",),
        "a BIOM file",
        "convert it with biom convert -i {name} -o table.tsv --to-tsv",
    ),
    (
        rb"%%MatrixMarket",
        (".mtx",),
        "a sparse matrix without names and classes",
        "put it together with these, as scanpy.read_10x_mtx does, and save an .h5ad file",
    ),
    (
        rb"\^(DATABASE|SERIES|PLATFORM|SAMPLE|DATASET)\b",
        (".soft",),
        "a GEO file in SOFT format",
        "download the series matrix (…_series_matrix.txt.gz) of the same series",
    ),
    (
        rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        (".xls",),
        "a workbook of Excel before 2007",
        "save it as .xlsx or .csv",
    ),
    (
        rb"\x80[\x02-\x05]",
        (".pkl", ".pickle", ".joblib"),
        "a pickle, refused because it can run code",
        "save the table as .csv or .parquet",
    ),
    (rb"\$FL[23]", (".sav",), "an SPSS file", _SPSS),
    (rb"<stata_dta>", (".dta",), "a Stata file", _STATA),
    (rb"HEADER RECORD\*{7}LIB", (".sas7bdat", ".xpt"), "a SAS file", _SAS),
    (rb"%PDF-", (".pdf",), "a PDF document", "copy the table into a spreadsheet, and save that"),
    (
        rb"\s*<(!doctype html|html)",
        (".html", ".htm"),
        "a web page and no table",
        "download the file itself",
    ),
]
#: What a sheet of LibreOffice is, and the way to a table.
ODS = (
    "a sheet of LibreOffice",
    "save it as .xlsx, or convert it with soffice --headless --convert-to csv {name}",
)

#: What a Zarr group is, and how Dask reads it for a selector.
_ZARR = (
    "a Zarr group",
    "select from its arrays X and y, with the extra dask and zarr installed, by python -c "
    '"import s2fs, dask.array as da; '
    "print(s2fs.PairCover(10).fit(da.from_zarr({name!r}, 'X'), da.from_zarr({name!r}, 'y'))"
    '.indices_)"',
)


def reject_foreign(head: bytes, suffix: str, name: str) -> None:
    """Raise if a file is one of another program, by how it begins or by its suffix.

    Parameters
    ----------
    head : bytes
        The beginning of the content, decompressed.
    suffix : str
        The suffix of the name in lower case, without that of a compression.
    name : str
        What messages call the file.
    """
    for begins, suffixes, what, way in _FOREIGN:
        if re.match(begins, head, re.IGNORECASE) or (suffix in suffixes and not _is_text(head)):
            raise_foreign(name, what, way)


def reject_zarr(folder: Path) -> None:
    """Raise if a folder is a Zarr group: Dask reads it, and selectors take what Dask reads."""
    marks = ("zarr.json", ".zgroup", ".zarray")
    if folder.suffix == ".zarr" or any((folder / mark).exists() for mark in marks):
        raise_foreign(str(folder), *_ZARR)


def is_json(head: bytes, suffix: str) -> bool:
    """Whether a file is JSON, by how it begins and by its suffix."""
    begins = re.match(rb"\s*[\[{]\s*[\[{\"\]}]", head)
    return begins is not None and suffix in (".json", ".jsonl", ".ndjson", "")


def raise_foreign(name: str, what: str, way: str) -> None:
    """Raise the sentence on a file that is not read."""
    raise UnreadableError(
        f"{name} is {what}, and not read here; {way.format(name=name)}.", reason="foreign format"
    )


def _is_text(head: bytes) -> bool:
    """Whether a file that is called like one of another program may still be a plain table."""
    return b"\0" not in head and b"\n" in head
