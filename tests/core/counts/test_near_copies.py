"""Near-copies are found where rows come in units, and nowhere else."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import bayfold
from bayfold.core.counts.units import find_near_copies
from bayfold.core.frames import read_table
from bayfold.errors import DataWarning


def draw_visits(n_visits, noise, seed, n_patients=60):
    """A frame of visits with an identifier and a column that patients share."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), n_visits)
    X = rng.normal(size=(n_patients, 4))[patient] + noise * rng.normal(size=(len(patient), 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    return frame.assign(sex=rng.integers(0, 2, n_patients)[patient], patient_id=patient)


@pytest.mark.parametrize("n_visits", [2, 5, 20])
@pytest.mark.parametrize("seed", range(3))
def test_visits_and_their_patient_are_found(n_visits, seed):
    frame = draw_visits(n_visits, 0.01, seed)
    found = find_near_copies(read_table(frame))
    assert found.share > 0.9
    assert (found.column, found.n_repeats) == ("patient_id", n_visits)
    found = find_near_copies(read_table(frame[list("abcd")].sample(frac=1, random_state=seed)))
    assert found.share > 0.8
    assert found.column is None


def test_stretches_of_a_long_table_are_enough():
    assert find_near_copies(read_table(draw_visits(5, 0.01, 0, n_patients=5000))).share > 0.9


@pytest.mark.parametrize("kind", ["normal", "line", "tails", "rounded", "curve", "copies"])
@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_are_none(kind, seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(20, 900))
    n_columns = int(rng.integers(2, 7))
    X = rng.normal(size=(n_rows, n_columns))
    if kind == "line":
        X = X[:, :1] * rng.normal(size=n_columns) + 1e-3 * X
    elif kind == "tails":
        X = np.exp(3 * X)
    elif kind == "rounded":
        X = X.round(2)
    elif kind == "curve":
        X = np.sin(np.arange(1, n_columns + 1) * np.sort(X[:, :1], axis=0))
    elif kind == "copies":  # equal rows are no near-copies
        X = np.repeat(X, 2, axis=0)
    assert find_near_copies(read_table(X)) is None


def test_ordinary_tables_have_none():
    draws = [datasets.make_moons, datasets.make_swiss_roll, datasets.make_blobs]
    tables = [draw(500, random_state=0)[0] for draw in draws]
    tables += [
        load().data for load in (datasets.load_iris, datasets.load_wine, datasets.load_digits)
    ]
    assert [find_near_copies(read_table(X)) for X in tables] == [None] * len(tables)


@pytest.mark.parametrize(
    "cls",
    [
        bayfold.NaiveBayesClassifier,
        bayfold.NaiveBayesRegressor,
        bayfold.NaiveBayesTreeClassifier,
        bayfold.BoostedNaiveBayesClassifier,
    ],
)
def test_one_warning_names_the_identifier(cls):
    frame = draw_visits(6, 0.01, 0, n_patients=30)
    y = np.arange(30)[frame["patient_id"]] % 2
    with pytest.warns(DataWarning, match="`patient_id` repeats 6 times: pass `groups=`") as told:
        cls().fit(frame, y)
    assert sum("near-copies" in str(each.message) for each in told) == 1
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*near-copies")
        cls().fit(frame, y, groups=frame["patient_id"])
