"""Which datasets of numeric targets repeat another: one has all numeric columns of the other, and all rows by them.

Needs the datasets in the folder named by BAYFOLD_DATA. Targets may differ, and categories may have other names.

    python -m benchmarks.repeats
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from bayfold.datasets import list_datasets, load_dataset


def read_numbers(name: str) -> pd.DataFrame:
    """The numeric columns of a dataset but its target, by their names in lower case."""
    frame = load_dataset(name, task="regression").frame.to_pandas()
    return frame.select_dtypes("number").astype(float).round(6).rename(columns=str.lower)


def repeats(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Whether one has all columns of the other, and in these one has all rows of the other."""
    shared = sorted(set(first.columns) & set(second.columns))
    if len(shared) < max(min(first.shape[1], second.shape[1]), 2):
        return False
    rows = [set(map(tuple, frame[shared].to_numpy())) for frame in (first, second)]
    return rows[0] <= rows[1] or rows[1] <= rows[0]


def main() -> None:
    """Print all pairs."""
    tables = {name: read_numbers(name) for name in list_datasets("regression")}
    for a, b in combinations(tables, 2):
        if repeats(tables[a], tables[b]):
            print(f"{a} ({len(tables[a])} rows), {b} ({len(tables[b])} rows)")


if __name__ == "__main__":
    main()
