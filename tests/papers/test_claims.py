"""Claims are judged by what can decide them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from papers.frank1998 import claims
from papers.frank1998.protocol import ERRORS, NB, NEAREST, TESTED_REPEATS
from papers.vilalta2003.dispersion import draw_joints, find_entropy, measure_products
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


def test_a_quick_run_has_repeats_that_can_be_tested():
    repeats = {unit.repeat for unit in ERRORS.plan(True) if unit.method == NB}
    assert repeats == set(range(TESTED_REPEATS))


def test_products_of_marginals_are_the_flattest_distributions():
    found = measure_products()
    assert judge_products({"products": found}).outcome == "reproduced"
    found.loc[3, "flatter"] = 0.01
    assert judge_products({"products": found}).outcome == "in part"
    joint = np.array([[0.4, 0.1, 0.0], [0.1, 0.1, 0.3]])
    drawn = draw_joints(np.random.default_rng(0), joint)
    np.testing.assert_allclose(drawn.sum(axis=2), np.tile(joint.sum(axis=1), (len(drawn), 1)))
    np.testing.assert_allclose(drawn.sum(axis=1), np.tile(joint.sum(axis=0), (len(drawn), 1)))
    assert np.ptp(find_entropy(drawn)) > 0.5  # they differ
