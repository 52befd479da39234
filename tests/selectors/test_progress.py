"""Callbacks of scikit-learn follow a fit, may end it, and are set up and taken down once."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from s2fs import S2FS, SelectorCV, StabilitySelector

ProgressBar = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9").ProgressBar


class Diary:
    """Notes what it is told; asks to stop once it has seen so many tasks end."""

    def __init__(self, stop_after=None, fail_at=None):
        self.stop_after, self.fail_at = stop_after, fail_at
        self.entries, self.fitted = [], []

    def setup(self, estimator, context):
        self.entries.append("setup")

    def teardown(self, estimator, context):
        self.entries.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.entries.append("begin")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        self.entries.append("end")
        if context.parent is not None:
            self.fitted.append(fitted_estimator)
            if len(self.fitted) == self.fail_at:
                raise KeyboardInterrupt
            return len(self.fitted) == self.stop_after
        return False


def test_every_feature_is_a_task_with_a_usable_selector():
    X, y = load_wine(return_X_y=True, as_frame=True)
    diary = Diary()
    selector = S2FS(4).set_callbacks(diary).fit(X, y)
    assert diary.entries == ["setup", "begin", *["begin", "end"] * 4, "end", "teardown"]
    plain = S2FS(4).fit(X, y)
    np.testing.assert_array_equal(selector.path_, plain.path_)
    for k, known in enumerate(diary.fitted, 1):
        assert known.indices_.tolist() == plain.indices_[:k].tolist()
        assert known.transform(X).shape == (178, k)
        assert known.ranking_table()["feature"].tolist() == X.columns[plain.indices_[:k]].tolist()


def test_a_callback_may_end_the_search():
    X, y = load_wine(return_X_y=True)
    selector = S2FS(10).set_callbacks(Diary(stop_after=3)).fit(X, y)
    assert selector.indices_.tolist() == S2FS(3).fit(X, y).indices_.tolist()
    assert selector.transform(X).shape == (178, 3)


def test_a_search_of_unknown_length_tells_no_more_than_it_does():
    X, y = load_wine(return_X_y=True)
    diary = Diary()
    selector = S2FS("auto").set_callbacks(diary).fit(X, y)
    assert selector.indices_.tolist() == S2FS("auto").fit(X, y).indices_.tolist()
    assert diary.entries.count("begin") == diary.entries.count("end")
    assert diary.fitted[-1].indices_.tolist() == selector.indices_.tolist()


def test_folds_and_subsamples_are_tasks():
    X, y = load_wine(return_X_y=True)
    for selector, n_tasks in (
        (SelectorCV(2, selector=S2FS(), alphas=[0.1], betas=[0.1], cv=3), 3),
        (StabilitySelector(2, n_resamples=4), 8),
    ):
        diary = Diary()
        selector.set_callbacks(diary).fit(X, y)
        assert diary.entries == ["setup", "begin", *["begin", "end"] * n_tasks, "end", "teardown"]
    stopped = SelectorCV(2, selector=S2FS(), alphas=[0.1], betas=[0.1], cv=3).set_callbacks(
        Diary(stop_after=2)
    )
    assert stopped.fit(X, y).n_splits_ == 2


def test_an_interrupted_fit_is_taken_down_and_can_be_repeated():
    X, y = load_wine(return_X_y=True)
    diary = Diary(fail_at=2)
    selector = S2FS(5).set_callbacks(diary)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert diary.entries[-1] == "teardown"
    assert not hasattr(selector, "indices_")
    assert diary.fitted[-1].indices_.tolist() == S2FS(2).fit(X, y).indices_.tolist()
    assert len(selector.fit(X, y).indices_) == 5


def test_the_progress_bar_of_scikit_learn_reaches_into_a_pipeline(capsys):
    pytest.importorskip("rich", reason="scikit-learn draws its progress bar with it")
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), S2FS(3)).set_callbacks(ProgressBar())
    model.fit(X, y)
    assert "S2FS" in capsys.readouterr().out


def test_clones_keep_their_callbacks():
    selector = S2FS(3).set_callbacks(Diary())
    assert clone(selector).fit(*load_wine(return_X_y=True)).indices_.shape == (3,)


def test_without_callbacks_in_scikit_learn_all_else_stays():
    code = """
import sys
from sklearn import feature_selection, linear_model, metrics, model_selection, neighbors, pipeline
from sklearn.datasets import load_wine
sys.modules["sklearn.callback"] = None  # scikit-learn itself has it already
from s2fs import S2FS, SelectorCV, StabilitySelector
X, y = load_wine(return_X_y=True)
for selector in (S2FS(3), SelectorCV(2), StabilitySelector(2)):
    assert not hasattr(selector, "set_callbacks")
    print(selector.fit(X, y).indices_.tolist())
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    X, y = load_wine(return_X_y=True)
    for found, selector in zip(
        run.stdout.splitlines(),
        (S2FS(3), SelectorCV(2), StabilitySelector(2)),
        strict=True,
    ):
        assert hasattr(selector, "set_callbacks")
        assert found == str(selector.fit(X, y).indices_.tolist())
