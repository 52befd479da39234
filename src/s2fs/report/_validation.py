"""A page on what a second cohort says of a panel."""

import platform
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import sklearn

from s2fs._utils.files import write_atomic
from s2fs._utils.messages import format_count, join_words
from s2fs._utils.version import __version__
from s2fs.evaluation import METRICS
from s2fs.evaluation.areas import RocCurve
from s2fs.evaluation.checks import as_dicts, count_passed
from s2fs.panel import Validation
from s2fs.panel.validation import Measure, describe_sizes, describe_travel, write_measure
from s2fs.plotting import plot_roc
from s2fs.plotting.colours import CLASS_COLOURS
from s2fs.plotting.style import COLUMN_WIDTH, new_figure
from s2fs.report._report import Origin
from s2fs.report.destination import check_destination
from s2fs.report.page import render
from s2fs.report.provenance import hide_folders
from s2fs.report.svg import inline_svg

#: With more classes the curves of both cohorts are too many for one figure.
_MOST_IN_BOTH = 4
#: Where the evidence of each check is on the page.
_EVIDENCE = {
    "replaced": "features",
    "units": "features",
    "direction": "features",
    "cut": "metrics",
    "small_class": "classes",
    "classes": "classes",
}


class ValidationReport:
    """What a second cohort says of a panel, as a page.

    The last expression of a notebook cell shows it; :meth:`save` writes one HTML file that needs
    no network and no other file.

    Parameters
    ----------
    validation : Validation
        What :meth:`s2fs.Panel.validate` has found.
    title : str, default="Validation"
        The heading, such as the name of the data.
    origin : Origin, optional
        Where it comes from.

    Attributes
    ----------
    html : str
        The page.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from s2fs import PairCover, Panel
    >>> from s2fs.report import ValidationReport
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> panel = Panel(PairCover(3)).fit(X[:200], y[:200])
    >>> ValidationReport(panel.validate(X[200:], y[200:]))
    ValidationReport: The panel tells the classes apart in the new samples: AUC 0.99...
    """

    def __init__(
        self, validation: Validation, *, title: str = "Validation", origin: Origin | None = None
    ) -> None:
        self.validation, self._title, self._origin = validation, title, origin or Origin()

    @cached_property
    def html(self) -> str:
        """The page."""
        found, origin = self.validation, self._origin
        run = {
            "Command": None if origin.command is None else hide_folders(origin.command),
            "Seconds": None if origin.seconds is None else f"{origin.seconds:.1f}",
            "Date": (origin.date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
            "Python": platform.python_version(),
            "scikit-learn": sklearn.__version__,
            "s2fs": __version__,
        }
        n_first = sum(found.first_class_sizes)
        return render(
            "validation.html",
            title=self._title,
            found=found,
            n_features=format_count(len(found.features), "feature"),
            measures=[_describe_measure(one) for one in found.measures],
            has_first=any(one.first is not None for one in found.measures),
            features=[
                {**one._asdict(), "travel": describe_travel(one), "is_reversed": one.is_reversed}
                for one in found.features
            ],
            classes=[
                {
                    "name": name,
                    "first": first,
                    "first_share": first / n_first,
                    "second": second,
                    "second_share": second / max(1, found.n_samples),
                }
                for name, first, second in zip(
                    found.classes, found.first_class_sizes, found.class_sizes, strict=True
                )
            ],
            confusion=found.confusion.tolist(),
            checks=as_dicts(found.checks),
            passed=count_passed(as_dicts(found.checks)),
            evidence=_EVIDENCE,
            figures={"roc": draw_curves(found)} if found.curves else {},
            methods=write_methods(found),
            run={name: value for name, value in run.items() if value is not None},
            version=__version__,
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page: the whole file or, if anything fails, nothing.

        Parameters
        ----------
        path : str or path-like
            A name that ends in ``.html``.

        Returns
        -------
        Path
            The file.
        """
        destination = check_destination(path)
        write_atomic(destination, self.html.encode())
        return destination

    def __repr__(self) -> str:
        return f"ValidationReport: {self.validation.sentence}"

    def _repr_html_(self) -> str:
        # A frame of its own: the style of the notebook and that of the page stay apart.
        return (
            f'<iframe title="{escape(self._title)}" sandbox="allow-scripts allow-downloads" '
            f'style="width:100%;height:52rem;border:0" srcdoc="{escape(self.html)}"></iframe>'
        )


def _describe_measure(one: Measure) -> dict[str, Any]:
    """A row of the table of metrics."""
    name, cut, value, interval, first = write_measure(one)
    return {
        "key": one.key,
        "name": name,
        "cut": cut,
        "value": one.estimate.value,
        "text": value,
        "interval": interval,
        "low": one.estimate.low,
        "high": one.estimate.high,
        "first": None if one.first is None else one.first.value,
        "first_text": first,
    }


def draw_curves(found: Validation) -> str:
    """The ROC curves of both cohorts on one plot."""
    areas: dict[str, float] = {}
    curves: dict[str, RocCurve] = {}
    is_two = len(found.classes) == 2
    shows_both = len(found.curves) <= _MOST_IN_BOTH
    cohorts: list[tuple[str, Mapping[str, RocCurve], Any]] = [
        ("new samples", found.curves, found.auc)
    ]
    if shows_both:
        cohorts.append(("first cohort", found.first_curves, found.auc_first))
    for cohort, of_cohort, auc in cohorts:
        for name, curve in of_cohort.items():
            label = cohort if is_two else f"{name}, {cohort}"
            curves[label] = curve
            if is_two and auc is not None:
                areas[label] = auc.value
    # The curves of the first cohort come again in the same colours, dashed.
    colours = CLASS_COLOURS[: 2 if is_two else len(found.curves)]
    ax = new_figure(1.25 * COLUMN_WIDTH, 1.15 * COLUMN_WIDTH).add_subplot()
    plot_roc(curves, areas=areas, colours=colours, ax=ax)
    label = "ROC curves: " + ", ".join(
        f"{name} AUC {areas.get(name, curve.area):.2f}" for name, curve in curves.items()
    )
    return inline_svg(ax.figure, "roc", label)  # type: ignore[arg-type]


def write_methods(found: Validation) -> str:
    """The sentence for a paper, filled in."""
    units = f" of {found.n_units} groups" if found.is_grouped else ""
    parts = [
        f"A panel of {format_count(len(found.features), 'feature')} "
        f"({join_words([one.name for one in found.features])}) with ridge logistic regression, "
        f"fitted to {sum(found.first_class_sizes)} samples of the first cohort, was applied "
        f"without any change to {format_count(found.n_samples, 'sample')}{units} of a second "
        f"cohort ({describe_sizes(found)})."
    ]
    if found.is_rescaled:
        parts = [
            parts[0].replace(
                "without any change", "after features were standardised by the new samples"
            )
        ]
    metric = METRICS["auc"]
    if found.auc is not None:
        value, low, high, _ = found.auc
        over = "" if len(found.classes) == 2 else ", the mean over pairs of classes"
        parts.append(
            f"The area under the ROC curve was {metric.format(value)} (95 % interval "
            f"{metric.write_interval(low, high)}{over})"
            + (
                "."
                if found.auc_first is None
                else f", against {metric.format(found.auc_first.value)} "
                f"({metric.write_interval(*found.auc_first[1:3])}) on held-out samples of the "
                "first cohort."
            )
        )
    shown = [one for one in found.measures if one.cut == "class shares" and one.key != "recall"]
    if shown:
        named = [
            f"{name} {text} ({interval})"
            for name, _, text, interval, _ in map(write_measure, shown)
        ]
        parts.append(f"At the cut of the first cohort: {join_words(named)}.")
    parts.append(
        f"Intervals are of Newcombe's fifth method for AUC, exact for shares of samples and "
        f"Wilson's for balanced accuracy (s2fs {__version__})."
        if not found.is_grouped
        else "Intervals are of Newcombe's fifth method for AUC and of Wilson for shares, over "
        f"groups (s2fs {__version__})."
    )
    return " ".join(parts)
