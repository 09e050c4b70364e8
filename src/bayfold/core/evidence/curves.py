"""The evidence of a curve (a Gaussian, say) over the range of its column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import Term
from bayfold.core.kernels.codes import FIRST_BIN, MISSING
from bayfold.core.schema import RowBlock, Schema
from bayfold.core.scoring import NaiveBayesModel, Scorer

HIDDEN_SHARE = 0.005
"""Of the rows at either end: a single far number would squeeze all others together."""


@dataclass(frozen=True)
class Curve:
    """A column's evidence as a curve, and the rows along it.

    Attributes
    ----------
    numbers : ndarray of shape (n_points,)
        Over the range of all but the outermost training values.
    weights : ndarray of shape (n_points, n_shown)
        One column per shown class.
    edges : ndarray
        Of bins of equal width over the same range.
    counts : ndarray of shape (n_bins, n_classes)
        Rows in these bins, each at the middle of its fine bin.
    """

    numbers: np.ndarray
    weights: np.ndarray
    edges: np.ndarray
    counts: np.ndarray


def trace_curve(
    model: NaiveBayesModel, counts: JointCounts, column: int, n_points: int = 200, n_bins: int = 24
) -> Curve | None:
    """The curve of a column; None where its evidence is a table of bins, or it has no two different numbers."""
    schema = model.schema
    if not is_curve(model.terms[column]) or column not in schema.numeric_position:
        return None
    position, table = schema.numeric_position[column], counts.tables[column][FIRST_BIN:]
    lower, upper = schema.columns[column].bin_bounds()  # type: ignore[union-attr]
    lower = np.clip(lower, counts.minimum[position], counts.maximum[position])
    upper = np.clip(upper, counts.minimum[position], counts.maximum[position])
    share = np.cumsum(table.sum(axis=1)) / max(table.sum(), 1e-300)
    first = int(np.searchsorted(share, HIDDEN_SHARE))
    last = min(int(np.searchsorted(share, 1 - HIDDEN_SHARE)), len(share) - 1)
    low, high = lower[min(first, last)], upper[last]
    if not high > low:
        return None
    edges = np.linspace(low, high, n_bins + 1)
    middle = lower / 2 + upper / 2
    binned = [np.histogram(middle, edges, weights=of_group)[0] for of_group in table.T]
    numbers = np.linspace(low, high, n_points)
    return Curve(numbers, weigh_numbers(model, column, numbers), edges, np.stack(binned, axis=1))


def is_curve(term: Term) -> bool:
    """Whether the evidence of a numeric column changes within the bins it is shown in."""
    return term.merge is None


def weigh_numbers(model: NaiveBayesModel, column: int, numbers: np.ndarray) -> np.ndarray:
    """The weight of evidence of numbers in a column whose evidence is a curve."""
    block = _only(model.schema, column, numbers)
    return Scorer(model, columns=[column], with_prior=False).score(block)


def _only(schema: Schema, column: int, numbers: np.ndarray) -> RowBlock:
    """Rows with nothing but these numbers in one column."""
    block = RowBlock.of_nothing(schema, len(numbers))
    block.values[:, schema.numeric_position[column]] = numbers
    edges = schema.columns[column].edges  # type: ignore[union-attr]
    codes = FIRST_BIN + np.searchsorted(edges, numbers, side="right")
    block.codes(column)[:] = np.where(np.isnan(numbers), MISSING, codes)
    return block
