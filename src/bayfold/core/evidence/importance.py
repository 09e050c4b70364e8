"""How much of the evidence each column brings, and which columns were left out."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.densities import centre_groups
from bayfold.core.evidence.records import Records
from bayfold.core.scoring import NaiveBayesModel


def share_evidence(model: NaiveBayesModel, counts: JointCounts) -> np.ndarray:
    """Mean absolute weight of each column's cells over the training rows, as shares of their sum."""
    schema = model.schema
    brought = np.zeros(len(model.terms))
    for term in model.evidence_terms:
        j = term.column
        centres = find_centres(schema, counts, j) if j in schema.numeric_position else None
        by_code = np.abs(np.nan_to_num(centre_groups(term.tabulate(centres)))).mean(axis=1)
        brought[j] = (counts.tables[j].sum(axis=1) * by_code).sum()
    total = brought.sum()
    return brought / total if total > 0 else brought


def describe_selection(model: NaiveBayesModel) -> Records:
    """Records of step, column, weight and log_loss: one per column that was dropped."""
    dropped = () if model.calibration is None else model.calibration.dropped
    names = model.schema.names
    return Records(
        {
            "step": np.arange(1, len(dropped) + 1),
            "column": np.array([names[drop.column] for drop in dropped], object),
            "weight": np.array([drop.weight for drop in dropped], np.float64),
            "log_loss": np.array([drop.log_loss for drop in dropped], np.float64),
        }
    )
