import os
from pathlib import Path

import numpy as np
import pytest

from s2fs.datasets import load_srbct


def test_shape_names_and_classes():
    data = load_srbct()
    assert data.X.shape == (83, 2308)
    assert data.feature_names == [f"V{i}" for i in range(1, 2309)]
    assert data.class_names == ["BL", "EWS", "NB", "RMS"]
    assert np.bincount(data.y).tolist() == [11, 29, 18, 25]


def test_values_are_those_of_the_source_text():
    X = load_srbct().X
    assert X[0, :5].tolist() == [0.7733437, -2.438405, -0.4825622, -2.721135, -1.217058]
    assert X[63, :3].tolist() == [0.139501039, -1.168927463, 0.564972842]  # first of the test part


def test_small_enough_and_free_of_pickles():
    folder = Path(__file__).parents[2] / "src" / "s2fs" / "datasets" / "data"
    assert (folder / "srbct.npz").stat().st_size < 1.5e6
    with np.load(folder / "srbct.npz", allow_pickle=False) as file:
        assert {key: file[key].dtype.kind for key in file.files} == {
            "X": "f",
            "y": "i",
            "classes": "U",
            "feature_names": "U",
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
