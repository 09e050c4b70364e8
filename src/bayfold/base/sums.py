"""Models that can be added: statistics are summed, everything else is derived again."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bayfold import errors

FREE_PARAMETERS = frozenset(
    {"schema", "n_jobs", "categorical_features", "text_features", "ngrams", "random_state"}
)
"""Settled by the schema, or without effect on what is derived from statistics."""


class Summable(BaseEstimator, ABC):
    """A model derived from ``statistics_`` that add up over rows: ``first + second`` is the model of the rows of both.

    A subclass derives itself anew in ``_take_sum``. Models never add up otherwise.
    """

    statistics_: Any

    @abstractmethod
    def _take_sum(self, statistics: Any) -> None:
        """Become the model of these statistics."""

    def _check_batches(self) -> None:
        """Raise if the parameters need all rows at once."""

    def __add__(self, other: Any) -> Self:
        """The model of the rows of both."""
        if isinstance(other, int) and other == 0:  # where sum() starts
            return copy.copy(self)  # a sum can be continued without touching its only summand
        if type(other) is not type(self):
            return NotImplemented
        for model in (self, other):
            check_is_fitted(model)
            model._check_statistics()
        self._check_same_parameters(other)
        self._check_batches()
        total = copy.copy(self)
        total._take_sum(self.statistics_ + other.statistics_)
        said = [*getattr(self, "fit_warnings_", ()), *getattr(other, "fit_warnings_", ())]
        total.fit_warnings_ = tuple(dict.fromkeys(said))
        return total

    __radd__ = __add__

    def _check_same_parameters(self, other: Self) -> None:
        mine, theirs = self.get_params(), other.get_params()
        differing = [
            name
            for name in mine
            if name not in FREE_PARAMETERS and not _equal(mine[name], theirs[name])
        ]
        if differing:
            raise errors.parameters_differ(differing)

    def _check_statistics(self) -> None:
        """Raise if the model was saved without its statistics: it predicts, but cannot go on learning."""
        if self.__sklearn_is_fitted__() and not hasattr(self, "statistics_"):
            raise errors.no_statistics("sums and further batches")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "schema_")


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(np.all(np.asarray(a == b)))
    except (TypeError, ValueError):
        return False
