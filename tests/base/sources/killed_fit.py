"""A fit in a process of its own, which saves after every partition: ``python killed_fit.py SOURCE FOLDER OUT``."""

from __future__ import annotations

import sys
import time

import numpy as np

from bayfold import NaiveBayesClassifier
from bayfold.base.sources import resume
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk


def fit(source, folder=None, callback=None):
    resume.SAVE_SECONDS = 0.0
    raw_rows.ALL_ROWS = 300
    chunk.PARTITION_CELLS = 1 << 10
    model = NaiveBayesClassifier(n_jobs=2)
    return model.fit_source(source, "y", weight="w", resume=folder, callback=callback)


def outcome(model):
    """All that a model is derived from, and what it has made of it."""
    counts, sample = model.statistics_.counts, model.statistics_.sample
    parts = [*counts.tables, sample.hashes.astype(float), sample.weights, model.column_weights_]
    return np.concatenate([np.ravel(part) for part in parts])


if __name__ == "__main__":
    print("begun", flush=True)
    fitted = fit(sys.argv[1], sys.argv[2], callback=lambda now: time.sleep(0.01))
    np.save(sys.argv[3], outcome(fitted))
