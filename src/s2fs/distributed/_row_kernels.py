"""The compiled loop over the rows of a chunk before the search.

In plain NumPy it takes temporary arrays, and workers of Dask are told to give memory back as soon
as it is free: to get it anew for each array takes longer than the sums.
"""

from typing import Any

from numba import float32, float64, int64, types, void

from s2fs._engine.jit import compiled


def _types(real: Any) -> Any:
    X = types.Array(real, 2, "C", readonly=True)  # rows that came from another worker are
    return void(
        X, int64[::1], int64[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1]
    )


@compiled(_types(float32), _types(float64), error_model="numpy")
def class_sums(X, order, codes, mass, lower, centre, sums):  # type: ignore[no-untyped-def]
    """Add the weighted differences of each row to ``lower + centre`` of its class to ``sums``.

    Parameters
    ----------
    X : (rows, features)
        The rows.
    order : (rows,)
        In which order to take them; quick if those of a class follow each other.
    codes, mass : (rows,)
        Class and weight of each row.
    lower : (features,)
        Lower end of each feature.
    centre, sums : (classes, features)
        What else to subtract, and where the differences are added.
    """
    for i in order:
        x, c, s, weight = X[i], centre[codes[i]], sums[codes[i]], mass[i]
        for j in range(X.shape[1]):
            s[j] += weight * (x[j] - lower[j] - c[j])
