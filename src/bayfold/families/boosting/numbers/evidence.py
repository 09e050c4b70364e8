"""What the tables of a number say, in units of the target: of every bin, and of every cell of some rows."""

from __future__ import annotations

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import PairTerm, Term
from bayfold.core.evidence import Records, as_shares
from bayfold.core.evidence.bins import describe_basis, describe_bins
from bayfold.core.evidence.curves import label_cells, name_cells, name_pairs
from bayfold.core.evidence.errors import bound, bound_sums, find_errors, find_pair_errors
from bayfold.core.evidence.rows import PRIOR, join_values, shown_values
from bayfold.core.evidence.shifts import N_POWERS, close_shares
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.scoring import NaiveBayesModel, Scorer
from bayfold.core.scoring.errors import LeftOutErrors
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.boosting.numbers.model import (
    COMMON,
    LOCATION,
    LOG_SPREAD,
    UNKNOWN,
    NumberPredictor,
)

SMALL_STEP = 0.05
"""Of the spread, and of its logarithm: over such steps means are nearly straight."""


def describe_number(predictor: NumberPredictor, counts: JointCounts) -> Records:
    """Records of column, bin, lower, upper, total, shift, low, high, location and log_spread; pairs come last.

    ``shift`` is what the bin alone does to the mean of a row of which nothing else is known.
    """
    columns, both = list_bins(predictor.model, counts)
    start = predictor.model.log_prior
    means = predictor.read_means(np.append(start[None], start + both, axis=0))
    found = {"location": both[:, LOCATION], "log_spread": both[:, LOG_SPREAD]}
    shift = means[1:] - means[0]
    return Records(
        columns | {"shift": shift} | bound(shift, find_shift_errors(predictor, counts)) | found
    )


def find_shift_errors(predictor: NumberPredictor, counts: JointCounts) -> np.ndarray:
    """Standard errors of the shifts of all bins and cells of pairs, in the order of ``list_bins``.

    Those of their locations, times what a small step of the location does to the mean there.
    """
    model = predictor.model
    if model.errors is None:
        return np.full(len(list_bins(model, counts)[1]), np.nan)
    parts = []
    for term in model.terms:
        bins = describe_bins(model.schema.columns[term.column], term, counts.tables[term.column])
        location = _take_first(bins.of_code, term.tabulate(None)[:, [LOCATION]])
        parts.append(find_errors(model, counts, term, bins, location)[:, 0])
    parts += [find_pair_errors(model, pair)[pair.known].ravel() for pair in model.pairs]
    errors = np.concatenate(parts)
    step = np.zeros((len(errors), len(model.log_prior)))
    step[:, LOCATION] = np.nan_to_num(errors)
    at = model.log_prior + list_bins(model, counts)[1]
    rise = predictor.read_means(at + step) / 2 - predictor.read_means(at - step) / 2
    return np.where(np.isnan(errors), np.nan, np.abs(rise))


def _find_start_error(predictor: NumberPredictor) -> float:
    """The standard error of the mean of a row of which nothing is known."""
    errors = predictor.model.errors
    if not isinstance(errors, LeftOutErrors):
        return np.nan
    start = predictor.model.log_prior
    step = np.zeros_like(start)
    total = errors.times * errors.information[predictor.model.terms[0].column].sum()
    step[LOCATION] = max(total, 1e-300) ** -0.5
    low, high = predictor.read_means(np.stack([start - step, start + step]))
    return abs(high - low) / 2


def _take_first(of_code: np.ndarray, table: np.ndarray) -> np.ndarray:
    """What the first code of each bin has."""
    first = np.unique(of_code, return_index=True)[1]
    return table[first[-int(of_code.max() + 1) :]]


def list_bins(
    model: NaiveBayesModel, counts: JointCounts
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Column, bin, lower, upper and total of every bin, then of every two of a pair; and the scores of each."""
    parts = [
        (model.schema.columns[term.column].name, *_describe_term(term, model.schema, counts))
        for term in model.terms
    ]
    for name, pair in zip(name_pairs(model.pairs, model.schema), model.pairs, strict=True):
        parts.append((name, *_describe_pair(pair, model.schema)))
    named, labels, lower, upper, totals, scores = zip(*parts, strict=True)
    columns = {
        "column": np.repeat(np.array(named, object), [len(some) for some in labels]),
        "bin": np.array([label for some in labels for label in some], object),
        "lower": np.concatenate(lower),
        "upper": np.concatenate(upper),
        "total": np.concatenate(totals),
    }
    return columns, np.concatenate(scores)


Described = tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Labels and bounds of bins, the rows in each, and its scores."""


def _describe_term(term: Term, schema: Schema, counts: JointCounts) -> Described:
    table = counts.tables[term.column]
    bins = describe_bins(schema.columns[term.column], term, table)
    n_bins = len(bins.labels)
    known = bins.of_code >= 0
    total = np.bincount(bins.of_code[known], table.sum(axis=1)[known], n_bins)
    return (
        bins.labels,
        bins.lower,
        bins.upper,
        total,
        _take_first(bins.of_code, term.tabulate(None)),
    )


def _describe_pair(pair: PairTerm, schema: Schema) -> Described:
    labels = label_cells(pair, schema)
    nothing = np.full(len(labels), np.nan)
    scores = pair.log_table[pair.known].reshape(len(labels), -1)
    return labels, nothing, nothing, pair.rows[pair.known].ravel(), scores


def find_pair_shifts(predictor: NumberPredictor, pair: PairTerm) -> np.ndarray:
    """What each entry of a pair's table alone does to the mean of a row of which nothing else is known."""
    start = predictor.model.log_prior
    scores = start + pair.log_table.reshape(-1, len(start))
    means = predictor.read_means(np.append(start[None], scores, axis=0))
    return (means[1:] - means[0]).reshape(pair.shape)


def explain_number(predictor: NumberPredictor, counts: JointCounts, table: Table) -> Records:
    """Records of row, column, value, bin, shift, location and log_spread; the first of each row is the prior.

    Each of the last three adds up over the records of a row: to its mean, to its location on the scale of the target,
    and to the log of its spread there.
    """
    columns, both, bins = list_cells(predictor, counts, table)
    found = {"location": both[..., LOCATION].ravel(), "log_spread": both[..., LOG_SPREAD].ravel()}
    shift = share_mean(predictor, both)
    errors = np.append(find_shift_errors(predictor, counts), np.nan)[bins]
    errors[:, 0] = _find_start_error(predictor)
    bounds = bound(shift.ravel(), errors.ravel()) | bound_sums(shift[..., None], errors[..., None])
    return Records(columns | {"shift": shift.ravel()} | bounds | found)


def list_cells(
    predictor: Predictor, counts: JointCounts, table: Table
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Row, column, value and bin of the prior, every cell and every two of a pair; the scores of each, and its place
    in ``list_bins``, -1 for none.
    """
    model = predictor.model
    n_rows = table.n_rows
    block = predictor.coder.open(table).block(0, n_rows)
    nothing = np.full(n_rows, None, object)
    scores = [np.tile(model.log_prior, (n_rows, 1))]
    bins = [nothing]
    values = [nothing]
    places = [np.full(n_rows, -1)]
    start = 0
    for term in model.terms:
        j = term.column
        column = model.schema.columns[j]
        codes = block.codes(j)
        scores.append(Scorer(model, centred=False, columns=[j], with_prior=False).score(block))
        shown = describe_bins(column, term, counts.tables[j])
        own = shown.of_code[codes]
        places.append(np.where(own < 0, -1, start + own))
        start += len(shown.labels)
        bins.append(describe_basis(term, column, shown, codes, counts.groups)[:, 0])
        values.append(shown_values(column, table, j))
    for pair in model.pairs:
        found = pair.find_bins(block)
        scores.append(pair.log_table[found])
        cell = np.zeros(pair.shape, np.int64) - 1
        cell[pair.known] = start + np.arange(cell[pair.known].size).reshape(cell[pair.known].shape)
        start += cell[pair.known].size
        places.append(cell[found])
        bins.append(name_cells(pair, model.schema, found))
        values.append(join_values(*(values[1 + j] for j in pair.columns)))
    names = np.array([PRIOR, *model.schema.names, *name_pairs(model.pairs, model.schema)], object)
    columns = {
        "row": np.repeat(np.arange(n_rows), len(names)),
        "column": np.tile(names, n_rows),
        "value": np.stack(values, axis=1).ravel(),
        "bin": np.stack(bins, axis=1).ravel(),
    }
    return columns, np.stack(scores, axis=1), np.stack(places, axis=1)


def share_mean(predictor: NumberPredictor, scores: np.ndarray) -> np.ndarray:
    """What the prior and each summand of the scores do to the mean.

    All summands but the first grow from nothing to what they are, together. The mean moves at the rate of the sum of
    their parts in it, so the integral of each part is the summand's share, whatever their order.

    Parameters
    ----------
    predictor : NumberPredictor
    scores : ndarray of shape (n_rows, n_summands, n_scores)

    Returns
    -------
    shares : ndarray of shape (n_rows, n_summands)
        Adding up to the mean of each row.
    """
    start = scores[:, 0]
    summands = scores[:, 1:]
    together = summands.sum(axis=1)
    rates = np.zeros_like(start)
    nodes, lengths = np.polynomial.legendre.leggauss(N_POWERS)
    for t, length in zip((nodes + 1) / 2, lengths / 2, strict=True):
        at = start + t * together
        steps = np.full_like(at, SMALL_STEP)
        steps[:, LOCATION] *= np.exp(at[:, LOG_SPREAD])
        if at.shape[1] > UNKNOWN:
            steps[:, UNKNOWN] *= np.exp(2 * at[:, LOG_SPREAD])
            steps[:, COMMON] *= np.exp(at[:, LOG_SPREAD])
        for k in range(at.shape[1]):
            step = np.zeros_like(at)
            step[:, k] = steps[:, k]
            rise = predictor.read_means(at + step) / 2 - predictor.read_means(at - step) / 2
            rates[:, k] += length * rise / steps[:, k]
    first = predictor.read_means(start)
    total = predictor.read_means(start + together) - first
    shares = close_shares((summands * rates[:, None]).sum(axis=2), total)
    return np.append(first[:, None], shares, axis=1)


def share_locations(predictor: Predictor, counts: JointCounts) -> np.ndarray:
    """How far each column moves the location, on average over the training rows, as shares of the sum.

    What columns say only together is shared evenly among them.
    """
    model = predictor.model
    brought = np.zeros(len(model.schema.columns))
    for term in model.terms:
        moved = np.abs(term.tabulate(None)[:, LOCATION])
        brought[term.column] = (counts.tables[term.column].sum(axis=1) * moved).sum()
    for pair in model.pairs:
        moved = pair.rows * np.abs(pair.log_table[..., LOCATION])
        brought[list(pair.columns)] += moved.sum() / len(pair.columns)
    return as_shares(brought)
