"""Regressors of other libraries, each given categories and missing cells in the way it wants them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

MOST_DUMMIES = 100
"""Columns of one category each; rarer ones share a column."""

Quantiles = Callable[[pd.DataFrame, np.ndarray], np.ndarray]


class Peer:
    """A fitted model: means, and quantiles where it has them."""

    def __init__(self, predict: Callable, quantiles: Quantiles | None = None) -> None:
        self.predict, self.quantiles = predict, quantiles


def find_nominal(X: pd.DataFrame) -> list[str]:
    """The columns of categories."""
    return [name for name in X.columns if not pd.api.types.is_numeric_dtype(X[name])]


def make_matrix(X: pd.DataFrame) -> Any:
    """From a table to a matrix: medians for missing numbers, standardised; categories one by one."""
    nominal = find_nominal(X)
    numbers = [name for name in X.columns if name not in nominal]
    impute = SimpleImputer(strategy="median", keep_empty_features=True)
    dummies = OneHotEncoder(
        handle_unknown="ignore", sparse_output=False, max_categories=MOST_DUMMIES
    )
    return make_column_transformer(
        (make_pipeline(impute, StandardScaler()), numbers), (dummies, nominal)
    )


def on_matrix(make: Callable[[], Any]) -> Callable[[pd.DataFrame, np.ndarray], Peer]:
    """A model of a matrix of numbers."""

    def fit(X: pd.DataFrame, y: np.ndarray) -> Peer:
        matrix = make_matrix(X)
        model = make().fit(matrix.fit_transform(X), y)
        return Peer(lambda rows: model.predict(matrix.transform(rows)))

    return fit


def on_table(make: Callable[[], Any]) -> Callable[[pd.DataFrame, np.ndarray], Peer]:
    """A model that takes the table with its categories as pandas has them."""

    def fit(X: pd.DataFrame, y: np.ndarray) -> Peer:
        return Peer(make().fit(X, y).predict)

    return fit


def fit_catboost(X: pd.DataFrame, y: np.ndarray) -> Peer:
    """CatBoost, with its own coding of categories."""
    from catboost import CatBoostRegressor

    nominal = find_nominal(X)

    def prepare(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(**{name: rows[name].astype(object).fillna("?") for name in nominal})

    model = CatBoostRegressor(
        verbose=False, thread_count=1, random_seed=0, allow_writing_files=False
    )
    if len(np.unique(y)) == 1:
        return Peer(lambda rows: np.full(len(rows), y[0]))
    model.fit(prepare(X), y, cat_features=nominal)
    return Peer(lambda rows: model.predict(prepare(rows)))


def fit_ngboost(X: pd.DataFrame, y: np.ndarray, n_rounds: int = 500) -> Peer:
    """NGBoost with a normal distribution; 500 rounds are its default."""
    from ngboost import NGBRegressor

    matrix = make_matrix(X)
    model = NGBRegressor(n_estimators=n_rounds, verbose=False, random_state=0)
    model.fit(matrix.fit_transform(X), y)

    def quantiles(rows: pd.DataFrame, q: np.ndarray) -> np.ndarray:
        dist = model.pred_dist(matrix.transform(rows))
        return np.stack([dist.ppf(level) for level in q], axis=1)

    return Peer(lambda rows: model.predict(matrix.transform(rows)), quantiles)


def fit_quantile_forest(X: pd.DataFrame, y: np.ndarray) -> Peer:
    """A quantile forest with five rows in a leaf, as its intervals want it."""
    from quantile_forest import RandomForestQuantileRegressor

    matrix = make_matrix(X)
    model = RandomForestQuantileRegressor(min_samples_leaf=5, random_state=0, n_jobs=1)
    model.fit(matrix.fit_transform(X), y)

    def quantiles(rows: pd.DataFrame, q: np.ndarray) -> np.ndarray:
        return model.predict(matrix.transform(rows), quantiles=q.tolist())

    return Peer(lambda rows: model.predict(matrix.transform(rows), quantiles="mean"), quantiles)


def _make_lightgbm() -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_jobs=1, random_state=0, verbose=-1)


def _make_xgboost() -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(n_jobs=1, random_state=0, enable_categorical=True)


def _make_ebm() -> Any:
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(n_jobs=1, random_state=0)


def _make_histogram() -> Any:
    return HistGradientBoostingRegressor(random_state=0, categorical_features="from_dtype")


PEERS: dict[str, Callable[[pd.DataFrame, np.ndarray], Peer]] = {
    "HistGradientBoosting": on_table(_make_histogram),
    "RandomForest": on_matrix(lambda: RandomForestRegressor(random_state=0, n_jobs=1)),
    "Ridge": on_matrix(Ridge),
    "LightGBM": on_table(_make_lightgbm),
    "XGBoost": on_table(_make_xgboost),
    "quantile forest": fit_quantile_forest,
    "NGBoost": fit_ngboost,
    "NGBoost, 200 rounds": partial(fit_ngboost, n_rounds=200),
    "CatBoost": fit_catboost,
    "EBM": on_table(_make_ebm),
}
