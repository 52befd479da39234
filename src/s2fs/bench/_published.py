"""The 720 numbers the paper prints in its Tables 2 to 5."""

import csv
from functools import cache
from importlib.resources import files


@cache
def published_results() -> dict[tuple[str, str, str, str], float]:
    """Read the numbers of the paper's Tables 2 to 5, which ship with the package.

    Returns
    -------
    dict
        Values by learner ("cart", "knn", "svm" or "kmeans"), statistic ("max" or "ave"), dataset
        and algorithm, the last two as the paper prints them (S²FS as "S2FS").

    Examples
    --------
    >>> from s2fs.bench import published_results
    >>> len(published_results()), published_results()["knn", "max", "SRBCT", "S2FS"]
    (720, 1.0)
    """
    text = (files(__package__) / "paper_results.csv").read_text("utf-8")
    return {
        (row["learner"].lower(), row["statistic"], row["dataset"], row["algorithm"]): float(
            row["value"]
        )
        for row in csv.DictReader(text.splitlines())
    }
