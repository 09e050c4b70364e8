"""Random coded rows for tests of trees and boosting."""

from __future__ import annotations

import numpy as np

from bayfold.core.schema import NominalColumn, NumericColumn, Schema
from bayfold.families.trees.binning import BinnedRows, Binning
from bayfold.families.trees.rows import WeightedRows


def draw_rows(seed, n_rows=60, n_groups=2, missing=0.15, n_nominal=3, n_numeric=1, n_bins=3):
    """Rows whose group depends on two columns together, with missing cells, and their bins."""
    rng = np.random.default_rng(seed)
    nominal = [NominalColumn(f"n{j}", tuple("abcdefgh"[:n_bins])) for j in range(n_nominal)]
    edges = np.arange(1.0, n_bins)
    numeric = [NumericColumn(f"x{j}", edges) for j in range(n_numeric)]
    binning = Binning(Schema((*nominal, *numeric)))
    n_columns = n_nominal + n_numeric
    codes = rng.integers(2, 2 + n_bins, (n_rows, n_columns)).astype(np.uint8)
    group_of = (codes[:, 0].astype(int) + codes[:, -1]) % n_groups
    noisy = rng.random(n_rows) < 0.2
    group_of[noisy] = rng.integers(0, n_groups, noisy.sum())
    codes[rng.random(codes.shape) < missing] = 0
    weights = rng.integers(1, 4, n_rows).astype(float)
    rows = BinnedRows(codes, codes)
    return WeightedRows(rows, group_of.astype(np.int32), weights, n_groups), binning
