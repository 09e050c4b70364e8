"""Tables to measure on, made from a fixed seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

N_COLUMNS = 20
SEED = 20

STRING_CATEGORIES = (5, 8, 12, 20, 35, 50)
N_FLOATS = 10
MISSING_SHARE = 0.05


def make_classes(rng: np.random.Generator, n_rows: int, n_classes: int) -> np.ndarray:
    """Classes of unequal size, every one of them present."""
    share = np.linspace(1.0, 2.0, n_classes)
    y = rng.choice(n_classes, n_rows, p=share / share.sum())
    y[:n_classes] = np.arange(n_classes)
    return y


def make_numeric(
    n_rows: int, n_classes: int, shape: str = "normal"
) -> tuple[np.ndarray, np.ndarray]:
    """A float64 matrix of 20 columns whose means differ between classes.

    ``shape="skewed"`` makes every column log-normal: fine bins crowd near zero, which is the
    harder case for an encoder that looks bins up in a uniform grid.
    """
    rng = np.random.default_rng(SEED)
    y = make_classes(rng, n_rows, n_classes)
    # from a generator of their own: the problem is the same for every number of rows
    means = 0.3 * np.random.default_rng(SEED).standard_normal((n_classes, N_COLUMNS))
    X = np.empty((n_rows, N_COLUMNS))
    # block by block, so that no temporary of the table's size is left to blur the memory figures
    for start in range(0, n_rows, 10_000):
        block = X[start : start + 10_000]
        rng.standard_normal(out=block)
        block += means[y[start : start + 10_000]]
        if shape == "skewed":
            np.exp(block, out=block)
    return X, y


def make_mixed(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """10 float columns with 5 % missing, 6 string columns, 2 booleans, 2 integers; 2 classes."""
    rng = np.random.default_rng(SEED)
    y = make_classes(rng, n_rows, 2)
    columns: dict[str, Any] = {}
    for k in range(N_FLOATS):
        values = rng.standard_normal(n_rows) + 0.2 * k * y
        values[rng.random(n_rows) < MISSING_SHARE] = np.nan
        columns[f"float_{k}"] = values
    for n_categories in STRING_CATEGORIES:
        # the larger of two draws for the second class: later categories are more frequent in it
        draws = rng.integers(0, n_categories, (2, n_rows))
        position = np.where(y == 1, draws.max(axis=0), draws[0])
        names = np.array([f"value {k}" for k in range(n_categories)], dtype=object)
        columns[f"string_{n_categories}"] = names[position]
    for k in range(2):
        columns[f"flag_{k}"] = rng.random(n_rows) < 0.4 + 0.1 * y
        columns[f"count_{k}"] = rng.poisson(5 + y + 40 * k, n_rows)
    return pd.DataFrame(columns), y


def in_every_library(frame: pd.DataFrame) -> dict[str, Any]:
    """The same table as pandas, polars and pyarrow hold it, missing cells in each one's own way."""
    import polars as pl
    import pyarrow as pa

    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    # rechunked, because a frame read from a file or built in polars is contiguous too
    return {"pandas": frame, "polars": pl.from_arrow(arrow, rechunk=True), "pyarrow": arrow}
