"""Blends of models that began in different ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bayfold.families.boosting.linear.start import GivenScores, blend_trees
from bayfold.families.boosting.rounds.cross_fit import CrossFit, fit_trees
from bayfold.families.boosting.rounds.distinct_rows import DistinctRows
from bayfold.families.boosting.rounds.task import (
    Task,
    make_log_loss,
    make_rate_loss,
    make_squared_loss,
)
from bayfold.families.boosting.settings import BoostSettings
from bayfold.families.boosting.starts.categories import Start
from tests.reference.boost import score_trees

START = Start(np.array([0.5, 0.5]))


def make_task(loss, n_rows=80, n_folds=4):
    rng = np.random.default_rng(0)
    codes = rng.integers(2, 8, (n_rows, 3)).astype(np.uint8)
    noisy = codes[:, 0] + 3 * rng.random(n_rows)
    labels = (noisy > 6).astype(np.int64)
    targets = noisy / 4.0 if loss.kind else np.empty(0)
    folds = np.arange(n_folds + 1) * (n_rows // n_folds)
    rows = DistinctRows(
        codes, np.empty((n_rows, 0), np.uint16), labels, targets, np.ones(n_rows), folds
    )
    return Task(rows, np.full(3, 8), np.ones(3, bool), loss, 3)


def grow(task, scores, n_rounds=40):
    beginning = GivenScores(START, task.loss, scores)
    return fit_trees(task, len(scores), beginning, BoostSettings(n_rounds=n_rounds, patience=15))


@pytest.mark.parametrize("loss", [make_log_loss(2), make_squared_loss(), make_rate_loss(1.5)])
def test_left_out_scores_are_those_of_the_trees_that_are_kept(loss):
    task = make_task(loss)
    begin = [np.full((80, 1), 0.1 * k) for k in range(4)]
    grown = grow(task, begin, n_rounds=200)
    trees, found = grown.trees, grown.score_left_out()
    assert trees.splits.shape[1] < len(trees.losses)  # rounds were run that are not kept
    for k in range(4):
        held = slice(*task.rows.folds[k : k + 2])
        codes, splits, values = task.rows.codes[held], trees.splits[k : k + 1], trees.values[k:][:1]
        expected = score_trees(codes, splits, values, [0.1 * k])
        np.testing.assert_allclose(found[held], expected, atol=1e-9)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_rows_of_a_rate_without_exposures_have_exposures_of_one(power):
    task = make_task(make_rate_loss(power))
    exposed = replace(task, rows=replace(task.rows, exposures=np.ones(80)))
    begin = [np.zeros((80, 1))] * 4
    without, ones = (grow(some, begin, n_rounds=5).trees for some in (task, exposed))
    np.testing.assert_array_equal(without.splits, ones.splits)
    np.testing.assert_array_equal(without.values, ones.values)
    np.testing.assert_array_equal(without.losses, ones.losses)


def test_a_blend_is_the_weighted_sum_of_its_parts():
    task = make_task(make_squared_loss())
    long = grow(task, [np.zeros((80, 1))] * 2).trees
    short = grow(task, [np.ones((80, 1))] * 3, n_rounds=5).trees
    blend = blend_trees([long, short], [0.3, 0.6], START)
    assert blend.splits.shape[:2] == (5, long.splits.shape[1])
    assert len(blend_trees([short, long], [0.3, 0.6], START).losses) == long.splits.shape[1]
    parts = [score_trees(task.rows.codes, t.splits, t.values, [0.0]) for t in (long, short, blend)]
    np.testing.assert_allclose(parts[2], 0.3 * parts[0] + 0.6 * parts[1])


def test_a_blend_of_one_is_itself():
    trees = grow(make_task(make_squared_loss()), [np.zeros((80, 1))] * 2).trees
    blend = blend_trees([trees], [1.0], trees.start)
    assert isinstance(blend, CrossFit)
    np.testing.assert_array_equal(blend.splits, trees.splits)
    np.testing.assert_array_equal(blend.values, trees.values)
