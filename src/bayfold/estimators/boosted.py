"""Boosted naive Bayes for raw tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.engine import resolve_threads
from bayfold.estimators.base import Readout, TableClassifier
from bayfold.estimators.columns import resolve_columns
from bayfold.estimators.inputs import TrainingRows, check_schema, read_training, remember_features
from bayfold.estimators.tree import NaiveBayesTreeClassifier, resolve_tree_settings
from bayfold.learners.boosting import BoostRows, BoostSettings, Ensemble
from bayfold.learners.tree import TreeSettings
from bayfold.model import probabilities
from bayfold.schema import Schema, infer_schema

DEFAULT_ROUNDS = {"additive": 1000, "adaboost.m1": 100, "real": 20}


def find_learner(method: str) -> Callable[[BoostRows, Schema, BoostSettings], Ensemble]:
    """The function that learns by a method."""
    if method == "additive":
        from bayfold.learners.additive import learn_additive

        return learn_additive
    from bayfold.learners import adaboost

    return adaboost.learn_adaboost if method == "adaboost.m1" else adaboost.learn_real


class BoostedNaiveBayesClassifier(TableClassifier):
    """Boosted naive Bayes."""

    def __init__(
        self,
        *,
        method: str = "additive",
        interactions: int = 2,
        max_depth: int = 0,
        base: NaiveBayesTreeClassifier | None = None,
        n_rounds: int | None = None,
        learning_rate: float = 0.1,
        early_stopping: bool = True,
        patience: int = 30,
        n_models: int | None = None,
        validation_fraction: float = 0.1,
        max_pairs: int | None = None,
        restarts: bool = True,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = 0,
        callback: Any = None,
        progress: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.interactions = interactions
        self.max_depth = max_depth
        self.base = base
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.patience = patience
        self.n_models = n_models
        self.validation_fraction = validation_fraction
        self.max_pairs = max_pairs
        self.restarts = restarts
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.callback = callback
        self.progress = progress
        self.n_jobs = n_jobs

    _ensemble: Ensemble

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BoostedNaiveBayesClassifier:
        """Learn from a table and the class of each row."""
        settings = self._settings()
        rows = read_training(self, X, y, sample_weight)
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0])
        schema = self._schema_for(rows)
        n_threads = resolve_threads(self.n_jobs)
        learn = find_learner(settings.method)
        ensemble = learn(
            BoostRows(rows.table, rows.groups, rows.group_of, rows.weights, n_threads),
            schema,
            settings,
        )
        remember_features(self, rows.table)
        self._ensemble = ensemble
        self.classes_ = rows.groups
        for name, value in ensemble.learnt.items():
            setattr(self, name, value)
        return self

    def _schema_for(self, rows: TrainingRows) -> Schema:
        if self.schema is not None:
            check_schema(self, rows.table)
            return self.schema
        names = [column.name for column in rows.table.columns]
        return infer_schema(
            rows.table, rows.weights, resolve_columns(self.categorical_features, names)
        )

    def _settings(self) -> BoostSettings:
        if self.method not in DEFAULT_ROUNDS:
            known = ", ".join(map(repr, DEFAULT_ROUNDS))
            raise errors.bad_parameter("method", f"one of {known}", self.method)
        n_rounds = DEFAULT_ROUNDS[self.method] if self.n_rounds is None else self.n_rounds
        return BoostSettings(
            method=self.method,
            tree=self._tree_settings(),
            interactions=self.interactions,
            n_rounds=n_rounds,
            learning_rate=self.learning_rate,
            early_stopping=self.early_stopping,
            patience=self.patience,
            n_models=self.n_models,
            validation_fraction=self.validation_fraction,
            restarts=self.restarts,
            max_pairs=self.max_pairs,
            seed=int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)),
            callback=self.callback,
        )

    def _tree_settings(self) -> TreeSettings:
        """What AdaBoost boosts: trees as ``base`` says, otherwise with the defaults and ``max_depth``."""
        if self.base is None:
            return resolve_tree_settings(NaiveBayesTreeClassifier(self.max_depth))
        if not isinstance(self.base, NaiveBayesTreeClassifier):
            raise errors.bad_parameter("base", "a NaiveBayesTreeClassifier or None", self.base)
        return resolve_tree_settings(self.base)

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probabilities after each round."""
        log_prior = self._log_prior()
        table = self._read(X)
        for scores in self._ensemble.staged_scores(table, resolve_threads(self.n_jobs)):
            yield probabilities(scores, log_prior)

    def _score(self, X: Any, readout: Readout | None = None) -> np.ndarray:
        check_is_fitted(self)
        n_threads = resolve_threads(self.n_jobs)
        return self._ensemble.score(self._read(X), readout=readout, n_threads=n_threads)

    def _log_prior(self) -> np.ndarray:
        check_is_fitted(self)
        return self._ensemble.log_prior

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_ensemble")
