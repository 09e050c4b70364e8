"""Law 5: in memory or from a source, however it is cut, in any order, by any number of threads: the same model."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayfold import (
    AveragedOneDependenceClassifier,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesRegressor,
)
from bayfold.core.counts.survey import labels, raw_rows
from bayfold.core.frames.sources import chunk
from bayfold.errors import DataWarning
from tests.laws.equal import assert_same

N_ROWS = 1500


def draw_rows(n_rows=N_ROWS, seed=5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    holes = rng.random(n_rows) < 0.1
    return pa.table(
        {
            "amount": pa.array(rng.normal(y, 1.0).astype(np.float32), mask=holes),
            "age": rng.integers(18, 60, n_rows) + y,
            "place": pa.array([f"p{k}" for k in rng.integers(0, 30, n_rows) + y]),
            "flag": pa.array(rng.random(n_rows) < 0.2 + 0.2 * y, mask=~holes),
            "when": pa.array(rng.integers(0, 10**9, n_rows), pa.timestamp("s")),
            "nothing": pa.nulls(n_rows),
            "w": rng.integers(0, 4, n_rows),
            "y": pa.array([f"class {k}" for k in y], mask=rng.random(n_rows) < 0.01),
            "z": pa.array(rng.normal(y, 0.5).round(2), mask=rng.random(n_rows) < 0.01),
        }
    )


ROWS = draw_rows()
FEATURES = ["amount", "age", "place", "flag", "when", "nothing"]
CLASSIFIERS = [
    NaiveBayesClassifier(),
    NaiveBayesClassifier(numeric="equal_width", calibration=None, n_bins=7),
    NaiveBayesClassifier(numeric="mdl", categorical_features=["age"], calibration="temperature"),
    AveragedOneDependenceClassifier(),
]
REGRESSORS = [
    NaiveBayesRegressor(),
    NaiveBayesRegressor(bandwidth="frank1998", calibration=None, grid_size=20),
    MTERegressor(n_pieces=6, bandwidth_factor=1.0),
]
MODELS = [(model, "y") for model in CLASSIFIERS] + [(model, "z") for model in REGRESSORS]
CASES = pytest.mark.parametrize(
    ("model", "target"), MODELS, ids=[f"{type(m).__name__}-{k}" for k, (m, _) in enumerate(MODELS)]
)


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


def fit_source(model, source, target, **options):
    others = {"y": "z", "z": "y"}[target]
    options.setdefault("columns", FEATURES)
    assert others not in options["columns"]
    return type(model)(**model.get_params()).fit_source(source, target, **options)


def fit_table(model, rows, target, weights=None, **parameters):
    copy = type(model)(**{**model.get_params(), **parameters})
    return copy.fit(rows.select(FEATURES), rows[target], sample_weight=weights)


def cuts(folder, rows):
    """The same rows as files of other sizes, as streams of other batches, and with other numbers of threads."""
    pq.write_table(rows, folder / "one.parquet", row_group_size=350)
    (folder / "many").mkdir()
    for k, start in enumerate(range(0, rows.num_rows, 400)):
        pq.write_table(rows.slice(start, 400), folder / "many" / f"{k:02}.parquet")
    yield str(folder / "one.parquet")
    yield folder / "many"
    yield rows
    yield lambda: rows.to_batches(max_chunksize=37)


@CASES
def test_a_source_of_few_rows_is_learnt_like_a_table(model, target, tmp_path):
    whole = fit_table(model, ROWS, target)
    for source in cuts(tmp_path, ROWS):
        assert_same(fit_source(model, source, target), whole, ROWS.select(FEATURES))


@CASES
def test_under_the_same_schema_a_source_is_counted_like_a_table(model, target):
    first = fit_table(model, ROWS, target)
    schema = first.schema_
    given = type(model)(**{**model.get_params(), "schema": schema, "categorical_features": None})
    in_memory = fit_table(given, ROWS, target)
    streamed = fit_source(given, ROWS, target)
    exact = target == "y"  # sums of the target itself are rounded
    assert_same(streamed, in_memory, ROWS.select(FEATURES), exact=exact)


@CASES
def test_no_cut_changes_the_model_of_many_rows(model, target, tmp_path, monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 400)
    found = [fit_source(model, source, target) for source in cuts(tmp_path, ROWS)]
    for other in found[1:]:
        assert_same(other, found[0], ROWS.select(FEATURES))
    model = type(model)(**{**model.get_params(), "n_jobs": 1})
    assert_same(fit_source(model, ROWS, target), found[0], ROWS.select(FEATURES))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_no_order_changes_the_model_of_many_rows(model, monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 400)
    shuffled = ROWS.take(np.random.default_rng(0).permutation(N_ROWS))
    first, second = (fit_source(model, rows, "y", weight="w") for rows in (ROWS, shuffled))
    assert_same(second, first, ROWS.select(FEATURES))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("all_rows", [400, 20_000])
def test_weights_are_frequencies(model, all_rows, monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", all_rows)
    weighted = fit_source(model, ROWS, "y", weight="w")
    repeated = ROWS.take(np.repeat(np.arange(N_ROWS), ROWS["w"].to_numpy()))
    assert_same(fit_source(model, repeated, "y"), weighted, ROWS.select(FEATURES))


def test_fractional_weights_are_added_in_the_order_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 400)
    weights = np.random.default_rng(1).random(N_ROWS)
    rows = ROWS.set_column(6, "w", pa.array(weights))
    models = [
        fit_source(NaiveBayesClassifier(numeric="gaussian"), source, "y", weight="w")
        for source in cuts(tmp_path, rows)
    ]
    for other in models[1:]:
        assert_same(other, models[0], ROWS.select(FEATURES))


def test_what_is_rare_is_never_lost_to_sampling(monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 200)
    flag, word, number = np.zeros(N_ROWS), np.full(N_ROWS, "usual", object), np.arange(N_ROWS) % 50
    flag[1234], word[77], number[1400] = 1.0, "rare", 99
    rows = pa.table({"flag": flag, "word": word, "n": number, "y": np.arange(N_ROWS) % 2})
    model = NaiveBayesClassifier(calibration=None).fit_source(rows, "y")
    columns = model.schema_.columns
    assert columns[0].values.tolist() == [0.0, 1.0]
    assert columns[1].categories == ("rare", "usual")
    assert columns[2].values.tolist() == [*range(50), 99]


def test_labels_too_long_to_be_kept_are_no_other_rows(monkeypatch):
    """The first pass lets go of some, the second meets them again: the source was said to have changed."""
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 400)
    monkeypatch.setattr(labels, "MOST_CHARACTERS", 60)
    shuffled = ROWS.take(np.random.default_rng(1).permutation(N_ROWS))
    first, second = (fit_source(NaiveBayesClassifier(), rows, "y") for rows in (ROWS, shuffled))
    assert_same(second, first, ROWS.select(FEATURES))
    assert len(first.schema_.columns[2].categories) == 32
