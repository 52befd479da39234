"""Matplotlib comes with an extra: nothing else loads it, and one sentence says if it is missing."""

import subprocess
import sys


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_selectors_baselines_and_evaluation_load_no_matplotlib():
    code = """
import sys, s2fs, s2fs.baselines, s2fs.evaluation
for name in s2fs.__all__:
    getattr(s2fs, name)
assert "matplotlib" not in sys.modules
"""
    result = run(code)
    assert result.returncode == 0, result.stderr


def test_a_missing_matplotlib_is_one_sentence():
    result = run("import sys; sys.modules['matplotlib'] = None; import s2fs.plotting")
    message = result.stderr.splitlines()[-1]
    assert message == "ImportError: A figure needs matplotlib: pip install 's2fs[report]'."
