"""A model over pieces of a numeric target, made ready for tables."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from bayfold.core import kernels
from bayfold.core.frames import Table
from bayfold.core.scoring import Scorer
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.regression import posterior
from bayfold.families.mte.distribution import PieceDistribution
from bayfold.families.mte.learner import MTEModel
from bayfold.families.mte.own_term import EXPONENTIAL


class MTEPredictor(Predictor):
    """A model with its coder and packed terms.

    Parameters
    ----------
    mte : MTEModel
    """

    def __init__(self, mte: MTEModel) -> None:
        super().__init__(mte.naive)
        self.mte, self.pieces = mte, mte.pieces

    def _make_decision(self) -> Scorer:
        """One score per piece."""
        return Scorer(self.model, centred=False)

    def probabilities(self, table: Table, n_threads: int) -> np.ndarray:
        """Probability of each piece, of shape (n_rows, n_pieces)."""
        return self.score(table, readout=posterior, n_threads=n_threads)

    def means(self, table: Table, n_threads: int) -> np.ndarray:
        """Mean of each row's distribution."""
        means_of_pieces = self.pieces.means()

        def read_means(scores: np.ndarray) -> np.ndarray:
            means = np.empty(len(scores))
            kernels.read_means(scores, means_of_pieces, means)
            return means

        return self.score(table, readout=read_means, n_threads=n_threads)

    def distribution(self, table: Table, n_threads: int) -> PieceDistribution:
        """The distribution of each row."""
        return PieceDistribution(self.pieces, self.probabilities(table, n_threads))

    def log_density(self, table: Table, target: np.ndarray | None, n_threads: int) -> np.ndarray:
        """Log-density of each row, together with its target if there is one."""
        scores = self.score(table, n_threads=n_threads)
        if target is None:
            answers = logsumexp(scores, axis=1)
        else:
            piece, within = self.pieces.log_density(target)
            answers = scores[np.arange(len(piece)), piece] + within
        for term in self.model.terms:
            if term.kind in EXPONENTIAL:
                x = table.columns[term.column].numbers(0, table.n_rows)
                answers += np.where(np.isnan(x), 0.0, term.log_unit)
        return answers
