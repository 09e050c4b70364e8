"""What the tables of a rate say, as factors: of every bin, and of every cell of some rows."""

from __future__ import annotations

from math import prod

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.evidence import Records
from bayfold.core.evidence.rows import PRIOR
from bayfold.core.frames import Table
from bayfold.families.boosting.numbers.evidence import list_bins, list_cells
from bayfold.families.boosting.rates.model import LARGEST_SCORE, RatePredictor

NORMAL_REACH = 1.96
"""Standard errors on either side of a logarithm that hold 95 % of a normal distribution."""


def describe_rate(predictor: RatePredictor, counts: JointCounts) -> Records:
    """Records of column, bin, lower, upper, total, exposure, factor, low and high; pairs come after the columns.

    Of pairs the exposure is known alone: their total is NaN, unless each row has an exposure of 1.
    """
    columns, scores = list_bins(predictor.model, counts)
    exposed, _ = list_bins(predictor.model, predictor.exposed)
    if not np.array_equal(counts.totals, predictor.exposed.totals):
        shapes = [pair.counts.shape for pair in predictor.model.pairs]  # code 0 is of no bin
        n_of_pairs = sum(prod(n_codes - 1 for n_codes in shape) for shape in shapes)
        columns["total"][len(columns["total"]) - n_of_pairs :] = np.nan
    factors = np.exp(scores[:, 0])
    exposure = exposed["total"]
    mean_exposure = float(predictor.exposed.totals.sum() / counts.totals.sum())
    rows = np.where(np.isnan(columns["total"]), exposure / mean_exposure, columns["total"])
    base = predictor.read_means(predictor.model.log_prior[None])
    errors = find_errors(predictor, base * factors, rows, exposure)
    errors *= np.sqrt(np.maximum(1.0 - exposure / predictor.exposed.totals.sum(), 0.0))
    return Records(columns | {"exposure": exposure} | _with_bounds(factors, errors))


def find_errors(
    predictor: RatePredictor, rates: np.ndarray, rows: np.ndarray, exposure: np.ndarray
) -> np.ndarray:
    """Standard errors of the logarithms of rates, each from some rows with some exposure together.

    That of a mean of n totals whose variance is that of the model's distribution. NaN where there are no rows.
    """
    found = np.full(len(rates), np.nan)
    known = (rows > 0) & (exposure > 0)
    each = exposure[known] / rows[known]
    means = rates[known] * each
    variance = predictor.shape.make(means, each).var()
    found[known] = np.sqrt(variance / rows[known]) / means
    return found


def _with_bounds(factors: np.ndarray, errors: np.ndarray) -> dict[str, np.ndarray]:
    step = np.exp(np.minimum(NORMAL_REACH * errors, LARGEST_SCORE))
    return {"factor": factors, "low": factors / step, "high": factors * step}


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
    rate = predictor.read_means(predictor.model.log_prior[None])
    base |= _with_bounds(rate, find_errors(predictor, rate, base["total"], base["exposure"]))
    return Records({name: np.append(base[name], told[name]) for name in found.names})
