"""Ting and Zheng's leveled trees on raw columns: thresholds on numbers, naive Bayes on MDL bins in leaves."""

from __future__ import annotations

import numpy as np

from tests.reference import tree as twin
from tests.reference.adaboost import boost_m1
from tests.reference.mdl import find_mdl_cuts


class LeveledTrees:
    """Codes of some training rows, and the models of weighted rows; None and NaN are missing cells."""

    def __init__(self, columns, group_of, n_groups, depth):
        self.group_of, self.n_groups, self.depth = group_of, n_groups, depth
        self.ordered = np.array([column.dtype.kind == "f" for column in columns])
        splits, leaves = zip(*(self._encode(column) for column in columns), strict=True)
        self.splits = np.stack(splits, axis=1)
        self.leaves = np.stack(leaves, axis=1)

    def _encode(self, column):
        """For splits every value has a code of its own, for leaves an MDL bin."""
        is_number = column.dtype.kind == "f"
        known = ~np.isnan(column) if is_number else np.array([v is not None for v in column])
        values, rank = np.unique(column[known], return_inverse=True)
        codes = np.zeros(len(column), int)
        codes[known] = rank + twin.FIRST_BIN
        if not is_number:
            return codes, codes
        counts = np.zeros((len(values), self.n_groups))
        np.add.at(counts, (rank, self.group_of[known]), 1.0)
        bins = codes.copy()
        bins[known] = np.searchsorted(find_mdl_cuts(counts), rank, side="right") + twin.FIRST_BIN
        return codes, bins

    def fit(self, weights):
        """Probabilities of all rows by the tree of the weighted rows."""
        rows = list(enumerate(weights))
        root = twin.grow(
            rows, self.splits, self.group_of, self.n_groups, self.ordered, self.depth, 30, 0
        )
        return np.stack([self._predict(root, i) for i in range(len(self.splits))])

    def _predict(self, node, i):
        if node.column is None:
            codes = self.leaves
            return twin.naive_bayes(node, codes[i], codes, self.group_of, self.n_groups, 2.0, True)
        where = node.branch(self.splits[i][node.column])
        shares = {where: 1.0} if where is not None else node.shares()
        return sum(share * self._predict(node.children[key], i) for key, share in shares.items())

    def boost(self, n_rounds):
        """Shares of the votes of all rows, round errors and votes."""
        n = len(self.group_of)
        answers = []

        def fit_and_score(weights):
            answers.append(self.fit(weights))
            return answers[-1]

        def draw():
            raise AssertionError(
                "no model may be perfect, or no better than chance: draws are not compared"
            )

        errors, votes, _ = boost_m1(fit_and_score, self.group_of, np.ones(n), n_rounds, draw)
        shares = np.zeros((n, self.n_groups))
        for found, vote in zip(answers, votes, strict=True):
            shares[np.arange(n), found.argmax(axis=1)] += vote
        return shares / shares.sum(axis=1, keepdims=True), errors, votes
