"""Evidence of sampled rows from models that have not seen them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayfold.core import densities, kernels
from bayfold.core.counts import JointCounts
from bayfold.core.counts.fold_counts import Folds
from bayfold.core.engine import map_in_threads
from bayfold.core.schema import NominalColumn
from bayfold.core.scoring.derive import Settings, derive_term, weigh_groups
from bayfold.core.scoring.texts import leave_out_text

HELD_OUT_ROWS = 10_000
"""Distinct rows whose evidence is held out: plenty for one weight per column."""

HELD_OUT_CELLS = 1 << 21
"""Fewer rows where columns and groups are many: numbers that are looked at in some milliseconds, thirty times or so."""

FEWEST_HELD_OUT_ROWS = 2_000
"""But no fewer: an intercept and a weight for each of many groups and columns want rows to rest on."""

HELD_OUT_TEXTS = 4_000
FEW_GROUPS = 8
"""Rows with texts, and the groups beyond which no more are held out: every word is weighed in every group without its
row. On 47 sections of packages the log-loss is .4999 with 2,000 rows, .4933 with 4,000, .4929 with 6,400."""

MANY_GROUPS = 16
"""From so many on, evidence is kept in single precision: reading it is what takes the time, and seven digits do."""

MOST_EVIDENCE = 30.0
"""A cell's evidence is clipped here: without smoothing it may be infinite."""


@dataclass(frozen=True)
class HeldOut:
    """Evidence of rows, with what is true of them.

    Attributes
    ----------
    evidence : ndarray of shape (n_entries, n_scores)
        Rows with the same code in the same fold share an entry.
    places : ndarray of int32, of shape (n_rows, n_columns)
        The entry of each cell.
    group_of : ndarray of int32
    weights : ndarray
    """

    evidence: np.ndarray
    places: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray

    @classmethod
    def of_cells(cls, evidence: np.ndarray, group_of: np.ndarray, weights: np.ndarray) -> HeldOut:
        """From evidence of the shape (n_rows, n_columns, n_scores): every cell has an entry of its own."""
        n_rows, n_columns, n_scores = evidence.shape
        places = np.arange(n_rows * n_columns, dtype=np.int32).reshape(n_rows, n_columns)
        flat = np.ascontiguousarray(evidence).reshape(-1, n_scores)
        return cls(flat, places, group_of.astype(np.int32), weights)

    @property
    def cells(self) -> np.ndarray:
        """Evidence of every cell, of shape (n_rows, n_columns, n_scores)."""
        return self.evidence[self.places]

    @cached_property
    def odds(self) -> np.ndarray:
        """Evidence of every cell for the second of two groups, of shape (n_rows, n_columns)."""
        found = np.empty(self.places.shape)
        kernels.take_odds(self.evidence, self.places, found)
        return found

    def take_columns(self, columns: np.ndarray) -> HeldOut:
        """The evidence of some columns, in the order in which they stand."""
        if len(columns) == self.places.shape[1]:
            return self
        places = np.ascontiguousarray(self.places[:, columns])
        return HeldOut(self.evidence, places, self.group_of, self.weights)

    def thin(self, most: int) -> HeldOut:
        """Every n-th row, so that no more than so many are left."""
        step = -(-len(self.places) // most)
        if step <= 1:
            return self
        rows = slice(None, None, step)
        places = np.ascontiguousarray(self.places[rows])
        return HeldOut(self.evidence, places, self.group_of[rows].copy(), self.weights[rows].copy())

    def join_columns(self) -> HeldOut:
        """The evidence of all columns as if it were one's."""
        joined = self.add_up(np.ones(self.places.shape[1]))
        return HeldOut.of_cells(joined[:, None], self.group_of, self.weights)

    def add_up(self, weights: np.ndarray) -> np.ndarray:
        """The evidence of all columns of each row, believed by these weights."""
        joined = np.empty((len(self.places), self.evidence.shape[1]))
        if joined.shape[1] == 1:
            kernels.join_odds(self.odds, weights, joined[:, 0])
            return joined
        believed = np.flatnonzero(weights)
        places = self.take_columns(believed).places
        kernels.join_evidence(self.evidence, places, weights[believed], joined)
        return joined


def find_held_out_evidence(folds: Folds, settings: Settings, n_threads: int = 1) -> HeldOut:
    """Evidence of every sampled row from a model of the rows in the other folds.

    A row that stands for several equal ones may be in several folds, and is then as many rows. Weights of rows are such
    that groups have their shares of all rows.
    """
    sample = folds.sample
    schema = sample.schema
    assert schema is not None
    n_columns = len(schema.columns)
    n_groups = len(sample.groups)
    n_scores = 1 if n_groups == 2 else n_groups
    fold_of, row = _choose_rows(folds, n_columns * n_scores)
    if schema.text and n_groups > FEW_GROUPS:
        fold_of = fold_of[:HELD_OUT_TEXTS]
        row = row[:HELD_OUT_TEXTS]
    used = folds.folds[: fold_of.max() + 1]
    outside = [weigh_groups(fold.outside, settings.group_weights) for fold in used]
    # of a group that is only inside its fold nothing is known: its rows tell nothing about the weights
    totals = np.stack([counts.totals for counts in outside])
    is_known = totals[fold_of, sample.group_of[row]] > 0
    is_empty = ~totals.any(axis=1)
    n_codes = np.array(schema.n_codes)
    sizes = len(outside) * n_codes
    for j in schema.text:
        sizes[j] = len(row)  # every text has an entry of its own
    starts = 1 + np.cumsum([0, *sizes])  # the first entry is for nothing known
    evidence = np.zeros((starts[-1], n_scores), np.float32 if n_groups >= MANY_GROUPS else float)
    places = np.zeros((len(row), n_columns), np.int32)
    known_fold = np.where(is_known, fold_of, -1)
    for codes, columns in ((sample.narrow, schema.narrow), (sample.wide, schema.wide)):
        kernels.find_code_places(
            codes, row, known_fold, columns, starts[columns], n_codes[columns], places
        )

    def tabulate(j: int) -> None:
        found = evidence[starts[j] : starts[j + 1]]
        if j in settings.texts:
            log_tables = leave_out_text(settings.texts[j], folds, j, row, fold_of)
            places[:, j] = np.where(is_known, np.arange(starts[j], starts[j + 1]), 0)
        else:
            log_tables = _tabulate_folds(folds, outside, settings, j)
            log_tables[is_empty] = 0.0
        kernels.centre_evidence(log_tables.reshape(-1, n_groups), MOST_EVIDENCE, found)

    map_in_threads(tabulate, range(n_columns), n_threads)
    group_of = sample.group_of[row].astype(np.int32)
    weights = folds.in_fold[row, fold_of] * folds.find_factors(row, fold_of)[group_of]
    return HeldOut(evidence, places, group_of, weights)


def _choose_rows(folds: Folds, n_numbers: int) -> tuple[np.ndarray, np.ndarray]:
    """Fold and row of those to be held out, if each takes so many numbers.

    Always those with the smallest hashes, so again by what is in them, and enough of every rare group. Where the
    numbers are many, the tables of every
    fold are large as well: rows then come from as few folds as hold enough of them.
    """
    in_fold = folds.in_fold
    is_inside = in_fold.T > 0
    n_folds = in_fold.shape[1]
    affordable = HELD_OUT_CELLS // max(n_numbers, 1)
    if affordable >= HELD_OUT_ROWS:
        fold_of, row = np.nonzero(is_inside & folds.sample.is_among_first(HELD_OUT_ROWS))
        return fold_of, row
    most = max(affordable, FEWEST_HELD_OUT_ROWS)
    n_used = min(max(round(most * n_folds / len(in_fold)), 1), n_folds)
    fold_of, row = np.nonzero(is_inside[:n_used])
    return fold_of[:most], row[:most]


def stack_folds(outside: Sequence[JointCounts], j: int) -> np.ndarray:
    """The tables of a column, by fold, code and group; of a single fold, as where groups are many, without a copy."""
    tables = [counts.tables[j] for counts in outside]
    return tables[0][None] if len(tables) == 1 else np.array(tables)


def _tabulate_folds(
    folds: Folds, outside: list[JointCounts], settings: Settings, j: int
) -> np.ndarray:
    """Log-probabilities of a column by fold, code and group, from the rows outside each fold."""
    column_schema = outside[0].schema.columns[j]  # type: ignore[union-attr]
    smoothing = settings.smoothing
    missing_is_value = settings.missing_is_value
    if isinstance(column_schema, NominalColumn):
        return densities.tabulate_frequencies(stack_folds(outside, j), smoothing, missing_is_value)
    if settings.methods[j] == "smooth" and not getattr(column_schema, "special", ()):
        width = settings.widths.get(j, densities.DEFAULT_RANK_WIDTH)
        return densities.smooth_log_tables(
            stack_folds(outside, j), smoothing, missing_is_value, width
        )
    centres = folds.find_centres(j)
    return np.stack([derive_term(fold, settings, j).tabulate(centres) for fold in outside])
