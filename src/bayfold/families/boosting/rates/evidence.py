"""What the tables of a rate say, as factors: of every bin, and of every cell of some rows."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.evidence import Records
from bayfold.core.evidence.rows import PRIOR
from bayfold.core.frames import Table
from bayfold.families.boosting.numbers.evidence import list_bins, list_cells
from bayfold.families.boosting.rates.model import RatePredictor


def describe_rate(predictor: RatePredictor, counts: JointCounts) -> Records:
    """Records of column, bin, lower, upper, total, exposure and factor; pairs come after the columns.

    Of pairs the exposure is known alone: their total is NaN, unless each row has an exposure of 1.
    """
    columns, scores = list_bins(predictor.model, counts)
    exposed, _ = list_bins(predictor.model, predictor.exposed)
    if not np.array_equal(counts.totals, predictor.exposed.totals):
        n_of_pairs = sum(pair.counts[1:, 1:].size for pair in predictor.model.pairs)
        columns["total"][len(columns["total"]) - n_of_pairs :] = np.nan
    return Records(columns | {"exposure": exposed["total"], "factor": np.exp(scores[:, 0])})


def explain_rate(predictor: RatePredictor, counts: JointCounts, table: Table) -> Records:
    """Records of row, column, value, bin and factor; the first of each row is the rate of a row nothing is known of.

    The product of the factors of a row is its rate.
    """
    columns, scores = list_cells(predictor, counts, table)
    return Records(columns | {"factor": np.exp(scores[..., 0]).ravel()})


def list_ratings(predictor: RatePredictor, counts: JointCounts) -> Records:
    """The base rate, and the factors of all bins that differ from 1, as ``describe_rate`` has them."""
    found = describe_rate(predictor, counts)
    told = found[np.flatnonzero(found["factor"] != 1.0)]
    base = {name: np.array([None], object) for name in ("bin",)}
    base |= {"column": np.array([PRIOR], object), "lower": np.array([np.nan])}
    totals = {"total": counts.totals.sum(), "exposure": predictor.exposed.totals.sum()}
    base |= {"upper": np.array([np.nan])} | {k: np.array([v]) for k, v in totals.items()}
    base |= {"factor": predictor.read_means(predictor.model.log_prior[None])}
    return Records({name: np.append(base[name], told[name]) for name in found.names})
