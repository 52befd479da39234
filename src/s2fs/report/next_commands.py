"""What to type after a selection: how new samples are predicted."""

import shlex

#: What the panel, new samples and the answer are called in a command.
PANEL, _NEW, _ANSWER = "panel.json", "new.csv", "predictions.csv"


def write_next_commands(command: str | None) -> list[str]:
    """What to type to predict new samples: the file of the panel first, if there is none yet."""
    words = [] if command is None else command.split()
    if words[:2] != ["s2fs", "select"]:
        make = f'Panel(selector).fit(X, y).save("{PANEL}")  # in Python'
        return [make, write_prediction(PANEL)]
    parts = shlex.split(command or "")
    saved = _find_value(parts, "--save")
    if saved is None:
        return [f"{command} --save {PANEL}", write_prediction(PANEL)]
    return [write_prediction(saved)]


def write_prediction(panel: str) -> str:
    """The command that predicts new samples with a panel from a file."""
    return shlex.join(["s2fs", "predict", panel, _NEW, "-o", _ANSWER])


def _find_value(words: list[str], option: str) -> str | None:
    """The value of an option, written as ``--name value`` or ``--name=value``."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
