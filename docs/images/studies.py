"""Pictures of the studies, drawn from the tables of their pages or from committed results.

Nothing is measured here. The description of a picture holds a digest of the numbers it was drawn
from, and ``tests/test_docs.py`` fails when these have changed since.
"""

import csv
import hashlib
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, StrMethodFormatter

DOCS = Path(__file__).parents[1]
RESULTS = DOCS.parent / "benchmarks" / "results"
#: Colours that colour-blind readers tell apart (Okabe and Ito), and the marks that go with them.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#777777"
SMALL = 8.0

Rows = list[dict[str, str]]


def page_table(page: str, *headings: str) -> Rows:
    """The first table of a page that has these column headings, as text without emphasis."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    for is_table, block in groupby(lines, lambda line: line.startswith("|")):
        if is_table:
            first, _, *rows = [
                [re.sub(r"[*†‡§]", "", cell).strip() for cell in line.strip().strip("|").split("|")]
                for line in block
            ]
            if set(headings) <= set(first):
                # The same heading may come twice: the first one counts.
                return [dict(reversed(list(zip(first, row, strict=True)))) for row in rows]
    raise ValueError(f"{page} has no table with the columns {', '.join(headings)}.")


def file_table(name: str) -> Rows:
    """A file of benchmarks/results."""
    with open(RESULTS / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(text: str) -> float:
    """The number a cell begins with."""
    found = re.match(r"[+−-]?[\d.]+", text)
    if found is None:
        raise ValueError(f"No number in {text!r}.")
    return float(found[0].replace("−", "-"))


def figure(n_rows: int, width: float = 5.5):  # type: ignore[no-untyped-def]
    """Axes for a dot plot with n_rows lines."""
    ax = Figure(figsize=(width, 0.23 * n_rows + 0.9), layout="constrained").add_subplot()
    ax.tick_params(labelsize=SMALL, width=0.6, length=2.5)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", linewidth=0.4, color="0.85")
    ax.set_axisbelow(True)
    return ax


def log_axis(ax):  # type: ignore[no-untyped-def]
    """Times on a logarithmic axis, with plain numbers at it."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.minorticks_off()


def dots(ax, series, names, *, label, markers="osD^"):  # type: ignore[no-untyped-def]
    """Rows from top to bottom; for each series a mark of its own on every row."""
    colours = (BLUE, ORANGE, GREEN, GREY)
    for y in range(len(names)):
        values = [v[y] for v in series.values() if np.isfinite(v[y])]
        ax.plot([min(values), max(values)], [y, y], color="0.8", linewidth=1, zorder=1)
    for (name, values), colour, marker in zip(series.items(), colours, markers, strict=False):
        ax.scatter(values, range(len(names)), 18, colour, marker, label=name, zorder=2)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel(label, fontsize=SMALL)
    ax.figure.legend(loc="outside upper center", ncols=4, fontsize=SMALL, frameon=False)


def speed(rows: Rows) -> Figure:
    """How long S²FS and fastcan take on the paper's tables."""
    columns = ("fastcan, indicators", "fastcan, numbers")
    ours = np.array([number(row["S²FS, k = 30"]) for row in rows])
    series = {"S²FS": ours} | {name: ours * [number(row[name]) for row in rows] for name in columns}
    ax = figure(len(rows))
    dots(ax, series, [f"{r['data']}  {r['n × m']}" for r in rows], label="milliseconds (log scale)")
    log_axis(ax)
    return ax.figure


def searches(rows: Rows) -> Figure:
    """What two other searches gain in accuracy, and what they cost."""
    forward = {row["data"]: row for row in rows if row["search"] == "forward"}
    ax = figure(10)
    ax.grid(axis="y", linewidth=0.4, color="0.85")
    ax.axhline(0, color="0.4", linewidth=0.8)
    for name, colour, marker in (("beam, width 5", BLUE, "o"), ("floating", ORANGE, "s")):
        found = [row for row in rows if row["search"] == name]
        gains = [
            np.mean([number(r[c]) - number(forward[r["data"]][c]) for c in ("kNN, %", "SVM, %")])
            for r in found
        ]
        seconds = [number(r["time"]) for r in found]
        ax.scatter(seconds, gains, 18, colour, marker, label=name, zorder=2)
        for row, x, gain in zip(found, seconds, gains, strict=True):
            if gain > 5 or gain < -1:
                ax.annotate(row["data"], (x, gain), (4, 2), textcoords="offset points", fontsize=6)
    log_axis(ax)
    ax.set_xlabel("seconds of one fit (log scale)", fontsize=SMALL)
    ax.set_ylabel("accuracy over forward, points", fontsize=SMALL)
    ax.figure.legend(loc="outside upper center", ncols=2, fontsize=SMALL, frameon=False)
    return ax.figure


def tuning(rows: Rows) -> Figure:
    """Accuracy on unseen rows of fixed and tuned selections."""
    names, values, errors = [], [], []
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        for selector in dict.fromkeys(row["selector"] for row in rows):
            scores = [
                float(row["accuracy"])
                for row in rows
                if (row["dataset"], row["selector"]) == (dataset, selector)
            ]
            if scores:
                names.append(f"{dataset}  {selector}")
                values.append(np.mean(scores))
                errors.append(np.std(scores, ddof=1) / len(scores) ** 0.5)
    ax = figure(len(names))
    colours = [BLUE if "CV" in name else ORANGE for name in names]
    for y, (value, error, colour) in enumerate(zip(values, errors, colours, strict=True)):
        ax.plot([value - error, value + error], [y, y], color=colour, linewidth=1)
        ax.scatter(value, y, 18, colour, "o" if colour == BLUE else "s")
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel("accuracy ± standard error", fontsize=SMALL)
    return ax.figure


def stopping(rows: Rows) -> Figure:
    """How much accuracy a rule for the number of features loses."""
    names = [f"{row['rule']}  ({row['mean size']})" for row in rows]
    series = {
        learner: [number(row[f"loss {learner}"]) for row in rows] for learner in ("kNN", "SVM")
    }
    ax = figure(len(rows))
    dots(ax, series, names, label="accuracy lost against the best number, points")
    ax.set_xlim(left=0)
    return ax.figure


def fidelity(rows: Rows) -> Figure:
    """How far each variant of each baseline is from the published numbers."""
    baselines = list(dict.fromkeys(row["baseline"] for row in rows))
    ax = figure(len(baselines))
    kinds = {
        "variant": (GREY, "."),
        "chosen": (BLUE, "o"),
        "random order": (ORANGE, "x"),
    }
    for y, baseline in enumerate(baselines):
        own = [row for row in rows if row["baseline"] == baseline]
        for row in own:
            kind = "random order" if row["variant"] == "random order" else "variant"
            colour, marker = kinds[kind]
            ax.scatter(number(row["all"]), y, 22, colour, marker, linewidths=1, zorder=2)
        used = next(row for row in own if row["used"])
        colour, marker = kinds["chosen"]
        ax.scatter(number(used["all"]), y, 26, colour, marker, zorder=3)
    for kind, (colour, marker) in kinds.items():
        ax.scatter([], [], 22, colour, marker, linewidths=1, label=kind)
    ax.set_yticks(range(len(baselines)), baselines)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel("root mean square distance from the published numbers", fontsize=SMALL)
    ax.figure.legend(loc="outside upper center", ncols=3, fontsize=SMALL, frameon=False)
    return ax.figure


def variants_of_baselines() -> Rows:
    """The table of distances, with a mark at what the package does."""
    page = (DOCS / "baselines" / "fidelity.md").read_text(encoding="utf-8")
    rows = page_table("baselines/fidelity.md", "baseline", "variant", "all")
    used = set(re.findall(r"^\| (\w+) \| ([^|]+?) † \| (\w*) *\|", page, flags=re.MULTILINE))
    names = ("baseline", "variant", "completion")
    return [
        row | {"used": "yes" if tuple(row[name] for name in names) in used else ""} for row in rows
    ]


class Study(NamedTuple):
    """Where the numbers of a picture come from, and what draws it."""

    numbers: Callable[[], Rows]
    draw: Callable[[Rows], Figure]

    def digest(self) -> str:
        """A short name for the numbers as they are now."""
        return hashlib.sha256(repr(self.numbers()).encode()).hexdigest()[:16]


def unseen(rows: Rows) -> Figure:
    """The difference of every selector to PairCover, with its interval, in order of rank."""
    shown = [row for row in rows if row["selector"] not in ("PairCover", "random order")]
    ax = figure(len(shown))
    for y, row in enumerate(shown):
        mean, _, half = row["minus PairCover, points"].partition(" ± ")
        level = abs(float(mean)) <= float(half)
        colour = GREY if level else ORANGE if float(mean) > 0 else BLUE
        ax.errorbar(float(mean), y, xerr=float(half), fmt="o", markersize=4, color=colour, lw=1.2)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set_yticks(range(len(shown)), [row["selector"].replace("S2", "S²") for row in shown])
    ax.invert_yaxis()
    ax.set_xlabel("points of balanced accuracy, minus PairCover", fontsize=SMALL)
    return ax.figure


def compare(rows: Rows) -> Figure:
    """The mean difference of a reference to every other selector, with its interval."""
    others = [row for row in rows if row["difference [95 %]"]]
    ax = figure(len(others))
    for y, row in enumerate(others):
        mean, low, high = map(float, re.findall(r"[+-][\d.]+", row["difference [95 %]"]))
        ax.plot([low, high], [y, y], color=BLUE, linewidth=1.2)
        ax.scatter(mean, y, 18, BLUE)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set_yticks(range(len(others)), [f"minus {row['Algorithm']}" for row in others])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel("balanced accuracy of TopF, 95 % interval over the datasets", fontsize=SMALL)
    return ax.figure


STUDIES = {
    "compare": Study(
        lambda: page_table("compare-your-method.md", "Algorithm", "difference [95 %]"), compare
    ),
    "unseen": Study(lambda: page_table("unseen.md", "selector", "minus PairCover, points"), unseen),
    "speed": Study(lambda: page_table("speed.md", "data", "S²FS, k = 30"), speed),
    "searches": Study(lambda: page_table("study-searches.md", "search", "kNN, %"), searches),
    "tuning": Study(lambda: file_table("tuning.csv"), tuning),
    "stopping": Study(lambda: page_table("study-stopping.md", "rule", "mean size"), stopping),
    "fidelity": Study(variants_of_baselines, fidelity),
}
