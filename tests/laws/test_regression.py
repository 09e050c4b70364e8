"""Laws of whole regression models: answers agree with each other, parts add up, units do not matter."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from bayfold import NaiveBayesRegressor
from bayfold.core.schema import Schema

pytestmark = pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
MODELS = {
    "default": NaiveBayesRegressor(),
    "temperature": NaiveBayesRegressor(calibration="temperature", missing="category"),
    "fixed": NaiveBayesRegressor(bandwidth=0.15, calibration=None),
    "frank1998": NaiveBayesRegressor(bandwidth="frank1998", calibration=None),
    "frank1998 weighted": NaiveBayesRegressor(bandwidth="frank1998", missing="category"),
    "frank1998 median": NaiveBayesRegressor(
        bandwidth="frank1998", calibration=None, statistic="median", missing="category"
    ),
}
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(list(MODELS))
few = settings(deadline=None, derandomize=True, max_examples=12)


def draw(seed, n=60, missing=0.15):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n) * 3 + 10
    frame = pd.DataFrame(
        {
            "u": y + rng.normal(size=n),
            "v": rng.integers(0, 6, n) + np.round(y),
            "w": rng.choice(["p", "q", "r"], n).astype(object),
            "z": np.where(rng.random(n) < 0.7, y > 10, rng.random(n) < 0.5).astype(str),
        }
    )
    frame["z"] = frame["z"].astype(object)
    return frame.mask(rng.random(frame.shape) < missing), y


def fitted(kind, frame, y, **fit):
    return clone(MODELS[kind]).fit(frame, y, **fit)


@few
@given(seeds, kinds)
def test_all_answers_are_read_off_one_distribution(seed, kind):
    frame, y = draw(seed)
    new, truth = draw(seed + 1, n=15)
    model = fitted(kind, frame, y)
    distribution = model.predict_distribution(new)
    model.set_params(statistic="mean")
    np.testing.assert_allclose(model.predict(new), distribution.mean(), rtol=1e-9)
    quantiles = model.predict_quantiles(new, [0.05, 0.5, 0.95])
    np.testing.assert_allclose(
        distribution.cdf(quantiles), np.tile([0.05, 0.5, 0.95], (15, 1)), atol=1e-7
    )
    np.testing.assert_allclose(model.predict_interval(new, 0.9), quantiles[:, [0, 2]])
    inside = (quantiles[:, 0] <= truth) & (truth <= quantiles[:, 2])
    assert model.measure_coverage(new, truth, [0.9])["coverage"][0] == inside.mean()


@few
@given(seeds, kinds)
def test_explanations_add_up_to_the_mean_and_the_variance(seed, kind):
    frame, y = draw(seed)
    new, _ = draw(seed + 1, n=6)
    model = fitted(kind, frame, y)
    records, distribution = model.explain(new), model.predict_distribution(new)
    added = records["shift"].reshape(6, -1).sum(axis=1)
    np.testing.assert_allclose(added, distribution.mean(), rtol=1e-9)
    added = records["variance"].reshape(6, -1).sum(axis=1)
    np.testing.assert_allclose(added, distribution.var(), rtol=1e-7, atol=1e-9)
    assert records["column"][:5].tolist() == ["(prior)", "u", "v", "w", "z"]
    if model.missing == "ignore":
        silent = np.array([value is None for value in records["value"]])
        silent &= records["column"] != "(prior)"
        assert not records["shift"][silent].any()


@few
@given(seeds, kinds, st.sampled_from([(4.0, 0.0), (0.5, 0.0), (3.0, -7.0)]))
def test_units_of_the_target_and_of_columns_do_not_matter(seed, kind, change):
    scale, shift = change
    frame, y = draw(seed)
    new, _ = draw(seed + 1, n=15)
    before = fitted(kind, frame, y).predict(new)
    np.testing.assert_allclose(
        fitted(kind, frame, scale * y + shift).predict(new), scale * before + shift, rtol=1e-5
    )
    changed, new_changed = (f.assign(u=scale * f["u"] + shift) for f in (frame, new))
    np.testing.assert_allclose(fitted(kind, changed, y).predict(new_changed), before, rtol=1e-5)


@few
@given(seeds, kinds)
def test_weight_two_is_the_row_twice_and_the_order_of_rows_is_irrelevant(seed, kind):
    frame, y = draw(seed)
    new, _ = draw(seed + 1, n=15)
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, len(y))
    rows = rng.permutation(np.repeat(np.arange(len(y)), weights))
    weighted = fitted(kind, frame, y, sample_weight=weights).predict(new)
    repeated = fitted(kind, frame.iloc[rows], y[rows]).predict(new)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-6)


@few
@given(seeds, kinds)
def test_models_of_parts_add_up_to_the_model_of_the_whole(seed, kind):
    frame, y = draw(seed)
    new, _ = draw(seed + 1, n=15)
    whole = fitted(kind, frame, y)
    parts = [
        clone(MODELS[kind]).set_params(schema=whole.schema_).fit(frame[part], y[part])
        for part in (slice(0, 10), slice(10, 35), slice(35, None))
    ]
    np.testing.assert_allclose(sum(parts).predict(new), whole.predict(new), rtol=1e-9)
    stream = clone(MODELS[kind])
    for start in range(0, len(y), 20):
        stream.partial_fit(frame[start : start + 20], y[start : start + 20])
    assert np.isfinite(stream.predict(new)).all()
    given_schema = clone(MODELS[kind]).set_params(schema=whole.schema_)
    for start in range(0, len(y), 20):
        given_schema.partial_fit(frame[start : start + 20], y[start : start + 20])
    np.testing.assert_allclose(given_schema.predict(new), whole.predict(new), rtol=1e-9)


@pytest.mark.parametrize("kind", MODELS)
def test_a_column_without_a_known_cell_changes_nothing(kind):
    frame, y = draw(5)
    new, _ = draw(6, n=15)
    before = fitted(kind, frame, y).predict(new)
    wider, new_wider = (f.assign(empty=np.full(len(f), np.nan)) for f in (frame, new))
    after = fitted(kind, wider, y).predict(new_wider)
    np.testing.assert_allclose(after, before, rtol=1e-6)


@pytest.mark.parametrize("kind", MODELS)
def test_a_fitted_model_survives_pickling_and_its_schema_json(kind):
    frame, y = draw(7)
    model = fitted(kind, frame, y)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame)
    )
    assert Schema.from_dict(model.schema_.to_dict()) == model.schema_


@pytest.mark.parametrize("kind", MODELS)
def test_a_constant_target_is_predicted(kind):
    frame, y = draw(8)
    model = fitted(kind, frame, np.full(len(y), 7.0))
    np.testing.assert_allclose(model.predict(frame), 7.0, atol=1e-6)
    np.testing.assert_allclose(model.predict_distribution(frame).std(), 0.0, atol=1e-3)
