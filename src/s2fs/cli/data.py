"""The table that a command reads, and the block of decisions about it."""

import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from s2fs import io
from s2fs._utils.labels import are_numbers
from s2fs._utils.messages import format_names, make_printable
from s2fs._utils.streams import is_terminal
from s2fs.cli.command import arguments_of
from s2fs.cli.features import list_features
from s2fs.cli.messages import print_note
from s2fs.cli.options import DataOptions
from s2fs.cli.terminal import wrap_on_terminal

if TYPE_CHECKING:
    from s2fs.io import Dataset

#: Stands for a space at which no line is broken.
_NO_BREAK = "\N{NO-BREAK SPACE}"


def read_data(
    asked: DataOptions, *, takes_missing: bool = False, keeps_small_classes: bool = False
) -> "Dataset":
    """Read the data and show what was made of them; missing values stay if the method takes them.

    An adjustment for covariates needs every value.
    """
    given = arguments_of(asked)
    if takes_missing and asked.impute is None and not asked.covariates:
        given["impute"] = "keep"
    given["drop_unlabelled"] = asked.drop_unlabelled or None  # not given is not refused
    with warnings.catch_warnings():  # they stand in the block of decisions
        warnings.simplefilter("ignore", io.ReadWarning)
        data = io.read_table(asked.file, **given)
    if not keeps_small_classes:
        data = leave_out_single_samples(data)
    print_decisions(data, asked)
    return data


def leave_out_single_samples(data: "Dataset") -> "Dataset":
    """The data without classes of a single sample, of which no sample can be held out.

    Where fewer than two classes are left, the selector says so.
    """
    counts = np.bincount(data.y, minlength=len(data.class_names))
    is_left = counts > 1
    if is_left.all() or is_left.sum() < 2:
        return data
    left_out = [name for name, left in zip(data.class_names, is_left, strict=True) if not left]
    kept = np.flatnonzero(is_left[data.y])
    one = len(left_out) == 1
    text = (
        f"{'class' if one else 'classes'} {format_names(left_out)} "
        f"{'has' if one else 'have'} a single sample{'' if one else ' each'}; left out."
    )

    def take(values: Any) -> Any:
        return None if values is None else values[kept]

    return data._replace(
        X=data.X[kept],
        y=(np.cumsum(is_left) - 1)[data.y[kept]],
        class_names=[name for name, left in zip(data.class_names, is_left, strict=True) if left],
        sample_ids=None if data.sample_ids is None else [data.sample_ids[i] for i in kept],
        groups=take(data.groups),
        covariates=None
        if data.covariates is None
        else {name: take(values) for name, values in data.covariates.items()},
        incomplete=take(data.incomplete),
        remarks=(*data.remarks, io.Remark("single sample", text)),
    )


def print_decisions(data: "Dataset", asked: DataOptions) -> None:
    """Show in one block on standard error what was made of a file: one line, then the remarks.

    A file that is taken as it is gets the line on a terminal only.
    """
    if not (data.remarks or is_terminal(sys.stderr)):
        return
    n, m = len(data.y), list_features(data)[0].n
    counts = Counter(data.y.tolist())
    colon = ":" if are_numbers(data.class_names) else ""
    sizes = [f"{name}{colon} {counts[code]}" for code, name in enumerate(data.class_names)]
    target = "" if asked.target is None else f" of {asked.target}"
    features = f"{m:,} feature{'' if m == 1 else 's'}"
    parts = [f"{n:,} samples · {features}", f"{len(sizes)} classes{target} ({_first(sizes)})"]
    left_out = [f"{name or 'unnamed'} ({r.kind})" for r in data.remarks for name in r.columns]
    if left_out:
        parts.append(f"left out: {_first(left_out)}")
    summary = make_printable(f"{asked.file.name}: {' · '.join(parts)}")
    for size in map(make_printable, sizes):  # a class and its number stay in one line
        summary = summary.replace(size, size.replace(" ", _NO_BREAK))
    click.echo(wrap_on_terminal(summary, "  ").replace(_NO_BREAK, " "), err=True)
    for remark in data.remarks:
        print_note(remark.text, shorten=asked.file)


def _first(words: Sequence[str], limit: int = 8) -> str:
    """A few of the words, and how many more there are."""
    more = f" and {len(words) - limit} more" if len(words) > limit else ""
    return ", ".join(words[:limit]) + more
