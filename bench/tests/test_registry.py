"""The paper's datasets: what the registry says of them, and where they are looked for."""

import numpy as np
import pytest

from benches import content_hash
from s2fs_bench import PAPER_DATASETS, DatasetInfo, find_dataset, load_dataset

#: Name, title, shape and classes, as in the paper's table of datasets (SRBCT has 83 rows).
PAPER = [
    ("all_aml_3", "ALL-AML-3", 72, 7129, 3),
    ("all_aml_4", "ALL-AML-4", 72, 7129, 4),
    ("glioma", "GLIOMA", 50, 4434, 4),
    ("isolet", "Isolet", 1560, 617, 26),
    ("lung", "Lung", 203, 3312, 5),
    ("srbct", "SRBCT", 83, 2308, 4),
    ("warpar10p", "warpAR10P", 130, 2400, 10),
    ("warppie10p", "warpPIE10P", 210, 2420, 10),
    ("orl", "ORL", 400, 1024, 40),
    ("yale", "Yale", 165, 1024, 15),
]


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A small set of pictures in the registry, and an empty folder and cache."""
    info = DatasetInfo(
        "small", "Small", 4, 6, ("b", "a"), PAPER_DATASETS["yale"].source, None, (2, 3), "F"
    )
    monkeypatch.setitem(PAPER_DATASETS, "small", info)
    for variable, folder in (("S2FS_DATA", "folder"), ("XDG_CACHE_HOME", "cache")):
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / folder))
    return info


def save(path, columns=6):
    path.parent.mkdir(parents=True, exist_ok=True)
    X = np.arange(4 * columns, dtype=np.uint8).reshape(4, columns)
    np.savez(path, X=X, y=np.array([1, 0, 0, 1]), classes=np.array(["b", "a"]))


def test_all_ten_are_known():
    known = [
        (i.name, i.title, i.n_samples, i.n_features, len(i.class_names))
        for i in PAPER_DATASETS.values()
    ]
    assert known == PAPER


def test_pictures_have_as_many_pixels_as_features():
    pictures = {i.name: i for i in PAPER_DATASETS.values() if i.image_shape}
    assert set(pictures) == {"warpar10p", "warppie10p", "orl", "yale"}
    assert all(np.prod(i.image_shape) == i.n_features for i in pictures.values())


def test_checksums_are_well_formed_and_distinct():
    sources = [i.source for i in PAPER_DATASETS.values()]
    assert {len(s.git_blob) for s in sources} == {40}
    assert len({s.git_blob for s in sources}) == 10
    assert [i.name for i in PAPER_DATASETS.values() if i.source.sha256 is None] == ["lung"]
    assert {len(s.sha256) for s in sources if s.sha256} == {64}


@pytest.mark.parametrize("name", [row[0] for row in PAPER if row[0] != "lung"])
def test_local_files_hold_the_registered_numbers(paper_data, name):
    X, y = paper_data(name)
    data = load_dataset(name)
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, y)
    assert data.class_names == list(PAPER_DATASETS[name].class_names)
    assert content_hash(X, y) == PAPER_DATASETS[name].content


def test_folder_goes_before_cache(small, tmp_path):
    assert find_dataset("small") is None
    cached = tmp_path / "cache" / "s2fs" / "small.npz"
    save(cached)
    assert find_dataset("small") == cached
    save(tmp_path / "folder" / "small.npz")
    assert find_dataset("small") == tmp_path / "folder" / "small.npz"


def test_pictures_know_their_shape(small, tmp_path):
    save(tmp_path / "folder" / "small.npz")
    data = load_dataset("small")
    assert data.class_names == ["b", "a"]
    assert len(data) == 4
    picture = data.X[1].reshape(data.image_shape, order=data.image_order)
    assert picture.tolist() == [[6, 8, 10], [7, 9, 11]]


def test_missing_dataset_says_how_to_get_it(small, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"folder S2FS_DATA \(.*'s2fs data fetch small'"):
        load_dataset("small")
    monkeypatch.delenv("S2FS_DATA")
    with pytest.raises(
        FileNotFoundError, match=r"neither in a folder S2FS_DATA nor at .*small\.npz"
    ):
        load_dataset("small")


def test_wrong_file_is_refused(small, tmp_path):
    save(tmp_path / "folder" / "small.npz", columns=5)
    with pytest.raises(ValueError, match=r"holds 4 × 5 numbers in 2 classes, but small has 4 × 6"):
        load_dataset("small")


def test_unknown_name():
    with pytest.raises(
        ValueError, match=r"'lungs', which is not a known dataset \(did you mean 'lu"
    ):
        load_dataset("lungs")
