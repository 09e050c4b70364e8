"""What people take for a table is refused with what to do."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import bayfold


@pytest.mark.parametrize(
    ("X", "advice"),
    [
        ("churn.csv", "read the file first.*fit_source"),
        (Path("churn.csv"), "read the file first"),
        ({"a": [1, 2]}, r"pandas.DataFrame\(X\)"),
        ([{"a": 1}, {"a": 2}], r"from_pylist\(X\)"),
        (pd.Series([1.0, 2.0]), r"X.to_frame\(\)"),
        (pl.Series([1.0, 2.0]), r"X.to_frame\(\)"),
        (None, "give the rows"),
    ],
    ids=["text", "path", "dict", "records", "pandas", "polars", "None"],
)
def test_what_to_do_is_said(X, advice):
    with pytest.raises(TypeError, match=f"`X` must be a table.*{advice}"):
        bayfold.NaiveBayesClassifier().fit(X, ["a", "b"])
