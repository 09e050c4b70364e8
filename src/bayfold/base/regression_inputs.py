"""Tables with a numeric target as users give them, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.inputs import (
    check_not_empty,
    join_weights,
    read_target,
    read_weights,
    warn_about_weights,
)
from bayfold.core.densities import is_plain_number
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import Table, concat_tables, read_table
from bayfold.core.frames.labels import is_missing


@dataclass(frozen=True)
class RegressionRows:
    """Rows that count: with a weight above zero and, unless asked for otherwise, with a target."""

    table: Table
    target: np.ndarray
    weights: np.ndarray | None

    def with_target(self) -> RegressionRows:
        """The rows whose target is known."""
        known = ~np.isnan(self.target)
        if known.all():
            return self
        rows = np.flatnonzero(known)
        weights = None if self.weights is None else self.weights[rows]
        return RegressionRows(self.table.take(rows), self.target[rows], weights)

    @staticmethod
    def join(batches: Sequence[RegressionRows]) -> RegressionRows:
        """The rows of all batches."""
        return RegressionRows(
            concat_tables([batch.table for batch in batches]),
            np.concatenate([batch.target for batch in batches]),
            join_weights(batches),
        )


def read_regression(
    estimator: Any, X: Any, y: Any, sample_weight: Any, keep_missing: bool = False
) -> RegressionRows:
    """Read and check what was given to ``fit`` or ``partial_fit`` of a regressor.

    Rows without a target are left out with a warning (or stay, with ``keep_missing``), rows of weight zero
    without one, before anything is inferred.
    """
    if y is None:
        raise errors.target_required(type(estimator).__name__)
    table = read_table(X, resolve_threads(estimator.n_jobs))
    check_not_empty(table)
    target = read_numeric_target(y, table.n_rows)
    weights = read_weights(sample_weight, table.n_rows)
    keep = ~np.isnan(target)
    n_missing = len(keep) - int(keep.sum())
    if n_missing == len(keep):
        raise errors.target_missing_entirely()
    if n_missing and not keep_missing:
        errors.warn(errors.missing_targets(n_missing))
    if weights is not None:
        keep &= weights > 0
        if not keep.any():
            raise errors.all_weights_zero()
    if keep_missing:
        keep = np.ones(len(keep), bool) if weights is None else weights > 0
    if not keep.all():
        rows = np.flatnonzero(keep)
        table, target = table.take(rows), target[rows]
        weights = None if weights is None else weights[rows]
    if weights is not None:
        warn_about_weights(weights)
    return RegressionRows(table, target, weights)


def read_numeric_target(y: Any, n_rows: int) -> np.ndarray:
    """The target as floats with one entry per row, NaN where it is missing."""
    target = read_target(y, n_rows)
    if target.dtype.kind in "biuf":
        numbers = target.astype(np.float64)
    else:
        cells = [np.nan if is_missing(cell) else cell for cell in target.tolist()]
        if not all(is_plain_number(cell) for cell in cells):
            raise errors.target_not_numeric(next(c for c in cells if not is_plain_number(c)))
        numbers = np.array(cells, np.float64)
    if np.isinf(numbers).any():
        raise errors.infinite_numeric_target()
    return numbers
