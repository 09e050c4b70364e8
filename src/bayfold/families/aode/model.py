"""Averaged one-dependence estimators: every column in turn is the parent of all others.

A model holds smoothed frequencies of values with their group, and of values given another value and the group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.densities.frequency import Smoothing
from bayfold.core.schema import RowBlock, Schema
from bayfold.core.scoring import centre_groups
from bayfold.core.scoring.naive_bayes import Calibration, NaiveBayesModel, Scorer
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.aode import kernels
from bayfold.families.aode.counts import PairLayout


def estimate_joint(counts: np.ndarray, starts: np.ndarray, smoothing: Smoothing) -> np.ndarray:
    """Log-probability of every value together with every group, column by column.

    Parameters
    ----------
    counts : ndarray of shape (n_values, n_groups)
        Over the values of all columns, one column behind the other.
    starts : ndarray of int
        The position of each column's first value.
    smoothing : Smoothing
        The values that occur and the groups share its pseudo-rows evenly.
    """
    column_of = _columns(starts, len(counts))
    n_cells = _occurring(counts, starts) * counts.shape[1]
    known = np.add.reduceat(counts.sum(axis=1), starts)
    strength = smoothing.strength
    if smoothing.kind == "additive":
        added = np.full(len(known), strength)
        total = known + strength * n_cells
    else:
        added = strength / np.maximum(n_cells, 1)
        total = known + strength
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(counts + added[column_of][:, None]) - np.log(total)[column_of][:, None]


def update_to_given(
    pairs: np.ndarray,
    counts: np.ndarray,
    starts: np.ndarray,
    log_naive: np.ndarray,
    smoothing: Smoothing,
) -> np.ndarray:
    """Turn counts of pairs into the log-probability of value q given value p of another column and the group.

    In their place, because a table of pairs is the largest thing here.

    Parameters
    ----------
    pairs : ndarray of shape (n_values, n_values, n_groups)
        Counts of pairs, both halves; after this the log-probabilities at ``[p, q, group]``, which are returned too.
    counts : ndarray of shape (n_values, n_groups)
    starts : ndarray of int
        The position of each column's first value.
    log_naive : ndarray of shape (n_values, n_groups)
        Log-probability of q given the group alone: what is left where p tells nothing of q.
    smoothing : Smoothing
        Additive: the same for every value of q's column that occurs. M-estimate: pseudo-rows
        spread as q is within the group, so that few rows of p fall back to naive Bayes.
    """
    of_parent = np.add.reduceat(pairs, starts, axis=1)
    if smoothing.kind == "additive":
        added = np.full(log_naive.shape, smoothing.strength)
        of_parent += smoothing.strength * _occurring(counts, starts)[:, None]
    else:
        added = smoothing.strength * np.exp(log_naive)
        of_parent += smoothing.strength
    with np.errstate(divide="ignore"):
        logs = np.log(added), np.log(of_parent)
    kernels.update_to_log_given(pairs, _columns(starts, len(counts)), added, *logs, log_naive)
    return pairs


def _columns(starts: np.ndarray, n_values: int) -> np.ndarray:
    return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n_values)))


def _occurring(counts: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """How many values of each column occur."""
    return np.add.reduceat((counts.sum(axis=1) > 0).astype(np.float64), starts)


@dataclass(frozen=True, eq=False)
class OneDependenceModel:
    """``p(g, x) = mean over parents p of p(g, p) * product over the other cells q of p(q | g, p)``.

    Attributes
    ----------
    naive : NaiveBayesModel
        Terms of all columns. Used where a row has no parent, and always for columns that are not paired.
    layout : PairLayout
        The paired columns.
    is_silent : ndarray of bool, of shape (n_columns,)
        Columns of many values that rows left out do not confirm: neither parents nor children.
    lookups : list of ndarray
        The position of each code of each paired column; -1 where the cell says nothing.
    is_parent : ndarray of bool, of shape (n_values,)
    log_joint, log_naive : ndarray of shape (n_values, n_groups)
        Of a value with the group, and given the group.
    log_given : ndarray of shape (n_values, n_values, n_groups)
    calibration : Calibration or None
        One factor on all evidence (``weights`` of length one), and an intercept in place of the prior.
    """

    naive: NaiveBayesModel
    layout: PairLayout
    is_silent: np.ndarray
    lookups: list[np.ndarray]
    is_parent: np.ndarray
    log_joint: np.ndarray
    log_naive: np.ndarray
    log_given: np.ndarray
    calibration: Calibration | None = None

    @property
    def schema(self) -> Schema:
        """What the columns are and how they are coded."""
        return self.naive.schema

    @property
    def log_prior(self) -> np.ndarray:
        """Log prior of every group."""
        return self.naive.log_prior


class OneDependenceScorer:
    """Scores of coded rows: log-odds for two groups, centred log joint for more.

    Parameters
    ----------
    model : OneDependenceModel
    """

    def __init__(self, model: OneDependenceModel) -> None:
        self.model = model
        paired = set(model.layout.columns)
        unpaired = [
            j
            for j in range(len(model.schema.columns))
            if j not in paired and not model.is_silent[j]
        ]
        self.unpaired = Scorer(model.naive, centred=False, columns=unpaired, with_prior=False)
        self.start = centre_groups(model.log_prior)
        self.n_scores = len(self.start)

    def score_joint(self, block: RowBlock) -> np.ndarray:
        """Log p(g, x) of shape (n_rows, n_groups), over the cells that say something."""
        model = self.model
        joint = self.unpaired.score(block)
        kernels.score_one_dependence(
            model.layout.place(block, model.lookups),
            model.is_parent,
            model.log_joint,
            model.log_given,
            model.log_prior,
            model.log_naive,
            joint,
        )
        return joint

    def score(self, block: RowBlock) -> np.ndarray:
        """Scores of shape (n_rows, n_scores)."""
        scores = centre_groups(self.score_joint(block))
        calibration = self.model.calibration
        if calibration is None:
            return scores
        return (scores - self.start) * calibration.weights[0] + calibration.intercept


class OneDependencePredictor(Predictor):
    """A model of pairs made ready for tables."""

    model: OneDependenceModel

    def _make_decision(self) -> OneDependenceScorer:
        return OneDependenceScorer(self.model)
