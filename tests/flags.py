"""How the command line words what the library says of its keywords."""

import re


def as_flags(message):
    """Keywords in backquotes as options: ``drop_missing=0.2`` becomes ``--drop-missing 0.2``."""

    def flag(found):
        name, value = found[1].replace("_", "-"), found[2]
        return f"--{name}" if value in (None, "True") else f"--{name} {value}"

    return re.sub(r"`(\w+)(?:='?([^`']*)'?)?`", flag, message)
