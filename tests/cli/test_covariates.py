"""--covariate: the features of a table, adjusted for its batches."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from s2fs import S2FS, PairCover
from s2fs.cli import main
from s2fs.evaluation import evaluate_selector


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture
def table(tmp_path):
    """Batches with shares of the classes of their own; the first gene only tells them apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    batch = np.where(rng.random(80) < 0.2 + 0.6 * y, "lab 1", "lab 2")
    X = rng.normal(size=(80, 5))
    X[:, 0] += 8 * (batch == "lab 1")
    X[:, 3] += 1.5 * y
    frame = pd.DataFrame(X, columns=[f"g{f}" for f in range(5)]).assign(lab=batch, kind=y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    return frame, tmp_path / "t.csv"


@pytest.mark.parametrize("method", ["paircover", "s2fs"])
def test_a_gene_of_the_batches_is_not_selected_first(table, tmp_path, method):
    frame, path = table
    out = tmp_path / "r.csv"
    wanted = ("-t", "kind", "-k", 2, "--method", method, "--covariate", "lab", "-o", out)
    result = run("select", path, *wanted)
    assert result.exit_code == 0, result.output
    selected = list(pd.read_csv(out)["feature"])
    assert selected[0] == "g3"
    X = frame.drop(columns=["lab", "kind"])
    selector = {"paircover": PairCover, "s2fs": S2FS}[method](2)
    selector.fit(X, frame["kind"], covariates=frame["lab"])
    assert selected == selector.feature_names_.tolist()
    # The effects are learnt inside the folds, so there is a verdict.
    found = evaluate_selector(selector, X, frame["kind"], n_selected=2, covariates=frame["lab"])
    assert found.verdict in " ".join(result.stdout.split())


@pytest.mark.parametrize(("options", "message"), [
    (["--covariate", "lob"], "--covariate is 'lob', but"),
    (["--covariate", "lab", "--method", "anovaf"], "--covariate is not for --method anovaf"),
])  # fmt: skip
def test_what_does_not_go_with_covariates(table, options, message):
    result = run("select", table[1], "-t", "kind", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_batch_that_is_not_known(table, tmp_path):
    frame, path = table
    frame.assign(lab=frame["lab"].where(frame.index != 3)).to_csv(path, index=False)
    result = run("select", path, "-t", "kind", "--covariate", "lab")
    assert result.exit_code == 2
    assert "is missing in 1 row, the first is data row 4" in result.stderr


def test_arrays_without_the_batch(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(4), y=[0, 0, 1, 1])
    result = run("select", tmp_path / "t.npz", "--covariate", "lab")
    assert result.exit_code == 2
    assert "--covariate is 'lab', but" in result.stderr


@pytest.mark.parametrize("command", ["select", "compare"])
def test_missing_values_are_filled_in_before_they_are_adjusted(table, command):
    """The command that is advised works, and ends with an accuracy on held-out samples."""
    frame, path = table
    frame.assign(g1=frame["g1"].where(frame.index % 7 > 0)).to_csv(path, index=False)
    refused = run(command, path, "-t", "kind", "-k", 2, "--covariate", "lab")
    assert refused.exit_code == 2
    advised = re.search(r"^Try: s2fs (.*)$", refused.stderr, flags=re.MULTILINE)[1]
    assert advised.endswith("--impute median")
    result = run(*shlex.split(advised))
    assert result.exit_code == 0, result.output
    assert "held-out samples" in result.stdout
    assert "No verdict" not in result.stderr
