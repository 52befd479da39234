"""The paper's numbers, and the results of ours that they may stand beside."""

import csv
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from s2fs_bench.paper.datasets import PAPER_DATASETS
from s2fs_bench.plan import Plan, SelectorSpec, load_plan
from s2fs_bench.results import Result

#: The weighting of S²FS is what the paper varies, so it may be any.
_WEIGHTING = ("alpha", "beta")


@cache
def published_results() -> dict[tuple[str, str, str, str], float]:
    """Read the numbers of the paper's Tables 2 to 5, which ship with the package.

    Returns
    -------
    dict
        Values by learner ("cart", "knn", "svm" or "kmeans"), statistic ("max" or "ave"), dataset
        and algorithm, the last two as the paper writes them (S²FS as "S2FS").

    Examples
    --------
    >>> from s2fs_bench import published_results
    >>> len(published_results()), published_results()["knn", "max", "SRBCT", "S2FS"]
    (720, 1.0)
    """
    text = (files(__package__) / "results.csv").read_text("utf-8")
    return {
        (row["learner"].lower(), row["statistic"], row["dataset"], row["algorithm"]): float(
            row["value"]
        )
        for row in csv.DictReader(text.splitlines())
    }


def differences_from_paper(result: Result) -> Iterator[str]:
    """What sets a result apart from the paper's experiment of the same name, in words.

    A published number stands beside a result only if there is nothing.
    """
    run, plan = result.run, _paper_plan()
    if run.score != plan.score:
        yield f"{run.score.replace('_', ' ')} instead of {plan.score}"
    if run.protocol != plan.protocol:
        yield "features selected before the split instead of inside the folds"
    if run.n_folds != plan.folds:
        yield f"{run.n_folds} folds instead of {plan.folds}"
    if run.sizes != tuple(range(1, int(plan.sizes) + 1)):  # type: ignore[arg-type]
        first, last = run.sizes[0], run.sizes[-1]
        few = "" if len(run.sizes) == last - first + 1 else f", {len(run.sizes)} of them,"
        yield f"sizes {first} to {last}{few} instead of 1 to {plan.sizes}"
    content = _content_hashes().get(run.dataset_title)
    if content is None:
        yield f"the hash of the paper's {run.dataset_title} is not known"
    elif content != run.data_hash:
        yield f"{run.dataset_title} holds other data than the paper's table of that name"
    if not any(_is_same(result.selector, known) for known in plan.selectors):
        yield f"{result.selector.name} has another class or other parameters than in the plan paper"


def why_unpublished(results: Iterable[Result]) -> str:
    """One sentence on the published numbers that the names promise and that are left out.

    Empty if there are none.
    """
    named = {(dataset, algorithm) for _, _, dataset, algorithm in published_results()}
    reasons: dict[str, None] = {}
    for result in results:
        if (result.run.dataset_title, result.selector.name) in named:
            reasons.update(dict.fromkeys(differences_from_paper(result)))
    if not reasons:
        return ""
    return f"Published numbers are left out where the experiment differs: {'; '.join(reasons)}."


@cache
def _paper_plan() -> Plan:
    return load_plan("paper")


@cache
def _content_hashes() -> dict[str, str | None]:
    return {info.title: info.content for info in PAPER_DATASETS.values()}


def _is_same(spec: SelectorSpec, known: SelectorSpec) -> bool:
    given = {k: v for k, v in spec.parameters.items() if k not in _WEIGHTING}
    return (spec.name, spec.method, given) == (known.name, known.method, dict(known.parameters))
