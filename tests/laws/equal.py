"""Two models that are the same, bit for bit: what they count, what they sample, what they answer."""

from __future__ import annotations

import numpy as np


def assert_same(model, other, X, exact=True):
    """Without ``exact``, sums agree to 12 digits and what is derived from them to 9."""
    a, b = model.statistics_, other.statistics_
    assert model.schema_ == other.schema_
    assert a.groups.tolist() == b.groups.tolist()
    assert a.counts.moments.keys() == b.counts.moments.keys()
    for table, same in zip(a.counts.tables, b.counts.tables, strict=True):
        compare_sums(table, same, exact)
    for column, sums in a.counts.moments.items():
        compare_sums(sums, b.counts.moments[column], exact)
    np.testing.assert_array_equal(a.counts.minimum, b.counts.minimum)
    np.testing.assert_array_equal(a.sample.hashes, b.sample.hashes)
    compare_sums(a.sample.weights, b.sample.weights, exact)
    answer = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    found, known = getattr(model, answer)(X), getattr(other, answer)(X)
    np.testing.assert_allclose(
        found, known, **({} if exact else {"atol": 1e-12}), rtol=0 if exact else 1e-9
    )


def compare_sums(sums, same, exact):
    if exact:
        np.testing.assert_array_equal(sums, same)
        return
    # sums of numbers around zero: 12 digits of what was added, not of what is left
    np.testing.assert_allclose(sums, same, rtol=1e-12, atol=1e-12 * np.abs(sums).max(initial=0.0))
