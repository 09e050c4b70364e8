"""Classification through regression on the datasets of Frank et al. (1998), Table 6.

Published beside measured: one 0/1 regression per class with the published densities, evaluated at 0 and 1.

    python -m papers.frank1998_table6_regression --output papers/results/frank1998_table6_regression.md
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from rich.progress import track
from sklearn.model_selection import StratifiedKFold

from bayfold import NaiveBayesRegressor, ViaRegressionClassifier
from bayfold.datasets import load_dataset
from bayfold.errors import DataWarning
from papers.frank1998_table6 import FILES, PUBLISHED


def measure(name: str, repeats: int, folds: int = 10) -> float:
    """Mean accuracy in % over all folds of all repeats."""
    dataset = load_dataset(FILES.get(name, name), task="classification")
    frame, target = dataset.frame, dataset.target
    regressor = NaiveBayesRegressor(bandwidth="frank1998", calibration=None, n_jobs=1)
    accuracies = []
    for seed in range(repeats):
        splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
        for train, test in splits.split(target, target):
            model = ViaRegressionClassifier(regressor, n_jobs=1)
            model.fit(frame.take(train), target[train])
            accuracies.append(100 * np.mean(model.predict(frame.take(test)) == target[test]))
    return float(np.mean(accuracies))


def make_table(repeats: int) -> str:
    """The Markdown table, with a line that counts agreements."""
    with PUBLISHED.open() as file:
        published = {row["dataset"]: row for row in csv.DictReader(file)}
    lines = [
        "| dataset | published | sd | measured | measured - published | agrees |",
        "|---|---:|---:|---:|---:|---|",
    ]
    n_near = 0
    for name in track(list(published), description="Table 6", transient=True):
        value = float(published[name]["nb_regression"])
        sd = float(published[name]["nb_regression_sd"])
        found = measure(name, repeats)
        near = abs(found - value) <= max(2 * sd, 1.0)
        n_near += near
        mark = "yes" if near else "no"
        lines.append(
            f"| {name} | {value:.1f} | {sd:.1f} | {found:.2f} | {found - value:+.2f} | {mark} |"
        )
    return "\n".join(
        [*lines, "", f"Within 2 published sd or 1 point: {n_near} of {len(published)}."]
    )


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)  # unseen categories and constant columns in folds
    warnings.filterwarnings("ignore", message="The least populated class")
    table = make_table(arguments.repeats)
    command = f"python -m papers.frank1998_table6_regression --repeats {arguments.repeats}"
    print(table)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        title = "# Frank et al. (1998), Table 6: classification through regression"
        arguments.output.write_text(f"{title}\n\nWritten by `{command}`.\n\n{table}\n")


if __name__ == "__main__":
    main()
