"""Datasets of the papers: rows that have a target."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from bayfold.datasets import load_dataset


@lru_cache(maxsize=4)
def read_frame(name: str, task: str) -> tuple[Any, np.ndarray]:
    """Predictors as an Arrow table, and the target; classes as words."""
    dataset = load_dataset(name, task=task)
    target = dataset.target
    frame = keep_declared(dataset.frame)
    if task == "regression":
        known = np.flatnonzero(~np.isnan(target))
        return frame.take(known), target[known]
    known = np.flatnonzero([label is not None for label in target])
    return frame.take(known), target[known].astype(str)


def keep_declared(frame: pa.Table) -> pa.Table:
    """The table with "=" before every label of a nominal column: by itself the library reads labels like "2" and "3"
    as numbers, and the files declare them to be none.
    """
    columns = []
    for column in frame.columns:
        whole = column.combine_chunks()
        if pa.types.is_dictionary(whole.type):
            labels = pa.array([f"={label}" for label in whole.dictionary.to_pylist()])
            whole = pa.DictionaryArray.from_arrays(whole.indices, labels)
        columns.append(whole)
    return pa.table(columns, names=frame.column_names)


@lru_cache(maxsize=4)
def read_dataset(name: str, task: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The same as a pandas table."""
    frame, target = read_frame(name, task)
    return frame.to_pandas(), target
