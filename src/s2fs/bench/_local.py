"""Datasets of the paper on this machine: in a folder of the user's choice, or in the cache."""

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2fs.bench._paper_data import dataset_info
from s2fs.datasets._dataset import Dataset
from s2fs.datasets._readers import read_table

#: The environment variable that names a folder with files ``<name>.npz``.
FOLDER_VARIABLE = "S2FS_DATA"


def find_dataset(name: str) -> Path | None:
    """Find the file of a dataset, in the folder ``S2FS_DATA`` or else in the user's cache.

    Parameters
    ----------
    name : str
        One of ``REGISTRY``.

    Returns
    -------
    Path or None
        The file, or None if there is none.

    Examples
    --------
    >>> from s2fs.datasets import find_dataset
    >>> find_dataset("gliomas")
    Traceback (most recent call last):
    ...
    ValueError: name is 'gliomas', which is no known dataset (did you mean 'glioma'?); known are ...
    """
    info = dataset_info(name)
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder and (path := Path(folder) / f"{info.name}.npz").is_file():
        return path
    path = cached_file(info.name)
    return path if path.is_file() else None


def cached_file(name: str) -> Path:
    """Where a downloaded dataset is kept."""
    import pooch  # type: ignore[import-untyped]

    return Path(pooch.os_cache("s2fs")) / f"{name}.npz"


def load_dataset(name: str) -> Dataset:
    """Load one of the datasets of the paper; nothing is downloaded, see :func:`fetch_dataset`.

    Parameters
    ----------
    name : str
        One of ``REGISTRY``: "all_aml_3", "all_aml_4", "glioma", "isolet", "lung", "srbct",
        "warpar10p", "warppie10p", "orl" or "yale".

    Returns
    -------
    Dataset
        The instances and their classes; sets of pictures also say the shape of a picture.

    Raises
    ------
    FileNotFoundError
        If the dataset is neither in the folder ``S2FS_DATA`` nor in the user's cache.
    ValueError
        If the name is not known, or the file holds something else.
    """
    info = dataset_info(name)
    path = find_dataset(name)
    if path is None:
        folder = os.environ.get(FOLDER_VARIABLE)
        place = (
            f"the folder {FOLDER_VARIABLE} ({folder})" if folder else f"a folder {FOLDER_VARIABLE}"
        )
        raise FileNotFoundError(
            f"{name} is neither in {place} nor at {cached_file(name)}; download it with "
            f"'s2fs data fetch {name}', or let {FOLDER_VARIABLE} name a folder with {name}.npz."
        )
    data = read_table(path)
    found = (*data.X.shape, len(data.class_names))
    expected = (info.n_samples, info.n_features, len(info.class_names))
    if found != expected:
        raise ValueError(
            f"{path} holds {found[0]} × {found[1]} numbers in {found[2]} classes, but {name} has "
            f"{expected[0]} × {expected[1]} in {expected[2]}; remove the file and fetch it again."
        )
    data.image_shape, data.image_order = info.image_shape, info.image_order
    return data


def content_hash(X: NDArray[Any], y: NDArray[Any]) -> str:
    """SHA-256 of the numbers and the class codes, whatever type they are stored in."""
    numbers = np.ascontiguousarray(X, dtype="<f8").tobytes()
    return hashlib.sha256(numbers + np.asarray(y, dtype="<i8").tobytes()).hexdigest()
