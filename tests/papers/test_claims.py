"""Claims are judged by what can decide them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from papers.frank1998 import claims
from papers.frank1998.protocol import NB, NEAREST
from papers.frank1998.run import count_lower
from papers.vilalta2003.dispersion import (
    draw_joints,
    find_entropy,
    measure_concentrated,
    measure_products,
)
from papers.vilalta2003.run import judge_products


def judge_level(better, worse):
    """What becomes of "level with nearest neighbours" by such a record."""
    record = pd.DataFrame(
        [[NB, NEAREST, better, worse, 32]],
        columns=["first", "second", "first_better", "second_better", "datasets"],
    )
    rules = [(claims.LEVEL, claims.is_level)]
    return claims.judge_record("level", {"table3": record}, "table3", (NB, NEAREST), rules).outcome


@pytest.mark.parametrize(
    ("better", "worse", "outcome"),
    [
        (0, 0, "not measured yet"),  # had been "reproduced": two repeats find no difference
        (0, 4, "not measured yet"),
        (11, 11, "reproduced"),
        (3, 15, "not reproduced"),
    ],
)
def test_methods_are_level_only_where_differences_were_found(better, worse, outcome):
    assert judge_level(better, worse) == outcome


def test_a_run_without_all_folds_is_judged_by_means():
    """Of two repeats hardly any t-test finds a difference, and no claim could be judged."""
    keys = pd.MultiIndex.from_product([[f"d{k}" for k in range(12)], [0, 1]])
    errors = pd.DataFrame({NB: np.arange(24) % 5, NEAREST: 2.0 + np.arange(24) % 3}, index=keys)
    found = count_lower(errors).set_index(["first", "second"])
    better, worse, counted = found.loc[(NB, NEAREST)]
    means = errors.groupby(level=0).mean()
    assert (better, worse) == (
        (means[NB] < means[NEAREST]).sum(),
        (means[NB] > means[NEAREST]).sum(),
    )
    assert counted == better + worse > claims.LEAST_DIFFERENCES


def test_products_of_marginals_are_the_flattest_distributions():
    found, near = measure_products(), measure_concentrated()
    assert judge_products({"products": found, "concentrated": near}).outcome == "reproduced"
    found.loc[3, "flatter"] = 0.01
    assert judge_products({"products": found, "concentrated": near}).outcome == "in part"
    assert (near.largest_gap > near.bound / 10).all()  # the bound says something
    joint = np.array([[0.4, 0.1, 0.0], [0.1, 0.1, 0.3]])
    drawn = draw_joints(np.random.default_rng(0), joint)
    np.testing.assert_allclose(drawn.sum(axis=2), np.tile(joint.sum(axis=1), (len(drawn), 1)))
    np.testing.assert_allclose(drawn.sum(axis=1), np.tile(joint.sum(axis=0), (len(drawn), 1)))
    assert np.ptp(find_entropy(drawn)) > 0.5  # they differ
