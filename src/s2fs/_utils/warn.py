"""Warnings that name the line of the user's code they are about."""

import sys
import warnings

#: What may stand between the user's code and a warning of ours.
_BETWEEN = {"s2fs", "sklearn", "joblib", "contextlib"}


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of this package, and of what calls it, that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_between(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_between(module: str) -> bool:
    return module.partition(".")[0] in _BETWEEN
