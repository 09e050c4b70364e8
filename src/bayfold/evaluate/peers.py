"""Models of scikit-learn beside ours: the same rows, made into the matrix they want."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayfold.core.frames import read_table
from bayfold.core.frames.notation import Notation
from bayfold.core.schema.written import find_notations, read_written

MOST_DUMMIES = 100
"""Columns of one category each; rarer ones share a column, as a matrix of all would not fit into memory."""


class _OnMatrix(BaseEstimator):
    """An estimator on a table: medians for missing numbers, standardised; categories one by one."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the matrix of the table, with weights if the estimator takes them."""
        table = read_table(X)
        self.notations_ = find_notations(table, frozenset())
        columns = read_written(table, self.notations_).columns
        is_number = np.array([column.kind != "nominal" for column in columns])
        matrix = as_objects(table, is_number, self.notations_)
        numbers = np.flatnonzero(is_number).tolist()
        labels = np.flatnonzero(~is_number).tolist()
        impute = SimpleImputer(strategy="median", keep_empty_features=True)
        self.transform_ = make_column_transformer(
            (make_pipeline(impute, StandardScaler()), numbers),
            (_one_hot(), labels),
        )
        rows = self.transform_.fit_transform(matrix)
        taken = inspect.signature(self.estimator.fit).parameters
        weights = {"sample_weight": sample_weight} if "sample_weight" in taken else {}
        self.fitted_ = clone(self.estimator).fit(rows, y, **weights)
        self.is_number_ = is_number
        return self

    def predict(self, X: Any) -> np.ndarray:
        """What the estimator predicts."""
        return self.fitted_.predict(self._matrix(X))

    def _matrix(self, X: Any) -> np.ndarray:
        return self.transform_.transform(as_objects(X, self.is_number_, self.notations_))


class PeerClassifier(ClassifierMixin, _OnMatrix):
    """A classifier of scikit-learn on a table of any columns."""

    @property
    def classes_(self) -> np.ndarray:
        """The classes."""
        return self.fitted_.classes_

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        return self.fitted_.predict_proba(self._matrix(X))


class PeerRegressor(RegressorMixin, _OnMatrix):
    """A regressor of scikit-learn on a table of any columns."""


def _one_hot() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False, max_categories=MOST_DUMMIES)


def as_objects(X: Any, is_number: np.ndarray, notations: dict[int, Notation]) -> np.ndarray:
    """A table as one matrix of objects."""
    table = read_written(read_table(X), notations)
    matrix = np.empty((table.n_rows, len(table.columns)), object)
    for j, column in enumerate(table.columns):
        if is_number[j]:
            matrix[:, j] = column.numbers(0, table.n_rows)
        else:
            indices, labels = column.labels()
            matrix[:, j] = np.array([*labels, "(missing)"], object)[indices]
    return matrix


BASELINES = {
    "classification": {
        "(share of the classes)": lambda seed: DummyClassifier(strategy="prior"),
        "(logistic regression)": lambda seed: PeerClassifier(LogisticRegression(max_iter=1000)),
    },
    "regression": {
        "(mean of the target)": lambda seed: DummyRegressor(),
        "(ridge regression)": lambda seed: PeerRegressor(Ridge()),
    },
}
"""What a model must beat to be of use. The first of each looks at no column, so it gets the table as it is."""

PEERS = {
    "classification": {
        "(Gaussian naive Bayes)": lambda seed: PeerClassifier(GaussianNB()),
        "(random forest)": lambda seed: PeerClassifier(RandomForestClassifier(random_state=seed)),
        "(gradient boosting)": lambda seed: PeerClassifier(
            HistGradientBoostingClassifier(random_state=seed)
        ),
    },
    "regression": {
        "(random forest)": lambda seed: PeerRegressor(RandomForestRegressor(random_state=seed)),
        "(gradient boosting)": lambda seed: PeerRegressor(
            HistGradientBoostingRegressor(random_state=seed)
        ),
    },
}


def make_peers(task: str, seed: int, only_baselines: bool) -> dict[str, Any]:
    """Baselines, and, if wanted, the other models of scikit-learn; names in brackets are not ours."""
    made = BASELINES[task] if only_baselines else BASELINES[task] | PEERS[task]
    return {name: make(seed) for name, make in made.items()}
