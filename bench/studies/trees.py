"""How the trees of the bench compare with scikit-learn's, which draw at random among equal splits.

Run ``S2FS_DATA=folder python bench/studies/trees.py``: accuracy of CART on every fifth size of the
S²FS rankings of ten folds, best and average over the sizes, ours and for three seeds of theirs.
"""

import numpy as np
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier
from timing import table

from s2fs import S2FS
from s2fs.evaluation import stratified_folds
from s2fs_bench import PAPER_LEARNERS, load_dataset

SIZES = np.arange(1, 151, 5)
SEEDS = range(3)


def main() -> None:
    rows = []
    for name in ("srbct", "glioma", "all_aml_3", "yale"):
        data = load_dataset(name)
        X, y = data.X, data.y
        hits = np.zeros((1 + len(SEEDS), len(SIZES)))
        for train, test in stratified_folds(y):
            ranking = S2FS(int(SIZES[-1]), scale="minmax").fit(X[train], y[train]).indices_
            scaler = MinMaxScaler().fit(X[train])
            A, B = (scaler.transform(X[some])[:, ranking] for some in (train, test))
            hits[0] += (PAPER_LEARNERS["cart"](A, y[train], B, SIZES) == y[test]).sum(axis=1)
            for seed in SEEDS:
                tree = DecisionTreeClassifier(random_state=seed)
                for j, k in enumerate(SIZES):
                    hits[1 + seed, j] += (
                        tree.fit(A[:, :k], y[train]).predict(B[:, :k]) == y[test]
                    ).sum()
        scores = hits / len(y)
        rows.append((name, *(f"{s.max():.3f} / {s.mean():.3f}" for s in scores)))
    print(table(["data, Max / Ave", "ours", *(f"seed {seed}" for seed in SEEDS)], rows))


if __name__ == "__main__":
    main()
