"""What is said of the values of the features."""

import re
import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from s2fs.io import read_table


@given(st.data())
def test_one_value_in_every_class_is_told_of_every_such_column(tmp_path_factory, data):
    sizes = data.draw(st.lists(st.integers(1, 90), min_size=2, max_size=3))
    y = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rng.shuffle(y)
    X = rng.normal(size=(len(sizes), 5)).round()[y] + 0.0
    changed = data.draw(st.lists(st.tuples(st.integers(0, len(y) - 1), st.integers(0, 3))))
    for row, column in changed:
        X[row, column] += data.draw(st.sampled_from([0, 1, np.nan]))
    expected = [
        f"x{f}"
        for f in range(5)
        if all(len(set(X[y == c, f])) == 1 and not np.isnan(X[y == c, f]).any() for c in set(y))
        and len({X[y == c, f][0] for c in set(y) if (y == c).sum() >= 10}) > 1
    ]
    file = tmp_path_factory.mktemp("npz") / "t.npz"
    np.savez(file, X=X, y=y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        remarks = read_table(file, impute="keep").remarks
    told = [r.text for r in remarks if r.kind == "one value in every class"]
    found = re.findall(r"'(x\d)'", str(told[0]).split(";")[0]) if told else []
    assert found == expected
