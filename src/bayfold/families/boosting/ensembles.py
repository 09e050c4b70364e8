"""What additive boosting has learnt, ready to predict: of classes, of a number, and round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.evidence import share_evidence
from bayfold.core.frames import Table
from bayfold.core.schema import RowBlock
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.stored import Stored
from bayfold.errors import no_statistics
from bayfold.families.boosting import kernels
from bayfold.families.boosting.collapse import centre_scores
from bayfold.families.boosting.numbers.model import LOCATION, NumberPredictor
from bayfold.families.boosting.rates.model import RatePredictor
from bayfold.families.boosting.rounds.cross_fit import CrossFit
from bayfold.families.boosting.starts.texts import (
    score_texts,
)


@dataclass(frozen=True, eq=False)
class TreeRounds:
    """The trees round by round, and the counts that their start is read from."""

    trees: CrossFit
    counts: JointCounts

    @property
    def shares(self) -> np.ndarray:
        """The summed size of all steps up to each round, as a share of that of all rounds; even where all are zero."""
        sizes = np.abs(self.trees.values).sum(axis=(0, 2, 3))
        sizes = sizes if sizes.any() else np.ones_like(sizes)
        return np.cumsum(sizes) / max(sizes.sum(), 1e-300)

    def walk(self, block: RowBlock, texts: np.ndarray | float = 0.0) -> Iterator[np.ndarray]:
        """Scores after each round as the trees alone have them, beside what texts say."""
        trees = self.trees
        codes = block.narrow
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
        the rounds, in proportion to the size of their steps. A model without rounds counts once, as it
        began.
        """
        if len(self.shares) == 0:
            yield last
        difference = np.zeros_like(last)
        for scores in self.walk(block, texts):
            difference = last - scores
        for scores, share in zip(self.walk(block, texts), self.shares, strict=True):
            yield scores + share * difference


class AdditiveEnsemble(Stored):
    """The tables that boosted trees add up to.

    Parameters
    ----------
    model : NaiveBayesModel
    counts : JointCounts
        Of the training rows as they were given.
    n_rounds : int
    losses : ndarray
        Of the left-out rows after each round that was run.
    left_out_share : float
        What is lost by leaving out pairs.
    blend_weights : ndarray of shape (3,)
        Of trees, of a linear model, and of trees that began with it.
    rounds : TreeRounds or None
        None in a model that was saved without them.
    conformal : ConformalScores or None
        Of the rows that models left out.
    gained : float
        The log-loss of rows that were left out, less with tables of three columns.
    """

    def __init__(
        self,
        model: NaiveBayesModel,
        counts: JointCounts,
        n_rounds: int,
        losses: np.ndarray,
        left_out_share: float,
        blend_weights: np.ndarray,
        rounds: TreeRounds | None,
        conformal: ConformalScores | None = None,
        gained: float = 0.0,
    ) -> None:
        self.conformal = conformal
        self.gained = gained
        self.model = model
        self.counts = counts
        self.rounds = rounds
        self.n_rounds = n_rounds
        self.losses = losses
        self.left_out_share = left_out_share
        self.blend_weights = blend_weights
        self.log_prior = model.log_prior
        self._predictor = Predictor(model)
        self.learnt: dict[str, Any] = {
            "schema_": model.schema,
            "n_rounds_": n_rounds,
            "validation_loss_": losses,
            "left_out_share_": left_out_share,
            "blend_weights_": blend_weights,
        }

    def find_importances(self) -> np.ndarray:
        """Shares of the columns in the evidence, alone and in pairs."""
        return share_evidence(self.model, self.counts)

    def score(
        self, table: Table, *, readout: Callable | None = None, n_threads: int = 1
    ) -> np.ndarray:
        """Scores of all rows from the tables."""
        return self._predictor.score(table, readout=readout, n_threads=n_threads)

    def staged_scores(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Scores after each round, by walking the trees; the last are those of the tables."""
        if self.rounds is None:
            raise no_statistics("the scores of each round")
        block = self._predictor.coder.open(table, warn_unseen=False).block(0, table.n_rows)
        last = self.score(table, n_threads=n_threads)
        yield from self.rounds.walk_to(last, block, score_texts(self.model, block))


class NumberEnsemble(Stored):
    """The tables that boosted trees of a number add up to.

    Parameters
    ----------
    predictor : NumberPredictor or RatePredictor
    counts : JointCounts
        Of the training rows as they were given, in one group.
    n_rounds : int
    losses : ndarray
        Mean squared error of the left-out rows on the scale after each round that was run; log-loss of two values.
    left_out_share : float
        What is lost by leaving out pairs.
    blend_weights : ndarray of shape (3,)
        Of trees, of a linear model, and of trees that began with it.
    target : dict of str to float
        Mean, standard deviation, quartiles and range of the training targets.
    held_out : HeldOutScore
        How well rows were predicted by the models that left them out.
    rounds : TreeRounds or None
        Of the location; None in a model that was saved without them.
    """

    def __init__(
        self,
        predictor: NumberPredictor | RatePredictor,
        counts: JointCounts,
        n_rounds: int,
        losses: np.ndarray,
        left_out_share: float,
        blend_weights: np.ndarray,
        target: dict[str, float],
        held_out: HeldOutScore,
        rounds: TreeRounds | None,
    ) -> None:
        self.predictor = predictor
        self.counts = counts
        self.rounds = rounds
        self.n_rounds = n_rounds
        self.losses = losses
        self.left_out_share = left_out_share
        self.blend_weights = blend_weights
        self.target = target
        self.held_out = held_out
        self.learnt: dict[str, Any] = {
            "schema_": predictor.model.schema,
            "n_rounds_": n_rounds,
            "validation_loss_": losses,
            "left_out_share_": left_out_share,
            "blend_weights_": blend_weights,
        }

    def staged_means(self, table: Table, n_threads: int = 1) -> Iterator[np.ndarray]:
        """Means after each round; the last are those of the tables."""
        if self.rounds is None:
            raise no_statistics("the predictions of each round")
        predictor = self.predictor
        block = predictor.coder.open(table, warn_unseen=False).block(0, table.n_rows)
        last = predictor.score(table, n_threads=n_threads)
        for located in self.rounds.walk_to(last[:, :1].copy(), block):
            last[:, LOCATION] = located[:, 0]
            yield predictor.read_means(last)
