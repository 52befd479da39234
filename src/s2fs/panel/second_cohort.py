"""How a second cohort judges a panel: one word, and the numbers behind it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.arguments import Argument, Message
from s2fs._utils.messages import format_count, join_words
from s2fs._utils.types import Floats, Indices
from s2fs.evaluation.areas import RocCurve, compute_roc
from s2fs.evaluation.checks import Check
from s2fs.evaluation.cohorts import estimate_cohort_auc, judge_cohort
from s2fs.evaluation.intervals import (
    compute_exact_interval,
    compute_wilson_interval,
    count_over_classes,
    count_units,
)
from s2fs.evaluation.metrics import Estimate, count_class_units, decide_by_share, make_estimate
from s2fs.evaluation.repeated import SharedSamples, find_shared_samples
from s2fs.panel.calibration import calibrate
from s2fs.panel.features import compute_own_auc
from s2fs.panel.new_samples import (
    CHANGES,
    FEWEST_FOR_SD,
    Change,
    NewSamples,
    NewTable,
    prepare_samples,
)
from s2fs.panel.validation import CohortFeature, Measure, Validation

if TYPE_CHECKING:
    from s2fs.panel.panel import Panel

#: From so many units in each class the cut of the first cohort is judged.
_FEWEST_FOR_CUT = 30
#: A cut travels if balanced accuracy loses no more by it than this.
_MOST_LOST_BY_CUT = 0.05
#: A class with fewer samples in a second cohort is small.
_SMALL_CLASS = 20
#: The cut by which as many new samples are positive as there are.
NEW_SHARES = "uses these labels"
#: AUCs with and without rescaling are shown if they differ by more.
_RESCALED_DIFFERS = 0.02


class NewLabels(NamedTuple):
    """The labels of a second cohort in terms of a panel.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        The class of each sample, −1 of one that is left out.
    unknown : dict of str to int
        Labels that are no class of the panel, and how many samples have them.
    n_missing : int
        How many samples have no label.
    """

    codes: Indices
    unknown: Mapping[str, int]
    n_missing: int


def encode_new_labels(labels: Sequence[Any] | NDArray[Any], classes: Sequence[Any]) -> NewLabels:
    """Find the classes of the panel in new labels, by their text; an empty one is missing."""
    position = {_as_word(label): code for code, label in enumerate(classes)}
    words = list(map(_as_word, labels.tolist() if isinstance(labels, np.ndarray) else labels))
    codes = np.array([position.get(word, -1) for word in words], dtype=np.intp)
    unknown = Counter(word for word in words if word and word not in position)
    return NewLabels(codes, dict(sorted(unknown.items())), words.count(""))


def _as_word(label: Any) -> str:
    """A label as text; whole numbers without their point, what is missing as nothing."""
    if label is None or label != label:
        return ""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label).strip()


def validate_samples(
    panel: "Panel",
    table: NewTable,
    labels: NewLabels,
    *,
    groups: NDArray[Any] | None = None,
    change: Change | None = None,
    rescale: bool = False,
    sample_names: Sequence[str] | None = None,
    shared: SharedSamples | None = None,
    first_names: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Validation:
    """Judge a panel by samples that it has not seen.

    Parameters
    ----------
    panel : Panel
        Fitted, or from a file.
    table : NewTable
        The new samples.
    labels : NewLabels
        Their classes; samples of no class of the panel are left out.
    groups : ndarray of shape (n_samples,), optional
        What each sample belongs to.
    change, rescale
        As for :func:`s2fs.panel.new_samples.prepare_samples`.
    sample_names : sequence of str, optional
        What the samples are called; by default their rows.
    shared : SharedSamples, optional
        Which samples are in both cohorts, if the first is at hand.
    first_names : sequence of str
        What its samples are called.
    notes : sequence of str
        What has been done to the table before.

    Returns
    -------
    Validation
    """
    prepared = prepare_samples(panel, table, change=change, rescale=rescale)
    names = sample_names or [f"row {i + 1}" for i in range(table.n_samples)]
    kept = labels.codes >= 0
    codes, n_classes = labels.codes[kept], len(panel.classes_)
    probabilities = prepared.probabilities[kept]
    units = None if groups is None else np.unique(groups[kept], return_inverse=True)[1]
    cohort = _Cohort(panel, codes, probabilities, units)
    area = estimate_cohort_auc(probabilities, codes, units) if len(codes) else None
    first = panel._first_cohort
    first_area = None if first is None else first.estimate_auc(cohort.is_present.tolist())
    word = judge_cohort(
        None if area is None else area[:3],
        None if first_area is None else first_area[:3],
        n_samples=len(codes),
        n_classes=int(cohort.is_present.sum()),
        n_units=cohort.n_units,
        n_first=None if first is None else first.n_samples,
    )
    if word.word == "cannot be judged":
        area = None
    other_way = _estimate_other_way(panel, table, labels, units, change, rescale=rescale)
    if area is None or other_way is None or abs(other_way.value - area.value) <= _RESCALED_DIFFERS:
        other_way = None
    argmax = probabilities.argmax(axis=1)
    measures = list(cohort.measure(area, first_area))
    features = _describe_features(panel, prepared, kept, codes)
    curves, first_curves = _trace_curves(panel, cohort)
    return Validation(
        word=word.word,
        sentence=word.sentence,
        auc=area,
        auc_first=first_area,
        difference=word.difference,
        auc_other_way=other_way,
        is_rescaled=rescale,
        classes=list(map(str, panel.classes_)),
        class_sizes=np.bincount(codes, minlength=n_classes).tolist(),
        first_class_sizes=list(panel._model.class_sizes),
        n_units=cohort.n_units,
        is_grouped=cohort.is_grouped,
        positive=cohort.positive,
        measures=measures,
        confusion=np.bincount(codes * n_classes + argmax, minlength=n_classes**2).reshape(
            n_classes, n_classes
        ),
        calibration=calibrate(probabilities[:, cohort.positive], codes == cohort.positive)
        if n_classes == 2
        else None,
        features=features,
        curves=curves,
        first_curves=first_curves,
        checks=sorted(
            [
                *_check_tables(panel, prepared, labels, cohort),
                *_check_numbers(cohort, features),
                *_check_shared(shared, first_names, names),
            ],
            key=lambda check: check.passed,
        ),
        notes=[*notes, *_list_notes(prepared, labels), *_note_unknown(shared)],
        codes=codes,
        probabilities=probabilities,
        sample_names=[names[i] for i in np.flatnonzero(kept).tolist()],
    )


def find_shared_in(
    first: NewTable, first_codes: Indices | None, second: NewTable, change: Change | None = None
) -> SharedSamples:
    """Look for samples that are in two tables, by all columns of numbers that both have."""
    position = {name: place for place, name in enumerate(second.names)}
    columns, others = [], []
    for place, name in enumerate(first.names):
        if name not in position:
            continue
        try:
            pair = first.take(place), second.take(position[name])
        except ValueError:  # text
            continue
        columns.append(pair[0])
        others.append(pair[1])
    if not columns:
        return SharedSamples(False, [])
    new = np.column_stack(others)
    return find_shared_samples(
        np.column_stack(columns), first_codes, new if change is None else CHANGES[change](new)
    )


class _Cohort:
    """The new samples of classes of a panel: what is decided of them, and how well."""

    def __init__(
        self, panel: "Panel", codes: Indices, probabilities: Floats, units: Indices | None
    ) -> None:
        self.codes, self.probabilities = codes, probabilities
        self.units = np.arange(len(codes)) if units is None else units
        self.is_grouped = units is not None and len(np.unique(units)) < len(codes)
        self.n_units = len(np.unique(self.units))
        self.class_names = list(map(str, panel.classes_))
        self.n_classes = len(self.class_names)
        self.positive = find_positive(panel)
        self.shares = np.array(panel._model.class_shares)
        self.first = panel._first_cohort
        self.class_units = count_class_units(codes, self.units, self.n_classes)
        self.is_present = self.class_units > 0

    def measure(self, area: Estimate | None, first_area: Estimate | None) -> Iterator[Measure]:
        """All metrics, in the order they are shown."""
        if area is not None:
            yield Measure("auc", "AUC", "", area, first_area)
        if not len(self.codes):
            return
        by_share = decide_by_share(self.probabilities, self.shares, self.positive)
        by_half = self.probabilities.argmax(axis=1)
        is_two = self.n_classes == 2
        half = "0.5" if is_two else "likeliest class"
        yield from self._measure_classes(by_share, "class shares", has_first=True)
        yield from self._measure_classes(by_half, half)
        if is_two and self.is_present.all():
            yield from self._measure_classes(self._decide_by_new_shares(), NEW_SHARES)
            if self.first is not None and self.first.specificity_cut is not None:
                cut = self.first.specificity_cut[0]
                scores = self.probabilities[:, self.positive]
                decided = np.where(scores >= cut, self.positive, 1 - self.positive)
                yield from self._measure_recalls(decided, "90 % specificity")
        accuracy = self.estimate_share(by_half == self.codes, np.ones(len(self.codes), dtype=bool))
        yield Measure("accuracy", "accuracy", half, accuracy, self._get_first("accuracy"))

    def balanced_at(self, decided: Indices) -> Estimate:
        """The mean of the recalls of the classes that are there."""
        classes = np.flatnonzero(self.is_present)
        recalls = [(decided[self.codes == q] == q).mean() for q in classes]
        n = count_over_classes([self._count(self.codes == q) for q in classes])
        value = float(np.mean(recalls))
        return make_estimate(value, *compute_wilson_interval(value, n))

    def estimate_share(self, is_right: NDArray[np.bool_], members: NDArray[np.bool_]) -> Estimate:
        """The share of right answers among some samples."""
        n, n_right = int(members.sum()), int(is_right[members].sum())
        if self.is_grouped:
            limits = compute_wilson_interval(n_right / n, self._count(members))
        else:
            limits = compute_exact_interval(n_right, n)
        return make_estimate(n_right / n, *limits)

    def balanced_by_cut(self) -> tuple[float, float] | None:
        """Of two classes balanced accuracy at the cut of the panel, and at the new shares."""
        if self.n_classes != 2 or self.class_units.min() < _FEWEST_FOR_CUT:
            return None
        by_share = decide_by_share(self.probabilities, self.shares, self.positive)
        own = self.balanced_at(self._decide_by_new_shares())
        return self.balanced_at(by_share).value, own.value

    def _decide_by_new_shares(self) -> Indices:
        """Of two classes as many positive as there are, those of the largest scores."""
        scores = self.probabilities[:, self.positive]
        n_positive = int((self.codes == self.positive).sum())
        cut = np.sort(scores)[len(scores) - n_positive]
        return np.where(scores >= cut, self.positive, 1 - self.positive)

    def _measure_classes(
        self, decided: Indices, cut: str, *, has_first: bool = False
    ) -> Iterator[Measure]:
        first = None
        if has_first and self.first is not None:
            first = self.first.estimate_balanced(self.is_present.tolist())
        yield Measure(
            "balanced_accuracy", "balanced accuracy", cut, self.balanced_at(decided), first
        )
        yield from self._measure_recalls(decided, cut, has_first=has_first)

    def _measure_recalls(
        self, decided: Indices, cut: str, *, has_first: bool = False
    ) -> Iterator[Measure]:
        """Sensitivity and specificity of two classes, the recall of each of more."""
        if self.n_classes == 2:
            named = [("sensitivity", self.positive), ("specificity", 1 - self.positive)]
        else:
            named = [("recall", q) for q in range(self.n_classes)]
        for key, q in named:
            if not self.is_present[q]:
                continue
            about = self.class_names[self.positive if self.n_classes == 2 else q]
            word = "of" if key == "recall" else "for"
            estimate = self.estimate_share(decided == self.codes, self.codes == q)
            first = None
            if has_first and self.first is not None:
                first = self.first.recalls[q]
            yield Measure(key, f"{key} {word} {about}", cut, estimate, first)

    def _get_first(self, key: str) -> Estimate | None:
        if self.first is None or not self.is_present.all():
            return None
        return self.first.scores.get(key)

    def _count(self, members: NDArray[np.bool_]) -> float:
        """To how many independent samples some of them amount."""
        return count_units(np.unique(self.units[members], return_counts=True)[1])


def find_positive(panel: "Panel") -> int:
    """Of two classes the position of the positive one."""
    if panel.positive is None:
        return 1
    return panel.classes_.tolist().index(panel.positive)


def _estimate_other_way(
    panel: "Panel",
    table: NewTable,
    labels: NewLabels,
    units: Indices | None,
    change: Change | None,
    *,
    rescale: bool,
) -> Estimate | None:
    """The AUC with rescaling if there is none, and without if there is."""
    kept = labels.codes >= 0
    if table.n_samples < FEWEST_FOR_SD or not kept.any():
        return None
    prepared = prepare_samples(panel, table, change=change, rescale=not rescale)
    return estimate_cohort_auc(prepared.probabilities[kept], labels.codes[kept], units)


def _trace_curves(
    panel: "Panel", cohort: _Cohort
) -> tuple[dict[str, RocCurve], dict[str, RocCurve]]:
    """The ROC curves of the classes that are there, in both cohorts."""
    shown = [cohort.positive]
    if cohort.n_classes > 2:
        shown = np.flatnonzero(cohort.is_present).tolist()
    second, first = {}, {}
    folds = np.zeros((1, len(cohort.codes)), dtype=np.intp)
    for q in shown:
        name = cohort.class_names[q]
        curve = compute_roc(cohort.probabilities[None, :, q], cohort.codes, folds, q)
        if curve is not None:
            second[name] = curve
        known = None if panel._first_cohort is None else panel._first_cohort.curves[q]
        if known is not None:
            first[name] = known
    return second, first


def _describe_features(
    panel: "Panel", prepared: NewSamples, kept: NDArray[np.bool_], codes: Indices
) -> list[CohortFeature]:
    """Each feature beside itself in the first cohort."""
    model, names = panel._model, list(map(str, panel.classes_))
    found = []
    for f, (name, feature) in enumerate(zip(panel.feature_names_, model.features, strict=True)):
        if len(names) == 2:
            q = find_positive(panel)
        else:
            q = int(np.argmax(np.abs(np.array(feature.auc) - 0.5)))
        values = prepared.measured[kept, f]
        is_known = ~np.isnan(values)
        own = codes[is_known] == q
        second = shift = None
        if is_known.any():
            shift = float(
                (values[is_known].mean() - model.logistic.means[f]) / model.logistic.scales[f]
            )
            if own.any() and not own.all():
                second = compute_own_auc(values[is_known], own)
        found.append(
            CohortFeature(str(name), prepared.origins[f], names[q], feature.auc[q], second, shift)
        )
    return found


def _note_unknown(shared: SharedSamples | None) -> Iterator[str]:
    """What cannot be known without the first cohort."""
    if shared is None:
        yield Message(
            "Whether samples are in both cohorts cannot be known without the first table (",
            Argument("first"),
            ").",
        )


def _list_notes(prepared: NewSamples, labels: NewLabels) -> Iterator[str]:
    """What was done to the table."""
    if labels.unknown:
        n = sum(labels.unknown.values())
        called = join_words([f"{word!r} ({count})" for word, count in labels.unknown.items()])
        are = "is" if n == 1 else "are"
        samples = format_count(n, "sample")
        yield f"{samples} of classes that the panel never saw {are} left out: {called}."
    if labels.n_missing:
        are = "is" if labels.n_missing == 1 else "are"
        yield f"{format_count(labels.n_missing, 'sample')} without a label {are} left out."
    yield from prepared.notes
    if prepared.advice is not None:
        yield prepared.advice


def _check_tables(
    panel: "Panel", prepared: NewSamples, labels: NewLabels, cohort: _Cohort
) -> Iterator[Check]:
    """Whether both cohorts have the same classes, and features in the same units."""
    pairs = zip(cohort.class_names, cohort.is_present, strict=True)
    absent = [name for name, is_here in pairs if not is_here]
    if absent:
        noun = "class" if len(absent) == 1 else "classes"
        yield Check(
            False,
            "classes",
            f"No new sample of {noun} {join_words(absent)}: AUC, recalls and balanced accuracy are "
            "those of the others, in both cohorts.",
        )
    if labels.unknown:
        n = sum(labels.unknown.values())
        yield Check(
            False,
            "classes",
            f"{format_count(n, 'new sample')} of classes that the panel never saw: "
            f"{join_words(list(labels.unknown))}.",
        )
    if not absent and not labels.unknown:
        yield Check(True, "classes", "Both cohorts have the same classes.")
    names = list(map(str, panel.feature_names_))
    replaced = [
        name for name, origin in zip(names, prepared.origins, strict=True) if origin != name
    ]
    if replaced:
        text = f"Not there under their own name: {join_words(replaced)}."
        yield Check(False, "replaced", text)
    else:
        yield Check(True, "replaced", "All features are there.")
    odd = [name for name, is_odd in zip(names, prepared.is_odd, strict=True) if is_odd]
    if odd:
        text = f"Other values than in the training samples: {join_words(odd)}."
        yield Check(False, "units", text)
    else:
        yield Check(True, "units", "The features have values as in the training samples.")


def _check_numbers(cohort: _Cohort, features: list[CohortFeature]) -> Iterator[Check]:
    """Whether classes are large enough, and whether cut and features travel."""
    counts = np.bincount(cohort.codes, minlength=cohort.n_classes)
    small = [
        f"{name} (n = {n})"
        for name, n in zip(cohort.class_names, counts, strict=True)
        if 0 < n < _SMALL_CLASS
    ]
    if small:
        text = f"Fewer than {_SMALL_CLASS} new samples: {join_words(small)}."
        yield Check(False, "small_class", text)
    else:
        yield Check(True, "small_class", f"Each class has {_SMALL_CLASS} new samples or more.")
    by_cut = cohort.balanced_by_cut()
    if by_cut is not None:
        at_panel, at_new = by_cut
        if at_panel < at_new - _MOST_LOST_BY_CUT:
            yield Check(
                False,
                "cut",
                "The cut does not travel: choose it anew. Balanced accuracy is "
                f"{at_panel:.1%} at the cut of the panel, and {at_new:.1%} where as many samples "
                "are positive as there are.",
            )
        else:
            yield Check(True, "cut", "The cut of the panel travels.")
    turned = [one.name for one in features if one.is_reversed]
    if turned:
        text = f"High in one cohort and low in the other: {join_words(turned)}."
        yield Check(False, "direction", text)
    else:
        yield Check(True, "direction", "Every feature has the same direction in both cohorts.")


def _check_shared(
    shared: SharedSamples | None, first_names: Sequence[str], names: Sequence[str]
) -> Iterator[Check]:
    """Whether samples are in both cohorts, if the first one is at hand."""
    if shared is None:
        return
    if not shared.can_tell:
        text = "Too few columns are in both tables to see whether samples are in both cohorts."
        yield Check(False, "shared", text)
    elif shared.pairs:
        a, b = shared.pairs[0]
        n = len({second for _, second in shared.pairs})
        are = "1 new sample is" if n == 1 else f"{n:,} new samples are"
        closest = f"{first_names[a]} and {names[b]}"
        text = f"{are} in the first cohort, too, equal or nearly the same: {closest}"
        yield Check(False, "shared", f"{text} {'' if n == 1 else 'are the closest'}".strip() + ".")
    else:
        yield Check(True, "shared", "No sample is in both cohorts.")
