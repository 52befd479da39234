"""Damaged files of every format: read, or refused in one sentence, in little memory.

``make fuzz`` tries many more cases than the tests do; ``S2FS_FUZZ`` is their number.
"""

import csv
import gzip
import io
import os
import struct
import sys
import warnings
import zipfile

import anndata
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import sparse
from scipy.io import savemat

from s2fs.cli import main
from s2fs.io import read_table

#: How many cases there are in all; those that start a process of their own are fewer.
CASES = int(os.environ.get("S2FS_FUZZ", "600"))
LIMIT = "64M"
HUGE = (0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1)
RNG = np.random.default_rng(0)
Y = np.arange(24) % 3
X = np.round(RNG.normal(size=(24, 7)) + Y[:, None], 3)
FRAME = pd.DataFrame(X, columns=[f"g{f}" for f in range(7)]).assign(kind=np.array(list("uvw"))[Y])


def written(write):
    def content(path):
        write(path)
        data = path.read_bytes()
        path.unlink()
        return data

    return content


def h5ad(form):
    def write(path):
        obs = FRAME[["kind"]].astype("category").set_axis([f"c{i}" for i in range(24)])
        var = pd.DataFrame(index=[f"g{f}" for f in range(7)])
        anndata.AnnData(form(X * (X > 0)), obs, var).write_h5ad(path)

    return write


def gct(path):
    lines = ["#1.3", "7\t24\t1\t1", "\t".join(["id", "d", *(f"s{i}" for i in range(24))])]
    lines += ["\t".join(["kind", "na", *FRAME["kind"]])]
    path.write_text("\n".join([*lines, *("\t".join([f"g{f}", "x", *map(str, X[:, f])])
                                         for f in range(7))]))  # fmt: skip


def geo(path):
    lines = ["!Series_title\tt", "!Sample_characteristics_ch1\t" + "\t".join(
        f'"kind: {k}"' for k in FRAME["kind"]), "!series_matrix_table_begin"]  # fmt: skip
    lines += ["\t".join(["ID_REF", *(f"s{i}" for i in range(24))])]
    lines += ["\t".join([f"g{f}", *map(str, X[:, f])]) for f in range(7)]
    path.write_text("\n".join([*lines, "!series_matrix_table_end", ""]))


def arff(path):
    lines = ["@relation r", *(f"@attribute g{f} real" for f in range(7)),
             "@attribute kind {u,v,w}", "@data"]  # fmt: skip
    lines += [",".join(map(str, row)) for row in FRAME.to_numpy()]
    path.write_text("\n".join(lines))


def zipped(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", FRAME.to_csv(index=False))


LABELS = np.array(FRAME["kind"], dtype=object)
# Name of the file, what writes it, the target, and whether a process of its own reads it.
FORMATS = {
    "csv": ("t.csv", lambda p: FRAME.to_csv(p, index=False), "kind", False),
    "quoted": ("t.csv", lambda p: FRAME.to_csv(p, index=True, quoting=1), "kind", False),
    "turned": ("t.tsv", lambda p: FRAME.T.to_csv(p, sep="\t"), "kind", False),
    "gz": ("t.csv.gz", lambda p: FRAME.to_csv(p, index=False), "kind", False),
    "bz2": ("t.csv.bz2", lambda p: FRAME.to_csv(p, index=False), "kind", False),
    "xz": ("t.csv.xz", lambda p: FRAME.to_csv(p, index=False), "kind", False),
    "zip": ("t.zip", zipped, "kind", False),
    "arff": ("t.arff", arff, "kind", False),
    "gct": ("t.gct", gct, "kind", False),
    "geo": ("t.txt", geo, "kind", False),
    "xlsx": ("t.xlsx", lambda p: FRAME.to_excel(p, index=False), "kind", False),
    "parquet": ("t.parquet", FRAME.to_parquet, "kind", False),
    "feather": ("t.feather", FRAME.to_feather, "kind", True),
    "npy": ("t.npy", lambda p: np.save(p, np.column_stack([X, Y])), "-1", False),
    "npz": ("t.npz", lambda p: np.savez(p, X=X, y=Y), None, False),
    "npz, compressed": ("t.npz", lambda p: np.savez_compressed(p, X=X, y=Y), None, False),
    "mat": ("t.mat", lambda p: savemat(p, {"X": X, "Y": LABELS}), None, True),
    "mat, compressed": (
        "t.mat",
        lambda p: savemat(p, {"X": sparse.csc_matrix(X), "Y": Y}, do_compression=True),
        None,
        True,
    ),
    "h5ad": ("t.h5ad", h5ad(np.asarray), "kind", True),
    "h5ad, sparse": ("t.h5ad", h5ad(sparse.csr_matrix), "kind", True),
}


def damaged(data, rng):
    """The bytes with some flipped, cut off, repeated, or replaced by a large number."""
    data = bytearray(data)
    kind = rng.integers(4)
    if kind == 0:
        for _ in range(rng.integers(1, 6)):
            data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        del data[int(rng.integers(len(data))) :]
    elif kind == 2:
        number = HUGE[int(rng.integers(len(HUGE)))]
        form = "<I" if number < 1 << 32 else rng.choice(["<Q", ">Q"])
        at = int(rng.integers(max(1, len(data) - 8)))
        data[at : at + struct.calcsize(form)] = struct.pack(form, number)
    else:
        at, length = (int(n) for n in rng.integers(1, len(data), 2))
        data[at:at] = data[at // 2 : at // 2 + length % 64]
    return bytes(data)


def read(path, name):
    """Read the file, or return the one sentence that refuses it."""
    target = FORMATS[name][2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            data = read_table(path, target, transpose=name == "turned", max_memory=LIMIT)
        except (ValueError, FileNotFoundError) as error:
            return str(error)
    assert np.isfinite(data.X.sum()) or data.X.size
    assert len(data.X.toarray() if sparse.issparse(data.X) else data.X) == len(data.y)
    assert data.X.shape[1] == len(data.feature_names)
    return ""


def megabytes():
    """The most memory this process has had."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("name", FORMATS)
def test_damage_is_refused_in_one_sentence(tmp_path, name):
    file, write, _, alone = FORMATS[name]
    path = tmp_path / file
    whole = written(write)(path)
    path.write_bytes(whole)
    assert read(path, name) == ""
    before = megabytes() if sys.platform != "win32" else 0
    apart = [one for one in FORMATS.values() if one[3]]
    few = max(CASES // (20 * len(FORMATS)), 2)
    share = (CASES - few * len(apart)) // (len(FORMATS) - len(apart)) + 1
    rng = np.random.default_rng(list(name.encode()))
    for _ in range(few if alone else share):
        path.write_bytes(damaged(whole, rng))
        sentence = read(path, name)
        assert "\n" not in sentence
        assert sentence == "" or (sentence[-1] in ".?" and len(sentence) < 1000)
    if sys.platform != "win32":
        assert megabytes() - before < 400
    assert [entry.name for entry in tmp_path.iterdir()] == [file]


def npz_that_lies(path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**6)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", header.getvalue() + bytes(800))


def npy_in_npz(path):
    np.save(path.with_suffix(".npy"), X)
    path.with_suffix(".npy").rename(path)


def huge_sparse(path):
    savemat(path, {"X": sparse.csc_matrix((5 * 10**5, 10**4)), "Y": np.zeros(5 * 10**5)})


def bomb(path):
    path.write_bytes(gzip.compress(b"a,kind\n" + b"1,u\n" * (1 << 25)))


def changed_h5ad(change):
    def write(path):
        import h5py

        h5ad(sparse.csr_matrix)(path)
        with h5py.File(path, "r+") as file:
            change(file)

    return write


def beyond(file):
    file["X/indices"][3] = 99


def wider(file):
    file["X"].attrs["shape"] = [24, 70]


def vast(file):
    del file["X"]
    file.create_dataset("X", shape=(10**7, 10**6), chunks=(1000, 1000), dtype="f8")
    file["X"].attrs["encoding-type"] = "array"


LIES = {
    "numbers in npz": ("t.npz", npz_that_lies, None, "declares 10000000000000 numbers"),
    "npy in npz": ("t.npz", npy_in_npz, None, r"damaged, or not a \.npz"),
    "npz without rows": ("t.npz", lambda p: np.savez(p, X=X[:0], y=Y[:0]), None, "shape"),
    "sparse in mat": ("t.mat", huge_sparse, None, "asks for 37.3 GiB"),
    "decompressed": ("t.csv.gz", bomb, "kind", "max.memory"),
    "indices beyond": ("t.h5ad", changed_h5ad(beyond), "kind", "indices"),
    "wider than var": ("t.h5ad", changed_h5ad(wider), "kind", r"shape \(24, 70\)"),
    "numbers in h5ad": ("t.h5ad", changed_h5ad(vast), "kind", "max.memory"),
    "a long cell": (
        "t.csv",
        lambda p: p.write_text('a,kind\n1,"' + "x" * 200_000 + '"\n2,v\n'),
        "kind",
        "line 2",
    ),
}


@pytest.fixture(params=[1 << 17, 1 << 30])
def limit_of_csv(request):
    """The limit of the csv module is one for the process; SciPy's reader of .arff raises it."""
    before = csv.field_size_limit(request.param)
    yield
    csv.field_size_limit(before)


def test_a_long_cell_is_refused_whatever_others_allow(tmp_path, limit_of_csv):
    path = tmp_path / "t.csv"
    path.write_text('a,kind\n1,"' + "x" * 200_000 + '"\n2,v\n')
    with pytest.raises(ValueError, match="at line 2"):
        read_table(path, "kind")


@pytest.mark.parametrize("lie", LIES)
def test_what_a_file_declares_is_not_believed(tmp_path, lie):
    name, write, target, sentence = LIES[lie]
    path = tmp_path / name
    write(path)
    with pytest.raises(ValueError, match=sentence):
        read_table(path, target, max_memory=LIMIT)
    options = [] if target is None else ["-t", target]
    result = CliRunner().invoke(main, ["select", str(path), *options, "--max-memory", LIMIT])
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_a_crash_of_a_library_does_not_end_the_caller(tmp_path, monkeypatch):
    """The reader is killed as by a segmentation fault of the library."""
    (tmp_path / "h5py.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    path = tmp_path / "t.h5ad"
    h5ad(np.asarray)(path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match=r"made the library that reads \.h5ad files crash"):
        read_table(path, "kind")
