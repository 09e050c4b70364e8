"""The truth of the demo table must be the truth of the rows that were drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from bayfold.datasets import make_credit

N_ROWS = 60_000


@pytest.fixture(scope="module")
def credit():
    return make_credit(N_ROWS, random_state=1)


def test_true_probability_is_the_frequency_of_default(credit):
    probability = credit.true_probability()
    is_default = credit.target == "default"
    order = np.argsort(probability)
    for rows in np.array_split(order, 20):
        expected = probability[rows].sum()
        sd = np.sqrt(np.sum(probability[rows] * (1 - probability[rows])))
        assert abs(is_default[rows].sum() - expected) < 4 * sd


def test_weights_and_prior_add_up_to_the_log_odds(credit):
    log_odds = credit.true_prior_log_odds + credit.true_weights().sum(axis=1)
    np.testing.assert_allclose(special.logit(credit.true_probability()), log_odds, atol=1e-9)


def test_likelihood_ratios_average_to_one_among_the_paid(credit):
    # E[p(v | default) / p(v | paid) | paid] = 1 for any pair of laws; the inverse likewise
    weights = credit.true_weights()
    for ratios in (
        np.exp(weights[credit.target == "paid"]),
        np.exp(-weights[credit.target == "default"]),
    ):
        standard_error = ratios.std(axis=0) / np.sqrt(len(ratios))
        assert np.all(np.abs(ratios.mean(axis=0) - 1) <= 5 * standard_error + 1e-12)


def test_columns_are_independent_given_the_class(credit):
    weights = credit.true_weights()[:, :-1]  # the last column is constant: its weight is 0
    for label in ("paid", "default"):
        rows = weights[credit.target == label]
        correlation = np.corrcoef(rows.T) - np.eye(rows.shape[1])
        assert np.abs(correlation).max() < 5 / np.sqrt(len(rows))


def test_weights_of_one_row_by_hand():
    row = {"income": [30_000.0], "homeowner": [True], "weekday": ["Mon"], "region": [None]}
    by_hand = stats.lognorm.logpdf(30_000, 0.50, scale=27_000) - stats.lognorm.logpdf(
        30_000, 0.45, scale=42_000
    )
    expected = [[by_hand, np.log(0.26 / 0.48), 0, 0]]
    np.testing.assert_allclose(make_credit(1).true_weights(row), expected)


def test_the_problem_is_moderately_hard(credit):
    said_default = credit.true_probability() > 0.5
    accuracy = np.mean(said_default == (credit.target == "default"))
    assert 0.84 < accuracy < 0.86


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_cells_are_missing_at_the_asked_rate(missing):
    credit = make_credit(5000, missing=missing)
    for name in credit.columns:
        count = credit.frame[name].null_count
        assert abs(count - 5000 * missing) <= 4 * np.sqrt(5000 * missing * (1 - missing))


def test_nothing_known_leaves_the_prior():
    credit = make_credit(10, missing=1.0)
    np.testing.assert_allclose(credit.true_probability(), 0.22)


def test_frame_and_columns_are_the_same_table(credit):
    small = make_credit(200)
    np.testing.assert_array_equal(small.true_weights(small.frame), small.true_weights())
    assert [str(t) for t in small.frame.schema.types] == ["double"] * 3 + ["string"] * 3 + [
        "bool",
        "string",
    ]


def test_same_seed_same_table():
    first, again, other = (make_credit(50, random_state=seed).frame for seed in (3, 3, 4))
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_rows": 0}, "`n_rows` must be a whole number from 1. Got 0."),
        ({"n_rows": 2.5}, "`n_rows` must be a whole number from 1. Got 2.5."),
        ({"missing": 1.5}, "`missing` must be a number from 0 to 1. Got 1.5."),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_credit(**arguments)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"shoe_size": [42]}, "`columns` must be among .*Got 'shoe_size'"),
        ({"region": ["moon"]}, r"`columns\['region'\]` must hold values .*Got 'moon'"),
        ({"age": [None, 7.0]}, r"`columns\['age'\]` must hold values .*Got 7.0"),
    ],
)
def test_rows_the_model_cannot_draw(columns, message):
    with pytest.raises(ValueError, match=message):
        make_credit(1).true_weights(columns)
