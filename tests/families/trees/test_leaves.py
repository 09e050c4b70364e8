"""Evidence of leaves against its twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayfold.families.trees import kernels
from tests import reference

shapes = st.tuples(
    st.integers(0, 2**32 - 1),  # seed
    st.integers(1, 3),  # leaves
    st.lists(st.integers(2, 6), min_size=1, max_size=4),  # codes of each column
    st.integers(1, 5),  # groups
    st.booleans(),
)


@given(shapes)
def test_evidence_matches_the_twin(shape):
    seed, n_leaves, n_codes, n_groups, all_rows = shape
    rng = np.random.default_rng(seed)
    n_codes = np.array(n_codes)
    starts = np.append(0, np.cumsum(n_codes)[:-1])
    counts = rng.integers(0, 3, (n_leaves, n_codes.sum(), n_groups)) * rng.random()
    for j in range(1, len(n_codes)):  # every row has one code in each column
        here = slice(starts[j], starts[j] + n_codes[j])
        total = counts[:, : n_codes[0]].sum(axis=1)
        counts[:, here] = 0
        for leaf in range(n_leaves):
            for g in range(n_groups):
                counts[leaf, rng.integers(starts[j], starts[j] + n_codes[j]), g] += total[leaf, g]
    is_used = rng.random((n_leaves, len(n_codes))) < 0.3
    n_scores = 1 if n_groups == 2 else n_groups
    evidence = np.zeros((n_leaves, counts.shape[1], n_scores))
    prior = np.zeros((n_leaves, 1, n_scores))
    kernels.estimate_leaves(counts, starts, n_codes, is_used, 2.0, all_rows, evidence, prior)
    expected, expected_prior = reference.estimate_leaves(
        counts, starts, n_codes, is_used, 2.0, all_rows
    )
    np.testing.assert_allclose(evidence, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(prior, expected_prior, rtol=1e-10, atol=1e-12)
