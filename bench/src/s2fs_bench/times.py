"""How long one selection takes, by dataset and selector."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from s2fs._utils.types import Floats
from s2fs_bench.results import Result

#: What a table of times says of itself, and of weightings where it has some.
_NOTE = (
    "Processor time of one selection in milliseconds, without the learners: the mean over folds "
    "and seeds."
)
_OF_GRID = (
    " Of a grid of weightings, which are searched together, it is the time of all over their "
    "number."
)
_OF_INSIDE = " A weighting chosen inside counts with its choosing."


@dataclass(frozen=True, eq=False)
class Times:
    """Milliseconds of one selection.

    Attributes
    ----------
    datasets, selectors : tuple of str
        The rows and the columns.
    milliseconds : ndarray of shape (n_datasets, n_selectors)
        NaN where no time was recorded.
    note : str
        What a cell holds, in a sentence or two.
    """

    datasets: tuple[str, ...]
    selectors: tuple[str, ...]
    milliseconds: Floats
    note: str = _NOTE


def selection_times(group: Iterable[Result]) -> Times:
    """Average the time of a single selection over folds, seeds and weightings.

    Parameters
    ----------
    group : iterable of Result
        Results of one setting.

    Returns
    -------
    Times
        A row for each dataset, a column for each selector.
    """
    spent: dict[tuple[str, str], list[float]] = {}
    ways = set()
    for result in group:
        if (seconds := result.selection_seconds) is not None:
            ways.add(result.how)
            inside = " weighting chosen inside" if result.how == "inside" else ""
            selector = f"{result.selector.name.replace('S2', 'S²')}{inside}"
            spent.setdefault((result.run.dataset_title, selector), []).append(1000 * seconds)
    datasets = tuple(dict.fromkeys(dataset for dataset, _ in spent))
    selectors = tuple(dict.fromkeys(selector for _, selector in spent))
    means = np.array(
        [[np.mean(spent.get((d, s), [np.nan])) for s in selectors] for d in datasets]
    ).reshape(len(datasets), len(selectors))
    note = _NOTE + _OF_GRID * ("grid" in ways) + _OF_INSIDE * ("inside" in ways)
    return Times(datasets, selectors, means, note)
