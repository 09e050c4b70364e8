"""From statistics to a fitted MTE model over pieces of the target.

The number of pieces, the bandwidth and the columns are chosen by the squared error of held-out rows of the sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.scoring.column_weights import fit_column_weights
from bayfold.core.scoring.errors import ShiftErrors
from bayfold.core.scoring.levels import LevelCorrection, count_units
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.scoring.regression import posterior
from bayfold.families.mte.distribution import PieceDistribution
from bayfold.families.mte.information import mutual_information
from bayfold.families.mte.learner import (
    MTEModel,
    MTESettings,
    NumericDomain,
    derive_mte,
    find_domains,
)
from bayfold.families.mte.left_out import LeftOutRows
from bayfold.families.mte.target_pieces import pieces_of_counts

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
    chosen = all_pieces[0]
    current = tried[0]
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
    chosen = all_pieces[best]
    errors = [errors[best]]
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
    # the first column always stays
    best = np.inf
    chosen = []
    for j in ordered:
        tried = scores + left_out.find_evidence(j, cut, settings)
        error = float(left_out.weights @ left_out.find_errors(cut, tried))
        if error < best:
            best = error
            scores = tried
            chosen.append(j)
    return chosen


def choose_better(errors: list[np.ndarray], weights: np.ndarray) -> int:
    """The candidate with the lowest error of those that beat the first by two standard errors, else the first.

    The smallest error alone would follow chance wherever rows are few.
    """
    best = 0
    best_gain = 0.0
    total = weights.sum()
    for k, error in enumerate(errors[1:], 1):
        gain = errors[0] - error
        mean = (weights @ gain) / total
        spread = np.sqrt(max(weights @ (gain - mean) ** 2, 0.0)) / total
        if mean > STANDARD_ERRORS * spread and mean > best_gain:
            best = k
            best_gain = mean
    return best


@dataclass(frozen=True)
class MTEChoices:
    """What to fit: numbers, or "cv" for what is to be chosen.

    Attributes
    ----------
    n_pieces : int or "cv"
    bandwidth_factor : float or "cv"
    max_intervals : int
    fit : {"ls", "ml"}
    selection : "mi" or None
    calibration : {"weights", "temperature"} or None
    intervals : {"shared", "own"}
    """

    n_pieces: int | str = "cv"
    bandwidth_factor: float | str = "cv"
    max_intervals: int = 6
    fit: str = "ls"
    selection: str | None = None
    calibration: str | None = "weights"
    intervals: str = "shared"


@dataclass(frozen=True, eq=False)
class MTEFit:
    """A model and what it was chosen to be.

    Attributes
    ----------
    model : MTEModel
        Densities as they were fitted.
    n_pieces : int
        As asked for; the target may have too few values for as many.
    settings : MTESettings
    columns : list of int
        The columns that count.
    information : ndarray of shape (n_columns,)
        Mutual information of each column and the target, in nats.
    domains : dict of int to NumericDomain
    column_weights : ndarray of shape (n_columns,)
        How far each column is believed.
    held_out : HeldOutScore or None
        How well rows left out were predicted.
    correction : LevelCorrection or None
        So that intervals hold as many of these rows as they promise.
    """

    model: MTEModel
    n_pieces: int
    settings: MTESettings
    columns: list[int]
    information: np.ndarray
    domains: dict[int, NumericDomain]
    column_weights: np.ndarray
    held_out: HeldOutScore | None = None
    correction: LevelCorrection | None = None

    def weigh(self, model: MTEModel) -> MTEModel:
        """A model with its columns believed as far as those of this one."""
        terms = tuple(t.scaled(float(self.column_weights[t.column])) for t in model.naive.terms)
        return replace(model, naive=replace(model.naive, terms=terms))


def fit_mte(statistics: Statistics, choices: MTEChoices) -> MTEFit:
    """Choose what was left open, and derive the model."""
    sample = statistics.sample.even
    units = find_units(statistics.counts, sample.block(), sample.group_of, sample.weights)
    counts = statistics.counts.scaled(units.share)
    assert counts.schema is not None
    domains = find_domains(counts)
    left_out = LeftOutRows(statistics, domains)
    settings = MTESettings(choices.max_intervals, 1.0, choices.fit, choices.intervals)
    n_pieces, settings = choose_settings(
        left_out, choices.n_pieces, choices.bandwidth_factor, settings
    )
    cut = pieces_of_counts(counts, n_pieces)
    tables = [cut.merge(table) for table in counts.tables]
    # a column that names rows cannot be tested on others
    columns = np.flatnonzero(~find_identifiers(counts)).tolist()
    model = derive_mte(counts.schema, domains, tables, cut, settings, columns)
    information = mutual_information(model, len(tables))
    if choices.selection is not None:
        ordered = [j for j in np.argsort(-information, kind="stable").tolist() if j in columns]
        columns = sorted(choose_columns(left_out, ordered, n_pieces, settings))
        kept = tuple(term for term in model.naive.terms if term.column in columns)
        model = replace(model, naive=replace(model.naive, terms=kept))
    weights = np.ones(len(tables))
    relative = np.zeros(len(tables))
    naive = replace(model.naive, errors=ShiftErrors(weights, relative))
    model = replace(model, naive=naive)
    found = MTEFit(model, n_pieces, settings, columns, information, domains, weights)
    evidence = None
    if choices.calibration is not None and cut.n_pieces > 1:
        evidence = left_out.collect(cut, settings, columns)
    if evidence is None:
        return found
    fitted = fit_column_weights(evidence, choices.calibration == "temperature")
    weights[columns] = fitted.weights  # which the model and its errors hold
    relative[columns] = fitted.relative_errors
    found = replace(found, held_out=fitted.held_out)
    if cut.pieces.is_atom.all() and cut.n_pieces == 2:
        return found
    weigh = count_units(left_out.weights, left_out.n_units)
    make = partial(PieceDistribution, cut.pieces)
    target = left_out.find_targets(cut)
    of_all = None
    if left_out.are_alike:
        total = float(cut.weights.sum())
        of_all = float(cut.weights / total @ cut.means), total
    correction = LevelCorrection.of_mass(make, posterior(fitted.scores), target, weigh, of_all)
    return replace(found, correction=correction)
