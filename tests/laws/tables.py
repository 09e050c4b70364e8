"""Random mixed tables for the laws of whole models."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

METHODS = ["smooth", "kernel", "mdl", "equal_frequency", "equal_width", "gaussian"]
seeds = st.integers(0, 2**32 - 1)
methods = st.sampled_from(METHODS)
densities = st.sampled_from(["auto", "smooth", "mdl", "kernel", "gaussian"])
calibrations = st.sampled_from(["weights", "temperature"])
missing_rules = st.sampled_from(["ignore", "category"])
smoothings = st.sampled_from(["laplace", "m_estimate", "none", 0.3])


def draw_table(seed, n_rows=40, n_classes=2, missing=0.2):
    """Two numeric and two nominal columns with missing cells; every class occurs twice at least."""
    rng = np.random.default_rng(seed)
    first = np.repeat(np.arange(n_classes), 2)[:n_rows]
    y = np.append(first, rng.integers(0, n_classes, n_rows - len(first)))
    frame = pd.DataFrame(
        {
            "u": rng.normal(y, 1.0),
            "v": rng.integers(0, 6, n_rows) + 2.0 * y,
            "w": rng.choice(["p", "q", "r"], n_rows).astype(object),
            "z": np.where(rng.random(n_rows) < 0.7, y, rng.integers(0, n_classes, n_rows)).astype(
                str
            ),
        }
    )
    frame["z"] = frame["z"].astype(object)
    return frame.mask(rng.random(frame.shape) < missing), y, rng
