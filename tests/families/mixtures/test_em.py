"""EM is what the library's own parts do when they take turns: score, count fractionally, derive."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from bayfold.core.densities import Smoothing
from bayfold.core.frames import read_table
from bayfold.core.schema import infer_schema
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.derive import Settings
from bayfold.families.mixtures.em import EMProblem, EMSettings
from bayfold.families.mixtures.model import count_components, count_memberships, derive_mixture
from bayfold.families.mixtures.rows import read_rows
from bayfold.families.mixtures.search import Search, best_number, find_held_out
from tests.laws.tables import draw_table

seeds = st.integers(0, 2**32 - 1)
methods = st.sampled_from(["gaussian", "equal_frequency", "equal_width"])


def make_rows(seed, method="gaussian", smoothing="laplace", n_rows=60, floor=1e-6):
    frame, _, rng = draw_table(seed, n_rows)
    table = read_table(frame)
    widths = {0: 4, 1: 4} if method == "equal_width" else {}
    schema = infer_schema(table, None, frozenset(), widths)
    every = range(len(schema.columns))
    given = Settings(
        dict.fromkeys(every, method),
        dict.fromkeys(every, 4),
        Smoothing.parse(smoothing),
        variance_floor=floor,
    )
    weights = rng.integers(1, 3, n_rows).astype(float)
    return read_rows(table, schema, weights, given), rng


@given(seeds, methods, st.sampled_from(["laplace", "m_estimate", "none", 0.3]), st.integers(1, 4))
@settings(max_examples=20)
def test_em_is_scoring_and_fractional_counting_in_turns(seed, method, smoothing, n_groups):
    rows, rng = make_rows(seed, method, smoothing)
    shares = rng.dirichlet(np.ones(n_groups), rows.n_rows)
    problem = EMProblem(rows, rows.weights)
    run = problem.run(problem.start_from(shares.T), EMSettings(max_iter=4, tolerance=0.0))
    trace = []
    for _ in range(len(run.trace)):
        model = derive_mixture(rows, count_memberships(rows, shares * rows.weights[:, None]))
        joint = Scorer(model, centred=False).score(rows.block)
        log_density = logsumexp(joint, axis=1)
        shares = np.exp(joint - log_density[:, None])
        trace.append(np.average(log_density, weights=rows.weights))
    unit = np.average(rows.log_unit, weights=rows.weights)
    np.testing.assert_allclose(run.trace + unit, trace, rtol=1e-9)
    np.testing.assert_allclose(problem.find_posteriors(run.terms)[0], shares, rtol=1e-6, atol=1e-9)


@given(seeds, methods, st.integers(1, 4))
@settings(max_examples=20)
def test_the_likelihood_never_falls(seed, method, n_groups):
    # a floor under the variance only narrows what is maximized over; smoothing would change what is
    rows, _ = make_rows(seed, method, "none", floor=1e-4)
    problem = EMProblem(rows, rows.weights)
    run = problem.fit(n_groups, EMSettings(3, 30, 0.0), np.random.RandomState(seed % 1000))
    assert (np.diff(run.trace) > -1e-9 * np.maximum(np.abs(run.trace[1:]), 1)).all()


@given(seeds, st.sampled_from(["laplace", "m_estimate", 0.3]))
@settings(max_examples=10)
def test_with_smoothing_em_goes_on_while_likelihood_and_prior_together_rise(seed, smoothing):
    rows, rng = make_rows(seed, "equal_width", smoothing)
    problem = EMProblem(rows, rows.weights)
    shares = rng.dirichlet(np.ones(3), rows.n_rows).T
    reached = []
    for n_iterations in range(1, 12):
        em = EMSettings(max_iter=n_iterations, tolerance=-np.inf)
        run = problem.run(problem.start_from(shares), em)
        prior = problem.anchor.pseudo @ run.terms.tables.sum(axis=1)
        reached.append(run.trace[-1] * problem.total + prior)
    assert (np.diff(reached) > -1e-9 * np.abs(reached[0])).all()


@given(seeds, methods)
@settings(max_examples=10)
def test_rows_are_put_in_an_order_of_their_own(seed, method):
    frame, _, rng = draw_table(seed, 40)
    mixed = frame.iloc[rng.permutation(40)].reset_index(drop=True)
    parts = []
    for each in (frame, mixed):
        table = read_table(each)
        schema = infer_schema(table)
        every = dict.fromkeys(range(len(schema.columns)), method)
        settings_ = Settings(every, dict.fromkeys(every, 4), Smoothing("additive", 1.0))
        parts.append(read_rows(table, schema, None, settings_))
    np.testing.assert_array_equal(parts[0].block.narrow, parts[1].block.narrow)
    np.testing.assert_array_equal(parts[0].block.values, parts[1].block.values)
    np.testing.assert_array_equal(parts[0].weights, parts[1].weights)


def test_a_subset_is_what_its_rows_alone_would_be():
    rows, _ = make_rows(5)
    chosen = np.arange(0, rows.n_rows, 2)
    part = rows.subset(chosen, rows.weights[chosen])
    left_out = np.zeros(rows.n_rows)
    left_out[chosen] = rows.weights[chosen]
    shares = np.random.default_rng(0).dirichlet(np.ones(2), rows.n_rows).T
    em = EMSettings(max_iter=5, tolerance=0.0)
    whole, alone = EMProblem(rows, left_out), EMProblem(part, part.weights)
    first = whole.run(whole.start_from(shares), em)
    second = alone.run(alone.start_from(shares[:, chosen]), em)
    np.testing.assert_allclose(first.trace, second.trace, rtol=1e-10)


def test_components_that_died_out_are_left_away_and_the_largest_comes_first():
    rows, _ = make_rows(6)
    problem = EMProblem(rows, rows.weights)
    shares = np.zeros((3, rows.n_rows))
    shares[0, :10], shares[2, 10:] = 1.0, 1.0
    counts = count_components(problem, problem.run(problem.start_from(shares), EMSettings()))
    assert len(counts.groups) == 2
    assert counts.totals[0] >= counts.totals[1]
    assert np.isclose(counts.n_rows, rows.weights.sum())


def test_the_search_stops_where_rows_left_out_become_less_likely():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(-6, 1, (80, 2)), rng.normal(6, 1, (80, 2))])
    table = read_table(X)
    schema = infer_schema(table)
    given_ = Settings({0: "gaussian", 1: "gaussian"}, {}, Smoothing("additive", 1.0))
    rows = read_rows(table, schema, None, given_)
    reported = []
    found = find_held_out(
        rows,
        Search(range(1, 20), True, 5),
        EMSettings(),
        np.random.RandomState(0),
        report=lambda number, value: reported.append((number, value)),
    )
    assert best_number(found) == 2
    assert list(found) == [1, 2, 3]
    assert dict(reported) == found


@given(seeds, st.integers(1, 3), st.integers(1, 2))
@settings(max_examples=10)
def test_a_grown_start_keeps_the_components_and_adds_new_ones(seed, n_groups, n_new):
    rows, _ = make_rows(seed)
    problem, rng = EMProblem(rows, rows.weights), np.random.RandomState(0)
    run = problem.fit(n_groups, EMSettings(2, 20), rng)
    grown = problem.start_grown(run, n_groups + n_new, rng)
    assert np.isclose(grown.totals.sum(), rows.weights.sum())
    assert (grown.totals[:n_groups] <= run.sums.totals + 1e-9).all()
    share = rows.weights.sum() / (2 * (n_groups + n_new))
    assert grown.totals[-1] >= share - 1e-9  # the last one took its rows after the others


def test_threads_change_nothing():
    rows, _ = make_rows(8, n_rows=120)
    search = Search([1, 2, 3], False, 4)
    one, two = (
        find_held_out(rows, search, EMSettings(), np.random.RandomState(3), n_threads)
        for n_threads in (1, 2)
    )
    assert one == two


@pytest.mark.parametrize("found", [{1: -2.0, 2: -1.0, 3: -1.0}, {2: -1.0}])
def test_of_equal_numbers_the_smallest_is_best(found):
    assert best_number(found) == 2


def test_a_search_reads_a_sample_of_a_long_table_evenly(monkeypatch):
    """In one column all rows of a bin stand together: a sample must not take the first bins only."""
    rng = np.random.default_rng(2)
    table = read_table(np.concatenate([rng.normal(-9, 1, 3000), rng.normal(9, 1, 3000)])[:, None])
    given_ = Settings({0: "gaussian"}, {}, Smoothing("additive", 1.0))
    rows = read_rows(table, infer_schema(table), None, given_)
    monkeypatch.setattr("bayfold.families.mixtures.search.SEARCH_ROWS", 100)
    found = find_held_out(rows, Search([1, 2, 3], False, 5), EMSettings(), np.random.RandomState(0))
    assert best_number(found) == 2
    whole = -np.log(2.0) - 0.5 * np.log(2.0 * np.pi * np.e)  # per row of the truth
    assert abs(found[2] - whole) < 0.3
