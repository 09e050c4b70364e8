"""predict_source: the answers of predict, in order, whole or not at all."""

from __future__ import annotations

import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from bayfold import (
    BoostedNaiveBayesClassifier,
    ClassDecompositionClassifier,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)
from bayfold.core.frames.sources import chunk, write
from bayfold.errors import SourceError
from tests.plain import plain_classifier

RNG = np.random.default_rng(0)
N = 300
Y = RNG.integers(0, 3, N)
ROWS = pa.table(
    {
        "id": pa.array([f"row {k}" for k in range(N)]),
        "u": RNG.normal(Y, 1.0),
        "v": pa.array([f"v{k}" for k in RNG.integers(0, 4, N) + Y]),
        "y": pa.array([f"c{k}" for k in Y]),
        "z": RNG.normal(Y, 0.5),
    }
)
X = ROWS.select(["u", "v"])
MODEL = plain_classifier().fit(X, ROWS["y"])


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 8)


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (plain_classifier(), "y"),
        (BoostedNaiveBayesClassifier(n_rounds=3, n_models=1), "y"),
        (ViaRegressionClassifier(), "y"),
        (ClassDecompositionClassifier(n_clusters=2, random_state=0), "y"),
        (NaiveBayesTreeClassifier(max_depth=1), "y"),
        (NaiveBayesRegressor(calibration=None), "z"),
    ],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_answers_are_those_of_predict_in_order(model, target, tmp_path):
    model.fit(X, ROWS[target])
    path = model.predict_source(ROWS, tmp_path / "scores.parquet", keep=["id", "u"])
    found = pq.read_table(path)
    assert found["id"].equals(ROWS["id"])
    assert found["u"].equals(ROWS["u"])
    assert found["prediction"].to_pylist() == model.predict(X).tolist()
    if target == "y":
        names = [f"probability_{label}" for label in model.classes_]
        assert found.column_names == ["id", "u", "prediction", *names]
        np.testing.assert_array_equal(
            np.stack([found[name].to_numpy() for name in names], axis=1), model.predict_proba(X)
        )


def test_a_folder_of_parts_is_read_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "ROWS_PER_FILE", 100)
    path = MODEL.predict_source(ROWS, tmp_path / "scores", keep=["id"])
    assert len(sorted(path.glob("part-*.parquet"))) == 2
    assert ds.dataset(path).to_table()["id"].to_pylist() == ROWS["id"].to_pylist()
    assert os.listdir(tmp_path) == ["scores"]


def test_what_is_there_is_not_replaced_unless_asked(tmp_path):
    for name in ("one.parquet", "folder"):
        path = MODEL.predict_source(ROWS.slice(0, 5), tmp_path / name)
        with pytest.raises(SourceError, match="`output` must not exist yet"):
            MODEL.predict_source(ROWS, path)
        MODEL.predict_source(ROWS, path, overwrite=True)
        assert ds.dataset(path).count_rows() == N
    assert sorted(os.listdir(tmp_path)) == ["folder", "one.parquet"]


class Stopped(BaseException):
    """As Ctrl-C is."""


@pytest.mark.parametrize("name", ["scores.parquet", "scores"])
@pytest.mark.parametrize("error", [Stopped, OSError])
def test_an_interruption_leaves_what_was_there(name, error, tmp_path):
    path = MODEL.predict_source(ROWS.slice(0, 5), tmp_path / name)

    def stop(now):
        if now.rows > 100:
            raise error("No space left on device")

    expected = SourceError if error is OSError else error
    with pytest.raises(expected, match="No space left"):
        MODEL.predict_source(ROWS, path, overwrite=True, callback=stop)
    assert os.listdir(tmp_path) == [name]
    assert ds.dataset(path).count_rows() == 5


@pytest.mark.parametrize(
    ("model", "rows", "keep", "message"),
    [
        (MODEL, ROWS.drop(["v"]), [], "`source` must name columns of the source"),
        (MODEL, ROWS, ["q"], "`keep` must name columns of the source"),
        (MODEL, ROWS.append_column("prediction", ROWS["z"]), ["prediction"], "called like an answ"),
        (MODEL, ROWS.slice(0, 0), [], "at least one row"),
        (plain_classifier().fit(X["u"].to_numpy()[:, None], Y), ROWS, [], "names of its columns"),
    ],
)
def test_what_cannot_be_predicted_is_refused(model, rows, keep, message, tmp_path):
    with pytest.raises(ValueError, match=re.escape(message)):
        model.predict_source(rows, tmp_path / "scores", keep=keep)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("parameter", "model"),
    [
        ("estimator", ClassDecompositionClassifier(LogisticRegression(), n_clusters=2)),
        ("regressor", ViaRegressionClassifier(LinearRegression())),
    ],
)
def test_parts_of_other_libraries_are_refused(tmp_path, parameter, model):
    rows = ROWS.select(["u", "z"]).to_pandas()
    model.fit(rows, ROWS["y"])
    with pytest.raises(ValueError, match=f"`{parameter}` must be an estimator of bayfold"):
        model.predict_source(rows, tmp_path / "out.parquet", progress=False)
