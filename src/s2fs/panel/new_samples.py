"""New samples as a model needs them: features found by name, replaced, filled, in its units."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from s2fs._utils.arguments import Argument, ArgumentError, Message
from s2fs._utils.columns import reject_nonfinite_columns
from s2fs._utils.messages import format_count, format_names, join_words
from s2fs._utils.types import Floats
from s2fs.panel.features import PanelFeature
from s2fs.panel.matching import Match, match_names
from s2fs.panel.steps import take_log2, undo_log2

if TYPE_CHECKING:
    from s2fs.panel.panel import Panel

#: What is done to the values of a new table before all steps.
Change = Literal["log2", "unlog2"]
#: A substitute must correlate so much with its feature on the training samples.
LEAST_R = 0.9
#: Features without a value in a new table may carry this share of the weight of the model.
MOST_FILLED = 0.2
#: From so many samples a standard deviation tells units, and a table can be rescaled.
FEWEST_FOR_SD = 10
#: How many times larger or smaller a standard deviation may be; and where a change of units has
#: brought a feature back: other units may lie inside the range, too, but with another spread.
MOST_RATIO, MOST_RATIO_BACK = 5.0, 2.0
#: Numbers before a logarithm are hardly negative.
_MOST_NEGATIVE = 0.05
#: How each change is made.
CHANGES: dict[Change, Callable[[Floats], Floats]] = {"log2": take_log2, "unlog2": undo_log2}


class NewTable(NamedTuple):
    """A table of new samples.

    Attributes
    ----------
    source : str
        What messages call it.
    names : sequence of str
        Its columns.
    take : callable
        The values of a column by its position, NaN where one is missing.
    n_samples : int
        How many samples it has.
    repeated : collection of str
        Names that the file has more than once.
    encoded : dict of str to ndarray
        Features that were encoded from text, such as ``colour=red``.
    """

    source: str
    names: Sequence[str]
    take: Callable[[int], Floats]
    n_samples: int
    repeated: Collection[str] = ()
    encoded: Mapping[str, Floats] = {}


def make_table(panel: "Panel", X: Any) -> NewTable:
    """The columns of a data frame by name, or of an array by position."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        names = list(frame.columns)
        return NewTable("X", names, lambda f: _as_column(frame[names[f]], names[f]), len(frame))
    values: Any = X.tocsc() if issparse(X) else np.asarray(X)
    if values.ndim != 2:
        raise ValueError(f"X has the shape {values.shape}; give rows of samples.")
    names = _name_columns(panel, values.shape[1])

    def take(position: int) -> Floats:
        column = values[:, [position]].toarray().ravel() if issparse(X) else values[:, position]
        return _as_column(column, names[position])

    return NewTable("X", names, take, values.shape[0])


def name_rows(X: Any, n: int) -> list[str]:
    """What the index of a data frame calls its rows; else row 1, row 2, …."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or getattr(index, "dtype", None) == np.int64:
        return [f"row {i + 1}" for i in range(n)]
    return list(map(str, index))


def _name_columns(panel: "Panel", n_columns: int) -> list[str]:
    """The names of the columns of an array: all features of the training table, or the selected."""
    selected = panel.feature_names_.tolist()
    if n_columns == panel.n_features_in_:
        names = [f"x{f}" for f in range(n_columns)]
        for f, name in zip(panel.indices_, selected, strict=True):
            names[f] = name
        for one in panel._model.substitutes:
            if one is not None:
                names[one.position] = one.name
        return names
    if n_columns == len(selected):
        return selected
    raise ValueError(
        f"X has {format_count(n_columns, 'column')}, but the panel was fitted to "
        f"{panel.n_features_in_} features; give as many, or a data frame with names."
    )


def _as_column(column: Any, name: str) -> Floats:
    """A column as numbers."""
    try:
        return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"X has text in the feature {name!r}; give numbers.") from None


class NewSamples(NamedTuple):
    """What a model predicts from.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_selected)
        In the units of the training samples, gaps filled.
    measured : ndarray of shape (n_samples, n_selected)
        The same with NaN where nothing is known, in the units of the table if it is rescaled.
    origins : list of str
        For each feature the column it is from, or nothing if all samples have its median.
    notes : list of Message or str
        What is to be said.
    is_odd : ndarray of shape (n_selected,)
        Which features look like other units than those of the training samples.
    probabilities : ndarray of shape (n_samples, n_classes)
        What the model says.
    advice : Message or None
        What to do where half of the features look like other units.
    """

    values: Floats
    measured: Floats
    origins: list[str]
    notes: list[Any]
    is_odd: NDArray[np.bool_]
    probabilities: Floats
    advice: Message | None


def prepare_samples(
    panel: "Panel", table: NewTable, *, change: Change | None = None, rescale: bool = False
) -> NewSamples:
    """Make of a new table what the model predicts from.

    Parameters
    ----------
    panel : Panel
        Fitted, or from a file.
    table : NewTable
        The new samples.
    change : {"log2", "unlog2"}, optional
        What is done to all values first.
    rescale : bool
        Whether features are standardised by their own means and standard deviations.
    """
    if rescale and table.n_samples < FEWEST_FOR_SD:
        raise ArgumentError(
            Argument("rescale"),
            f" takes the means of the new samples, and {table.source} has "
            f"{format_count(table.n_samples, 'sample')}; give {FEWEST_FOR_SD} or more, or leave "
            "it out.",
        )
    columns = _find_columns(panel, table)
    raw = [None if column is None else table_values(table, column) for column in columns.found]
    values = _use(panel, columns, raw, change)
    used = np.array([column is not None for column in columns.found])
    _reject_infinite(values, columns, table, change)
    is_odd = np.zeros(len(values.T), dtype=bool)
    is_odd[used] = find_odd(values[:, used], [
        feature for feature, is_used in zip(panel._model.features, used, strict=True) if is_used
    ], panel._model.logistic.scales[used])  # fmt: skip
    advice = None
    if not rescale and 2 * is_odd.sum() >= used.sum() and is_odd.any():
        advice = _advise(panel, columns, raw, is_odd, change)
    logistic = panel._model.logistic
    if rescale:
        complete = _rescale(values, used, logistic.means, logistic.scales)
    else:
        complete = np.where(np.isnan(values), panel._model.medians, values)
    return NewSamples(
        complete,
        values,
        columns.origins,
        columns.notes,
        is_odd,
        logistic.predict_proba(complete),
        advice,
    )


class _Columns(NamedTuple):
    """Where each feature is: its own column or that of its substitute; what is said of that."""

    found: list[Match | str | None]
    is_substitute: list[bool]
    origins: list[str]
    notes: list[str]


def table_values(table: NewTable, column: Match | str) -> Floats:
    """The values of a column, or of a feature that was encoded from text."""
    if isinstance(column, str):
        return table.encoded[column]
    return np.asarray(table.take(column.position), dtype=np.float64)


def _find_columns(panel: "Panel", table: NewTable) -> _Columns:
    """The column of each feature; substitutes and medians for what is missing, or a refusal."""
    model, names = panel._model, panel.feature_names_.tolist()
    plain = [name for name in names if name not in table.encoded]
    own = match_names(plain, table.names, table.source, table.repeated)
    lacking = [name for name in plain if name not in own]
    substitutes = {
        name: one
        for name, one in zip(names, model.substitutes, strict=True)
        if one is not None and name in lacking and abs(one.r) >= LEAST_R
    }
    of_substitutes = match_names(
        list(dict.fromkeys(one.name for one in substitutes.values())),
        table.names,
        table.source,
        table.repeated,
    )
    found: list[Match | str | None] = []
    is_substitute, origins, notes, filled = [], list[str](), list[str](), list[str]()
    for name in names:
        one = substitutes.get(name)
        replaced = None if one is None else of_substitutes.get(one.name)
        column: Match | str | None = name if name in table.encoded else own.get(name)
        is_substitute.append(column is None and replaced is not None)
        if column is None and one is not None and replaced is not None:
            notes.append(f"{name} is missing: its substitute {one.name} (r {one.r:.2f}) is used.")
            column = replaced
        elif column is None:
            filled.append(name)
        if isinstance(column, Match) and column.note:
            notes.append(column.note)
        found.append(column)
        if isinstance(column, Match):
            origins.append(str(table.names[column.position]))
        else:
            origins.append(column or "")
    if len(filled) == len(names):
        raise ValueError(
            f"{table.source} has none of the {format_count(len(names), 'feature')} of the panel, "
            f"{format_names(names)}; give a table that has them."
        )
    if filled:
        notes.append(_judge_filled(panel, filled, table.source))
    return _Columns(found, is_substitute, origins, notes)


def _judge_filled(panel: "Panel", filled: list[str], source: str) -> str:
    """A note on features that have the median in all samples; too much of the model is refused."""
    weights = np.abs(panel.coef_).sum(axis=0)
    is_filled = np.isin(panel.feature_names_.astype(str), filled)
    total = weights.sum()
    share = float(weights[is_filled].sum() / total) if total else 0.0
    if share > MOST_FILLED:
        raise ValueError(
            f"{source} lacks {join_words(list(map(repr, filled)))}, which carry {share:.0%} of "
            f"the weight of the panel, and has no substitute for them; give a table that has them."
        )
    are = "is" if len(filled) == 1 else "are"
    return (
        f"{join_words(filled)} {are} missing: the training median stands for "
        f"{'it' if len(filled) == 1 else 'them'} ({share:.0%} of the weight of the panel)."
    )


def _use(
    panel: "Panel", columns: _Columns, raw: list[Floats | None], change: Change | None
) -> Floats:
    """The values of all features as the selection has seen them; NaN of one that is not there."""
    n = next(len(values) for values in raw if values is not None)
    result = np.full((n, len(raw)), np.nan)
    is_encoded = [isinstance(column, str) for column in columns.found]
    for f, values in enumerate(raw):
        if values is None:
            continue
        if change is not None and not is_encoded[f]:
            values = CHANGES[change](values)
        if not is_encoded[f]:
            values = panel._steps.apply(values)
        if columns.is_substitute[f]:
            values = panel._model.substitutes[f].map(values)  # type: ignore[union-attr]
        result[:, f] = values
    return result


def _reject_infinite(
    values: Floats, columns: _Columns, table: NewTable, change: Change | None
) -> None:
    if change == "unlog2" and np.isinf(values).any():
        raise ArgumentError(
            f"{table.source} has values too large for 2ˣ − 1; they are no logarithms, so leave ",
            Argument("unlog2"),
            " out.",
        )
    reject_nonfinite_columns(values, columns.origins, allow_nan=True)


def find_odd(
    values: Floats,
    features: Sequence[PanelFeature],
    scales: Floats,
    most_ratio: float = MOST_RATIO,
) -> NDArray[np.bool_]:
    """Which features look like other units than those of the training samples."""
    is_odd = []
    for column, feature, scale in zip(values.T, features, scales, strict=True):
        known = column[~np.isnan(column)]
        if not len(known):
            is_odd.append(False)
            continue
        median = float(np.median(known))
        odd = not feature.minimum <= median <= feature.maximum
        if len(known) >= FEWEST_FOR_SD and feature.maximum > feature.minimum:
            sd = float(known.std())
            odd |= not scale / most_ratio <= sd <= scale * most_ratio
        is_odd.append(odd)
    return np.array(is_odd, dtype=bool)


def _advise(
    panel: "Panel",
    columns: _Columns,
    raw: list[Floats | None],
    is_odd: NDArray[np.bool_],
    change: Change | None,
) -> Message:
    """What brings at least half of the odd features back."""
    counted = f"{is_odd.sum()} of {format_count(len(is_odd), 'feature')}"
    start = f"{counted} lie outside the training samples: "
    if change is None:
        for way, what in (
            ("log2", "the values look like the numbers before a logarithm"),
            ("unlog2", "the values look like log2 of the training values"),
        ):
            if _brings_back(panel, columns, raw, is_odd, way):  # type: ignore[arg-type]
                return Message(f"{start}{what}: try ", Argument(way, True), ".")
    return Message(f"{start}the values look like other units: try ", Argument("rescale", True), ".")


def _brings_back(
    panel: "Panel",
    columns: _Columns,
    raw: list[Floats | None],
    is_odd: NDArray[np.bool_],
    way: Change,
) -> bool:
    if way == "log2":
        pairs = zip(raw, is_odd, strict=True)
        given = np.concatenate([column for column, odd in pairs if odd and column is not None])
        if (given < 0).mean() > _MOST_NEGATIVE:
            return False
    values = _use(panel, columns, raw, way)[:, is_odd]
    model = panel._model
    features = [model.features[f] for f in np.flatnonzero(is_odd)]
    with np.errstate(invalid="ignore"):
        still = find_odd(values, features, model.logistic.scales[is_odd], MOST_RATIO_BACK)
    return 2 * int((~still).sum()) >= len(still)


def _rescale(values: Floats, used: NDArray[np.bool_], means: Floats, scales: Floats) -> Floats:
    """Standardised by their own means and standard deviations, in the units of the training.

    What is missing has the mean.
    """
    result = np.tile(means, (len(values), 1))
    for f in np.flatnonzero(used):
        column = values[:, f]
        is_known = ~np.isnan(column)
        if not is_known.any():
            continue
        known = column[is_known]
        centred = known - known.mean()
        sd = float(np.sqrt(np.mean(centred**2)))
        if sd <= len(known) * np.finfo(np.float64).eps * abs(float(known.mean())):
            sd = 1.0
        result[is_known, f] = means[f] + scales[f] * centred / sd
    return result
