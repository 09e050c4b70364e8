"""The naive Bayes classifier for raw tables."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.counts import Statistics
from bayfold.densities import Smoothing, is_plain_number
from bayfold.engine import resolve_threads
from bayfold.estimators.base import Readout, TableClassifier
from bayfold.estimators.columns import (
    check_columns_are_numeric,
    resolve_columns,
    resolve_methods,
    resolve_monotone,
    resolve_n_bins,
)
from bayfold.estimators.inputs import (
    TrainingRows,
    check_features,
    check_schema,
    read_training,
    remember_features,
)
from bayfold.estimators.notices import warn_about_columns
from bayfold.estimators.stream import Stream
from bayfold.explain import Records, describe_evidence, explain_rows
from bayfold.frames import read_vector
from bayfold.learners import Predictor, Settings, derive_calibrated, learn_statistics
from bayfold.model import Scorer
from bayfold.schema import Schema, infer_schema


class NaiveBayesClassifier(TableClassifier):
    """Naive Bayes on the table as it is: numbers, strings, categories, booleans, missing cells.

    One pass over the rows collects weighted counts; everything else is derived from them. Fitted models can be
    added (``a + b``, ``sum(models)``), continued (``partial_fit``) and explained exactly.

    Parameters
    ----------
    numeric : {"equal_frequency", "equal_width", "mdl", "gaussian"} or dict, default="equal_frequency"
        The density of numeric columns: frequencies of bins that hold equally many rows, of bins of equal
        width, of bins cut where the classes change (as ``MDLDiscretizer`` finds them), or one normal distribution per
        class. A dict maps columns (by name or position) to these; columns it leaves out get the default.
    n_bins : int or dict, default=10
        Number of bins of equal frequency or width, 1 to 254; or a dict by column.
    monotone : {"increasing", "decreasing", "auto"}, dict or None, default=None
        Merge the bins of numeric columns until the evidence for the second class only rises or only falls, as
        scorecards often must; a dict maps columns to these. For two classes; without effect on Gaussian columns.
    smoothing : {"laplace", "m_estimate", "none"}, float or None, default="laplace"
        What keeps a value that never occurred with a class from ruling the class out: one added to every count,
        ``m`` pseudo-rows spread like the whole column, nothing, or the given number added to every count.
    m : float, default=2.0
        Strength of ``smoothing="m_estimate"``.
    missing : {"ignore", "category"}, default="ignore"
        A missing cell says nothing, or is a value of its own.
    calibration : {"weights", "temperature"} or None, default=None
        How far the evidence is believed. Naive Bayes counts evidence twice where columns depend on each other, so its
        probabilities are too extreme. ``"temperature"``: one factor on all evidence. ``"weights"``: one factor per
        column, drawn towards the common one; columns that repeat others get little. Both are fitted on rows
        that the evidence has not seen (out of fold, from at most 20,000 sampled rows), and the intercept with them.
    priors : None, "laplace", "uniform", array-like or dict, default=None
        Class probabilities before any evidence: the shares of the classes in training by default.
    class_weight : None, "balanced" or dict, default=None
        Factor on the counts of each class.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    schema : Schema, default=None
        What the columns are and how they are coded. Models to be added must share their edges: fit the
        first, then the others with ``schema=first.schema_``.
    variance_floor : float, default=1e-9
        Smallest variance of a Gaussian within a class, as a share of the column's own variance.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        Sorted class labels.
    class_count_ : ndarray
        Weight of the training rows of each class.
    schema_ : Schema
        What the columns are and how they are coded.
    evidence_ : Records
        The model as a table: weight of evidence, counts and bounds of every bin of every column.
    statistics_ : Statistics
        The sums the model is derived from.
    n_features_in_ : int
    column_weights_ : ndarray
        What the evidence of each column is multiplied by; ones without calibration.
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    The form is Elkan's [1]_: for two classes the decision function is the prior log-odds plus one weight of
    evidence ``log p(v | second class) / p(v | first class)`` per cell; for more classes each class has the same
    sum, centred over the classes. A category that did not occur in training, a missing cell, and a bin without
    training rows give no evidence.

    References
    ----------
    .. [1] C. Elkan (1997). Boosting and naive Bayesian learning. Technical Report CS97-557, University of
       California, San Diego.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from bayfold import NaiveBayesClassifier
    >>> table = pa.table({"income": [20.0, None, 45.0, 60.0], "job": ["none", "temp", "fixed", "fixed"]})
    >>> model = NaiveBayesClassifier(n_bins=2).fit(table, ["default", "default", "paid", "paid"])
    >>> model.predict(pa.table({"income": [None, 50.0], "job": ["fixed", "temp"]}))
    array(['paid', 'paid'], dtype='<U7')
    """

    def __init__(
        self,
        *,
        numeric: Any = "equal_frequency",
        n_bins: Any = 10,
        monotone: Any = None,
        smoothing: Any = "laplace",
        m: float = 2.0,
        missing: str = "ignore",
        calibration: str | None = None,
        priors: Any = None,
        class_weight: Any = None,
        categorical_features: Any = None,
        schema: Schema | None = None,
        variance_floor: float = 1e-9,
        n_jobs: int | None = None,
    ) -> None:
        self.numeric = numeric
        self.n_bins = n_bins
        self.monotone = monotone
        self.smoothing = smoothing
        self.m = m
        self.missing = missing
        self.calibration = calibration
        self.priors = priors
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.schema = schema
        self.variance_floor = variance_floor
        self.n_jobs = n_jobs

    _predictor: Predictor | None

    # learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NaiveBayesClassifier:
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
        self : NaiveBayesClassifier
        """
        rows = read_training(self, X, y, sample_weight)
        if len(rows.groups) < 2:
            raise errors.single_class(rows.groups.tolist()[0])
        schema = self._schema_for(rows)
        statistics = self._learn(rows, schema)
        predictor = self._derive(statistics)  # may refuse a parameter: nothing is set before it
        warn_about_columns(statistics.counts)
        remember_features(self, rows.table)
        self._stream, self._given_classes = Stream.ended(), None
        self._set_statistics(statistics, predictor)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> NaiveBayesClassifier:
        """Learn from some more rows.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``; a batch may hold a single class, and new categories and classes are learnt.
        classes : array-like, optional
            All classes there will be, in the first call. Another class is then an error.

        Returns
        -------
        self : NaiveBayesClassifier

        Notes
        -----
        Bin edges are drawn anew from the rows so far whenever these have doubled, until 10,000 rows have come;
        from then on they are fixed. Give ``schema=`` to fix them from the start.
        """
        started = hasattr(self, "statistics_")
        given = getattr(self, "_given_classes", None) if started else None
        if classes is not None:
            given = self._check_classes(np.unique(read_vector(classes)), given)
        rows = read_training(self, X, y, sample_weight, given)
        if started:
            check_features(self, rows.table)
        stream = self._stream if started else Stream.begun(fixed=self.schema is not None)
        before = self.statistics_ if started else Statistics.zero()
        stream, statistics = stream.advance(rows, before, self._schema_for, self._learn)
        if not started:
            remember_features(self, rows.table)
        self._stream, self._given_classes = stream, given
        # derived when first asked for: batches may be small and many
        self._set_statistics(statistics, predictor=None)
        return self

    @staticmethod
    def _check_classes(now: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        if before is not None and now.tolist() != before.tolist():
            raise errors.classes_changed(now.tolist(), before.tolist())
        return now

    def _schema_for(self, rows: TrainingRows) -> Schema:
        if self.schema is not None:
            check_schema(self, rows.table)
            return self.schema
        names = [column.name for column in rows.table.columns]
        methods, bins = resolve_methods(self.numeric, names), resolve_n_bins(self.n_bins, names)
        widths = {j: bins[j] for j, method in methods.items() if method == "equal_width"}
        nominal = resolve_columns(self.categorical_features, names)
        return infer_schema(rows.table, rows.weights, nominal, widths)

    def _learn(
        self, rows: TrainingRows, schema: Schema, threshold: int | None = None
    ) -> Statistics:
        settings = self._settings(schema)
        wanted = (j for j in schema.numeric.tolist() if settings.methods[j] == "gaussian")
        return learn_statistics(
            rows.table,
            schema,
            rows.groups,
            rows.group_of,
            rows.weights,
            tuple(wanted),
            resolve_threads(self.n_jobs),
            threshold,
        )

    def _set_statistics(self, statistics: Statistics, predictor: Predictor | None) -> None:
        assert statistics.schema is not None
        self.statistics_ = statistics
        self.schema_ = statistics.schema
        self.classes_ = statistics.groups
        self.class_count_ = statistics.counts.totals
        self._predictor = predictor

    def _settings(self, schema: Schema) -> Settings:
        if self.missing not in ("ignore", "category"):
            raise errors.bad_parameter("missing", '"ignore" or "category"', self.missing)
        if not (is_plain_number(self.variance_floor) and 0 <= self.variance_floor < np.inf):
            condition = "a number that is not negative"
            raise errors.bad_parameter("variance_floor", condition, self.variance_floor)
        if not (is_plain_number(self.m) and 0 < self.m < np.inf):
            raise errors.bad_parameter("m", "a number above zero", self.m)
        check_columns_are_numeric(self.numeric, schema)
        return Settings(
            methods=resolve_methods(self.numeric, schema.names),
            n_bins=resolve_n_bins(self.n_bins, schema.names),
            smoothing=Smoothing.parse(self.smoothing, self.m),
            missing_is_value=self.missing == "category",
            variance_floor=float(self.variance_floor),
            priors=self.priors,
            group_weights=self.class_weight,
            monotone=resolve_monotone(self.monotone, schema.names),
        )

    def _derive(self, statistics: Statistics) -> Predictor:
        assert statistics.schema is not None
        if self.calibration not in (None, "temperature", "weights"):
            condition = '"weights", "temperature" or None'
            raise errors.bad_parameter("calibration", condition, self.calibration)
        settings = self._settings(statistics.schema)
        return Predictor(derive_calibrated(statistics, settings, self.calibration))

    # adding models

    def __add__(self, other: Any) -> NaiveBayesClassifier:
        """The model of the rows of both: statistics are added, everything else is derived again."""
        if isinstance(other, int) and other == 0:  # where sum() starts
            return copy.copy(self)  # a sum can be continued without touching its only summand
        if not isinstance(other, NaiveBayesClassifier):
            return NotImplemented
        check_is_fitted(self)
        check_is_fitted(other)
        self._check_same_parameters(other)
        total = copy.copy(self)
        total._stream, total._given_classes = Stream.ended(), None
        statistics = self.statistics_ + other.statistics_
        total._set_statistics(statistics, total._derive(statistics))
        return total

    __radd__ = __add__

    def _check_same_parameters(self, other: NaiveBayesClassifier) -> None:
        mine, theirs = self.get_params(), other.get_params()
        # settled by the schema, or without effect
        free = {"schema", "n_jobs", "categorical_features"}
        differing = [
            name for name in mine if name not in free and not _equal(mine[name], theirs[name])
        ]
        if differing:
            raise errors.parameters_differ(differing)

    def with_priors(self, priors: Any) -> NaiveBayesClassifier:
        """The same model under other class probabilities, for when their shares have shifted.

        Parameters
        ----------
        priors : "laplace", "uniform", array-like or dict
            As the parameter; a dict maps classes to probabilities.

        Returns
        -------
        model : NaiveBayesClassifier
            A new model; this one stays as it is.

        Examples
        --------
        >>> model = NaiveBayesClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "a", "b"])
        >>> model.with_priors({"a": 0.5, "b": 0.5}).predict([[1.6]])
        array(['a'], dtype='<U1')
        """
        check_is_fitted(self)
        shifted = copy.copy(self)
        shifted.priors = priors
        shifted._predictor = shifted._derive(self.statistics_)
        return shifted

    # answers

    def score_samples(self, X: Any) -> np.ndarray:
        """Log p(x) of each row: how usual it is, whatever its class.

        Log-probability of categories and log-density of numbers, over the cells that are known. Cells that give no
        evidence (missing, unseen, in a bin without training rows) are left out of the sum.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        log_density : ndarray of shape (n_rows,)
        """
        joint = Scorer(self._fitted().model, centred=False)
        return self._score(X, scorer=joint, readout=lambda scores: logsumexp(scores, axis=1))

    def explain(self, X: Any) -> Records:
        """Why each row is scored as it is: the weight of evidence of each of its cells.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        records : Records
            Columns row, column, value, bin, class and weight. The first record of a row is its prior. For two classes
            weights speak for the second class (negative: for the first) and add up to
            ``decision_function``; for more there is one record per class.

        Examples
        --------
        >>> model = NaiveBayesClassifier(n_bins=2).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
        >>> model.explain([[2.5]])
        row  column   value  bin     class  weight
          0  (prior)                     1   0.000
          0  x0       2.5    >= 1.5      1   1.099
        """
        predictor = self._fitted()
        return explain_rows(predictor, self.statistics_.counts, self._read(X))

    @property
    def evidence_(self) -> Records:
        """Weight of evidence of every bin of every column, with bounds and counts."""
        return describe_evidence(self._fitted().model, self.statistics_.counts)

    @property
    def column_weights_(self) -> np.ndarray:
        """What the evidence of each column is multiplied by."""
        model = self._fitted().model
        if model.calibration is None:
            return np.ones(len(model.terms))
        return model.calibration.weights

    def _fitted(self) -> Predictor:
        check_is_fitted(self)
        if self._predictor is None:
            self._predictor = self._derive(self.statistics_)
        return self._predictor

    def _log_prior(self) -> np.ndarray:
        return self._fitted().model.log_prior

    def _score(
        self, X: Any, readout: Readout | None = None, scorer: Scorer | None = None
    ) -> np.ndarray:
        predictor = self._fitted()
        n_threads = resolve_threads(self.n_jobs)
        return predictor.score(self._read(X), scorer=scorer, readout=readout, n_threads=n_threads)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "statistics_")


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(np.all(np.asarray(a == b)))
    except (TypeError, ValueError):
        return False
