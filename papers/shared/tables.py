"""Datasets of the papers: rows that have a target."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from bayfold.datasets import load_dataset


@lru_cache(maxsize=4)
def read_frame(name: str, task: str) -> tuple[Any, np.ndarray]:
    """Predictors as an Arrow table, and the target; classes as words."""
    dataset = load_dataset(name, task=task)
    target = dataset.target
    if task == "regression":
        known = np.flatnonzero(~np.isnan(target))
        return dataset.frame.take(known), target[known]
    known = np.flatnonzero([label is not None for label in target])
    return dataset.frame.take(known), target[known].astype(str)


@lru_cache(maxsize=4)
def read_dataset(name: str, task: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The same as a pandas table."""
    frame, target = read_frame(name, task)
    return frame.to_pandas(), target
