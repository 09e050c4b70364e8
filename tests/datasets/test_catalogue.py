"""Every file of the catalogue, against the catalogue and against scipy's reader."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.io import arff as scipy_arff

from bayfold.datasets import load_dataset

FOLDER = os.environ.get("BAYFOLD_DATA")


def read_catalogue():
    """One row per file: several papers use the same one."""
    if not FOLDER or not Path(FOLDER, "datasets.csv").is_file():
        skip = pytest.mark.skip(reason="set BAYFOLD_DATA to the folder that holds datasets.csv")
        return [pytest.param(None, marks=skip, id="BAYFOLD_DATA")]
    with Path(FOLDER, "datasets.csv").open(newline="") as file:
        rows = {row["file"]: row for row in csv.DictReader(file) if row["file"]}
    return [pytest.param(row, id=name) for name, row in rows.items()]


def is_missing(values):
    return np.array([value is None or value != value for value in values], dtype=bool)


def check_sizes(dataset, row):
    numeric = [str(kind) == "double" for kind in dataset.frame.schema.types]
    n_missing = is_missing(dataset.target).sum()
    assert dataset.frame.num_rows == len(dataset.target) == int(row["n_rows"])
    assert (sum(numeric), len(numeric) - sum(numeric)) == (
        int(row["n_numeric"]),
        int(row["n_nominal"]),
    )
    assert (dataset.target_name, n_missing) == (row["target"], int(row["missing_target"]))
    cells = dataset.frame.num_rows * (dataset.frame.num_columns + 1)
    n_missing += sum(column.null_count for column in dataset.frame.columns)
    assert 100 * n_missing / cells == pytest.approx(float(row["missing_pct"]), abs=0.00501)
    if dataset.task == "classification":
        occurring = set(dataset.target) - {None}
        assert len(occurring) == int(row["n_classes"])
        assert len(dataset.classes) == int(row["n_classes_declared"])


def check_column(ours, oracle):
    if oracle.dtype.kind == "f":
        np.testing.assert_array_equal(np.array(ours, dtype=float), oracle)
        return
    # scipy gives b"?" both for a missing cell and for the quoted value '?'
    assert ["?" if cell is None else cell for cell in ours] == [cell.decode() for cell in oracle]


def check_against_scipy(dataset, path):
    oracle, meta = scipy_arff.loadarff(path)
    ours = [column.to_pylist() for column in dataset.frame.columns]
    for column, name in zip([*ours, dataset.target.tolist()], meta.names(), strict=True):
        check_column(column, oracle[name])
    for name, scipy_name in zip(dataset.frame.column_names, meta.names(), strict=False):
        column = dataset.frame[name]
        if str(column.type) != "double":
            assert tuple(column.chunk(0).dictionary.to_pylist()) == meta[scipy_name][1]


@pytest.mark.parametrize("row", read_catalogue())
def test_every_file_of_the_catalogue(row):
    path = Path(FOLDER, row["file"])
    dataset = load_dataset(path.stem, task=row["task"])
    check_sizes(dataset, row)
    check_against_scipy(dataset, path)
