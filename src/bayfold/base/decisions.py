"""Decisions of least expected cost, from the probabilities of the classes, for all classifiers.

A decision costs ``costs[true][decided]``. The expected cost of each decision for a row is the mean of that column over
the row's class probabilities; the cheapest decision is taken, or none where refusing to decide is cheaper still.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayfold import errors
from bayfold.core.frames.labels import label_of


@dataclass(frozen=True, eq=False)
class Costs:
    """What decisions cost.

    Attributes
    ----------
    classes : ndarray
        The labels that can be decided for.
    table : ndarray of shape (n_classes, n_classes)
        By true class (rows) and decision (columns).
    reject : float or None
        Of a row that is not decided; None where every row must be.
    """

    classes: np.ndarray
    table: np.ndarray
    reject: float | None = None

    @classmethod
    def read(cls, classes: np.ndarray, costs: Any, reject: float | None) -> Costs:
        """From a mapping by labels, or an array in the order of the classes; None stands for one per wrong decision."""
        if reject is not None:
            errors.check_number("reject", reject)
        if costs is None:
            return cls(classes, 1.0 - np.eye(len(classes)), reject)
        if isinstance(costs, Mapping):
            return cls(classes, _table_of_mapping(classes, costs), reject)
        if hasattr(costs, "columns"):
            raise errors.costs_in_a_frame(costs)
        table = errors.as_numbers("costs", "numbers", costs)
        if table.shape != (len(classes), len(classes)):
            raise errors.costs_of_other_shape(classes.tolist(), table.shape)
        return cls(classes, _check_costs(classes, table), reject)

    def find_expected(self, probability: np.ndarray) -> np.ndarray:
        """The expected cost of each decision for each row."""
        return probability @ self.table

    def decide(self, probability: np.ndarray) -> np.ndarray:
        """The label of least expected cost for each row, or the missing value of the labels where that is dearer."""
        expected = self.find_expected(probability)
        best = expected.argmin(axis=1)
        decided = self.classes[best]
        if self.reject is None:
            return decided
        refused = expected[np.arange(len(best)), best] > self.reject
        decided = decided.astype(_with_missing(self.classes.dtype))
        decided[refused] = _missing_value(decided.dtype)
        return decided


def _table_of_mapping(classes: np.ndarray, costs: Mapping[Any, Any]) -> np.ndarray:
    """Costs by label; a right decision costs nothing unless it is named."""
    position = {label_of(label): k for k, label in enumerate(classes.tolist())}
    table = np.full((len(classes), len(classes)), np.nan)
    np.fill_diagonal(table, 0.0)
    for true, row in costs.items():
        if not isinstance(row, Mapping):
            raise errors.costs_not_by_class(true, row)
        for decided, cost in row.items():
            for label in (true, decided):
                if label_of(label) not in position:
                    raise errors.costs_of_unknown_class(label, classes.tolist())
            value = errors.as_numbers("costs", "numbers", cost)
            if value.ndim:
                raise errors.bad_cost(true, decided, cost)
            table[position[label_of(true)], position[label_of(decided)]] = value
    return _check_costs(classes, table)


def _check_costs(classes: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Refuse costs that are missing or infinite, by the names of their classes."""
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        true, decided = wrong[0]
        labels = classes.tolist()
        raise errors.bad_cost(labels[true], labels[decided], float(table[true, decided]))
    return table


def _with_missing(labels: np.dtype) -> np.dtype:
    """The type of labels that has a missing value: numbers with a fraction and times have one of their own."""
    return labels if labels.kind in "fcmM" else np.dtype(object)


def _missing_value(labels: np.dtype) -> Any:
    if labels.kind in "mM":
        return np.array("NaT", labels)
    return np.nan if labels.kind in "fc" else None
