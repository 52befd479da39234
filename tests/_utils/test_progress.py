"""Progress away from a terminal: one line a minute."""

import subprocess
import sys

from inner import ProgressLines


def test_a_line_a_minute_says_what_is_done_what_is_left_and_the_time(capsys):
    now = [0.0]
    lines = ProgressLines("Comparing", 500, clock=lambda: now[0])
    for _ in range(500):
        now[0] += 20
        lines.update()
    lines.close()
    first, second, *_, last = shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 500 * 20 // 60
    assert first == "Comparing: 3 of 500 done, 497 left, 1 min"
    assert second == "Comparing: 6 of 500 done, 494 left, 2 min"
    assert last == "Comparing: 498 of 500 done, 2 left, 2 h 46 min"


def test_short_work_says_nothing_in_a_pipe_and_needs_no_tqdm():
    code = (
        "import sys\nsys.modules['tqdm'] = None\nfrom sklearn.datasets import load_iris\n"
        "import s2fs\nX, y = load_iris(return_X_y=True)\n"
        "print(s2fs.compare(X, y, k=2, selectors=['anovaf'], n_repeats=1, verbose=1).rows[0]"
        ".selector)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("ANOVA F\n", "")
