"""What the tests of bench reports share: made-up results, and a small results file."""

import hashlib
from pathlib import Path

import numpy as np

from s2fs.baselines import BASELINES
from s2fs.evaluation import Curve
from s2fs_bench import (
    PAPER_DATASETS,
    Archive,
    Column,
    Result,
    Run,
    SelectorSpec,
    Table,
    load_plan,
    published_results,
    run_plan,
)

DATASETS = ("glioma", "srbct", "all_aml_3", "isolet")
GRID = (0.01, 0.0316, 0.1)
SIZES = (1, 2, 3)


def content_hash(X, y):
    """How the registry recognises the numbers and the classes of a dataset."""
    return hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i8").tobytes()).hexdigest()


def result(dataset, name, values, weights=None, *, method=None, seed=0, protocol="inside"):
    grid = ((weights[0],), (weights[1],)) if weights else ((), ())
    alphas, betas = (GRID, GRID) if name == "S2FS" and weights else grid
    spec = SelectorSpec(name, method or name, {}, alphas=alphas, betas=betas)
    run = Run(
        dataset,
        f"hash of {dataset}",
        spec,
        protocol,
        0,
        10,
        seed,
        SIZES,
        ("knn",),
        status=getattr(BASELINES.get(spec.method), "status", "confirmed"),
        n_features=20,
        dataset_title=PAPER_DATASETS[dataset].title,
    )
    curve = Curve("knn", np.array(SIZES), {"accuracy": np.asarray(values, dtype=float)})
    return Result(run, weights, (), {"knn": curve}, np.full(3, 0.5), np.full(3, 0.25), 1.5)


def made_up_results():
    """S²FS on a grid, its variants, and three baselines; the score tells who it is."""
    found = []
    for d, dataset in enumerate(DATASETS):
        base = np.array([0.5, 0.6, 0.7]) + d / 100
        for i, alpha in enumerate(GRID):
            for j, beta in enumerate(GRID):
                found.append(result(dataset, "S2FS", base + (3 * i + j) / 100, (alpha, beta)))
        found.append(result(dataset, "S2-DWC", base - 0.01, (0.0, 0.0316), method="S2FS"))
        found.append(result(dataset, "S2-DBS", base - 0.02, (0.0316, 0.0), method="S2FS"))
        found.append(result(dataset, "S2-DWC-DBS", base - 0.03, (0.0, 0.0), method="S2FS"))
        found.append(result(dataset, "FDM", base - 0.2))
        found.append(result(dataset, "SFSS", base - 0.1))
        found.append(result(dataset, "IPD", base - 0.15))
        found.append(result(dataset, "FSNMER", base - 0.25))
    return found


class MadeUp(Archive):
    """A results file with made-up results, each of which took a second."""

    def __init__(self, found):
        self.path = Path("made-up.npz")
        self.results = list(found)
        self._seconds = [[i, 1.0] for i in range(len(self.results))]


def small_results(folder):
    """The results file of a small plan on the bundled data, of a few seconds."""
    plan = folder / "tiny.toml"
    plan.write_text(
        'title = "tiny"\ndatasets = ["srbct_bundled"]\nlearners = ["knn"]\nsizes = [1, 2]\n'
        'protocol = "inside"\nfolds = 2\nseeds = [0]\n'
        '[[selectors]]\nname = "S2FS"\n'
        '[[selectors]]\nname = "ANOVA"\nmethod = "AnovaF"\n'
    )
    run_plan(load_plan(str(plan)), folder / "tiny.sqlite")
    return folder / "tiny.sqlite"


def published_table(learner, statistic):
    """A table of the paper, as published."""
    numbers = {
        (dataset, algorithm): value
        for (of, kind, dataset, algorithm), value in published_results().items()
        if (of, kind) == (learner, statistic)
    }
    datasets = tuple(dict.fromkeys(dataset for dataset, _ in numbers))
    algorithms = sorted({algorithm for _, algorithm in numbers}, key=lambda a: (a != "S2FS", a))
    values = np.array([[numbers[d, a] for a in algorithms] for d in datasets])
    columns = tuple(Column(a, "fixed", "") for a in algorithms)
    return Table(learner, statistic, datasets, columns, values, values)
