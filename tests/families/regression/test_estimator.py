"""The regressor's contract: what it refuses, what it leaves out, what it takes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayfold import NaiveBayesClassifier, NaiveBayesRegressor
from bayfold.errors import DataWarning, MergeError


def line(n=80):
    x = np.linspace(0.0, 1.0, n)
    return x[:, None], 5.0 * x


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bandwidth": "wide"}, '`bandwidth` must be "auto", "frank1998" or a number above zero'),
        ({"bandwidth": 0.0}, "`bandwidth` must be .* Got 0.0."),
        ({"bandwidth": True}, "`bandwidth` must be .* Got True."),
        (
            {"calibration": "cv"},
            '`calibration` must be "weights", "temperature" or None. Got \'cv\'',
        ),
        ({"statistic": "mode"}, '`statistic` must be "mean" or "median". Got \'mode\'.'),
        ({"missing": "drop"}, '`missing` must be "ignore" or "category". Got \'drop\'.'),
        ({"grid_size": 1}, '`grid_size` must be "distinct", None or a whole number from 2. Got 1.'),
        ({"grid_size": 10.5}, "`grid_size` must be .* Got 10.5."),
        ({"schema": "x"}, "`schema` must be a bayfold Schema or None. Got 'x'."),
        ({"n_jobs": 0}, "`n_jobs` must be None or a whole number that is not zero. Got 0."),
        ({"categorical_features": ["q"]}, "`categorical_features` must be given by columns"),
    ],
)
def test_bad_parameters_are_refused_by_fit_and_partial_fit(parameters, message):
    X, y = line()
    for learn in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=message):
            getattr(NaiveBayesRegressor(**parameters), learn)(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"] * 40, "`y` must hold numbers. Got 'a'. Convert it to numbers, or use a classifier."),
        ([None] * 80, "`y` must have at least one known entry."),
        ([np.inf, 1.0] * 40, "`y` must be finite or missing. Input y contains infinity"),
        (np.ones((80, 2)), "y should be a 1d array"),
        (np.ones(3), "`y` must have one entry per row of `X`."),
        (None, "requires y to be passed"),
    ],
)  # fmt: skip
def test_bad_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayesRegressor().fit(line()[0], y)


def test_a_classifiers_schema_is_refused():
    X, y = line()
    schema = NaiveBayesClassifier().fit(X, y > 2).schema_
    with pytest.raises(ValueError, match="`schema` must be one with the cells of a numeric target"):
        NaiveBayesRegressor(schema=schema).fit(X, y)


def test_bad_questions_are_refused():
    X, y = line()
    model = NaiveBayesRegressor().fit(X, y)
    with pytest.raises(
        ValueError, match=r"`coverage` must be a number above 0 and below 1\. Got 2\."
    ):
        model.predict_interval(X, coverage=2)
    with pytest.raises(ValueError, match="`quantiles` must be a probability or a list"):
        model.predict_quantiles(X, [[0.5]])
    with pytest.raises(ValueError, match=r"`quantiles` must be .* Got \[1.5\]."):
        model.predict_quantiles(X, [1.5])
    with pytest.raises(ValueError, match="`coverage` must be"):
        model.measure_coverage(X, y, [0.0])
    model.set_params(statistic="mode")
    with pytest.raises(ValueError, match="`statistic` must be"):
        model.predict(X)


def test_rows_without_a_target_are_left_out_and_counted():
    X, y = line()
    y_missing = np.append(y, [np.nan, np.nan])
    with pytest.warns(DataWarning, match=r"2 row\(s\) have no target and were left out."):
        model = NaiveBayesRegressor().fit(np.append(X, [[9.0], [9.0]], axis=0), y_missing)
    np.testing.assert_array_equal(model.predict(X), NaiveBayesRegressor().fit(X, y).predict(X))
    objects = np.append(y.astype(object), [None, None])
    with pytest.warns(DataWarning, match="2 row"):
        again = NaiveBayesRegressor().fit(np.append(X, [[9.0], [9.0]], axis=0), objects)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_models_with_other_settings_or_cells_do_not_add():
    X, y = line()
    first = NaiveBayesRegressor().fit(X, y)
    with pytest.raises(MergeError, match="Got different bandwidth"):
        first + NaiveBayesRegressor(bandwidth=0.2, schema=first.schema_).fit(X, y)
    with pytest.raises(MergeError, match=r"different edges in column '\(target\)'"):
        first + NaiveBayesRegressor().fit(X, 2 * y)


def test_every_library_gives_the_same_model():
    rng = np.random.default_rng(0)
    data = {
        "size": rng.normal(size=90).tolist(),
        "kind": rng.choice(["a", "b"], 90).tolist(),
    }
    data["size"][3] = data["kind"][5] = None
    y = rng.normal(size=90)
    frames = [pd.DataFrame(data), pl.DataFrame(data), pa.table(data)]
    answers = [NaiveBayesRegressor().fit(frame, y).predict(frame) for frame in frames]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])
    assert NaiveBayesRegressor().fit(frames[0], y).feature_names_in_.tolist() == ["size", "kind"]


def test_an_unseen_category_and_a_missing_cell_say_nothing():
    frame = pd.DataFrame({"kind": ["a", "b", "c"] * 30})
    y = np.tile([1.0, 2.0, 3.0], 30) + np.linspace(0, 0.1, 90)
    model = NaiveBayesRegressor().fit(frame, y)
    with pytest.warns(DataWarning, match="did not occur in training: 'd'"):
        found = model.predict(pd.DataFrame({"kind": ["d", None]}))
    np.testing.assert_allclose(found[0], found[1])
    np.testing.assert_allclose(found[0], y.mean(), atol=0.05)


def test_columns_that_repeat_others_are_believed_less():
    rng = np.random.default_rng(1)
    y = rng.normal(size=300)
    seen = y + 0.5 * rng.normal(size=300)
    X = np.c_[seen, seen, seen, rng.normal(size=300)]
    model = NaiveBayesRegressor().fit(X, y)
    assert model.column_weights_.shape == (4,)
    assert model.column_weights_[:3].sum() < 1.8  # three copies say little more than one
    plain = NaiveBayesRegressor(calibration=None).fit(X, y)
    new = y + 0.5 * rng.normal(size=300)
    repeated = np.c_[new, new, new, rng.normal(size=300)]
    assert np.mean((model.predict(repeated) - y) ** 2) < np.mean((plain.predict(repeated) - y) ** 2)
    assert plain.column_weights_.tolist() == [1.0] * 4


def test_a_target_with_few_values_can_be_its_own_grid():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 200).astype(float)
    X = (y + rng.normal(size=200))[:, None]
    for bandwidth in ("auto", "frank1998"):
        model = NaiveBayesRegressor(bandwidth=bandwidth, calibration=None, grid_size="distinct")
        model.fit(X, y)
        np.testing.assert_allclose(model.grid_, [0.0, 1.0, 2.0], atol=1e-12)


def test_the_median_is_the_middle_of_the_distribution():
    X, y = line()
    model = NaiveBayesRegressor(statistic="median").fit(X, y**3)
    np.testing.assert_allclose(model.predict(X), model.predict_quantiles(X, 0.5))


def test_beyond_twenty_thousand_rows_bins_stand_for_rows():
    rng = np.random.default_rng(3)
    X = rng.random((25_000, 2))
    y = X[:, 0] + 0.05 * rng.normal(size=25_000)
    for bandwidth in ("auto", "frank1998"):
        model = NaiveBayesRegressor(bandwidth=bandwidth, calibration=None).fit(X, y)
        assert np.sqrt(np.mean((model.predict(X[:500]) - X[:500, 0]) ** 2)) < 0.03


@pytest.mark.filterwarnings("ignore:Column 'x0' has a single value")
def test_targets_beyond_the_schemas_cells_move_the_outermost_cell():
    X, y = line(400)
    first = NaiveBayesRegressor().fit(X[:300], y[:300])
    assert first.predict([[1.0]])[0] < 4.2
    later = NaiveBayesRegressor(schema=first.schema_).fit(X[300:], y[300:])
    total = first + later
    assert total.grid_[-1] >= later.predict([[1.0]])[0] > 4.0


def flagged(share, n_rows, seed=0):
    rng = np.random.default_rng(seed)
    flag = (rng.random(n_rows) < share).astype(float)
    return flag, 100 * flag + rng.normal(size=n_rows)


@pytest.mark.parametrize(("share", "n_rows"), [(0.01, 1000), (0.002, 3000)])
def test_a_rare_flag_is_believed_like_a_category(share, n_rows):
    flag, y = flagged(share, n_rows)
    as_number = NaiveBayesRegressor().fit(flag[:, None], y)
    as_category = NaiveBayesRegressor().fit(pd.DataFrame({"x0": flag.astype(str)}), y)
    found = as_number.predict([[0.0], [1.0]])
    np.testing.assert_allclose(found, [0.0, 100.0], atol=1.5)
    labels = pd.DataFrame({"x0": ["0.0", "1.0"]})
    # folds that weights are judged by are dealt by hashes, which differ
    np.testing.assert_allclose(found, as_category.predict(labels), atol=1e-3)
    assert as_number.bandwidths_[0, 0] < 0.25


def test_few_levels_need_no_order():
    rng = np.random.default_rng(0)
    level = rng.choice(3, 600, p=[0.9, 0.05, 0.05])
    y = np.array([0.0, 50.0, 10.0])[level] + rng.normal(size=600)
    model = NaiveBayesRegressor().fit(level[:, None].astype(float), y)
    np.testing.assert_allclose(model.predict([[0.0], [1.0], [2.0]]), [0.0, 50.0, 10.0], atol=1.0)


def test_neighbouring_values_that_repeat_help_each_other():
    rng = np.random.default_rng(0)
    age = rng.integers(0, 60, 400).astype(float)
    y = np.sin(age / 15) + 0.5 * rng.normal(size=400)
    at = np.arange(60.0)[:, None]
    smooth = NaiveBayesRegressor().fit(age[:, None], y).predict(at)
    apart = NaiveBayesRegressor(categorical_features=[0]).fit(age[:, None], y).predict(at)
    truth = np.sin(at[:, 0] / 15)
    assert np.std(smooth - truth) < 0.8 * np.std(apart - truth)


@pytest.mark.parametrize("share", [0.05, 0.6])
def test_zeros_among_numbers_are_a_value_of_their_own(share):
    rng = np.random.default_rng(1)
    zero = rng.random(1500) < share
    x = np.where(zero, 0.0, 0.05 + rng.exponential(size=1500))
    y = np.where(zero, 50.0, x) + rng.normal(size=1500)
    model = NaiveBayesRegressor().fit(x[:, None], y)
    # an error of 6 before, and of 50 next to zero
    np.testing.assert_allclose(model.predict([[0.0], [0.08], [1.0]]), [50.0, 0.1, 1.0], atol=0.7)


def test_a_column_that_names_rows_has_no_weight():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    y = frame["a"] + frame["b"] + 0.5 * rng.normal(size=400)
    names = np.array([f"row {i}" for i in range(400)])
    with pytest.warns(DataWarning, match="names"):
        model = NaiveBayesRegressor().fit(frame.assign(names=names), y)
    assert model.column_weights_[2] == 0.0
    shuffled = frame.assign(names=rng.permutation(names))
    plain = NaiveBayesRegressor().fit(frame, y).predict(frame)
    np.testing.assert_allclose(model.predict(shuffled), plain, atol=0.2)


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_units_of_the_target_do_not_matter(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=150)
    plain, scaled = NaiveBayesRegressor().fit(X, y), NaiveBayesRegressor().fit(X, unit * y)
    np.testing.assert_allclose(scaled.predict(X) / unit, plain.predict(X), atol=1e-3)
    found, expected = scaled.predict_interval(X) / unit, plain.predict_interval(X)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_grid_points_that_share_a_number_are_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.exp(40 * (X[:, 0] + 0.3 * rng.normal(size=150)))  # over sixty orders of magnitude
    model = NaiveBayesRegressor().fit(X, y)
    assert len(np.unique(model.grid_)) >= len(model.grid_) - 2  # the smallest count as one, an atom
    low, middle, high = model.predict_quantiles(X, [0.05, 0.5, 0.95]).T
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert np.isfinite(model.predict(X)).all()


def test_an_atom_of_the_target_is_an_atom_of_its_distributions():
    """Intervals of claims were [-294, -1]: zero, which 95 % of the rows were, was not in them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = (rng.random(3000) < 0.05) * np.exp(7 + rng.normal(size=3000))
    model = NaiveBayesRegressor().fit(X, y)
    found = model.predict_distribution(X)
    np.testing.assert_array_equal(found.cdf(-1e-9), 0.0)
    assert abs(found.cdf(0.0).mean() - (y == 0).mean()) < 0.01
    np.testing.assert_allclose(found.pdf(0.0), found.cdf(0.0))
    low, high = found.interval(0.8).T
    assert (low == 0).all()
    assert (high == 0).mean() > 0.999  # a row far from all others may have a smaller atom
    assert abs(model.predict(X).mean() - y.mean()) < y.std() / np.sqrt(len(y))
    drawn = found.sample(500, random_state=0)
    np.testing.assert_allclose(drawn.mean(), found.mean().mean(), rtol=0.1)


def test_a_cap_and_rounded_values_are_atoms():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 2))
    signal = X[:, 0] + 0.5 * rng.normal(size=2000)
    capped = NaiveBayesRegressor().fit(X, np.minimum(signal, 0.7)).predict_distribution(X)
    np.testing.assert_array_equal(capped.cdf(0.7), 1.0)
    assert abs(1 - capped.cdf(0.7 - 1e-9).mean() - (signal > 0.7).mean()) < 0.05
    rounded = NaiveBayesRegressor().fit(X, np.rint(signal))
    assert set(rounded.predict_quantiles(X).ravel()) <= set(np.rint(signal))


def test_a_schema_written_as_a_dict_keeps_the_atoms_of_its_target():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 2))
    y = (rng.random(2000) < 0.3) * np.exp(1 + X[:, 0])
    model = NaiveBayesRegressor().fit(X, y)
    assert model.schema_.target.atoms.tolist() == [0.0]
    schema = type(model.schema_).from_dict(model.schema_.to_dict())
    again = NaiveBayesRegressor(schema=schema).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
