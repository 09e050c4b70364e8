"""A fit in a process of its own, which saves after every partition: ``killed_fit.py METHOD SOURCE FOLDER OUT``."""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow.parquet as pq

from bayfold import (
    AdaBoostNaiveBayesClassifier,
    AveragedOneDependenceClassifier,
    BoostedNaiveBayesClassifier,
    BoostedNaiveBayesRegressor,
    ClassDecompositionClassifier,
    MDLDiscretizer,
    MTERegressor,
    NaiveBayesClassifier,
    NaiveBayesImputer,
    NaiveBayesMixture,
    NaiveBayesRegressor,
    NaiveBayesTreeClassifier,
)
from bayfold.base.sources import resume
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk

COPYING = {
    "boosting": lambda: BoostedNaiveBayesClassifier(n_rounds=3, early_stopping=False, n_jobs=2),
    "numbers": lambda: BoostedNaiveBayesRegressor(n_rounds=3, early_stopping=False, n_jobs=2),
    "adaboost": lambda: AdaBoostNaiveBayesClassifier(n_rounds=2, n_jobs=2),
    "tree": lambda: NaiveBayesTreeClassifier(n_jobs=2),
    "mixture": lambda: NaiveBayesMixture(2, n_init=1, max_iter=3, random_state=0, n_jobs=2),
    "decomposition": lambda: ClassDecompositionClassifier(random_state=0, n_jobs=2),
}
"""Methods that go over their rows many times."""

COUNTING = {
    "text": lambda: NaiveBayesClassifier(text_features=["v"], n_jobs=2),
    "pairs": lambda: AveragedOneDependenceClassifier(n_jobs=2),
    "regression": lambda: NaiveBayesRegressor(n_jobs=2),
    "mte": lambda: MTERegressor(n_pieces=4, n_jobs=2),
    "imputer": lambda: NaiveBayesImputer(n_jobs=2),
    "discretizer": lambda: MDLDiscretizer(n_jobs=2),
}
"""Methods that go over the source once or a few times, each with sums of its own."""


def fit(source, folder=None, callback=None, method="counts"):
    resume.SAVE_SECONDS = 0.0
    raw_rows.ALL_ROWS = 300
    chunk.PARTITION_CELLS = 1 << 10
    if method == "counts":
        model = NaiveBayesClassifier(n_jobs=2)
        return model.fit_source(source, "y", weight="w", resume=folder, callback=callback)
    columns = ["u"] if method == "discretizer" else ["u", "v"]
    settings = {"columns": columns, "resume": folder, "callback": callback}
    if method == "boosting":
        settings["weight"] = "w"
    if method not in ("mixture", "imputer"):
        settings["target"] = "y"
    return (COPYING | COUNTING)[method]().fit_source(source, **settings)


def outcome(model, source=None):
    """All that a model is derived from, and what it has made of it; of others, what they make of the rows."""
    if not hasattr(model, "statistics_"):
        X = pq.read_table(source, columns=["u", "v"])
        predict = getattr(model, "predict_proba", model.predict)
        return np.asarray(predict(X), float)
    counts, sample = model.statistics_.counts, model.statistics_.sample
    parts = [*counts.tables, sample.hashes.astype(float), sample.weights, model.column_weights_]
    return np.concatenate([np.ravel(part) for part in parts])


if __name__ == "__main__":
    method, source, folder, out = sys.argv[1:]
    print("begun", flush=True)
    fitted = fit(source, folder, callback=lambda now: time.sleep(0.01), method=method)
    np.save(out, outcome(fitted, source))
