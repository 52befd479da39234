import numpy as np
import pandas as pd
import pytest
import scikit_posthocs as posthocs

from s2fs_bench import nemenyi_test, plot_critical_difference, published_results


def published_scores(learner, statistic):
    """The table of the paper, a row per dataset."""
    return pd.Series(
        {
            (dataset, algorithm): value
            for (of, kind, dataset, algorithm), value in published_results().items()
            if (of, kind) == (learner, statistic)
        }
    ).unstack()


def bars(ax):
    return sorted(
        tuple(np.round(line.get_xdata(), 9).tolist())
        for line in ax.lines
        if (line.get_gid() or "").startswith("group-")
    )


def their_bars(scores):
    """The bars of scikit-posthocs' own diagram, from its own p-values."""
    from matplotlib.figure import Figure

    p_values = posthocs.posthoc_nemenyi_friedman(scores)
    ranks = scores.rank(axis=1, ascending=False).mean()
    drawn = posthocs.critical_difference_diagram(ranks, p_values, ax=Figure().add_subplot())
    ends = []
    for line in drawn["crossbars"]:
        xs = np.ravel(line[0].get_xdata() if isinstance(line, list) else line.get_xdata())
        ends.append((round(float(min(xs)), 9), round(float(max(xs)), 9)))
    return sorted(ends)


@pytest.mark.parametrize("learner", ["cart", "knn", "svm", "kmeans"])
@pytest.mark.parametrize("statistic", ["max", "ave"])
def test_group_bars_are_those_of_scikit_posthocs(learner, statistic):
    scores = published_scores(learner, statistic)
    ax = plot_critical_difference(nemenyi_test(scores, names=list(scores.columns)))
    assert bars(ax) == their_bars(scores)


@pytest.mark.parametrize("seed", range(8))
def test_group_bars_of_random_scores(seed):
    rng = np.random.default_rng(seed)
    s = 3 + seed
    scores = pd.DataFrame(rng.normal(size=(9, s)) + rng.normal(size=s) * 2).add_prefix("A")
    ax = plot_critical_difference(nemenyi_test(scores, names=list(scores.columns)))
    assert bars(ax) == their_bars(scores)


def test_scale_names_and_critical_difference():
    scores = published_scores("knn", "ave")
    result = nemenyi_test(scores, names=list(scores.columns))
    ax = plot_critical_difference(result, title="kNN")
    (cd,) = (line.get_xdata() for line in ax.lines if line.get_gid() == "cd")
    assert cd[1] - cd[0] == pytest.approx(3.7988, abs=1e-4)
    texts = [text.get_text().strip() for text in ax.texts]
    for name, rank in zip(result.names, result.average_ranks, strict=True):
        assert f"{name.replace('S2FS', 'S²FS')} ({rank:.2f})" in texts
    assert [str(rank) for rank in range(1, 10)] == [t for t in texts if t.isdigit()]
    assert ax.get_title() == "kNN"


def test_lines_to_the_names_do_not_cross():
    scores = published_scores("svm", "ave")
    ax = plot_critical_difference(nemenyi_test(scores, names=list(scores.columns)))
    elbows = [np.array(line.get_xydata()) for line in ax.lines if len(line.get_xdata()) == 3]
    assert len(elbows) == 9
    for a in elbows:
        for b in elbows:
            (rank, _), (_, height), (edge, _) = a
            other_rank, other_height = b[0][0], b[1][1]
            inside = min(rank, edge) < other_rank < max(rank, edge)
            assert not (inside and other_height > height)
