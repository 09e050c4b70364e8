"""Evidence of a density (a Gaussian, say) traced over the range of its column, and labels of tables of two columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bayfold.core.counts import JointCounts
from bayfold.core.densities import PairTerm, Term
from bayfold.core.evidence.bins import describe_bins, name_numbers, name_special
from bayfold.core.evidence.errors import find_code_errors
from bayfold.core.kernels.encode import FIRST_BIN, MISSING, UNSEEN
from bayfold.core.schema import ColumnSchema, NominalColumn, NumericColumn, RowBlock, Schema
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
    errors : ndarray of shape (n_points, n_shown)
        Standard errors of the weights, as those of the fine bins they are in; NaN where nothing is known of them.
    """

    numbers: np.ndarray
    weights: np.ndarray
    edges: np.ndarray
    counts: np.ndarray
    errors: np.ndarray


def trace_curve(
    model: NaiveBayesModel, counts: JointCounts, column: int, n_points: int = 200, n_bins: int = 24
) -> Curve | None:
    """The curve of a column; None where its evidence is a table of bins, or it has no two different numbers."""
    schema = model.schema
    if not is_curve(model.terms[column]) or column not in schema.numeric_position:
        return None
    position = schema.numeric_position[column]
    column_schema = schema.columns[column]
    assert isinstance(column_schema, NumericColumn)
    table = counts.tables[column][FIRST_BIN : column_schema.first_special]
    lower, upper = column_schema.bin_bounds()
    lower = np.clip(lower, counts.minimum[position], counts.maximum[position])
    upper = np.clip(upper, counts.minimum[position], counts.maximum[position])
    share = np.cumsum(table.sum(axis=1)) / max(table.sum(), 1e-300)
    first = int(np.searchsorted(share, HIDDEN_SHARE))
    last = min(int(np.searchsorted(share, 1 - HIDDEN_SHARE)), len(share) - 1)
    low = lower[min(first, last)]
    high = upper[last]
    if not high > low:
        return None
    edges = np.linspace(low, high, n_bins + 1)
    middle = lower / 2 + upper / 2
    binned = [np.histogram(middle, edges, weights=of_group)[0] for of_group in table.T]
    numbers = np.linspace(low, high, n_points)
    weights = weigh_numbers(model, column, numbers)
    codes = FIRST_BIN + np.searchsorted(column_schema.edges, numbers, side="right")
    term = model.terms[column]
    bins = describe_bins(column_schema, term, counts.tables[column])
    errors = find_code_errors(model, counts, term, bins)[codes]
    return Curve(numbers, weights, edges, np.stack(binned, axis=1), errors)


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


NOTHING = "(unseen)"
BETWEEN_BINS = " & "
SHOWN_CATEGORIES = 3
"""Of a merged bin; the others are counted."""


def name_pairs(pairs: Sequence[PairTerm], schema: Schema) -> list[str]:
    """The names of the columns of each pair; with their positions where a column or another pair has that name.

    Of a column "a", one "b" and one "a x b", the pair is "a x b (columns 0 and 1)".
    """
    plain = [" x ".join(schema.names[j] for j in pair.columns) for pair in pairs]
    taken = set(schema.names)
    others = Counter(plain)
    names = []
    for pair, name in zip(pairs, plain, strict=True):
        if name in taken or others[name] > 1:
            *first, last = pair.columns
            name += f" (columns {', '.join(map(str, first))} and {last})"
        while name in taken:
            name = f"({name})"
        names.append(name)
    return names


def label_sides(pair: PairTerm, schema: Schema) -> list[list[str]]:
    """A label for each coarse bin of each of the columns."""
    sides = zip(pair.columns, pair.merges, strict=True)
    return [_label_bins(schema.columns[j], merge) for j, merge in sides]


def label_cells(pair: PairTerm, schema: Schema) -> list[str]:
    """A label for each cell that gives evidence, the last column changing first."""
    sides = [side[1:] for side in label_sides(pair, schema)]  # bin 0 gives no evidence
    return [BETWEEN_BINS.join(cell) for cell in product(*sides)]


def name_cells(pair: PairTerm, schema: Schema, bins: Sequence[np.ndarray]) -> np.ndarray:
    """The label of the cell of each row, whose bins are given column by column."""
    first, *others = (
        np.array(labels, object)[of_rows]
        for labels, of_rows in zip(label_sides(pair, schema), bins, strict=True)
    )
    for more in others:
        first = first + BETWEEN_BINS + more
    return first


def _label_bins(column_schema: ColumnSchema, merge: np.ndarray) -> list[str]:
    labels = [NOTHING]
    n_known = len(np.unique(merge[FIRST_BIN:]))
    for k in range(1, int(merge.max(initial=0)) + 1):
        codes = np.flatnonzero(merge == k)
        bins = codes[codes > UNSEEN] - FIRST_BIN
        if len(bins) == 0:
            labels.append("(missing)")
            continue
        if isinstance(column_schema, NominalColumn):
            text = _label_categories(column_schema, bins)
        elif isinstance(column_schema, NumericColumn):
            text = _label_numbers(column_schema, bins, alone=n_known == 1)
        else:
            text = "any text"
        labels.append(text + (" or missing" if codes[0] == MISSING else ""))
    return labels


def _label_numbers(column_schema: NumericColumn, bins: np.ndarray, alone: bool) -> str:
    lower, upper = column_schema.bin_bounds()
    if alone:
        return "any number"
    known = bins[bins < column_schema.n_bins]
    words = [name_numbers(column_schema, lower[known[0]], upper[known[-1]])] if len(known) else []
    places = bins[len(known) :] - column_schema.n_bins
    words += [name_special(column_schema.special[k]) for k in places]
    return " or ".join(words)


def _label_categories(column_schema: NominalColumn, bins: np.ndarray) -> str:
    names = [*column_schema.categories, *(["(other)"] if column_schema.has_other else [])]
    if len(bins) <= SHOWN_CATEGORIES:
        return " or ".join(names[k] for k in bins)
    others = [name for k, name in enumerate(names) if k not in set(bins.tolist())]
    if len(others) <= SHOWN_CATEGORIES:
        return "not " + " or ".join(others) if others else "any category"
    return f"{names[bins[0]]} or {len(bins) - 1} others"
