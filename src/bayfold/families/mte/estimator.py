"""Naive Bayes regression with mixtures of truncated exponentials, also from incomplete data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from bayfold import errors
from bayfold.base import options
from bayfold.base.columns import find_column
from bayfold.base.inputs import read_numeric_target
from bayfold.base.regressor import check_statistic
from bayfold.base.summed_estimators import SummedRegressor
from bayfold.core.counts import LabelledRows, Statistics
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence import ColumnArray, Records
from bayfold.core.evidence.shifts import record_shifts
from bayfold.core.schema import Schema
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.core.scoring.regression import TargetMoments
from bayfold.families.mte.density import MTEDensity, check_mte
from bayfold.families.mte.draws import densities_of
from bayfold.families.mte.fit import MTEChoices, MTEFit, fit_mte
from bayfold.families.mte.incomplete import (
    IncompleteRows,
    Iteration,
    learn_by_em,
    learn_by_imputation,
)
from bayfold.families.mte.learner import MTEPredictor
from bayfold.families.mte.term import EXPONENTIAL

INCOMPLETE = ("available", "impute", "em")


class LearntMTE(MTEPredictor):
    """What was fitted, ready to predict, with the rounds it took to fill gaps."""

    def __init__(self, fit: MTEFit, rounds: Sequence[Iteration] = ()) -> None:
        super().__init__(fit.weigh(fit.model))
        self.fit = fit
        self.correction = fit.correction
        self.rounds = tuple(rounds)
        self.unweighted = MTEPredictor(fit.model)
        self.trace = Records(
            {
                "iteration": np.array([r.iteration for r in rounds], np.int64),
                "rmse": np.array([r.rmse for r in rounds], np.float64),
                "kept": np.array([r.kept for r in rounds], bool),
            }
        )


class MTERegressor(SummedRegressor):
    """Naive Bayes regression with mixtures of truncated exponentials, also from incomplete data.

    The target's range is cut into pieces with equally many rows. Each numeric column has a mixture of truncated
    exponentials within each piece, each nominal column a table of frequencies, and the target one truncated
    exponential. Everything about a row's distribution is then exact: a missing cell is integrated out by leaving its
    factor out, and mean, variance, quantiles and samples have closed forms.

    Parameters
    ----------
    n_pieces : int or "cv", default="cv"
        Pieces of the target's range, of at least 5 rows each. ``"cv"``: 30, or 4, 8 or 20 if one of them has an error
        clearly lower (by two standard errors), by cross-validation on at most 5,000 sampled rows.
    max_intervals : int, default=6
        Intervals of a column's densities; the papers have 4.
    intervals : {"shared", "own"}, default="shared"
        Whether the densities of a column, one for each piece of the target, share their intervals, or each has its own,
        as in [1]_. Own intervals take about twice as long to fit and to ask.
    bandwidth_factor : float or "cv", default="cv"
        Of the kernel densities that are fitted, as a multiple of ``1.059 sd n^(-1/5)``. ``"cv"``: 1, or 0.5,
        2 or 3 by the same rule.
    fit_method : {"ls", "ml"}, default="ls"
        Densities by least squares to a kernel density, or by maximum likelihood.
    calibration : {"weights", "temperature"} or None, default="weights"
        How far the columns are believed. One weight per column, drawn towards a common one, one for all, or
        none, as in the papers; fitted to the squared error of sampled rows left out. Without it, columns that say
        the same twice make intervals too narrow.
    missing : {"available", "impute", "em"}, default="available"
        How to learn from incomplete rows. ``"available"``: from every pair of a known cell and a known target; rows
        without a target are left out. ``"impute"``: Algorithm 1 of [1]_, which fills all gaps from the model and learns
        again as long as the error on known targets falls. ``"em"``: rows without a target count in every piece,
        with the piece's probability.
    statistic : {"mean", "median"}, default="mean"
        What ``predict`` returns.
    selection : "mi" or None, default=None
        ``"mi"``: go through the columns by their mutual information with the target and keep each that lowers the
        cross-validated error.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    schema : Schema, default=None
        What the columns and the target's cells are. Models to be added must share them: fit the first, then the
        others with ``schema=first.schema_``.
    random_state : int, RandomState or None, default=None
        Of the draws of ``missing="impute"``; nothing else is drawn.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    schema_ : Schema
        What the columns and the target's cells are.
    piece_edges_ : ndarray of shape (n_pieces + 1,)
        Where the pieces of the target's range begin and end; a piece that is one value ends where it begins.
    bandwidth_factor_ : float
        The factor used.
    column_weights_ : ColumnArray of shape (n_columns,)
        What the evidence of each column is multiplied by, by position or name; ones for ``calibration=None``.
    feature_importances_ : ColumnArray of shape (n_columns,)
        How far each column alone moves the mean of the target, on average over training rows, as a share of the sum.
    evidence_ : Records
        The model as a table: for every bin of every column its bounds and rows, and mean, shift and standard deviation
        of the prediction for a row of which nothing else is known.
    mutual_information_ : ndarray of shape (n_columns,)
        Of each column and the target, in nats.
    selection_ : Records
        Of each column: its name, its mutual information with the target, and whether it was kept.
    trace_ : Records
        Of ``missing="impute"`` and ``"em"``: iteration, rmse on known targets, and whether the model was kept.
    statistics_ : Statistics
        The sums the model of the known pairs is derived from.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    A cell that is missing, or a category that did not occur in training, says nothing. A number beyond the training
    range, widened by 5 % on either side, counts as the end of it. Predictions never leave the target's training range.

    References
    ----------
    .. [1] A. Fernández, J. D. Nielsen, A. Salmerón (2008). Learning naive Bayes regression models with missing data
       using mixtures of truncated exponentials. PGM, 105-112.
    .. [2] M. Morales, C. Rodríguez, A. Salmerón (2007). Selective naive Bayes for regression based on mixtures of
       truncated exponentials. Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 15, 697-716.
       https://doi.org/10.1142/S0218488507004959

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import MTERegressor
    >>> X = np.linspace(0.0, 1.0, 400)[:, None]
    >>> model = MTERegressor(n_pieces=20).fit(X, 10 * X[:, 0])
    >>> predicted = model.predict([[0.2], [0.8], [np.nan]])
    >>> bool(np.abs(predicted - [2.0, 8.0, 5.0]).max() < 0.5)
    True
    """

    def __init__(
        self,
        *,
        n_pieces: Literal["cv"] | int = "cv",
        max_intervals: int = 6,
        intervals: Literal["shared", "own"] = "shared",
        bandwidth_factor: Literal["cv"] | float = "cv",
        fit_method: Literal["ls", "ml"] = "ls",
        calibration: options.Calibration = "weights",
        missing: Literal["available", "impute", "em"] = "available",
        statistic: options.Statistic = "mean",
        selection: Literal["mi"] | None = None,
        categorical_features: options.Columns = None,
        numeric_features: options.NumericColumns = None,
        schema: Schema | None = None,
        random_state: options.RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_pieces = n_pieces
        self.max_intervals = max_intervals
        self.intervals = intervals
        self.bandwidth_factor = bandwidth_factor
        self.fit_method = fit_method
        self.calibration = calibration
        self.missing = missing
        self.statistic = statistic
        self.selection = selection
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.schema = schema
        self.random_state = random_state
        self.n_jobs = n_jobs

    # learning

    def _keeps_unlabelled(self) -> bool:
        return self.missing != "available"

    def _complete(self, predictor: LearntMTE, rows: LabelledRows) -> LearntMTE:
        if self.missing == "available":
            return predictor
        incomplete = IncompleteRows.read(
            rows, predictor.fit.model.naive.schema, resolve_threads(self.n_jobs)
        )
        if self.missing == "em":
            model, trace = learn_by_em(incomplete, predictor.fit)
        else:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            model, trace = learn_by_imputation(incomplete, predictor.fit, seed)
        return LearntMTE(replace(predictor.fit, model=model), trace)

    def _derive(self, statistics: Statistics) -> LearntMTE:
        return LearntMTE(fit_mte(statistics, self._choices()))

    def _check_parameters(self) -> None:
        self._choices()

    def _check_batches(self) -> None:
        if self.missing != "available":
            raise errors.rows_needed(self.missing)

    def _choices(self) -> MTEChoices:
        errors.check_whole("n_pieces", self.n_pieces, 1, words=["cv"])
        factor = 1.0 if self.bandwidth_factor == "cv" else self.bandwidth_factor
        check_mte(self.max_intervals, factor, "fit_method", self.fit_method)
        errors.check_choice("intervals", self.intervals, ["shared", "own"])
        errors.check_choice("missing", self.missing, INCOMPLETE)
        errors.check_choice("selection", self.selection, ["mi", None])
        errors.check_choice("calibration", self.calibration, ["weights", "temperature", None])
        check_statistic(self.statistic)
        return MTEChoices(
            self.n_pieces,
            self.bandwidth_factor,
            self.max_intervals,
            self.fit_method,
            self.selection,
            self.calibration,
            self.intervals,
        )

    # what was learnt

    @property
    def piece_edges_(self) -> np.ndarray:
        """Where the pieces of the target's range begin and end."""
        return self._fitted().pieces.bounds

    @property
    def bandwidth_factor_(self) -> float:
        """The factor used."""
        return self._fitted().fit.settings.bandwidth_factor

    @property
    def column_weights_(self) -> ColumnArray:
        """What the evidence of each column is multiplied by, by position or name."""
        return ColumnArray(self._fitted().fit.column_weights, self.schema_.names)

    def _target_groups(self) -> TargetMoments:
        predictor = self._fitted()
        pieces = predictor.pieces
        return TargetMoments(pieces.means(), pieces.variances(), predictor.correction)

    def _find_held_out(self) -> HeldOutScore | None:
        return self._fitted().fit.held_out

    def _say_more(self) -> dict[str, Any]:
        return {"pieces of the target": self._fitted().pieces.n_pieces}

    def _describe_columns(self) -> dict[str, Any]:
        words = ["left out"] * len(self.schema_.columns)
        for term in self._fitted().model.terms:
            words[term.column] = "exponentials" if term.kind in EXPONENTIAL else "frequencies"
        return {"density": words, "weight": np.asarray(self.column_weights_)}

    @property
    def mutual_information_(self) -> np.ndarray:
        """Of each column and the target, in nats."""
        return self._fitted().fit.information

    @property
    def selection_(self) -> Records:
        """Of each column: its name, its mutual information with the target, and whether it was kept."""
        fit = self._fitted().fit
        names = self.schema_.names
        kept = np.isin(np.arange(len(names)), fit.columns)
        information = self.mutual_information_
        return Records(
            {
                "column": np.array(names, object),
                "mutual_information": information,
                "kept": kept,
            }
        )

    @property
    def trace_(self) -> Records:
        """The rounds of ``missing="impute"`` and ``"em"``."""
        return self._fitted().trace

    # answers

    def score_samples(
        self, X: options.TableLike, y: options.VectorLike | None = None
    ) -> np.ndarray:
        """Log-density of each row, together with its target if given: how likely the densities find what is there.

        The weights of the columns, which belong to predictions, have no part in it.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            Missing cells are integrated out.
        y : array-like of shape (n_rows,), optional
            Known targets. The log-density of one beyond the training range is minus infinity.

        Returns
        -------
        log_density : ndarray of shape (n_rows,)
        """
        predictor = self._fitted()
        table = self._read(X)
        target = None if y is None else read_numeric_target(y, table.n_rows)
        if target is not None and np.isnan(target).any():
            raise errors.target_unknown()
        return predictor.unweighted.log_density(table, target, resolve_threads(self.n_jobs))

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

        Examples
        --------
        >>> X = [[0.0], [1.0], [2.0], [3.0]] * 5
        >>> model = MTERegressor().fit(X, [0.0, 1.0, 2.0, 3.0] * 5)
        >>> model.explain([[3.0]])["column"].tolist()
        ['(prior)', 'x0']
        """
        predictor = self._fitted()
        return record_shifts(predictor, self._read(X), self._target_groups())

    def densities(self, column: str | int) -> list[MTEDensity]:
        """The densities of a numeric column, one for each piece of the target's range.

        Parameters
        ----------
        column : str or int
            By name or position.

        Returns
        -------
        densities : list of MTEDensity
        """
        predictor = self._fitted()
        j = find_column("column", column, self.schema_.names)
        for term in predictor.model.terms:
            if term.column == j and term.kind in EXPONENTIAL:
                return densities_of(term)
        raise errors.no_density(column)
