"""Evidence of sampled rows from models that have not seen them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts.fold_counts import Fold, Folds
from bayfold.core.densities import centre_groups
from bayfold.core.scoring.derive import Settings, derive_model

HELD_OUT_ROWS = 10_000
"""Distinct rows whose evidence is held out: plenty for one weight per column."""

MOST_EVIDENCE = 30.0
"""A cell's evidence is clipped here: without smoothing it may be infinite."""


@dataclass(frozen=True)
class HeldOut:
    """Evidence of rows, with what is true of them.

    Attributes
    ----------
    evidence : ndarray of shape (n_rows, n_columns, n_scores)
    group_of : ndarray of int
    weights : ndarray
    """

    evidence: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray


def find_held_out_evidence(folds: Folds, settings: Settings) -> HeldOut:
    """Evidence of every sampled row from a model of the rows in the other folds.

    A row that stands for several equal ones may be in several folds, and has then as many entries.
    """
    sample = folds.sample
    schema = sample.schema
    assert schema is not None
    codes = list(sample.block().columns())
    # those with the smallest hashes, so again by what is in them
    first = folds.in_fold[:HELD_OUT_ROWS]
    places = [np.flatnonzero(in_this > 0) for in_this in first.T]
    n_groups = len(sample.groups)
    n_scores = 1 if n_groups == 2 else n_groups
    evidence = [
        _evidence_of_fold(fold, codes, rows, folds, settings, n_scores)
        for fold, rows in zip(folds.folds, places, strict=True)
    ]
    weights = [folds.in_fold[rows, k] for k, rows in enumerate(places)]
    row = np.concatenate(places)
    return HeldOut(np.concatenate(evidence), sample.group_of[row], np.concatenate(weights))


def _evidence_of_fold(
    fold: Fold,
    codes: list[np.ndarray],
    rows: np.ndarray,
    folds: Folds,
    settings: Settings,
    n_scores: int,
) -> np.ndarray:
    evidence = np.zeros((len(rows), len(codes), n_scores))
    if not fold.outside.totals.any():
        return evidence
    for term in derive_model(fold.outside, settings).terms:
        j = term.column
        by_code = centre_groups(term.tabulate(folds.centres.get(j)))
        by_code = np.clip(np.nan_to_num(by_code), -MOST_EVIDENCE, MOST_EVIDENCE)
        evidence[:, j] = by_code[codes[j][rows]]
    # of a group that is only inside the fold nothing is known: its rows tell nothing about the weights
    evidence[fold.outside.totals[folds.sample.group_of[rows]] == 0] = 0.0
    return evidence
