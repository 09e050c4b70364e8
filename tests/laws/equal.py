"""Two models that are the same, bit for bit: what they count, what they sample, what they answer."""

from __future__ import annotations

import numpy as np


def assert_same(model, other, X, exact=True):
    compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
    options = {} if exact else {"rtol": 1e-9, "atol": 1e-12}
    a, b = model.statistics_, other.statistics_
    assert model.schema_ == other.schema_
    assert a.groups.tolist() == b.groups.tolist()
    for table, same in zip(a.counts.tables, b.counts.tables, strict=True):
        compare(table, same, **options)
    np.testing.assert_array_equal(a.counts.minimum, b.counts.minimum)
    np.testing.assert_array_equal(a.sample.hashes, b.sample.hashes)
    compare(a.sample.weights, b.sample.weights, **options)
    answer = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    compare(getattr(model, answer)(X), getattr(other, answer)(X), **options)
