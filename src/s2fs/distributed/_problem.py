"""From Dask collections to a problem whose rows stay on the cluster."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from distributed import futures_of
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from s2fs._core.criterion import CentroidMembership, Compactness
from s2fs._core.problem import Problem, Scale, Scaling
from s2fs._core.weights import ClassWeight, reject_extreme_weights, row_weights
from s2fs._util.inputs import is_dask, reject_columns, reject_one_class
from s2fs._util.types import Floats
from s2fs.distributed import _collections as collections
from s2fs.distributed import _rows as on_rows
from s2fs.distributed import _shard as on_shard
from s2fs.distributed._cluster import Cluster


class ClusterProblem:
    """What stays fixed during a search over rows that are elsewhere.

    Parameters
    ----------
    cluster : Cluster
        Where the rows are.
    rows : list of list of Future
        The chunks of each shard, see :class:`~s2fs.distributed._rows.Rows`.
    survey : Survey
        The merged survey of all shards.
    scale : {"minmax", None}
        As in :class:`~s2fs._core.problem.Problem`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    centroids : Problem
        A problem whose rows are the class centroids. Whatever depends on these alone can be asked
        of a state on it, and what that allocates per row is small.
    """

    def __init__(
        self, cluster: Cluster, rows: list[list[Any]], survey: on_rows.Survey, scale: Scale
    ) -> None:
        self.cluster = cluster
        self._rows = rows
        self.classes = survey.classes
        scaling = Scaling.of(
            (survey.lower, survey.upper),
            survey.weight_of_class,
            scale,
            lambda centre: self._class_sums(survey, centre),
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
        # The unit is put back on the driver: single precision may not hold it.
        known = self.cluster.hand_out((self.classes, self.centroids.scaling._replace(unit=1.0)))
        rows, self._rows = self._rows, []
        return self.cluster.map(on_shard.build, rows, known=known, options=options)

    def _class_sums(self, survey: on_rows.Survey, centre: Floats) -> Floats:
        if not centre.any():
            return survey.sums
        asked = self.cluster.hand_out((self.classes, survey.lower, centre))
        parts = self.cluster.map(on_rows.shard_sums, self._rows, asked=asked)
        (total,) = self.cluster.gather([self.cluster.submit(on_rows.add_up, parts)])
        return total


def cluster_problem(
    selector: Any, client: Any, X: Any, y: Any, sample_weight: Any = None
) -> ClusterProblem:
    """Survey the rows of a Dask collection where they are; arguments as of ``cluster_state``."""
    cluster = Cluster(client)
    ready, sizes, _ = chunks_of(selector, cluster, X, y, sample_weight)
    rows = _placed(cluster, ready, sizes, stay=bool(futures_of(X)))
    surveys = cluster.map(on_rows.survey, rows)
    (survey,) = cluster.gather([cluster.submit(on_rows.merge, surveys)])
    if survey is None:
        raise too_few_rows(0)
    nan = np.isnan(survey.lower)
    wrong = {"NaN": nan, "infinity": ~np.isfinite(survey.lower + survey.upper) & ~nan}
    reject_extreme_weights(np.array([survey.lightest, survey.heaviest]))
    check_rows(selector, survey.n_rows, survey.classes, wrong)
    return ClusterProblem(cluster, rows, survey, selector.scale)


def chunks_of(
    selector: Any, cluster: Cluster, X: Any, y: Any, sample_weight: Any, *, apart: bool = False
) -> tuple[list[Any], list[int] | None, Mapping[Any, float]]:
    """The row chunks with labels and weights, not computed yet, and their lengths if known.

    At last the factors of the classes. The weights of the rows are multiplied by them, unless they
    are to stay ``apart``; rows of a class with the factor 0 are left out anyway.
    """
    collections.check_columns(selector, X)
    if y is None:
        raise ValueError("y is None; give the class of each row.")
    cluster.check_versions()
    chunks, sizes = collections.row_chunks(X), collections.chunk_sizes(X)
    if sizes is None and not (is_dask(y) and (sample_weight is None or is_dask(sample_weight))):
        sizes = cluster.gather(cluster.compute(collections.lengths(chunks)))
    labels = collections.along(y, "y", sizes, chunks)
    weights = collections.along(sample_weight, "sample_weight", sizes, chunks)
    factors: Mapping[Any, float] = {}
    if selector.class_weight is not None:
        masses = cluster.gather(cluster.compute(collections.label_weights(labels, weights)))
        factors = _per_class(selector.class_weight, masses)
    inside = {label: float(factor > 0) for label, factor in factors.items()} if apart else factors
    return collections.as_rows(chunks, labels, weights, inside), sizes, factors


def check_rows(
    selector: Any, n_rows: int, classes: NDArray[Any], wrong: Mapping[str, NDArray[np.bool_]]
) -> None:
    """Raise if what the workers found cannot be searched; ``wrong`` marks columns by what is."""
    if n_rows < 2:
        raise too_few_rows(n_rows)
    check_classification_targets(classes)
    reject_one_class(classes)
    reject_columns(
        {what: np.flatnonzero(where).tolist() for what, where in wrong.items()},
        getattr(selector, "feature_names_in_", None),
        selector.n_features_in_,
    )


def too_few_rows(n_rows: int) -> ValueError:
    """The error for a table without two rows."""
    return ValueError(f"X has {n_rows} row(s) that count; give at least two.")


def _placed(
    cluster: Cluster, ready: list[Any], sizes: list[int] | None, *, stay: bool
) -> list[list[Any]]:
    """Futures of the chunks, by the worker that is to keep them.

    Chunks that are on the cluster already stay where they are. Others are dealt out in runs of
    neighbours, as many rows to each worker as it has threads.
    """
    threads = cluster.threads()
    if stay:
        futures = cluster.compute(ready)
        cluster.wait(futures)
        holders = cluster.client.who_has(futures)
        shards: dict[str, list[Any]] = {}
        for future in futures:
            shards.setdefault(min(holders[future.key], default=""), []).append(future)
        return list(shards.values())
    size = np.array(sizes if sizes and sum(sizes) else [1] * len(ready))
    middle = (np.cumsum(size) - size / 2) / size.sum()
    share = np.cumsum(list(threads.values())) / sum(threads.values())
    keeper = np.minimum(np.searchsorted(share, middle), len(threads) - 1)
    runs = [(worker, np.flatnonzero(keeper == i)) for i, worker in enumerate(threads)]
    return [cluster.compute([ready[i] for i in run], worker) for worker, run in runs if len(run)]


def _per_class(class_weight: ClassWeight, masses: list[dict[Any, float]]) -> dict[Any, float]:
    """What the rows of each class are multiplied by, from the weight of each label per chunk."""
    total: Counter[Any] = Counter()
    for found in masses:
        total.update(found)
    classes = sorted(total)
    mass = np.array([total[label] for label in classes])
    weighted = row_weights(mass, class_weight, np.array(classes))
    factors = np.divide(weighted, mass, out=np.zeros_like(mass), where=mass > 0)
    return dict(zip(classes, factors.tolist(), strict=True))
