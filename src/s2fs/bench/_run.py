"""One unit of work: a selector on one fold, judged by all learners at all sizes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import Any

import numpy as np

from s2fs import __version__, s2fs_paths
from s2fs._util.types import Floats, Indices
from s2fs.bench._learners import PAPER_LEARNERS, SVM_PENALTY
from s2fs.bench._methods import make_selector
from s2fs.bench._plan import SelectorSpec
from s2fs.evaluation import FoldResult, Protocol, evaluate_fold, stratified_folds

#: To be raised whenever the same unit may give other numbers than before.
LEDGER_VERSION = 2
#: Folds and learner that choose the weights inside the training rows.
TUNING_FOLDS = 5
TUNING_LEARNER = "knn"

_LEARNER_PARAMETERS = {
    "cart": {},
    "knn": {"n_neighbors": 5},
    "svm": {"C": SVM_PENALTY, "gamma": "scale"},
    "kmeans": {"init": "fixed"},
}


@dataclass(frozen=True)
class Unit:
    """A fold of a cross-validation of one selector on one dataset.

    Attributes
    ----------
    dataset, data_hash : str
        The name of the data, and a hash of its content.
    selector : SelectorSpec
        What ranks the features.
    protocol : {"inside", "before"}
        Which rows it ranks them on.
    fold, n_folds, seed : int
        Which of how many folds, and the seed of the split and of the selector.
    sizes : tuple of int
        The sizes of prefix.
    learners : tuple of str
        What judges the prefixes.
    version : str
        The code that computes it.
    """

    dataset: str
    data_hash: str
    selector: SelectorSpec
    protocol: Protocol
    fold: int
    n_folds: int
    seed: int
    sizes: tuple[int, ...]
    learners: tuple[str, ...]
    version: str = f"{__version__}+{LEDGER_VERSION}"

    @property
    def key(self) -> str:
        """A hash of all that decides the result."""
        learners = {name: _LEARNER_PARAMETERS[name] for name in self.learners}
        tuning = [TUNING_FOLDS, TUNING_LEARNER] if self.selector.tune == "inside" else []
        content = json.dumps([asdict(self), learners, tuning], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def to_json(self) -> str:
        """The unit as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Unit":
        """The unit that :meth:`to_json` wrote."""
        fields = json.loads(text)
        spec = fields.pop("selector")
        for name in ("alphas", "betas"):
            spec[name] = tuple(spec[name])
        for name in ("sizes", "learners"):
            fields[name] = tuple(fields[name])
        return cls(selector=SelectorSpec(**spec), **fields)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the learners made of one or more rankings on one fold.

    Attributes
    ----------
    weights : ndarray of shape (n_rankings, 2)
        Alpha and beta of each ranking; NaN where the selector has none or keeps its own.
    rankings : ndarray of shape (n_rankings, n_ranked)
        The features in order of choice.
    y_test : ndarray of shape (n_test,)
        The classes of the test rows.
    predictions : dict of str to ndarray of shape (n_rankings, n_sizes, n_test)
        Per classifier the predicted classes.
    nmi : ndarray of shape (n_rankings, n_sizes) or None
        Mutual information of the k-means clusters, if asked for.
    """

    weights: Floats
    rankings: Indices
    y_test: Indices
    predictions: Mapping[str, Indices]
    nmi: Floats | None

    def to_bytes(self) -> bytes:
        """The arrays as a compressed ``.npz`` file."""
        buffer = BytesIO()
        arrays: dict[str, Any] = {
            "weights": self.weights,
            "rankings": self.rankings.astype(np.uint32),
            "y_test": self.y_test.astype(np.uint16),
            **{f"by_{name}": said.astype(np.uint16) for name, said in self.predictions.items()},
        }
        if self.nmi is not None:
            arrays["nmi"] = self.nmi
        np.savez_compressed(buffer, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Outcome":
        """The outcome that :meth:`to_bytes` wrote."""
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return cls(
            weights=arrays["weights"],
            rankings=arrays["rankings"].astype(np.intp),
            y_test=arrays["y_test"].astype(np.intp),
            predictions={
                name.removeprefix("by_"): said
                for name, said in arrays.items()
                if name.startswith("by_")
            },
            nmi=arrays.get("nmi"),
        )

    def fold_result(self, i: int, sizes: tuple[int, ...]) -> FoldResult:
        """The part of ranking ``i``, to be pooled over folds."""
        return FoldResult(
            sizes=np.array(sizes),
            ranking=self.rankings[i],
            y_test=self.y_test,
            predictions={name: said[i] for name, said in self.predictions.items()},
            nmi={} if self.nmi is None else {"kmeans": self.nmi[i]},
        )


def run_unit(unit: Unit, X: Floats, y: Indices) -> Outcome:
    """Rank the features on the training fold and judge the ranking on the test fold.

    A pure function of its arguments, so it may run in any process of any machine.
    """
    train, test = list(stratified_folds(y, unit.n_folds, random_state=unit.seed))[unit.fold]
    seen = train if unit.protocol == "inside" else np.arange(len(y))
    spec, k = unit.selector, unit.sizes[-1]
    if not spec.alphas:
        selector = make_selector(spec.method, dict(spec.parameters), k, unit.seed)
        rankings = np.array([selector.fit(X[seen], y[seen]).indices_])
        weights = np.full((1, 2), np.nan)
    else:
        weights = np.array([(alpha, beta) for alpha in spec.alphas for beta in spec.betas])
        if spec.tune == "inside":
            best = choose_weights(unit, X[seen], y[seen])
            weights = weights[best : best + 1]
            parameters = {**spec.parameters, "alpha": weights[0, 0], "beta": weights[0, 1]}
            selector = make_selector(spec.method, parameters, k, unit.seed)
            rankings = np.array([selector.fit(X[seen], y[seen]).indices_])
        else:
            rankings = _grid_rankings(spec, X[seen], y[seen], k)
    return judge(unit, rankings, weights, X, y, train, test, unit.learners)


def choose_weights(unit: Unit, X: Floats, y: Indices) -> int:
    """Choose a pair of the grid by cross-validation within the rows given.

    The best is the pair with the highest accuracy of 5 nearest neighbours, averaged over the
    sizes; among equals the first, that is the smallest alpha and then beta.
    """
    spec = unit.selector
    hits = np.zeros(len(spec.alphas) * len(spec.betas))
    for train, test in stratified_folds(y, TUNING_FOLDS, random_state=unit.seed):
        rankings = _grid_rankings(spec, X[train], y[train], unit.sizes[-1])
        outcome = judge(unit, rankings, np.empty((0, 2)), X, y, train, test, (TUNING_LEARNER,))
        hits += (outcome.predictions[TUNING_LEARNER] == y[test]).sum(axis=(1, 2))
    return int(hits.argmax())


def judge(
    unit: Unit,
    rankings: Indices,
    weights: Floats,
    X: Floats,
    y: Indices,
    train: Indices,
    test: Indices,
    learners: tuple[str, ...],
) -> Outcome:
    """Run the learners on all prefixes of all rankings; equal prefixes are judged once."""
    sizes = np.array(unit.sizes)
    shape = (len(rankings), len(sizes))
    predictions = {
        name: np.empty((*shape, len(test)), dtype=np.intp) for name in learners if name != "kmeans"
    }
    nmi = np.empty(shape) if "kmeans" in learners else None
    for i, ranking in enumerate(rankings):
        known = np.zeros(len(sizes), dtype=bool)
        if i:
            # How long each earlier ranking goes the same way, and the one that does so longest.
            common = (rankings[:i] == ranking).cumprod(axis=1).sum(axis=1)
            j = int(common.argmax())
            known = sizes <= common[j]
            for said in predictions.values():
                said[i, known] = said[j, known]
            if nmi is not None:
                nmi[i, known] = nmi[j, known]
        if known.all():
            continue
        fold = evaluate_fold(
            X[train],
            y[train],
            X[test],
            y[test],
            ranking,
            learners={name: PAPER_LEARNERS[name] for name in learners},
            sizes=sizes[~known].tolist(),
        )
        for name, said in predictions.items():
            said[i, ~known] = fold.predictions[name]
        if nmi is not None:
            nmi[i, ~known] = fold.nmi["kmeans"]
    return Outcome(weights, rankings, y[test], predictions, nmi)


def _grid_rankings(spec: SelectorSpec, X: Floats, y: Indices, k: int) -> Indices:
    paths = s2fs_paths(X, y, k, spec.alphas, spec.betas, **spec.parameters)
    return paths.indices.reshape(-1, k)
