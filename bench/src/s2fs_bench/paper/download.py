"""Download a dataset of the paper from its public source, check it and keep it in the cache."""

import csv
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pooch
from numpy.typing import NDArray
from scipy.io import loadmat

from s2fs_bench.paper.datasets import (
    FOLDER_VARIABLE,
    DatasetInfo,
    cached_file,
    content_hash,
    dataset_info,
)

#: Where raw files of public GitHub repositories are served.
RAW_FILES = "https://raw.githubusercontent.com"


def fetch_dataset(name: str, *, force: bool = False, base_url: str = RAW_FILES) -> Path:
    """Download a dataset of the paper into the user's cache, unless it is there.

    The file is verified by its checksums before it is read, and its numbers after.

    Parameters
    ----------
    name : str
        One of ``PAPER_DATASETS``.
    force : bool, default=False
        Download again even if the dataset is in the cache.
    base_url : str, default="https://raw.githubusercontent.com"
        A server, or a mirror of it, with files at ``<repository>/<commit>/<path>``.

    Returns
    -------
    Path
        The ``.npz`` file, which :func:`load_dataset` finds from now on.

    Raises
    ------
    OSError
        If the file cannot be downloaded.
    ValueError
        If what comes is not the expected file.
    """
    info = dataset_info(name)
    target = cached_file(name)
    if target.is_file() and not force:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # In the cache's own folder, so that the finished file can be moved into place in one step.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{name}.") as folder:
        original = _download(info, base_url.rstrip("/"), folder)
        complete = Path(folder) / target.name
        _save(info, *_read(info, original), complete)
        os.replace(complete, target)
    return target


def git_blob_hash(content: bytes) -> str:
    """The SHA-1 git names a file's content by."""
    header = f"blob {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def _download(info: DatasetInfo, base_url: str, folder: str) -> Path:
    """Download the source file of a dataset, checked by its SHA-256 or else by its git blob."""
    source = info.source
    name = f"{source.repository}/{source.commit}/{source.path}"
    files = pooch.create(path=folder, base_url=f"{base_url}/", registry={name: source.sha256})
    try:
        path = Path(files.fetch(name, downloader=pooch.HTTPDownloader(timeout=30)))
    except OSError as error:
        # The text of a connection error repeats the address and the whole chain of causes.
        answered = getattr(error, "response", None) is not None
        reason = str(error).partition(" for url")[0] if answered else type(error).__name__
        raise OSError(
            f"{info.name} could not be downloaded from {base_url}/{name} ({reason}); check the "
            f"network, or put {info.name}.npz into the folder that {FOLDER_VARIABLE} names."
        ) from None
    found = git_blob_hash(path.read_bytes())
    if found != source.git_blob:
        raise ValueError(
            f"{info.name} from {base_url}/{name} has the git blob {found} instead of "
            f"{source.git_blob}, so it is not the expected file; nothing was kept, try again later "
            "or use another base_url."
        )
    return path


def _read(info: DatasetInfo, path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """The matrix and the labels of a source file."""
    if path.suffix == ".mat":
        arrays = loadmat(path)
        return arrays["X"], arrays["Y"].ravel().astype(np.int64)
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    # Some of these files have a header, and of one only the description was at hand: what marks
    # the labels is that they are the numbers of the classes.
    table = np.array(rows[-info.n_samples :], dtype=np.float64)
    codes = np.arange(1, len(info.class_names) + 1)
    last = np.array_equal(np.unique(table[:, -1]), codes)
    label = -1 if last else 0
    return np.delete(table, label, axis=1), table[:, label].astype(np.int64)


def _save(info: DatasetInfo, X: NDArray[Any], labels: NDArray[Any], path: Path) -> None:
    """Write the arrays, if they are what the registry says."""
    source_labels, y = np.unique(labels, return_inverse=True)
    if X.shape != (info.n_samples, info.n_features) or len(y) != len(X):
        raise ValueError(
            f"{info.name} came as {X.shape[0]} × {X.shape[1]} numbers with {len(y)} labels instead "
            f"of {info.n_samples} × {info.n_features}; please report this."
        )
    if len(source_labels) != len(info.class_names) or (
        info.content not in (None, content_hash(X, y))
    ):
        raise ValueError(
            f"{info.name} was downloaded but its numbers are not the expected ones; please report "
            "this."
        )
    picture = (
        {"image_shape": np.array(info.image_shape), "image_order": np.array(info.image_order)}
        if info.image_shape
        else {}
    )
    np.savez_compressed(
        path,
        X=X,
        y=y.astype(np.int16),
        classes=np.array(info.class_names),
        source_labels=source_labels,
        **picture,  # type: ignore[arg-type]
    )
