"""Peak extra memory of a fit; runs in a process of its own, one model each."""

from __future__ import annotations

from typing import Any

from benchmarks.data import make_numeric
from benchmarks.measure import peak_resident_bytes, peak_traced_bytes
from benchmarks.models import make_model

WARM_UP_ROWS = 30_000
"""More than are sampled for a schema, so that the warm-up runs every step of a large fit."""


def measure_fit_memory(model: str, n_rows: int) -> dict[str, Any]:
    """Peaks above what was resident before the fit, as shares of the float64 input."""
    small, small_y = make_numeric(WARM_UP_ROWS, 2)
    make_model(model).fit(small, small_y)  # compilation and thread pools are not the fit's
    X, y = make_numeric(n_rows, 2)
    resident = peak_resident_bytes(lambda: make_model(model).fit(X, y))
    traced = peak_traced_bytes(lambda: make_model(model).fit(X, y))
    return {
        "rows": n_rows,
        "model": model,
        "input_bytes": X.nbytes,
        "resident": None if resident is None else resident / X.nbytes,
        "traced": traced / X.nbytes,
    }
