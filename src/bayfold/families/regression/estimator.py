"""Naive Bayes for a numeric target, with a whole predictive distribution."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from bayfold import errors
from bayfold.base import options
from bayfold.base.regressor import check_statistic
from bayfold.base.summed_estimators import SummedRegressor
from bayfold.core.counts import Statistics
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence import ColumnArray, Records
from bayfold.core.evidence.shifts import record_shifts
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.scoring.distribution import triangle_means, triangle_variances
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.scoring.regression import TargetMoments
from bayfold.export.plain import PlainModel, make_plain_regressor
from bayfold.families.regression.learner import RegressionSettings
from bayfold.families.regression.predictor import RegressionPredictor, derive_regression


class NaiveBayesRegressor(SummedRegressor):
    """Naive Bayes regression on the table as it is: a whole distribution of the target for every row.

    The posterior of the target on a grid of values is the prior times ``p(x_j | y)`` of every column, estimated by
    Gaussian kernels. Mean, median, quantiles, intervals and samples are read off it.

    Parameters
    ----------
    bandwidth : {"auto", "frank1998"} or float, default="auto"
        Of the kernels. ``"auto"``: for every column, by leave-one-out likelihood of the column given the target, on
        counts of fine bins and target cells; distances follow values and ranks in part, so that a long tail does not
        squeeze the rest. Where values repeat (a flag, ages, zeros among amounts) it may be zero: each then speaks for
        itself, like a category. ``"frank1998"``: as published [1]_, by leave-one-out cross-entropy on the rows
        themselves (on bins beyond 20,000 rows). A number: that share of the range, for all columns and the target.
    calibration : {"weights", "temperature"} or None, default="weights"
        How far the columns are believed. One weight per column, drawn towards a common one, one for all, or
        none; fitted to the squared error of rows left out of their own evidence (at most 2,000 sampled rows).
    statistic : {"mean", "median"}, default="mean"
        What ``predict`` returns.
    grid_size : int, "distinct" or None, default=None
        Points of the grid over the target's training range, which goes on a few bandwidths beyond it. None: 100 (with
        ``bandwidth="frank1998"``, 50 for the mean and 100 for the median). ``"distinct"``: the values of the target
        that occur, for targets with few.
    missing : {"ignore", "category"}, default="ignore"
        A missing cell says nothing, or is a value of its own.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    text_features : array-like of str, int or bool, default=None
        Columns to take as text whatever they look like, by name, position or mask. By itself a column of strings is
        text by the rule of ``NaiveBayesClassifier``. Not with ``bandwidth="frank1998"``, which reads no words.
    ngrams : tuple of int, default=(1, 1)
        Neighbouring words that are counted as one: ``(1, 2)`` for words and pairs of words.
    bins : int or dict, default=None
        Bins that are taken exactly as given, by column: cuts (``{"age": [18, 25, 40]}`` is ``< 18``, ``[18, 25)``,
        ``[25, 40)``, ``>= 40``), groups of categories (``{"region": [["north", "east"], ["south"]]}``), or a number:
        of bins of equal width, or of categories, the rarest of which then share one. A number alone is about all
        columns of numbers.
    schema : Schema, default=None
        What the columns and the target's cells are. Models to be added must share them: fit the first, then the
        others with ``schema=first.schema_``.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    schema_ : Schema
        What the columns and the target's cells are.
    grid_ : ndarray
        The values of the target that predictions are computed at.
    column_weights_ : ColumnArray
        What the evidence of each column is multiplied by, by position or name; ones for ``calibration=None``.
    feature_importances_ : ColumnArray
        How far each column alone moves the mean of the target, on average over training rows, as a share of the sum.
    evidence_ : Records
        The model as a table: for every bin of every column its bounds and rows, and mean, shift and standard deviation
        of the prediction for a row of which nothing else is known.
    bandwidths_ : ndarray of shape (n_columns, 2)
        Of each column and of the target beside it, in units of their ranges; 0 where every value speaks for itself
        (categories, flags), NaN for a column without evidence.
    statistics_ : Statistics
        The sums the model is derived from.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    A cell that is missing, or a category that did not occur in training, says nothing. A number beyond the training
    range counts as the outermost one (with ``bandwidth="frank1998"`` it has the kernel's tail). Targets beyond the
    cells of a given ``schema`` belong to the outermost cells, whose mean moves with them. A value of the target that a
    hundredth of the rows share (and five at least) is an atom, with a probability of its own; where it is the smallest
    or the largest, nothing lies beyond. In ``grid_`` an atom stands three times, or twice at an end.

    References
    ----------
    .. [1] E. Frank, L. Trigg, G. Holmes, I. H. Witten (2000). Technical note: naive Bayes for regression. Machine
       Learning 41, 5-25. https://doi.org/10.1023/A:1007670802811

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import NaiveBayesRegressor
    >>> X = np.linspace(0.0, 1.0, 200)[:, None]
    >>> model = NaiveBayesRegressor().fit(X, 10 * X[:, 0])
    >>> model.predict([[0.25], [0.75]]).round(1)
    array([2.5, 7.5])
    >>> low, high = model.predict_interval([[0.25]], coverage=0.9)[0]
    >>> bool(low < 2.5 < high)
    True
    """

    def __init__(
        self,
        *,
        bandwidth: Literal["auto", "frank1998"] | float = "auto",
        calibration: options.Calibration = "weights",
        statistic: options.Statistic = "mean",
        grid_size: Literal["distinct"] | int | None = None,
        missing: options.Missing = "ignore",
        categorical_features: options.Columns = None,
        numeric_features: options.NumericColumns = None,
        text_features: options.Columns = None,
        ngrams: tuple[int, int] = (1, 1),
        bins: options.Bins = None,
        schema: Schema | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.calibration = calibration
        self.statistic = statistic
        self.grid_size = grid_size
        self.missing = missing
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.text_features = text_features
        self.ngrams = ngrams
        self.bins = bins
        self.schema = schema
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        self._settings()

    def _keeps_numbers(self) -> bool:
        return bool(self.bandwidth == "frank1998")

    def _reads_words(self) -> bool:
        return not self._keeps_numbers()

    def _derive(self, statistics: Statistics) -> RegressionPredictor:
        return derive_regression(statistics, self._settings())

    def _settings(self) -> RegressionSettings:
        errors.check_number(
            "bandwidth",
            self.bandwidth,
            above=True,
            words=["auto", "frank1998"],
            suffix=" (a share of the range)",
        )
        errors.check_choice("calibration", self.calibration, ["weights", "temperature", None])
        errors.check_choice("missing", self.missing, ["ignore", "category"])
        check_statistic(self.statistic)
        errors.check_whole("grid_size", self.grid_size, 2, words=["distinct", None])
        if not self._reads_words():
            for name in ("text_features", "ngrams", "bins"):
                errors.check_unused(self, name, f"bandwidth={self.bandwidth!r}")
        return RegressionSettings(
            self.bandwidth,
            self.calibration,
            self.grid_size,
            self.missing == "category",
            self.statistic,
        )

    # answers

    def explain(self, X: options.TableLike) -> Records:
        """What each column did to the prediction: how far it moved the mean, and how far it narrowed the distribution.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        records : Records
            Columns row, column, value, shift and variance. The first record of a row is the prior: its mean and its
            variance. The others are the shift of the mean and the change of the variance by each column; all of a row
            add up to the mean and the variance of its distribution.

        Notes
        -----
        The evidence enters with a power t that grows from 0 to 1. The mean then moves at the rate of the sum over
        columns of the posterior covariance of the target and the column's evidence, so the integral of each
        covariance is the column's share, whatever the order of the columns.

        Examples
        --------
        >>> X = [[0.0], [1.0], [2.0], [3.0]] * 5
        >>> model = NaiveBayesRegressor().fit(X, [0.0, 1.0, 2.0, 3.0] * 5)
        >>> model.explain([[3.0]])["column"].tolist()
        ['(prior)', 'x0']
        """
        predictor = self._fitted()
        return record_shifts(predictor, self._read(X), self._target_groups())

    def _plain_model(self) -> PlainModel:
        predictor = self._fitted()
        on_grid = self.bandwidth == "frank1998" and self.statistic == "median"
        statistic = "median_on_grid" if on_grid else self.statistic
        return make_plain_regressor(
            predictor.model, predictor.regression.grid, statistic, predictor.correction
        )

    @property
    def grid_(self) -> np.ndarray:
        """The values of the target that predictions are computed at."""
        return self._fitted().regression.grid

    @property
    def column_weights_(self) -> ColumnArray:
        """What the evidence of each column is multiplied by, by position or name."""
        regression = self._fitted().regression
        return ColumnArray(regression.column_weights, regression.naive.schema.names)

    def _target_groups(self) -> TargetMoments:
        grid = self.grid_
        correction = self._fitted().correction
        return TargetMoments(triangle_means(grid), triangle_variances(grid), correction)

    def _find_held_out(self) -> HeldOutScore | None:
        return self._fitted().regression.held_out

    def _describe_columns(self) -> dict[str, Any]:
        return {
            "density": [_describe_width(width) for width in self.bandwidths_[:, 0].tolist()],
            "weight": np.asarray(self.column_weights_),
        }

    @property
    def bandwidths_(self) -> np.ndarray:
        """Bandwidths of each column and of the target beside it."""
        return self._fitted().regression.bandwidths

    def _medians(self, table: Table) -> np.ndarray:
        if self.bandwidth != "frank1998":
            return super()._medians(table)
        # the paper's: the first grid point at which the cumulated mass has passed one half
        return self._fitted().medians_on_grid(table, resolve_threads(self.n_jobs))


def _describe_width(width: float) -> str:
    """What a bandwidth makes of a column."""
    if width != width:
        return "no evidence"
    return f"kernels, {width:.2g} of the range" if width else "each value alone"
