"""One run: a selector on one fold, scored by all learners at all sizes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from s2fs import S2FS
from s2fs._utils.types import Floats, Indices
from s2fs._utils.version import __version__
from s2fs.baselines import AnovaF
from s2fs.criteria.correlation import prefix_redundancy
from s2fs.evaluation import FoldResult, Protocol, evaluate_fold, stratified_folds
from s2fs.selectors.base import fit_selector
from s2fs.selectors.paths import find_paths
from s2fs.selectors.prefixes import (
    Split,
    choose_prefix,
    find_shared_prefixes,
    make_prefix_scorer,
    score_prefixes,
)
from s2fs_bench.exchange import RANKINGS, read_ranking
from s2fs_bench.learners.registry import BENCH_LEARNERS, SCORES, learner_settings
from s2fs_bench.methods import make_selector
from s2fs_bench.plan import SelectorSpec, Tuning

#: To be raised whenever the same ranking may give other numbers than before.
RESULTS_VERSION = 3
#: Folds within the training samples by which 5 nearest neighbours choose the weights.
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
        Which samples it ranks them on.
    fold, n_folds, seed : int
        Which of how many folds, and the seed of the split and of the selector.
    sizes : tuple of int
        The sizes of prefix.
    learners : tuple of str
        What scores the prefixes.
    parameters : dict
        All parameters of the selector, with those that the plan leaves at their defaults. What the
        plan gives is part of ``selector``, and the defaults belong to ``algorithm``: a parameter
        that is added, or deleted, makes no other run of it.
    algorithm : str
        The version of the selector's algorithm.
    settings : dict
        How rankings are evaluated: settings of the learners, and a version.
    status : str
        How sure the algorithm is: "confirmed", "partly reconstructed", "reconstructed",
        "wrapper" or, of a class that is not of this package, "own".
    n_features : int
        How many features the data has.
    dataset_title : str
        The name of the data in tables and figures.
    score : str
        What tables show.
    version : str
        The code that computed it. This, ``parameters``, ``status``, ``n_features``,
        ``dataset_title`` and ``score`` are not part of the key.
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
        for name in ("parameters", "status", "n_features", "dataset_title", "score", "version"):
            del decides[name]
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()

    @property
    def short_lists(self) -> str:
        """What is done with a list shorter than the largest size: "keep" or "complete" it."""
        return str(self.settings.get("short_lists", "keep"))

    @property
    def cross_validation(self) -> str:
        """A key that all folds of one cross-validation share."""
        return replace(self, fold=0).key

    @property
    def n_rankings(self) -> int:
        """How many rankings it gives: of a grid, one for each weighting."""
        spec = self.selector
        return len(spec.alphas) * len(spec.betas) if spec.weights == "grid" else 1

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> "Run":
        """The run whose fields, as JSON has them, are given; ValueError if they are damaged.

        Parameters
        ----------
        fields : dict
            The values by the names of the fields.

        Returns
        -------
        Run
            The run with these fields.
        """
        try:
            spec = {**fields["selector"]}
            for name in ("alphas", "betas"):
                spec[name] = tuple(spec[name])
            run = cls(
                **{
                    **fields,
                    "selector": SelectorSpec(**spec),
                    "sizes": tuple(fields["sizes"]),
                    "learners": tuple(fields["learners"]),
                }
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"a run lacks a field, or has a wrong one ({error})") from None
        _check_run(run)
        return run


def _check_run(run: Run) -> None:
    """Raise if a field of a run that was read from a file holds something else than it should."""
    spec = run.selector
    texts = ("dataset", "data_hash", "algorithm", "status", "dataset_title", "score", "version")
    counts = (*run.sizes, run.n_folds, run.fold, run.seed, run.n_features)
    weights = (*spec.alphas, *spec.betas)
    is_sound = (
        all(isinstance(getattr(run, name), str) for name in texts)
        and all(isinstance(text, str) for text in (spec.name, spec.method))
        and all(isinstance(table, dict) for table in (spec.parameters, run.parameters))
        and isinstance(run.settings, dict)
        and isinstance(run.settings.get("version", 0), int)
        and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in counts)
        and len(run.sizes) > 0
        and all(a < b for a, b in pairwise((0, *run.sizes)))
        and run.fold < run.n_folds
        and all(isinstance(w, (int, float)) and np.isfinite(w) for w in weights)
        and bool(spec.alphas) == bool(spec.betas)
        and spec.tune in get_args(Tuning)
        and run.protocol in get_args(Protocol)
        and run.score in SCORES
        and len(run.learners) > 0
        and all(isinstance(name, str) and name in BENCH_LEARNERS for name in run.learners)
    )
    if not is_sound:
        raise ValueError("a run has a field of a wrong kind")


def load_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an ``.npz`` file, never pickled ones; ValueError whatever is wrong with it."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except MemoryError:
        raise ValueError("it declares arrays larger than the memory") from None
    # What damaged content makes zipfile, zlib and NumPy raise has no common base.
    except Exception as error:
        raise ValueError(f"it is no .npz file that NumPy can read ({error})") from None
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise ValueError("it holds something else than arrays")
    return arrays


def _get_array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...], kinds: str
) -> NDArray[Any]:
    """An array of a results file; ValueError if it is missing, or of another shape or type."""
    if name not in arrays:
        raise ValueError(f"it has no array {name!r}")
    array = arrays[name]
    fits = len(array.shape) == len(shape) and all(
        wanted in (None, n) for wanted, n in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in kinds:
        raise ValueError(f"its array {name!r} has the shape {array.shape} of {array.dtype}")
    return array


def evaluation_settings(
    learners: tuple[str, ...], tune: str, short_lists: str = "keep"
) -> dict[str, Any]:
    """How rankings are evaluated, beyond what a plan says."""
    settings: dict[str, Any] = {
        "version": RESULTS_VERSION,
        "learners": {name: learner_settings(name) for name in learners},
    }
    if short_lists != "keep":
        settings["short_lists"] = short_lists
    return settings | ({"tuning": [TUNING_FOLDS, "knn"]} if tune == "inside" else {})


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the learners made of one or more rankings on one fold.

    The first axis of ``weights`` (alpha and beta, NaN where the selector has none or keeps its
    own), ``rankings``, ``predictions`` (ranking × size × test sample), ``nmi`` (of the k-means
    clusters, if asked for) and ``redundancy`` (mean |r| of two features, on the samples they
    were selected from) is that of the rankings. ``seconds`` is the processor time of the selection,
    and ``lengths`` says how many features of each ranking are the selector's own.
    """

    weights: Floats
    rankings: Indices
    y_test: Indices
    predictions: Mapping[str, Indices]
    nmi: Floats | None
    redundancy: Floats
    seconds: float
    lengths: Indices

    def to_bytes(self) -> bytes:
        """The arrays as a compressed ``.npz`` file."""
        buffer = BytesIO()
        arrays: dict[str, Any] = {
            "weights": self.weights,
            "rankings": self.rankings.astype(np.uint32),
            "y_test": self.y_test.astype(np.uint16),
            "redundancy": self.redundancy.astype(np.float32),
            "seconds": np.float64(self.seconds),
            "lengths": self.lengths.astype(np.uint32),
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
    def from_bytes(cls, content: bytes, run: Run) -> "Outcome":
        """The outcome of a run that :meth:`to_bytes` wrote; ValueError if it is damaged."""
        arrays = load_arrays(content)
        shape = (run.n_rankings, len(run.sizes))
        rankings = _get_array(arrays, "rankings", (run.n_rankings, None), "iu")
        y_test = _get_array(arrays, "y_test", (None,), "iu")
        classifiers = [name for name in run.learners if name != "kmeans"]
        outcome = cls(
            weights=_get_array(arrays, "weights", (run.n_rankings, 2), "f"),
            rankings=rankings.astype(np.intp),
            y_test=y_test.astype(np.intp),
            predictions={
                name: _get_array(arrays, f"by_{name}", (*shape, len(y_test)), "iu")
                for name in classifiers
            },
            nmi=_get_array(arrays, "nmi", shape, "f") if "kmeans" in run.learners else None,
            redundancy=_get_array(arrays, "redundancy", shape, "f").astype(np.float64),
            seconds=float(_get_array(arrays, "seconds", (), "f")),
            lengths=_get_array(arrays, "lengths", (run.n_rankings,), "iu"),
        )
        in_range = not rankings.size or rankings.max() < run.n_features
        finite = outcome.nmi is None or np.isfinite(outcome.nmi).all()
        if not (in_range and finite and len(y_test) and 1 <= rankings.shape[1] <= run.sizes[-1]):
            raise ValueError("its numbers are out of range")
        return outcome

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
    selected_from = train if run.protocol == "inside" else np.arange(len(y))
    start = process_time()
    weights, rankings = _rank(run, X[selected_from], y[selected_from], folder)
    seconds = process_time() - start
    lengths = np.full(len(rankings), rankings.shape[1])
    if run.short_lists == "complete":
        rankings = _complete(rankings, X[selected_from], y[selected_from], run.sizes[-1])
    # A list that has ended is scored as it is at every larger size.
    sizes, places = np.unique(np.minimum(run.sizes, rankings.shape[1]), return_inverse=True)
    shape = (len(rankings), len(sizes))
    by_learner: dict[str, Any] = {
        name: np.empty(shape) if name == "kmeans" else np.empty((*shape, len(test)), np.intp)
        for name in run.learners
    }
    for i, (earlier, shared) in enumerate(find_shared_prefixes(rankings, sizes)):
        for values in by_learner.values():
            values[i, shared] = values[earlier, shared]
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
                by_learner[name][i, ~shared] = new
    by_learner = {name: values[:, places] for name, values in by_learner.items()}
    nmi = by_learner.pop("kmeans", None)
    redundancy = np.array(
        [prefix_redundancy(X[selected_from][:, ranked], sizes) for ranked in rankings]
    )
    return Outcome(
        weights, rankings, y[test], by_learner, nmi, redundancy[:, places], seconds, lengths
    )


def choose_weights(run: Run, X: Floats, y: Indices) -> int:
    """Choose a weighting of the grid by cross-validation within the samples given.

    The best has the highest accuracy of 5 nearest neighbours over all samples, averaged over the
    sizes; among equals it is the first, with the smallest alpha and then beta.
    """
    folds = list(stratified_folds(y, TUNING_FOLDS, random_state=run.seed))
    scores = [
        score_prefixes(
            Split(X, y, train, test),
            _grid_rankings(run, X[train], y[train]),
            np.array(run.sizes),
            scorer=make_prefix_scorer(BENCH_LEARNERS["knn"]),
            scale=True,
        )
        for train, test in folds
    ]
    # Every sample counts the same, though folds differ in size.
    mean = np.average(scores, axis=0, weights=[len(test) for _, test in folds])
    return choose_prefix(mean.mean(axis=1, keepdims=True))[0]


def _rank(run: Run, X: Floats, y: Indices, folder: str | None) -> tuple[Floats, Indices]:
    """The weights and the rankings of a run, from the samples given."""
    spec, weights = run.selector, np.full((1, 2), np.nan)
    parameters = dict(spec.parameters)
    if spec.method == RANKINGS:
        place = Path(folder or ".") / parameters["folder"]
        ranked = read_ranking(place, run.dataset, run.seed, run.fold, X.shape[1])
        return weights, ranked[None, : run.sizes[-1]]
    if spec.alphas:
        weights = np.array([(alpha, beta) for alpha in spec.alphas for beta in spec.betas])
        if spec.tune == "none":
            return weights, _grid_rankings(run, X, y)
        weights = weights[[choose_weights(run, X, y)]]
        parameters["alpha"], parameters["beta"] = weights[0]
    selector = make_selector(spec.method, parameters, run.sizes[-1], run.seed, folder)
    selected = fit_selector(selector, X, y).indices_
    return weights, _check_list(selected, X.shape[1])[None, : run.sizes[-1]]


def _check_list(selected: Any, n_features: int) -> Indices:
    """The features that a selector gave, or an error that says why they are no ranking."""
    ranked = np.asarray(selected)
    if ranked.ndim != 1 or not len(ranked) or ranked.dtype.kind not in "iu":
        raise ValueError("indices_ holds no positions of features; give at least one.")
    if ranked.min() < 0 or ranked.max() >= n_features or len(np.unique(ranked)) < len(ranked):
        raise ValueError(
            f"indices_ has a position twice, or one outside 0 to {n_features - 1}; give each "
            "selected feature once."
        )
    return ranked.astype(np.intp)


def _complete(rankings: Indices, X: Floats, y: Indices, k: int) -> Indices:
    """Short lists, continued by the F statistic of the features that are not in them."""
    if rankings.shape[1] == k:
        return rankings
    by_f = AnovaF(X.shape[1]).fit(X, y).indices_
    return np.array([np.concatenate([own, by_f[~np.isin(by_f, own)]])[:k] for own in rankings])


def _grid_rankings(run: Run, X: Floats, y: Indices) -> Indices:
    spec, k = run.selector, run.sizes[-1]
    selector = S2FS(k, **spec.parameters)
    paths = find_paths(selector, X, y, spec.alphas, spec.betas, warn=False)
    if (paths.indices < 0).any():
        raise ValueError(
            f"max_correlation leaves fewer features than the {k} that sizes goes up to; lower "
            "sizes, or raise it."
        )
    return paths.indices.reshape(-1, k)
