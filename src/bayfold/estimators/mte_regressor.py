"""Naive Bayes regression with mixtures of truncated exponentials, also from incomplete data."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.counts import Statistics
from bayfold.densities.mte import MTEDensity, check_mte
from bayfold.engine import resolve_threads
from bayfold.estimators.columns import find_column, is_whole_number, resolve_columns
from bayfold.estimators.inputs import check_schema, remember_features
from bayfold.estimators.notices import warn_about_columns
from bayfold.estimators.regression_base import TableRegressor, check_statistic
from bayfold.estimators.regression_inputs import (
    RegressionRows,
    read_numeric_target,
    read_regression,
)
from bayfold.frames import Table
from bayfold.learners.mte_fit import MTEChoices, MTEFit, fit_mte
from bayfold.learners.mte_predictor import MTEPredictor
from bayfold.learners.regression_statistics import learn_regression_statistics
from bayfold.model.pieces import PieceDistribution
from bayfold.schema import Schema, infer_schema, infer_target

WIDTH_BINS = 128
METHODS = ("available", "impute", "em")


class MTERegressor(TableRegressor):
    def __init__(
        self,
        *,
        n_pieces: Any = "cv",
        max_intervals: int = 6,
        bandwidth_factor: Any = "cv",
        fit: str = "ls",
        missing: str = "available",
        statistic: str = "mean",
        selection: str | None = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_pieces = n_pieces
        self.max_intervals = max_intervals
        self.bandwidth_factor = bandwidth_factor
        self.fit_method = fit
