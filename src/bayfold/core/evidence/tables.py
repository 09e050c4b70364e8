"""The tables of a model in words."""

from __future__ import annotations

import numpy as np

from bayfold.core.scoring import NaiveBayesModel


def describe_tables(model: NaiveBayesModel) -> list[str]:
    """What each column is said by: how many weights of its own, and in how many pairs it takes part."""
    n_pairs = np.zeros(len(model.schema.columns), np.int64)
    for pair in model.pairs:
        n_pairs[list(pair.columns)] += 1
    words = []
    for term, k in zip(model.terms, n_pairs.tolist(), strict=True):
        n_bins = model.schema.columns[term.column].n_bins
        n_bins = n_bins if term.merge is None else int(term.merge.max(initial=0)) + 1
        alone = f"{n_bins} bin{'s' * (n_bins != 1)}"
        pairs = f"{k} pair{'s' * (k != 1)}" if k else ""
        is_silent = not term.tabulate(None).any()
        words.append(", ".join(filter(None, ("" if is_silent else alone, pairs))) or "no weight")
    return words
