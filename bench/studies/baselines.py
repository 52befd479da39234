"""Time of a ranking by each baseline, default parameters, on the paper's datasets.

Run ``S2FS_DATA=folder python bench/studies/baselines.py``. Processor time of one thread in ms,
compilation not included.
"""

import argparse
import resource
import sys
import time
import warnings

from timing import PAPER, classes_in_noise, machine, paper_data, seconds, table

from s2fs import S2FS
from s2fs_bench.baselines import FDM, FGZEFSR, FSNMER, IPD, MAFRFS, MDP, N3Y, RDSI, SFSS

SELECTORS = (S2FS, SFSS, FDM, FSNMER, IPD, MDP, N3Y, RDSI, FGZEFSR, MAFRFS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", type=int, default=150)
    parser.add_argument("--datasets", nargs="*", default=PAPER)
    args = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # features that rest on few samples
    for selector in SELECTORS:
        selector(5).fit(*classes_in_noise(60, 2000, 3))  # compiles
    rows = []
    for name in args.datasets:
        X, y = paper_data(name)
        times = [
            1000 * seconds(cls(args.k).fit, X, y, repeats=1, patience=1, clock=time.process_time)
            for cls in SELECTORS
        ]
        rows.append([name, *(f"{t:.0f}" for t in times), f"{sum(times[1:]):.0f}"])
        print(*rows[-1], flush=True, file=sys.stderr)
    print(machine(), end="\n\n")
    print(table(["data", *(cls.__name__ for cls in SELECTORS), "baselines together"], rows))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nPeak memory of the process: {peak:.0f} MB")


if __name__ == "__main__":
    main()
