"""Gaussians from shifted sums against NumPy and SciPy on the values themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from bayfold.core.counts import LabelledRows
from bayfold.core.densities import Smoothing, estimate_gaussian
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.frames import read_table
from bayfold.core.schema import Coder, infer_schema
from bayfold.core.scoring import NaiveBayesModel, Scorer

FLOOR = 1e-9


def learn(values, group_of, weights=None, n_groups=None):
    table = read_table(values[:, None])
    n_groups = group_of.max() + 1 if n_groups is None else n_groups
    schema = infer_schema(table)
    rows = LabelledRows(table, np.arange(n_groups), group_of.astype(np.int32), weights)
    counts = learn_statistics(rows, schema, moment_columns=(0,)).counts
    return schema.columns[0], counts


def gaussian(values, group_of, weights=None, floor=FLOOR, n_groups=None):
    column, counts = learn(values, group_of, weights, n_groups)
    return estimate_gaussian(0, column, counts.moments[0], floor)


def three_groups(location=0.0, scale=1.0, n_rows=400):
    rng = np.random.default_rng(0)
    group_of = np.arange(n_rows) % 3
    values = location + scale * (rng.normal(size=n_rows) * (1 + group_of) + 2.0 * group_of)
    values[5:9] = np.nan
    return values, group_of


@pytest.mark.parametrize(("location", "scale"), [(0, 1), (1e9, 1), (-3e-5, 1e-7), (0, 1e120)])
def test_mean_and_variance_are_those_of_numpy(location, scale):
    values, group_of = three_groups(location, scale)
    term = gaussian(values, group_of)
    for g in range(3):
        of_group = values[(group_of == g) & ~np.isnan(values)]
        assert np.isclose(term.mean[g], of_group.mean(), rtol=1e-13, atol=1e-13 * scale)
        # 1e9 leaves nine digits to a standard deviation of one
        assert np.isclose(
            term.inverse_sd[g] ** -2.0, of_group.var(), rtol=1e-7 if location else 1e-11
        )


def test_the_term_is_the_log_density():
    values, group_of = three_groups()
    term = gaussian(values, group_of)
    x = np.linspace(-9.0, 9.0, 7)[:, None]
    found = term.log_constant - (term.inverse_sd * (x - term.mean)) ** 2 / 2
    np.testing.assert_allclose(found, norm.logpdf(x, term.mean, 1 / term.inverse_sd), rtol=1e-12)
    assert term.missing.tolist() == [0.0, 0.0, 0.0]


def test_weight_two_is_the_row_twice():
    values, group_of = three_groups()
    weights = 1.0 + np.arange(len(values)) % 4
    repeats = np.repeat(np.arange(len(values)), weights.astype(int))
    column, counts = learn(values, group_of, weights)
    _, repeated = learn(values[repeats], group_of[repeats])
    a = estimate_gaussian(0, column, counts.moments[0], FLOOR)
    schema_moments = gaussian(values[repeats], group_of[repeats])
    np.testing.assert_allclose(a.mean, schema_moments.mean, rtol=1e-12)
    np.testing.assert_allclose(a.inverse_sd, schema_moments.inverse_sd, rtol=1e-12)
    assert repeated.n_rows == counts.n_rows


def test_doubling_the_unit_shifts_every_group_alike():
    values, group_of = three_groups()
    term, doubled = gaussian(values, group_of), gaussian(2.0 * values, group_of)
    np.testing.assert_array_equal(doubled.mean, 2.0 * term.mean)
    np.testing.assert_array_equal(doubled.inverse_sd, term.inverse_sd / 2.0)
    np.testing.assert_allclose(doubled.log_constant, term.log_constant - np.log(2.0), rtol=1e-13)


def test_the_floor_is_a_share_of_the_columns_own_variance():
    values = np.append(np.full(50, 3.0), np.random.default_rng(1).normal(size=50))
    group_of = np.repeat([0, 1], 50)
    term = gaussian(values, group_of, floor=0.01)
    assert np.isclose(term.inverse_sd[0] ** -2.0, 0.01 * values.var(), rtol=1e-12)
    assert np.isclose(term.inverse_sd[1] ** -2.0, values[50:].var(), rtol=1e-12)


def test_a_group_without_a_known_cell_gets_the_distribution_of_all():
    values, group_of = three_groups()
    values[group_of == 1] = np.nan
    term = gaussian(values, group_of, n_groups=4)
    for g in (1, 3):
        assert np.isclose(term.mean[g], np.nanmean(values), rtol=1e-12)
        assert np.isclose(term.inverse_sd[g] ** -2.0, np.nanvar(values), rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 + 0.1, -1e-12])
def test_a_constant_column_gives_no_evidence(value):
    term = gaussian(np.full(99, value), np.arange(99) % 3)
    assert not term.inverse_sd.any()
    assert not term.constant.any()


def test_a_missing_cell_may_be_a_value_that_takes_its_share():
    values, group_of = three_groups()
    values[group_of == 2] = np.where(np.arange((group_of == 2).sum()) % 2, np.nan, 1.0)
    column, counts = learn(values, group_of)
    smoothing = Smoothing("additive", 1.0)
    missing = counts.tables[0][0]
    term = estimate_gaussian(0, column, counts.moments[0], FLOOR, missing, smoothing)
    plain = estimate_gaussian(0, column, counts.moments[0], FLOOR)
    np.testing.assert_allclose(np.exp(term.missing), (missing + 1) / (counts.totals + 2))
    # the density of the known cells is lowered by what the missing ones take
    known = np.exp(term.constant - plain.constant)
    np.testing.assert_allclose(known + np.exp(term.missing), 1.0, rtol=1e-12)


@pytest.mark.parametrize("power", [-600, 600])
def test_evidence_of_extreme_units_is_that_of_moderate_ones(power):
    values, group_of = three_groups()
    scores = []
    for column in (values, np.ldexp(values, power)):
        schema = infer_schema(read_table(column[:, None]))
        model = NaiveBayesModel(schema, np.zeros(3), (gaussian(column, group_of),))
        rows = Coder(schema).open(read_table(column[:, None])).block(0, len(column))
        scores.append(Scorer(model).score(rows))
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-12, atol=1e-12)
