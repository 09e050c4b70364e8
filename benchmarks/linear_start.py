"""The boosted classifier with and without models that begin with slopes: error, log-loss and time on the same folds.

Needs the datasets in the folder named by BAYFOLD_DATA. Results of single datasets are kept beside the output, so
that a run can be continued.

    python -m benchmarks.linear_start --output benchmarks/results/linear_start.md
"""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.additive_accuracy import MAX_ROWS, NO_SLOPES, TWO, measure_all
from benchmarks.domains import TING_ZHENG, other_datasets
from benchmarks.report import describe_run, format_table, publish


def summarise(title: str, found: dict[str, dict[str, list]]) -> list[str]:
    """Means of some datasets, how many have a lower log-loss with slopes and how many a higher one, and the cost."""
    with_slopes, without = (
        np.array([line[k] for line in found.values()]) for k in (TWO, NO_SLOPES)
    )
    differences = with_slopes[:, 1] - without[:, 1]
    return [
        f"{len(found)} {title}",
        *(
            f"{models[:, k].mean():.{d}f}"
            for k, d in ((0, 2), (1, 4))
            for models in (without, with_slopes)
        ),
        f"{(differences < 0).sum()} - {(differences > 0).sum()}",
        f"{with_slopes[:, 2].sum() / without[:, 2].sum():.2f}",
    ]


def main() -> None:
    """Measure and print, or write to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1, help="of 3-fold cross-validation")
    parser.add_argument("--max-rows", type=int, default=MAX_ROWS, help="of the other datasets")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = arguments.output.with_suffix(".partial.json") if arguments.output else None
    groups = {"domains of Ting and Zheng": list(TING_ZHENG.values())}
    groups["others"] = other_datasets(arguments.max_rows)
    with threadpool_limits(1):
        lines = [
            summarise(title, measure_all(names, arguments.repeats, kept, (TWO, NO_SLOPES)))
            for title, names in groups.items()
        ]
    header = [
        "datasets",
        "error in %, linear=False",
        "default",
        "log-loss, linear=False",
        "default",
    ]
    header += ["log-loss lower - higher", "CPU / linear=False"]
    command = shlex.join(["python", "-m", "benchmarks.linear_start", *sys.argv[1:]])
    about = f"Means of {arguments.repeats} x 3-fold cross-validation, the same folds for both."
    parts = ["# The boosted classifier with and without slopes", describe_run(command), about]
    publish("\n\n".join([*parts, format_table(header, lines)]), arguments.output)


if __name__ == "__main__":
    main()
