"""The naive Bayes classifier for raw tables."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base import options
from bayfold.base.classifier import find_score
from bayfold.base.columns import (
    check_densities,
    check_monotone,
    resolve_asked_numbers,
    resolve_methods,
    resolve_monotone,
    resolve_n_bins,
    resolve_texts,
)
from bayfold.base.drift import KnownScores
from bayfold.base.editing import EditableTables, balance_classes
from bayfold.base.given_bins import resolve_bins, resolve_densities, resolve_nominal
from bayfold.base.stream import Stream
from bayfold.base.summed_estimators import SummedClassifier
from bayfold.core import evidence
from bayfold.core.counts import JointCounts, LabelledRows, Statistics
from bayfold.core.counts.fold_counts import place_at_centres
from bayfold.core.counts.joint import add_in_tree
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.densities import Smoothing
from bayfold.core.engine import resolve_threads
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.evidence.editing import WeightReader, replay_edits
from bayfold.core.schema import Schema, extend_schema, infer_schema
from bayfold.core.scoring import NaiveBayesModel, Scorer, probabilities
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.derive import Settings
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.export.plain import PlainModel, make_plain_classifier
from bayfold.families.naive_bayes.calibrate import derive_monotone
from bayfold.families.naive_bayes.unlabelled import learn_unlabelled


class NaiveBayesClassifier(SummedClassifier):
    """Naive Bayes on the table as it is: numbers, strings, categories, booleans, missing cells.

    A sparse matrix is taken as one column of text, whose words are the columns of the matrix.

    One pass over the rows collects weighted counts; everything else is derived from them. Fitted models can be
    added (``a + b``, ``sum(models)``), continued (``partial_fit``) and explained exactly.

    Parameters
    ----------
    numeric : str or dict, default="auto"
        The density of numeric columns:

        * ``"smooth"``: a histogram of bins of equally many rows, each averaged with its neighbours; so it is
          wide where data are sparse;
        * ``"kernel"``: a Gaussian kernel on every value;
        * ``"mdl"``: bins cut where the classes change, as ``MDLDiscretizer`` finds them;
        * ``"equal_frequency"``, ``"equal_width"``: bins of equally many rows, or of equal width;
        * ``"gaussian"``: one normal distribution per class;
        * ``"auto"``: ``"smooth"``, with the width of each column chosen by held-out log-loss.

        A dict maps columns (by name or position) to these; columns it leaves out get the default.
    n_bins : int or dict, default=10
        Number of bins of equal frequency or width, 1 to 254; or a dict by column. Only with such densities.
    monotone : {"increasing", "decreasing", "peak", "valley", "auto"}, dict or None, default=None
        Merge the bins of numeric columns until the evidence for the second class only rises or only falls, as
        scorecards often must, or turns once; a dict maps columns to these. ``"auto"`` rises or falls, whichever
        held-out rows prefer. For two classes. ``numeric="auto"`` chooses among bins for these columns; no other curve
        can be made monotone, so asking for one is an error.
    smoothing : {"shrinkage", "m_estimate", "laplace", "none", "laplace_declared"}, float or None, default="shrinkage"
        What keeps a value that never occurred with a class from ruling the class out: ``m`` pseudo-rows spread like
        the whole column, one added to every count, nothing, or the given number added to every count.
        ``"shrinkage"`` is the m-estimate with m = 2, of which each value is drawn towards no evidence, the more so the
        fewer rows it has and the less the values of its column differ (empirical Bayes, column by column).
        ``"laplace_declared"`` also adds one to the counts of categories that ``schema=`` lists but no row has, as WEKA
        does; see ``Schema.with_categories``.
    m : float, default=2.0
        Strength of ``smoothing="m_estimate"``, and only with it.
    missing : {"ignore", "category"}, default="ignore"
        A missing cell says nothing, or is a value of its own.
    calibration : {"weights", "temperature"} or None, default="weights"
        How far the evidence is believed. Naive Bayes counts evidence twice where columns depend on each other, so its
        probabilities are too extreme. ``"temperature"``: one factor on all evidence. ``"weights"``: one factor per
        column, drawn towards the common one; columns that repeat others get little. Both are fitted on held-out
        rows (out of fold, from 20,000 sampled rows, and 1,000 of each class), and the intercept with them.
        None: naive Bayes as it is written.
    select : bool, default=False
        Drop columns without which held-out rows are predicted as well (their weight becomes zero);
        ``selection_`` lists them. Needs ``calibration="weights"``.
    missing_target : {"drop", "em"}, default="drop"
        Rows without a class are left out, or count in every class with its probability, found by expectation
        maximisation (in ``fit`` only). That helps where the columns of the table really are independent within
        classes, and can harm where they are not.
    priors : None, "laplace", "uniform", array-like or dict, default=None
        Class probabilities before any evidence: the shares of the classes in training by default.
    class_weight : None, "balanced" or dict, default=None
        Factor on the counts of each class, from 1e-6 to 1e6. To learn without a class, leave out its rows.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    text_features : array-like of str, int or bool, default=None
        Columns to take as text whatever they look like, by name, position or mask. By itself a column of strings is
        text where it has at least 20 different cells, a third as many as known cells, with 1.5 words or more on
        average; ``categorical_features`` makes it a category again.
    ngrams : tuple of int, default=(1, 1)
        Neighbouring words that are counted as one: ``(1, 2)`` for words and pairs of words. Words are letters and
        digits in lower case; of scripts without spaces, two neighbouring characters.
    bins : int or dict, default=None
        Bins that are taken exactly as given, by column: cuts (``{"age": [18, 25, 40]}`` is ``< 18``, ``[18, 25)``,
        ``[25, 40)``, ``>= 40``), groups of categories (``{"region": [["north", "east"], ["south"]]}``), or a number:
        of bins of equal width, or of categories, the rarest of which then share one. A number alone is about all
        columns of numbers.
    special_codes : float, list of float or dict, default=None
        Numbers that stand for something else, such as -99 for "no answer": in all columns of numbers, or by column
        (``{"income": [-99, -98]}``). Each has a bin and a weight of its own, apart from missing cells, and is part of
        no range, density or order.
    schema : Schema, default=None
        What the columns are and how they are coded. Models to be added must share their edges: fit the
        first, then the others with ``schema=first.schema_``.
    variance_floor : float, default=1e-9
        Smallest variance of a Gaussian within a class, as a share of the column's own variance. Only with such
        densities.
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
    column_weights_ : ColumnArray
        What the evidence of each column is multiplied by, by position or name; ones without calibration.
    numeric_ : dict
        The density of each numeric column, by name.
    feature_importances_ : ColumnArray
        Share of each column in the evidence, by position or name: the mean over training rows of its absolute weight,
        adding up to one.
    selection_ : Records
        The columns that ``select=True`` dropped, in order, with their weight before and the held-out log-loss after.
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
    >>> model = NaiveBayesClassifier().fit(table, ["default", "default", "paid", "paid"])
    >>> model.predict(pa.table({"income": [None, 50.0], "job": ["fixed", "temp"]}))
    array(['paid', 'paid'], dtype='<U7')
    """

    _takes_sparse = True

    def __init__(
        self,
        *,
        numeric: options.Density | Mapping[Any, options.Density] = "auto",
        n_bins: int | Mapping[Any, int] = 10,
        monotone: options.Direction | Mapping[Any, options.Direction] | None = None,
        smoothing: options.SmoothingRule = "shrinkage",
        m: float = 2.0,
        missing: options.Missing = "ignore",
        missing_target: Literal["drop", "em"] = "drop",
        calibration: options.Calibration = "weights",
        select: bool = False,
        priors: options.Priors = None,
        class_weight: options.ClassWeight = None,
        categorical_features: options.Columns = None,
        numeric_features: options.NumericColumns = None,
        text_features: options.Columns = None,
        ngrams: tuple[int, int] = (1, 1),
        bins: options.Bins = None,
        special_codes: options.SpecialCodes = None,
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
        self.missing_target = missing_target
        self.calibration = calibration
        self.select = select
        self.priors = priors
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.text_features = text_features
        self.ngrams = ngrams
        self.bins = bins
        self.special_codes = special_codes
        self.schema = schema
        self.variance_floor = variance_floor
        self.n_jobs = n_jobs

    # learning

    def _keeps_unlabelled(self) -> bool:
        errors.check_choice("missing_target", self.missing_target, ["drop", "em"])
        return self.missing_target == "em"

    def _learn_classes(self, labelled: Statistics, others: LabelledRows) -> Statistics:
        """Statistics of the labelled rows and of others, whose classes are found by EM."""
        assert labelled.schema is not None
        schema = labelled.schema
        n_threads = resolve_threads(self.n_jobs)
        own = others.find_weights()

        def predict(statistics: Statistics) -> np.ndarray:
            predictor = self._derive(statistics)
            log_prior = predictor.model.log_prior
            return predictor.score(
                others.table,
                readout=lambda scores: probabilities(scores, log_prior),
                n_threads=n_threads,
            )

        def count(probability: np.ndarray) -> Statistics:
            parts = []
            for group in range(len(others.groups)):
                as_group = np.full(others.n_rows, group, np.int32)
                share = own * probability[:, group]
                parts.append(self._learn(replace(others, group_of=as_group, weights=share), schema))
            return add_in_tree(parts)

        return learn_unlabelled(labelled, count, predict)

    def _infer_schema(self, rows: LabelledRows) -> Schema:
        names = [column.name for column in rows.table.columns]
        methods = resolve_methods(self.numeric, names)
        bins = resolve_n_bins(self.n_bins, names)
        widths = {j: bins[j] for j, method in methods.items() if method == "equal_width"}
        nominal = resolve_nominal(self, names)
        given = resolve_bins(self, names)
        n_threads = resolve_threads(self.n_jobs)
        texts = resolve_texts(self, names)
        return infer_schema(
            rows.table,
            rows.weights,
            nominal,
            widths,
            n_threads=n_threads,
            texts=texts,
            given=given,
            asked_numbers=resolve_asked_numbers(self, names),
        )

    def _learn(
        self, rows: LabelledRows, schema: Schema, limits: SampleLimits | None = None
    ) -> Statistics:
        labelled = rows.labelled()
        if labelled is not rows:
            statistics = self._learn(labelled, extend_schema(schema, rows.table), limits)
            return self._learn_classes(statistics, rows.take(np.flatnonzero(rows.group_of < 0)))
        settings = self._settings(schema)
        wanted = (j for j in schema.numeric.tolist() if settings.methods[j] == "gaussian")
        return learn_statistics(
            rows,
            schema,
            moment_columns=tuple(wanted),
            n_threads=resolve_threads(self.n_jobs),
            limits=limits,
        )

    def _settings(self, schema: Schema) -> Settings:
        errors.check_choice("missing", self.missing, ["ignore", "category"])
        errors.check_number("variance_floor", self.variance_floor)
        errors.check_number("m", self.m, above=True)
        methods = resolve_densities(self.numeric, schema)
        monotone = resolve_monotone(self.monotone, schema)
        check_monotone(methods, monotone, schema)
        n_bins = resolve_n_bins(self.n_bins, schema.names)
        smoothing = Smoothing.parse(self.smoothing, self.m)
        check_densities(self, methods, schema.names, monotone)
        return Settings(
            methods=methods,
            n_bins=n_bins,
            smoothing=smoothing,
            missing_is_value=self.missing == "category",
            variance_floor=float(self.variance_floor),
            priors=self.priors,
            group_weights=self.class_weight,
            monotone=monotone,
        )

    def _derive(self, statistics: Statistics) -> Predictor:
        assert statistics.schema is not None
        errors.check_choice("calibration", self.calibration, ["weights", "temperature", None])
        errors.check_flag("select", self.select)
        if self.select and self.calibration != "weights":
            raise errors.selection_without_weights(self.calibration)
        settings = self._settings(statistics.schema)
        n_threads = resolve_threads(self.n_jobs)
        model = derive_monotone(
            statistics, settings, self.calibration, bool(self.select), n_threads
        )
        return Predictor(model)

    def _set_statistics(self, statistics: Statistics, predictor: Any, stream: Stream) -> None:
        super()._set_statistics(statistics, predictor, stream)
        # of what explains rows, all that is kept without the other statistics
        self._counts = statistics.counts

    # edits

    def _tables_to_edit(self) -> EditableTables:
        model = self._fitted().model
        classes = self.classes_.tolist()
        return EditableTables(
            model, self._counts, WeightReader(), self._with_model, self._balance, classes
        )

    def _with_model(self, model: NaiveBayesModel) -> Self:
        """The same estimator with other tables."""
        changed = copy.copy(self)
        changed._predictor = Predictor(model)
        changed._facts = replace(
            self._training_facts(), importances=evidence.share_evidence(model, self._counts)
        )
        return changed

    def _training_counts(self) -> JointCounts:
        return self._counts

    def _known_scores(self) -> KnownScores | None:
        if not hasattr(self, "statistics_"):
            return None
        probability = probabilities(self._score_sample(), self._log_prior())
        return KnownScores(find_score(probability), self.statistics_.sample.even.weights)

    def _score_sample(self) -> np.ndarray:
        """Scores of the rows in the statistics, with each number at the middle of its fine bin."""
        block = place_at_centres(self.statistics_.sample.even.block(), self._counts)
        return self._fitted().decision.score(block)

    def _balance(self, X: Any, y: Any, sample_weight: Any) -> np.ndarray:
        if X is not None or y is not None or not hasattr(self, "statistics_"):
            return super()._balance(X, y, sample_weight)
        sample = self.statistics_.sample.even
        return balance_classes(self._score_sample(), sample.group_of, sample.weights)

    # answers

    def with_priors(self, priors: options.Priors) -> NaiveBayesClassifier:
        """The same model under other class probabilities, for when their shares have shifted.

        Parameters
        ----------
        priors : "laplace", "uniform", array-like or dict
            As the parameter; a dict maps classes to probabilities.

        Returns
        -------
        model : NaiveBayesClassifier
            A new model, with the edits of this one, which stays as it is.

        Examples
        --------
        >>> model = NaiveBayesClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "a", "b"])
        >>> model.with_priors({"a": 0.5, "b": 0.5}).predict([[1.6]])
        array(['a'], dtype='<U1')
        """
        check_is_fitted(self)
        self._check_statistics()
        shifted = copy.copy(self)
        shifted.priors = priors
        edits = self._fitted().model.edits
        base = shifted._derive(self.statistics_)
        shifted._predictor = base
        if edits:
            model = replay_edits(base.model, self._counts, WeightReader(), edits)
            shifted._predictor = Predictor(replace(model, edits=edits, unedited=base.model))
        return shifted

    def score_samples(self, X: options.TableLike) -> np.ndarray:
        """Log p(x) of each row: how usual it is, whatever its class.

        Log-probability of categories and log-density of numbers, over the cells that are known. Cells that give no
        evidence (missing, unseen, in a bin without training rows) are left out of the sum. Edits do not touch it.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        log_density : ndarray of shape (n_rows,)
        """
        model = self._fitted().model
        joint = Scorer(model.unedited or model, centred=False)
        return self._score(X, scorer=joint, readout=lambda scores: logsumexp(scores, axis=1))

    def explain(
        self,
        X: options.TableLike,
        top: int | None = None,
        against: options.ClassLabel | None = None,
    ) -> evidence.Records:
        """Why each row is scored as it is: the weight of evidence of each of its cells.

        Parameters
        ----------
        X : array-like or frame
        top : int, default=None
            Only so many cells of each row, the strongest first, without the prior: the reasons of a decision.
        against : class label, default=None
            Only cells that speak against this class, such as the reasons why a row was not "paid".

        Returns
        -------
        records : Records
            Columns row, column, value, bin, class, weight and its 95 % bounds low and high; whole_low and whole_high
            bound the sum of a row's weights. The first record of a row is its prior. For two classes
            weights speak for the second class (negative: for the first) and add up to
            ``decision_function``; for more there is one record per class. In place of a bin, a Gaussian has the mean
            and the standard deviation of each class, which the value is compared with.

        Examples
        --------
        >>> model = NaiveBayesClassifier(numeric="equal_frequency", n_bins=2, smoothing="laplace")
        >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).explain([[2.5]])
        row  column   value  bin   class  weight     low   high  whole_low  whole_high
          0  (prior)                   1   0.000  -1.960  1.960     -1.627       3.824
          0  x0       2.5    >= 2      1   1.099  -0.795  2.992     -1.627       3.824
        """
        predictor = self._fitted()
        records = evidence.explain_rows(predictor, self._counts, self._read(X))
        return evidence.choose_strongest(records, top, against, self.classes_.tolist())

    def _plain_model(self) -> PlainModel:
        model = self._fitted().model
        return make_plain_classifier(model, self.classes_, self._counts)

    @property
    def evidence_(self) -> evidence.Records:
        """Weight of evidence of every bin of every column, with bounds and counts."""
        return evidence.describe_evidence(self._fitted().model, self._counts)

    @property
    def column_weights_(self) -> evidence.ColumnArray:
        """What the evidence of each column is multiplied by, by position or name."""
        model = self._fitted().model
        known = model.calibration
        weights = np.ones(len(model.terms)) if known is None else known.weights
        return evidence.ColumnArray(weights, model.schema.names)

    def _find_importances(self, counts: JointCounts) -> np.ndarray:
        return evidence.share_evidence(self._fitted().model, counts)

    def _find_held_out(self) -> HeldOutScore | None:
        calibration = self._fitted().model.calibration
        return None if calibration is None else calibration.held_out

    def _find_monotone(self) -> MonotoneRule | None:
        return self._fitted().model.monotone

    def _find_conformal(self) -> ConformalScores | None:
        model = self._fitted().model
        calibration = (model.unedited or model).calibration
        return None if calibration is None else calibration.conformal

    def _describe_columns(self) -> dict[str, Any]:
        words = ["frequencies"] * len(self.schema_.columns)
        for j in self.schema_.numeric.tolist():
            words[j] = self._fitted().model.methods[j]
        known = self._fitted().model.calibration
        found = {"density": words, "weight": np.asarray(self.column_weights_)}
        return found if known is None or known.errors is None else found | {"error": known.errors}

    @property
    def selection_(self) -> evidence.Records:
        """The columns that ``select=True`` dropped, in order."""
        return evidence.describe_selection(self._fitted().model)

    @property
    def numeric_(self) -> dict[str, str]:
        """The density of each numeric column."""
        model = self._fitted().model
        columns = model.schema.columns
        return {columns[j].name: model.methods[j] for j in model.schema.numeric.tolist()}
