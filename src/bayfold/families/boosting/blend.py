"""Models that began in different ways, added up as one: each group of models with a weight of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayfold.families.boosting.cross_fit import CrossFit
from bayfold.families.boosting.kernels.inputs import NO_SPLIT
from bayfold.families.boosting.losses import Loss
from bayfold.families.boosting.task import ModelStart


@dataclass(frozen=True, eq=False)
class GivenScores:
    """A beginning with scores that were found elsewhere: for each model, of all rows.

    Attributes
    ----------
    start : ModelStart
        What of it is part of the model.
    loss : Loss
    scores : sequence of ndarray of shape (n_rows, n_scores)
        One for each model, none of which may know the model's own fold.
    """

    start: ModelStart
    loss: Loss
    scores: Sequence[np.ndarray]

    def begin(self, fold: int) -> np.ndarray:
        """What the model that leaves out a fold holds of all rows."""
        return self.loss.from_scores(self.scores[fold])


def blend_trees(parts: Sequence[CrossFit], weights: Sequence[float], start: ModelStart) -> CrossFit:
    """Trees whose average is the weighted sum of the averages of all parts.

    Parameters
    ----------
    parts : sequence of CrossFit
        Each an average of its own models.
    weights : sequence of float
    start : ModelStart
        What all models together began with: the weighted sum of what the parts began with.

    Returns
    -------
    trees : CrossFit
        With the models of all parts; parts of fewer rounds have trees that add nothing. The losses are those of the
        first part.
    """
    n_models = sum(len(part.splits) for part in parts)
    n_rounds = max(part.splits.shape[1] for part in parts)
    splits, values = [], []
    for part, weight in zip(parts, weights, strict=True):
        beyond = [(0, 0), (0, n_rounds - part.splits.shape[1]), (0, 0), (0, 0)]
        nothing = np.pad(part.splits, beyond)
        nothing[:, part.splits.shape[1] :, :, 1] = NO_SPLIT
        splits.append(nothing)
        share = weight * n_models / len(part.splits)
        values.append(np.pad(share * part.values, beyond))
    return CrossFit(
        np.concatenate(splits),
        np.concatenate(values),
        parts[0].losses,
        start,
        any(part.is_cut_short for part in parts),
    )
