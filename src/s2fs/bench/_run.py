"""One run: a selector on one fold, scored by all learners at all sizes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from io import BytesIO
from time import process_time
from typing import Any

import numpy as np

from s2fs import s2fs_paths
from s2fs._core.correlation import prefix_redundancy
from s2fs._selectors.prefixes import (
    Split,
    choose,
    prefix_scorer,
    score_prefixes,
    shared_prefixes,
)
from s2fs._util.inputs import inner_fit
from s2fs._util.types import Floats, Indices
from s2fs._util.version import __version__
from s2fs.bench._learners import BENCH_LEARNERS, learner_settings
from s2fs.bench._methods import make_selector
from s2fs.bench._plan import SelectorSpec
from s2fs.evaluation import FoldResult, Protocol, evaluate_fold, stratified_folds

#: To be raised whenever the same ranking may give other numbers than before.
RESULTS_VERSION = 3
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
    parameters : dict
        All parameters of the selector, with those that the plan leaves at their defaults.
    algorithm : str
        The version of the selector's algorithm.
    settings : dict
        How rankings are evaluated: settings of the learners, and a version.
    status : str
        How sure the algorithm is: "confirmed", "partly reconstructed", "reconstructed" or
        "wrapper".
    n_features : int
        How many features the data has.
    dataset_title : str
        The name of the data in tables and figures.
    score : str
        What tables show.
    version : str
        The code that computed it. This, ``status``, ``n_features``, ``dataset_title`` and ``score``
        do not decide the result, so they are not part of the key.
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
    parameters: Mapping[str, Any] = field(default_factory=dict)
    algorithm: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    status: str = "confirmed"
    n_features: int = 0
    dataset_title: str = ""
    score: str = "accuracy"
    version: str = __version__

    @property
    def key(self) -> str:
        """A hash of all that decides the result."""
        decides = asdict(self)
        for name in ("status", "n_features", "dataset_title", "score", "version"):
            del decides[name]
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()

    @property
    def cross_validation(self) -> str:
        """A key that all folds of one cross-validation share."""
        return replace(self, fold=0).key

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
        fields = dict(fields)
        spec = dict(fields.pop("selector"))
        for name in ("alphas", "betas"):
            spec[name] = tuple(spec[name])
        for name in ("sizes", "learners"):
            fields[name] = tuple(fields[name])
        return cls(selector=SelectorSpec(**spec), **fields)


def evaluation_settings(learners: tuple[str, ...], tune: str) -> dict[str, Any]:
    """How rankings are evaluated, beyond what a plan says."""
    settings: dict[str, Any] = {
        "version": RESULTS_VERSION,
        "learners": {name: learner_settings(name) for name in learners},
    }
    return settings | ({"tuning": [TUNING_FOLDS, "knn"]} if tune == "inside" else {})


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the learners made of one or more rankings on one fold.

    The first axis of ``weights`` (alpha and beta, NaN where the selector has none or keeps its
    own), ``rankings``, ``predictions`` (ranking × size × test row), ``nmi`` (of the k-means
    clusters, if asked for) and ``redundancy`` (mean |r| of two features, on the rows they were
    chosen from) is that of the rankings. ``seconds`` is the processor time of the selection.
    """

    weights: Floats
    rankings: Indices
    y_test: Indices
    predictions: Mapping[str, Indices]
    nmi: Floats | None
    redundancy: Floats
    seconds: float

    def to_bytes(self) -> bytes:
        """The arrays as a compressed ``.npz`` file."""
        buffer = BytesIO()
        arrays: dict[str, Any] = {
            "weights": self.weights,
            "rankings": self.rankings.astype(np.uint32),
            "y_test": self.y_test.astype(np.uint16),
            "redundancy": self.redundancy.astype(np.float32),
            "seconds": np.float64(self.seconds),
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
            redundancy=arrays["redundancy"].astype(np.float64),
            seconds=float(arrays["seconds"]),
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


def evaluate_run(run: Run, X: Floats, y: Indices, folder: str | None = None) -> Outcome:
    """Rank the features on the training fold and score the ranking on the test fold.

    A pure function of its arguments, but for the time it takes, so it may run in any process of any
    machine. Selectors that are not of the package are also looked for in ``folder``.
    """
    train, test = list(stratified_folds(y, run.n_folds, random_state=run.seed))[run.fold]
    seen = train if run.protocol == "inside" else np.arange(len(y))
    start = process_time()
    weights, rankings = _rank(run, X[seen], y[seen], folder)
    seconds = process_time() - start
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
                learners={name: BENCH_LEARNERS[name] for name in run.learners},
                sizes=sizes[~shared].tolist(),
            )
            for name, new in (*fold.predictions.items(), *fold.nmi.items()):
                found[name][i, ~shared] = new
    nmi = found.pop("kmeans", None)
    redundancy = np.array([prefix_redundancy(X[seen][:, ranked], sizes) for ranked in rankings])
    return Outcome(weights, rankings, y[test], found, nmi, redundancy, seconds)


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


def _rank(run: Run, X: Floats, y: Indices, folder: str | None) -> tuple[Floats, Indices]:
    """The weights and the rankings of a run, from the rows given."""
    spec, weights = run.selector, np.full((1, 2), np.nan)
    parameters = dict(spec.parameters)
    if spec.alphas:
        weights = np.array([(alpha, beta) for alpha in spec.alphas for beta in spec.betas])
        if spec.tune == "none":
            return weights, _grid_rankings(run, X, y)
        weights = weights[[choose_weights(run, X, y)]]
        parameters["alpha"], parameters["beta"] = weights[0]
    selector = make_selector(spec.method, parameters, run.sizes[-1], run.seed, folder)
    with inner_fit():
        return weights, np.array([selector.fit(X, y).indices_])


def _grid_rankings(run: Run, X: Floats, y: Indices) -> Indices:
    spec, k = run.selector, run.sizes[-1]
    with inner_fit():
        paths = s2fs_paths(X, y, k, spec.alphas, spec.betas, **spec.parameters)
    if (paths.indices < 0).any():
        raise ValueError(
            f"max_correlation leaves fewer features than the {k} that sizes goes up to; lower "
            "sizes, or raise it."
        )
    return paths.indices.reshape(-1, k)
