"""From Dask collections to a problem whose samples stay on the cluster."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from distributed import futures_of
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from s2fs._utils.columns import reject_columns
from s2fs._utils.dask_inputs import is_dask
from s2fs._utils.labels import reject_one_class
from s2fs._utils.messages import format_count
from s2fs._utils.types import Floats
from s2fs.criteria.problem import Problem, Scaling
from s2fs.criteria.separability import CentroidMembership, Compactness, Scale
from s2fs.criteria.weights import ClassWeight, reject_extreme_weights, row_weights
from s2fs.dask import inputs
from s2fs.dask.chunks import add_up
from s2fs.dask.cluster import Cluster
from s2fs.dask.shard import build_shard
from s2fs.dask.survey import Survey, merge_surveys, sum_classes, sum_squares, survey_chunks


class ClusterProblem:
    """What stays fixed during a search over samples that are elsewhere.

    Parameters
    ----------
    cluster : Cluster
        Where the samples are.
    chunks : list of list of Future
        The chunks of each shard, see :class:`~s2fs.dask.chunks.Chunk`.
    survey : Survey
        The merged survey of all shards.
    scale : {"standard", "minmax", None}
        As in :class:`~s2fs.criteria.problem.Problem`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    centroids : Problem
        A problem whose samples are the class centroids. Whatever depends on these alone can be
        asked of a state on it, and what that allocates per sample is small.
    """

    def __init__(
        self, cluster: Cluster, chunks: list[list[Any]], survey: Survey, scale: Scale
    ) -> None:
        self.cluster = cluster
        self._chunks = chunks
        self.classes = survey.classes
        scaling = Scaling.of(
            (survey.lower, survey.upper),
            survey.weight_of_class,
            scale,
            lambda centre: self._sum_classes(survey, centre),
            lambda centre, extent: self._sum_squares(survey.lower, centre, extent),
        )
        means = scaling.lower + scaling.centroids.T * scaling.width
        own = np.arange(len(self.classes))
        self.centroids = Problem(means, own, None, survey.weight_of_class, scaling=scaling)

    @property
    def varying(self) -> NDArray[np.bool_]:
        """Mask of the features that are not constant."""
        return self.centroids.varying

    def build_shards(self, options: tuple[CentroidMembership, Compactness]) -> list[Any]:
        """Futures of the shards; the chunks are theirs from now on."""
        # The unit is put back on the client: single precision may not hold it.
        scaled = self.cluster.broadcast((self.classes, self.centroids.scaling._replace(unit=1.0)))
        chunks, self._chunks = self._chunks, []
        return self.cluster.map(build_shard, chunks, scaled=scaled, options=options)

    def _sum_classes(self, survey: Survey, centre: Floats) -> Floats:
        if not centre.any():
            return survey.sums
        arguments = self.cluster.broadcast((self.classes, survey.lower, centre))
        return self._sum_over_chunks(sum_classes, arguments)

    def _sum_squares(self, *arguments: Floats) -> Floats:
        return self._sum_over_chunks(sum_squares, self.cluster.broadcast(arguments))

    def _sum_over_chunks(self, task: Any, arguments: Any) -> Floats:
        """The sum over all shards of what a task gives on each: one map and one reduction."""
        parts = self.cluster.map(task, self._chunks, arguments=arguments)
        return np.asarray(self.cluster.reduce(parts, add_up))


def survey_problem(
    selector: Any, client: Any, X: Any, y: Any, sample_weight: Any = None
) -> ClusterProblem:
    """Survey the samples of a Dask collection where they are; arguments as of ``make_state``."""
    cluster = Cluster(client)
    lazy_chunks, sizes, _ = prepare_chunks(selector, cluster, X, y, sample_weight)
    chunks = _place_chunks(cluster, lazy_chunks, sizes, stay=bool(futures_of(X)))
    survey = cluster.reduce(cluster.map(survey_chunks, chunks), merge_surveys)
    if survey is None:
        raise make_too_few_error(0)
    is_nan = np.isnan(survey.lower)
    is_infinite = ~np.isfinite(survey.lower + survey.upper) & ~is_nan
    reject_extreme_weights(np.array([survey.lightest, survey.heaviest]))
    wrong = {"NaN": is_nan, "infinity": is_infinite}
    check_samples(selector, survey.n_samples, survey.classes, wrong)
    return ClusterProblem(cluster, chunks, survey, selector.scale)


def prepare_chunks(
    selector: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any, *, apart: bool = False
) -> tuple[list[Any], list[int] | None, Mapping[Any, float]]:
    """The chunks with labels and weights, their lengths if known, and the factors of the classes.

    Chunks are not computed yet. The weights of the samples are multiplied by the factors of their
    classes, unless these are to stay ``apart``; samples of a class with the factor 0 are left out
    anyway.
    """
    inputs.check_columns(selector, X)
    if y is None:
        raise ValueError("y is None; give the class of each sample.")
    cluster.check_versions()
    chunks, sizes = inputs.split_samples(X), inputs.get_chunk_sizes(X)
    if sizes is None and not (is_dask(y) and (sample_weight is None or is_dask(sample_weight))):
        sizes = cluster.gather(cluster.compute(inputs.count_chunk_samples(chunks)))
    labels = inputs.split_like(y, "y", sizes, chunks)
    weights = inputs.split_like(sample_weight, "sample_weight", sizes, chunks)
    factors: Mapping[Any, float] = {}
    if selector.class_weight is not None:
        masses = cluster.gather(cluster.compute(inputs.sum_chunk_labels(labels, weights)))
        factors = _compute_class_factors(selector.class_weight, masses)
    applied = factors
    if apart:
        applied = {label: float(factor > 0) for label, factor in factors.items()}
    return inputs.make_chunks(chunks, labels, weights, applied), sizes, factors


def check_samples(
    selector: Any, n_samples: int, classes: NDArray[Any], wrong: Mapping[str, NDArray[np.bool_]]
) -> None:
    """Raise if a search is impossible; ``wrong`` marks the columns that hold NaN or infinity."""
    if n_samples < 2:
        raise make_too_few_error(n_samples)
    check_classification_targets(classes)
    reject_one_class(classes)
    columns = {value: np.flatnonzero(mask).tolist() for value, mask in wrong.items()}
    names = getattr(selector, "feature_names_in_", None)
    reject_columns(columns, names, selector.n_features_in_)


def make_too_few_error(n_samples: int) -> ValueError:
    """The error for a table without two samples."""
    return ValueError(f"X has {format_count(n_samples, 'sample')} that count; give at least two.")


def _place_chunks(
    cluster: Cluster, lazy_chunks: list[Any], sizes: list[int] | None, *, stay: bool
) -> list[list[Any]]:
    """Futures of the chunks, by the worker that is to keep them.

    Chunks that are on the cluster already stay where they are. Others are dealt out in runs of
    neighbours, as many samples to each worker as it has threads.
    """
    threads = cluster.count_threads()
    if stay:
        futures = cluster.compute(lazy_chunks)
        cluster.wait(futures)
        holders = cluster.client.who_has(futures)
        shards: dict[str, list[Any]] = {}
        for future in futures:
            shards.setdefault(min(holders[future.key], default=""), []).append(future)
        return list(shards.values())
    size = np.array(sizes if sizes and sum(sizes) else [1] * len(lazy_chunks))
    middle = (np.cumsum(size) - size / 2) / size.sum()
    share = np.cumsum(list(threads.values())) / sum(threads.values())
    keeper = np.minimum(np.searchsorted(share, middle), len(threads) - 1)
    runs = [(worker, np.flatnonzero(keeper == i)) for i, worker in enumerate(threads)]
    return [
        cluster.compute([lazy_chunks[i] for i in run], worker) for worker, run in runs if len(run)
    ]


def _compute_class_factors(
    class_weight: ClassWeight, masses: list[dict[Any, float]]
) -> dict[Any, float]:
    """What the samples of each class are multiplied by, from the weight of each label per chunk."""
    total: Counter[Any] = Counter()
    for of_chunk in masses:
        total.update(of_chunk)
    classes = sorted(total)
    mass = np.array([total[label] for label in classes])
    weighted = row_weights(mass, class_weight, np.array(classes))
    factors = np.divide(weighted, mass, out=np.zeros_like(mass), where=mass > 0)
    return dict(zip(classes, factors.tolist(), strict=True))
