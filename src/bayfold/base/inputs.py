"""Tables, targets and weights as users give them, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.counts.groups import unite_groups
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import Table, concat_tables, find_groups, read_table, read_vector
from bayfold.core.schema import Schema


@dataclass(frozen=True)
class TrainingRows:
    """Rows that count: with a weight above zero and, unless asked for otherwise, with a target.

    ``kept`` are their positions among the rows given; None if all count.
    """

    table: Table
    groups: np.ndarray
    group_of: np.ndarray
    weights: np.ndarray | None
    kept: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> TrainingRows:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingRows(self.table.take(rows), self.groups, self.group_of[rows], weights)

    @staticmethod
    def join(batches: Sequence[TrainingRows]) -> TrainingRows:
        """The rows of all batches."""
        groups = batches[0].groups
        for batch in batches[1:]:
            groups, _, _ = unite_groups(groups, batch.groups)
        places = [np.searchsorted(groups, batch.groups).astype(np.int32) for batch in batches]
        return TrainingRows(
            concat_tables([batch.table for batch in batches]),
            groups,
            np.concatenate([p[b.group_of] for p, b in zip(places, batches, strict=True)]),
            join_weights(batches),
        )


def join_weights(batches: Sequence[Any]) -> np.ndarray | None:
    """The weights of all batches, or None where all are one."""
    if all(batch.weights is None for batch in batches):
        return None
    ones = [np.ones(batch.table.n_rows) for batch in batches]
    return np.concatenate(
        [o if b.weights is None else b.weights for o, b in zip(ones, batches, strict=True)]
    )


def read_training(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    classes: np.ndarray | None = None,
    keep_missing: bool = False,
) -> TrainingRows:
    """Read and check what was given to ``fit`` or ``partial_fit``.

    Rows without a target are left out with a warning (or stay, in group -1, with ``keep_missing``), rows of weight
    zero without one, before anything is inferred. With ``classes`` given, any other class is refused.
    """
    if y is None:
        raise errors.target_required(type(estimator).__name__)
    table = read_table(X, resolve_threads(estimator.n_jobs))
    check_not_empty(table)
    target = read_target(y, table.n_rows)
    weights = read_weights(sample_weight, table.n_rows)
    group_of, groups = find_groups(target)
    group_of, groups = _align_classes(group_of, groups, classes)
    keep = group_of >= 0
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
    rows = None
    if not keep.all():
        rows = np.flatnonzero(keep)
        table, group_of = table.take(rows), group_of[rows]
        weights = None if weights is None else weights[rows]
        if classes is None:
            group_of, groups = _drop_empty_groups(group_of, groups)
    if weights is not None:
        warn_about_weights(weights)
    return TrainingRows(table, groups, group_of, weights, rows)


def read_target(y: Any, n_rows: int) -> np.ndarray:
    """The target as a 1-D array with one entry per row."""
    target = read_vector(y)
    if target.ndim == 2 and target.shape[1] == 1:
        errors.warn(errors.column_vector())
        target = target[:, 0]
    if target.ndim != 1:
        raise errors.target_shape(target.shape)
    if len(target) != n_rows:
        raise errors.unequal_lengths("y", len(target), n_rows)
    return target


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Weights as floats, or None where all are one."""
    if sample_weight is None:
        return None
    weights = np.require(read_vector(sample_weight), np.float64, ["C", "W"])
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise errors.bad_parameter("sample_weight", "1D with one weight per row", weights.shape)
    if len(weights) != n_rows:
        raise errors.unequal_lengths("sample_weight", len(weights), n_rows)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise errors.negative_weights(float(weights[wrong][0]))
    return weights


def warn_about_weights(weights: np.ndarray) -> None:
    """Say so when weights cannot be frequencies, because smoothing counts rows."""
    mean = float(weights.mean())
    if not 0.1 <= mean <= 10:
        errors.warn(errors.weights_far_from_one(mean))


def _align_classes(
    group_of: np.ndarray, groups: np.ndarray, classes: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions among the given classes instead of those that occur."""
    if classes is None:
        return group_of, groups
    known = {label: k for k, label in enumerate(classes.tolist())}
    outside = [label for label in groups.tolist() if label not in known]
    if outside:
        raise errors.class_outside(outside, classes.tolist())
    lookup = np.array([*(known[label] for label in groups.tolist()), -1], np.int32)
    return lookup[group_of], classes


def _drop_empty_groups(group_of: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    present = np.bincount(group_of[group_of >= 0], minlength=len(groups)) > 0
    lookup = np.append(np.cumsum(present) - 1, -1).astype(np.int32)  # no group stays none
    return lookup[group_of], groups[present]


def check_not_empty(table: Table) -> None:
    """At least one row and one column."""
    if table.n_rows == 0 or len(table.columns) == 0:
        raise errors.empty_table(table.n_rows, len(table.columns))


def remember_features(estimator: Any, table: Table) -> None:
    """Set ``n_features_in_`` and, where the table has names, ``feature_names_in_``."""
    estimator.n_features_in_ = len(table.columns)
    if table.names is not None:
        estimator.feature_names_in_ = np.array(table.names, object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def check_features(estimator: Any, table: Table) -> None:
    """The same columns as at fit, by scikit-learn's rules and in its words."""
    check_not_empty(table)
    fitted = getattr(estimator, "feature_names_in_", None)
    name = type(estimator).__name__
    if fitted is not None and table.names is not None:
        _check_names(table.names, fitted)
    elif fitted is not None or table.names is not None:
        errors.warn(errors.renamed_features(name, fitted is not None))
    if len(table.columns) != estimator.n_features_in_:
        raise errors.wrong_number_of_features(len(table.columns), name, estimator.n_features_in_)


def check_schema(estimator: Any, table: Table) -> None:
    """The parameter ``schema`` is one, and is about columns such as these."""
    schema = estimator.schema
    if not isinstance(schema, Schema):
        advice = "Take schema_ from a fitted model."
        raise errors.bad_parameter("schema", "a bayfold Schema or None", schema, advice)
    if table.names is not None and schema.named:
        _check_names(table.names, schema.names)
    elif len(table.columns) != len(schema.columns):
        name = type(estimator).__name__
        raise errors.wrong_number_of_features(len(table.columns), name, len(schema.columns))


def _check_names(found: Sequence[str], expected: Sequence[str]) -> None:
    if list(found) != list(expected):
        unexpected = sorted(set(found) - set(expected))
        raise errors.wrong_names(unexpected, sorted(set(expected) - set(found)))
