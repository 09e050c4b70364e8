"""The published tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).resolve().parents[1] / "published"


def read_published(name: str, index: str = "dataset") -> pd.DataFrame:
    """A published table, by dataset."""
    return pd.read_csv(FOLDER / f"{name}.csv").set_index(index)
