"""Methods that go over their rows many times: from a source, the model is that of the table, bit for bit."""

from __future__ import annotations

import errno
import gc
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    ClassDecompositionClassifier,
    NaiveBayesMixture,
    NaiveBayesTreeClassifier,
    ViaRegressionClassifier,
)
from bayfold.base.sources.copying import Copy
from bayfold.base.sources.scratch import open_store
from bayfold.core.engine import numpy_memory, scratch
from bayfold.core.frames.sources import chunk
from bayfold.errors import DataWarning, SourceError

RNG = np.random.default_rng(0)
N = 900
Y = RNG.integers(0, 3, N)
X = pa.table(
    {
        "short": (RNG.normal(size=N) + Y).astype(np.float32),
        "long": pa.array(RNG.normal(size=N) * Y, mask=RNG.random(N) < 0.1),
        "whole": RNG.integers(0, 9, N),
        "text": pa.array(RNG.choice(list("zyxw"), N), mask=RNG.random(N) < 0.1),
        "flag": RNG.random(N) < 0.3,
        "time": pa.array(RNG.integers(0, 10**9, N), pa.timestamp("s")),
        "nothing": pa.nulls(N),
    }
)
LABELS = pa.array([f"k{k}" for k in Y])
WEIGHTS = RNG.integers(0, 3, N)
ROWS = X.append_column("y", LABELS).append_column("w", pa.array(WEIGHTS))

CLASSIFIERS = [
    BoostedNaiveBayesClassifier(n_rounds=20, n_models=2, early_stopping=False),
    AdaBoostNaiveBayesClassifier(n_rounds=5),
    NaiveBayesTreeClassifier(),
    ClassDecompositionClassifier(n_clusters=2, random_state=0),
    ViaRegressionClassifier(),
]


@pytest.fixture
def small_parts(monkeypatch):
    """Many partitions, and nearly every array a file."""
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 11)
    small = numpy_memory.LargeMemory(1 << 11, scratch._allocate, scratch._reallocate, scratch._free)
    handler = numpy_memory.MemoryHandler(small)
    monkeypatch.setattr(scratch, "_handler", lambda: handler)
    monkeypatch.setattr(scratch, "IN_MEMORY", 0)


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_the_model_is_that_of_the_table(model, small_parts, tmp_path):
    whole = model.fit(X, LABELS, sample_weight=WEIGHTS).predict_proba(X)
    pq.write_table(ROWS, tmp_path / "rows.parquet", row_group_size=130)
    place = tmp_path / "scratch"
    model.fit_source(tmp_path / "rows.parquet", "y", weight="w", scratch=place, progress=False)
    np.testing.assert_array_equal(model.predict_proba(X), whole)
    assert model.classes_.tolist() == ["k0", "k1", "k2"]
    assert model.feature_names_in_.tolist() == X.column_names
    assert os.listdir(place) == []


@pytest.mark.filterwarnings("ignore::bayfold.errors.DataWarning")
@pytest.mark.parametrize("numeric", ["gaussian", "auto"])
def test_a_mixture_has_no_target(numeric, small_parts):
    model = NaiveBayesMixture(n_components=3, numeric=numeric, random_state=0)
    whole = model.fit(X, sample_weight=WEIGHTS).predict_proba(X)
    model.fit_source(ROWS, weight="w", columns=X.column_names, progress=False)
    np.testing.assert_array_equal(model.predict_proba(X), whole)


def test_rows_that_do_not_count_are_left_out(small_parts):
    holes = pa.array(LABELS.to_pylist(), mask=np.arange(N) % 9 == 0)
    model = NaiveBayesTreeClassifier()
    with pytest.warns(DataWarning, match="100"):
        whole = model.fit(X, holes).predict_proba(X)
    with pytest.warns(DataWarning, match="100"):
        model.fit_source(X.append_column("y", holes), "y")
    np.testing.assert_array_equal(model.predict_proba(X), whole)


def test_classes_that_come_late_are_sorted(small_parts):
    late = np.where(np.arange(N) < N - 20, Y + 5, 1)
    model = NaiveBayesTreeClassifier().fit_source(X.append_column("y", pa.array(late)), "y")
    assert model.classes_.tolist() == [1, 5, 6, 7]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS.slice(0, 0), "at least one row"),
        (ROWS.set_column(7, "y", pa.nulls(N, pa.string())), "at least one known entry"),
        (ROWS.set_column(8, "w", pa.array(np.zeros(N))), "weight"),
        (ROWS.set_column(8, "w", pa.array(np.full(N, -1.0))), "negative"),
        (ROWS.set_column(0, "short", pa.array(np.full(N, np.inf))), "short"),
        (ROWS.set_column(7, "y", pa.array(["one"] * N)), "class"),
    ],
)
def test_what_fit_refuses_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayesTreeClassifier().fit_source(rows, "y", weight="w")


@pytest.mark.parametrize(
    "model",
    [
        BoostedNaiveBayesClassifier(n_rounds=0),
        NaiveBayesTreeClassifier(max_depth=-1),
        AdaBoostNaiveBayesClassifier(n_rounds=0),
        ClassDecompositionClassifier(clusterer=KMeans()),
        ViaRegressionClassifier(LinearRegression()),
    ],
)
def test_parameters_are_refused_before_anything_is_read(model):
    with pytest.raises(ValueError, match="must be"):
        model.fit_source("nowhere.parquet", "y")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_nothing_is_left_of_a_fit_that_fails(error, tmp_path, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setattr(Copy, "add", fail)
    expected = SourceError if isinstance(error, OSError) else KeyboardInterrupt
    model = NaiveBayesTreeClassifier()
    with pytest.raises(expected):
        model.fit_source(ROWS, "y", scratch=tmp_path)
    assert os.listdir(tmp_path) == []
    assert not hasattr(model, "classes_")


def test_a_full_disk_says_what_stays_in_the_folder_to_resume_from(tmp_path, monkeypatch):
    def fail(self, chunk, store):
        raise OSError(errno.ENOSPC, "No space left")

    monkeypatch.setattr(Copy, "add", fail)
    with pytest.raises(SourceError, match="`resume` must name a folder with room") as told:
        NaiveBayesTreeClassifier().fit_source(ROWS, "y", weight="w", resume=tmp_path)
    assert "the copied rows stay there" in str(told.value)
    assert "Nothing was left" not in str(told.value)
    assert (tmp_path / "fit.rows").exists()


def test_no_file_outlives_the_fit(small_parts):
    gc.collect()
    before = len(scratch._IN_FILES)
    model = BoostedNaiveBayesClassifier(n_rounds=3, early_stopping=False)
    model.fit_source(ROWS, "y", columns=["short", "text"])
    del model
    gc.collect()
    assert len(scratch._IN_FILES) == before


def test_what_copied_rows_do_not_allow_is_refused_before_anything_is_read():
    def read():
        raise AssertionError

    message = "`engine` must be None for BoostedNaiveBayesRegressor. Got 'there'."
    with pytest.raises(ValueError, match=message):
        BoostedNaiveBayesRegressor().fit_source(read, "y", engine="there")


def test_a_scratch_folder_that_is_gone_is_told_as_such(tmp_path):
    """A folder in which no file can be made looked like a file of an interrupted fit that nobody had asked for."""
    with pytest.raises(SourceError, match=r"`scratch` must name a folder with room.*No such file"):
        open_store(Copy(), tmp_path / "gone", None)
