"""How often each word is said: the verdicts on a folder of tables.

Run ``python bench/studies/verdicts.py FOLDER`` with a folder of .npz files that hold X and y. Each
table is compared once with PairCover as the first selector and once with S²FS, at 10 features and
5 × 5 folds with logistic regression. Printed are the counts of "better than", "worse than", "as
good as" and "cannot be told from", against every row, and the differences of 8 points or more that
are not told.
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from timing import table

from s2fs import compare

N_FEATURES = 10
LARGE = 0.08
WORDS = ("better than", "worse than", "as good as", "cannot be told from")
ORDERS = (("paircover", "s2fs", "anovaf"), ("s2fs", "paircover", "anovaf"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    untold = []
    for path in sorted(args.folder.glob("*.npz")):
        with np.load(path) as arrays:
            X, y = arrays["X"], arrays["y"]
        for names in ORDERS:
            found = compare(X, y, k=N_FEATURES, selectors=names, random_state=args.seed)
            first = found.rows[0].selector
            for row in found.rows[1:]:
                other = row.selector
                gap = found.difference(first, other)
                called = "all features" if other.startswith("all ") else other
                counts.setdefault(f"{first} and {called}", Counter())[gap.relation] += 1
                if abs(gap.value) >= LARGE and gap.relation not in WORDS[:2]:
                    untold.append((path.stem, first, called, gap))
    rows = [[name, *(counts[name][word] for word in WORDS)] for name in counts]
    total = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    print(table(["first and other", *WORDS], [*rows, ["all", *total]]))
    print(f"\nDifferences of {100 * LARGE:.0f} points or more that are not told: {len(untold)}")
    for name, first, called, gap in untold:
        print(
            f"{name}: {first} and {called}, {100 * gap.value:+.1f} points, "
            f"{100 * gap.low:.1f} to {100 * gap.high:.1f}, {gap.relation}"
        )


if __name__ == "__main__":
    main()
