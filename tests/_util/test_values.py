import json

import numpy as np

from s2fs import S2FS
from s2fs._util.values import plain


def test_everything_becomes_json():
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
    assert plain(given) == expected
    assert json.loads(json.dumps(plain(given), allow_nan=False)) == expected
