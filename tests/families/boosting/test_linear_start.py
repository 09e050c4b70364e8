"""Models that begin with a linear one: where they help, where they stay out, and that all laws hold with them."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from bayfold import BoostedNaiveBayesClassifier
from bayfold.families.boosting.linear import start as linear_start


def draw_oblique(n_rows=400, seed=0, n_groups=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    slopes = np.random.default_rng(99).normal(size=(5, n_groups))
    return X, (X @ slopes).argmax(axis=1)


def draw_squares(n_rows=600, seed=0):
    """No slope says anything."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def fit(X, y, weights=None, **parameters):
    return BoostedNaiveBayesClassifier(n_jobs=1, **parameters).fit(X, y, weights)


@pytest.mark.parametrize("n_groups", [2, 4])
def test_straight_borders_are_learnt_at_once(n_groups):
    X, y = draw_oblique(n_groups=n_groups)
    new, truth = draw_oblique(2000, 1, n_groups)
    losses = [
        log_loss(truth, fit(X, y, linear=linear).predict_proba(new)) for linear in (True, False)
    ]
    assert losses[0] < 0.6 * losses[1]


def test_without_slopes_it_is_the_model_of_trees():
    X, y = draw_squares()
    with_gate, without = fit(X, y), fit(X, y, linear=False)
    np.testing.assert_array_equal(with_gate.predict_proba(X), without.predict_proba(X))
    assert with_gate.blend_weights_.tolist() == [1.0, 0.0, 0.0]


def test_many_rows_of_many_groups_have_no_slopes(monkeypatch):
    """A step over 20,000 rows of a thousand groups takes longer than many trees, and there are hundreds."""
    X, y = draw_oblique(n_groups=4)
    monkeypatch.setattr(linear_start, "MOST_SCORES", 4 * len(X) - 1)
    assert fit(X, y).blend_weights_.tolist() == [1.0, 0.0, 0.0]
    monkeypatch.setattr(linear_start, "MOST_SCORES", 4 * len(X))
    assert fit(X, y).blend_weights_[0] < 1.0


def test_the_weights_of_the_blend_are_shown():
    weights = fit(*draw_oblique()).blend_weights_
    assert (weights >= 0).all()
    assert weights.sum() <= 1 + 1e-9
    assert weights[1] + weights[2] > 0.5


def test_weights_are_repetitions_and_order_does_not_matter():
    X, y = draw_oblique(200)
    times = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = fit(X, y, times).predict_proba(X)
    order = np.random.default_rng(3).permutation(times.sum())
    rows = np.repeat(np.arange(len(y)), times)[order]
    np.testing.assert_array_equal(weighted, fit(X[rows], y[rows]).predict_proba(X))


def test_columns_in_another_order_and_another_unit():
    X, y = draw_oblique(200)
    model = fit(X, y).predict_proba(X)
    np.testing.assert_allclose(fit(X[:, ::-1], y).predict_proba(X[:, ::-1]), model, atol=1e-9)
    np.testing.assert_array_equal(fit(64.0 * X, y).predict_proba(64.0 * X), model)
    moved = 1.8 * X + 32.0
    np.testing.assert_allclose(fit(moved, y).predict_proba(moved), model, atol=1e-6)


def test_threads_change_nothing():
    X, y = draw_oblique(4000, n_groups=3)
    one, two = (
        BoostedNaiveBayesClassifier(n_jobs=n, n_rounds=30, early_stopping=False).fit(X, y)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_explanations_add_up_and_missing_cells_are_heard():
    X, y = draw_oblique(300)
    X[::7, 1] = np.nan
    model = fit(X, y)
    assert model.blend_weights_[1:].sum() > 0
    new = X[:5]
    explained = model.explain(new).to_frame("pandas")
    total = explained.groupby("row")["weight"].sum().to_numpy()
    p = model.predict_proba(new)
    predicted = explained.groupby("row")["class"].first().to_numpy()
    chosen = p[np.arange(5), np.searchsorted(model.classes_, predicted)]
    np.testing.assert_allclose(total, np.log(chosen / (1 - chosen)), atol=1e-9)


def test_stages_end_at_the_model():
    X, y = draw_oblique(300, n_groups=3)
    model = fit(X, y)
    *_, last = model.staged_predict_proba(X[:20])
    np.testing.assert_allclose(last, model.predict_proba(X[:20]), rtol=1e-10)


def test_a_file_holds_slopes(tmp_path):
    import bayfold

    X, y = draw_oblique(200, n_groups=3)
    model = fit(X, y)
    model.save(tmp_path / "model.bayfold")
    loaded = bayfold.load(tmp_path / "model.bayfold")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_separable_and_wild_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[0, 2], X[:, 3] = 1e300, 1e-300 * X[:, 3]
    p = fit(X, y).predict_proba(X)
    assert np.isfinite(p).all()
    assert np.mean(p.argmax(axis=1) == y) > 0.95
