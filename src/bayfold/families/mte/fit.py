"""From statistics to a fitted model over pieces of the target, with everything chosen that was left open."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.core.counts import Statistics
from bayfold.core.counts.copies import find_units
from bayfold.families.mte.choice import LeftOutRows, choose_settings
from bayfold.families.mte.information import mutual_information
from bayfold.families.mte.learner import (
    MTEModel,
    MTESettings,
    NumericDomain,
    derive_mte,
    find_domains,
)
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
    """

    n_pieces: int | str = "cv"
    bandwidth_factor: float | str = "cv"
    max_intervals: int = 6
    fit: str = "ls"
    selection: str | None = None


@dataclass(frozen=True, eq=False)
class MTEFit:
    """A model and what it was chosen to be.

    Attributes
    ----------
    model : MTEModel
    n_pieces : int
        As asked for; the target may have too few values for as many.
    settings : MTESettings
    columns : list of int
        The columns that count.
    information : ndarray of shape (n_columns,)
        Mutual information of each column and the target, in nats.
    domains : dict of int to NumericDomain
    """

    model: MTEModel
    n_pieces: int
    settings: MTESettings
    columns: list[int]
    information: np.ndarray
    domains: dict[int, NumericDomain]


def fit_mte(statistics: Statistics, choices: MTEChoices) -> MTEFit:
    """Choose what was left open, and derive the model."""
    sample = statistics.sample
    units = find_units(statistics.counts, sample.block(), sample.group_of, sample.weights)
    counts = statistics.counts.scaled(units.share)
    assert counts.schema is not None
    domains = find_domains(counts)
    settings = MTESettings(choices.max_intervals, 1.0, choices.fit)
    left_out = None
    if "cv" in (choices.n_pieces, choices.bandwidth_factor) or choices.selection is not None:
        left_out = LeftOutRows(statistics, domains)
        n_pieces, settings = choose_settings(
            left_out, choices.n_pieces, choices.bandwidth_factor, settings
        )
    else:
        n_pieces = int(choices.n_pieces)
        settings = replace(settings, bandwidth_factor=float(choices.bandwidth_factor))
    cut = pieces_of_counts(counts, n_pieces)
    tables = [cut.merge(table) for table in counts.tables]
    columns = list(range(len(tables)))
    model = derive_mte(counts.schema, domains, tables, cut, settings)
    information = mutual_information(model, len(tables))
    if choices.selection is not None and left_out is not None:
        ordered = np.argsort(-information, kind="stable").tolist()
        columns = sorted(left_out.choose_columns(ordered, n_pieces, settings))
        kept = tuple(term for term in model.naive.terms if term.column in columns)
        model = replace(model, naive=replace(model.naive, terms=kept))
    return MTEFit(model, n_pieces, settings, columns, information, domains)
