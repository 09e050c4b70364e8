"""Columns of many categories where the target is one of two values."""

import numpy as np
import pandas as pd

from bayfold import BoostedNaiveBayesRegressor

N_CATEGORIES = 300


def draw(n_rows, seed):
    rng = np.random.default_rng(seed)
    category = rng.integers(0, N_CATEGORIES, n_rows)
    table = pd.DataFrame({"place": [f"p{k}" for k in category], "noise": rng.normal(size=n_rows)})
    return table, (category % 10 == 0).astype(float)


def log_loss(table, target, new_table, new_target):
    found = BoostedNaiveBayesRegressor().fit(table, target).predict(new_table)
    return -np.mean(np.log(np.where(new_target == 1, found, 1 - found)))


def test_a_copy_of_a_column_of_categories_takes_nothing_from_it():
    table, target = draw(6_000, 0)
    new_table, new_target = draw(6_000, 1)
    alone = log_loss(table, target, new_table, new_target)
    twice, new_twice = (t.assign(code="c" + t["place"]) for t in (table, new_table))
    assert alone < 0.002
    assert log_loss(twice, target, new_twice, new_target) < 1.5 * alone
