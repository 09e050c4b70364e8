"""Averaged one-dependence estimators for raw tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from bayfold import errors
from bayfold.base.columns import (
    check_densities,
    resolve_asked_numbers,
    resolve_n_bins,
)
from bayfold.base.given_bins import resolve_bins, resolve_densities, resolve_nominal
from bayfold.base.options import Bins, Columns, NumericColumns, SmoothingRule, TableLike
from bayfold.base.summed_estimators import SummedClassifier
from bayfold.core.counts import JointCounts, LabelledRows, Statistics
from bayfold.core.counts.sample_limits import SampleLimits
from bayfold.core.densities import Smoothing
from bayfold.core.engine import resolve_threads
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.evidence import Records, describe_tables
from bayfold.core.schema import Schema, infer_schema
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.families.aode.calibrate import (
    derive_calibrated_one_dependence,
    derive_uncalibrated,
)
from bayfold.families.aode.counts import PairStatistics
from bayfold.families.aode.explain import (
    describe_one_dependence,
    explain_one_dependence,
    share_columns,
)
from bayfold.families.aode.learner import (
    PairSettings,
    coarsen_schema,
    learn_pairs,
)
from bayfold.families.aode.model import OneDependencePredictor

PairDensity = Literal["equal_frequency", "mdl"]
METHODS = ("equal_frequency", "mdl")


class AveragedOneDependenceClassifier(SummedClassifier):
    """Naive Bayes with every column in turn as a parent of all others, averaged (AODE).

    Where columns depend on each other, naive Bayes counts the same evidence twice. Here each column is
    once allowed to explain the others, and the models are averaged. Training counts pairs of values instead of
    values, still in sums: models can be added (``a + b``), and continued (``partial_fit``).

    Parameters
    ----------
    numeric : {"equal_frequency", "mdl"} or dict, default="equal_frequency"
        How numeric columns are cut: into bins with equally many rows, or where the classes change. A dict maps
        columns (by name or position) to these; columns it leaves out get the default.
    n_bins : int or dict, default=10
        Number of bins of equal frequency, 1 to 254; or a dict by column. Fewer where numeric columns are more than 200,
        so that all have 2,048 bins together: the table of pairs grows with the square.
    smoothing : {"shrinkage", "m_estimate", "laplace", "none"}, float or None, default="shrinkage"
        What keeps a pair that never occurred with a class from ruling the class out: ``m`` pseudo-rows that follow the
        class but not the parent, one added to every count, nothing, or the given number added to every count.
        ``"shrinkage"`` is the m-estimate with m = 2, in which a value of few rows follows the class less.
    m : float, default=2.0
        Strength of ``smoothing="m_estimate"``.
    min_parent_count : float, default=1
        Training rows a value must have (by weight) to be a parent. A row none of whose values has so many is
        classified by naive Bayes.
    calibration : {"temperature"} or None, default="temperature"
        One factor on all evidence, fitted on held-out rows (out of fold, from at most 20,000
        sampled rows), and an intercept with it.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    bins : int or dict, default=None
        Bins that are taken exactly as given, by column: cuts (``{"age": [18, 25, 40]}`` is ``< 18``, ``[18, 25)``,
        ``[25, 40)``, ``>= 40``), groups of categories (``{"region": [["north", "east"], ["south"]]}``), or a number:
        of bins of equal width, or of categories, the rarest of which then share one. A number alone is about all
        columns of numbers.
    schema : Schema, default=None
        What the columns are and how they are coded. Models to be added must share their edges: fit the
        first, then the others with ``schema=first.schema_``.
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
        The model as a table: the mean weight of every bin of every column over sampled training rows, with counts and
        bounds.
    feature_importances_ : ColumnArray
        Share of each column in the evidence, by position or name: the mean over sampled training rows of its absolute
        weight, adding up to one.
    statistics_ : PairStatistics
        The sums the model is derived from.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    ``fit`` first counts values in fine bins, chooses the cuts and then counts pairs of bins; ``schema_`` has just these
    edges. For MDL up to 16 quantiles are edges too: the cuts on these rows are among the edges, so nothing is
    lost, and rows that are added later can move them. With ``schema=`` given, and in ``partial_fit`` once its
    edges are fixed, one pass counts and counts add up exactly; bins are then merged anew from all counts. Of a
    schema with more than 32 bins in a column, neighbours are counted together.

    A missing cell and a category that did not occur in training are neither parent nor child. Columns with more
    than 254 categories are never parents and depend on the class alone. A column with a single bin is no
    parent. A nominal column of many values (more than 8, with fewer than 100 rows each) counts only if rows left out of
    the counts find their class more probable by it.

    The table of pairs has as many entries as the square of all columns' bins together, times the classes; the time
    to count and to score a row grows with the square of the number of columns.

    References
    ----------
    .. [1] G. I. Webb, J. R. Boughton, Z. Wang (2005). Not so naive Bayes: aggregating one-dependence estimators.
       Machine Learning 58, 5-24. https://doi.org/10.1007/s10994-005-4258-6

    Examples
    --------
    >>> from bayfold import AveragedOneDependenceClassifier
    >>> X = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "a"]] * 5
    >>> y = ["same", "same", "other", "other"] * 5
    >>> AveragedOneDependenceClassifier().fit(X, y).predict([["a", "b"], ["b", "b"]])
    array(['other', 'same'], dtype='<U5')
    """

    _no_statistics: ClassVar[Statistics] = PairStatistics.zero()

    def __init__(
        self,
        *,
        numeric: PairDensity | Mapping[Any, PairDensity] = "equal_frequency",
        n_bins: int | Mapping[Any, int] = 10,
        smoothing: SmoothingRule = "shrinkage",
        m: float = 2.0,
        min_parent_count: float = 1,
        calibration: Literal["temperature"] | None = "temperature",
        categorical_features: Columns = None,
        numeric_features: NumericColumns = None,
        bins: Bins = None,
        schema: Schema | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.numeric = numeric
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.m = m
        self.min_parent_count = min_parent_count
        self.calibration = calibration
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.bins = bins
        self.schema = schema
        self.n_jobs = n_jobs

    def _infer_schema(self, rows: LabelledRows) -> Schema:
        names = [column.name for column in rows.table.columns]
        nominal = resolve_nominal(self, names)
        fine = infer_schema(
            rows.table,
            rows.weights,
            nominal,
            given=resolve_bins(self, names),
            asked_numbers=resolve_asked_numbers(self, names),
        )
        settings = self._settings(fine)
        if not len(fine.numeric):
            return fine
        counted = learn_statistics(rows, fine, n_threads=resolve_threads(self.n_jobs))
        return coarsen_schema(counted.counts, settings)

    def _learn(
        self, rows: LabelledRows, schema: Schema, limits: SampleLimits | None = None
    ) -> PairStatistics:
        n_threads = resolve_threads(self.n_jobs)
        return learn_pairs(rows, schema, n_threads=n_threads, limits=limits)

    def _settings(self, schema: Schema) -> PairSettings:
        errors.check_number("m", self.m, above=True)
        errors.check_number("min_parent_count", self.min_parent_count)
        errors.check_choice("calibration", self.calibration, ["temperature", None])
        smoothing = Smoothing.parse(self.smoothing, self.m)
        if smoothing.declared:
            raise errors.bad_smoothing(self.smoothing, declared=False)
        methods = resolve_densities(self.numeric, schema, METHODS)
        n_bins = resolve_n_bins(self.n_bins, schema.names)
        check_densities(self, methods, schema.names)
        return PairSettings(
            methods=methods,
            n_bins=n_bins,
            smoothing=smoothing,
            min_parent_count=float(self.min_parent_count),
        )

    def _derive(self, statistics: PairStatistics) -> Predictor:
        assert statistics.schema is not None
        settings = self._settings(statistics.schema)
        if self.calibration is not None:
            model = derive_calibrated_one_dependence(statistics, settings)
        else:
            model = derive_uncalibrated(statistics, settings)
        return OneDependencePredictor(model)

    # answers

    def explain(self, X: TableLike) -> Records:
        """Why each row is scored as it is: the weight of each of its cells, averaged over the parents.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        records : Records
            Columns row, column, value, bin, class and weight, and index if a pandas frame has one. The first record of
            a row is its prior. For two classes weights speak for the second class (negative: for the first) and add up
            to ``decision_function``; for more there is one record per class.

        Notes
        -----
        What a cell says depends on the parent. Its weight is a mean over all parents of what it says given each,
        weighted by how much the parent counts (by logarithmic means), so that the weights of a row add up.

        Examples
        --------
        >>> X = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "a"]] * 5
        >>> model = AveragedOneDependenceClassifier().fit(X, ["same", "same", "other", "other"] * 5)
        >>> model.explain([["a", "b"]])["column"].tolist()
        ['(prior)', 'x0', 'x1']
        """
        predictor = self._fitted()
        return explain_one_dependence(predictor, self.classes_, self._read(X))

    # what was learnt

    @property
    def evidence_(self) -> Records:
        """The mean weight of every bin of every column over sampled training rows, with bounds and counts."""
        model = self._fitted().model
        if not hasattr(self, "statistics_"):
            raise errors.no_statistics("a table of its evidence")
        sample = self.statistics_.sample.even
        return describe_one_dependence(model, self.statistics_.counts, sample)

    def _find_importances(self, counts: JointCounts) -> np.ndarray:
        return share_columns(self._fitted().model, self.statistics_.sample.even)

    def _find_held_out(self) -> HeldOutScore | None:
        calibration = self._fitted().model.calibration
        return None if calibration is None else calibration.held_out

    def _find_conformal(self) -> ConformalScores | None:
        calibration = self._fitted().model.calibration
        return None if calibration is None else calibration.conformal

    def _describe_columns(self) -> dict[str, Any]:
        model = self._fitted().model
        words = describe_tables(model.naive)
        layout = model.layout
        parents = {
            j
            for j, places in zip(layout.columns, model.lookups, strict=True)
            if model.is_parent[places[places >= 0]].any()
        }
        return {
            "density": [
                "no weight" if model.is_silent[j] else text + ", parent" * (j in parents)
                for j, text in enumerate(words)
            ]
        }
