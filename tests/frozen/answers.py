"""Answers that a change of the code must not change, computed from small tables.

Each kind of answer has a JSON file beside this one, with one answer a line. After a change that is
meant, ``python tests/frozen/answers.py --write KIND …`` writes the files of these kinds anew, and
without a kind all of them; the commit says why. Features stand as positions, never as names.
"""

import argparse
import inspect
import json
import math
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from made_tables import (
    TABLES,
    batch_and_age,
    bundled,
    clear,
    correlated,
    counts,
    many_classes,
    noise,
    weights,
    wide,
    with_gaps,
)
from scipy.sparse import csc_array
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression

import s2fs
from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector, s2fs_paths
from s2fs.baselines import BASELINES
from s2fs.cli import main
from s2fs.evaluation import evaluate_selector
from s2fs.report import Report

FOLDER = Path(__file__).parent
K = 10


class Absent(Exception):  # noqa: N818  (no error: the test is skipped)
    """The table, or the distribution, of an answer is not on this machine."""


# --- paths of the selectors -----------------------------------------------------------------------


def path(selector, X, y, **arguments):
    """What a selector selects, and its criterion after each feature."""
    selector.fit(X, y, **arguments)
    return {"features": selector.indices_, "scores": selector.scores_}


def fitted(make, table, fit=None, **options):
    """The answer of a selector with options on a made table; ``fit`` makes what fit is given."""
    X, y = table()
    return path(make(**({"n_features_to_select": K} | options)), X, y, **(fit(y) if fit else {}))


def weighted(y):
    return {"sample_weight": weights(y)}


def adjusted(y):
    return {"covariates": batch_and_age(y)}


def grouped(y):
    return {"groups": np.arange(len(y)) // 4}


#: Options that both selectors have.
SHARED = {
    "defaults": {},
    "include": {"include": [3, 7]},
    "exclude": {"exclude": range(0, 30, 2)},
    "feature_groups": {"feature_groups": [[0, 1, 2, 3], [24, 25, 26], [27, 29]]},
    "max_correlation": {"max_correlation": 0.4},
    "min_per_class": {"min_per_class": 1},
    "balanced": {"class_weight": "balanced"},
    "class_weight": {"class_weight": {0: 2.5, 1: 0.5}},
    "together": {"include": [5], "exclude": [9], "max_correlation": 0.6, "min_per_class": 1},
    "sample_weight": {"fit": weighted},
    "both weights": {"fit": weighted, "class_weight": "balanced"},
    "covariates": {"fit": adjusted},
    "covariates and weights": {
        "fit": lambda y: weighted(y) | adjusted(y), "class_weight": "balanced",
    },
}  # fmt: skip
AUTO = {"n_features_to_select": "auto"}


def s2fs_cases():
    options = SHARED | {
        "alpha 0": {"alpha": 0},
        "beta 0": {"beta": 0},
        "distances only": {"alpha": 0, "beta": 0},
        "directions": {"alpha": 1.0, "beta": 0.562},
        "minmax": {"scale": "minmax"},
        "unscaled": {"scale": None},
        "rms": {"compactness": "rms"},
        "normalized": {"centroid_membership": "normalized"},
        "minmax rms normalized": {
            "scale": "minmax", "compactness": "rms", "centroid_membership": "normalized",
        },
        "minmax weighted": {"scale": "minmax", "fit": weighted},
        "rms weighted": {"compactness": "rms", "fit": weighted, "class_weight": "balanced"},
        "unscaled max_correlation": {"scale": None, "max_correlation": 0.5},
    }  # fmt: skip
    for table in TABLES.values():
        for name, values in options.items():
            yield f"{table.__name__}: {name}", partial(fitted, S2FS, table, **values)
    for table in (clear, many_classes, correlated, wide, noise):
        yield f"{table.__name__}: auto", partial(fitted, S2FS, table, **AUTO)
    yield "clear: auto in groups", partial(fitted, S2FS, clear, **AUTO, fit=grouped)
    yield "clear: auto with include", partial(fitted, S2FS, clear, **AUTO, include=[2])
    yield "clear: auto adjusted", partial(fitted, S2FS, clear, **AUTO, fit=adjusted)
    yield "clear: all", partial(fitted, S2FS, clear, n_features_to_select="all")
    yield "correlated: all", partial(fitted, S2FS, correlated, n_features_to_select="all")
    yield "counts: sparse", lambda: path(S2FS(K), csc_array(counts().X), counts().y)
    yield "clear: single precision", lambda: path(S2FS(K), clear().X.astype("f4"), clear().y)


def grid(table, **options):
    """The paths of many weightings at once."""
    X, y = table()
    weightings = [0.01, 0.0316, 0.1, 1.0]
    found = s2fs_paths(X, y, 6, alphas=weightings, betas=weightings[:2], **options)
    return {"features": found.indices, "scores": found.scores[..., -1]}


def grid_cases():
    for table in TABLES.values():
        yield table.__name__, partial(grid, table)
        yield (
            f"{table.__name__}: minmax rms",
            partial(grid, table, scale="minmax", compactness="rms"),
        )
        yield f"{table.__name__}: max_correlation", partial(grid, table, max_correlation=0.3)


def pair_cover_cases():
    own = {
        "correlation 0": {"correlation": 0},
        "correlation 0.25": {"correlation": 0.25},
        "correlation 1": {"correlation": 1},
        "ranks": {"scale": "rank"},
        "ranks at correlation 0": {"scale": "rank", "correlation": 0},
        "weighted ranks": {"scale": "rank", "fit": weighted, "class_weight": "balanced"},
    }
    for name, values in SHARED.items():
        own[f"{name} at correlation 0"] = values | {"correlation": 0}
    for table in TABLES.values():
        for name, values in {**SHARED, **own}.items():
            yield f"{table.__name__}: {name}", partial(fitted, PairCover, table, **values)
        yield f"{table.__name__}: details", partial(details, table)
    for table in (clear, many_classes, correlated, wide, noise):
        yield f"{table.__name__}: auto", partial(fitted, PairCover, table, **AUTO)
        plain = AUTO | {"correlation": 0}
        yield f"{table.__name__}: auto at correlation 0", partial(fitted, PairCover, table, **plain)
    yield "clear: auto in groups", partial(fitted, PairCover, clear, **AUTO, fit=grouped)
    yield "clear: auto with include", partial(fitted, PairCover, clear, **AUTO, include=[2])
    yield "clear: auto adjusted", partial(fitted, PairCover, clear, **AUTO, fit=adjusted)
    yield "clear: all", partial(fitted, PairCover, clear, n_features_to_select="all")
    yield "correlated: all", partial(fitted, PairCover, correlated, n_features_to_select="all")
    for correlation in (0, 0.25, "auto"):
        yield f"counts: sparse at correlation {correlation}", partial(sparse, correlation)


def sparse(correlation):
    return path(PairCover(K, correlation=correlation), csc_array(counts().X), counts().y)


def details(table):
    """What PairCover says beside its path."""
    selector = PairCover(4).fit(*table())
    return {
        "correlation": selector.correlation_,
        "class distances": selector.class_distances_,
        "class pairs": [list(row) for row in selector.class_pairs_.tolist()],
    }


def missing_cases():
    options = {
        "defaults": {},
        "correlation 0": {"correlation": 0},
        "correlation 0.25": {"correlation": 0.25},
        "correlation 1": {"correlation": 1},
        "ranks": {"scale": "rank"},
        "balanced": {"class_weight": "balanced"},
        "sample_weight": {"fit": weighted},
        "both weights": {"fit": weighted, "class_weight": "balanced", "correlation": 0},
        "max_correlation": {"max_correlation": 0.3},
        "min_per_class": {"min_per_class": 2},
        "feature_groups": {"feature_groups": [[0, 1, 2, 3], [24, 25, 26]]},
        "auto": AUTO,
    }
    for name, values in options.items():
        yield name, partial(fitted, PairCover, with_gaps, **values)


def in_batches(table, n_batches, fit=None):
    """The samples come in batches, the classes one after another."""
    X, y = table()
    order = np.argsort(y, kind="stable")
    given = np.ones(len(y)) if fit is None else fit(y)["sample_weight"]
    selector = PairCover(K, correlation=0)
    for rows in np.array_split(order, n_batches):
        selector.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=given[rows])
    return {"features": selector.indices_, "scores": selector.scores_}


def batch_cases():
    for table in (bundled, clear, many_classes, counts, wide, with_gaps):
        yield table.__name__, partial(in_batches, table, 5)
        yield f"{table.__name__}: weighted", partial(in_batches, table, 3, weighted)


def stability(table, **options):
    """How often each feature is selected again, where it is selected at all."""
    selector = StabilitySelector(n_resamples=12, random_state=3, **options).fit(*table())
    return {"features": selector.indices_, "scores": selector.scores_}


def stability_cases():
    for table in (clear, many_classes, correlated, counts):
        yield table.__name__, partial(stability, table)
        yield f"{table.__name__}: s2fs", partial(stability, table, selector=S2FS(5))


def tuned(table, **options):
    """What cross-validation chooses with a classifier that is given."""
    estimator = LogisticRegression(max_iter=1000)
    selector = SelectorCV(cv=3, max_features=8, estimator=estimator, **options).fit(*table())
    return {"features": selector.indices_, "scores": selector.scores_}


def tuned_cases():
    few = {"alphas": [0.0316, 1.0], "betas": [0.0316]}
    yield "clear", partial(tuned, clear)
    yield "correlated", partial(tuned, correlated)
    yield "clear: weights of s2fs", partial(tuned, clear, selector=S2FS(), **few)


#: Those that follow no random numbers of scikit-learn, and no other package.
BASELINE_NAMES = (
    "AnovaF", "FDM", "FGZEFSR", "FSNMER", "IPD", "MAFRFS", "MDP", "MRMR", "N3Y", "OneVsRestT",
    "RDSI", "ReliefF", "SFSS", "SVMRFE", "Wilcoxon",
)  # fmt: skip


def baseline(name, table, **options):
    if name not in BASELINES:
        raise Absent(f"{name} is not installed")
    return path(BASELINES[name](n_features_to_select=K, **options), *table())


def baseline_cases():
    for name in BASELINE_NAMES:
        for table in (clear, many_classes, correlated, counts):
            yield f"{name}: {table.__name__}", partial(baseline, name, table)
        yield f"{name}: max_correlation", partial(baseline, name, clear, max_correlation=0.3)


# --- tables that do not come with the package -----------------------------------------------------

PAPER = (
    "all_aml_3", "all_aml_4", "glioma", "isolet", "lung_1543", "orl", "srbct", "warpar10p",
    "warppie10p", "yale",
)  # fmt: skip
PRACTICE = (
    "9_tumors", "basehock", "bittner", "brain_tumor1", "bredel", "cns", "colon", "madelon", "mll",
    "nci60", "risinger", "tomlins", "tox_171", "umist", "usps", "yeoh_v2",
)  # fmt: skip
#: The same selections of each of them.
ON_LARGE = {
    "S2FS": S2FS(20),
    "S2FS minmax": S2FS(20, alpha=0.1, scale="minmax"),
    "S2FS rms": S2FS(20, compactness="rms", class_weight="balanced"),
    "PairCover": PairCover(20),
    "PairCover at correlation 0": PairCover(20, correlation=0),
    "PairCover of ranks": PairCover(20, scale="rank", max_correlation=0.7),
}


@cache
def large(folder, name):
    """A table of the folder S2FS_DATA, or of ``practice`` beside it."""
    if not (data := os.environ.get("S2FS_DATA")):
        raise Absent("S2FS_DATA does not name a folder with the paper's datasets")
    file = Path(data) / folder / f"{name}.npz"
    if not file.exists():
        raise Absent(f"{file} is not there")
    with np.load(file, allow_pickle=False) as arrays:
        return arrays["X"].astype(np.float64), arrays["y"].astype(np.intp)


def selections(folder, name):
    X, y = large(folder, name)
    return {what: selector.fit(X, y).indices_ for what, selector in ON_LARGE.items()}


def large_cases(folder, names):
    for name in names:
        yield name, partial(selections, folder, name)


# --- comparisons ----------------------------------------------------------------------------------


def compared(table, **options):
    return s2fs.compare(*table(), **({"n_repeats": 2} | options))


def evaluated(selector, table, n_selected, **options):
    return evaluate_selector(selector, *table(), n_selected=n_selected, n_repeats=2, **options)


COMPARISONS = {
    "bundled": partial(compared, bundled, k=[2, 5, 10]),
    "clear": partial(compared, clear, k=6),
    "clear: svm": partial(compared, clear, k=6, learner="svm"),
    "clear: logistic": partial(compared, clear, k=6, learner="logistic"),
    "clear: knn": partial(compared, clear, k=6, learner="knn"),
    "many_classes": partial(compared, many_classes, k=[1, 3, 8]),
    "correlated": partial(
        compared, correlated, k=5, selectors=["s2fs-rms", "paircover", SelectKBest(f_classif)]
    ),
    "counts": partial(compared, counts, k=[3, 6], selectors=["s2fs", PairCover(scale="rank")]),
    "wide: groups": lambda: compared(wide, k=5, **grouped(wide().y)),
    "clear: weights": lambda: compared(clear, k=5, **weighted(clear().y)),
    "clear: covariates": lambda: compared(clear, k=5, **adjusted(clear().y)),
    "noise": partial(compared, noise, k=[2, 4]),
    "evaluated S2FS": partial(evaluated, S2FS(5), clear, 5),
    "evaluated auto": partial(evaluated, PairCover("auto"), clear, 4),
    "evaluated SelectKBest": partial(evaluated, SelectKBest(f_classif, k=4), many_classes, 4),
}
COMPARISONS_WITH_GAPS = {
    "defaults": partial(compared, with_gaps, k=5),
    "several sizes": partial(compared, with_gaps, k=[2, 5], selectors=["anovaf", "paircover"]),
}


@cache
def comparison(name):
    return COMPARISONS[name]()


def each_size(of_rows):
    """What a function says of each comparison, by number of features if there are several."""

    def of(result):
        return {str(size): of_rows(result.at(size)) for size in result.sizes} or of_rows(result)

    return of


def rows_selected(result):
    """What follows from the selections inside the folds, whatever the learner is."""
    return [[row.n_features, row.stability, row.redundancy] for row in result.rows]


def rows_accuracy(result):
    return [{key: one.value for key, one in row.scores.items()} for row in result.rows]


def rows_intervals(result):
    first = result.rows[0].selector
    gaps = [result.difference(first, row.selector) for row in result.rows[1:]]
    return {
        "scores": [{key: list(one[1:3]) for key, one in row.scores.items()} for row in result.rows],
        "difference": [[gap.low, gap.high] for gap in gaps],
        "relation": [gap.relation for gap in gaps],
        "as good": result.recommendation and result.recommendation.size,
    }


def words_of(result):
    rows = [row.selector for row in result.rows]
    return {"rows": rows, "title": result.title, "verdict": result.verdict, "notes": result.notes}


def comparison_cases(extract):
    for name in COMPARISONS:
        yield name, lambda name=name: extract(comparison(name))


def comparison_missing_cases():
    for name, compare in COMPARISONS_WITH_GAPS.items():
        yield f"{name}: selections", lambda compare=compare: each_size(rows_selected)(compare())
        yield f"{name}: accuracies", lambda compare=compare: each_size(rows_accuracy)(compare())


# --- the command ----------------------------------------------------------------------------------


def write_table(file, table):
    """A delimited file with a column for each feature, and some that say more of the samples."""
    X, y = table()
    beside = batch_and_age(y)
    head = [f"g{f}" for f in range(X.shape[1])] + ["batch", "age", "patient", "kind"]
    lines = [",".join(head)]
    for i, row in enumerate(X):
        cells = ["" if np.isnan(value) else repr(float(value)) for value in row]
        cells += [beside["batch"][i], str(beside["age"][i]), f"p{i // 2}", f"kind{y[i]}"]
        lines.append(",".join(cells))
    file.write_text("\n".join(lines) + "\n")


def command(table, *options):
    """The positions of the features that ``s2fs select`` writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        file, found = Path(folder) / "table.csv", Path(folder) / "ranking.json"
        write_table(file, table)
        arguments = ["select", file, "-t", "kind", "-o", found, "--no-verdict", *options]
        if "--drop" not in options:
            arguments += ["--drop", "batch,age,patient"]
        result = CliRunner().invoke(main, list(map(str, arguments)))
        if result.exit_code:
            raise RuntimeError(result.output)
        rows = re.findall(r'"feature": "g(\d+)"', found.read_text())
    return [int(position) for position in rows]


COMMANDS = {
    "clear": (clear,),
    "clear: -k 4": (clear, "-k", 4),
    "clear: share": (clear, "-k", 0.2),
    "clear: all": (clear, "-k", "all"),
    "clear: auto": (clear, "-k", "auto"),
    "clear: s2fs": (clear, "--method", "s2fs"),
    "clear: s2fs auto": (clear, "--method", "s2fs", "-k", "auto"),
    "clear: s2fs-rms": (clear, "--method", "s2fs-rms"),
    "clear: weights of s2fs": (clear, "--method", "s2fs", "--alpha", 1, "--beta", 0.5),
    "clear: minmax": (clear, "--method", "s2fs", "--scale", "minmax"),
    "clear: unscaled": (clear, "--method", "s2fs", "--scale", "none"),
    "clear: include and exclude": (clear, "--include", "g3", "--exclude", "g39"),
    "clear: max-correlation": (clear, "--max-correlation", 0.3),
    "clear: min-per-class": (clear, "--min-per-class", 3),
    "clear: anovaf": (clear, "--method", "anovaf"),
    "clear: relieff": (clear, "--method", "relieff"),
    "clear: sfss": (clear, "--method", "sfss"),
    "clear: covariates": (
        clear, "--covariate", "batch", "--covariate", "age", "--drop", "patient",
    ),
    "clear: groups": (clear, "--group", "patient", "--drop", "batch,age"),
    "many_classes": (many_classes,),
    "many_classes: balanced": (many_classes, "--class-weight", "balanced"),
    "correlated": (correlated,),
    "correlated: s2fs": (correlated, "--method", "s2fs"),
    "counts: ranks": (counts, "--scale", "rank"),
    "counts: log2": (counts, "--log2"),
    "wide": (wide,),
    "bundled": (bundled,),
}  # fmt: skip
COMMANDS_WITH_GAPS = {
    "defaults": (with_gaps,),
    "median": (with_gaps, "--impute", "median"),
    "median for s2fs": (with_gaps, "--impute", "median", "--method", "s2fs"),
    "neighbours": (with_gaps, "--impute", "knn"),
    "drop-missing": (with_gaps, "--drop-missing", 0.2, "--impute", "median"),
}


def command_cases(commands):
    for name, arguments in commands.items():
        yield name, partial(command, *arguments)


# --- pages ----------------------------------------------------------------------------------------


def page(selector, table, given=None):
    """All that the page of a selection says, without what is of the machine or the day."""
    X, y = table()
    arguments = given(y) if given else {}
    selector.fit(X, y, **{name: value for name, value in arguments.items() if name != "groups"})
    summary = Report(selector, X, y, **arguments).to_dict()
    del summary["run"], summary["title"], summary["comparison"]
    summary["by_size"] = summary["by_size"][summary["start"]]  # the others are alike
    del summary["by_size"]["misclassified"]
    del summary["selector"]["parameters"]  # an address stands among them
    return json.loads(by_position(json.dumps(summary)))


def by_position(text):
    """A text with features named by position alone; versions are of the day."""
    text = re.sub(r"\bx(\d+)\b", r"#\1", text)
    return re.sub(r"\((s2fs|scikit-learn|version) [\d.a-z+]+\)", r"(\1)", text)


PAGES = {
    "bundled": partial(page, PairCover(4), bundled),
    "S2FS": partial(page, S2FS(4), many_classes),
    "S2FS rms": partial(page, S2FS(3, compactness="rms", scale="minmax"), clear),
    "auto": partial(page, PairCover("auto"), clear),
    "ranks": partial(page, PairCover(3, scale="rank"), counts),
    "covariates": partial(page, PairCover(3), clear, adjusted),
    "weights": partial(page, S2FS(3, class_weight="balanced"), clear, weighted),
    "groups": partial(page, PairCover(3), correlated, grouped),
    "SelectKBest": partial(page, SelectKBest(f_classif, k=3), correlated),
    "stability": partial(
        page, StabilitySelector(3, selector=PairCover(4), n_resamples=10, random_state=0), wide
    ),
}
#: The parts of a page that tell of the features, and of no accuracy.
OF_FEATURES = (
    "components", "data", "false", "features", "pairs", "redundant", "selector", "size",
)  # fmt: skip


@cache
def page_of(name):
    return PAGES[name]()


def page_features(name):
    return {part: page_of(name)[part] for part in OF_FEATURES}


def page_rest(name, *, words):
    """The sentences of the other parts, or all that is no text in them."""
    rest = {part: value for part, value in page_of(name).items() if part not in OF_FEATURES}
    return leaves(rest, lambda value: isinstance(value, str) == words)


def leaves(value, is_wanted):
    """Dicts and lists with only the leaves that are wanted; what gets empty is left out."""
    if isinstance(value, Mapping):
        kept = {key: leaves(one, is_wanted) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one != {} and one != []}
    if isinstance(value, list):
        kept = [leaves(one, is_wanted) for one in value]
        return [one for one in kept if one != {} and one != []]
    return value if is_wanted(value) else {}


def page_cases(extract):
    for name in PAGES:
        yield name, partial(extract, name)


# --- public names ---------------------------------------------------------------------------------

ROOMS = (
    "s2fs", "s2fs.baselines", "s2fs.bio", "s2fs.dask", "s2fs.datasets", "s2fs.evaluation",
    "s2fs.info", "s2fs.io", "s2fs.lazy", "s2fs.plotting", "s2fs.report",
)  # fmt: skip


def names_in(room):
    module = import_module(room)
    public = getattr(module, "__all__", None)
    if public is None:
        public = [name for name in vars(module) if re.match(r"[A-Za-z]", name)]
        public = [n for n in public if is_of(room, getattr(module, n))]
    return sorted(public)


def is_of(room, named):
    return not inspect.ismodule(named) and getattr(named, "__module__", room) == room


def name_cases():
    for room in ROOMS:
        yield room, partial(names_in, room)


# --- all kinds ------------------------------------------------------------------------------------

#: For each kind of answer, which is the name of its file: what gives its cases.
KINDS: dict[str, Callable[[], Any]] = {
    "s2fs": s2fs_cases,
    "s2fs_grid": grid_cases,
    "pair_cover": pair_cover_cases,
    "pair_cover_missing": missing_cases,
    "pair_cover_batches": batch_cases,
    "stability": stability_cases,
    "selector_cv": tuned_cases,
    "baselines": baseline_cases,
    "paper_tables": partial(large_cases, ".", PAPER),
    "practice_tables": partial(large_cases, "../practice", PRACTICE),
    "comparison_selections": partial(comparison_cases, each_size(rows_selected)),
    "comparison_accuracies": partial(comparison_cases, each_size(rows_accuracy)),
    "comparison_intervals": partial(comparison_cases, each_size(rows_intervals)),
    "comparison_words": partial(comparison_cases, words_of),
    "comparison_missing": comparison_missing_cases,
    "command": partial(command_cases, COMMANDS),
    "command_missing": partial(command_cases, COMMANDS_WITH_GAPS),
    "page_features": partial(page_cases, page_features),
    "page_numbers": partial(page_cases, partial(page_rest, words=False)),
    "page_words": partial(page_cases, partial(page_rest, words=True)),
    "public_names": name_cases,
}


def compute(case):
    """An answer as plain values that JSON can hold, with floats of nine digits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is selected; the answer is the subject here
        return plain(case())


def plain(value):
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    return value


def read(kind):
    """The answers of a kind as they were frozen."""
    file = FOLDER / f"{kind}.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def write(kind):
    """Freeze the answers of a kind; those whose table is not here stay as they are."""
    kept, found = read(kind), {}
    for name, case in KINDS[kind]():
        try:
            found[name] = compute(case)
        except Absent:
            if name in kept:
                found[name] = kept[name]
    lines = [
        f"{json.dumps(name)}: {json.dumps(answer, ensure_ascii=False, separators=(',', ':'))}"
        for name, answer in found.items()
    ]
    (FOLDER / f"{kind}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return len(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", nargs="*", metavar="KIND", required=True)
    kinds = parser.parse_args().write or list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error(f"no kind is called {unknown[0]!r}; give some of {', '.join(KINDS)}")
    for kind in kinds:
        print(f"{kind}: {write(kind)} answers")
