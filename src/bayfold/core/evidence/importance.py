"""How much of the evidence each column brings, and which columns were left out."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import find_centres
from bayfold.core.densities import Term, TextTerm, centre_groups
from bayfold.core.evidence.records import Records
from bayfold.core.evidence.texts import add_up_words, predict_words, size_words
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.held_out import MOST_EVIDENCE
from bayfold.core.scoring.regression import TargetMoments, posterior


def share_evidence(model: NaiveBayesModel, counts: JointCounts) -> np.ndarray:
    """Mean absolute weight of each column's cells over the training rows, as shares of their sum.

    What columns say only together is shared evenly among them. Of texts, words are taken one by one: what a whole text
    says is not known without its row.
    """
    brought = np.zeros(len(model.schema.columns))
    for term in model.evidence_terms:
        if isinstance(term, TextTerm):
            n_known = counts.tables[term.column][FIRST_BIN:].sum()
            brought[term.column] = size_words(model, term, n_known)
            continue
        by_code = np.abs(_finite(centre_groups(term.tabulate(_centres(model, counts, term)))))
        rows = counts.tables[term.column].sum(axis=1)
        brought[term.column] = (rows * by_code.mean(axis=1)).sum()
    for pair in model.pairs:
        size = np.abs(_finite(centre_groups(pair.log_table))).mean(axis=-1)
        brought[list(pair.columns)] += (pair.rows * size).sum() / len(pair.columns)
    return as_shares(brought)


def share_shifts(model: NaiveBayesModel, counts: JointCounts, means: np.ndarray) -> np.ndarray:
    """How far each column alone moves the mean of the target, on average over the training rows, as shares of the sum.

    Parameters
    ----------
    model : NaiveBayesModel
        Over groups of the target.
    counts : JointCounts
        Of the training rows, by whatever cells of the target.
    means : ndarray of shape (n_groups,)
        Of the target within each group of the model.
    """
    brought = np.zeros(len(model.schema.columns))
    start = (posterior(model.log_prior[None, :]) * means).sum()
    for term in model.terms:
        if isinstance(term, TextTerm):
            moved = predict_words(model, term, TargetMoments(means, 0.0 * means))[0] - start
            n_known = counts.tables[term.column][FIRST_BIN:].sum()
            brought[term.column] = add_up_words(term, np.abs(moved), n_known)
            continue
        log_table = term.tabulate(_centres(model, counts, term))
        evidence = _finite(log_table - log_table.max(axis=1, keepdims=True))
        moved = (posterior(model.log_prior + evidence) * means).sum(axis=1) - start
        # not @: rounding would depend on where arrays lie in memory
        brought[term.column] = (counts.tables[term.column].sum(axis=1) * np.abs(moved)).sum()
    return as_shares(brought)


def as_shares(brought: np.ndarray) -> np.ndarray:
    """Amounts as shares of their sum; zeros where there is nothing."""
    total = brought.sum()
    return brought / total if total > 0 else np.zeros_like(brought)


def _centres(model: NaiveBayesModel, counts: JointCounts, term: Term) -> np.ndarray | None:
    """A number for each code of a numeric column."""
    schema = model.schema
    if term.column not in schema.numeric_position:
        return None
    return find_centres(schema, counts, term.column)


def _finite(log_values: np.ndarray) -> np.ndarray:
    """Impossible values as very improbable ones: infinity would be all there is."""
    return np.clip(np.nan_to_num(log_values), -MOST_EVIDENCE, MOST_EVIDENCE)


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
