"""How much of a table is evaluated: repeats and rows, decided by counted work and never by a clock.

So the same command gives the same answer on any machine.
"""

import numpy as np

from s2fs._utils.types import Indices

#: The most work of an evaluation, in cells × sizes × folds: minutes on one core.
MOST_WORK = 1_000_000_000
#: Of a table a sample has at least so many rows.
FEWEST_ROWS = 500


def plan_work(
    n_samples: int, n_features: int, n_sizes: int, n_splits: int, n_repeats: int
) -> tuple[int, int]:
    """How many repeats, and how many rows, of a table are evaluated.

    Where a table is too large for all of them there are fewer repeats, then fewer rows.

    Parameters
    ----------
    n_samples, n_features : int
        The shape of the table.
    n_sizes : int
        How many numbers of features are tried.
    n_splits, n_repeats : int
        The folds that were asked for.

    Returns
    -------
    tuple of int
        The repeats and the rows.
    """
    of_row = n_features * n_sizes * n_splits
    repeats = min(n_repeats, max(1, MOST_WORK // (n_samples * of_row)))
    if repeats > 1 or n_samples * of_row <= MOST_WORK:
        return repeats, n_samples
    return 1, min(n_samples, max(FEWEST_ROWS, MOST_WORK // of_row))


def draw_rows(codes: Indices, n_rows: int, random_state: int = 0) -> Indices:
    """A stratified sample of rows: the classes keep their shares, and at least two rows each.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    n_rows : int
        About how many to draw.
    random_state : int, default=0
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n_rows,)
        The rows, increasing; all if there are no more.
    """
    n = len(codes)
    if n_rows >= n:
        return np.arange(n)
    # In random order inside the classes, evenly spaced rows have every class in its share.
    shuffled = np.random.default_rng(random_state).permutation(n)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    spaced = by_class[(np.arange(n_rows) * n) // n_rows]
    first = np.searchsorted(codes[by_class], np.unique(codes))
    second = np.minimum(first + 1, n - 1)
    return np.unique(np.concatenate([spaced, by_class[first], by_class[second]]))
