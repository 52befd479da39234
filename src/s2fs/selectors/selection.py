"""A fitted selection as plain data, kept in a JSON file and applied to new tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.columns import find_repeated
from s2fs._utils.messages import did_you_mean, format_count
from s2fs._utils.public import set_module
from s2fs._utils.values import plain
from s2fs._utils.version import __version__
from s2fs.selectors.selection_file import format_parts, read_parts, write_parts

#: The fields of a file, and what JSON holds them as.
_FIELDS = {
    "selector": str,
    "parameters": dict,
    "s2fs_version": str,
    "n_features_in": int,
    "indices": list,
    "feature_names": list,
}


@set_module("s2fs")
@dataclass(frozen=True)
class Selection:
    """Which features a selector selected, by position and by name.

    It needs no fitted selector to be applied, and its file is JSON that can be read by eye and by
    other programs; unlike a pickle it cannot run code.

    Parameters
    ----------
    selector : str
        The class of the selector.
    parameters : mapping
        Its parameters, for the record; those that are not plain data are kept as text.
    s2fs_version : str
        The version it was fitted with.
    n_features_in : int
        How many features there were to select from.
    indices : tuple of int
        The selected features in order of selection.
    feature_names : tuple of str
        Their names, in the same order.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_wine
    >>> from s2fs import S2FS, Selection
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "wine.json"
    >>> Selection.of(S2FS(3).fit(X, y)).save(path)
    >>> selection = Selection.load(path)
    >>> selection.feature_names
    ('flavanoids', 'alcohol', 'color_intensity')
    >>> selection.transform(X[X.columns[::-1]]).columns.tolist()
    ['alcohol', 'flavanoids', 'color_intensity']
    """

    selector: str
    parameters: Mapping[str, Any]
    s2fs_version: str
    n_features_in: int
    indices: tuple[int, ...]
    feature_names: tuple[str, ...]

    @classmethod
    def of(cls, selector: Any, feature_names: Sequence[str] | None = None) -> "Selection":
        """Keep what a fitted selector selected.

        Parameters
        ----------
        selector : estimator
            Fitted, with ``indices_``, such as :class:`S2FS` or any baseline.
        feature_names : sequence of str, optional
            The names of all features, if the selector was fitted on an array; by default those it
            has seen, or "x0", "x1", ….

        Returns
        -------
        Selection
            The selection.
        """
        m = selector.n_features_in_
        if feature_names is None:
            feature_names = getattr(selector, "feature_names_in_", [f"x{f}" for f in range(m)])
        if len(feature_names) != m:
            raise ValueError(
                f"feature_names has {format_count(len(feature_names), 'name')}, but the selector "
                f"was fitted on {m} features; give one per feature."
            )
        return cls.of_indices(selector, selector.indices_, feature_names)

    @classmethod
    def of_indices(
        cls, selector: Any, indices: Iterable[int], feature_names: Sequence[str] | NDArray[Any]
    ) -> "Selection":
        """Keep what any selector, or a pipeline of them, selected.

        Parameters
        ----------
        selector : estimator
            Fitted.
        indices : iterable of int
            The selected features in order of selection.
        feature_names : sequence of str
            The names of all features.

        Returns
        -------
        Selection
            The selection.
        """
        positions = tuple(int(f) for f in indices)
        return cls(
            selector=type(selector).__name__,
            parameters=plain(selector.get_params()),
            s2fs_version=__version__,
            n_features_in=len(feature_names),
            indices=positions,
            feature_names=tuple(str(feature_names[f]) for f in positions),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in the order of the columns the selector was fitted on, as it returns them."""
        return tuple(self.feature_names[i] for i in np.argsort(self.indices))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the selection to a JSON file: the whole file or, if anything fails, nothing.

        Parameters
        ----------
        path : str or path-like
            A name that ends in ``.json``.
        """
        write_parts(path, self._to_parts())

    def to_json(self) -> str:
        """Return what :meth:`save` writes.

        Returns
        -------
        str
            Names, positions and parameters as JSON.
        """
        return format_parts(self._to_parts())

    def _to_parts(self) -> dict[str, Any]:
        """The parts of a file without a model."""
        return {"selection": self.to_dict()}

    def to_dict(self) -> dict[str, Any]:
        """Return the selection as plain values, which JSON can hold.

        Returns
        -------
        dict
            The fields.
        """
        return asdict(self)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Selection":
        """Read the selection in a file that :meth:`save`, or a panel's, wrote.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        Selection
            The selection; everything in the file has been checked.
        """
        return cls.of_part(read_parts(path)["selection"], str(path))

    @classmethod
    def of_part(cls, part: Any, source: str) -> "Selection":
        """Take a selection from the part of a file that names features.

        Parameters
        ----------
        part : dict
            The values that :meth:`to_dict` gave.
        source : str
            What an error message calls the file.

        Returns
        -------
        Selection
            The selection.
        """
        content = part if isinstance(part, dict) else {}
        values: dict[str, Any] = {name: content.get(name) for name in _FIELDS}
        if damage := _damage(values):
            raise ValueError(f"{source} is damaged: {damage}; select and save again.")
        for name in ("indices", "feature_names"):
            values[name] = tuple(values[name])
        return cls(**values)

    def positions_in(self, names: Sequence[str], source: str = "X") -> list[int]:
        """Find the selected columns among those of a new table.

        Parameters
        ----------
        names : sequence of str
            The columns of the table, in any order; others than the selected ones may be there.
        source : str, default="X"
            What an error message calls the table.

        Returns
        -------
        list of int
            The position of each of ``columns``.
        """
        position_of = {name: i for i, name in enumerate(names)}
        missing = [name for name in self.columns if name not in position_of]
        if missing:
            others = [name for name in names if name not in self.feature_names]
            shown = ", ".join(f"{name!r}{did_you_mean(name, others)}" for name in missing[:3])
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise ValueError(
                f"{source} lacks {len(missing)} of the "
                f"{format_count(len(self.columns), 'selected column')}: {shown}{more}; give a "
                "table that has them."
            )
        return [position_of[name] for name in self.columns]

    def transform(self, X: Any) -> Any:
        """Keep the selected columns of a new table, in the order the selector returns them.

        Parameters
        ----------
        X : data frame, or array-like or sparse array of shape (n_samples, n_features_in)
            Of a data frame the columns are taken by name, so their order is free and there may be
            others; of an array by position.

        Returns
        -------
        data frame, ndarray or sparse array of shape (n_samples, n_selected)
            Of the kind that was given.
        """
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame | nw.LazyFrame):
            names = frame.collect_schema().names()
            self.positions_in(names)
            return frame.select(*self.columns).to_native()
        values = X.tocsc() if issparse(X) else np.asarray(X)
        if values.ndim != 2 or values.shape[1] != self.n_features_in:
            raise ValueError(
                f"X has the shape {values.shape}, but the selection was made on "
                f"{self.n_features_in} features; give an array with as many columns."
            )
        return values[:, sorted(self.indices)]


def _damage(values: dict[str, Any]) -> str:
    """The first thing in the fields of a file that cannot be, or nothing."""
    for name, kind in _FIELDS.items():
        if type(values[name]) is not kind:
            return f"{name} is missing or no {kind.__name__}"
    indices, names, m = values["indices"], values["feature_names"], values["n_features_in"]
    if not all(type(f) is int and 0 <= f < m for f in indices):
        return f"indices has something else than positions from 0 to {m - 1}"
    if not all(isinstance(name, str) for name in names):
        return "feature_names has something else than text"
    if len(names) != len(indices):
        return (
            f"it has {format_count(len(names), 'name')} for "
            f"{format_count(len(indices), 'position')}"
        )
    return "it has a feature twice" if find_repeated(indices) or find_repeated(names) else ""
