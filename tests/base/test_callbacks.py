"""Callbacks of scikit-learn hear of the rounds of boosted models."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
)

callbacks = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] > 0).astype(int)


class Log:
    """What was called."""

    def __init__(self):
        self.calls = []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context, **_):
        self.calls.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, metadata=None, **_):
        self.calls.append(f"end {context.task_name}")
        self.last = metadata or self.last


@pytest.mark.filterwarnings("ignore:All .* rounds were run")
@pytest.mark.parametrize(
    "estimator",
    [
        AdaBoostNaiveBayesClassifier(n_rounds=2),
        BoostedNaiveBayesClassifier(n_rounds=20),
        BoostedNaiveBayesRegressor(n_rounds=20),
    ],
)
def test_rounds_are_tasks(estimator):
    log = Log()
    heard = []
    model = clone(estimator).set_params(callback=lambda *args: heard.append(args))
    model.set_callbacks(log).fit(X, Y)
    rounds = ["begin rounds", "end rounds"] * len(heard)
    assert log.calls == ["setup", "begin fit", *rounds, "end fit", "teardown"]
    assert (log.last["n_rounds"], log.last["most"], log.last["loss"]) == heard[-1]
    expected = clone(estimator).fit(X, Y).predict(X)
    np.testing.assert_array_equal(model.predict(X), expected)


def test_a_fit_that_fails_is_torn_down():
    log = Log()

    def fail(*_):
        raise KeyError("enough")

    model = BoostedNaiveBayesClassifier(callback=fail).set_callbacks(log)
    with pytest.raises(KeyError, match="enough"):
        model.fit(X, Y)
    assert log.calls == ["setup", "begin fit", "teardown"]


@pytest.mark.filterwarnings("ignore:All .* rounds were run")
def test_a_search_hands_its_bar_on(capsys):
    search = GridSearchCV(BoostedNaiveBayesClassifier(n_rounds=10), {"n_jobs": [1]}, cv=2)
    search.set_callbacks(callbacks.ProgressBar()).fit(X, Y)
    assert "BoostedNaiveBayesClassifier" in capsys.readouterr().out
