"""From statistics to a fitted model over pieces of the target, with everything chosen that was left open."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.copies import find_units
from bayfold.core.counts.identifiers import find_identifiers
from bayfold.core.scoring.column_weights import fit_column_weights, judge_weights
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.families.mte.choice import choose_columns, choose_settings
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
    """

    model: MTEModel
    n_pieces: int
    settings: MTESettings
    columns: list[int]
    information: np.ndarray
    domains: dict[int, NumericDomain]
    column_weights: np.ndarray
    held_out: HeldOutScore | None = None

    def weigh(self, model: MTEModel) -> MTEModel:
        """A model with its columns believed as far as those of this one."""
        terms = tuple(t.scaled(float(self.column_weights[t.column])) for t in model.naive.terms)
        return replace(model, naive=replace(model.naive, terms=terms))


def fit_mte(statistics: Statistics, choices: MTEChoices) -> MTEFit:
    """Choose what was left open, and derive the model."""
    sample = statistics.sample
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
    weights, evidence = np.ones(len(tables)), None
    if choices.calibration is not None and cut.n_pieces > 1:
        evidence = left_out.collect(cut, settings, columns)
        if evidence is not None:
            weights[columns] = fit_column_weights(evidence, choices.calibration == "temperature")
    held_out = judge_weights(evidence, weights[columns])
    return MTEFit(model, n_pieces, settings, columns, information, domains, weights, held_out)
