"""Densities over intervals of each piece's own: the same model but for its intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp

from bayfold import MTERegressor

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")


def draw(n=150, missing=0.0):
    rng = np.random.default_rng(0)
    y = rng.gamma(3.0, size=n)
    X = pd.DataFrame({"a": y + rng.normal(size=n), "b": np.exp(rng.normal(size=n) - y)})
    X["c"] = np.where(y + rng.normal(size=n) > 3, "high", "low")
    return X.mask(rng.random(X.shape) < missing), y


def fit(intervals, X, y, **parameters):
    fixed = {"n_pieces": 4, "max_intervals": 4, "bandwidth_factor": 1.0, "calibration": None}
    return MTERegressor(**(fixed | parameters), intervals=intervals).fit(X, y)


def test_one_piece_has_no_others_to_share_with():
    X, y = draw()
    own, shared = (fit(kind, X, y, n_pieces=1) for kind in ("own", "shared"))
    np.testing.assert_array_equal(own.score_samples(X, y), shared.score_samples(X, y))
    np.testing.assert_array_equal(own.predict(X), shared.predict(X))


def test_every_piece_has_a_density_of_few_intervals_of_its_own():
    X, y = draw()
    densities = fit("own", X, y).densities("b")
    assert len(densities) == 4
    assert len({tuple(density.edges) for density in densities}) > 1
    for density in densities:
        assert len(density.edges) - 1 <= 4
        places = np.linspace(density.edges[0], density.edges[-1], 50)
        assert (density.pdf(places) > 0).all()
        area = quad(
            lambda x, d=density: d.pdf([x])[0], *density.edges[[0, -1]], points=density.edges
        )
        assert area[0] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_scores_are_those_of_the_densities(missing):
    """The kernel, by the densities that the model shows: log p(x) of the numeric columns."""
    X, y = draw(missing=missing)
    X = X[["a", "b"]]
    model = fit("own", X, y)
    pieces = np.clip(np.searchsorted(model.piece_edges_, y, "right") - 1, 0, 3)
    counts = np.bincount(pieces, minlength=4)
    scores = np.tile(np.log((counts + 1) / (len(y) + 4)), (len(X), 1))
    for name in X:
        known = X[name].notna().to_numpy()
        for k, density in enumerate(model.densities(name)):
            scores[known, k] += np.log(density.pdf(X[name].to_numpy()[known]))
    np.testing.assert_allclose(model.score_samples(X), logsumexp(scores, axis=1), rtol=1e-9)


@pytest.mark.parametrize("how", ["available", "impute", "em"])
def test_incomplete_rows_are_learnt_from(how):
    X, y = draw(missing=0.3)
    y = np.where(np.arange(len(y)) % 9 == 0, np.nan, y)
    model = fit("own", X, y, missing=how, random_state=0)
    assert np.isfinite(model.predict(X)).all()
    assert (model.mutual_information_ > 0).all()


def test_settings_weights_and_columns_are_chosen_with_own_intervals_too():
    X, y = draw()
    X["noise"] = np.random.default_rng(1).normal(size=len(X))
    model = MTERegressor(intervals="own", selection="mi").fit(X, y)
    assert model.column_weights_["a"] > 0
    assert "exponentials" in str(model.summary())
    error = np.sqrt(np.mean((model.predict(X) - y) ** 2))
    assert error < 0.8 * y.std()


def test_weights_are_copies_of_rows():
    X, y = draw(n=60)
    twice = fit("own", pd.concat([X, X], ignore_index=True), np.concatenate([y, y]))
    model = MTERegressor(
        n_pieces=4, max_intervals=4, bandwidth_factor=1.0, calibration=None, intervals="own"
    )
    weighted = model.fit(X, y, sample_weight=np.full(60, 2.0))
    np.testing.assert_array_equal(weighted.predict(X), twice.predict(X))
