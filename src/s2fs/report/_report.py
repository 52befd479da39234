"""A report of what a selector has selected."""

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from s2fs._utils.files import write_atomic
from s2fs.evaluation import Comparison
from s2fs.report._figures import draw
from s2fs.report._forest import forest_axis
from s2fs.report._summary import summarise
from s2fs.report._table import Table
from s2fs.report.destination import check_destination
from s2fs.report.names import FeatureLabel
from s2fs.report.next_commands import write_next_commands
from s2fs.report.page import render
from s2fs.report.provenance import hide_folders
from s2fs.selectors.base import get_feature_groups


@dataclass(frozen=True)
class Origin:
    """Where a selection comes from, for the end of its report.

    Parameters
    ----------
    command : str, optional
        The command line that made it; folders in it are not shown.
    seconds : float, optional
        How long the selection took.
    date : datetime, optional
        When it was made, by default now.
    about : str, optional
        A sentence on the data, such as what the names of the features mean.
    """

    command: str | None = None
    seconds: float | None = None
    date: datetime | None = None
    about: str | None = None


#: Where the evidence of each check is on the page.
EVIDENCE = {
    "majority": "differences",
    "random": "differences",
    "rising": "how-many",
    "fragile": "features",
    "redundant": "redundancy",
    "small_class": "classes",
    "skewed": "heatmap",
    "ranks": "heatmap",
    "stability": "features",
    "all_features": "differences",
    "others": "differences",
    "alone": "features",
    "missing": "details",
    "batch": "details",
    "repeated": "details",
    "identifier": "details",
}
#: What the columns of the table mean, by the names they have in ``ranking_table()``.
COLUMNS = {
    "gain": "How much this feature added to the score; may be negative",
    "theta_dis": "Mean distance of the samples to the centroid of their class; smaller is better",
    "theta_dir": "Directional overlap with other classes; smaller is better",
    "lambda_dis": "Mean distance of each centroid to the nearest other one; larger is better",
    "lambda_dir": "How far centroids lie in other directions than the nearest; larger is better",
    "closest": "Separation of the pair of classes that is still the closest; larger is better",
    "p_value": "How often the best of the permuted features does as well; smaller is better",
    "q_value": "Estimated false discovery rate of the features selected as often (q-value); the "
    "smallest that so few permutations can show is an upper limit",
    "substitutes": "Near-equivalents: the closest, its correlation, how many others",
}


class Report:
    """What was selected, how good it is on held-out samples, how stable and how redundant.

    The last expression of a notebook cell shows it; :meth:`save` writes one HTML file that needs
    no network and no other file, and can be read and printed without JavaScript.

    Parameters
    ----------
    selector : estimator
        A fitted selector: any of this package, or any of scikit-learn.
    X : array-like, data frame, sparse array or Dataset
        The data the selector was fitted on, without missing values. The names of features and
        samples come from the columns and the index of a data frame, or from the
        :class:`s2fs.io.Dataset`. Sparse data are made dense, which is refused beyond 2²⁴
        numbers.
    y : array-like of shape (n_samples,), optional
        The class labels; left out if X is a Dataset.
    title : str, default="Selected features"
        The heading, such as the name of the data.
    origin : Origin, optional
        Where the selection comes from.
    groups : array-like of shape (n_samples,), optional
        What each sample belongs to, such as a patient: samples of one group are held out together.
        Left out if X is a Dataset that has groups.
    sample_weight : array-like of shape (n_samples,), optional
        The weights the selector was fitted with, if any: they are used inside the folds, too.
    covariates : array-like or data frame of shape (n_samples, n_covariates), optional
        The covariates the selector was fitted with, if any. Left out if X is a Dataset that has
        covariates.
    feature_labels : mapping of str to FeatureLabel, optional
        Symbols and descriptions to show in place of the names of features, see
        :func:`s2fs.report.read_feature_labels`.
    comparison : Comparison, optional
        The evaluation of this selection, if it was made already; by default it is made here, of a
        fresh clone of the selector, with everything that it chooses from the data.
    random_state : int, default=0
        Seed of the folds and the random features.
    n_jobs : int, optional
        Number of threads.

    Attributes
    ----------
    summary : dict
        All that the page says, as plain values that JSON can hold.
    comparison : Comparison or None
        The accuracies on held-out samples; None if they could not be had.
    html : str
        The page.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS
    >>> from s2fs.report import Report
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> report = Report(S2FS(4).fit(X, y), X, y, title="Wine")
    >>> report
    Report: 4 features by S²FS: accuracy 96.2 % on held-out samples (91.6 to 98.3)...
    >>> report.summary["features"][0]["name"]
    'flavanoids'
    """

    def __init__(
        self,
        selector: Any,
        X: Any,
        y: Any = None,
        *,
        title: str = "Selected features",
        origin: Origin | None = None,
        groups: Any = None,
        sample_weight: Any = None,
        covariates: Any = None,
        feature_labels: Mapping[str, FeatureLabel] | None = None,
        comparison: Comparison | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        feature_groups = get_feature_groups(selector)
        self._table = Table.of(X, y, groups, sample_weight, covariates, feature_groups)
        self.summary, self.comparison = summarise(
            selector,
            self._table,
            comparison=comparison,
            feature_labels=feature_labels,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        origin = origin or Origin()
        self.summary["title"] = title
        command = None if origin.command is None else hide_folders(origin.command)
        self.summary["run"] |= {
            "command": command,
            "next": write_next_commands(command),
            "seconds": origin.seconds,
            "date": (origin.date or datetime.now()).strftime("%Y-%m-%d %H:%M"),
            "about": origin.about,
        }

    @cached_property
    def html(self) -> str:
        """The page."""
        confusion = _confusion(self.summary)
        return render(
            "selection.html",
            title=self.summary["title"],
            summary=self.summary,
            figures=draw(self._table, self.summary, self.comparison),
            confusion=confusion,
            confusion_is_whole=all(n.is_integer() for row in confusion for n in row),
            axis=forest_axis([row for at in self.summary["by_size"] for row in at["forest"]]),
            words=COLUMNS,
            evidence=EVIDENCE,
            missing=_list_missing_parts(self.summary),
            version=self.summary["run"]["versions"]["s2fs"],
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

    def to_dict(self) -> dict[str, Any]:
        """Return all that the page says as plain values, which JSON can hold.

        Returns
        -------
        dict
            A copy of ``summary``.
        """
        return deepcopy(self.summary)

    def to_markdown(self) -> str:
        """Return the verdict, the checks, the features and a methods paragraph as Markdown.

        Returns
        -------
        str
            Text for a notebook, an issue or a mail.
        """
        summary = self.summary
        start = summary["by_size"][summary["start"]]
        lines = [f"# {_plain_line(summary['title'])}", ""]
        lines += [_plain_line(f"{summary['verdict']['headline']} {summary['verdict']['rest']}"), ""]
        lines += [*map(_plain_line, summary["notes"])]
        if start["rows"]:
            headings = summary["headings"]
            lines += [f"| selected by | {' | '.join(headings)} |"]
            lines += [f"| --- |{' ---: |' * len(headings)}"]
            lines += [
                f"| {_plain_line(row['name'])} | {' | '.join(row['texts'])} |"
                for row in start["rows"]
            ]
        lines += ["", "## Checks", ""]
        lines += [
            f"- ! {_plain_line(check['text'])}"
            for check in summary["checks"]
            if not check["passed"]
        ]
        lines.append(f"- ✓ {start['passed_text']}")
        lines += ["", "## Features", ""]
        lines += ["| rank | feature | stands out | AUC on these samples | selected in |"]
        lines += ["| ---: | --- | --- | ---: | ---: |"]
        for row in summary["features"]:
            frequency = "" if row["frequency"] is None else f"{row['frequency']:.0%}"
            lines.append(
                f"| {row['rank']} | {_plain_line(row['name'])} | {_plain_line(row['stands_out'])} "
                f"| {row['auc']:.2f} | {frequency} |"
            )
        lines += ["", "## For the paper", "", _plain_line(summary["methods"])]
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        verdict = self.summary["verdict"]
        return " ".join(f"Report: {verdict['headline']} {verdict['rest']}".split())

    def _repr_html_(self) -> str:
        # A frame of its own: the style of the notebook and that of the page stay apart.
        return (
            f'<iframe title="{escape(self.summary["title"])}" sandbox="allow-scripts '
            f'allow-downloads allow-modals" style="width:100%;height:52rem;border:0" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def _list_missing_parts(summary: dict[str, Any]) -> list[str]:
    """The parts of the page that these data do not have."""
    parts = []
    if len(summary["features"]) == 1:
        parts.append("redundancy")
    if len(summary["by_size"]) == 1:
        parts.append("how-many")
    if not summary["by_size"][summary["start"]]["forest"]:
        parts.append("differences")
    return parts


def _plain_line(text: str) -> str:
    """A text in one line in which Markdown and HTML see nothing but text."""
    line = " ".join(str(text).split())
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", line)


def _confusion(summary: dict[str, Any]) -> list[list[float]]:
    """The confusion matrix of the number of features asked for."""
    p = len(summary["data"]["classes"])
    table = [[0.0] * p for _ in range(p)]
    for true, predicted, n in summary["by_size"][summary["start"]]["confusion"]:
        table[true][predicted] = float(n)
    return table
