"""Pictures without a display."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = ("#08519c", "#c2500a", "#2a7f3e", "#7b4fa6", "#777777", "#b8860b", "#c43b6f")


def new_figure(
    width: float, height: float, columns: int = 1, rows: int = 1, **shared: Any
) -> tuple[Any, list[Any]]:
    """A figure, and its axes row by row."""
    figure, axes = plt.subplots(
        rows, columns, figsize=(width, height), layout="constrained", squeeze=False, **shared
    )
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25)
    return figure, list(axes.flat)


def save(figure: Any, path: Path) -> None:
    """Write and close."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
