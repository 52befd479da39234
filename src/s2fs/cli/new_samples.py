"""New samples at work: a panel and a table are read and made to fit; what was done is said."""

import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import click
import numpy as np

from s2fs import Panel, io
from s2fs._utils.messages import format_count, join_words, make_printable
from s2fs._utils.streams import is_terminal
from s2fs._utils.types import Floats
from s2fs.cli._new_samples import NewSamplesOptions
from s2fs.cli.command import arguments_of
from s2fs.cli.messages import print_note
from s2fs.cli.outputs import as_read
from s2fs.cli.terminal import wrap_on_terminal
from s2fs.panel.new_samples import NewTable


def read_new_samples(
    panel: Panel, asked: NewSamplesOptions, file: Path | None = None, **more: Any
) -> io.Samples:
    """Read a table for the features of a panel, and show what was made of it."""
    wanted = {*panel.feature_names_.tolist(), *panel._steps.levels}
    wanted |= {one.name for one in panel._model.substitutes if one is not None}
    with warnings.catch_warnings():  # they stand in the block of decisions
        warnings.simplefilter("ignore", io.ReadWarning)
        samples = io.read_samples(file or asked.file, wanted, **arguments_of(asked.how), **more)
    print_decisions(samples, file or asked.file)
    return samples


def print_decisions(samples: io.Samples, file: Path) -> None:
    """Show on standard error what was made of a file: one line, then the remarks."""
    if not (samples.remarks or is_terminal(sys.stderr)):
        return
    parts = [
        f"{file.name}: {samples.n_samples:,} samples",
        format_count(len(samples.names), "column"),
    ]
    if samples.labels is not None:
        counts = Counter(word for word in samples.labels if word)
        parts.append(", ".join(f"{word} {counts[word]}" for word in sorted(counts)[:8]))
    click.echo(wrap_on_terminal(make_printable(" · ".join(parts)), "  "), err=True)
    for remark in samples.remarks:
        print_note(remark.text, shorten=file)


def make_table(panel: Panel, samples: io.Samples, notes: list[str]) -> NewTable:
    """The table as the panel takes it, with text encoded again; unknown words go to the notes."""
    wanted = panel.feature_names_.tolist()
    names = [as_read(name, wanted) for name in samples.names]
    encoded: dict[str, Floats] = {}
    for column, words in panel._steps.levels.items():
        if column not in names:
            continue
        cells = samples.read_words(names.index(column))
        for name in wanted:
            word = name.removeprefix(f"{column}=")
            if word != name and name not in names:
                encoded[name] = np.array([float(cell == word) for cell in cells])
        unknown = Counter(cell for cell in cells if cell and cell not in words)
        if unknown:
            called = join_words([f"{word!r} ({n})" for word, n in sorted(unknown.items())])
            notes.append(
                f"{column} has words that the panel never saw, which count as none: {called}."
            )
    return NewTable(
        samples.source, names, samples.take, samples.n_samples, samples.repeated, encoded
    )


def name_samples(samples: io.Samples) -> list[str]:
    """What the file calls its samples; else 1, 2, …."""
    return samples.sample_ids or [str(i + 1) for i in range(samples.n_samples)]
