"""How the command line words what the library says of its arguments."""

import re


def as_flags(error):
    """The message of an error with options for arguments: ``--drop-missing 0.2``."""

    def flag(found):
        name, value = found[1].replace("_", "-"), found[2]
        return f"--{name}" if value in (None, "True") else f"--{name} {value}"

    text = re.sub(r"`(\w+)(?:='?([^`']*)'?)?`", flag, str(error))
    named = getattr(error, "arguments", ())
    for name in (name for name in named if not re.search(rf"`{name}[`=]", str(error))):
        text = re.sub(rf"(?<![-\w'./]){name}(?= |;)", f"--{name}", text, count=1)
    return text
