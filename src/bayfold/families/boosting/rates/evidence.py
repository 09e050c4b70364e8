"""What the tables of a rate say, as factors: of every bin, and of every cell of some rows."""

from __future__ import annotations

from math import prod

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.evidence import Records
from bayfold.core.evidence.errors import NORMAL_REACH, bound, bound_sums
from bayfold.core.evidence.rows import PRIOR
from bayfold.core.frames import Table
from bayfold.families.boosting.numbers.evidence import list_bins, list_cells
from bayfold.families.boosting.rates.model import LARGEST_SCORE, RatePredictor


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
    errors = find_log_errors(predictor, base * factors, rows, exposure)
    errors *= np.sqrt(np.maximum(1.0 - exposure / predictor.exposed.totals.sum(), 0.0))
    return Records(columns | {"exposure": exposure} | _with_bounds(factors, errors))


def find_log_errors(
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
    errors = np.minimum(errors, LARGEST_SCORE / NORMAL_REACH)
    bounds = bound(np.log(factors), errors)
    return {"factor": factors} | {name: np.exp(logs) for name, logs in bounds.items()}


def explain_rate(predictor: RatePredictor, counts: JointCounts, table: Table) -> Records:
    """Records of row, column, value, bin and factor; the first of each row is the rate of a row nothing is known of.

    The product of the factors of a row is its rate.
    """
    columns, scores, bins = list_cells(predictor, counts, table)
    rated = describe_rate(predictor, counts)
    errors = np.append(np.log(rated["high"] / rated["factor"]) / NORMAL_REACH, np.nan)[bins]
    errors[:, 0] = _find_base_error(predictor, counts)
    whole = bound_sums(scores[..., :1], errors[..., None])
    found = _with_bounds(np.exp(scores[..., 0]).ravel(), errors.ravel())
    return Records(columns | found | {name: np.exp(logs) for name, logs in whole.items()})


def list_ratings(predictor: RatePredictor, counts: JointCounts) -> Records:
    """The base rate, and the factors of all bins that differ from 1, as ``describe_rate`` has them."""
    found = describe_rate(predictor, counts)
    told = found[np.flatnonzero(found["factor"] != 1.0)]
    base = {name: np.array([None], object) for name in ("bin",)}
    base |= {"column": np.array([PRIOR], object), "lower": np.array([np.nan])}
    totals = {"total": counts.totals.sum(), "exposure": predictor.exposed.totals.sum()}
    base |= {"upper": np.array([np.nan])} | {k: np.array([v]) for k, v in totals.items()}
    rate = predictor.read_means(predictor.model.log_prior[None])
    base |= _with_bounds(rate, _find_base_error(predictor, counts))
    return Records({name: np.append(base[name], told[name]) for name in found.names})


def _find_base_error(predictor: RatePredictor, counts: JointCounts) -> np.ndarray:
    """The standard error of the logarithm of the base rate."""
    rate = predictor.read_means(predictor.model.log_prior[None])
    exposure = np.array([predictor.exposed.totals.sum()])
    return find_log_errors(predictor, rate, np.array([counts.totals.sum()]), exposure)
