"""Many fits in one process leave nothing behind, and Ctrl-C ends every kind of fit cleanly."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from s2fs import S2FS, PairCover, SelectorCV, StabilitySelector

RNG = np.random.default_rng(0)
Y = np.arange(60) % 3
X = RNG.normal(size=(60, 300)) + RNG.normal(size=(3, 300))[Y]


#: Run in a process of its own: in a worker of the suite, files and threads come and go.
MANY_FITS = """
import os
from pathlib import Path
import numpy as np
from s2fs import S2FS, PairCover

rng = np.random.default_rng(0)
y = np.arange(60) % 3
X = rng.normal(size=(60, 300)) + rng.normal(size=(3, 300))[y]

def fit_many(times):
    for _ in range(times):
        S2FS(5, n_jobs=2).fit(X, y)
        PairCover(5).fit(X, y)
        S2FS(2).fit(X[:, :20], y).substitutes(X[:, :20], y)

def count_resources():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    n_threads, n_files = len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))
    return pages * os.sysconf("SC_PAGE_SIZE"), n_threads, n_files

fit_many(30)
before = count_resources()
fit_many(150)
print(*(after - first for first, after in zip(before, count_resources())))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_nothing_is_left_behind():
    done = subprocess.run([sys.executable, "-c", MANY_FITS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    memory, n_threads, n_files = map(int, done.stdout.split())
    assert (n_threads, n_files) == (0, 0)
    assert memory < 4_000_000  # a copy of X in each fit would be 43 MB


SLOW = {
    "forward": S2FS("all"),
    "two threads": S2FS("all", n_jobs=2),
    "auto": S2FS("auto", tol=0, level=0.01),
    "PairCover": PairCover("all", correlation=0.5),
    "tuning": SelectorCV(40, selector=S2FS(), alphas=[0.1], betas=[0.1], cv=90, n_jobs=2),
    "stability": StabilitySelector(selector=S2FS(100), n_resamples=10_000, n_jobs=2),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
@pytest.mark.parametrize("name", SLOW)
def test_ctrl_c_ends_a_fit(name):
    wide = np.tile(X, (5, 10)) + RNG.normal(size=(300, 3000))
    y = np.tile(Y, 5)
    n_threads = threading.active_count()

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            SLOW[name].fit(wide, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    patience = time.monotonic() + 60
    while threading.active_count() > n_threads and time.monotonic() < patience:
        time.sleep(0.05)  # workers of joblib end what they have begun
    assert threading.active_count() <= n_threads
    assert S2FS(2).fit(X, Y).indices_.tolist() == S2FS(2).fit(X.copy(), Y).indices_.tolist()


#: Run in a process of its own, where a crash is a failed test and not the end of the others.
MANY_TIMES = """
import random, signal
import numpy as np
from s2fs import S2FS

class CtrlC(KeyboardInterrupt):
    pass

def interrupt(*_):
    raise CtrlC

rng = np.random.default_rng(0)
y = np.arange(300) % 3
X = rng.normal(size=(300, 3000)) + rng.normal(size=(3, 3000))[y]
random.seed(0)
signal.signal(signal.SIGALRM, interrupt)
for _ in range(40):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.001, 0.06))
        S2FS(300, n_jobs=2).fit(X, y)
    except CtrlC:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
print(S2FS(3).fit(X, y).indices_.tolist() == S2FS(3, n_jobs=2).fit(X, y).indices_.tolist())
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_ctrl_c_at_any_moment_leaves_no_thread_on_freed_memory():
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", MANY_TIMES], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr
