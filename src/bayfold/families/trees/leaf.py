"""Naive Bayes in the leaves: how counts become evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.families.trees import kernels


@dataclass(frozen=True)
class LeafSettings:
    """The estimate of a value's probability: ``(n_vg + m n_v / n) / (n_g + m)``.

    Attributes
    ----------
    m : float
        Pseudo-rows, spread like the whole column.
    count_all_rows : bool
        Whether n and n_g count all rows (Ting & Zheng 2003) or those in which the cell is known.
    """

    m: float = 2.0
    count_all_rows: bool = False


def estimate_evidence(
    counts: np.ndarray,
    starts: np.ndarray,
    n_codes: np.ndarray,
    is_used: np.ndarray,
    settings: LeafSettings,
    dtype: type = np.float64,
) -> tuple[np.ndarray, np.ndarray]:
    """Evidence (leaves x codes x scores) and prior (leaves x scores) from counts (leaves x codes x groups)."""
    n_leaves, total_codes, n_groups = counts.shape
    n_scores = 1 if n_groups == 2 else n_groups
    evidence: np.ndarray = np.zeros((n_leaves, total_codes, n_scores), dtype)
    prior = np.zeros((n_leaves, 1, n_scores))
    kernels.estimate_leaves(
        counts, starts, n_codes, is_used, settings.m, settings.count_all_rows, evidence, prior
    )
    return evidence, prior[:, 0]
