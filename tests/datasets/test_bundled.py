import csv
import os
from pathlib import Path

import numpy as np
import pytest

from s2fs.datasets import load_srbct


def test_shape_names_and_classes():
    data = load_srbct()
    assert data.X.shape == (83, 2308)
    assert len(set(data.feature_names)) == 2308
    markers = {1954: "FGFR4", 1388: "FCGRT", 544: "CD99", 245: "CAV1", 186: "IGF2 (V187)"}
    assert {f: data.feature_names[f] for f in markers} == markers
    assert data.feature_names[0] == "IMAGE:21652"  # a clone without a symbol
    assert data.class_names == ["BL", "EWS", "NB", "RMS"]
    assert np.bincount(data.y).tolist() == [11, 29, 18, 25]


def test_values_are_those_of_the_source_text():
    X = load_srbct().X
    assert X[0, :5].tolist() == [0.7733437, -2.438405, -0.4825622, -2.721135, -1.217058]
    assert X[63, :3].tolist() == [0.139501039, -1.168927463, 0.564972842]  # first of the test part


def test_samples_are_named_and_the_blind_test_comes_last():
    names = load_srbct().sample_ids
    assert len(set(names)) == 83
    assert [i for i, name in enumerate(names) if name.startswith("TEST.")] == list(range(63, 83))
    assert (names[19], names[78]) == ("EWS.T13", "TEST.21")  # measured twice


def test_small_enough_and_free_of_pickles():
    folder = Path(__file__).parents[2] / "src" / "s2fs" / "datasets" / "data"
    assert (folder / "srbct.npz").stat().st_size < 1.5e6
    with np.load(folder / "srbct.npz", allow_pickle=False) as file:
        assert {key: file[key].dtype.kind for key in file.files} == {
            "X": "f",
            "y": "i",
            "classes": "U",
            "feature_names": "U",
            "sample_ids": "U",
        }


@pytest.mark.skipif("S2FS_DATA" not in os.environ, reason="S2FS_DATA is not set")
def test_logarithm_of_the_other_copy():
    data = load_srbct()
    with np.load(Path(os.environ["S2FS_DATA"]) / "srbct.npz", allow_pickle=False) as file:
        other = np.log(file["X"])
        labels = file["classes"][file["y"]]
    nearest = [int(((other - row) ** 2).sum(axis=1).argmin()) for row in data.X]
    assert sorted(nearest) == list(range(83))
    assert labels[nearest].tolist() == [data.class_names[code] for code in data.y]
    differs = np.abs(data.X - other[nearest]) > 1e-6
    # The two slips of the other copy that the data's README names.
    assert np.argwhere(differs).tolist() == [[56, 1901], [64, 645]]


@pytest.mark.skipif("S2FS_DATA" not in os.environ, reason="S2FS_DATA is not set")
def test_names_are_those_of_the_sources():
    data, folder = load_srbct(), Path(os.environ["S2FS_DATA"])
    with (folder / "srbct_samples.csv").open(newline="") as file:
        samples = list(csv.DictReader(file))
    assert [row["sample"] for row in samples] == data.sample_ids
    assert [row["class"] for row in samples] == [data.class_names[code] for code in data.y]
    with (folder / "srbct_genes.csv").open(newline="") as file:
        genes = list(csv.DictReader(file))
    for name, gene in zip(data.feature_names, genes, strict=True):
        clone = f"IMAGE:{gene['image_clone']}" if gene["image_clone"] else gene["feature"]
        known = gene["symbol"] or ("RCVRN" if gene["description"] == "recoverin" else clone)
        assert name in (known, f"{known} ({gene['feature']})")
