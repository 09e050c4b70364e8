"""Times as numbers."""

from __future__ import annotations

import numpy as np


def seconds(times: np.ndarray) -> np.ndarray:
    """Timestamps or durations of any unit as seconds, NaT as NaN.

    One unit for all sources, because pandas, polars and Arrow store the same column in different ones.
    """
    unit = np.datetime64(0, "s") if times.dtype.kind == "M" else np.timedelta64(0, "s")
    return (times - unit) / np.timedelta64(1, "s")
