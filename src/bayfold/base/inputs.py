"""Tables, targets and weights as users give them, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.base.columns import check_positions
from bayfold.base.options import TableLike, VectorLike
from bayfold.base.per_row import PerRow
from bayfold.core.counts import LabelledRows
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import Table, find_groups, find_numbers, read_table, read_vector
from bayfold.core.schema import Schema
from bayfold.core.schema.given import count_special_codes

LEAST_TOTAL_WEIGHT = 1e-6
"""A millionth of a row: of less, smoothing is all that is left, and bandwidths of 1 / sqrt(rows) leave every grid."""

MOST_TOTAL_WEIGHT = 2.0**53
"""Whole numbers are exact up to here; beyond, one more row would change no count."""

NEGLIGIBLE_WEIGHT = 2.0**-53
"""Of the largest weight: added to it, so small a weight is lost in rounding."""

LEAST_SUMMED = 10
"""Numbers other than 0 that are a sum no more by chance, as 2 is of 1 and 1."""

SUM_ROUNDING = 1e-5
"""Of a sum of amounts that are rounded one by one: a thousand of some hundred euros are .1 off."""

LARGEST_TARGET = 1e304
"""Twice the range of a target, with the margins of a grid around it, must be a float; and so must one by the range."""

INFERENCE = (
    "categorical_features",
    "numeric_features",
    "text_features",
    "ngrams",
    "max_bins",
    "bins",
    "special_codes",
)
"""Parameters that say how a schema is inferred, and are of no use beside a given one."""


def read_classes(
    estimator: Any,
    X: TableLike,
    y: VectorLike,
    given: PerRow | VectorLike | None,
    *,
    classes: np.ndarray | None = None,
    keep_missing: bool = False,
) -> LabelledRows:
    """Read and check a table and the class of each row, as given to ``fit`` or ``partial_fit``.

    Rows without a class are left out with a warning (or stay, in group -1, with ``keep_missing``), rows of weight
    zero without one, before anything is inferred. With ``classes`` given, any other class is refused.
    """
    if y is None:
        raise errors.target_required(type(estimator).__name__)
    table = _read_table(estimator, X)
    if isinstance(y, Grouped):
        group_of = y.group_of
        groups = y.groups
    else:
        group_of, groups = find_groups(read_target(y, table.n_rows))
    if classes is not None:
        group_of = _find_places(groups, classes)[group_of]
        groups = classes
    weights, extras = read_per_row(given, table.n_rows)
    rows = LabelledRows(table, groups, group_of, weights, extras=extras)
    counted = _take_rows_that_count(rows, keep_missing)
    if counted is rows or classes is not None:
        return counted
    return counted.without_empty_groups()


def read_numbers(
    estimator: Any,
    X: TableLike,
    y: VectorLike,
    given: PerRow | VectorLike | None,
    *,
    keep_missing: bool = False,
) -> LabelledRows:
    """Read and check a table and the number to be predicted for each row, as ``read_classes`` does for classes."""
    if y is None:
        raise errors.target_required(type(estimator).__name__)
    table = _read_table(estimator, X)
    target = read_numeric_target(y, table.n_rows)
    _warn_about_total(target)
    weights, extras = read_per_row(given, table.n_rows)
    rows = LabelledRows.in_one_group(table, weights, target, extras)
    return _take_rows_that_count(rows, keep_missing)


def _warn_about_total(target: np.ndarray) -> None:
    """Say so where one number is the sum of all others, as the last line of a sales table is."""
    known = target[~np.isnan(target)]
    total = float(known[np.abs(known).argmax()]) if len(known) else 0.0
    n_others = int(np.count_nonzero(known)) - 1
    with np.errstate(over="ignore"):
        rest = known.sum() - total
    if n_others >= LEAST_SUMMED and abs(rest - total) <= SUM_ROUNDING * abs(total):
        errors.warn(errors.total_among_targets(total))


def read_unlabelled(
    estimator: Any, X: TableLike, given: PerRow | VectorLike | None
) -> LabelledRows:
    """Read and check a table without a target; rows of weight zero are still among the rows."""
    table = _read_table(estimator, X)
    weights, extras = read_per_row(given, table.n_rows)
    return LabelledRows.in_one_group(table, weights, extras=extras)


def _read_table(estimator: Any, X: Any) -> Table:
    takes_sparse = getattr(estimator, "_takes_sparse", False)
    table = read_table(X, resolve_threads(estimator.n_jobs), takes_sparse)
    check_not_empty(table)
    check_positions(estimator, table)
    return table


def _take_rows_that_count(rows: LabelledRows, keep_missing: bool) -> LabelledRows:
    """The rows with a weight above zero and, unless ``keep_missing``, with a target."""
    known = rows.group_of >= 0
    n_missing = len(known) - int(np.count_nonzero(known))
    if n_missing == len(known):
        raise errors.target_missing_entirely()
    if n_missing and not keep_missing:
        errors.warn(errors.missing_targets(n_missing))
    if rows.weights is not None and not rows.weights[known].any():
        raise errors.all_weights_zero()
    return take_weighted_rows(rows if keep_missing else rows.labelled())


def take_weighted_rows(rows: LabelledRows) -> LabelledRows:
    """The rows with a weight above zero; a warning if the weights cannot be frequencies."""
    if rows.weights is None:
        return rows
    if not rows.weights.any():
        raise errors.all_weights_zero()
    if not rows.weights.all():
        rows = rows.take(np.flatnonzero(rows.weights))
    assert rows.weights is not None
    warn_about_weights(float(rows.weights.mean()))
    return rows


def read_target(y: VectorLike, n_rows: int) -> np.ndarray:
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


@dataclass(frozen=True, eq=False)
class Grouped:
    """A target that has been read already.

    Attributes
    ----------
    group_of : ndarray of int32
        Position of each row's group; -1 where it is unknown.
    groups : ndarray
    """

    group_of: np.ndarray
    groups: np.ndarray


def read_numeric_target(y: VectorLike, n_rows: int, is_whole: bool = True) -> np.ndarray:
    """The target as floats with one entry per row, NaN where it is missing; of all rows, or of a part of them."""
    numbers = find_numbers(read_target(y, n_rows), is_whole)
    if np.isinf(numbers).any():
        raise errors.infinite_numeric_target()
    largest = float(np.abs(numbers[~np.isnan(numbers)]).max(initial=0.0))
    if largest > LARGEST_TARGET or 0 < largest < 1 / LARGEST_TARGET:
        raise errors.target_out_of_range(largest, LARGEST_TARGET)
    return numbers


def read_per_row(
    given: PerRow | VectorLike | None, n_rows: int
) -> tuple[np.ndarray | None, dict[str, np.ndarray]]:
    """The weights, and whatever else was given for each row."""
    per_row = PerRow.of(given)
    return read_weights(per_row.sample_weight, n_rows), per_row.read_extras(n_rows)


def read_weights(sample_weight: VectorLike | None, n_rows: int) -> np.ndarray | None:
    """Weights as floats, or None where all are one; those too small to change a sum are zero."""
    if sample_weight is None:
        return None
    weights = np.require(read_vector(sample_weight), np.float64, ["C", "W"])
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise errors.bad_weights_shape(weights.shape)
    if len(weights) != n_rows:
        raise errors.unequal_lengths("sample_weight", len(weights), n_rows)
    check_not_negative(weights)
    largest = float(weights.max(initial=0.0))
    if largest == 0:
        return weights  # refused where rows are counted: a model may ask for more than rows with a weight
    with np.errstate(over="ignore"):
        check_total_weight(float(weights.sum()))
    return without_negligible(weights, largest)


def check_not_negative(weights: np.ndarray) -> None:
    """Every weight is a finite number, zero or more."""
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise errors.negative_weights(float(weights[wrong][0]))


def check_total_weight(total: float) -> None:
    """The sum of all weights is one that rows can be counted with."""
    if not LEAST_TOTAL_WEIGHT <= total <= MOST_TOTAL_WEIGHT:
        raise errors.weights_out_of_range(total, LEAST_TOTAL_WEIGHT, MOST_TOTAL_WEIGHT)


def without_negligible(weights: np.ndarray, largest: float) -> np.ndarray:
    """Weights, zero where they are lost in rounding beside the largest of all."""
    negligible = weights < NEGLIGIBLE_WEIGHT * largest
    return np.where(negligible, 0.0, weights) if negligible.any() else weights


def warn_about_weights(mean: float) -> None:
    """Say so when weights cannot be frequencies, because smoothing counts rows."""
    if not 0.1 <= mean <= 10:
        errors.warn(errors.weights_far_from_one(mean))


def _find_places(groups: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Where the groups that occur are among the given classes; the last entry is for rows without a group."""
    known = {label: k for k, label in enumerate(classes.tolist())}
    outside = [label for label in groups.tolist() if label not in known]
    if outside:
        raise errors.class_outside(outside, classes.tolist())
    return np.array([*(known[label] for label in groups.tolist()), -1], np.int32)


def check_not_empty(table: Table) -> None:
    """At least one row and one column."""
    if table.n_rows == 0 or table.n_features == 0:
        raise errors.empty_table(table.n_rows, table.n_features)


def record_features(estimator: Any, table: Table) -> None:
    """Set ``n_features_in_`` and, where the table has names, ``feature_names_in_``."""
    estimator.n_features_in_ = table.n_features
    if table.feature_names is not None:
        estimator.feature_names_in_ = np.array(table.feature_names, object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def check_features(estimator: Any, table: Table) -> None:
    """The same columns as at fit, by scikit-learn's rules and in its words."""
    check_not_empty(table)
    fitted = getattr(estimator, "feature_names_in_", None)
    name = type(estimator).__name__
    names = table.feature_names
    if fitted is not None and names is not None:
        _check_names(names, fitted)
    elif fitted is not None or names is not None:
        errors.warn(errors.renamed_features(name, fitted is not None))
    if table.n_features != estimator.n_features_in_:
        raise errors.wrong_number_of_features(table.n_features, name, estimator.n_features_in_)
    if hasattr(estimator, "schema_"):
        _check_is_sparse(table, estimator.schema_)


def check_schema(estimator: Any, table: Table) -> None:
    """The parameter ``schema`` is one, and is about columns such as these; nothing else says how they are coded."""
    schema = estimator.schema
    if not isinstance(schema, Schema):
        raise errors.bad_schema(schema)
    if schema.text and not hasattr(estimator, "text_features"):
        raise errors.reads_no_words(type(estimator).__name__, schema.names[schema.text[0]])
    special = np.flatnonzero(count_special_codes(schema.columns))
    if len(special) and not hasattr(estimator, "special_codes"):
        raise errors.knows_no_special_codes(type(estimator).__name__, schema.names[special[0]])
    for name in INFERENCE:
        if hasattr(estimator, name):
            errors.check_unused(estimator, name, "a schema")
    _check_is_sparse(table, schema)
    expected = schema.names if schema.bag is None else schema.bag.words
    if table.feature_names is not None and schema.named:
        _check_names(table.feature_names, expected or ())
    elif table.n_features != schema.n_features:
        name = type(estimator).__name__
        raise errors.wrong_number_of_features(table.n_features, name, schema.n_features)


def _check_is_sparse(table: Table, schema: Schema) -> None:
    """A sparse matrix where there was one, a table where there was none."""
    if (table.bag is None) != (schema.bag is None):
        raise errors.not_sparse() if table.bag is None else errors.sparse_cells()


def share_schema(estimator: Any, schema: Schema) -> None:
    """Give the estimator a schema, in place of all parameters about finding one."""
    asked = [name for name in INFERENCE if hasattr(estimator, name)]
    defaults = {name: errors.default_of(estimator, name) for name in asked}
    estimator.set_params(schema=schema, **defaults)


def _check_names(found: Sequence[str], expected: Sequence[str]) -> None:
    if list(found) != list(expected):
        unexpected = sorted(set(found) - set(expected))
        raise errors.wrong_names(unexpected, sorted(set(expected) - set(found)))
