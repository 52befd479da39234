"""Values of any kind become what JSON can hold."""

import json

import numpy as np
from sklearn.base import BaseEstimator

from s2fs import S2FS, Selection


class Chosen(BaseEstimator):
    """A fixed selection, with a parameter of any kind."""

    n_features_in_, indices_ = 1, (0,)

    def __init__(self, values=None):
        self.values = values


def test_everything_becomes_json(tmp_path):
    given = {
        1: np.float32(0.5),
        "array": np.array([[1, 2], [3, 4]]),
        "tuple": (None, True, "x", np.int64(3)),
        "inf": float("inf"),
        "nan": [np.nan],
        "object": S2FS(3),
    }
    expected = {
        "1": 0.5,
        "array": [[1, 2], [3, 4]],
        "tuple": [None, True, "x", 3],
        "inf": "inf",
        "nan": ["nan"],
        "object": "S2FS(n_features_to_select=3)",
    }
    selection = Selection.of(Chosen(given))
    assert selection.parameters == {"values": expected}
    selection.save(path := tmp_path / "s.json")
    assert json.loads(path.read_text(encoding="utf-8"))["selection"]["parameters"] == {
        "values": expected
    }
    assert Selection.load(path) == selection
