"""Columns by name or position, and checks that name the columns at fault."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from s2fs._util.messages import did_you_mean, some_of


def reject_text_columns(X: Any) -> None:
    """Raise if a data frame or an array of strings holds columns that are not numbers."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        schema = frame.schema
        text = [
            name
            for name, kind in schema.items()
            if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown))
        ]
        if text:
            raise ValueError(
                f"X has columns that are not numeric: {some_of(text)}; drop or encode them."
            )


def reject_nonfinite_columns(X: Any, names: Any) -> None:
    """Raise if a column holds NaN or infinity, and say which ones."""
    # A sum per column tells without a temporary of the size of X.
    with np.errstate(all="ignore"):
        suspects = np.flatnonzero(~np.isfinite(np.asarray(X.sum(axis=0)).ravel()))
    columns, found = [], set()
    for f in suspects:
        column = X[:, [f]].data if issparse(X) else X[:, f]
        if not np.isfinite(column).all():  # a sum may also have overflowed
            columns.append(f)
            found.add("NaN" if np.isnan(column).any() else "infinity")
    if not columns:
        return
    what = " and ".join(sorted(found))
    shown = columns if names is None else np.asarray(names)[columns]
    raise ValueError(f"X has {what} in column(s) {some_of(shown)}; impute or drop them.")


def column_position(wanted: str | int, names: Sequence[str], argument: str, source: Any) -> int:
    """Find a column by name, or else by its position.

    Parameters
    ----------
    wanted : str or int
        Name or position; a position may be text and may count from the end.
    names : sequence of str
        The columns there are.
    argument, source : str
        What to name in the complaint: the argument and the file.

    Returns
    -------
    int
        The position, not negative.
    """
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted)
    try:
        position = int(wanted)
    except ValueError:
        raise ValueError(
            f"{argument} is {wanted!r}, but {source} has no such column"
            f"{did_you_mean(str(wanted), names) or f'; it has {some_of(names)}'}."
        ) from None
    if not -len(names) <= position < len(names):
        raise ValueError(
            f"{argument} is {wanted}, but {source} has {len(names)} column(s), numbered from 0 to "
            f"{len(names) - 1}."
        )
    return position % len(names)
