"""Boosted trees round by round, for those who ask what was predicted on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.schema import RowBlock
from bayfold.families.boosting import kernels
from bayfold.families.boosting.collapse import centre_scores
from bayfold.families.boosting.cross_fit import CrossFit


@dataclass(frozen=True, eq=False)
class TreeRounds:
    """The trees round by round, and the counts that their start is read from."""

    trees: CrossFit
    counts: JointCounts

    @property
    def shares(self) -> np.ndarray:
        """The summed size of all steps up to each round, as a share of that of all rounds."""
        sizes = np.abs(self.trees.values).sum(axis=(0, 2, 3))
        return np.cumsum(sizes) / max(sizes.sum(), 1e-300)

    def walk(self, block: RowBlock, texts: np.ndarray | float = 0.0) -> Iterator[np.ndarray]:
        """Scores after each round as the trees alone have them, beside what texts say."""
        trees, codes = self.trees, block.narrow
        scores = np.tile(trees.start.scores, (len(codes), 1)) + texts
        for k, table in trees.start.tables(self.counts).items():
            n_narrow = codes.shape[1]
            scores += table[codes[:, k] if k < n_narrow else block.wide[:, k - n_narrow]]
        for pair in getattr(trees.start, "pairs", ()):
            scores += pair.look_up(*(codes[:, k] for k in pair.columns))
        for t in range(trees.splits.shape[1]):
            kernels.score_round(
                codes,
                np.ascontiguousarray(trees.splits[:, t]),
                np.ascontiguousarray(trees.values[:, t]),
                scores,
            )
            yield scores - centre_scores(scores)

    def walk_to(
        self, last: np.ndarray, block: RowBlock, texts: np.ndarray | float = 0.0
    ) -> Iterator[np.ndarray]:
        """Scores after each round; the last are those given, which are the tables'.

        Where a cell gives no evidence, or pairs were left out, trees and tables differ. The difference comes in with
        the rounds, in proportion to the size of their steps. A model without rounds is heard once: as it began.
        """
        if len(self.shares) == 0:
            yield last
        difference = np.zeros_like(last)
        for scores in self.walk(block, texts):
            difference = last - scores
        for scores, share in zip(self.walk(block, texts), self.shares, strict=True):
            yield scores + share * difference
