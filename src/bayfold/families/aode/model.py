"""Averaged one-dependence estimators: every column in turn is the parent of all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayfold.core.schema import RowBlock, Schema
from bayfold.core.scoring import centre_groups
from bayfold.core.scoring.naive_bayes import Calibration, NaiveBayesModel
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.scorer import Scorer
from bayfold.families.aode import kernels
from bayfold.families.aode.counts import PairLayout


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
