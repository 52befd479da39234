"""The files that ``s2fs select`` writes."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import s2fs
from s2fs._utils.files import write_together
from s2fs._utils.values import plain
from s2fs.cli._panel import encode_panel
from s2fs.cli._ranking import Table, count_perfect
from s2fs.cli.outputs import as_records, encode_table
from s2fs.cli.terminal import note

if TYPE_CHECKING:
    from s2fs.cli._select import Select


def encode_files(
    selector: Any,
    feature_names: list[str],
    table: Table,
    asked: "Select",
    remarks: Sequence[Any] = (),
    evaluation: s2fs.Comparison | None = None,
    checks: list[dict[str, Any]] | None = None,
    panel: s2fs.Panel | None = None,
) -> dict[Path, bytes]:
    """The contents of the ranking, and of the selection with its model, where asked for."""
    contents = {}
    if asked.output is not None:
        columns = {name.replace(" ", "_"): values for name, values in table.items()}
        if n_perfect := count_perfect(selector, table["score"]):
            columns["separates_perfectly"] = [i < n_perfect for i in range(len(table["rank"]))]
        if asked.output.suffix.lower() == ".json":
            result = _as_result(selector, columns, asked, remarks, evaluation, checks)
            text = json.dumps(result, ensure_ascii=False, indent=2) + "\n"
            contents[asked.output] = text.encode()
        else:
            contents[asked.output] = encode_table(columns, asked.output.suffix)
    if asked.save is not None:
        contents[asked.save] = encode_panel(panel, selector, feature_names, evaluation)
    return contents


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write some files, all or none."""
    write_together(contents)
    for path in contents:
        note(f"Wrote {path}.")


def _as_result(
    selector: Any,
    columns: Table,
    asked: "Select",
    remarks: Sequence[Any],
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
        "file": None if asked.table is not None else _describe_file(asked.data.file),
        "remarks": [asdict(remark) for remark in remarks],
        "verdict": None if evaluation is None else evaluation.verdict,
        "rows": as_records(columns),
        "evaluation": None if evaluation is None else _with_whole_numbers(evaluation.to_dict()),
        "checks": checks,
    }


def _describe_file(path: Path) -> dict[str, Any]:
    """The name of a file and the hash of its content; no hash of what can be read once only."""
    digest = None
    if path.is_file():
        with path.open("rb") as file:  # which may be larger than memory
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "sha256": digest}


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
