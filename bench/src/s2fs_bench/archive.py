"""Results in one small file to keep: the curves, without the predictions behind them."""

import json
from dataclasses import asdict
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from s2fs._utils.files import write_atomic
from s2fs.evaluation import Curve
from s2fs_bench.ledger import Entry, Ledger
from s2fs_bench.results import Result, complete_results
from s2fs_bench.run import Run, load_arrays

#: To be raised whenever older files can no longer be read.
FORMAT = 3


class Archive:
    """The results that :func:`write_archive` has kept.

    Parameters
    ----------
    path : str or path-like
        The ``.npz`` file.

    Attributes
    ----------
    path : Path
        The file.
    results : list of Result
        As :func:`iter_results` gives them, with the main score of each curve to seven digits.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path} is not there; give a file of bench results.")
        try:
            arrays = load_arrays(self.path.read_bytes())
            about = json.loads(str(arrays.pop("about")))
            if about["format"] != FORMAT:
                raise ValueError("its format is another one")
            self.results = [
                _build_result(fields, i, arrays) for i, fields in enumerate(about["results"])
            ]
            self._seconds = [(int(i), float(spent)) for i, spent in about["seconds"]]
            if any(not 0 <= i < len(self.results) for i, _ in self._seconds):
                raise ValueError("its times belong to no result")
        # RecursionError: JSON that is nested without end.
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{self.path} holds no bench results of this version ({error}); write it with "
                "s2fs bench archive."
            ) from None

    def entries(self) -> list[Entry]:
        """The finished runs with the processor time they took.

        Returns
        -------
        list of Entry
            One entry for each run.
        """
        runs = [result.run for result in self.results]
        return [Entry(runs[i], "done", seconds, None) for i, seconds in self._seconds]

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: all has been read."""


def open_results(path: str | PathLike[str]) -> Ledger | Archive:
    """Open a results file: an archive if the name ends in ``.npz``, else a ledger.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    Ledger or Archive
        To be used in a ``with`` statement.

    Examples
    --------
    >>> import dataclasses, pathlib, tempfile
    >>> from s2fs_bench import Ledger, load_plan, open_results, run_plan, write_archive
    >>> plan = dataclasses.replace(load_plan("quick"), folds=2, sizes=(1, 2), learners=("knn",))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = run_plan(plan, folder / "quick.sqlite")
    >>> with Ledger(folder / "quick.sqlite") as ledger:
    ...     write_archive(ledger, folder / "quick.npz").name
    'quick.npz'
    >>> with open_results(folder / "quick.npz") as archive:
    ...     sorted({result.selector.name for result in archive.results})
    ['ANOVA', 'FDM', 'S2FS']
    """
    return Archive(path) if Path(path).suffix.lower() == ".npz" else Ledger(path)


def write_archive(ledger: Ledger, path: str | PathLike[str]) -> Path:
    """Write the results to an ``.npz`` file that is small enough to keep.

    Parameters
    ----------
    ledger : Ledger
        Where the results are.
    path : str or path-like
        The file to write.

    Returns
    -------
    Path
        The file.
    """
    found = complete_results(ledger)
    first: dict[str, int] = {}  # where the first result of each cross-validation is
    for i, result in enumerate(found):
        first.setdefault(result.run.cross_validation, i)
    spent = [
        (first[key], entry.seconds)
        for entry in ledger.entries()
        if (key := entry.run.cross_validation) in first
    ]
    learners = list(dict.fromkeys(name for result in found for name in result.curves))
    longest = max(len(result.run.sizes) for result in found)
    names = ("stabilities", "redundancies", *(f"by_{name}" for name in learners))
    arrays: dict[str, Any] = {
        name: np.full((len(found), longest), np.nan, np.float32) for name in names
    }
    for i, result in enumerate(found):
        arrays["stabilities"][i, : len(result.stabilities)] = result.stabilities
        arrays["redundancies"][i, : len(result.redundancies)] = result.redundancies
        for name, curve in result.curves.items():
            arrays[f"by_{name}"][i, : len(curve.sizes)] = curve.values
    about = {
        "format": FORMAT,
        "seconds": spent,
        "results": [
            {
                "run": asdict(result.run),
                "weights": result.weights,
                "chosen": result.chosen,
                "seconds": result.seconds,
                "lengths": result.lengths,
                "scores": {name: next(iter(c.scores)) for name, c in result.curves.items()},
            }
            for result in found
        ],
    }
    buffer = BytesIO()
    np.savez_compressed(buffer, about=np.array(json.dumps(about)), **arrays)
    place = Path(path)
    write_atomic(place, buffer.getvalue())
    return place


def _build_result(fields: dict[str, Any], i: int, arrays: dict[str, Any]) -> Result:
    run = Run.from_fields(fields["run"])
    sizes = np.array(run.sizes)

    def row(name: str) -> Any:
        """Double precision without the digits that single precision made up."""
        values = arrays[name][i, : len(sizes)].astype(np.float64).round(7)
        if values.shape != sizes.shape:
            raise ValueError(f"its array {name!r} is too short")
        return values

    curves = {
        name: Curve(name, sizes, {score: row(f"by_{name}")})
        for name, score in fields["scores"].items()
    }
    if not set(curves) <= set(run.learners) or not curves:
        raise ValueError("its learners are not those of the run")
    if not all(np.isfinite(curve.values).all() for curve in curves.values()):
        raise ValueError("a score is not a number")
    weights, seconds = fields["weights"], fields["seconds"]
    return Result(
        run=run,
        weights=None if weights is None else _as_weighting(weights),
        chosen=tuple(map(_as_weighting, fields["chosen"])),
        curves=curves,
        stabilities=row("stabilities"),
        redundancies=row("redundancies"),
        seconds=None if seconds is None else float(seconds),
        lengths=tuple(map(int, fields.get("lengths", ()))),
    )


def _as_weighting(weights: Any) -> tuple[float, float]:
    alpha, beta = weights
    return float(alpha), float(beta)
