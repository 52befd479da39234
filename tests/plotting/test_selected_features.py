"""Figures of the selected features: values, redundancy, mistakes, sizes, samples."""

import io
from itertools import pairwise

import literal_evaluation as literal
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.preprocessing import StandardScaler, minmax_scale

from s2fs import S2FS, compare
from s2fs.baselines import AnovaF
from s2fs.evaluation.standing_out import find_standing_out
from s2fs.plotting import (
    class_geometry,
    plot_class_separation,
    plot_class_tree,
    plot_confusion,
    plot_features,
    plot_heatmap,
    plot_redundancy,
    plot_samples,
    plot_sizes,
)
from s2fs.plotting.geometry import pair_distances
from s2fs.plotting.style import shown

X, Y = load_wine(return_X_y=True)
NAMES = [f"wine {q}" for q in range(3)]


def drawn(figure, **options):
    """The figure as a file; drawing must not warn, for warnings are errors."""
    buffer = io.BytesIO()
    figure.savefig(buffer, **options)
    return buffer.getvalue()


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_heatmap_is_standardised_and_ordered_by_class():
    selected = [6, 0, 9, 12]
    ax = plot_heatmap(X[:, selected], Y, feature_names=["a", "b", "c", "d"], class_names=NAMES)
    table = ax.images[0].get_array()
    order = np.argsort(Y, kind="stable")
    rows = [label.get_text() for label in ax.get_yticklabels()]
    expected = StandardScaler().fit_transform(X)[order]
    for row, name in zip(table, rows, strict=True):
        np.testing.assert_allclose(row, expected[:, selected["abcd".index(name)]])
    assert texts(ax) == NAMES
    classes = [find_standing_out(X[:, selected], Y).class_["abcd".index(name)] for name in rows]
    assert classes == sorted(classes)
    assert ax.figure.axes[1].get_ylabel() == "standardised value"


def test_heatmap_of_many_samples_shows_class_medians():
    pixels, digit = load_digits(return_X_y=True)
    ax = plot_heatmap(pixels[:, [20, 21]], digit, feature_names=["p20", "p21"])
    table = ax.images[0].get_array()
    assert table.shape == (2, 10)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    scaled = StandardScaler().fit_transform(pixels)[:, 20]
    medians = [np.median(scaled[digit == q]) for q in range(10)]
    np.testing.assert_allclose(table[rows.index("p20")], medians)
    assert "median" in ax.figure.axes[1].get_ylabel()


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_the_classes_are_split_where_their_values_overlap_least(data):
    p = data.draw(st.integers(2, 5))
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=p, max_size=p))
    y = np.repeat(np.arange(p), sizes)
    some = st.lists(st.integers(-4, 4), min_size=len(y), max_size=len(y))
    column = np.array(data.draw(some), dtype=float)
    found = find_standing_out(column[:, None], y)

    def auc(upper, lower):
        """The mean over the pairs of classes, each by scikit-learn."""
        pairs = [np.isin(y, (a, b)) for a in upper for b in lower]
        tops = [a for a in upper for _ in lower]
        values = [roc_auc_score(y[of] == a, column[of]) for a, of in zip(tops, pairs, strict=True)]
        return np.mean(values)

    wins = [sum(auc([a], [b]) for b in range(p) if b != a) for a in range(p)]
    order = sorted(range(p), key=lambda q: (round(wins[q], 9), q))
    cuts = [auc(order[cut:], order[:cut]) for cut in range(1, p)]
    assert found.auc[0] == pytest.approx(max(cuts))
    members = set(np.flatnonzero(found.members[0]).tolist())
    others = set(range(p)) - members
    upper, lower = (members, others) if found.high[0] else (others, members)
    assert auc(sorted(upper), sorted(lower)) == pytest.approx(max(cuts))
    assert len(members) < len(others) or (len(members) == len(others) and found.high[0])
    assert wins[found.class_[0]] == pytest.approx((max if found.high[0] else min)(wins))
    assert found.class_[0] in members


def test_what_is_said_of_a_feature():
    y = np.repeat(np.arange(5), 4)
    means = np.array([[0, 0, 9, 9, 9], [0, 0, 0, 0, 5], [5, 0, 5, 5, 5], [3, 3, 0, 0, 3]])
    values = means[:, y].T + np.tile([0.0, 0.1, 0.2, 0.3], 5)[:, None]
    values[0, 1] = 10**6  # one sample of the first class, which would move its mean far up
    found = find_standing_out(values, y)
    phrases = [found.in_words(f, "ABCDE") for f in range(4)]
    assert phrases == ["low in A and B", "high in E", "low in B", "low in C and D"]
    many = find_standing_out(
        np.repeat([0.0, 0, 1, 1, 1, 1, 1], 3)[:, None], np.repeat(np.arange(7), 3)
    )
    assert many.in_words(0, "ABCDEFG") == "low in A and B"
    two = find_standing_out(np.array([[0.0], [1], [2], [3]]), np.array([1, 1, 0, 0]))
    assert two.in_words(0, ["no", "yes"]) == "high in no"
    assert two.in_words(0, ["0", "1"]) == "high in class 0"
    assert many.in_words(0, "1234567") == "low in classes 1 and 2"


def test_pair_distances_by_definition():
    apart = pair_distances(X, Y)
    f, members = 6, [X[q == Y, 6] for q in range(3)]
    squares = sum(((values - values.mean()) ** 2).sum() for values in members)
    spread = np.sqrt(squares / (len(X) - 3))
    assert apart[0, 2, f] == pytest.approx(abs(members[0].mean() - members[2].mean()) / spread)
    np.testing.assert_array_equal(apart, apart.transpose(1, 0, 2))
    constant = pair_distances(np.ones((6, 1)), np.arange(6) % 2)
    assert constant.tolist() == [[[0.0], [0.0]], [[0.0], [0.0]]]


def test_features_show_every_sample_or_quartiles():
    figure = plot_features(X, Y, class_names=NAMES, n_shown=4)
    assert len(figure.axes) == 4
    points = {c.get_gid(): np.asarray(c.get_offsets())[:, 1] for c in figure.axes[0].collections}
    assert points["class-1"].tolist() == X[Y == 1, 0].tolist()
    pixels, digit = load_digits(return_X_y=True)
    (ax,) = plot_features(pixels[:, 20:21], digit).axes
    assert not ax.collections
    boxes = [(box.get_y(), box.get_y() + box.get_height()) for box in ax.patches]
    quartiles = [np.quantile(pixels[digit == q, 20], [0.25, 0.75]) for q in range(10)]
    np.testing.assert_allclose(boxes, quartiles)


def test_redundancy_is_the_correlation_and_frames_copies():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 4))
    values = np.column_stack([values, -values[:, 1] + 0.01 * values[:, 0], np.ones(40)])
    ax = plot_redundancy(values, feature_names=list("abcdef"))
    order = ["abcdef".index(label.get_text()) for label in ax.get_yticklabels()]
    expected = np.abs(np.corrcoef(values[:, :5], rowvar=False))
    table = ax.images[0].get_array()
    for i, f in enumerate(order):
        for j, g in enumerate(order):
            wanted = float(f == g) if 5 in (f, g) else expected[f, g]
            assert table[i, j] == pytest.approx(wanted, abs=1e-9)
    frames = {(p.get_x() + 0.5, p.get_y() + 0.5) for p in ax.patches}
    b, e = order.index(1), order.index(4)
    assert frames == {(b, e), (e, b)}
    assert abs(b - e) == 1


def test_confusion_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(4, size=60), rng.integers(4, size=60)
    ax = plot_confusion(true, predicted, class_names=list("abcd"))
    assert ax.images[0].get_array().tolist() == confusion_matrix(true, predicted).tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted class", "true class")
    with pytest.raises(ValueError, match="y_pred has the shape"):
        plot_confusion(true, predicted[1:])


def test_class_separation_before_and_after_have_one_scale():
    scaled, selected = minmax_scale(X), S2FS(3).fit(X, Y).indices_
    figure = plot_class_separation(scaled, Y, selected, class_names=NAMES)
    before, after = (ax.images[0] for ax in figure.axes[:2])
    assert before.get_clim() == after.get_clim()
    expected = class_geometry(scaled[:, selected], Y).separation
    assert after.get_array()[0, 1] == expected[0, 1]
    assert before.get_array()[0, 2] == class_geometry(scaled, Y).separation[0, 2]


def test_sizes_show_accuracies_interval_and_levels():
    result = compare(X, Y, k=[1, 2, 4], selectors=["s2fs", "anovaf"], n_repeats=2)
    ax = plot_sizes(result)
    lines = {line.get_label(): line for line in ax.lines}
    names = ["S²FS", "ANOVA F", "all 13 features", "random features", "majority class"]
    assert [name for name in lines if not name.startswith("_")] == names
    assert sorted(text.get_text() for text in ax.texts) == sorted([*names, "asked for: 4"])
    rows = [{row.selector: row for row in result.at(k).rows} for k in (1, 2, 4)]
    for name in ("S²FS", "ANOVA F", "random features"):
        assert lines[name].get_ydata().tolist() == [
            100 * row[name].scores["accuracy"].value for row in rows
        ]
        assert lines[name].get_xdata().tolist() == [1, 2, 4]
    assert lines["majority class"].get_ydata() == pytest.approx([100 * 71 / 178] * 2)
    assert (
        lines["all 13 features"].get_ydata()
        == [100 * rows[0]["all 13 features"].scores["accuracy"].value] * 2
    )
    assert ax.get_xticks().tolist() == [1, 2, 4]
    # On a square-root axis 4 is as far from 1 as 1 is from 0.
    zero, one, four = ax.transData.transform([(0, 0), (1, 0), (4, 0)])[:, 0]
    assert four - one == pytest.approx(one - zero)
    parts = {part.get_gid(): part for part in [*ax.collections, *ax.lines]}
    corners = {tuple(point) for point in np.round(parts["interval"].get_paths()[0].vertices, 9)}
    for k, row in zip((1, 2, 4), rows, strict=True):
        ends = literal.wilson(row["S²FS"].scores["accuracy"].value, 0.8 * len(Y))
        assert {(k, round(100 * end, 9)) for end in ends} <= corners
    assert parts["asked-for"].get_xdata() == [4, 4]
    with pytest.raises(ValueError, match="comparison has one size"):
        plot_sizes(compare(X, Y, k=[2], selectors=["anovaf"], n_repeats=1))


def test_labels_of_lines_do_not_touch():
    """Six names at two heights: all of them are moved apart, and stay in order."""
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(40, 8)), np.arange(40) % 2
    selectors = {f"selector {i}": AnovaF() for i in range(4)}
    ax = plot_sizes(compare(noise, y, k=[1, 2, 4], selectors=selectors, n_repeats=1))
    ax.figure.draw_without_rendering()
    labels = [text for text in ax.texts if not text.get_text().startswith("asked for")]
    boxes = sorted((text.get_window_extent() for text in labels), key=lambda box: box.y0)
    assert len(boxes) == 7
    for below, above in pairwise(boxes):
        assert above.y0 >= below.y0 + 0.7 * below.height


def test_the_tree_joins_the_classes_that_are_alike_first():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 10)
    centres = np.array([[0, 0], [10, 0], [0.5, 0], [10, 1]])
    ax = plot_class_tree(centres[y] + 0.1 * rng.normal(size=(40, 2)), y, class_names="ABCD")
    order = "".join(label.get_text() for label in ax.get_yticklabels())
    assert {"".join(sorted(order[:2])), "".join(sorted(order[2:]))} == {"AC", "BD"}
    heights = sorted(max(line.get_xdata()) for line in ax.lines)
    assert heights[-1] > 5 * heights[1]


def test_samples_lie_in_the_plane_of_the_components():
    ax = plot_samples(X, Y, class_names=NAMES)
    places = np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections])
    truth = PCA(2).fit_transform(StandardScaler().fit_transform(X))[np.argsort(Y, kind="stable")]
    np.testing.assert_allclose(np.abs(places), np.abs(truth), atol=1e-9)
    assert (np.abs(places).argmax(axis=0) == places.argmax(axis=0)).all()
    with pytest.raises(ValueError, match="X has one column"):
        plot_samples(X[:, :1], Y)


def test_misclassified_samples_have_rings():
    wrong = np.arange(len(Y)) % 50 == 3
    ax = plot_samples(X, Y, misclassified=wrong)
    *classes, rings = ax.collections
    assert rings.get_gid() == "misclassified"
    places = np.empty((len(Y), 2))
    for q, of_class in enumerate(classes):
        places[q == Y] = of_class.get_offsets()
    np.testing.assert_array_equal(rings.get_offsets(), places[wrong])
    assert len(plot_samples(X, Y, misclassified=wrong & False).collections) == 3
    for mask in (wrong[1:], wrong.astype(int)):
        with pytest.raises(ValueError, match="give True or False for each of the 178 samples"):
            plot_samples(X, Y, misclassified=mask)


def test_more_classes_than_colours_have_names_in_place_of_colours():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 100)
    values = rng.normal(size=(1200, 5)) + y[:, None] % 4
    ax = plot_samples(values, y, class_names=[f"c{q}" for q in range(12)])
    assert texts(ax) == [f"c{q}" for q in range(12)]
    assert len({tuple(c.get_facecolor()[0]) for c in ax.collections}) == 1
    assert all(c.get_rasterized() for c in ax.collections)
    assert drawn(ax.figure, format="svg").count(b"<image") >= 1
    assert len(drawn(ax.figure, format="svg")) < 200_000


def test_pictures_have_300_dots_per_inch():
    png = drawn(plot_redundancy(X[:, :5]).figure, format="png")
    width = int.from_bytes(png[16:20], "big")
    assert width == 3.5 * 300


def test_long_names_are_cut_in_the_middle():
    assert shown("ENSG00000141510_transcript_variant_7", 14) == "ENSG000…iant_7"
    assert len(shown("x" * 500)) == 28


@pytest.mark.parametrize("plot", [plot_heatmap, plot_features, plot_samples])
def test_wrong_input_is_named(plot):
    with pytest.raises(ValueError, match="y has 177 label"):
        plot(X, Y[1:])
    with pytest.raises(ValueError, match="class_names has 1 entries for 3"):
        plot(X, Y, class_names=["a"])
    with pytest.raises(ValueError, match="y has one class only"):
        plot(X, np.zeros(178))
