"""The files that ``s2fs select`` writes."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import s2fs
from s2fs._utils.files import write_atomic
from s2fs._utils.values import plain
from s2fs.cli._ranking import Table, count_perfect
from s2fs.cli.outputs import as_records, write_table
from s2fs.cli.terminal import note


def write_files(
    selector: Any,
    feature_names: list[str],
    table: Table,
    asked: SimpleNamespace,
    evaluation: s2fs.Comparison | None = None,
    checks: list[dict[str, Any]] | None = None,
) -> None:
    """Write the ranking and the selection where they were asked for."""
    if asked.output is not None:
        columns = {name.replace(" ", "_"): values for name, values in table.items()}
        if n_perfect := count_perfect(selector, table["score"]):
            columns["separates_perfectly"] = [i < n_perfect for i in range(len(table["rank"]))]
        if asked.output.suffix.lower() == ".json":
            result = _as_result(selector, columns, asked, evaluation, checks)
            write_atomic(
                asked.output, (json.dumps(result, ensure_ascii=False, indent=2) + "\n").encode()
            )
            note(f"Wrote {asked.output}.")
        else:
            write_table(asked.output, columns, raw_text=asked.raw_text)
    if asked.save is not None:
        s2fs.Selection.of(selector, feature_names).save(asked.save)
        note(f"Wrote {asked.save}.")


def _as_result(
    selector: Any,
    columns: Table,
    asked: SimpleNamespace,
    evaluation: s2fs.Comparison | None,
    checks: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    """All that a run found, as plain values."""
    parameters = {name: plain(value) for name, value in selector.get_params().items()}
    return {
        "s2fs_version": s2fs.__version__,
        "method": asked.method,
        "parameters": parameters,
        "seed": parameters.get("random_state"),
        "file": _describe_file(asked.file),
        "remarks": [asdict(remark) for remark in getattr(asked, "remarks", ())],
        "verdict": None if evaluation is None else evaluation.verdict,
        "rows": as_records(columns),
        "evaluation": None if evaluation is None else _with_whole_numbers(evaluation.to_dict()),
        "checks": checks,
    }


def _describe_file(path: Path | None) -> dict[str, Any] | None:
    """The name of a file and the hash of its content; no hash of what can be read once only."""
    if path is None:  # a table of a database
        return None
    content = path.read_bytes() if path.is_file() else None
    return {
        "name": path.name,
        "sha256": None if content is None else hashlib.sha256(content).hexdigest(),
    }


def _with_whole_numbers(value: Any) -> Any:
    """The same values with numbers of features as whole numbers where they are whole."""
    if isinstance(value, dict):
        result = {name: _with_whole_numbers(item) for name, item in value.items()}
        number = result.get("n_features")
        if isinstance(number, float) and number.is_integer():
            result["n_features"] = int(number)
        return result
    if isinstance(value, list):
        return [_with_whole_numbers(item) for item in value]
    return value
