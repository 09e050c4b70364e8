"""The imputer learns from sources: the same model for few rows, and for many whatever the cut."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from bayfold import NaiveBayesImputer
from bayfold.core.counts.survey import raw_rows
from bayfold.core.frames.sources import chunk

N = 1200
RNG = np.random.default_rng(3)
Z = RNG.normal(size=N)


def with_gaps(values):
    return pa.array(values, mask=RNG.random(N) < 0.15)


ROWS = pa.table(
    {
        "number": with_gaps(Z + RNG.normal(size=N)),
        "few": with_gaps(np.round(Z * 2)),
        "word": with_gaps(np.where(Z + RNG.normal(size=N) > 0, "up", "down")),
        "w": RNG.integers(0, 3, N),
    }
)
X = ROWS.drop(["w"])


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch):
    monkeypatch.setattr(chunk, "PARTITION_CELLS", 1 << 10)


def test_few_rows_are_learnt_like_a_table():
    whole = NaiveBayesImputer().fit(X, sample_weight=ROWS["w"].to_numpy())
    found = NaiveBayesImputer().fit_source(ROWS, weight="w")
    assert found.transform(X).equals(whole.transform(X))


def test_no_cut_changes_what_is_filled_in(monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 300)
    models = [
        NaiveBayesImputer(n_jobs=n_jobs).fit_source(source, columns=X.column_names)
        for source, n_jobs in ((ROWS, 1), (lambda: ROWS.to_batches(max_chunksize=90), 2))
    ]
    filled = [model.transform(X) for model in models]
    assert filled[0].equals(filled[1])
    assert filled[0]["word"].null_count == 0


def test_many_rows_are_filled_about_as_in_memory(monkeypatch):
    monkeypatch.setattr(raw_rows, "ALL_ROWS", 300)
    found = NaiveBayesImputer().fit_source(X).transform(X)
    whole = NaiveBayesImputer().fit(X).transform(X)
    gaps = X["number"].is_null().to_numpy()
    a, b = (table["number"].to_numpy()[gaps] for table in (found, whole))
    assert np.corrcoef(a, b)[0, 1] > 0.98


def test_a_target_is_refused():
    with pytest.raises(ValueError, match="`use_target` must be False for fit_source"):
        NaiveBayesImputer(use_target=True).fit_source("nowhere.parquet")
