"""A model made ready for tables: coding, scoring in threads, readout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from bayfold.core.engine import block_rows, map_in_threads
from bayfold.core.frames import Table
from bayfold.core.schema import Coder, RowBlock
from bayfold.core.scoring import Scorer
from bayfold.core.stored import Stored

Readout = Callable[[np.ndarray], np.ndarray]


class BlockScorer(Protocol):
    """What scores coded rows: the sum of terms of most models, or what a method makes of them."""

    n_scores: int
    start: np.ndarray

    def score(self, block: RowBlock) -> np.ndarray:
        """Scores of shape (n_rows, n_scores)."""
        ...


class Predictor(Stored):
    """A model with its coder and packed terms.

    Parameters
    ----------
    model : NaiveBayesModel or a method's own model
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.coder = Coder(model.schema)
        self.rows_per_block = block_rows(len(model.schema.columns), len(model.schema.text))
        self.decision = self._make_decision()

    def _make_decision(self) -> BlockScorer:
        """What scores rows unless another scorer is asked for: weights of evidence."""
        return Scorer(self.model)

    def score(
        self,
        table: Table,
        *,
        scorer: BlockScorer | None = None,
        readout: Readout | None = None,
        n_threads: int = 1,
    ) -> np.ndarray:
        """Scores of all rows, turned block by block into what ``readout`` makes of them."""
        scores_of = self.decision if scorer is None else scorer
        size = self.rows_per_block
        return score_table(
            self.coder, table, scores_of.score, scores_of.n_scores, readout, n_threads, size
        )


def score_table(
    coder: Coder,
    table: Table,
    score: Callable[[RowBlock], np.ndarray],
    n_scores: int,
    readout: Readout | None = None,
    n_threads: int = 1,
    rows_per_block: int | None = None,
) -> np.ndarray:
    """Scores of all rows of a table, block by block, turned into what ``readout`` makes of them."""
    coded = coder.open(table)
    size = rows_per_block or block_rows(len(coder.schema.columns))
    readout = _unchanged if readout is None else readout
    shape_of_answer = readout(np.zeros((1, n_scores)))
    answers = np.empty((table.n_rows, *shape_of_answer.shape[1:]), shape_of_answer.dtype)

    def score_block(start: int) -> None:
        stop = min(start + size, table.n_rows)
        answers[start:stop] = readout(score(coded.block(start, stop)))

    map_in_threads(score_block, range(0, table.n_rows, size), n_threads)
    return answers


def _unchanged(scores: np.ndarray) -> np.ndarray:
    return scores
