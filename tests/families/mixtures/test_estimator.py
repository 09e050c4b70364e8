"""What NaiveBayesMixture promises."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from bayfold import NaiveBayesMixture
from bayfold.errors import DataWarning
from tests.plain import with_bins

RNG = np.random.default_rng(0)
HIDDEN = RNG.integers(0, 2, 120)
FRAME = pd.DataFrame(
    {
        "height": np.where(RNG.random(120) < 0.1, np.nan, RNG.normal(170 + 20 * HIDDEN, 4)),
        "colour": np.where(RNG.random(120) < 0.1, None, np.where(HIDDEN == 1, "red", "blue")),
        "size": np.where(HIDDEN == 1, "small", RNG.choice(["small", "large"], 120)),
    }
)


def fit(n_components=2, **parameters):
    return NaiveBayesMixture(n_components, random_state=0, **parameters).fit(FRAME)


def test_groups_that_lie_apart_are_found():
    found = fit().predict(FRAME)
    agreement = np.mean(found == HIDDEN)
    assert max(agreement, 1 - agreement) > 0.97


def test_cross_validation_finds_their_number():
    rng = np.random.default_rng(0)
    apart = np.concatenate([rng.normal(-8, 1, (150, 2)), rng.normal(8, 1, (150, 2))])
    mixture = NaiveBayesMixture(random_state=0).fit(apart)
    assert mixture.n_components_ == 2
    assert list(mixture.held_out_log_likelihood_) == [1, 2, 3]
    assert max(mixture.held_out_log_likelihood_, key=mixture.held_out_log_likelihood_.get) == 2


def test_of_several_numbers_all_are_tried():
    mixture = fit(range(1, 5))
    assert sorted(mixture.held_out_log_likelihood_) == [1, 2, 3, 4]


def test_the_trace_ends_at_the_likelihood_of_the_model():
    mixture = fit(tol=1e-9)
    assert mixture.converged_
    assert len(mixture.log_likelihoods_) == mixture.n_iter_
    assert np.isclose(mixture.log_likelihoods_[-1], mixture.score(FRAME), atol=1e-6)


def test_too_few_iterations_are_said():
    assert not fit(max_iter=2, tol=0.0).converged_


@pytest.mark.parametrize(
    "numeric", ["gaussian", "equal_frequency", "equal_width", {"height": "gaussian"}]
)
def test_densities_are_those_of_the_trace(numeric):
    mixture = fit(**with_bins(numeric, 5), tol=1e-9)
    assert np.isclose(mixture.score(FRAME), mixture.log_likelihoods_[-1], atol=1e-5)
    assert np.isclose(mixture.score(FRAME), mixture.score_samples(FRAME).mean())


def test_probabilities_add_up_to_one_and_agree_with_the_prediction():
    mixture = fit(3)
    probability = mixture.predict_proba(FRAME)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(probability.argmax(axis=1), mixture.predict(FRAME))
    np.testing.assert_array_equal(mixture.predict(FRAME), fit(3).fit_predict(FRAME))


@pytest.mark.parametrize(
    "container", [pl.from_pandas, pa.Table.from_pandas, lambda f: f.to_numpy(object)]
)
def test_the_container_makes_no_difference(container):
    expected = fit().predict_proba(FRAME)
    found = (
        NaiveBayesMixture(2, random_state=0).fit(container(FRAME)).predict_proba(container(FRAME))
    )
    np.testing.assert_allclose(np.sort(found), np.sort(expected), atol=1e-3)


def test_a_weight_of_two_is_the_row_twice_and_of_zero_the_row_absent():
    weights = np.random.default_rng(3).integers(0, 3, len(FRAME))
    weighted = NaiveBayesMixture(2, random_state=0).fit(FRAME, sample_weight=weights)
    repeated = FRAME.loc[np.repeat(FRAME.index, weights)]
    plain = NaiveBayesMixture(2, random_state=0).fit(repeated)
    np.testing.assert_array_equal(weighted.score_samples(FRAME), plain.score_samples(FRAME))
    assert np.isclose(weighted.score(FRAME, sample_weight=weights), plain.score(repeated))
    assert np.isclose(weighted.bic(FRAME, sample_weight=weights), plain.bic(repeated))


@pytest.mark.parametrize("n_components", ["cv", 5])
def test_weights_count_as_rows_where_components_are_limited(n_components):
    """Three rows of weight 4 are twelve rows: enough for five components and for as long a search."""
    rows = np.array([[0.0], [1.0], [5.0]])
    folds = {"n_folds": 3} if n_components == "cv" else {}
    model = NaiveBayesMixture(n_components, random_state=0, **folds)
    weighted = clone(model).fit(rows, sample_weight=np.full(3, 4.0))
    repeated = clone(model).fit(np.repeat(rows, 4, axis=0))
    assert weighted.held_out_log_likelihood_ == repeated.held_out_log_likelihood_
    np.testing.assert_array_equal(weighted.weights_, repeated.weights_)


def test_a_column_without_a_known_cell_changes_nothing():
    empty = FRAME.assign(nothing=np.nan)
    with pytest.warns(DataWarning, match="'nothing' has no known cell"):
        mixture = NaiveBayesMixture(1).fit(empty)
    np.testing.assert_allclose(mixture.score_samples(empty), fit(1).score_samples(FRAME))


def test_unseen_and_missing_cells_say_nothing():
    mixture = fit()
    unknown = pd.DataFrame({"height": [np.nan], "colour": [None], "size": [None]})
    np.testing.assert_allclose(mixture.predict_proba(unknown)[0], mixture.weights_)
    assert np.isclose(mixture.score_samples(unknown)[0], 0.0)
    with pytest.warns(DataWarning, match="'colour' holds categories that did not occur"):
        odd = mixture.predict_proba(unknown.assign(colour="green"))
    np.testing.assert_allclose(odd[0], mixture.weights_)


def test_a_sample_is_like_the_table():
    mixture = fit()
    rows, components = mixture.sample(4000)
    drawn = rows.to_pandas()
    assert list(drawn.columns) == list(FRAME.columns)
    assert np.isclose(np.mean(components == 0), mixture.weights_[0], atol=0.03)
    assert abs(drawn["height"].mean() - FRAME["height"].mean()) < 1.0
    share = FRAME["colour"].value_counts(normalize=True)["red"]
    assert np.isclose((drawn["colour"] == "red").mean(), share, atol=0.04)
    again, _ = mixture.sample(4000, library="pandas")
    pd.testing.assert_frame_equal(drawn, again)


@pytest.mark.parametrize("numeric", ["gaussian", "equal_frequency", "equal_width"])
def test_a_sample_of_an_array_is_an_array(numeric):
    X = np.random.default_rng(1).normal(size=(200, 2)) * [1.0, 30.0]
    mixture = NaiveBayesMixture(2, numeric=numeric, random_state=0).fit(X)
    rows, components = mixture.sample(3000)
    assert rows.shape == (3000, 2)
    assert components.shape == (3000,)
    np.testing.assert_allclose(rows.std(axis=0), X.std(axis=0), rtol=0.3)


def test_the_model_knows_the_types_of_its_sample():
    frame = FRAME.assign(
        when=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(120), unit="D"),
        married=HIDDEN == 1,
    )
    mixture = NaiveBayesMixture(2, random_state=0).fit(frame)
    for library in ("pandas", "polars", "arrow", None):
        rows, components = mixture.sample(20, library)
        assert mixture.predict(rows).shape == components.shape
    assert mixture.sample(3, "pandas")[0]["when"].dtype.kind == "M"
    mixed = NaiveBayesMixture(2, random_state=0).fit(frame[["when", "height"]].to_numpy())
    assert mixed.predict(mixed.sample(5)[0]).shape == (5,)
    times = NaiveBayesMixture(2, random_state=0).fit(frame[["when"]].to_numpy())
    assert times.sample(5)[0].dtype.kind == "M"


def test_a_constant_column_is_sampled_as_it_is():
    X = np.stack([np.arange(10.0), np.full(10, 3.5)], axis=1)
    for numeric in ("gaussian", "equal_frequency"):
        rows, _ = NaiveBayesMixture(1, numeric=numeric, random_state=0).fit(X).sample(5)
        np.testing.assert_array_equal(rows[:, 1], 3.5)


def test_components_name_the_columns_that_make_them():
    records = fit().components_
    assert records.names == ["component", "share", "column", "typical", "weight"]
    assert set(records.where(component=0)["column"][:2]) == {"height", "colour"}
    assert (records["weight"] >= 0).all()
    typical = records.where(component=0, column="colour")["typical"][0]
    assert typical.split()[0] in ("red", "blue")


def test_spreads_of_times_are_durations():
    days = np.concatenate([np.arange(30), np.arange(1000, 1030)])
    frame = pd.DataFrame({"when": pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D")})
    typical = NaiveBayesMixture(2, random_state=0).fit(frame).components_["typical"].tolist()
    assert sorted(typical) == ["2020-01-15 ± 8.66 days", "2022-10-11 ± 8.66 days"]


def test_weights_of_an_explanation_add_up_to_the_log_odds():
    mixture = fit()
    records = mixture.explain(FRAME.head(4))
    probability = mixture.predict_proba(FRAME.head(4))
    for row in range(4):
        total = records.where(row=row)["weight"].sum()
        assert np.isclose(total, np.log(probability[row, 1] / probability[row, 0]))
    assert "component" in records.names


def test_bic_prefers_the_number_of_groups():
    scores = {k: fit(k).bic(FRAME) for k in (1, 2, 4)}
    assert min(scores, key=scores.get) == 2


def test_a_single_row_is_one_component():
    mixture = NaiveBayesMixture(random_state=0).fit([[1.0, 2.0]])
    assert mixture.n_components_ == 1
    assert np.isfinite(mixture.score([[1.0, 2.0]]))


def test_components_without_rows_are_left_away_with_a_warning():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    with pytest.warns(DataWarning, match="Only 2 of 5 components are left"):
        mixture = NaiveBayesMixture(5, random_state=0).fit(X)
    assert mixture.n_components_ == 2
    assert np.isfinite(mixture.score_samples([[0.0], [0.4]])).all()


def test_a_component_on_one_point_keeps_the_floor():
    X = np.concatenate([np.zeros((50, 1)), np.random.default_rng(0).normal(5, 1, (50, 1))])
    mixture = NaiveBayesMixture(2, numeric="gaussian", variance_floor=1e-4, random_state=0).fit(X)
    spread = 1.0 / mixture._predictor.model.terms[0].inverse_sd
    assert spread.min() >= 0.99 * X.std() * 1e-2


def test_order_of_rows_and_clones_change_nothing():
    mixture = fit(3)
    shuffled = FRAME.sample(frac=1.0, random_state=1)
    other = clone(mixture).fit(shuffled)
    np.testing.assert_array_equal(mixture.score_samples(FRAME), other.score_samples(FRAME))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, '`n_components` must be "cv", a whole number from 1, or several'),
        ({"n_components": "many"}, "`n_components` must be"),
        ({"n_components": []}, "`n_components` must be"),
        ({"n_components": [2, True]}, "`n_components` must be"),
        ({"n_components": 121}, "`n_components` must not exceed the number of rows, 120. Got 121"),
        (
            {"numeric": "mdl"},
            '`numeric` must be "auto", "gaussian", "equal_frequency" or "equal_width"',
        ),
        ({"numeric": {"weight": "gaussian"}}, "`numeric` must be given by columns of the table"),
        ({"n_bins": 0}, "`n_bins` must be a whole number from 1 to 254"),
        ({"smoothing": -1}, "`smoothing` must be"),
        ({"m": 0}, "`m` must be a number above zero"),
        ({"variance_floor": -1.0}, "`variance_floor` must be a number that is not negative"),
        ({"n_init": 0}, "`n_init` must be a whole number from 1"),
        ({"max_iter": 0}, "`max_iter` must be a whole number from 1"),
        ({"tol": -1.0}, "`tol` must be a number that is not negative"),
        ({"n_folds": 1}, "`n_folds` must be a whole number from 2"),
        (
            {"init": "kmeans"},
            '`init` must be "seeds", or for a given number of components an array',
        ),
        ({"n_components": 2, "init": np.ones((120, 3))}, r"Got \(120, 3\)"),
        ({"n_components": 2, "init": np.ones((121, 2))}, r"Got \(121, 2\)"),
        ({"n_components": 2, "init": np.zeros((120, 2))}, "Got 'only zeros in row 0'"),
        (
            {"n_components": 2, "init": np.full((120, 2), -1.0)},
            "Got 'a share that is negative or missing in row 0'",
        ),
        ({"n_components": 2, "init": [["a", "b"]] * 120}, "Got 'no array of numbers'"),
        ({"n_components": "cv", "init": np.ones((120, 2))}, "`init` must be"),
        ({"schema": 3}, "`schema` must be a bayfold Schema or None"),
        ({"categorical_features": ["weight"]}, "`categorical_features` must be given by columns"),
        ({"n_jobs": 0}, "`n_jobs` must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayesMixture(**parameters).fit(FRAME)


def test_bad_rows_and_weights_are_refused():
    with pytest.raises(ValueError, match="`sample_weight` must be positive for at least one row"):
        fit().fit(FRAME, sample_weight=np.zeros(len(FRAME)))
    for answer in (fit().score, fit().bic):
        with pytest.raises(ValueError, match="`sample_weight` must be positive for at least one"):
            answer(FRAME, sample_weight=np.zeros(len(FRAME)))
    with pytest.raises(ValueError, match="Got infinity in column 'x0'"):
        NaiveBayesMixture(1).fit([[np.inf], [1.0]])
    with pytest.raises(ValueError, match="`n_samples` must be a whole number from 1"):
        fit().sample(0)
