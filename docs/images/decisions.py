"""Draw what ``s2fs select`` says about a file: ``python docs/images/decisions.py``.

The command is run on a terminal of 80 columns, and what it prints becomes ``decisions.svg``.
"""

import fcntl
import os
import re
import struct
import subprocess
import sys
import tempfile
import termios
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
N_ROWS, N_COLUMNS = 40, 80
LINE, CHARACTER, MARGIN, GAP = 20, 8.43, 18, 8
COMMAND = ["s2fs", "select", "survey.csv", "--target", "diagnosis", "-k", "3", "--no-verdict"]


def write_survey(folder: Path) -> None:
    """A table as studies publish them: row numbers, names, text and gaps beside the numbers."""
    rng = np.random.default_rng(0)
    kinds = np.repeat(["EWS", "NB", "RMS"], 15)
    values = rng.normal(size=(45, 12)) + (np.arange(45) // 15)[:, None] * np.linspace(1.5, 0, 12)
    survey = pd.DataFrame(values.round(3), columns=[f"G{j + 1}" for j in range(12)])
    survey.insert(0, "Idx", range(1, 46))
    survey.insert(1, "patient", [f"P{i:03d}" for i in rng.permutation(45)])
    survey["clinic"] = ["north", "south", "east"] * 15
    survey["diagnosis"] = kinds
    survey.to_csv(folder / "survey.csv", index=False)


def run_on_terminal(folder: Path) -> list[str]:
    """The lines that the command prints on a terminal."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", N_ROWS, N_COLUMNS, 0, 0))
    command = [sys.executable, "-m", *COMMAND]
    subprocess.run(command, cwd=folder, stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    printed = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # all is read, and nobody holds the other end
            break
        if not part:
            break
        printed += part
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed.decode())
    # The bar clears itself away, with blanks in front of what follows.
    lines = [re.sub(r"^ {40,}", "", line.rstrip()) for line in re.split(r"[\r\n]+", text)]
    return [line for line in lines if line and not line.startswith("Selecting:")]


def draw(lines: list[str]) -> str:
    """The lines as an SVG, with the block of decisions in a frame."""
    first = next(i for i, line in enumerate(lines) if line.startswith("survey.csv: "))
    last = next(i for i, line in enumerate(lines) if line.lstrip().startswith("#  feature"))
    shown = [f"$ {' '.join(COMMAND)}", *lines[first:]]
    n_block = last - first
    width = 2 * MARGIN + N_COLUMNS * CHARACTER
    height = 2 * MARGIN + len(shown) * LINE + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        'role="img" aria-labelledby="t" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        'font-size="14">',
        '<title id="t">What the command has decided about a file, above the ranking</title>',
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#fbfaf7" stroke="#c9c4b8"/>',
        f'<rect x="{MARGIN - 8}" y="{MARGIN + LINE - 1}" width="{width - 2 * MARGIN + 16:.0f}" '
        f'height="{n_block * LINE + 4}" rx="5" fill="#e8f0f8" stroke="#2f6f9f"/>',
    ]
    for i, line in enumerate(shown):
        colour = "#5f5b52" if i == 0 else "#1d1b18"
        weight = ' font-weight="bold"' if i == 1 else ""
        below = GAP if i > n_block else 0
        parts.append(
            f'<text x="{MARGIN}" y="{MARGIN + 14 + i * LINE + below}" fill="{colour}"{weight} '
            f'xml:space="preserve">{escape(line)}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


with tempfile.TemporaryDirectory() as folder:
    write_survey(Path(folder))
    (HERE / "decisions.svg").write_text(draw(run_on_terminal(Path(folder))), encoding="utf-8")
