"""Boosted naive Bayes for raw tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.columns import is_whole_number, resolve_columns
from bayfold.base.estimator import Readout, TableClassifier
from bayfold.base.inputs import TrainingRows, check_schema, read_training, remember_features
from bayfold.base.notices import warn_about_columns
from bayfold.base.progress import follow_rounds
from bayfold.core.counts import JointCounts
from bayfold.core.densities import is_plain_number
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence import Records, describe_evidence, explain_rows
from bayfold.core.schema import Schema, infer_schema
from bayfold.core.scoring import NaiveBayesModel, probabilities
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.boosting.settings import BoostRows, BoostSettings, Callback, Ensemble
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier, resolve_tree_settings
from bayfold.families.trees.grower import TreeSettings

NARROW_CATEGORIES = 253  # so that every column has one-byte codes
LEAST_FRACTION = 0.001  # its inverse is the number of folds
DEFAULT_ROUNDS = {"additive": 1000, "adaboost.m1": 100, "real": 20}


def find_learner(method: str) -> Callable[[BoostRows, Schema, BoostSettings], Ensemble]:
    """The function that learns by a method."""
    if method == "additive":
        from bayfold.families.boosting.learner import learn_additive

        return learn_additive
    from bayfold.families.adaboost import learner as adaboost

    return adaboost.learn_adaboost if method == "adaboost.m1" else adaboost.learn_real


class BoostedNaiveBayesClassifier(TableClassifier):
    """Boosted naive Bayes on the table as it is: the same kind of model, fitted better.

    The default, ``method="additive"``, keeps the form of naive Bayes, a prior and a table of evidence per column,
    adds tables of two columns, and fits them all together to the log-loss instead of counting each alone. It
    is the most accurate model of this library, its probabilities need no calibration, and every prediction is still a
    sum of table entries that ``explain`` lists and ``evidence_`` shows.

    Parameters
    ----------
    method : {"additive", "adaboost.m1", "real"}, default="additive"
        How rounds are fitted and added: shrunken Newton steps by shallow trees, collapsed into tables; votes of
        naive Bayes models on reweighted rows, as Ting and Zheng ran it; or confidence-rated votes, collapsed into one
        naive Bayes.
    interactions : {1, 2}, default=2
        For "additive": tables of one column only, or of two columns as well.
    max_depth : int, default=0
        For "adaboost.m1": depth of the trees with naive Bayes leaves; 0 is naive Bayes itself.
    base : NaiveBayesTreeClassifier, default=None
        For "adaboost.m1": how the trees are grown, in place of ``max_depth``; its ``m`` and ``denominator`` also hold
        for "real", which boosts naive Bayes itself.
    n_rounds : int, default=None
        Most rounds: 1000 for "additive", 100 for "adaboost.m1" and 20 for "real" by default.
    learning_rate : float, default=0.1
        For "additive": part of a Newton step that is taken in the first rounds; it grows by as much again every 200
        rounds, up to a half. For "real": part of the log-odds that a round adds.
    early_stopping : bool, default=True
        For "additive": stop when the log-loss of left-out rows has not fallen for ``patience`` rounds, and keep the
        rounds up to the lowest loss; for an average of models, which over-fits later than each of them, a fifth more.
    patience : int, default=30
        Rounds without a lower loss before it stops.
    n_models : int, default=None
        For "additive": so many models are fitted side by side, each without a fold of its own, and averaged. By
        default 16 up to 4,000 rows, 8 up to 20,000, 4 up to 50,000, 2 up to 2,000,000, then 1.
    validation_fraction : float, default=0.125
        For "additive": part of the rows that each model leaves out, 0.001 to 0.5; with many models less, as each
        has a fold of its own.
    max_pairs : int, default=None
        For "additive": keep only so many tables of two columns, the strongest; ``left_out_share_`` says what that
        costs.
    restarts : bool, default=True
        For "adaboost.m1": go on from a bootstrap sample when a model is no better than chance, or perfect.
    max_bins : int, default=32
        For "additive": most bins of a numeric column, 2 to 254, with equally many rows in each.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    schema : Schema, default=None
        What the columns are and how they are coded, from another model's ``schema_``.
    random_state : int, RandomState instance or None, default=0
        Draws of rows, columns and folds.
    callback : callable, default=None
        Called after some rounds with the number of rounds so far, the most there will be, and the loss of left-out rows
        ("adaboost.m1": the error of the round; "real": NaN).
    progress : bool, default=False
        Show a progress bar, if there is a terminal.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        Sorted class labels.
    schema_ : Schema
        What the columns are and how they are coded.
    n_rounds_ : int
        Rounds that were kept.
    evidence_ : Records
        The model as a table: weight of evidence, counts and bounds of every bin of every column, then of every pair.
    validation_loss_ : ndarray
        For "additive": mean log-loss of left-out rows after each round that was run.
    left_out_share_ : float
        For "additive": share of the variance of all tables that ``max_pairs`` left out.
    round_errors_, round_votes_, round_restarts_ : ndarray
        For "adaboost.m1": the weighted training error and the vote of each round, and how often weights were drawn anew
        for it.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    Elkan [1]_ saw that boosted naive Bayes adds up to one naive Bayes. Ting and Zheng [2]_ saw that boosting helps
    naive Bayes little, because no sum of one-column tables can tell what columns say only together, and grew
    trees first. Here each round is a tree of depth two on the codes, one for all classes, grown on a random part of
    rows and columns. A tree asks about two columns on each path, so it lies in two tables of two columns; the sum
    of all trees is a set of tables, exactly. What a column says alone is then moved from the tables of two
    columns to its own.

    With ``method="adaboost.m1"`` the probabilities are shares of the votes: how sure the ensemble is of its decision,
    not how often that is right. Where they matter use the default, or scikit-learn's ``CalibratedClassifierCV``.

    A missing cell is a value of its own if there were any in training; otherwise it gives no evidence, like a category
    that did not occur. Weights are frequencies: equal rows are one row with the sum of their weights, drawn and
    dealt to folds by what is in them, so weight 2 is exactly the row twice and the order of rows does not matter. The
    order of columns does: they are drawn by position.

    References
    ----------
    .. [1] C. Elkan (1997). Boosting and naive Bayesian learning. Technical Report CS97-557, University of
       California, San Diego.
    .. [2] K. M. Ting, Z. Zheng (2003). A study of AdaBoost with naive Bayesian classifiers: weakness and improvement.
       Computational Intelligence 19(2), 186-200. https://doi.org/10.1111/1467-8640.00219

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import BoostedNaiveBayesClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)  # no column says anything alone
    >>> model = BoostedNaiveBayesClassifier().fit(X, y)
    >>> model.predict([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    array([1, 0])
    """

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
        validation_fraction: float = 0.125,
        max_pairs: int | None = None,
        restarts: bool = True,
        max_bins: int = 32,
        categorical_features: Any = None,
        schema: Schema | None = None,
        random_state: Any = 0,
        callback: Callback | None = None,
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
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.schema = schema
        self.random_state = random_state
        self.callback = callback
        self.progress = progress
        self.n_jobs = n_jobs

    _ensemble: Ensemble

    # learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BoostedNaiveBayesClassifier:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : array-like of shape (n_rows,)
            Strings, booleans or whole numbers; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.

        Returns
        -------
        self : BoostedNaiveBayesClassifier
        """
        self._check_parameters()
        rows = read_training(self, X, y, sample_weight)
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0])
        schema = self._schema_for(rows)
        learn = find_learner(self.method)
        with follow_rounds(self.progress, self.callback, "boosting") as callback:
            ensemble = learn(_boost_rows(rows, self.n_jobs), schema, self._settings(callback))
        if ensemble.counts is not None:
            warn_about_columns(ensemble.counts)
        remember_features(self, rows.table)
        self._remember(ensemble, rows.groups)
        return self

    def _remember(self, ensemble: Ensemble, classes: np.ndarray) -> None:
        """Keep what was learnt, and nothing that an earlier fit by another method has left."""
        for name in self._ensemble.learnt if hasattr(self, "_ensemble") else ():
            delattr(self, name)
        self._ensemble, self.classes_ = ensemble, classes
        for name, value in ensemble.learnt.items():
            setattr(self, name, value)

    def _schema_for(self, rows: TrainingRows) -> Schema:
        if self.schema is not None:
            check_schema(self, rows.table)
            return self.schema
        names = [column.name for column in rows.table.columns]
        nominal = resolve_columns(self.categorical_features, names)
        if self.method != "additive":
            return infer_schema(rows.table, rows.weights, nominal)
        return infer_schema(
            rows.table,
            rows.weights,
            nominal,
            max_bins=self.max_bins,
            max_categories=NARROW_CATEGORIES,
        )

    def _settings(self, callback: Callback | None) -> BoostSettings:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return BoostSettings(
            method=self.method,
            tree=self._tree_settings(),
            interactions=self.interactions,
            n_rounds=DEFAULT_ROUNDS[self.method] if self.n_rounds is None else self.n_rounds,
            learning_rate=self.learning_rate,
            early_stopping=self.early_stopping,
            patience=self.patience,
            n_models=self.n_models,
            validation_fraction=self.validation_fraction,
            restarts=self.restarts,
            max_pairs=self.max_pairs,
            seed=int(seed),
            callback=callback,
        )

    def _tree_settings(self) -> TreeSettings:
        """What AdaBoost boosts: trees as ``base`` says, otherwise with the defaults and ``max_depth``."""
        if self.base is None:
            return resolve_tree_settings(NaiveBayesTreeClassifier(self.max_depth))
        if not isinstance(self.base, NaiveBayesTreeClassifier):
            raise errors.bad_parameter("base", "a NaiveBayesTreeClassifier or None", self.base)
        if self.base.categorical_features is not None:
            advice = "Give it to BoostedNaiveBayesClassifier instead."
            given = self.base.categorical_features
            raise errors.bad_parameter("base.categorical_features", "None", given, advice)
        return resolve_tree_settings(self.base)

    def _check_parameters(self) -> None:
        if not isinstance(self.method, str) or self.method not in DEFAULT_ROUNDS:
            known = ", ".join(map(repr, DEFAULT_ROUNDS))
            raise errors.bad_parameter("method", f"one of {known}", self.method)
        for name in ("early_stopping", "restarts", "progress"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise errors.bad_parameter(name, "True or False", getattr(self, name))
        self._check_whole("interactions", 1, 2)
        self._check_whole("max_depth", 0)
        self._check_whole("n_rounds", 1, optional=True)
        self._check_whole("patience", 1)
        self._check_whole("n_models", 1, optional=True)
        self._check_whole("max_pairs", 0, optional=True)
        self._check_whole("max_bins", 2, 254)
        self._check_number("learning_rate", 1.0)
        self._check_number("validation_fraction", 0.5, LEAST_FRACTION)
        if self.callback is not None and not callable(self.callback):
            raise errors.bad_parameter("callback", "a function or None", self.callback)

    def _check_whole(
        self, name: str, least: int, most: int | None = None, optional: bool = False
    ) -> None:
        value = getattr(self, name)
        if optional and value is None:
            return
        if is_whole_number(value) and least <= value and (most is None or value <= most):
            return
        allowed = f"a whole number from {least}" + ("" if most is None else f" to {most}")
        raise errors.bad_parameter(name, allowed + (" or None" if optional else ""), value)

    def _check_number(self, name: str, most: float, least: float | None = None) -> None:
        value = getattr(self, name)
        if is_plain_number(value) and 0 < value <= most and (least is None or least <= value):
            return
        allowed = (
            f"above 0 and at most {most:g}" if least is None else f"from {least:g} to {most:g}"
        )
        raise errors.bad_parameter(name, f"a number {allowed}", value)

    # answers

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probability of each class after each round.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Yields
        ------
        probability : ndarray of shape (n_rows, n_classes)
            The last is what ``predict_proba`` gives.
        """
        log_prior = self._log_prior()
        table = self._read(X)
        for scores in self._ensemble.staged_scores(table, resolve_threads(self.n_jobs)):
            yield probabilities(scores, log_prior)

    def collapse(self) -> NaiveBayesModel:
        """The sum of all rounds as one model of tables: a log prior, a table per column, tables of pairs.

        Returns
        -------
        model : NaiveBayesModel
            Its scores are those of the rounds added up; predictions are made from it.
        """
        return self._tables()[0]

    def explain(self, X: Any) -> Records:
        """Why each row is scored as it is: the weight of evidence of its cells, alone and two by two.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        records : Records
            Columns row, column, value, bin, class and weight. The first record of a row is its prior, then come its
            cells, then its pairs of cells. For two classes weights speak for the second class (negative: for the
            first) and add up to ``decision_function``; for more there is one record per class.
        """
        model, counts = self._tables()
        return explain_rows(Predictor(model), counts, self._read(X))

    @property
    def evidence_(self) -> Records:
        """Weight of evidence of every bin of every column and of every pair, with bounds and counts."""
        return describe_evidence(*self._tables())

    def _tables(self) -> tuple[NaiveBayesModel, JointCounts]:
        check_is_fitted(self)
        if self._ensemble.model is None or self._ensemble.counts is None:
            raise errors.no_tables(self.method)
        return self._ensemble.model, self._ensemble.counts

    def _score(self, X: Any, readout: Readout | None = None) -> np.ndarray:
        check_is_fitted(self)
        n_threads = resolve_threads(self.n_jobs)
        return self._ensemble.score(self._read(X), readout=readout, n_threads=n_threads)

    def _log_prior(self) -> np.ndarray:
        check_is_fitted(self)
        return self._ensemble.log_prior

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_ensemble")


def _boost_rows(rows: TrainingRows, n_jobs: int | None) -> BoostRows:
    n_threads = resolve_threads(n_jobs)
    return BoostRows(rows.table, rows.groups, rows.group_of, rows.weights, n_threads)
