"""Tests of significance against scipy and published values."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bayfold.evaluate import compare_pairs, friedman_test, paired_t_test, sign_test

PUBLISHED = Path(__file__).parents[2] / "papers/published/fernandez2008_table2_srmse.csv"


@pytest.mark.parametrize(
    ("wins", "losses", "p"), [(14, 11, 0.3450), (20, 5, 0.0020), (19, 6, 0.0073)]
)
def test_the_sign_tests_of_the_paper(wins, losses, p):
    assert round(sign_test(wins, losses), 4) == p


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_sums_the_binomial(wins, losses):
    n = wins + losses
    expected = sum(math.comb(n, k) for k in range(wins, n + 1)) / 2**n if n else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="`wins and losses` must be counts that are not negative"):
        sign_test(-1, 3)
    with pytest.raises(ValueError, match=r"counts that are not negative\. Got \(2\.5, 1\)"):
        sign_test(2.5, 1)


def test_pairs_are_counted_both_ways():
    records = compare_pairs({"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 2.0, 1.0, 8.0]})
    first, second = records.where(model="a"), records.where(model="b")
    assert (first["wins"][0], first["losses"][0], first["ties"][0]) == (2, 1, 1)
    assert (second["wins"][0], second["losses"][0]) == (1, 2)
    assert first["sign_p"][0] == 0.5
    assert first["mean_difference"][0] == -0.75
    assert first["mean_ratio"][0] == pytest.approx((0.5 * 1 * 3 * 0.5) ** 0.25)
    assert first["mean_ratio"][0] * second["mean_ratio"][0] == pytest.approx(1)


def test_unequal_lengths_are_refused():
    with pytest.raises(
        ValueError, match="`errors_of` must be one error per dataset for every model"
    ):
        compare_pairs({"a": [1.0, 2.0], "b": [1.0]})
    with pytest.raises(ValueError, match="`errors_of` must be one error per dataset"):
        compare_pairs({"a": [], "b": []})


def test_a_missing_error_is_no_tie():
    message = r"The errors of `b` must be finite\. Got 1 that are not"
    with pytest.raises(ValueError, match=message):
        compare_pairs({"a": [1.0, 2.0], "b": [np.nan, 1.0]})
    with pytest.raises(ValueError, match=message):
        friedman_test({"a": [1.0, 2.0], "b": [np.nan, 1.0], "c": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"The errors of `second` must be finite"):
        paired_t_test([1.0, 2.0], [np.inf, 1.0])


def test_less_than_two_models_are_refused():
    with pytest.raises(ValueError, match=r"`errors_of` must be about at least two models"):
        compare_pairs({"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match="`errors_of` must be a dict from names to errors"):
        compare_pairs([[1.0, 2.0], [2.0, 1.0]])


@given(st.integers(0, 2**32 - 1), st.integers(2, 20))
def test_the_t_test_is_scipy_s(seed, n):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n)
    expected = stats.ttest_rel(a, b)
    found = paired_t_test(a, b)
    np.testing.assert_allclose(found["t"][0], expected.statistic)
    np.testing.assert_allclose(found["p"][0], expected.pvalue)
    corrected = paired_t_test(a, b, test_share=1 / 3)
    # Nadeau & Bengio: the variance of the mean is s^2 (1/n + share / (1 - share)) instead of s^2 / n
    np.testing.assert_allclose(corrected["t"][0], found["t"][0] / np.sqrt(1 + n / 2))
    assert corrected["p"][0] >= found["p"][0]


def test_equal_scores_do_not_differ_and_a_constant_gap_does():
    assert paired_t_test([1.0, 2.0], [1.0, 2.0])["p"][0] == 1.0
    assert paired_t_test([1.0, 2.0], [2.0, 3.0])["p"][0] == 0.0


@pytest.mark.parametrize(
    ("first", "second", "share", "message"),
    [
        ([1.0], [2.0], None, "`first and second` must be two rows of at least two numbers"),
        ([1.0, 2.0], [2.0], None, "`first and second` must be two rows"),
        (
            [1.0, 2.0],
            [2.0, 3.0],
            1.5,
            "`test_share` must be None or a number above 0 and below 1. Got 1.5",
        ),
    ],
)
def test_bad_t_tests_are_refused(first, second, share, message):
    with pytest.raises(ValueError, match=message):
        paired_t_test(first, second, share)


def test_friedman_on_the_example_of_demsar():
    """Table 6 of Demsar (2006): C4.5 with and without tuning on 14 datasets.

    One tie is broken in the last digit, as its ranks have it.
    """
    accuracy = np.array(
        [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ]
    )
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    ranks, pairs = friedman_test({name: 1 - accuracy[:, k] for k, name in enumerate(names)})
    np.testing.assert_allclose(ranks["mean_rank"], [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert ranks["critical_difference"][0] == pytest.approx(1.25, abs=0.01)
    assert len(pairs) == 6
    assert pairs.where(model="C4.5", against="C4.5+m")["p"][0] > 0.05
    expected = stats.friedmanchisquare(*accuracy.T)
    assert ranks["p"][0] == pytest.approx(expected.pvalue)


def test_friedman_on_two_models_is_the_test_of_fernandez_et_al():
    """Their Table 2: 24 errors of naive Bayes and of M5', p .6831."""
    table = np.genfromtxt(PUBLISHED, delimiter=",", skip_header=1, usecols=range(2, 8))
    naive_bayes, model_tree = table[0::2].ravel(), table[1::2].ravel()
    ranks, pairs = friedman_test({"naive Bayes": naive_bayes, "M5'": model_tree})
    assert ranks["p"].round(4).tolist() == [0.6831] * 2
    assert len(pairs) == 1
    wins = (naive_bayes < model_tree).sum()
    assert sorted([wins, 24 - wins]) == [11, 13]


@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(1, 9))
def test_the_friedman_test_is_scipy_s_with_ties_too(seed, n_models, n_datasets):
    values = np.random.default_rng(seed).integers(0, 3, (n_datasets, n_models)).astype(float)
    values[0] = range(n_models)  # scipy divides by zero where all are tied
    ranks, _ = friedman_test({str(k): column for k, column in enumerate(values.T)})
    expected = stats.friedmanchisquare(*values.T)
    assert ranks["statistic"][0] == pytest.approx(expected.statistic)
    assert ranks["p"][0] == pytest.approx(expected.pvalue)


@pytest.mark.filterwarnings("error")
def test_models_that_never_differ_have_no_difference():
    ranks, pairs = friedman_test({name: [0.1, 0.2] for name in "abc"})
    assert ranks["statistic"].tolist() == [0.0] * 3
    assert ranks["p"].tolist() == [1.0] * 3
    np.testing.assert_allclose(pairs["p"], 1.0)


def test_bad_friedman_tests_are_refused():
    with pytest.raises(ValueError, match="`errors_of` must be about at least two models"):
        friedman_test({"a": [1.0, 2.0]})
    three = {"a": [1.0, 2.0], "b": [1.0, 3.0], "c": [0.0, 1.0]}
    with pytest.raises(ValueError, match=r"`level` must be a number above 0 and below 1\. Got 2"):
        friedman_test(three, level=2)
