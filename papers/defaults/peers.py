"""Classifiers of other libraries, each given categories and missing cells in the way it wants them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from benchmarks.domains import hist_gradient_boosting
from benchmarks.number_peers import find_nominal, make_matrix

Predict = Callable[[pd.DataFrame], np.ndarray]
Fit = Callable[[pd.DataFrame, np.ndarray], Predict]
"""From a table and classes from 0 on, all of which occur, to their probabilities for other rows."""


def on_matrix(make: Callable[[], Any]) -> Fit:
    """A model of a matrix of numbers."""

    def fit(X: pd.DataFrame, y: np.ndarray) -> Predict:
        matrix = make_matrix(X)
        model = make().fit(matrix.fit_transform(X), y)
        return lambda rows: model.predict_proba(matrix.transform(rows))

    return fit


def on_table(make: Callable[[], Any]) -> Fit:
    """A model that takes the table with its categories as pandas has them."""

    def fit(X: pd.DataFrame, y: np.ndarray) -> Predict:
        return make().fit(X, y).predict_proba

    return fit


def fit_catboost(X: pd.DataFrame, y: np.ndarray) -> Predict:
    """CatBoost, with its own coding of categories."""
    from catboost import CatBoostClassifier

    nominal = find_nominal(X)

    def prepare(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(**{name: rows[name].astype(object).fillna("?") for name in nominal})

    model = CatBoostClassifier(
        verbose=False, thread_count=1, random_seed=0, allow_writing_files=False
    )
    model.fit(prepare(X), y, cat_features=nominal)
    return lambda rows: model.predict_proba(prepare(rows))


def _make_lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)


def _make_xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0, enable_categorical=True)


def _make_ebm() -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=0)


def fit_khiops(X: pd.DataFrame, y: np.ndarray) -> Predict:
    """Khiops with its selective naive Bayes alone."""
    os.environ.setdefault("KHIOPS_PROC_NUMBER", "1")
    from khiops.sklearn import KhiopsClassifier

    def prepare(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(**{name: rows[name].astype(object) for name in find_nominal(rows)})

    model = KhiopsClassifier(n_trees=0).fit(prepare(X), y)
    return lambda rows: model.predict_proba(prepare(rows))


PEERS: dict[str, Fit] = {
    "GaussianNB": on_matrix(GaussianNB),
    "LogisticRegression": on_matrix(lambda: LogisticRegression(max_iter=1000)),
    "RandomForest": on_matrix(lambda: RandomForestClassifier(random_state=0, n_jobs=1)),
    "HistGradientBoosting": on_table(hist_gradient_boosting),
    "LightGBM": on_table(_make_lightgbm),
    "XGBoost": on_table(_make_xgboost),
    "CatBoost": fit_catboost,
    "EBM": on_table(_make_ebm),
    "Khiops": fit_khiops,
}
