"""Shifts of predicted means, block by block."""

from __future__ import annotations

import numpy as np
import pytest

from bayfold import MTERegressor, NaiveBayesRegressor
from bayfold.core.evidence import shifts


@pytest.fixture(params=[NaiveBayesRegressor, MTERegressor])
def model_and_rows(request):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=200)
    return request.param().fit(X, y), X[:50]


def test_blocks_change_no_bit_and_terms_are_packed_once(model_and_rows, monkeypatch):
    model, rows = model_and_rows
    whole = model.explain(rows)
    packed = []

    class CountingScorer(shifts.Scorer):
        def __init__(self, *arguments, **named):
            packed.append(named["columns"])
            super().__init__(*arguments, **named)

    monkeypatch.setattr(shifts, "Scorer", CountingScorer)
    monkeypatch.setattr(shifts, "BLOCK_ENTRIES", 1)
    in_blocks = model.explain(rows)
    assert packed == [[0], [1], [2]]
    for name in whole.names:
        np.testing.assert_array_equal(whole[name], in_blocks[name])


def test_shifts_add_up_to_the_mean_and_variance(model_and_rows):
    model, rows = model_and_rows
    records, distribution = model.explain(rows), model.predict_distribution(rows)
    for name, expected in (("shift", distribution.mean()), ("variance", distribution.var())):
        total = records[name].reshape(len(rows), -1).sum(axis=1)
        np.testing.assert_allclose(total, expected, rtol=1e-9, atol=1e-12)
