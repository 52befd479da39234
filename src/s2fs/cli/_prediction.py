"""``s2fs predict`` at work."""

from typing import Any

import click
import numpy as np

from s2fs import Panel
from s2fs._utils.messages import join_words
from s2fs.cli._predict import Predict
from s2fs.cli.messages import print_note
from s2fs.cli.new_samples import make_table, name_samples, read_new_samples
from s2fs.cli.outputs import as_text, write_table
from s2fs.panel.new_samples import NewSamples, prepare_samples

#: What stands in the place of a class that is not probable enough.
UNSURE = "unsure"
_N_DIGITS = 6


def run(asked: Predict) -> None:
    """Print or write a class and probabilities for each sample."""
    panel = Panel.load(asked.new.panel)
    samples = read_new_samples(panel, asked.new)
    notes: list[Any] = []
    table = make_table(panel, samples, notes)
    units = asked.new.units
    prepared = prepare_samples(panel, table, change=units.change, rescale=units.rescale)
    notes += prepared.notes
    if prepared.advice is not None:
        notes.append(prepared.advice)
    for note in notes:
        print_note(note)
    result = make_predictions(panel, prepared, name_samples(samples), asked.reject)
    if asked.output is None:
        click.echo(as_text(result), nl=False)
    else:
        write_table(asked.output, result)


def make_predictions(
    panel: Panel, prepared: NewSamples, names: list[str], reject: float | None = None
) -> dict[str, list[Any]]:
    """A row for each sample: name, class, probabilities, and what was filled in."""
    probabilities = prepared.probabilities
    best = panel.classes_[probabilities.argmax(axis=1)].tolist()
    result: dict[str, list[Any]] = {"sample": names, "predicted": best}
    if reject is not None:
        is_sure = (probabilities.max(axis=1) >= reject).tolist()
        result["predicted"] = [
            label if sure else UNSURE for label, sure in zip(best, is_sure, strict=True)
        ]
        result["best"] = best
    for q, label in enumerate(panel.classes_):
        result[f"probability {label}"] = probabilities[:, q].round(_N_DIGITS).tolist()
    result["notes"] = _note_gaps(panel, prepared)
    return result


def _note_gaps(panel: Panel, prepared: NewSamples) -> list[str]:
    """For each sample the features whose value is missing, where others have one."""
    is_gap = np.isnan(prepared.measured) & np.array([bool(one) for one in prepared.origins])
    found = [""] * len(is_gap)
    for i in np.flatnonzero(is_gap.any(axis=1)).tolist():
        missing = [str(name) for name in panel.feature_names_[is_gap[i]]]
        found[i] = f"missing: {join_words(missing)}"
    return found
