"""The datasets of the bench: what they are, where they come from, and where they are kept."""

import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pooch
from numpy.typing import NDArray

from s2fs._utils.messages import did_you_mean
from s2fs.datasets import load_srbct
from s2fs.io import Dataset, read_table

#: The environment variable that names a folder with files ``<name>.npz``.
FOLDER_VARIABLE = "S2FS_DATA"
#: The dataset that comes with the package: SRBCT on a log scale, so not the paper's numbers.
BUNDLED = "srbct_bundled"
#: The handwritten digits that come with scikit-learn.
DIGITS = "digits"
#: Tables of the plan "unseen", which must be in the folder ``S2FS_DATA``.
UNSEEN_TABLES = (
    "9_tumors", "basehock", "bittner", "brain_tumor1", "bredel", "cns", "colon", "madelon",
    "mll", "nci60", "pbmc", "risinger", "tomlins", "tox_171", "umist", "usps", "yeoh_v2",
    "chen", "christensen", "coffee", "diaplasma", "diverse16s", "gordon", "gravier", "koren",
    "laiho", "liver_tox", "mb_kostic", "mb_ravel", "mnist", "mtbls404", "mtbls90", "mtbls92",
    "nakayama", "pcmac", "primarycancers", "rad_arita2018", "rad_sasaki2019", "rad_song2020",
    "rad_worc_lipo", "sorlie", "st000369", "st001047", "stemcells", "su_2001", "tcga_breast",
    "ts_arrowhead", "ts_gunpoint", "ts_osuleaf", "vac18", "yan",
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A file at a fixed commit of a public repository on GitHub.

    ``git_blob`` is the SHA-1 that git gives the content, ``sha256`` its SHA-256, if known.
    """

    repository: str
    commit: str
    path: str
    git_blob: str
    sha256: str | None = None


@dataclass(frozen=True)
class DatasetInfo:
    """What is known about a dataset before it is loaded.

    Attributes
    ----------
    name : str
        The name it is loaded by.
    title : str
        The name the paper uses.
    n_samples, n_features : int
        The shape of its matrix.
    class_names : tuple of str
        The classes, in the order of the labels 1, 2, … of the source.
    source : Source
        The file it is made from.
    content : str or None
        SHA-256 of its numbers and class codes, if known.
    image_shape : tuple of int or None
        Height and width, if the samples are pictures.
    image_order : {"C", "F"} or None
        The layout of the pixels.
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    class_names: tuple[str, ...]
    source: Source
    content: str | None = None
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] | None = None


def _info(name: str, fields: dict[str, Any]) -> DatasetInfo:
    source = Source(**fields.pop("source"))
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
    return DatasetInfo(name=name, source=source, **plain)


@dataclass(frozen=True)
class DataFile:
    """A table of the user's own in a plan.

    Attributes
    ----------
    name : str
        What tables call it.
    path : str
        The file.
    options : dict
        Arguments of :func:`s2fs.read_table`, such as ``target``.
    """

    name: str
    path: str
    options: Mapping[str, Any]


#: The datasets by name, in the order of the paper.
PAPER_DATASETS = {
    name: _info(name, fields)
    for name, fields in tomllib.loads(
        (files(__package__) / "datasets.toml").read_text("utf-8")
    ).items()
}


def dataset_info(name: str) -> DatasetInfo:
    """Look a dataset of the paper up by its name.

    Parameters
    ----------
    name : str
        One of ``PAPER_DATASETS``.

    Returns
    -------
    DatasetInfo
        What is known about it.
    """
    if name not in PAPER_DATASETS:
        raise ValueError(
            f"name is {name!r}, which is not a known dataset"
            f"{did_you_mean(name, PAPER_DATASETS)}; known "
            f"are {', '.join(PAPER_DATASETS)}."
        )
    return PAPER_DATASETS[name]


def find_dataset(name: str) -> Path | None:
    """Find the file of a dataset, in the folder ``S2FS_DATA`` or else in the user's cache.

    Parameters
    ----------
    name : str
        One of ``PAPER_DATASETS``.

    Returns
    -------
    Path or None
        The file, or None if there is none.

    Examples
    --------
    >>> from s2fs_bench import find_dataset
    >>> find_dataset("gliomas")
    Traceback (most recent call last):
    ...
    ValueError: name is 'gliomas', which is not a known dataset (did you mean 'glioma'?); ...
    """
    info = dataset_info(name)
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder and (path := Path(folder) / f"{info.name}.npz").is_file():
        return path
    path = cached_file(info.name)
    return path if path.is_file() else None


def cached_file(name: str) -> Path:
    """Where a downloaded dataset is kept."""
    return Path(pooch.os_cache("s2fs")) / f"{name}.npz"


def known_datasets() -> tuple[str, ...]:
    """The names a plan can give: registered ones, and the tables in the folder ``S2FS_DATA``."""
    folder = os.environ.get(FOLDER_VARIABLE)
    found = sorted(path.stem for path in Path(folder).glob("*.npz")) if folder else []
    return tuple(dict.fromkeys([*PAPER_DATASETS, BUNDLED, DIGITS, *UNSEEN_TABLES, *found]))


def dataset_title(name: str) -> str:
    """The name of a dataset in tables and figures; the paper's names for its own."""
    if name in PAPER_DATASETS:
        return PAPER_DATASETS[name].title
    return "SRBCT (bundled)" if name == BUNDLED else name


def load_dataset(name: str) -> Dataset:
    """Load a dataset of the bench; nothing is downloaded, see :func:`fetch_dataset`.

    Parameters
    ----------
    name : str
        One of ``PAPER_DATASETS``: "all_aml_3", "all_aml_4", "glioma", "isolet", "lung", "srbct",
        "warpar10p", "warppie10p", "orl" or "yale"; "srbct_bundled", which comes with the package;
        "digits", which comes with scikit-learn; or the name of any ``.npz`` file in the folder
        ``S2FS_DATA``, without its suffix.

    Returns
    -------
    Dataset
        The samples and their classes; sets of pictures also say the shape of a picture.

    Raises
    ------
    FileNotFoundError
        If the dataset is neither in the folder ``S2FS_DATA`` nor in the user's cache.
    ValueError
        If the name is not known, or the file holds something else.
    """
    if name == BUNDLED:
        return load_srbct()
    if name == DIGITS:
        return _load_digits()
    if name not in PAPER_DATASETS and name in known_datasets():
        folder = os.environ.get(FOLDER_VARIABLE)
        path = Path(folder or "") / f"{name}.npz"
        if not folder or not path.is_file():
            raise FileNotFoundError(
                f"{name} is not in {_place()}; let {FOLDER_VARIABLE} name a folder with "
                f"{name}.npz, which holds X and y."
            )
        return read_table(path)
    return _load_paper_dataset(name)


def _load_digits() -> Dataset:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    names = [f"pixel {row},{column}" for row in range(8) for column in range(8)]
    data = Dataset(X, y.astype(np.intp), names, [str(digit) for digit in range(10)])
    data.image_shape, data.image_order = (8, 8), "C"
    return data


def _load_paper_dataset(name: str) -> Dataset:
    info = dataset_info(name)
    path = find_dataset(name)
    if path is None:
        raise FileNotFoundError(
            f"{name} is neither in {_place()} nor at {cached_file(name)}; download it with "
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


def _place() -> str:
    folder = os.environ.get(FOLDER_VARIABLE)
    return f"the folder {FOLDER_VARIABLE} ({folder})" if folder else f"a folder {FOLDER_VARIABLE}"


def content_hash(X: NDArray[Any], y: NDArray[Any]) -> str:
    """SHA-256 of the numbers and the class codes, whatever type they are stored in."""
    numbers = np.ascontiguousarray(X, dtype="<f8").tobytes()
    return hashlib.sha256(numbers + np.asarray(y, dtype="<i8").tobytes()).hexdigest()
