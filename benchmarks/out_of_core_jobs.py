"""What is measured on data larger than memory: fits, predictions, and what others do with the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bayfold import BoostedNaiveBayesClassifier, NaiveBayesClassifier
from benchmarks.large_table import CATEGORIES, NUMBERS, TARGET

PLAIN = {"numeric": "mdl", "calibration": None}
PEER_THREADS = 2
"""Of LightGBM: as many as fits have on the machine of the stored results."""

TWENTY_ROUNDS = {"n_rounds": 20, "early_stopping": False}


def scan(path: str) -> int:
    """Read all columns of all rows and let them go."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        return sum(batch.num_rows for batch in file.iter_batches(1 << 16))


def scan_and_write(path: str) -> None:
    """The least that predictions need: read all, and write three columns."""
    with (
        tempfile.TemporaryDirectory() as folder,
        pq.ParquetFile(path, pre_buffer=False) as file,
    ):
        columns = [TARGET, "number0", "number1"]
        schema = pa.schema([file.schema_arrow.field(name) for name in columns])
        with pq.ParquetWriter(f"{folder}/out.parquet", schema) as writer:
            for batch in file.iter_batches(1 << 18):
                writer.write_batch(batch.select(columns))


def fit_plain(path: str) -> NaiveBayesClassifier:
    """Bins cut by MDL, no calibration."""
    return NaiveBayesClassifier(**PLAIN).fit_source(path, TARGET)


def fit_default(path: str) -> NaiveBayesClassifier:
    """With all defaults."""
    return NaiveBayesClassifier().fit_source(path, TARGET)


def fit_scikit_learn(path: str) -> Any:
    """GaussianNB of the numbers alone, batch by batch."""
    from sklearn.naive_bayes import GaussianNB

    model, columns = GaussianNB(), [f"number{j}" for j in range(NUMBERS)]
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(1 << 18, columns=[*columns, TARGET]):
            X = np.stack([batch.column(name).to_numpy() for name in columns], axis=1)
            model.partial_fit(X, batch.column(TARGET).to_numpy(), classes=[0, 1])
    return model


def scan_duckdb(path: str) -> Any:
    """What the sums of all numbers and the counts of all categories take DuckDB."""
    import duckdb

    sums = ", ".join(f"sum(number{j})" for j in range(NUMBERS))
    counts = ", ".join(f"count(category{j})" for j in range(len(CATEGORIES)))
    return duckdb.sql(f"select {TARGET}, {sums}, {counts} from '{path}' group by 1").fetchall()


def fit_twenty_rounds(path: str) -> BoostedNaiveBayesClassifier:
    """Rows copied to disk, and twenty rounds over them."""
    return BoostedNaiveBayesClassifier(**TWENTY_ROUNDS).fit_source(path, TARGET)


def fit_boosting(path: str) -> BoostedNaiveBayesClassifier:
    """Until the loss of left-out rows falls no more."""
    return BoostedNaiveBayesClassifier().fit_source(path, TARGET)


def fit_lightgbm(path: str) -> Any:
    """The whole file in memory, until the loss of an eighth of the rows has not fallen for 30 rounds."""
    import lightgbm

    data = pq.read_table(path).to_pandas()
    y = data.pop(TARGET).to_numpy()
    left_out = np.random.default_rng(0).random(len(y)) < 0.125
    model = lightgbm.LGBMClassifier(n_estimators=2000, n_jobs=PEER_THREADS, verbose=-1)
    return model.fit(
        data[~left_out],
        y[~left_out],
        eval_set=[(data[left_out], y[left_out])],
        callbacks=[lightgbm.early_stopping(30, verbose=False)],
    )


def make_action(name: str, path: str, small: str) -> Callable[[], Any]:
    """What is measured, made ready."""
    if name == "fit with a given schema":
        schema = fit_plain(small).schema_
        return lambda: NaiveBayesClassifier(**PLAIN, schema=schema).fit_source(path, TARGET)
    if name == "predict_source":
        model = fit_plain(small)
        return lambda: _predict(model, path)
    action = ACTIONS[name]
    return lambda: action(path)


def _predict(model: NaiveBayesClassifier, path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model.predict_source(path, f"{folder}/scores.parquet", keep=[TARGET])


ACTIONS: dict[str, Callable[[str], Any]] = {
    "scan": scan,
    "scan and write": scan_and_write,
    "plain fit": fit_plain,
    "default fit": fit_default,
    "GaussianNB.partial_fit, numbers alone": fit_scikit_learn,
    "DuckDB: sums and counts by class": scan_duckdb,
    "boosting, 20 rounds": fit_twenty_rounds,
    "boosting to its own stop": fit_boosting,
    "LightGBM to its own stop, in memory": fit_lightgbm,
}
LIGHTGBM = "LightGBM to its own stop, in memory"
ONCE = ("boosting to its own stop", LIGHTGBM)
"""They take minutes."""

NAMES = (
    *(name for name in ACTIONS if name not in ONCE),
    "fit with a given schema",
    "predict_source",
    *ONCE,
)
