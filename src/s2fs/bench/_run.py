"""One run: a selector on one fold, scored by all learners at all sizes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from typing import Any

import numpy as np

from s2fs import s2fs_paths
from s2fs._selectors.prefixes import (
    Split,
    choose,
    prefix_scorer,
    score_prefixes,
    shared_prefixes,
)
from s2fs._util.types import Floats, Indices
from s2fs._util.version import __version__
from s2fs.bench._datasets import BUNDLED, PAPER_DATASETS
from s2fs.bench._learners import LEARNER_SETTINGS, PAPER_LEARNERS
from s2fs.bench._methods import make_selector
from s2fs.bench._plan import SelectorSpec
from s2fs.evaluation import FoldResult, Protocol, evaluate_fold, stratified_folds

#: To be raised whenever the same run may give other numbers than before.
RESULTS_VERSION = 2
#: Folds within the training rows by which 5 nearest neighbours choose the weights.
TUNING_FOLDS = 5


@dataclass(frozen=True)
class Run:
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
        What scores the prefixes.
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
    version: str = f"{__version__}+{RESULTS_VERSION}"

    @property
    def dataset_title(self) -> str:
        """The name of the dataset in tables and figures, as in the paper."""
        return "SRBCT (bundled)" if self.dataset == BUNDLED else PAPER_DATASETS[self.dataset].title

    @property
    def key(self) -> str:
        """A hash of all that decides the result."""
        learners = {name: LEARNER_SETTINGS[name] for name in self.learners}
        tuning = [TUNING_FOLDS, "knn"] if self.selector.tune == "inside" else []
        content = json.dumps([asdict(self), learners, tuning], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def to_json(self) -> str:
        """The run as text.

        Returns
        -------
        str
            All fields as JSON.
        """
        return json.dumps(asdict(self))

    @property
    def cross_validation(self) -> str:
        """A key that all folds of one cross-validation share."""
        return replace(self, fold=0).key

    @classmethod
    def from_json(cls, text: str) -> "Run":
        """The run that :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
            All fields as JSON.

        Returns
        -------
        Run
            The same run.
        """
        return cls.from_fields(json.loads(text))

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> "Run":
        """The run whose fields, as JSON has them, are given.

        Parameters
        ----------
        fields : dict
            The values by the names of the fields.

        Returns
        -------
        Run
            The run with these fields.
        """
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
            **{
                f"by_{name}": predicted.astype(np.uint16)
                for name, predicted in self.predictions.items()
            },
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
                name.removeprefix("by_"): predicted
                for name, predicted in arrays.items()
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
            predictions={name: predicted[i] for name, predicted in self.predictions.items()},
            nmi={} if self.nmi is None else {"kmeans": self.nmi[i]},
        )


def evaluate_run(run: Run, X: Floats, y: Indices) -> Outcome:
    """Rank the features on the training fold and score the ranking on the test fold.

    A pure function of its arguments, so it may run in any process of any machine.
    """
    train, test = list(stratified_folds(y, run.n_folds, random_state=run.seed))[run.fold]
    seen = train if run.protocol == "inside" else np.arange(len(y))
    weights, rankings = _rank(run, X[seen], y[seen])
    sizes, shape = np.array(run.sizes), (len(rankings), len(run.sizes))
    found: dict[str, Any] = {
        name: np.empty(shape) if name == "kmeans" else np.empty((*shape, len(test)), np.intp)
        for name in run.learners
    }
    for i, (twin, shared) in enumerate(shared_prefixes(rankings, sizes)):
        for values in found.values():
            values[i, shared] = values[twin, shared]
        if not shared.all():
            fold = evaluate_fold(
                X[train],
                y[train],
                X[test],
                y[test],
                rankings[i],
                learners={name: PAPER_LEARNERS[name] for name in run.learners},
                sizes=sizes[~shared].tolist(),
            )
            for name, new in (*fold.predictions.items(), *fold.nmi.items()):
                found[name][i, ~shared] = new
    nmi = found.pop("kmeans", None)
    return Outcome(weights, rankings, y[test], found, nmi)


def choose_weights(run: Run, X: Floats, y: Indices) -> int:
    """Choose a pair of the grid by cross-validation within the rows given.

    The best is the pair with the highest accuracy of 5 nearest neighbours over all rows, averaged
    over the sizes; among equals the first, that is the smallest alpha and then beta.
    """
    folds = list(stratified_folds(y, TUNING_FOLDS, random_state=run.seed))
    scores = [
        score_prefixes(
            Split(X, y, train, test),
            _grid_rankings(run, X[train], y[train]),
            np.array(run.sizes),
            scorer=prefix_scorer(),
            scale="minmax",
        )
        for train, test in folds
    ]
    # Every row counts the same, though not all folds have the same number of rows.
    mean = np.average(scores, axis=0, weights=[len(test) for _, test in folds])
    return choose(mean.mean(axis=1, keepdims=True))[0]


def _rank(run: Run, X: Floats, y: Indices) -> tuple[Floats, Indices]:
    """The weights and the rankings of a run, from the rows given."""
    spec, weights = run.selector, np.full((1, 2), np.nan)
    parameters = dict(spec.parameters)
    if spec.alphas:
        weights = np.array([(alpha, beta) for alpha in spec.alphas for beta in spec.betas])
        if spec.tune == "none":
            return weights, _grid_rankings(run, X, y)
        weights = weights[[choose_weights(run, X, y)]]
        parameters["alpha"], parameters["beta"] = weights[0]
    selector = make_selector(spec.method, parameters, run.sizes[-1], run.seed)
    return weights, np.array([selector.fit(X, y).indices_])


def _grid_rankings(run: Run, X: Floats, y: Indices) -> Indices:
    spec, k = run.selector, run.sizes[-1]
    paths = s2fs_paths(X, y, k, spec.alphas, spec.betas, **spec.parameters)
    return paths.indices.reshape(-1, k)
