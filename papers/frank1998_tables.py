"""Tables 2 and 4 of Frank et al. (1998) beside what is measured, and the default model beside others.

python -m papers.frank1998_errors --cache errors.jsonl
python -m papers.frank1998_tables --cache errors.jsonl --output papers/results
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ttest_rel

from papers.frank1998_errors import read_cache, read_published

Found = dict[tuple[str, str], dict[str, Any]]
SIGNIFICANT = 0.01
STATISTICS = "mean", "median"
HEADER = "Written by `python -m papers.frank1998_tables`, from the errors of `python -m papers.frank1998_errors`: "


def compare(found: Found, table: str, method: str, measure: str) -> str:
    """A published table beside the measured errors of a method."""
    rows, near, nearest = [], 0, 0
    published = read_published(table)
    for name, row in published.items():
        value, sd = float(row["naive_bayes"]), float(row["naive_bayes_sd"])
        record = found[name, method]
        by_test, by_train = record[f"{measure}_test"], record[f"{measure}_train"]
        distance = (np.mean(by_test) - value) / sd
        near += abs(distance) <= 2
        nearest += abs(distance) <= 1
        rows.append(
            f"| {name} | {value:.2f} | {sd:.1f} | {np.mean(by_test):.2f} | {np.std(by_test, ddof=1):.1f} "
            f"| {distance:+.1f} | {np.mean(by_train):.2f} |"
        )
    head = [
        "| dataset | published | sd | measured | sd | difference in published sd | by the training mean |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    count = f"Within 2 published sd: {near} of {len(published)}; within 1: {nearest} of {len(published)}."
    return "\n".join([*head, *rows, "", count])


def compare_statistics(found: Found) -> str:
    """The absolute error of the mean, which the published table shows, against that of the median.

    On how many datasets either is significantly smaller.
    """
    better = worse = 0
    for name in read_published("table4_relative_mae"):
        both = [found[name, f"frank1998 {statistic}"]["mae_test"] for statistic in STATISTICS]
        repeats = min(map(len, both))
        mean, median = (np.array(errors[:repeats]) for errors in both)
        p = ttest_rel(mean, median).pvalue
        better += p < SIGNIFICANT and mean.mean() < median.mean()
        worse += p < SIGNIFICANT and mean.mean() > median.mean()
    return (
        f"Absolute error of the mean against the median (paired t-test over repeats, {SIGNIFICANT:.0%}): "
        f"the mean is better on {better} datasets, the median on {worse}. Published: 15 and 8."
    )


def compare_methods(found: Found, methods: list[str], measure: str, baseline: str) -> str:
    """Geometric means of errors relative to a baseline, with both references."""
    names = list(read_published("table2_relative_rmse"))
    lines = [
        "| method | against `frank1998` | wins - losses | mean error by the test mean | by the training mean |",
        "|---|---:|---:|---:|---:|",
    ]
    n_repeats = min(
        len(found[n, m][f"{measure}_test"]) for n in names for m in [baseline, *methods]
    )
    for method in methods:
        ratios = [
            np.mean(found[n, method][f"{measure}_test"][:n_repeats])
            / np.mean(found[n, baseline][f"{measure}_test"][:n_repeats])
            for n in names
        ]
        by_test, by_train = (
            np.mean([np.median(found[n, method][f"{measure}_{by}"][:n_repeats]) for n in names])
            for by in ("test", "train")
        )
        wins, losses = np.sum(np.array(ratios) < 1), np.sum(np.array(ratios) > 1)
        ratio = np.exp(np.mean(np.log(ratios)))
        lines.append(
            f"| {method} | {ratio:.3f} | {wins} - {losses} | {by_test:.1f} | {by_train:.1f} |"
        )
    note = f"{n_repeats} repeats of ten folds, the same for all methods; {len(names)} datasets."
    return "\n".join([*lines, "", note])


def compare_by_dataset(found: Found, methods: list[str], measure: str) -> str:
    """Errors of every method on every dataset."""
    lines = ["| dataset | " + " | ".join(methods) + " |", "|---|" + "---:|" * len(methods)]
    for name in read_published("table2_relative_rmse"):
        cells = [f"{np.mean(found[name, method][f'{measure}_test']):.1f}" for method in methods]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_default(found: Found) -> str:
    """The default model against the published one and against scikit-learn's."""
    names = read_published("table2_relative_rmse")
    measured = {m for _, m in found if all((name, m) in found for name in names)}
    peers = [
        m
        for m in ("ridge", "nearest neighbours", "gradient boosting", "random forest")
        if m in measured
    ]
    rmse = ["default mean", *peers]
    mae = ["default median", "default mean", "frank1998 median", *peers]
    return "\n\n".join(
        [
            "## Root mean squared error, relative to `frank1998` with the mean",
            compare_methods(found, rmse, "rmse", "frank1998 mean"),
            "## Mean absolute error, relative to `frank1998` with the mean",
            compare_methods(found, mae, "mae", "frank1998 mean"),
            "## Relative root mean squared error in %, by the test mean",
            compare_by_dataset(found, ["frank1998 mean", *rmse], "rmse"),
        ]
    )


def main() -> None:
    """Print the tables, or write them to a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--output", type=Path, help="folder to write the tables to")
    arguments = parser.parse_args()
    found = read_cache(arguments.cache)
    repeats = len(next(iter(found.values()))["rmse_test"])
    header = HEADER + f"up to {repeats} repeats of ten-fold cross-validation, relative errors in %."
    texts = {
        "frank1998_table2.md": "# Frank et al. (1998), Table 2: naive Bayes for regression, relative RMSE\n\n"
        + f"{header}\n\n{compare(found, 'table2_relative_rmse', 'frank1998 mean', 'rmse')}\n",
        "frank1998_table4.md": "# Frank et al. (1998), Table 4: naive Bayes for regression, relative MAE\n\n"
        + f"{header}\n\n{compare(found, 'table4_relative_mae', 'frank1998 mean', 'mae')}\n\n"
        + f"{compare_statistics(found)}\n",
    }
    if any(method == "default mean" for _, method in found):
        title = "# The default NaiveBayesRegressor on the datasets of Frank et al. (1998)"
        texts["frank1998_default.md"] = f"{title}\n\n{header}\n\n{write_default(found)}\n"
    for name, text in texts.items():
        print(text)
        if arguments.output:
            arguments.output.mkdir(parents=True, exist_ok=True)
            (arguments.output / name).write_text(text)


if __name__ == "__main__":
    main()
