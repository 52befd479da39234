"""Folds out and rankings in, as files: for methods in R, MATLAB, Weka or any other language.

For each table of a plan :func:`write_folds` writes the values and which fold holds each sample out.
A method of any language reads these, ranks the features on the other samples, and writes one text
file for each table, seed and fold: positions of features from 1, the best first. A plan names the
folder of these files in place of a class.
"""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path

import numpy as np

from s2fs._utils.files import write_atomic
from s2fs._utils.types import Indices
from s2fs.evaluation import stratified_folds
from s2fs.io import Dataset

#: What ``method`` is in a plan where rankings are read from files.
RANKINGS = "rankings"
#: Scripts that :func:`write_folds` puts beside the tables, to be changed.
TEMPLATES = ("rank.R", "rank.m")


def name_ranking(dataset: str, seed: int, fold: int) -> str:
    """The name of a file with a ranking; folds count from 1 there, as in R and MATLAB.

    Parameters
    ----------
    dataset : str
        The table.
    seed, fold : int
        Of the split; the fold counts from 0.

    Returns
    -------
    str
        The name.
    """
    return f"{dataset}_seed{seed}_fold{fold + 1}.txt"


def read_ranking(folder: Path, dataset: str, seed: int, fold: int, n_features: int) -> Indices:
    """Read the ranking of a fold.

    Parameters
    ----------
    folder : Path
        Where the files are.
    dataset : str
        The table.
    seed, fold : int
        Of the split.
    n_features : int
        How many features the table has.

    Returns
    -------
    ndarray of int
        The positions of the features, from 0; a reduct may name a few.
    """
    path = folder / name_ranking(dataset, seed, fold)
    if not path.is_file():
        raise ValueError(f"{path} is not there; write the ranking of this fold to it.")
    words = path.read_text(encoding="utf-8-sig").replace(",", " ").split()
    try:
        ranked = np.array([int(word) for word in words], dtype=np.intp)
    except (ValueError, OverflowError):
        wrong = next(word for word in words if not word.isdecimal() or len(word) > 18)
        raise ValueError(
            f"{path} has {wrong!r}; give positions of features from 1, one on each line."
        ) from None
    if not len(ranked):
        raise ValueError(f"{path} names no feature; give at least one.")
    if ranked.min() < 1 or ranked.max() > n_features:
        outside = int(ranked[(ranked < 1) | (ranked > n_features)][0])
        raise ValueError(f"{path} has {outside}, but the features are 1 to {n_features}.")
    values, counts = np.unique(ranked, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"{path} has {values[counts > 1][0]} twice; give each feature once.")
    return ranked - 1


def hash_rankings(folder: Path, dataset: str, seed: int, n_folds: int) -> str:
    """A hash of the files of one cross-validation, so that changed rankings are another run.

    Parameters
    ----------
    folder : Path
        Where the files are.
    dataset : str
        The table.
    seed, n_folds : int
        Of the split.

    Returns
    -------
    str
        Twelve hexadecimal digits.
    """
    if not folder.is_dir():
        raise ValueError(f"rankings is {str(folder)!r}, which is not a folder.")
    digest = hashlib.sha256()
    for fold in range(n_folds):
        path = folder / name_ranking(dataset, seed, fold)
        if not path.is_file():
            raise ValueError(f"{path} is not there; write the ranking of this fold to it.")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def write_folds(
    dataset: str,
    data: Dataset,
    folder: str | PathLike[str],
    *,
    n_folds: int,
    seeds: Sequence[int],
) -> list[Path]:
    """Write a table and its folds for a method of another language.

    Parameters
    ----------
    dataset : str
        The name of the table.
    data : Dataset
        Its values and classes.
    folder : str or path-like
        Where ``DATASET.csv``, ``DATASET_folds.csv`` and the templates go.
    n_folds : int
        How many folds.
    seeds : sequence of int
        One split for each.

    Returns
    -------
    list of Path
        The files.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    X, y = np.asarray(data.X, dtype=np.float64), np.asarray(data.y)
    table, folds = place / f"{dataset}.csv", place / f"{dataset}_folds.csv"
    # Every float is written with all its digits; a class has a number from 1 as well.
    header = ",".join(["class", *(f"f{j}" for j in range(1, X.shape[1] + 1))])
    rows = (
        ",".join([str(int(code) + 1), *map(repr, values)])
        for code, values in zip(y, X.tolist(), strict=True)
    )
    write_atomic(table, ("\n".join([header, *rows]) + "\n").encode())
    held_out = np.empty((len(y), len(seeds)), dtype=np.intp)
    for j, seed in enumerate(seeds):
        for fold, (_, test) in enumerate(stratified_folds(y, n_folds, random_state=seed)):
            held_out[test, j] = fold + 1
    names = ",".join(f"seed{seed}" for seed in seeds)
    lines = [names, *(",".join(map(str, row)) for row in held_out.tolist())]
    write_atomic(folds, ("\n".join(lines) + "\n").encode())
    paths = [table, folds]
    for name in TEMPLATES:
        if not (place / name).exists():  # it may have been changed
            text = (files(__package__) / "templates" / name).read_text("utf-8")
            write_atomic(place / name, text.encode())
            paths.append(place / name)
    return paths
