"""What the selectors of both distributions rank, by version of their algorithm."""

import json

import numpy as np


def rank(cls, **parameters):
    """The ranking of data with a clear order: no two scores are close."""
    rng = np.random.default_rng(7)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 12)) + np.outer(y == 1, np.linspace(0, 3, 12) ** 2 / 3)
    X += np.outer(y == 2, rng.normal(size=12))
    X[:, 4] = np.exp(X[:, 4])
    return cls(6, **parameters).fit(X, y).indices_.tolist()


def entry(cls):
    """The version of an algorithm and what it ranks."""
    found = {"version": cls.algorithm_version, "ranks": rank(cls)}
    if hasattr(cls, "published_completion"):  # what the word stands for is not in the key of a run
        found["published"] = rank(cls, completion="published")
    return found


def write(path, selectors):
    """Keep the entries of all selectors, one line each."""
    lines = [f"  {json.dumps(name)}: {json.dumps(entry(selectors[name]))}" for name in selectors]
    path.write_text("{\n" + ",\n".join(sorted(lines)) + "\n}\n", "utf-8")
