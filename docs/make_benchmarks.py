"""Draws the picture of docs/benchmarks.md from the files in benchmarks/results.

``python -m docs.make_benchmarks``
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from bayfold.plot.canvas import COLOURS, QUIET
from benchmarks.readme import OVER_38, OVER_53, read_tables

OUTPUT = Path(__file__).parent / "images" / "benchmark_accuracy.png"


def read_means() -> list[tuple[str, dict[str, tuple[float, float]]]]:
    """Error in % and log-loss of the models, over two collections of datasets."""
    rows = {row["model"]: row for row in read_tables("accuracy")[0]}
    first = {n: (float(rows[k]["error %"]), float(rows[k]["log-loss"])) for n, k in OVER_53.items()}
    means = [row for table in read_tables("additive_accuracy") for row in table]
    second = [row for row in means if row.get("dataset") == "mean"][1]
    parts = {name: second[key].split("/") for name, key in OVER_38.items()}
    boosted = {name: (float(error), float(loss)) for name, (error, loss) in parts.items()}
    return [("53 tables", first), ("38 tables", boosted)]


def _label(value: float, longest: float) -> str:
    return f"{value:.2f}" + (" (cut)" if value > longest else "")


def draw() -> None:
    """A panel per collection and measure."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 4.4), layout="constrained", height_ratios=[5, 3])
    for line, (title, models) in zip(axes, read_means(), strict=True):
        names = [name.strip("`") for name in models]
        for ax, side, label in zip(line, (0, 1), ("error in %", "log-loss"), strict=True):
            values = [pair[side] for pair in models.values()]
            ours = [COLOURS[0] if "NaiveBayesC" in name else QUIET for name in names]
            widest = sorted(values)[-2] if max(values) > 3 * sorted(values)[-2] else max(values)
            bars = ax.barh(names, [min(value, 1.25 * widest) for value in values], color=ours)
            ax.bar_label(
                bars, [_label(value, 1.25 * widest) for value in values], padding=3, fontsize=8
            )
            ax.set_xlim(0, 1.5 * widest)
            ax.invert_yaxis()
            ax.set_title(f"{title}: {label}", fontsize=9, loc="left")
            ax.tick_params(labelsize=8, labelleft=side == 0)
            ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(OUTPUT, dpi=110)


if __name__ == "__main__":
    draw()
