"""Evidence of sampled rows from models that have not seen them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.counts import RowSample
from bayfold.densities import tabulate
from bayfold.learners.derive import Settings, derive_model
from bayfold.learners.fold_counts import Folds
from bayfold.model import centre_groups
from bayfold.schema import Schema

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


def find_held_out_evidence(folds: Folds, settings: Settings) -> HeldOut:
    """Evidence of every sampled row from a model of the rows in the other folds.

    A row that stands for several equal ones may be in several folds, and has then as many entries.
    """
    sample = folds.sample
    schema = sample.schema
    assert schema is not None
    codes = columns_of_codes(sample, schema)
    places = [np.flatnonzero(folds.in_fold[:, number] > 0) for number in folds.numbers]
    row = np.concatenate([np.empty(0, np.int64), *places])
    starts = np.cumsum([0, *(len(rows) for rows in places)])
    n_groups = len(sample.groups)
    evidence = np.zeros((len(row), len(schema.columns), 1 if n_groups == 2 else n_groups))
    for k, (rows, fold) in enumerate(zip(places, folds.folds, strict=True)):
        for term in derive_model(fold.outside, settings).terms:
            j = term.column
            by_code = centre_groups(tabulate(term, folds.centres.get(j)))
            by_code = np.clip(np.nan_to_num(by_code), -MOST_EVIDENCE, MOST_EVIDENCE)
            evidence[starts[k] : starts[k + 1], j] = by_code[codes[j][rows]]
    weights = [folds.in_fold[rows, k] for rows, k in zip(places, folds.numbers, strict=True)]
    return HeldOut(evidence, sample.group_of[row], np.concatenate([np.empty(0), *weights]))


def columns_of_codes(sample: RowSample, schema: Schema) -> list[np.ndarray]:
    """The codes of the sampled rows, column by column."""
    codes: dict[int, np.ndarray] = {}
    for block, columns in ((sample.narrow, schema.narrow), (sample.wide, schema.wide)):
        codes |= {int(j): block[:, position] for position, j in enumerate(columns)}
    return [codes[j] for j in range(len(schema.columns))]
