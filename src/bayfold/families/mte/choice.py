"""The number of pieces, the bandwidth and the columns, chosen by the squared error of sampled rows left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayfold.families.mte.learner import MTESettings
from bayfold.families.mte.left_out import LeftOutRows

PIECES = (30, 20, 8, 4)
"""Numbers of pieces to try, from fine to coarse, about a factor of two apart."""

FACTORS = (1.0, 0.5, 2.0, 3.0)
"""What is tried. The first is what is taken unless another is clearly better."""

STANDARD_ERRORS = 2.0
"""By how many standard errors of the difference another candidate must be better."""

CHOICE_COLUMNS = 8
"""Of more columns, those that tell most on their own are enough to choose settings by."""


def choose_settings(
    left_out: LeftOutRows, n_pieces: int | str, factor: float | str, settings: MTESettings
) -> tuple[int, MTESettings]:
    """The number of pieces, then the bandwidth factor: those given as "cv" by the errors of rows left out."""
    all_pieces = PIECES if n_pieces == "cv" else (int(n_pieces),)
    factors = FACTORS if factor == "cv" else (float(factor),)
    tried = [replace(settings, bandwidth_factor=b) for b in factors]
    chosen, current = all_pieces[0], tried[0]
    if not len(left_out.target) or len(all_pieces) == len(factors) == 1:
        return chosen, current
    columns = find_best_columns(left_out, chosen, current)

    def errors_of(n_pieces: int, settings: MTESettings) -> np.ndarray:
        cut = left_out.cut(n_pieces)
        scores = left_out.find_prior(cut)
        for j in columns:
            scores += left_out.find_evidence(j, cut, settings)
        return left_out.find_errors(cut, scores)

    errors = [errors_of(k, current) for k in all_pieces]
    best = choose_better(errors, left_out.weights)
    chosen, errors = all_pieces[best], [errors[best]]
    errors += [errors_of(chosen, one) for one in tried[1:]]
    return chosen, tried[choose_better(errors, left_out.weights)]


def find_best_columns(left_out: LeftOutRows, n_pieces: int, settings: MTESettings) -> list[int]:
    """The columns with the lowest error of their own; all while they are few."""
    if left_out.n_columns <= CHOICE_COLUMNS:
        return list(range(left_out.n_columns))
    cut = left_out.cut(n_pieces)
    prior = left_out.find_prior(cut)
    alone = [
        left_out.weights
        @ left_out.find_errors(cut, prior + left_out.find_evidence(j, cut, settings))
        for j in range(left_out.n_columns)
    ]
    return sorted(np.argsort(alone, kind="stable")[:CHOICE_COLUMNS].tolist())


def choose_columns(
    left_out: LeftOutRows, ordered: list[int], n_pieces: int, settings: MTESettings
) -> list[int]:
    """Go through the columns in order and keep each that lowers the error."""
    cut = left_out.cut(n_pieces)
    scores = left_out.find_prior(cut)
    best, chosen = np.inf, []  # the first column always stays
    for j in ordered:
        tried = scores + left_out.find_evidence(j, cut, settings)
        error = float(left_out.weights @ left_out.find_errors(cut, tried))
        if error < best:
            best, scores = error, tried
            chosen.append(j)
    return chosen


def choose_better(errors: list[np.ndarray], weights: np.ndarray) -> int:
    """The candidate with the lowest error of those that beat the first by two standard errors, else the first.

    The smallest error alone would follow chance wherever rows are few.
    """
    best, best_gain = 0, 0.0
    total = weights.sum()
    for k, error in enumerate(errors[1:], 1):
        gain = errors[0] - error
        mean = (weights @ gain) / total
        spread = np.sqrt(max(weights @ (gain - mean) ** 2, 0.0)) / total
        if mean > STANDARD_ERRORS * spread and mean > best_gain:
            best, best_gain = k, mean
    return best
