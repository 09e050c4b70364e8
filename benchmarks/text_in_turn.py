"""Text: how many times as fast as scikit-learn, with both in turn in one process, so that what slows one slows both.

``python -m benchmarks.text_in_turn --output benchmarks/results/text_in_turn.md``. The table is
``text/debian-packages.parquet`` in the folder that ``BAYFOLD_DATA`` names.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.report import describe_run, publish
from benchmarks.text import OURS, PEERS, join_texts, read_packages

PEER = "CountVectorizer + MultinomialNB"
MODELS = ("bayfold", "bayfold, calibration=None", PEER)


def clock(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what came of it."""
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def measure_in_turn(rounds: int) -> dict[str, np.ndarray]:
    """CPU seconds of a fit and of a prediction of each model in every round but a first, which compiles."""
    table, y, train, test = read_packages()
    column = table.select(["description"])
    texts = np.array(join_texts(table, ["description"]), object)
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in MODELS}
    for _ in range(rounds + 1):
        for name, found in seconds.items():
            take = column.take if name in OURS else texts.__getitem__
            data, new, make = take(train), take(test), {**OURS, **PEERS}[name]
            fit, model = clock(partial(make().fit, data, y[train]))
            predict, _ = clock(partial(model.predict_proba, new))
            found.append((fit, predict))
    return {name: np.array(found[1:]) for name, found in seconds.items()}


def tabulate(seconds: dict[str, np.ndarray]) -> str:
    """Medians, and the median of how many times as fast each is in a round."""
    lines = [
        "| model | fit ms | predict ms | fit, times as fast | least - most | predict, times as fast |"
    ]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for name, own in seconds.items():
        fit, predict = 1000 * np.median(own, axis=0)
        ratios = seconds[PEER] / own
        times, spread = np.median(ratios, axis=0), (ratios[:, 0].min(), ratios[:, 0].max())
        lines.append(
            f"| {name} | {fit:.1f} | {predict:.1f} | {times[0]:.2f} "
            f"| {spread[0]:.2f} - {spread[1]:.2f} | {times[1]:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    said = (
        "Descriptions of 61,832 software packages in 47 sections, the first of three folds: 41,221 are fitted, the "
        f"others predicted. CPU time, one thread; medians of {given.rounds} rounds, ratios within a round."
    )
    command = f"python -m benchmarks.text_in_turn --rounds {given.rounds}"
    parts = [
        "# Text, in turn",
        describe_run(command),
        said,
        tabulate(measure_in_turn(given.rounds)),
    ]
    publish("\n\n".join(parts) + "\n", given.output)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
