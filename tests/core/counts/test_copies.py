"""Copies are told from honest repeats by how often a row is to be expected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold import NaiveBayesClassifier, NaiveBayesMixture
from bayfold.core.counts import LabelledRows
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.expected_rows import FEWEST_UNITS, SHRINKAGE, ExpectedRows
from bayfold.core.frames import read_table


def units_of(X, y, weights=None):
    """Weights, units and share of the distinct rows of a table."""
    plain = NaiveBayesClassifier(calibration=None, numeric="smooth")
    statistics = plain.fit(pd.DataFrame(X), y, sample_weight=weights).statistics_
    sample = statistics.sample
    found = find_units(statistics.counts, sample.block(), sample.group_of, sample.weights)
    return sample.weights, found.units, found.share


@pytest.mark.parametrize("weight", [2, 3, 10, 2.5, 1000, 1e6])
def test_copies_of_measurements_are_one_unit(weight):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 4)), rng.integers(0, 2, 100)
    weights, units, share = units_of(X, y, np.full(100, float(weight)))
    assert (weights == weight).all()
    assert (units == 1).all()
    assert share == pytest.approx(1 / weight)


def test_a_factor_that_all_weights_have_in_common_is_no_matter():
    """However large it is beside the number of rows, which would expect themselves by their own weight."""
    rng = np.random.default_rng(7)
    X, y, own = rng.normal(size=(300, 4)), rng.integers(0, 2, 300), rng.integers(1, 4, 300) * 1.0
    _, units, share = units_of(X, y, own)
    _, same, less = units_of(X, y, own * 1000)
    np.testing.assert_array_equal(units, same)
    assert less == pytest.approx(share / 1000)


@pytest.mark.parametrize("kind", ["one more", "a hair more", "a single one", "survey"])
def test_large_weights_without_a_common_factor_are_copies_too(kind):
    """A row that is alone with the half of its columns expected w^2 / n of itself: some, if all weigh 1,000."""
    rng = np.random.default_rng(9)
    X, y, weights = rng.normal(size=(300, 6)), rng.integers(0, 2, 300), np.full(300, 1000.0)
    last = {"one more": 1001.0, "a hair more": 1000.0 * (1 + 1e-12), "a single one": 1.0}
    weights[-1] = last.get(kind, 1000.0)
    if kind == "survey":
        weights = rng.integers(12_000, 1_500_000, 300) * 1.0
    weights, units, share = units_of(X, y, weights)
    assert (units == 1).all()
    assert share * weights.sum() == pytest.approx(300)


def test_a_repeated_experiment_is_no_copied_table():
    """All combinations of five switches equally often, the class by two of them: each may be partly held out."""
    X = np.repeat(np.array(list(np.ndindex((2,) * 5))), 10, axis=0)
    weights, units, share = units_of(X.astype(str), X[:, 0] ^ X[:, 1])
    assert (weights == 10).all()
    assert (units > 1).all()
    assert share == 1.0


def test_repeats_in_a_coarse_table_are_dealt_in_many_units():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (1000, 3)).astype(str)
    weights, units, share = units_of(X, rng.integers(0, 2, 1000))
    assert len(weights) == 16
    assert units.min() > 40
    assert share > 0.8


def test_repeats_of_columns_that_depend_on_each_other_too():
    """Ten columns that are nearly one: if they were independent, no row would be expected twice."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, (400, 1))
    X = np.where(rng.random((400, 10)) < 0.02, 1 - truth, truth).astype(str)
    weights, units, _ = units_of(X, rng.integers(0, 2, 400))
    assert (units[weights > 30] > 15).all()


def places(n_places, n_rows, seed=0):
    """Places by their codes and their names, and classes that are likelier in some of them."""
    rng = np.random.default_rng(seed)
    place, chances = (
        rng.integers(0, n_places, n_rows),
        np.random.default_rng(0).beta(1, 1, n_places),
    )
    X = pd.DataFrame({"code": place, "name": place}).astype(str)
    return X, (rng.random(n_rows) < chances[place]).astype(int)


def test_rows_of_several_classes_are_repeats_however_the_columns_depend_on_each_other():
    weights, units, share = units_of(*places(100, 3000))
    assert (units == weights).all()
    assert share == 1.0


def test_combinations_of_several_classes_are_repeats_although_no_column_tells_another():
    """150 of 20,736 combinations of four columns: neither columns nor halves of them are independent."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (150, 4))[rng.integers(0, 150, 3000)].astype(str)
    weights, units, share = units_of(X, rng.integers(0, 2, 3000))
    assert (units == weights).all()
    assert share == 1.0


def test_rows_that_chance_made_more_frequent_count_in_full():
    """400 rows of 81 equally likely ones, each of one class: half of them would be lost."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (400, 4))
    _, _, share = units_of(X.astype(str), (X[:, 0] + X[:, 1]) % 2)
    assert share > 0.85


def test_a_copied_table_in_which_rows_of_several_classes_are_few_is_one_of_copies():
    rng = np.random.default_rng(8)
    X = np.vstack([rng.normal(size=(200, 4)), np.repeat(rng.normal(size=(10, 4)), 2, axis=0)])
    y = np.append(rng.integers(0, 2, 200), [0, 1] * 10)
    _, units, share = units_of(X, y, rng.integers(1, 5, 220).astype(float))
    assert (units == 1).all()
    assert share < 0.6


def test_a_name_beside_a_code_takes_nothing_away():
    """It halved no weight but ended all: the rows of a place were taken for copies, and held out together."""
    (X, y), (new, truth) = places(100, 5000), places(100, 5000, seed=1)
    alone = NaiveBayesClassifier().fit(X[["code"]], y).predict_proba(new[["code"]])
    both = NaiveBayesClassifier().fit(X, y).predict_proba(new)
    losses = [-np.log(p[np.arange(len(p)), truth]).mean() for p in (alone, both)]
    assert losses[1] < losses[0] + 0.002


def test_a_category_that_tells_all_others_is_as_frequent_as_its_rows():
    """Also where it tells the class, so that no rows that are alike differ in theirs."""
    X, _ = places(100, 3000)
    weights, units, share = units_of(X, X["code"].astype(int) % 3)
    assert (units == weights).all()
    assert share == 1.0


def test_what_a_category_tells_makes_no_row_rarer():
    """A place by its code, with its name, its country and a switch: as frequent as a place by its code and a switch."""
    rng = np.random.default_rng(12)
    code, switch = rng.integers(0, 60, 3000), rng.integers(0, 2, 3000)
    given = {"code": code, "switch": switch, "name": code, "country": code % 7}
    X, y = pd.DataFrame(given).astype(str), (code + 3 * switch) % 5 // 2
    _, units, share = units_of(X, y)
    _, same, as_much = units_of(X[["code", "switch"]], y)
    assert units.sum() == same.sum() > 1000
    assert share == as_much


@pytest.mark.parametrize(
    "draw", [lambda rng: np.full(200, 10.0), lambda rng: rng.poisson(1.0, 200) * 1.0]
)
def test_an_identifier_that_tells_all_categories_may_be_copied(draw):
    """All rows tenfold, or a bootstrap."""
    rng = np.random.default_rng(13)
    X = pd.DataFrame(rng.integers(0, 4, (200, 3)).astype(str), columns=list("abc"))
    X["id"] = [f"row {k}" for k in range(200)]
    weights, units, share = units_of(X, rng.integers(0, 2, 200), draw(rng))
    assert (units == 1).all()
    assert share * weights.sum() == pytest.approx(len(weights))


def test_an_identifier_beside_numbers_is_no_such_category():
    rng = np.random.default_rng(10)
    X = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc"))
    X["id"] = [f"row {k}" for k in range(100)]
    _, units, _ = units_of(X, rng.integers(0, 2, 100), rng.poisson(20, 100) + 1.0)
    assert (units == 1).all()


@pytest.mark.parametrize("n_classes", [4, 300])
def test_codes_of_a_single_column_have_room_for_all_groups(n_classes):
    """They take one byte: 64 categories later others of four classes began anew, and 300 classes were an error."""
    rng = np.random.default_rng(11)
    X, y = rng.integers(0, 200, (3000, 1)).astype(str), rng.integers(0, n_classes, 3000)
    plain = NaiveBayesClassifier(calibration=None).fit(X, y)
    counts, sample = plain.statistics_.counts, plain.statistics_.sample
    rows = ExpectedRows(counts, sample.block(), sample.group_of, sample.weights)
    every = np.arange(len(sample.weights))
    within, overall = counts.tables[0] / counts.totals, counts.tables[0].sum(axis=1) / 3000
    n, codes = np.bincount(sample.group_of), sample.block().codes(0)
    shares = (n * within + SHRINKAGE * overall[:, None]) / (n + SHRINKAGE)
    np.testing.assert_allclose(rows._find_share([0], every), shares[codes, sample.group_of])


def test_half_a_weight_is_half_a_row():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    _, units, share = units_of(X, y, np.full(50, 0.5))
    assert (units == 1).all()
    assert share == 1.0


def test_the_only_row_of_a_class_does_not_expect_itself():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 5)), np.append(np.zeros(59, int), 1)
    _, units, _ = units_of(X, y, np.full(60, 8.0))
    assert (units == 1).all()


def test_a_handful_of_rows_is_dealt_all_the_same():
    X, y = [["a", "b", "c", "d", "e"], ["f", "g", "h", "i", "j"]], [0, 1]
    _, units, _ = units_of(X, y, [200.0, 200.0])
    assert units.sum() >= FEWEST_UNITS


def test_the_order_of_columns_makes_no_difference():
    """Not even where all have the same shares: a, its copy, b, its copy."""
    rng = np.random.default_rng(5)
    half = np.arange(400) % 2
    y = rng.permutation(half)
    a, b = rng.permutation(half), np.where(rng.random(400) < 0.3, y, half)
    b[np.flatnonzero(b == 1)[: b.sum() - 200]] = 0
    b[np.flatnonzero(b == 0)[: 200 - b.sum()]] = 1
    X = np.stack([a, a, b, b], axis=1).astype(str)
    shares = {units_of(X[:, order], y)[2] for order in ([0, 1, 2, 3], [0, 2, 1, 3], [2, 0, 3, 1])}
    assert len(shares) == 1


@pytest.mark.parametrize("others", [0, 1])
def test_a_column_of_measurements_tells_copies_where_rows_differ_by_their_numbers(others):
    """Alone, or beside a column of two values, where zeros that many rows have are honest."""
    rng = np.random.default_rng(6)
    x = np.where(rng.random(300) < 0.3, 0.0, rng.normal(size=300))
    X = np.column_stack([x, rng.integers(0, 2, (300, others))])[np.repeat(np.arange(300), 4)]
    rows = NaiveBayesMixture()._prepare(LabelledRows.in_one_group(read_table(X)))
    zero = rows.block.values[:, 0] == 0
    assert (rows.units[~zero] == 1).all()
    honest = rows.weights[zero] / 4  # as many as there were before all rows were copied
    assert (rows.units[zero] <= honest).all()
    assert others == 0 or (rows.units[zero] > 0.8 * honest).all()


@pytest.mark.parametrize("n_rows", [100, 1000])
def test_all_equal_rows_of_a_coarse_table_count(n_rows):
    """Exclusive-or: the columns depend on each other so much that no product of shares expects its rows."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n_rows, 2))
    assert units_of(X.astype(str), X[:, 0] ^ X[:, 1])[2] == 1.0
