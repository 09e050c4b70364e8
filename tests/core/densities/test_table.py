"""Tables over codes: nominal columns, and densities of binned numeric ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts import LabelledRows
from bayfold.core.densities import Smoothing, estimate_nominal, estimate_numeric
from bayfold.core.densities.table import find_widths
from bayfold.core.discretize import merge_equal_frequency, merge_equal_width
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.frames import read_table
from bayfold.core.kernels.encode import FIRST_BIN, MISSING, UNSEEN
from bayfold.core.schema import NumericColumn, infer_schema

LAPLACE = Smoothing("additive", 1.0)


def columns_of_numbers():
    rng = np.random.default_rng(0)
    return {
        "normal": rng.normal(size=2000),
        "lognormal": rng.lognormal(0.0, 2.0, 2000),
        "ties": np.round(rng.normal(size=2000), 1),
        "integers": rng.integers(0, 7, 2000).astype(float),
        "mostly zero": np.where(rng.random(2000) < 0.9, 0.0, rng.normal(size=2000)),
        "with missing": np.where(rng.random(2000) < 0.3, np.nan, rng.normal(size=2000)),
        "two values": np.arange(2000.0) % 2,
    }


COLUMNS = columns_of_numbers()


def binned_term(values, method, n_bins, missing_is_value=False):
    table = read_table(values[:, None])
    schema = infer_schema(table, width_bins={0: n_bins} if method == "width" else None)
    group_of = np.random.default_rng(1).integers(0, 3, len(values)).astype(np.int32)
    counts = learn_statistics(LabelledRows(table, np.arange(3), group_of), schema).counts
    column, bounds = schema.columns[0], (counts.minimum[0], counts.maximum[0])
    fine = counts.tables[0]
    if method == "width":
        merge = merge_equal_width(column, *bounds, n_bins)
    else:
        merge = merge_equal_frequency(fine[FIRST_BIN:].sum(axis=1), n_bins)
    term = estimate_numeric(0, column, bounds, fine, merge, LAPLACE, missing_is_value)
    return term, column, bounds, fine


def integral(term, column, bounds, fine):
    """Of the density over the training range, piece by piece between the fine edges."""
    low, high = bounds
    inner = column.edges[(column.edges > low) & (column.edges < high)]
    ends = np.concatenate([[low], inner, [high]])
    codes = np.searchsorted(column.edges, (ends[1:] + ends[:-1]) / 2, side="right") + FIRST_BIN
    occupied = np.bincount(term.merge, fine[FIRST_BIN:].sum(axis=1)) > 0
    counts = occupied[term.merge[codes - FIRST_BIN]]  # where nobody was there is no evidence
    return np.exp(term.log_density[codes])[counts].T @ np.diff(ends)[counts]


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("method", ["width", "frequency"])
@pytest.mark.parametrize("n_bins", [1, 2, 10, 60])
def test_densities_integrate_to_one_over_the_training_range(name, method, n_bins):
    np.testing.assert_allclose(
        integral(*binned_term(COLUMNS[name], method, n_bins)), 1.0, rtol=1e-9
    )


@pytest.mark.parametrize("method", ["width", "frequency"])
def test_a_missing_cell_takes_its_share_of_the_density(method):
    term, *rest = binned_term(COLUMNS["with missing"], method, 10, missing_is_value=True)
    share = np.exp(term.log_table[MISSING])
    assert (share > 0.2).all()
    np.testing.assert_allclose(integral(term, *rest) + share, 1.0, rtol=1e-9)


@pytest.mark.parametrize("method", ["width", "frequency"])
def test_fine_bins_of_a_coarse_bin_say_the_same(method):
    term, *_ = binned_term(COLUMNS["normal"], method, 10)
    bins = term.log_table[FIRST_BIN:]
    for coarse in np.unique(term.merge):
        assert (np.ptp(bins[term.merge == coarse], axis=0) == 0).all()
    assert not term.log_table[MISSING].any()
    assert not term.log_table[UNSEEN].any()


@pytest.mark.parametrize("values", [np.full(9, 3.5), np.full(9, np.nan)])
def test_a_column_without_width_gives_no_evidence(values):
    term, *_ = binned_term(values, "width", 10)
    np.testing.assert_allclose(term.log_table, 0.0, atol=1e-15)


def test_widths_are_cut_to_the_training_range():
    column = NumericColumn("x", np.array([1.0, 2.0, 5.0]))
    merge = np.array([0, 1, 1, 2])
    assert find_widths(column, merge, 0.0, 9.0).tolist() == [1.0, 4.0, 4.0]
    assert find_widths(column, merge, 3.0, 6.0).tolist() == [1.0, 2.0, 1.0]  # the first has none


@given(
    st.lists(
        st.lists(st.integers(0, 20), min_size=2, max_size=2), min_size=FIRST_BIN + 1, max_size=8
    ),
    st.booleans(),
)
def test_nominal_tables_are_frequencies_of_the_categories(counts, missing_is_value):
    counts = np.array(counts, float)
    counts[UNSEEN] = 0.0
    log_table = estimate_nominal(0, counts, LAPLACE, missing_is_value).log_table
    used = [*range(FIRST_BIN, len(counts))] + [MISSING] * missing_is_value
    occurs = [code for code in used if counts[code].any()]
    silent = [code for code in range(len(counts)) if code not in occurs]
    assert not log_table[silent].any()
    if occurs:
        np.testing.assert_allclose(np.exp(log_table[occurs]).sum(axis=0), 1.0, rtol=1e-12)
