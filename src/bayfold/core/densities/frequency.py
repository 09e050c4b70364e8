"""Smoothed frequencies of values within groups."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bayfold.core import kernels
from bayfold.errors import bad_smoothing, is_finite

SHRINKAGE_ROWS = 2.0
"""Rows of the whole column that each group takes with ``"shrinkage"``: the m of the m-estimate, by convention."""


@dataclass(frozen=True)
class Smoothing:
    """How counts become probabilities.

    Attributes
    ----------
    kind : str
        ``"additive"``: ``(n_vg + strength) / (n_g + strength V)``; strength 1 is Laplace's rule and 0 is
        maximum likelihood. ``"m_estimate"``: ``(n_vg + strength p_v) / (n_g + strength)``. ``"shrinkage"``: the
        m-estimate, of which each value is then drawn towards ``p_v``, as far as its rows do not speak against it.
    strength : float
    declared : bool
        Whether V counts all values of the schema, also those that never occurred: they then say what a count of
        zero says. Otherwise they say nothing.
    """

    kind: str
    strength: float
    declared: bool = False

    @classmethod
    def parse(cls, smoothing: object, m: float = 2.0) -> Smoothing:
        """Read the estimator's parameter.

        >>> Smoothing.parse("m_estimate"), Smoothing.parse("laplace_declared")
        (Smoothing(kind='m_estimate', strength=2.0, declared=False),
         Smoothing(kind='additive', strength=1.0, declared=True))
        """
        if isinstance(smoothing, str):
            named = {
                "shrinkage": cls("shrinkage", SHRINKAGE_ROWS),
                "laplace": cls("additive", 1.0),
                "laplace_declared": cls("additive", 1.0, declared=True),
                "m_estimate": cls("m_estimate", float(m)),
                "none": cls("additive", 0.0),
            }
            if smoothing in named:
                return named[smoothing]
        elif smoothing is None:
            return cls("additive", 0.0)
        elif is_finite(smoothing) and smoothing >= 0:  # type: ignore[operator]
            return cls("additive", float(smoothing))  # type: ignore[arg-type]
        raise bad_smoothing(smoothing)


def estimate_frequencies(counts: np.ndarray, smoothing: Smoothing) -> np.ndarray:
    """Log-probability of every value within every group.

    Parameters
    ----------
    counts : ndarray of shape (..., n_values, n_groups)
        One table, or a stack of them.
    smoothing : Smoothing

    Returns
    -------
    log_probability : ndarray of the same shape
        Each group's probabilities add up to one over the values that occur (or over all, if they are declared).
        Values that do not occur get a row of zeros: they give no evidence. A group without any count gets the
        shares of all groups together.

    Examples
    --------
    >>> np.exp(estimate_frequencies(np.array([[3.0, 0.0], [1.0, 2.0]]), Smoothing("additive", 1.0)))
    array([[0.66666667, 0.25      ],
           [0.33333333, 0.75      ]])
    """
    occurs = (counts.sum(axis=-1, keepdims=True) > 0) | smoothing.declared
    of_group = counts.sum(axis=-2, keepdims=True)
    n_values = occurs.sum(axis=-2, keepdims=True)
    share = overall_share(counts, n_values)
    if smoothing.kind == "additive":
        smoothed = counts + smoothing.strength
        total = of_group + smoothing.strength * n_values
    else:
        smoothed = counts + smoothing.strength * share
        total = of_group + smoothing.strength
    if smoothing.kind == "shrinkage":
        smoothed, total = _shrink(counts, share, smoothed / total)
    is_known = (of_group > 0) | smoothing.declared
    with np.errstate(divide="ignore", invalid="ignore"):
        log_known = np.log(smoothed) - np.log(total)
        log_probability = np.where(is_known, log_known, np.log(share))
    return np.where(occurs, log_probability, 0.0)


def _shrink(
    counts: np.ndarray, share: np.ndarray, estimate: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Estimates drawn towards the overall shares by empirical Bayes, and what they add up to.

    The rows by which they are drawn are the same for all values of a column, and estimated from all of them: where
    values hardly differ in their groups, or only as chance has it, a value of few rows says next to nothing.
    """
    n_tables = math.prod(counts.shape[:-2])  # a column may have no value at all
    tables = np.ascontiguousarray(counts, np.float64).reshape(n_tables, *counts.shape[-2:])
    found = np.empty(len(tables))
    kernels.estimate_concentrations(tables, found)
    concentration = found.reshape(*counts.shape[:-2], 1, 1)
    of_value = counts.sum(axis=-1, keepdims=True)
    shrunk = share + of_value / (of_value + concentration) * (estimate - share)
    shrunk = np.where(of_value > 0, shrunk, 0.0)
    return shrunk, shrunk.sum(axis=-2, keepdims=True)


def overall_share(counts: np.ndarray, n_values: np.ndarray | int) -> np.ndarray:
    """Share of each of so many values over all groups, by Laplace's rule."""
    of_value = counts.sum(axis=-1, keepdims=True)
    return (of_value + 1.0) / np.maximum(of_value.sum(axis=-2, keepdims=True) + n_values, 1.0)
