"""Frequencies against the formulas, by exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayfold.core.densities import Smoothing, estimate_frequencies


def count_rows(n_groups):
    """Rows of counts; every second one of a value that does not occur."""
    row = st.lists(st.integers(0, 40), min_size=n_groups, max_size=n_groups)
    return st.lists(st.just([0] * n_groups) | row, min_size=1, max_size=8)


tables = st.integers(1, 4).flatmap(count_rows).map(lambda rows: np.array(rows, float))
strengths = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1), Fraction(2), Fraction(9)])
kinds = st.sampled_from(["additive", "m_estimate"])
all_kinds = st.sampled_from(["additive", "m_estimate", "shrinkage"])


def by_hand(counts, kind, strength):
    """Probabilities of the values that occur: rows of Fractions, None for the others."""
    whole = [[Fraction(int(n)) for n in row] for row in counts]
    seen = [row for row in whole if sum(row) > 0]
    V, n = len(seen), sum(map(sum, seen))
    n_c = [sum(row[c] for row in seen) for c in range(counts.shape[1])]

    def probability(row, c):
        p_v = (sum(row) + 1) / (n + V)  # Laplace's rule, so that it is never 0
        if n_c[c] == 0:
            return p_v
        if kind == "additive":
            return (row[c] + strength) / (n_c[c] + strength * V)
        return (row[c] + strength * p_v) / (n_c[c] + strength)

    return [[probability(row, c) for c in range(len(row))] if sum(row) else None for row in whole]


@given(tables, kinds, strengths)
def test_frequencies_follow_the_formulas(counts, kind, strength):
    log_p = estimate_frequencies(counts, Smoothing(kind, float(strength)))
    for found, expected in zip(log_p, by_hand(counts, kind, strength), strict=True):
        if expected is None:
            assert found.tolist() == [0.0] * len(found)  # nobody was there: no evidence
        else:
            np.testing.assert_allclose(np.exp(found), np.array(expected, float), rtol=1e-13)


@given(tables, all_kinds, strengths)
def test_each_group_sums_to_one_over_the_values_that_occur(counts, kind, strength):
    occurs = counts.sum(axis=1) > 0
    assume(occurs.any())
    p = np.exp(estimate_frequencies(counts, Smoothing(kind, float(strength))))[occurs]
    np.testing.assert_allclose(p.sum(axis=0), 1.0, rtol=1e-12)


@given(tables, all_kinds, st.randoms(use_true_random=False))
def test_names_and_order_of_values_and_groups_do_not_matter(counts, kind, random):
    smoothing = Smoothing(kind, 1.0)
    rows, groups = list(range(counts.shape[0])), list(range(counts.shape[1]))
    random.shuffle(rows)
    random.shuffle(groups)
    turned = estimate_frequencies(counts[rows][:, groups], smoothing)
    straight = estimate_frequencies(counts, smoothing)[rows][:, groups]
    np.testing.assert_allclose(turned, straight, rtol=1e-12, atol=1e-14)


def test_without_smoothing_the_impossible_stays_impossible():
    log_p = estimate_frequencies(np.array([[3.0, 0.0], [1.0, 2.0]]), Smoothing("additive", 0.0))
    assert log_p[0, 1] == -np.inf
    assert log_p[1, 1] == 0.0


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        ("shrinkage", Smoothing("shrinkage", 2.0)),
        ("laplace", Smoothing("additive", 1.0)),
        ("m_estimate", Smoothing("m_estimate", 3.0)),
        ("none", Smoothing("additive", 0.0)),
        ("laplace_declared", Smoothing("additive", 1.0, declared=True)),
        (None, Smoothing("additive", 0.0)),
        (0, Smoothing("additive", 0.0)),
        (0.5, Smoothing("additive", 0.5)),
    ],
)
def test_smoothing_is_read_from_names_and_numbers(given_as, expected):
    assert Smoothing.parse(given_as, m=3.0) == expected


@pytest.mark.parametrize("wrong", ["Laplace", -1, np.inf, np.nan, True, [1.0]])
def test_other_smoothing_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match="smoothing"):
        Smoothing.parse(wrong)


@given(tables)
def test_declared_values_share_in_laplaces_rule(counts):
    p = np.exp(estimate_frequencies(counts, Smoothing("additive", 1.0, declared=True)))
    expected = (counts + 1) / (counts.sum(axis=0) + len(counts))
    known = counts.sum(axis=0) > 0
    np.testing.assert_allclose(p[:, known], expected[:, known], rtol=1e-12)
    np.testing.assert_allclose(p.sum(axis=0), 1.0, rtol=1e-12)


def weigh(counts):
    """The evidence of each value for the second of two groups."""
    log_p = estimate_frequencies(counts, Smoothing("shrinkage", 2.0))
    return log_p[:, 1] - log_p[:, 0]


def test_a_rare_value_never_speaks_louder_than_a_frequent_one_without_rows_to_show():
    """Eight hundred meaningless categories beside four that are worth something (weights of +8 and -6 before)."""
    rng = np.random.default_rng(0)
    rare = rng.multinomial(1, [0.5, 0.5], 800) * 1.0
    weights = weigh(np.concatenate([[[350, 150], [300, 200], [200, 300], [150, 350]], rare]))
    np.testing.assert_allclose(weights[:4], [-0.85, -0.41, 0.41, 0.85], atol=0.08)
    assert np.abs(weights[4:]).max() < 0.41


def test_rare_values_of_a_column_that_decides_are_believed():
    """Where each frequent value has one group, a value of three rows of one group says much."""
    weights = weigh(np.array([[100.0, 0], [0, 100], [80, 0], [0, 60], [0, 3]]))
    assert weights[-1] > 1.5


def test_a_column_without_any_value_has_an_empty_table():
    """A nominal column that is all missing had stopped the default fit."""
    assert estimate_frequencies(np.zeros((0, 3)), Smoothing.parse("shrinkage", 2.0)).shape == (0, 3)
