"""Download a dataset of the paper from its public source, check it and keep it in the cache."""

import csv
import hashlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs.bench._local import FOLDER_VARIABLE, cached_file, content_hash
from s2fs.bench._paper_data import DatasetInfo, dataset_info
from s2fs.datasets._arrays import read_mat

#: Where raw files of public GitHub repositories are served.
RAW_FILES = "https://raw.githubusercontent.com"


def fetch_dataset(name: str, *, force: bool = False, base_url: str = RAW_FILES) -> Path:
    """Download a dataset of the paper into the user's cache, unless it is there.

    The file is verified by its checksums before it is read, and its numbers after.

    Parameters
    ----------
    name : str
        One of ``REGISTRY``.
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
    source = info.source
    url = f"{base_url.rstrip('/')}/{source.repository}/{source.commit}/{source.path}"
    # In the cache's own folder, so that the finished file can be moved into place in one step.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{name}.") as folder:
        original = Path(folder) / Path(source.path).name
        _download(info, url, original)
        _verify(info, original, url)
        X, labels = _read(info, original)
        complete = Path(folder) / target.name
        _save(info, X, labels, complete)
        os.replace(complete, target)
    return target


def git_blob_hash(content: bytes) -> str:
    """The SHA-1 git names a file's content by."""
    header = f"blob {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def _download(info: DatasetInfo, url: str, path: Path) -> None:
    import pooch  # type: ignore[import-untyped]
    from requests import HTTPError, RequestException

    bar = _Bar(info.title) if sys.stderr.isatty() else False
    try:
        pooch.HTTPDownloader(progressbar=bar, timeout=30)(url, str(path), None)
    except (RequestException, OSError) as error:
        # The text of a connection error repeats the address and the whole chain of causes.
        known = isinstance(error, HTTPError)
        reason = str(error).partition(" for url")[0] if known else type(error).__name__
        raise OSError(
            f"{info.name} could not be downloaded from {url} ({reason}); check the network, or put "
            f"{info.name}.npz into the folder that {FOLDER_VARIABLE} names."
        ) from None


def _verify(info: DatasetInfo, path: Path, url: str) -> None:
    content = path.read_bytes()
    for kind, expected, found in (
        ("SHA-256", info.source.sha256, hashlib.sha256(content).hexdigest()),
        ("git blob", info.source.git_blob, git_blob_hash(content)),
    ):
        if expected not in (None, found):
            raise ValueError(
                f"{info.name} from {url} has the {kind} {found} instead of {expected}, so it is "
                "not the expected file; nothing was kept, try again later or use another base_url."
            )


def _read(info: DatasetInfo, path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """The matrix and the labels of a source file."""
    if path.suffix == ".mat":
        arrays = read_mat(path)
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


class _Bar:
    """What pooch expects of a progress bar, drawn by rich."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

        self._progress = Progress(
            "{task.description}",
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task(title, total=None)
        self._progress.start()
        self.total = 0

    def update(self, n: int) -> None:
        """Count n more bytes."""
        self._progress.update(self._task, advance=n, total=self.total or None)

    def reset(self) -> None:
        """Start from nothing, as pooch does before it shows the whole as done."""
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        """Stop drawing."""
        self._progress.stop()
