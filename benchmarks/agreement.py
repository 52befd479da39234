"""Whether the compiled engine chooses the features that plain NumPy in double precision does.

Run ``python benchmarks/agreement.py -n 10000``: seeded random problems, near-ties and duplicated
columns among them; prints the number of problems whose paths differ.
"""

import argparse

import numpy as np

from s2fs._core.problem import Problem
from s2fs._engine.compiled import CompiledState
from s2fs._engine.reference import SubsetState
from s2fs._engine.separability import Separability
from s2fs._search.forward import forward


def problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    p = int(rng.integers(2, 9))
    n = int(rng.integers(p, 80))
    m = int(rng.integers(1, 60))
    y = np.concatenate([np.arange(p), rng.integers(0, p, n - p)])
    X = rng.normal(size=(n, m)) + rng.normal(size=(p, m))[y] * rng.choice([0.0, 0.5, 2.0])
    if rng.random() < 0.4:  # coarse values tie
        X = np.round(X * rng.choice([1, 2, 4]))
    for f in range(1, m):
        source, kind = int(rng.integers(f)), rng.random()
        if kind < 0.05:
            X[:, f] = X[:, source]
        elif kind < 0.08:
            X[:, f] = 1 - X[:, source]
        elif kind < 0.16:  # nearly the same column
            X[:, f] = X[:, source] * (1 + 10.0 ** -rng.integers(3, 15) * rng.normal(size=n))
        elif kind < 0.18:
            X[:, f] = 1.0
    return X, y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="number of problems")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    differ = 0
    for number in range(args.n):
        rng = np.random.default_rng([args.seed, number])
        X, y = problem(rng)
        alpha, beta = rng.choice([0, 0.01, 0.0316, 0.1778, 1.0], 2)
        reading = rng.choice(["printed", "normalized"])
        data = Problem(X, y, rng.choice(["minmax", None]))
        k = min(X.shape[1], 12)
        paths = [
            [step.feature for step in forward(Separability(State(data, reading), alpha, beta), k)]
            for State in (SubsetState, CompiledState)
        ]
        if paths[0] != paths[1]:
            differ += 1
            print(f"problem {number}: NumPy {paths[0]}, compiled {paths[1]}")
    print(f"{args.n} problems, {differ} with different paths")


if __name__ == "__main__":
    main()
