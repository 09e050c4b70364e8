"""Evidence of sampled rows from models that have not seen them.

Counts without a fold are the total minus the fold's, and everything that depends on them, cuts
included, is derived again: keeping the cuts would leak the fold into its own evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.counts import CodeLayout, JointCounts, RowSample
from bayfold.densities import QuadraticTerm, TableTerm, Term
from bayfold.kernels.codes import FIRST_BIN, MISSING, UNSEEN
from bayfold.learners.derive import Settings, derive_model
from bayfold.model import centre_groups
from bayfold.schema import NumericColumn, RowBlock, Schema

MOST_EVIDENCE = 30.0
"""A cell's evidence is clipped here: without smoothing it may be infinite."""


@dataclass(frozen=True)
class HeldOut:
    """Evidence of rows, with what is true of them.

    Attributes
    ----------
    evidence : ndarray of shape (n_rows, n_columns, n_scores)
    group_of : ndarray of int
    weights : ndarray
    """

    evidence: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray


def find_held_out_evidence(
    sample: RowSample, counts: JointCounts, settings: Settings, n_folds: int = 5
) -> HeldOut:
    """Evidence of every sampled row from a model of the rows in the other folds.

    Folds are dealt by content hash, so equal rows are never on both sides and the order of rows does not matter.
    """
    schema = sample.schema
    assert schema is not None
    n_groups = len(sample.groups)
    layout = CodeLayout(schema, n_groups)
    fold_of = (sample.hashes % np.uint64(n_folds)).astype(np.int64)
    centres = {j: find_centres(schema, counts, j) for j in schema.numeric.tolist()}
    codes = columns_of_codes(sample, schema)
    flats = [_count_rows(layout, sample, fold_of == k) for k in range(n_folds)]
    total = tuple(sum(flat[width] for flat in flats) for width in range(2))
    n_scores = 1 if n_groups == 2 else n_groups
    evidence = np.zeros((sample.n_rows, len(schema.columns), n_scores))
    for k in range(n_folds):
        tables = layout.cut((total[0] - flats[k][0], total[1] - flats[k][1]))
        without = _counts_from_tables(schema, counts, tables, centres)
        if not without.totals.all():  # a group only in this fold: nothing can be said of it
            continue
        rows = np.flatnonzero(fold_of == k)
        for term in derive_model(without, settings).terms:
            by_code = centre_groups(tabulate(term, schema, centres))
            by_code = np.clip(np.nan_to_num(by_code), -MOST_EVIDENCE, MOST_EVIDENCE)
            evidence[rows, term.column] = by_code[codes[term.column][rows]]
    return HeldOut(evidence, sample.group_of, sample.weights)


def columns_of_codes(sample: RowSample, schema: Schema) -> list[np.ndarray]:
    """The codes of the sampled rows, column by column."""
    codes: dict[int, np.ndarray] = {}
    for block, columns in ((sample.narrow, schema.narrow), (sample.wide, schema.wide)):
        codes |= {int(j): block[:, position] for position, j in enumerate(columns)}
    return [codes[j] for j in range(len(schema.columns))]


def find_centres(schema: Schema, counts: JointCounts, j: int) -> np.ndarray:
    """A number for every code of a numeric column: the middle of its fine bin, NaN for none."""
    described = schema.columns[j]
    assert isinstance(described, NumericColumn)
    position = schema.numeric_position[j]
    low, high = counts.minimum[position], counts.maximum[position]
    lower, upper = described.bin_bounds()
    middle = np.clip(lower, low, high) / 2 + np.clip(upper, low, high) / 2
    if described.values is not None and len(described.values) == len(middle):
        middle = described.values
    return np.concatenate([np.full(FIRST_BIN, np.nan), middle])


def tabulate(term: Term, schema: Schema, centres: dict[int, np.ndarray]) -> np.ndarray:
    """Any term as a table over codes."""
    if isinstance(term, TableTerm):
        return term.log_table
    assert isinstance(term, QuadraticTerm)
    z = (centres[term.column][:, None] - term.mean) * term.inverse_sd
    table = term.constant - 0.5 * z * z
    table[MISSING] = term.missing
    table[UNSEEN] = 0.0
    return table


def _count_rows(
    layout: CodeLayout, sample: RowSample, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    rows = np.flatnonzero(chosen)
    block = RowBlock(np.empty((len(rows), 0)), sample.narrow[rows], sample.wide[rows])
    flat = layout.zeros()
    layout.count(block, sample.group_of[rows], sample.weights[rows], flat)
    return flat


def _counts_from_tables(
    schema: Schema,
    counts: JointCounts,
    tables: tuple[np.ndarray, ...],
    centres: dict[int, np.ndarray],
) -> JointCounts:
    """Counts of some sampled rows; moments come from the middles of fine bins."""
    moments = {}
    for j in counts.moments:
        described = schema.columns[j]
        assert isinstance(described, NumericColumn)
        d = (centres[j][FIRST_BIN:] - described.shift) / described.scale
        known = tables[j][FIRST_BIN:]
        moments[j] = np.stack([known.sum(axis=0), d @ known, (d * d) @ known])
    totals = tables[0].sum(axis=0)
    ranges = counts.minimum, counts.maximum
    return JointCounts(schema, counts.groups, tables, totals, *ranges, moments)
