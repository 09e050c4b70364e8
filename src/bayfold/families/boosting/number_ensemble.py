"""What boosting of a number has learnt, ready to predict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.frames import Table
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.stored import Stored
from bayfold.errors import no_statistics
from bayfold.families.boosting.number_model import LOCATION, NumberPredictor
from bayfold.families.boosting.tree_rounds import TreeRounds


class NumberEnsemble(Stored):
    """The tables that boosted trees of a number add up to.

    Parameters
    ----------
    predictor : NumberPredictor
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
        predictor: NumberPredictor,
        counts: JointCounts,
        n_rounds: int,
        losses: np.ndarray,
        left_out_share: float,
        blend_weights: np.ndarray,
        target: dict[str, float],
        held_out: HeldOutScore,
        rounds: TreeRounds | None,
    ) -> None:
        self.predictor, self.counts, self.rounds = predictor, counts, rounds
        self.n_rounds, self.losses, self.left_out_share = n_rounds, losses, left_out_share
        self.blend_weights, self.target, self.held_out = blend_weights, target, held_out
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
