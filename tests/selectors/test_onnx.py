"""Selectors in models converted to ONNX: onnxruntime predicts what scikit-learn predicts."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector
from s2fs.baselines import AnovaF

skl2onnx = pytest.importorskip("skl2onnx", reason="conversion to ONNX needs skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="running a model needs onnxruntime")

X, y = load_wine(return_X_y=True)
X = X.astype(np.float32)


def run(model, rows):
    """The first output of a converted model."""
    converted = skl2onnx.to_onnx(model, X[:1])
    session = onnxruntime.InferenceSession(
        converted.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {session.get_inputs()[0].name: rows})[0]


@pytest.mark.parametrize("selector", [
    S2FS(3),
    S2FS(1, include=[0]),
    PairCover(4),
    AnovaF(5),
    SelectorCV(3, selector=S2FS(), alphas=(0.1,), betas=(0.1,), cv=2),
    StabilitySelector(3, n_resamples=3),
], ids=str)  # fmt: skip
def test_a_selector_alone(selector):
    selector.fit(X, y)
    for rows in (X, X[:1]):
        np.testing.assert_array_equal(run(selector, rows), selector.transform(rows))


def test_a_selector_in_a_pipeline():
    model = make_pipeline(StandardScaler(), PairCover(4), LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(run(model, X), model.predict(X))


def test_nothing_selected():
    selector = S2FS(1).fit(X, y)
    selector.support_[:] = False
    with pytest.raises(ValueError, match="S2FS has selected no feature"):
        run(selector, X)
