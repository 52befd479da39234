"""The ten datasets of the paper: what they are and where they come from."""

from dataclasses import dataclass
from typing import Literal

from s2fs._util.messages import did_you_mean


@dataclass(frozen=True)
class Source:
    """A file at a fixed commit of a public repository.

    Attributes
    ----------
    repository, commit, path : str
        Where the file is, on GitHub.
    git_blob : str
        SHA-1 that git gives the content.
    sha256 : str or None
        SHA-256 of the content, if known.
    """

    repository: str
    commit: str
    path: str
    git_blob: str
    sha256: str | None


@dataclass(frozen=True)
class DatasetInfo:
    """What is known about a dataset before it is loaded.

    Attributes
    ----------
    name : str
        The name it is loaded by.
    title : str
        The name the paper prints.
    n_samples, n_features : int
        The shape of its matrix.
    class_names : tuple of str
        The classes, in the order of the labels 1, 2, … of the source.
    source : Source
        The file it is made from.
    content : str or None
        SHA-256 of its numbers and class codes, if known.
    image_shape : tuple of int or None
        Height and width, if the instances are pictures.
    image_order : {"C", "F"} or None
        The layout of the pixels.
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    class_names: tuple[str, ...]
    source: Source
    content: str | None
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] | None = None


def dataset_info(name: str) -> DatasetInfo:
    """Look a dataset up by its name."""
    if name not in PAPER_DATASETS:
        raise ValueError(
            f"name is {name!r}, which is no known dataset"
            f"{did_you_mean(name, PAPER_DATASETS)}; known "
            f"are {', '.join(PAPER_DATASETS)}."
        )
    return PAPER_DATASETS[name]


def _asu(path: str, git_blob: str, sha256: str | None) -> Source:
    commit = "48cffad4e88ff4b9d2f1c7baffb314d1b3303792"
    return Source("jundongl/scikit-feature", commit, f"skfeature/data/{path}", git_blob, sha256)


def _genes(path: str, git_blob: str, sha256: str) -> Source:
    commit = "26c6e2098632ac5245d7fb8e97250743f93c792c"
    return Source("Wangxiaoxia12/datasets", commit, path, git_blob, sha256)


def _numbered(p: int) -> tuple[str, ...]:
    return tuple(str(q) for q in range(1, p + 1))


#: The datasets by name, in the order of the paper.
PAPER_DATASETS = {
    info.name: info
    for info in (
        DatasetInfo(
            "all_aml_3",
            "ALL-AML-3",
            72,
            7129,
            ("ALL-B", "AML", "ALL-T"),
            _genes(
                "Leukemia_3c.csv",
                "bf25f9655d5749f581e3c2d6446000979939526a",
                "5b24d15257ddfa1ea4ba84e6c94e8bff4953986822bc88cb621e13b494104d4e",
            ),
            "ecf16d846623347ef95c45269a46615f23ce0931fd8c3b3b74314f008187c771",
        ),
        DatasetInfo(
            "all_aml_4",
            "ALL-AML-4",
            72,
            7129,
            ("ALL-B", "AML-BM", "AML-PB", "ALL-T"),
            _genes(
                "Leukemia_4c.csv",
                "e66950b68ab19e7fa8a0ce7e0d052194c44c3e95",
                "dc052f5111443f0e1b1e4445de8bdd4620b4b6fdc47a3f4e5c27331f44663808",
            ),
            "fcafa0a78c6d1e9c710dc16aa3f58773cd0ae7da4e4995e42f3bf4c6884f5869",
        ),
        DatasetInfo(
            "glioma",
            "GLIOMA",
            50,
            4434,
            ("CG", "CO", "NG", "NO"),
            _asu(
                "GLIOMA.mat",
                "10ab30deffc3938ba601215c3f95c5a93a157cde",
                "c31cd32edd770c7a102729839e670e588bc959a591e0eae5a0676c9ca11d4c4f",
            ),
            "283729a4439b847de6c30773564db91d9197ba1fd048bb3eebef6e3bf7d4bad9",
        ),
        DatasetInfo(
            "isolet",
            "Isolet",
            1560,
            617,
            _numbered(26),
            _asu(
                "Isolet.mat",
                "a4d64a9c58c17143784f51ca30aa2ef7ecc86147",
                "ea73c69b1342a7def8199458e53a70307a83d557eceb2579863dda57c3ccd2b1",
            ),
            "1f89b486514dcb0d06ef33e13025c94cc17edc1cbdf12c4112eef63c9088e787",
        ),
        DatasetInfo(
            "lung",
            "Lung",
            203,
            3312,
            _numbered(5),
            _asu("lung.mat", "becb82c675f788b040d5ced741955e19b94ce9b8", None),
            None,
        ),
        DatasetInfo(
            "srbct",
            "SRBCT",
            83,
            2308,
            ("EWS", "BL", "NB", "RMS"),
            _genes(
                "SRBCT.csv",
                "038a8023a333a897ef31f070656e92aaff2aa649",
                "628456fdf2ffe6831a1139c45039319ae3bd275c862aafa9c3b7ab3771f00d06",
            ),
            "16173e75d9c879d487693bd2aeed42cfdcc89a07c8a9601b448e9646342dcb37",
        ),
        DatasetInfo(
            "warpar10p",
            "warpAR10P",
            130,
            2400,
            _numbered(10),
            _asu(
                "warpAR10P.mat",
                "268f7bccf3c491dd0868418a009789c4a1a37780",
                "92b5f7e72b5715ada8f2df16e6d8e5effd8e0034a53a656ed9ef76e3f727d413",
            ),
            "8255b3d8fccc56ab1147bae5275c55006ebd1ccaa0666b86d62062c3764fd329",
            (60, 40),
            "F",
        ),
        DatasetInfo(
            "warppie10p",
            "warpPIE10P",
            210,
            2420,
            _numbered(10),
            _asu(
                "warpPIE10P.mat",
                "67d36c49140f5380c262d02761ceef162f5e0033",
                "0d22b0e4fe224ea7347ae266370b6eb0d724d5fd0ad7da71261a58c24e08c3c2",
            ),
            "c480cc0d407ab30080a0cade656e60b6af6f7e9fcabe82104ad5f0cead36482b",
            (55, 44),
            "F",
        ),
        DatasetInfo(
            "orl",
            "ORL",
            400,
            1024,
            _numbered(40),
            _asu(
                "ORL.mat",
                "5bb172ddf6a66ea79277c430f1a7060314824943",
                "e257ec36002e48688ed7f3b9fda13f479f2fd98864fa0672d1353eda1912b189",
            ),
            "40df51859225b4d57045c59f518225f7991002d41b670d7e00be48b14a4a6b38",
            (32, 32),
            "F",
        ),
        DatasetInfo(
            "yale",
            "Yale",
            165,
            1024,
            _numbered(15),
            _asu(
                "Yale.mat",
                "e19bddda6f5b15cce59406c3e58b6b04104ace91",
                "cccd29abd2c520dd5cc8ff7645b422c2bdadd59406a6b6a0239143d9d44afcf3",
            ),
            "1669a88b08a34e7d8aa9ae69970a7c3dbe3d3949b9a77fb6ce4333d2918e9fee",
            (32, 32),
            "F",
        ),
    )
}
