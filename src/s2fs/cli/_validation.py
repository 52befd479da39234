"""``s2fs validate`` at work."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from time import perf_counter
from typing import Any

import click
import numpy as np

from s2fs import Panel, io, report
from s2fs._utils.files import write_together
from s2fs.cli._validate import Validate
from s2fs.cli.messages import get_words, in_one_line
from s2fs.cli.new_samples import make_table, name_samples, read_new_samples
from s2fs.cli.outputs import encode_table
from s2fs.cli.tables import print_table
from s2fs.cli.terminal import note, print_line
from s2fs.evaluation.checks import as_dicts, count_passed
from s2fs.evaluation.repeated import SharedSamples
from s2fs.panel import Validation
from s2fs.panel.second_cohort import NewLabels, encode_new_labels, find_shared_in, validate_samples


def run(asked: Validate) -> None:
    """Validate as asked, and write and print what was found."""
    start = perf_counter()
    panel = Panel.load(asked.new.panel)
    samples = _read(panel, asked)
    labels = encode_new_labels(samples.labels or [], panel.classes_.tolist())
    _reject_foreign_labels(panel, labels, asked)
    notes: list[str] = []
    table = make_table(panel, samples, notes)
    shared, first_names = _look_into_first(panel, table, asked)
    units = asked.new.units
    found = validate_samples(
        panel,
        table,
        labels,
        groups=samples.groups,
        change=units.change,
        rescale=units.rescale,
        sample_names=name_samples(samples),
        shared=shared,
        first_names=first_names,
        notes=notes,
    )
    command = click.get_current_context().command
    found = replace(found, notes=[in_one_line(line, command) for line in found.notes])
    contents = {}
    if asked.output is not None:
        contents[asked.output] = _encode(found, asked.output)
    if asked.report is not None:
        origin = report.Origin(shlex.join(["s2fs", *get_words()]), perf_counter() - start)
        title = f"{asked.new.file.name}: validation of {asked.new.panel.name}"
        contents[asked.report] = report.ValidationReport(
            found, title=title, origin=origin
        ).html.encode()
    write_together(contents)
    for path in contents:
        note(f"Wrote {path}.")
    print_validation(found, asked)


def _read(panel: Panel, asked: Validate, file: Path | None = None) -> io.Samples:
    """Read a table with its classes."""
    return read_new_samples(
        panel,
        asked.new,
        file,
        target=asked.target,
        target_from_names=asked.target_from_names,
        group=asked.group if file is None else None,
        labelled=True,
    )


def _reject_foreign_labels(panel: Panel, labels: NewLabels, asked: Validate) -> None:
    """Raise if no label is a class of the panel: the target is another column, or written anew."""
    if not len(labels.codes) or labels.codes.max() >= 0 or not labels.unknown:
        return
    shown = ", ".join(map(repr, list(labels.unknown)[:5]))
    classes = ", ".join(map(str, panel.classes_))
    raise ValueError(
        f"{asked.new.file} has the classes {shown}, and the panel tells {classes}; give another "
        "--target, or the same names to the classes."
    )


def _look_into_first(
    panel: Panel, table: Any, asked: Validate
) -> tuple[SharedSamples | None, list[str]]:
    """Which samples are in the first cohort, too, if its table is given."""
    if asked.first is None:
        return None, []
    first = _read(panel, asked, asked.first)
    codes = encode_new_labels(first.labels or [], panel.classes_.tolist()).codes
    # Samples of no class of the panel are a class of their own.
    codes = np.where(codes < 0, len(panel.classes_), codes)
    change = asked.new.units.change
    return find_shared_in(make_table(panel, first, []), codes, table, change), name_samples(first)


def _encode(found: Validation, path: Path) -> bytes:
    """All numbers as JSON, or a table with a row for each sample."""
    if path.suffix.lower() == ".json":
        result = found.to_dict() | {"samples": _list_samples(found, as_rows=True)}
        return (json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    return encode_table(_list_samples(found), path.suffix)


def _list_samples(found: Validation, *, as_rows: bool = False) -> Any:
    """For each sample its name, its class, what was predicted, and the probabilities."""
    classes = np.array(found.classes, dtype=object)
    columns: dict[str, list[Any]] = {
        "sample": found.sample_names,
        "class": classes[found.codes].tolist(),
        "predicted": classes[found.probabilities.argmax(axis=1)].tolist(),
    }
    for q, name in enumerate(found.classes):
        columns[f"probability {name}"] = found.probabilities[:, q].round(6).tolist()
    if not as_rows:
        return columns
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def print_validation(found: Validation, asked: Validate) -> None:
    """The word first, then the table of metrics, the features, and what to look at."""
    click.echo(fill(found.sentence, 79))
    print_line(found.title)
    click.echo()
    columns = found.columns()
    print_table(columns, numbers=list(columns)[2:])
    print_line("Decided by the largest probability (a row for each true class):")
    click.echo()
    confusion: dict[str, list[Any]] = {"": found.classes}
    for q, name in enumerate(found.classes):
        confusion[name] = found.confusion[:, q].tolist()
    print_table(confusion, numbers=found.classes)
    click.echo()
    features = found.feature_columns()
    print_table(features, numbers=list(features)[2:5])
    for line in found.lines():
        print_line(line)
    click.echo()
    for check in found.checks:
        if not check.passed:
            click.echo(fill(f"! {check.text}", 79, subsequent_indent="  "))
    click.echo(f"✓ {count_passed(as_dicts(found.checks))}")
    if asked.report is None:
        words = shlex.join(["s2fs", *get_words(), "--report", "validation.html"])
        click.echo(f"\nNext: {words}")
