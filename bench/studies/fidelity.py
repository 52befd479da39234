r"""How near each variant of each baseline comes to the numbers published in the S²FS paper.

The specs of the baselines leave choices open; every choice they offer is a variant, listed below.
Most baselines stop after a few features, and a *completion* says how their list goes on. Each
variant with each completion ranks features inside the training folds (shuffled stratified 10-fold),
the learners score the top 1 … 150, the support vector machine with three widths of its kernel, and
Max and Ave over the sizes are compared with the published row. Run

    S2FS_DATA=<folder of .npz files> OMP_NUM_THREADS=1 nice -n 19 \
        python bench/studies/fidelity.py --write-docs

Results go to ``bench/results/fidelity.csv``; what is already there is not run again. The first
split is run on five datasets for everything, then the second for what came near, then both for what
was chosen on the four datasets that take no part in choosing.
"""

import argparse
import csv
import io
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pages import fill_page, signed
from sklearn.cluster._kmeans import _kmeans_single_lloyd
from sklearn.datasets import load_wine
from sklearn.preprocessing import MinMaxScaler

from s2fs import S2FS
from s2fs.baselines import RandomOrder
from s2fs.evaluation import evaluate_fold, pool_folds, stratified_folds
from s2fs_bench import PAPER_LEARNERS, published_results
from s2fs_bench.baselines import FDM, FGZEFSR, FSNMER, IPD, MDP, N3Y, RDSI, SFSS

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Parameters = dict[str, Any]

#: What each spec calls its default, spelt out: the package's own may follow the outcome.
DEFAULTS: dict[type, Parameters] = {
    FDM: {"snorm": "lukasiewicz", "similarity": "sigma"},
    MDP: {"weights": "none", "pairs": "maximal", "similarity": "sigma"},
    IPD: {"variant": "F1", "eps": None},
    FGZEFSR: {"mode": "rank", "sigma": 0.1, "neighbour_weights": False, "share": "class"},
    FSNMER: {"mode": "calibrated", "delta": None},  # 0.1, or 0.2 with "equivalence"
    RDSI: {"decision": "fuzzy", "eps": 0.3},
    SFSS: {"form": "product", "fuzzifier": 2.0},
    N3Y: {"interactivity": "granularity", "delta": None},  # 0.2, or 0.1 with "cmi"
    # The yardsticks: the row that should agree, and what chance gives.
    S2FS: {"alpha": 0.0316, "beta": 0.0316},
    RandomOrder: {},
}
#: The variants, by what they change in the default: one parameter at a time, and the combinations
#: a spec calls likely. RDSI's three other measures are not variants: the article recommends the
#: relative one, which gives the baseline its name.
VARIANTS: dict[type, list[Parameters]] = {
    FDM: [
        {},
        {"similarity": "range"},
        {"snorm": "max"},
        {"similarity": "gaussian"},
        {"similarity": "range", "snorm": "max"},
    ],
    MDP: [
        {},
        {"weights": "inverse"},
        {"weights": "maximal"},
        {"pairs": "lambda"},
        {"similarity": "range"},
        {"pairs": "lambda", "similarity": "range"},
    ],
    IPD: [
        {},
        {"variant": "F1-sum"},
        {"variant": "dependency", "eps": 0.2},
        {"variant": "dependency"},
        {"variant": "F1-max"},
        {"variant": "F2"},
        {"variant": "F1-sum", "eps": 0.2},
    ],
    FGZEFSR: [
        {},
        {"sigma": 0.3, "share": "all"},
        {"sigma": 0.3},
        {"share": "all"},
        {"sigma": 0.15},
        {"neighbour_weights": True},
        {"neighbour_weights": True, "sigma": 0.3, "share": "all"},
        {"order": "dependency"},
        {"mode": "greedy"},
        {"mode": "greedy", "neighbour_weights": True},
    ],
    FSNMER: [
        {},
        {"delta": 0.15},
        {"delta": 0.2},
        {"order": "dependency"},
        {"order": "dependency", "eps": 0.2},
        {"mode": "equivalence"},
        {"mode": "equivalence", "delta": 0.1},
    ],
    RDSI: [{}, {"decision": "crisp"}, {"eps": 0.1}, {"eps": 0.5}],
    SFSS: [{}, {"form": "sum"}, {"fuzzifier": 1.5}, {"fuzzifier": 3.0}],
    N3Y: [
        {},
        {"delta": 0.1},
        {"interactivity": "ambiguity"},
        {"interactivity": "cmi"},
        {"interactivity": "none"},
    ],
    S2FS: [{}],
    RandomOrder: [{"random_state": seed} for seed in range(3)],
}
#: How a list goes on, for the default of a spec and for what the package did before this study;
#: the other variants have the first two.
COMPLETIONS = ("importance", "index", "reverse", "restart", "random")
BEFORE = {FDM: {"similarity": "range"}, IPD: {"variant": "F1-sum"}}
#: Two variants with one meaning: a method that never stops, in its order or against it.
AS_RANKED, WORST_FIRST = "", "worst first"

SEEDS = (0, 1)
CHOOSING = ("SRBCT", "GLIOMA", "ALL-AML-3", "warpAR10P", "Yale")
CONFIRMING = ("ALL-AML-4", "warpPIE10P", "ORL", "Isolet")
N_SIZES = 150
#: A variant is nearer if it is nearer by more than this with both splits.
NEARER = 0.01
GAMMAS: tuple[str | float, ...] = ("scale", "auto", 1.0)


class QuickKMeans(type(PAPER_LEARNERS["kmeans"])):  # type: ignore[misc]
    """The k-means of the bench without scikit-learn's checks, which take most of its time."""

    def fit(self, X: Floats, y: Indices) -> "QuickKMeans":
        """Cluster the rows as ``KMeans(init=rows, n_init=1)`` does."""
        centred = np.ascontiguousarray(X - X.mean(axis=0))
        p, n = int(y.max()) + 1, len(X)
        step = (n - 1) // (p - 1)  # the first centroids are evenly spaced rows
        rows = (n - (p - 1) * step + 1) // 2 - 1 + step * np.arange(p)
        self.labels_, *_ = _kmeans_single_lloyd(
            centred, np.ones(n), centred[rows], tol=1e-4 * X.var(axis=0).mean()
        )
        return self


def check_quick_k_means() -> None:
    """Stop if it is not the k-means of the bench: it rests on a private name of scikit-learn."""
    X, y = load_wine(return_X_y=True)
    X = MinMaxScaler().fit_transform(X)
    for k in range(1, 14):
        theirs = PAPER_LEARNERS["kmeans"].fit_predict(X[:, :k], y)
        np.testing.assert_array_equal(QuickKMeans().fit_predict(X[:, :k], y), theirs)


#: The learners as the published table names them; the machine has a name for each width.
LEARNERS: dict[str, Any] = {
    "CART": PAPER_LEARNERS["cart"],
    "KNN": PAPER_LEARNERS["knn"],
    **{f"SVM {gamma}": partial(PAPER_LEARNERS["svm"], gamma=gamma) for gamma in GAMMAS},
    "KMEANS": QuickKMeans(),
}
PUBLISHED = ("CART", "KNN", "SVM", "KMEANS")
STATISTICS = ("max", "ave")
#: The widths of the kernel that only the forms in question are run with.
OTHER_GAMMAS = [f"SVM {gamma}" for gamma in GAMMAS[1:]]
SCORES = [f"{learner} {statistic}" for learner, statistic in product(LEARNERS, STATISTICS)]

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results" / "fidelity.csv"
PAGE = ROOT / "docs" / "baselines.md"
DISTANCES = ROOT / "bench" / "results" / "fidelity-distances.csv"
SCRIPT = "bench/studies/fidelity.py"


class Form(NamedTuple):
    """A baseline in one of its forms: a variant, and how its list goes on."""

    baseline: str
    variant: str
    completion: str


class Run(NamedTuple):
    """A form on one dataset with one split."""

    seed: int
    form: Form
    dataset: str


Scores = dict[str, float]


def name_of(parameters: Parameters) -> str:
    return ", ".join(f"{key}={value}" for key, value in parameters.items()) or "default"


def stops(baseline: type, variant: Parameters) -> bool:
    """Whether a variant of a baseline returns a few features and no more."""
    mode = variant.get("mode")
    return baseline in (FDM, MDP, IPD, RDSI, SFSS) or mode in ("equivalence", "greedy")


def completions(baseline: type, variant: Parameters) -> tuple[str, ...]:
    """How the list of a variant may go on."""
    if "order" in variant:
        return (WORST_FIRST,)
    if not stops(baseline, variant):
        worst = baseline in (FSNMER, FGZEFSR) and variant == {}
        return (AS_RANKED, WORST_FIRST) if worst else (AS_RANKED,)
    if variant == {}:
        return (*COMPLETIONS, "greedy") if baseline is SFSS else COMPLETIONS
    if variant == BEFORE.get(baseline):
        return COMPLETIONS[:-1]
    # Two modes go on by restart and by the same search in their specs. The second takes hours, and
    # with the order of the columns it was 0.217 away on SRBCT, so it has no other completion here.
    if variant.get("mode") == "greedy":
        return ("greedy",)
    return ("importance", "index", *(["restart"] if "mode" in variant else []))


def forms(baseline: type) -> dict[Form, tuple[Parameters, str]]:
    """Every form of a baseline with its parameters and its completion."""
    return {
        Form(baseline.__name__, name_of(variant), completion): (variant, completion)
        for variant in VARIANTS[baseline]
        for completion in completions(baseline, variant)
    }


def dependency(X: Floats, y: Any, eps: float | None = None) -> Floats:
    """Fuzzy-rough dependency of the class on each feature alone, with 1 − |difference|.

    The mean over the rows of the distance to the nearest row of another class; distances above
    ``eps`` count as 1. Constant columns have no range and get NaN.
    """
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    scaled = (X - low) / np.where(span > 0, span, np.nan)
    others = y[:, None] != y
    total = np.zeros(X.shape[1])
    for x, other in zip(scaled, others, strict=True):
        distance = np.abs(scaled[other] - x).min(axis=0)
        total += distance if eps is None else np.where(distance > eps, 1.0, distance)
    return total / len(X)


class Ranker:
    """The lists of one baseline on one training fold, each search run once."""

    def __init__(self, baseline: type, X: Floats, y: Any, random: Sequence[int]) -> None:
        self.baseline, self.X, self.y, self.random = baseline, X, y, random
        self.fitted: dict[str, Any] = {}

    def fit(self, variant: Parameters, **extra: Any) -> Any:
        """The fitted selector."""
        key = name_of(variant | extra)
        if key not in self.fitted:
            parameters: Parameters = {"n_features_to_select": N_SIZES}
            parameters |= DEFAULTS[self.baseline] | variant | extra
            self.fitted[key] = self.baseline(**parameters).fit(self.X, self.y)
        return self.fitted[key]

    def rank(self, variant: Parameters, completion: str) -> Indices:
        """The first features of a form, at most as many as there are sizes."""
        if "order" in variant:
            return np.argsort(dependency(self.X, self.y, variant.get("eps")))[:N_SIZES]
        if completion == AS_RANKED:
            return np.asarray(self.fit(variant).indices_)
        varying = np.flatnonzero(np.ptp(self.X, axis=0) > 0)
        if completion == WORST_FIRST:
            every = self.fit(variant, n_features_to_select=len(varying)).indices_
            return np.asarray(every[::-1][:N_SIZES])
        if completion in ("importance", "restart", "greedy"):
            return np.asarray(self.fit(variant, completion=completion).indices_)
        searched = self.fit(variant, completion="importance")
        reduct = searched.indices_[: searched.peak_]
        rest = np.setdiff1d(varying, reduct)
        if completion == "reverse":
            rest = rest[::-1]
        elif completion == "random":
            rest = np.random.default_rng(self.random).permutation(rest)
        return np.concatenate([reduct, rest])[:N_SIZES]


def evaluate(
    baseline: type, dataset: str, seed: int, wanted: dict[Form, list[str]], folder: Path
) -> dict[Run, Scores]:
    """Max and Ave of some learners for some forms of a baseline, selection inside the folds."""
    with np.load(folder / f"{dataset.lower().replace('-', '_')}.npz") as file:
        X, y = file["X"].astype(np.float64), file["y"]
    known = forms(baseline)
    folds: dict[Form, list[Any]] = {form: [] for form in wanted}
    for fold, (train, test) in enumerate(stratified_folds(y, 10, random_state=seed)):
        ranker = Ranker(baseline, X[train], y[train], [seed, fold])
        scored: dict[Any, Any] = {}  # forms often give one list
        for form, learners in wanted.items():
            ranking = ranker.rank(*known[form])
            key = ranking.astype(np.intp).tobytes(), *learners
            if key not in scored:
                scored[key] = evaluate_fold(
                    X[train],
                    y[train],
                    X[test],
                    y[test],
                    ranking,
                    learners={name: LEARNERS[name] for name in learners},
                    sizes=min(N_SIZES, len(ranking)),
                )
            folds[form].append(scored[key])
    results = {}
    for form, parts in folds.items():
        curves = pool_folds(parts)
        results[Run(seed, form, dataset)] = {
            f"{name} {statistic}": getattr(curves[name], statistic)
            for name, statistic in product(wanted[form], STATISTICS)
        }
    return results


def read_results() -> dict[Run, Scores]:
    """The runs that are done."""
    done: dict[Run, Scores] = {}
    if RESULTS.exists():
        with RESULTS.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                form = Form(*(row[name] for name in Form._fields))
                run = Run(int(row["seed"]), form, row["dataset"])
                done[run] = {name: float(row[name]) for name in SCORES if row[name]}
    return done


def write_results(done: dict[Run, Scores]) -> None:
    """All runs in a fixed order; the old file stays until the new one is whole."""
    RESULTS.parent.mkdir(exist_ok=True)
    temporary = RESULTS.with_suffix(".tmp")
    with temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("seed", *Form._fields, "dataset", *SCORES))
        for run, scores in sorted(done.items()):
            values = (f"{scores[name]:.5f}" if name in scores else "" for name in SCORES)
            writer.writerow((run.seed, *run.form, run.dataset, *values))
    temporary.replace(RESULTS)


class Study:
    """The results next to the published numbers."""

    def __init__(self, done: dict[Run, Scores], gamma: str | float = "scale") -> None:
        self.done = done
        self.gamma = gamma
        self.published = {
            (algorithm, dataset, learner.upper(), statistic): value
            for (learner, statistic, dataset, algorithm), value in published_results().items()
        }

    def has(self, form: Form, datasets: Sequence[str], seed: int) -> bool:
        """Whether a form has been run on all of the datasets."""
        return all(Run(seed, form, name) in self.done for name in datasets)

    def differences(
        self,
        form: Form,
        datasets: Sequence[str] = CHOOSING,
        seed: int = SEEDS[0],
        like: str | None = None,
        gamma: str | float | None = None,
    ) -> Floats:
        """Our scores less the published ones: dataset × learner × statistic."""
        gamma = self.gamma if gamma is None else gamma
        rows = []
        for name in datasets:
            ours = self.done[Run(seed, form, name)]
            for learner, statistic in product(PUBLISHED, STATISTICS):
                called = f"SVM {gamma}" if learner == "SVM" else learner
                published = self.published[like or form.baseline, name, learner, statistic]
                rows.append(ours[f"{called} {statistic}"] - published)
        return np.reshape(rows, (len(datasets), len(PUBLISHED), len(STATISTICS)))

    def distance(self, form: Form, **options: Any) -> float:
        """Root mean square of the differences."""
        return rms(self.differences(form, **options))

    def candidates(self, baseline: type, seed: int = SEEDS[0]) -> list[Form]:
        """The forms of a baseline that have been run on the datasets for choosing."""
        return [form for form in forms(baseline) if self.has(form, CHOOSING, seed)]

    def both(self, form: Form) -> tuple[float, ...]:
        """The distance with each split; infinite with one that was not run."""
        return tuple(
            self.distance(form, seed=seed) if self.has(form, CHOOSING, seed) else np.inf
            for seed in SEEDS
        )

    def nearest(self, now: Form, others: Sequence[Form]) -> Form:
        """The nearest of the others that is nearer than ``now`` by the rule, or ``now``.

        Of forms that the rule cannot tell from the nearest, the one that changes fewest parameters.
        """
        limit = np.subtract(self.both(now), NEARER)
        nearer = [form for form in others if np.all(np.array(self.both(form)) < limit)]
        if not nearer:
            return now
        best = np.array(self.both(min(nearer, key=lambda form: sum(self.both(form)))))
        level = [f for f in nearer if not np.all(best < np.subtract(self.both(f), NEARER))]
        return min(level, key=lambda f: (f.variant.count("="), sum(self.both(f))))

    def chosen(self, baseline: type) -> Form:
        """What the rule chooses: the completion first, then the variant with what it needs."""
        known = forms(baseline)
        start = spec_default(baseline)
        others = self.candidates(baseline)
        same = [form for form in others if known[form][0] == {} and known[form][1] != "random"]
        completed = self.nearest(start, same)
        return self.nearest(completed, [f for f in others if known[f][1] != "random"])


def spec_default(baseline: type) -> Form:
    """The form its spec calls the default."""
    return next(iter(forms(baseline)))


def package_form(baseline: type, completion: str = "importance") -> Form:
    """The form that is what the package does, with a completion that it offers."""
    params = baseline().get_params()
    for form, (variant, how) in forms(baseline).items():
        wanted = DEFAULTS[baseline] | variant
        if how in (AS_RANKED, completion) and all(params.get(k) == v for k, v in wanted.items()):
            return form
    return spec_default(baseline)


def rms(differences: Floats) -> float:
    return float(np.sqrt((np.asarray(differences) ** 2).mean()))


class Task(NamedTuple):
    """Some forms of a baseline that share their searches."""

    baseline: type
    dataset: str
    seed: int
    wanted: dict[Form, list[str]]  # with the learners that are missing


def planned(study: Study) -> Iterator[Task]:
    """What is still to be run, the most valuable first; later tasks depend on earlier ones."""

    def missing(
        baselines: Sequence[type],
        datasets: Sequence[str],
        seeds: Sequence[int],
        which: Callable[[type], Sequence[Form]],
        gammas: bool = False,
    ) -> Iterator[Task]:
        for seed, baseline, dataset in product(seeds, baselines, datasets):
            wanted = {}
            for form in which(baseline):
                has = study.done.get(Run(seed, form, dataset), {})
                learners = [
                    name
                    for name in LEARNERS
                    if f"{name} max" not in has and (gammas or name not in OTHER_GAMMAS)
                ]
                if learners:
                    wanted[form] = learners
            if wanted:
                yield Task(baseline, dataset, seed, wanted)

    def near(baseline: type) -> list[Form]:
        """The default, and the three forms nearest with the first split."""
        found = sorted(study.candidates(baseline), key=lambda form: study.distance(form))
        return list(dict.fromkeys([spec_default(baseline), *fair(baseline), *found[:3]]))

    def fair(baseline: type) -> list[Form]:
        """What the package does, chosen or fair."""
        chosen = study.chosen(baseline)
        return list(dict.fromkeys([chosen, package_form(baseline), chosen_fairly(study, baseline)]))

    first, rest = (FGZEFSR, FSNMER, FDM, MDP, IPD), (RDSI, SFSS, N3Y, S2FS, RandomOrder)
    for dataset in CONFIRMING:  # the fair lists of the three that go on in the order of the columns
        yield from missing(first[2:], [dataset], SEEDS[:1], lambda b: [chosen_fairly(study, b)])
    quick_first = (FDM, MDP, S2FS, FSNMER, FGZEFSR, SFSS, IPD, RDSI, N3Y)
    for dataset in CHOOSING:
        yield from missing(
            quick_first, [dataset], SEEDS[:1], lambda b: [study.chosen(b)], gammas=True
        )
    for baselines in (first, rest):
        yield from missing(baselines, CHOOSING, SEEDS[:1], lambda b: list(forms(b)))
        repeated = [b for b in baselines if b is not RandomOrder]
        yield from missing(repeated, CHOOSING, SEEDS[1:], near)
    compared = [*first, *rest[:-1]]
    for datasets in (CHOOSING, CONFIRMING):
        for seed in SEEDS:
            yield from missing(compared, datasets, [seed], lambda b: [study.chosen(b)], True)
            yield from missing(compared, datasets, [seed], fair)


def chosen_fairly(study: Study, baseline: type) -> Form:
    """The chosen variant with the fair completion, where there is one."""
    chosen = study.chosen(baseline)
    fair = chosen._replace(completion="importance")
    return fair if fair in forms(baseline) else chosen


def cell(differences: Floats) -> str:
    return f"{rms(differences):.3f} ({signed(np.mean(differences), 3)})"


def shown(form: Form) -> str:
    """A form in words, for a table."""
    parts = [] if form.variant == "default" else [form.variant]
    return ", then ".join([*parts, *([form.completion] if form.completion else [])]) or "default"


def every_distance(study: Study) -> str:
    """Every form on the datasets for choosing, as comma-separated text.

    Root mean squares of ours − published with the first split, by learner and of all; the mean of
    all; and the root mean square with the second split.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["baseline", "variant", "completion", "chosen", *PUBLISHED, "all", "mean", "second split"]
    )
    for baseline in VARIANTS:
        if baseline is RandomOrder:
            continue
        chosen = study.chosen(baseline)
        for form in study.candidates(baseline):
            is_chosen = "yes" if form == chosen else ""
            again = study.both(form)[1]
            row = [form.baseline, form.variant, form.completion, is_chosen]
            row += distances_of(study.differences(form))
            writer.writerow([*row, f"{again:.3f}" if np.isfinite(again) else ""])
        orders = study.candidates(RandomOrder)
        chance = [study.differences(form, like=baseline.__name__) for form in orders]
        if chance:
            of_all = distances_of(np.concatenate(chance))
            writer.writerow([baseline.__name__, "random order", "", "", *of_all, ""])
    return text.getvalue()


def distances_of(differences: Floats) -> list[str]:
    """Root mean squares by learner and of all, and the mean of all."""
    found = [rms(differences[:, i]) for i in range(len(PUBLISHED))]
    return [f"{value:.3f}" for value in (*found, rms(differences), np.mean(differences))]


def choice_table(study: Study) -> Iterator[str]:
    """What the rule chooses, and what the other datasets say."""
    yield (
        "| baseline | default of its spec | chosen | its distance | four other datasets | "
        "nine datasets | nine, fair list |"
    )
    yield "|---|---|---|---|---|---|---|"
    columns = []
    for baseline in VARIANTS:
        if baseline in (S2FS, RandomOrder):
            continue
        start, chosen = spec_default(baseline), study.chosen(baseline)
        others = [CONFIRMING, CHOOSING + CONFIRMING]
        forms_shown = [(chosen, others[0]), (chosen, others[1])]
        forms_shown.append((chosen_fairly(study, baseline), others[1]))
        found = [
            study.distance(form, datasets=datasets) if study.has(form, datasets, 0) else np.nan
            for form, datasets in forms_shown
        ]
        columns.append(found)
        yield (
            f"| {baseline.__name__} | {splits(study, start)} | {shown(chosen)} | "
            f"{splits(study, chosen)} | {' | '.join(f'{value:.3f}' for value in found)} |"
        )
    means = np.mean(columns, axis=0)
    yield f"| mean | | | | {' | '.join(f'{value:.3f}' for value in means)} |"


def splits(study: Study, form: Form) -> str:
    return " / ".join(f"{value:.3f}" for value in study.both(form) if np.isfinite(value))


def completions_table(study: Study) -> Iterator[str]:
    """The default variant of the baselines that stop, with every completion."""
    yield f"| baseline | {' | '.join(COMPLETIONS)} |"
    yield "|---|" + "---|" * len(COMPLETIONS)
    for baseline in (FDM, MDP, IPD, RDSI, SFSS):
        cells = []
        for completion in COMPLETIONS:
            form = Form(baseline.__name__, "default", completion)
            cells.append(splits(study, form) if study.has(form, CHOOSING, 0) else "–")
        yield f"| {baseline.__name__} | {' | '.join(cells)} |"


def gamma_table(study: Study) -> Iterator[str]:
    """What the width of the kernel does to the distance of the chosen forms under the SVM."""
    yield "| baseline | datasets | " + " | ".join(f"γ = {gamma}" for gamma in GAMMAS) + " |"
    yield "|---|---|" + "---|" * len(GAMMAS)
    total: list[list[float]] = []
    for baseline in VARIANTS:
        if baseline is RandomOrder:
            continue
        form = study.chosen(baseline)
        datasets = [
            name
            for name in CHOOSING + CONFIRMING
            if f"{OTHER_GAMMAS[-1]} max" in study.done.get(Run(0, form, name), {})
        ]
        if not datasets:
            continue
        at = PUBLISHED.index("SVM")
        found = [study.differences(form, datasets, gamma=gamma)[:, at] for gamma in GAMMAS]
        total.append([rms(part) for part in found])
        yield f"| {form.baseline} | {len(datasets)} | {' | '.join(map(cell, found))} |"
    yield f"| mean | | {' | '.join(f'{value:.3f}' for value in np.mean(total, axis=0))} |"


def short_table(study: Study) -> Iterator[str]:
    """For the page of users: how near each baseline is, with either list."""
    yield "| baseline | goes on | distance as published | with the fair list | random order |"
    yield "|---|---|---|---|---|"
    for baseline in VARIANTS:
        if baseline in (S2FS, RandomOrder):
            continue
        chosen, fair = study.chosen(baseline), chosen_fairly(study, baseline)
        nine = CHOOSING + CONFIRMING
        found = [
            f"{study.distance(form, datasets=nine):.3f}" if study.has(form, nine, 0) else "–"
            for form in (chosen, fair)
        ]
        chance = [
            study.differences(form, like=baseline.__name__)
            for form in study.candidates(RandomOrder)
        ]
        how = {"index": "by the order of the columns", "importance": "by importance"}
        goes_on = how.get(chosen.completion, "never stops")
        yield f"| {baseline.__name__} | {goes_on} | {' | '.join(found)} | {rms(chance):.3f} |"


TABLES: dict[str, Callable[[Study], Iterator[str]]] = {
    "choice": choice_table,
    "completions": completions_table,
    "gamma": gamma_table,
}


def parts() -> dict[str, str]:
    """Every part of the page that holds numbers, by its mark."""
    study = Study(read_results())
    tables = {**TABLES, "short": short_table}
    return {name: "\n".join(table(study)) for name, table in tables.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--write-docs", action="store_true", help=f"put the tables into {PAGE.relative_to(ROOT)}"
    )
    parser.add_argument("--no-runs", action="store_true", help="only show what is done")
    options = parser.parse_args()
    folder = os.environ.get("S2FS_DATA")
    if not folder and not options.no_runs:
        sys.exit("S2FS_DATA is not set; let it name the folder that holds the .npz files.")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn", "s2fs"))
    print(f"Python {platform.python_version()}, {packages}")
    check_quick_k_means()
    study = Study(read_results())
    while folder and not options.no_runs:
        task = next(planned(study), None)
        if task is None:
            break
        for run, scores in evaluate(*task, Path(folder)).items():
            study.done[run] = study.done.get(run, {}) | scores
        write_results(study.done)
        print(task.seed, task.baseline.__name__, task.dataset, len(task.wanted), flush=True)
    for table in TABLES.values():
        print(*table(study), "", sep="\n")
    if options.write_docs:
        fill_page(PAGE, parts(), SCRIPT)
        DISTANCES.write_text(every_distance(study), encoding="utf-8")


if __name__ == "__main__":
    main()
