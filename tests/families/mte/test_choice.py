"""Pieces of the target, and choices that follow more than chance."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.counts.target_axis import moments_of_target
from bayfold.core.schema import infer_target
from bayfold.families.mte.fit import choose_better
from bayfold.families.mte.target_pieces import ROWS_PER_PIECE, cut_target

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 80), st.integers(1, 40), st.booleans())
def test_pieces_hold_enough_rows_and_their_means(seed, n, n_pieces, ties):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 6, n).astype(float) if ties else rng.normal(size=n)
    described = infer_target(y)
    cells = np.searchsorted(described.edges, y, side="right")
    cut = cut_target(described, moments_of_target(described, cells, y, None), n_pieces)
    assert cut.n_pieces <= n_pieces
    assert cut.n_pieces == 1 or cut.weights.min() >= ROWS_PER_PIECE
    assert cut.weights.sum() == n
    assert (np.diff(cut.edges) > 0).all()
    pieces = cut.piece_of[cells]
    for k in range(cut.n_pieces):
        mine = y[pieces == k]
        np.testing.assert_allclose(cut.means[k], mine.mean(), rtol=1e-9, atol=1e-9)
        assert cut.edges[k] <= mine.min() <= mine.max() <= cut.edges[k + 1]
    table = rng.random((3, described.n_bins))
    merged = [table[:, cut.piece_of == k].sum(axis=1) for k in range(cut.n_pieces)]
    np.testing.assert_allclose(cut.merge(table), np.stack(merged, axis=1))


def test_a_choice_changes_only_where_another_is_clearly_better():
    rng = np.random.default_rng(0)
    first, w = rng.random(50), np.ones(50)
    assert choose_better([first], w) == 0
    assert choose_better([first, first + 0.1, first - 0.1], w) == 2
    noisy = first - 0.02 + rng.normal(size=50)
    assert choose_better([first, noisy], w) == 0
    assert choose_better([first, first - 0.1, first - 0.2], w) == 2
