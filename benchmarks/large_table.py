"""The table of the benchmarks of data larger than memory, written to Parquet a row group at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GROUP_ROWS = 1 << 18
NUMBERS, CATEGORIES = 10, (2, 12, 100, 1000)
TARGET = "y"


def generate(path: Path, n_rows: int, seed: int = 0) -> Path:
    """Write the file, a row group at a time; one that is there is left as it is."""
    if path.exists():
        return path
    aside, writer = path.with_suffix(".tmp"), None
    for start in range(0, n_rows, GROUP_ROWS):
        rng = np.random.default_rng([seed, start])
        table = draw_rows(rng, min(GROUP_ROWS, n_rows - start))
        writer = writer or pq.ParquetWriter(aside, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()
    return aside.rename(path)


def draw_rows(rng: np.random.Generator, n_rows: int) -> pa.Table:
    """Rows of two classes that differ in two numbers of three and in every second category."""
    y = (rng.random(n_rows) < 0.3).astype(np.int8)
    columns: dict[str, Any] = {}
    for j in range(NUMBERS):
        columns[f"number{j}"] = (rng.normal(size=n_rows) + 0.3 * (j % 3) * y).astype(np.float32)
    for j, n_labels in enumerate(CATEGORIES):
        codes = (rng.exponential(size=n_rows) * n_labels / 5).astype(np.int32) + y * (j % 2)
        labels = pa.array([f"label {k}" for k in range(n_labels)])
        columns[f"category{j}"] = pa.DictionaryArray.from_arrays(
            pa.array(np.minimum(codes, n_labels - 1)), labels
        )
    return pa.table({**columns, TARGET: y})
