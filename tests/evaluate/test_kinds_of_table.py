"""Rows are taken out of every kind of table that models take, with names and types kept."""

from __future__ import annotations

import warnings

import duckdb
import numpy as np
import polars as pl
import pytest
import scipy.sparse

import bayfold
from bayfold.core.frames.concat import take_rows
from bayfold.datasets import make_credit

CREDIT = make_credit(120, random_state=0)


def as_polars():
    return pl.from_arrow(CREDIT.frame)


def as_query():
    frame = CREDIT.frame  # noqa: F841, DuckDB finds it by its name
    return duckdb.sql("select * from frame")


@pytest.mark.parametrize("make", [as_polars, as_query])
def test_evaluation_and_report_keep_names(make):
    X = make()
    model = bayfold.NaiveBayesClassifier().fit(X, CREDIT.target)
    plain = bayfold.NaiveBayesClassifier()
    once = {"n_repeats": 1, "n_folds": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", bayfold.errors.DataWarning)
        found = bayfold.evaluate.cross_validate({"m": plain}, make(), CREDIT.target, **once)
        target = CREDIT.target.astype(object)
        target[3] = None
        page = bayfold.report.write(model, make(), target, n_folds=2)
    expected = bayfold.evaluate.cross_validate({"m": plain}, CREDIT.frame, CREDIT.target, **once)
    np.testing.assert_array_equal(found.loss, expected.loss)
    assert "debt_ratio" in page.html


def test_rows_of_a_polars_frame_and_of_a_sparse_matrix():
    rows = np.array([3, 1])
    assert take_rows(as_polars(), rows)["income"].to_list() == [
        CREDIT.frame["income"][3].as_py(),
        CREDIT.frame["income"][1].as_py(),
    ]
    matrix = scipy.sparse.random(5, 3, 0.5, format="coo", random_state=0)
    np.testing.assert_array_equal(take_rows(matrix, rows).toarray(), matrix.toarray()[rows])
