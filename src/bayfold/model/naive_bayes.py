"""The model: a log prior and one term per column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayfold.densities import Term
from bayfold.schema import Schema


@dataclass(frozen=True, eq=False)
class NaiveBayesModel:
    """``log p(g, x) = log_prior[g] + sum of terms``.

    Attributes
    ----------
    schema : Schema
    log_prior : ndarray of shape (n_groups,)
    terms : tuple of Term
        One per column, in the order of the columns.
    """

    schema: Schema
    log_prior: np.ndarray
    terms: tuple[Term, ...]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.log_prior)

    def with_log_prior(self, log_prior: np.ndarray) -> NaiveBayesModel:
        """The same terms under another prior."""
        return replace(self, log_prior=log_prior)
