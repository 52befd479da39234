"""Pipelines kept by joblib, skops and MLflow, as the how-to page shows."""

import joblib
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from s2fs import PairCover

X, Y = load_wine(return_X_y=True, as_frame=True)


@pytest.fixture
def pipeline():
    return make_pipeline(StandardScaler(), PairCover(3), LogisticRegression()).fit(X, Y)


def test_joblib(pipeline, tmp_path):
    joblib.dump(pipeline, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    assert again.predict(X).tolist() == pipeline.predict(X).tolist()


def test_skops_names_a_public_path(pipeline, tmp_path):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    skops.dump(pipeline, tmp_path / "model.skops")
    assert skops.get_untrusted_types(file=tmp_path / "model.skops") == ["s2fs.PairCover"]
    again = skops.load(tmp_path / "model.skops", trusted=["s2fs.PairCover"])
    assert again.predict(X).tolist() == pipeline.predict(X).tolist()


def test_batches_are_kept_as_plain_arrays(tmp_path):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    selector = PairCover(3, correlation=0).partial_fit(X[::2], Y[::2])
    skops.dump(selector, tmp_path / "selector.skops")
    assert skops.get_untrusted_types(file=tmp_path / "selector.skops") == ["s2fs.PairCover"]
    again = skops.load(tmp_path / "selector.skops", trusted=["s2fs.PairCover"])
    whole = PairCover(3, correlation=0).fit(X, Y)
    assert again.partial_fit(X[1::2], Y[1::2]).indices_.tolist() == whole.indices_.tolist()


def test_mlflow(pipeline, tmp_path):
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
    pytest.importorskip("skops", reason="MLflow keeps scikit-learn models by skops")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    mlflow.create_experiment("kept", artifact_location=(tmp_path / "kept").as_uri())
    mlflow.set_experiment("kept")
    trusted = ["s2fs.PairCover"]
    info = mlflow.sklearn.log_model(pipeline, name="model", skops_trusted_types=trusted)
    again = mlflow.sklearn.load_model(info.model_uri)
    assert again.predict(X).tolist() == pipeline.predict(X).tolist()
