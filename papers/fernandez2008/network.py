"""A stand-in for mte50, which is not to be had: 50 rows drawn from a network of mixtures of truncated exponentials.

The paper drew its table from such a network: three numbers and a category. This one is ours: a target on four pieces,
and columns that are independent given the piece.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayfold import MTEDensity

ROWS = 50
TARGET = MTEDensity.from_intervals(
    [
        {"low": 0.0, "high": 4.0, "a0": 0.02, "a": [0.05], "b": [0.3]},
        {"low": 4.0, "high": 10.0, "a0": 0.01, "a": [0.5], "b": [-0.25]},
    ]
)
CUTS = (2.5, 4.0, 6.0)
"""Between the pieces of the target."""

RATES = ((-1.5, -0.5, 0.5, 1.5), (0.8, 0.3, -0.3, -0.8), (-0.6, 0.6, -0.6, 0.6))
"""Of each column of numbers, from 0 to 3, in each piece of the target."""

SHARES = ((0.7, 0.2, 0.1), (0.4, 0.4, 0.2), (0.2, 0.4, 0.4), (0.1, 0.2, 0.7))
"""Of the three categories in each piece."""


def draw_table(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Predictors and target."""
    rng = np.random.default_rng(seed)
    target = TARGET.ppf(rng.random(ROWS))
    piece = np.searchsorted(CUTS, target)
    columns: dict[str, object] = {}
    for k, rates in enumerate(RATES):
        densities = [
            MTEDensity.from_intervals([{"low": 0.0, "high": 3.0, "a0": 0.0, "a": [1.0], "b": [b]}])
            for b in rates
        ]
        uniform = rng.random(ROWS)
        columns[f"x{k}"] = [float(densities[p].ppf(u)) for p, u in zip(piece, uniform, strict=True)]
    labels = [rng.choice(["a", "b", "c"], p=SHARES[p]) for p in piece]
    columns["group"] = pd.Categorical(labels, categories=["a", "b", "c"])
    return pd.DataFrame(columns), target
