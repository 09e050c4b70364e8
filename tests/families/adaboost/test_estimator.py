"""AdaBoost behind the estimator: attributes, restarts, determinism, the collapse, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone

from bayfold import AdaBoostNaiveBayesClassifier, NaiveBayesTreeClassifier
from benchmarks.world_tables import draw_world
from tests.laws.tables import draw_table, seeds


def boosted(**parameters):
    return AdaBoostNaiveBayesClassifier(**{"n_rounds": 8, **parameters})


def test_rounds_are_kept():
    frame, y, _ = draw_table(1, 200, missing=0.1)
    model = boosted(max_depth=1).fit(frame, y)
    assert model.n_rounds_ == 8
    assert len(model.round_errors_) == len(model.round_votes_) == len(model.round_restarts_) == 8
    good = model.round_errors_ > 0
    expected = np.log((1 - model.round_errors_[good]) / model.round_errors_[good])
    np.testing.assert_allclose(model.round_votes_[good], expected)
    assert (model.round_errors_ < 0.5).all()


def test_one_round_predicts_what_its_base_does():
    frame, y, _ = draw_table(2, 150, 3)
    for base in (NaiveBayesTreeClassifier(0), NaiveBayesTreeClassifier(2, split="threshold")):
        model = boosted(base=base, n_rounds=1, calibration=None).fit(frame, y)
        expected = clone(base).set_params(calibration=None).fit(frame, y).predict(frame)
        np.testing.assert_array_equal(model.predict(frame), expected)


def test_max_depth_is_short_for_a_base():
    frame, y, _ = draw_table(3, 150)
    a = boosted(max_depth=2).fit(frame, y)
    b = boosted(base=NaiveBayesTreeClassifier(2)).fit(frame, y)
    np.testing.assert_array_equal(a.predict_proba(frame), b.predict_proba(frame))


@pytest.mark.parametrize("depth", [0, 1])
def test_probabilities_are_shares_of_the_votes_after_every_round(depth):
    frame, y, _ = draw_table(4, 150, 3)
    model = boosted(max_depth=depth, calibration=None).fit(frame, y)
    stages = list(model.staged_predict_proba(frame))
    assert len(stages) == model.n_rounds_
    np.testing.assert_allclose(stages[-1], model.predict_proba(frame), rtol=1e-9)
    # in the first round one class has all votes
    np.testing.assert_allclose(stages[0].max(axis=1), 1, atol=1e-8)
    shares = model.round_votes_[:2] / model.round_votes_[:2].sum()
    for row in np.sort(stages[1], axis=1):
        assert row[-1] == pytest.approx(1, abs=1e-8) or row[-1] == pytest.approx(shares.max())


@given(seeds)
@settings(max_examples=6)
def test_order_weights_threads_and_seeds(seed):
    frame, y, rng = draw_table(seed, 80)
    order = rng.permutation(80)
    model = boosted(max_depth=1, n_jobs=1, random_state=3)
    p = clone(model).fit(frame, y).predict_proba(frame)
    shuffled = clone(model).set_params(n_jobs=2).fit(frame.iloc[order], y[order])
    np.testing.assert_allclose(shuffled.predict_proba(frame), p, rtol=1e-7)
    twice = clone(model).fit(frame.loc[frame.index.repeat(2)], np.repeat(y, 2))
    weighted = clone(model).fit(frame, y, np.full(80, 2.0))
    np.testing.assert_allclose(twice.predict_proba(frame), weighted.predict_proba(frame), rtol=1e-7)


def test_restarts_depend_on_the_seed_and_on_nothing_else():
    rng = np.random.default_rng(0)
    X = rng.choice(["a", "b", "c"], (60, 3)).astype(object)
    y = (X[:, 0] == "a").astype(int)  # a perfect model: every round is followed by a new draw
    model = boosted(random_state=1).fit(X, y)
    assert model.round_restarts_.tolist() == [0] + [1] * 7
    assert boosted(restarts=False).fit(X, y).n_rounds_ == 1
    noise = rng.integers(0, 2, 60)
    fits = [boosted(random_state=seed).fit(X, noise) for seed in (1, 1, 2)]
    assert fits[0].round_restarts_.any()
    np.testing.assert_array_equal(fits[0].round_errors_, fits[1].round_errors_)
    assert not np.array_equal(fits[0].round_errors_, fits[2].round_errors_)


def test_no_name_decides_what_is_drawn_after_a_restart():
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 5, (200, 4))
    y = (cells[:, 0] + rng.integers(0, 5, 200) > 4).astype(int)
    answers = []
    for names in ("abcde", "xbqap"):
        X = np.array(list(names), object)[cells]
        model = boosted(n_rounds=30).fit(X, y)
        assert model.round_restarts_.any()
        answers.append(model.predict_proba(X))
    np.testing.assert_allclose(*answers, rtol=1e-12)


def test_the_callback_hears_of_every_round():
    frame, y, _ = draw_table(1, 100)
    heard = []
    model = boosted(callback=lambda *news: heard.append(news)).fit(frame, y)
    assert [news[:2] for news in heard] == [(k + 1, 8) for k in range(model.n_rounds_)]
    np.testing.assert_array_equal([news[2] for news in heard], model.round_errors_)


@given(seeds)
@settings(max_examples=8)
def test_the_collapse_is_one_naive_bayes(seed):
    frame, y, _ = draw_table(seed, 90, 3)
    model = boosted(method="real", learning_rate=0.5).fit(frame, y)
    *_, last = model.staged_predict_proba(frame)
    np.testing.assert_allclose(model.predict_proba(frame), last, rtol=1e-8, atol=1e-12)
    assert len(model.collapse().model_.terms) == 4
    records = model.explain(frame.iloc[:5])
    scores = model.decision_function(frame.iloc[:5])
    for row in range(5):
        for k, label in enumerate(model.classes_):
            total = records.where(row=row, **{"class": label})["weight"].sum()
            np.testing.assert_allclose(total, scores[row, k], rtol=1e-9, atol=1e-9)


def test_one_round_at_full_strength_is_naive_bayes():
    frame, y, _ = draw_table(7, 120)
    model = boosted(method="real", n_rounds=1, learning_rate=1.0).fit(frame, y)
    plain = NaiveBayesTreeClassifier(0, calibration=None).fit(frame, y)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(frame), rtol=1e-9)


def test_votes_are_no_tables():
    frame, y, _ = draw_table(1, 60)
    model = boosted().fit(frame, y)
    with pytest.raises(AttributeError, match="votes do not add up to weights of evidence"):
        model.collapse()


def test_a_bad_base_is_refused():
    frame, y, _ = draw_table(1, 60)
    with pytest.raises(
        ValueError, match=r"`base` must be a NaiveBayesTreeClassifier or None\. Got 3"
    ):
        boosted(base=3).fit(frame, y)
    with pytest.raises(ValueError, match="`m` must be a number above zero"):
        boosted(base=NaiveBayesTreeClassifier(m=-1)).fit(frame, y)
    with pytest.raises(
        ValueError,
        match=r"`base\.categorical_features` must be None\. Got \['u'\]\. Give it to AdaBoost",
    ):
        boosted(base=NaiveBayesTreeClassifier(categorical_features=["u"])).fit(frame, y)


def test_a_new_fit_forgets_what_the_other_method_learnt():
    frame, y, _ = draw_table(1, 60)
    model = boosted().fit(frame, y)
    model.set_params(method="real").fit(frame, y)
    assert not hasattr(model, "round_votes_")
    assert len(model.collapse().model_.terms) == 4
    model.set_params(method="m1").fit(frame, y)
    assert len(model.round_votes_) == model.n_rounds_
    assert not hasattr(model, "evidence_")


BAD = {
    "method": ("m2", '`method` must be "m1" or "real". Got \'m2\'.'),
    "max_depth": (-1, "`max_depth` must be a whole number that is not negative. Got -1."),
    "n_rounds": (0, "`n_rounds` must be None or a whole number from 1. Got 0."),
    "learning_rate": (0.0, "`learning_rate` must be a number above 0 and at most 1. Got 0.0."),
    "restarts": (1, "`restarts` must be True or False. Got 1."),
    "callback": (3, "`callback` must be a function or None. Got 3."),
    "progress": ("bar", "`progress` must be True or False. Got 'bar'."),
    "schema": (3, "`schema` must be a bayfold Schema or None. Got 3."),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters_are_refused(name):
    value, message = BAD[name]
    frame, y, _ = draw_table(1, 60)
    with pytest.raises(ValueError) as raised:
        boosted(**{name: value}).fit(frame, y)
    assert str(raised.value).startswith(message)


UNUSED = [
    ({"learning_rate": 0.5}, '`learning_rate` must be 0.1 with method="m1", which makes no use'),
    ({"method": "real", "max_depth": 2}, '`max_depth` must be 0 with method="real", which makes'),
    ({"method": "real", "restarts": False}, '`restarts` must be True with method="real", which'),
    (
        {"base": NaiveBayesTreeClassifier(), "max_depth": 2},
        "`max_depth` must be 0 with a base, which makes no use of it. Got 2.",
    ),
    (
        {"method": "real", "base": NaiveBayesTreeClassifier()},
        '`base.max_depth` must be 0 with method="real". Got 1. Use NaiveBayesTreeClassifier(0)',
    ),
    (
        {"base": NaiveBayesTreeClassifier(n_jobs=1)},
        "`base.n_jobs` must be None. Got 1. Give it to AdaBoostNaiveBayesClassifier instead.",
    ),
]


@pytest.mark.parametrize(("parameters", "message"), UNUSED)
def test_parameters_without_effect_are_refused(parameters, message):
    frame, y, _ = draw_table(1, 60)
    with pytest.raises(ValueError) as raised:
        boosted(**parameters).fit(frame, y)
    assert str(raised.value).startswith(message)


def log_loss(model, X, y):
    found = model.predict_proba(X)[np.arange(len(y)), y]
    return -np.log(np.maximum(found, 1e-300)).mean()


MODELS = [
    AdaBoostNaiveBayesClassifier(),
    AdaBoostNaiveBayesClassifier(max_depth=1),
    NaiveBayesTreeClassifier(),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_noise_is_not_believed(model, n_classes, seed):
    rng = np.random.default_rng(seed)
    share = np.array([0.7, 0.2, 0.1])[:n_classes]
    X = rng.normal(size=(1500, 20))
    y = rng.choice(n_classes, size=1500, p=share / share.sum())
    fitted = clone(model).fit(X[:300], y[:300])
    prior = -np.log(np.bincount(y[:300])[y[300:]] / 300).mean()
    assert log_loss(fitted, X[300:], y[300:]) < prior + 0.02


@pytest.mark.parametrize("model", MODELS)
def test_mean_probabilities_are_shares_though_columns_repeat_each_other(model):
    rng = np.random.default_rng(1)
    z = rng.normal(size=6000)
    X = z[:, None] + 0.1 * rng.normal(size=(6000, 6))
    y = (rng.random(6000) < 1 / (1 + np.exp(2 - z))).astype(int)
    fitted = clone(model).fit(X[:3000], y[:3000])
    p = fitted.predict_proba(X[3000:])[:, 1]
    assert p.mean() == pytest.approx(y[3000:].mean(), abs=0.025)
    truth = 1 / (1 + np.exp(2 - z[3000:]))
    assert np.abs(p - truth).mean() < 0.06


def test_a_group_weight_moves_the_scale_too():
    frame, y, _ = draw_table(5, 300)
    model = boosted(class_weight="balanced").fit(frame, y)
    shares = [model.predict_proba(frame)[:, k].mean() for k in range(2)]
    np.testing.assert_allclose(shares, 0.5, atol=0.06)


@pytest.mark.parametrize("seed", [507, 514])
def test_names_of_classes_change_nothing(seed):
    """Bootstrap samples are drawn by the order of rows, which codes of equal counts had left to the names."""
    world = draw_world(seed, "classes", 400)
    X, y = world.X[:400], world.y[:400]
    renamed = np.random.default_rng(seed).permutation(y.max() + 1)[::-1]
    first, second = (
        AdaBoostNaiveBayesClassifier(n_rounds=20, random_state=0).fit(X, labels, world.weights)
        for labels in (y, renamed[y])
    )
    assert first.round_restarts_.any()
    rows = world.X[400:600]
    found = second.predict_proba(rows)[:, renamed]
    np.testing.assert_allclose(found, first.predict_proba(rows), atol=1e-9)
