"""A search compares splits by a rough model; the estimator has the last word."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bayfold import ClassDecompositionClassifier, NaiveBayesClassifier
from bayfold.families.decomposition.search import DealtByClass, choose_by_accuracy
from bayfold.families.decomposition.splitter import make_rough

N_ROWS = 200


class Stage:
    """Stands for a splitter: splits help the rough model, and the estimator only where it is said so."""

    def __init__(self, estimator, gain):
        self.estimator, self.gain = estimator, gain
        self.rows = SimpleNamespace(group_of=np.arange(N_ROWS) % 2, groups=np.arange(2))
        self.weights, self.luck = np.ones(N_ROWS), np.random.default_rng(0).random(N_ROWS)
        self.n_trained = {"rough": 0, "estimator": 0}

    def split(self, rows, numbers, seed, fold):
        return max(numbers) > 1

    def train(self, estimator, rows, subclasses, shared_schema):
        name = "estimator" if estimator is self.estimator else "rough"
        self.n_trained[name] += 1
        return name

    def answer(self, model, is_split, train, test):
        gain = 0.3 if model == "rough" else self.gain
        right = self.luck[test] < 0.6 + gain * is_split
        group_of = self.rows.group_of[test]
        return np.where((np.arange(2) == group_of[:, None]) == right[:, None], 0.9, 0.1)


def choose(stage):
    dealt = DealtByClass(np.arange(N_ROWS) // 2 % 5, np.ones(N_ROWS), share=1.0)
    return choose_by_accuracy(stage, dealt, np.array([12, 12]), 0, lambda text: None)


def test_the_estimator_is_trained_on_whole_classes_and_on_the_best_split_alone():
    stage = Stage(NaiveBayesClassifier(), gain=0.3)
    numbers, search = choose(stage)
    assert max(numbers) > 1
    assert stage.n_trained["estimator"] == 2 * 5
    assert search.where(model="estimator")["clusters"].tolist()[-1] == "1 1"


def test_a_split_that_the_estimator_does_not_need_is_undone():
    numbers, _ = choose(Stage(NaiveBayesClassifier(), gain=0.0))
    assert numbers == [1, 1]


def test_where_the_rough_model_finds_no_split_the_estimator_is_not_trained():
    stage = Stage(NaiveBayesClassifier(), gain=0.3)
    stage.luck[:] = 0.0
    assert choose(stage)[0] == [1, 1]
    assert stage.n_trained["estimator"] == 0


def test_weights_alone_need_no_last_word():
    stage = Stage(NaiveBayesClassifier(numeric="gaussian"), gain=0.0)
    numbers, search = choose(stage)
    assert max(numbers) > 1
    assert stage.n_trained["estimator"] == 0
    assert set(search["model"]) == {"rough"}


def test_without_a_rough_model_the_estimator_decides_alone():
    stage = Stage(LogisticRegression(), gain=0.3)
    numbers, search = choose(stage)
    assert max(numbers) > 1
    assert stage.n_trained["rough"] == 0
    assert set(search["model"]) == {"estimator"}


@pytest.mark.parametrize(
    ("estimator", "changed"),
    [
        (NaiveBayesClassifier(), {"calibration": None, "numeric": "smooth"}),
        (
            NaiveBayesClassifier(numeric="mdl", m=3.0),
            {"calibration": None, "numeric": "mdl", "m": 3.0},
        ),
        (NaiveBayesClassifier(select=True), {"select": False, "numeric": "smooth"}),
    ],
)
def test_a_rough_model_leaves_out_what_refits_and_keeps_the_rest(estimator, changed):
    rough = make_rough(estimator)
    assert rough is not estimator
    assert (
        rough.get_params()
        == estimator.get_params() | {"calibration": None, "select": False} | changed
    )


def test_what_is_as_cheap_as_can_be_is_its_own_rough_model():
    for estimator in (
        NaiveBayesClassifier(numeric="gaussian", calibration=None),
        LogisticRegression(),
    ):
        assert make_rough(estimator) is estimator


def test_a_search_says_which_model_it_tried():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (120, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "opposite")
    model = ClassDecompositionClassifier(NaiveBayesClassifier(), n_folds=2, random_state=0).fit(
        X, y
    )
    assert (model.n_clusters_ > 1).all()
    assert len(model.search_.where(model="estimator")["clusters"]) == 2


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
def test_a_column_without_information_changes_no_split():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (120, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "opposite")
    plain = ClassDecompositionClassifier(n_folds=3, random_state=0).fit(X, y)
    for same in (1.0, np.nan):
        wider = np.column_stack([X, np.full(len(y), same)])
        model = ClassDecompositionClassifier(n_folds=3, random_state=0).fit(wider, y)
        np.testing.assert_allclose(model.predict_proba(wider), plain.predict_proba(X))
