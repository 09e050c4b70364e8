"""The terms of a model packed, kind by kind, into what scores blocks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from bayfold.core.densities.terms import PackedTerms, Packing, Summand
from bayfold.core.schema import RowBlock
from bayfold.core.scoring.naive_bayes import NaiveBayesModel

GROUPS_TO_LEAVE_OUT = 16
"""From so many groups on, terms without weight are left out: reading zeros of fewer takes no longer than choosing the
codes of the other columns."""


class Scorer:
    """Scores of coded rows.

    Parameters
    ----------
    model : NaiveBayesModel
    centred : bool
        True: weights of evidence, one column for two groups and one per group for more; their sum is the
        decision function. False: log p(g, x), one column per group.
    columns : sequence of int or None
        Only the terms of these columns; None for all, and for pairs of columns.
    with_prior : bool
    """

    def __init__(
        self,
        model: NaiveBayesModel,
        *,
        centred: bool = True,
        columns: Sequence[int] | None = None,
        with_prior: bool = True,
    ) -> None:
        prior = model.intercept if centred else model.log_prior
        self.start = prior if with_prior else np.zeros_like(prior)
        self.n_scores = len(self.start)
        silent = model.silent_columns if centred and self.n_scores >= GROUPS_TO_LEAVE_OUT else ()
        summands: list[Summand] = [
            term
            for term in (model.evidence_terms if centred else model.terms)
            if (columns is None or term.column in columns) and term.column not in silent
        ]
        summands += model.pairs if columns is None else ()
        self.packed = pack_by_kind(summands, Packing(model.schema, self.n_scores, centred))

    def score(self, block: RowBlock) -> np.ndarray:
        """Scores of shape (n_rows, n_scores)."""
        scores = np.empty((block.n_rows, self.n_scores))
        scores[:] = self.start
        for packed in self.packed:
            packed.add_scores(block, scores)
        return scores


def pack_by_kind(summands: Sequence[Summand], packing: Packing) -> list[PackedTerms]:
    """One object per kind that adds up the terms of this kind.

    Kinds follow each other by name, so that the order of columns does not change in which order scores are rounded;
    backwards by name, because tables, the most frequent kind, come first that way.
    """
    ordered = sorted(summands, key=_kind, reverse=True)
    by_kind = [list(some) for _, some in groupby(ordered, _kind)]
    return [some[0].pack(some, packing) for some in by_kind]


def _kind(summand: Summand) -> str:
    return summand.kind
