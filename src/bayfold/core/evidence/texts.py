"""Cells of records as text."""

from __future__ import annotations

import numpy as np


def show_texts(column: np.ndarray) -> list[str]:
    """The cells of a column: numbers to three places unless all are whole, nothing for what is not known."""
    if column.dtype.kind == "f":
        whole = np.isfinite(column) & (column == np.round(column))
        plain = (whole | np.isnan(column)).all() and whole.any()
        texts = [f"{value:g}" if plain else f"{value:.3f}" for value in column]
        return ["" if text == "nan" else text for text in texts]
    return ["" if value is None else str(value) for value in column]


def pad_texts(texts: list[str], right: bool) -> list[str]:
    """All as wide as the widest."""
    width = max(len(text) for text in texts)
    return [text.rjust(width) if right else text.ljust(width) for text in texts]
