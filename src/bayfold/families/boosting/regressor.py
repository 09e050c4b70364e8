"""Additive boosting of tables of one, two and three columns, for a numeric target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold.base import options
from bayfold.base.editing import EditableTables
from bayfold.base.inputs import read_numbers
from bayfold.base.per_row import PerRow
from bayfold.base.progress import Callback
from bayfold.base.regressor import check_statistic
from bayfold.core.counts import JointCounts, LabelledRows
from bayfold.core.engine import resolve_threads
from bayfold.core.schema import Schema
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.errors import check_choice, check_fraction, check_unused, is_whole
from bayfold.families.boosting.ensembles import NumberEnsemble
from bayfold.families.boosting.numbers.answers import CollapsedRegressor, NumberAnswers
from bayfold.families.boosting.numbers.learner import learn_number
from bayfold.families.boosting.numbers.model import NumberPredictor
from bayfold.families.boosting.rates.learner import learn_rate
from bayfold.families.boosting.rates.model import RatePredictor
from bayfold.families.boosting.rates.rows import LOSSES, POISSON, check_totals
from bayfold.families.boosting.settings import BoostedTables


class BoostedNaiveBayesRegressor(BoostedTables, NumberAnswers):
    """Boosted tables for a numeric target, with a whole distribution for each row.

    What ``BoostedNaiveBayesClassifier`` is to classes: a sum of tables of one and two columns, fitted together by
    cross-fitted shallow trees. One sum says where the target lies, another how far off that may be; what is left has
    one shape for all rows. It is the most accurate regressor of this library, its intervals hold what they promise,
    and every prediction is a sum of table entries that ``explain`` lists and ``evidence_`` shows.

    Parameters
    ----------
    interactions : {"auto", 1, 2, 3} or list of pairs, default="auto"
        Tables of one column only, of two columns as well, or of three: up to ten tables, of at most eight bins of each
        column. "auto" takes three where held-out rows are clearly better for it, and ``summary()`` says what two would
        cost; beside ``monotone`` there are none. ``[("age", "income")]`` looks for tables of these pairs alone; an
        entry of three names is a table of three. Columns of more than 254 categories share tables in groups, where
        held-out rows clearly gain by it.
    forbidden_interactions : list, default=None
        Pairs of columns that must not share a table, and columns that must share none:
        ``[("gender", "income"), "region"]``.
    monotone : {"increasing", "decreasing", "peak", "valley", "auto"} or dict, default=None
        The order of predictions, and of all quantiles, along all columns of numbers, or by column.
        A peak rises, then falls, a valley falls, then rises; it turns where the column's own table does. ``"auto"``
        rises or falls, whichever left-out rows prefer. It holds whatever the other cells of a row are; missing cells
        and special codes have no place in the order.
    n_rounds : int, default=2000
        Most rounds; a warning says if the loss of left-out rows was still falling. After 200 rounds trees of 5,000 rows
        and more have a third level, which asks again about the columns on its path; of 20,000 rows and more at once.
    learning_rate : float, default=0.1
        Part of a step that is taken in the first rounds; it grows by as much again every 100 rounds, up to a half.
    early_stopping : bool, default=True
        Stop when the squared error of left-out rows has not fallen for ``patience`` rounds, and keep the rounds up to
        the lowest; for an average of models a fifth more. Or when the last 50 rounds lowered it by less than chance
        may: by 1 % of it, or from 900 left-out rows on by 9 divided by their number.
    patience : int, default=30
        Rounds without a lower loss before it stops; only with ``early_stopping``.
    n_models : int, default=None
        So many models are fitted side by side, each without a fold of its own, and averaged. By default 16 up to 4,000
        rows, 8 up to 20,000, 4 up to 50,000, 2 up to 2,000,000, then 1.
    validation_fraction : float, default=0.125
        Part of the rows that each model leaves out, 0.001 to 0.5; with many models less, as each has a fold of its own.
    max_pairs : int, default=None
        Keep only so many tables of two and three columns, the strongest; ``left_out_share_`` says what that costs. Not
        with ``interactions=1``.
    max_bins : "auto", int or dict, default="auto"
        Most bins of a numeric column, 2 to 254, with equally many rows in each; or a dict by column, also of
        categories, of which the rarest then share one bin. "auto": 128 to 254, of which the trees
        of a model tell apart 32 of its own up to 2,000 rows, and beyond as many as there are 20 rows for each. More
        than 128 are cut by value as well, as by the classifier.
    linear : bool, default=True
        Whether some of the models may begin with a regularised linear one; left-out rows say what they are worth.
        Slopes become entries of the tables of their columns. With at least two numeric columns, and at most
        50,000 rows. Where left-out rows gain by it, every other of these models begins with squares of numbers and
        products of columns as well, which are tables of one and two columns too.
    statistic : {"mean", "median"}, default="mean"
        What ``predict`` returns.
    loss : {"squared", "poisson", "gamma", "tweedie"}, default="squared"
        What the tables are fitted by. All but the first have tables that multiply, and take an exposure: "poisson" for
        counts, "gamma" for amounts above zero, "tweedie" for amounts that may be zero.
    tweedie_power : float, default=1.5
        The power of the mean that the variance grows with, between 1 and 2; only with ``loss="tweedie"``.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
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
        What the columns are and how they are coded, from another model's ``schema_``, in place of ``max_bins`` and
        ``categorical_features``.
    random_state : int, RandomState instance or None, default=0
        Draws of rows, columns and folds.
    callback : callable, default=None
        Called after some rounds with the number of rounds so far, the most there will be, and the loss of left-out
        rows.
    progress : bool, default=False
        Show a progress bar, if there is a terminal.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    schema_ : Schema
        What the columns are and how they are coded.
    n_rounds_ : int
        Rounds that were kept.
    evidence_ : Records
        The model as a table: what every bin of every column, then of every pair, does to the prediction.
    validation_loss_ : ndarray
        Mean squared error of left-out rows, on the scale of the model, after each round that was run; of a target of
        two values their log-loss.
    left_out_share_ : float
        Share of the variance of all tables that ``max_pairs`` left out.
    blend_weights_ : ndarray of shape (3,)
        Weights of the trees, a linear model, and the trees that started from the linear model, fitted on held-out rows.
        (1, 0, 0) where no linear model was fitted.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    The model works on a scale z of the target: half of it standardised, half the normal scores of its ranks, so that
    a long tail neither pulls at means nor squeezes the rest; or more or less of the ranks, where left-out rows are
    clearly predicted better so. On it, the location f(x) minimises the squared error;
    the spread b(x) the likelihood of Laplace's distribution of the errors of left-out rows; and G is the distribution
    of these errors in units of their spread. Together they are ``P(y <= v | x) = G((z(v) - f(x)) / b(x))``. A target
    of few values takes these values only. A value that a hundredth of the rows share (and five at least) is an atom: it
    has a probability, and beyond one at an end of the target nothing lies. G is stretched on one side until the means
    of left-out rows are their targets in the mean. Of two values (and at least eight rows) the location is the log-odds
    of the larger one, found by log-loss, and G the logistic distribution, so that rare events keep their rates.

    Shift and scale of the target change nothing but the unit of the answers. Weights are frequencies, and the order of
    rows does not matter, as with the classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import BoostedNaiveBayesRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = X[:, 0] * X[:, 1]  # no column says anything alone
    >>> model = BoostedNaiveBayesRegressor().fit(X, y)
    >>> model.predict([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]).round()
    array([ 1., -1.])
    """

    _ensemble: NumberEnsemble
    _target_is_numeric = True

    def __init__(
        self,
        *,
        interactions: options.Interactions = "auto",
        forbidden_interactions: Sequence[Any] | None = None,
        monotone: options.Direction | Mapping[Any, options.Direction] | None = None,
        n_rounds: int = 2000,
        learning_rate: float = 0.1,
        early_stopping: bool = True,
        patience: int = 30,
        n_models: int | None = None,
        validation_fraction: float = 0.125,
        max_pairs: int | None = None,
        max_bins: Literal["auto"] | int | Mapping[Any, int] = "auto",
        linear: bool = True,
        statistic: options.Statistic = "mean",
        loss: Literal["squared", "poisson", "gamma", "tweedie"] = "squared",
        tweedie_power: float = 1.5,
        categorical_features: options.Columns = None,
        numeric_features: options.NumericColumns = None,
        bins: options.Bins = None,
        special_codes: options.SpecialCodes = None,
        schema: Schema | None = None,
        random_state: options.RandomState = 0,
        callback: Callback | None = None,
        progress: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.interactions = interactions
        self.forbidden_interactions = forbidden_interactions
        self.monotone = monotone
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.patience = patience
        self.n_models = n_models
        self.validation_fraction = validation_fraction
        self.max_pairs = max_pairs
        self.max_bins = max_bins
        self.linear = linear
        self.statistic = statistic
        self.loss = loss
        self.tweedie_power = tweedie_power
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.bins = bins
        self.special_codes = special_codes
        self.schema = schema
        self.random_state = random_state
        self.callback = callback
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(
        self,
        X: options.TableLike,
        y: options.VectorLike,
        sample_weight: options.VectorLike | None = None,
        groups: options.VectorLike | None = None,
        time: options.VectorLike | None = None,
        exposure: options.VectorLike | None = None,
        offset: options.VectorLike | None = None,
    ) -> Self:
        """Learn from a table and the number to be predicted for each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : array-like of shape (n_rows,)
            Numbers; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.
        groups, time : array-like of shape (n_rows,), optional
            What rows belong to that depend on each other (a patient, a day), and when they were observed: what is held
            out are whole groups, later than what is learnt from.
        exposure : array-like of shape (n_rows,), optional
            How much of the unit a row was observed, such as years: its target is the total of them, and its mean is
            the exposure times the rate that is learnt. Above zero; not with ``loss="squared"``.
        offset : array-like of shape (n_rows,), optional
            The logarithm of what the mean is known to be multiplied by, such as an index of prices; as ``exposure``.

        Returns
        -------
        self : estimator
        """
        self._check_parameters()
        check_statistic(self.statistic)
        given = PerRow(sample_weight, groups, time, exposure, offset)
        rows = read_numbers(self, X, y, given)
        check_totals(self.loss, rows)
        self._fit_rows(rows)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("loss", self.loss, LOSSES)
        check_fraction("tweedie_power", self.tweedie_power, 1)
        if self.loss != "tweedie":
            check_unused(self, "tweedie_power", f"loss={self.loss!r}")

    def _infer_schema(self, rows: LabelledRows, nominal: frozenset[int]) -> Schema:
        return self._infer_bins(rows, nominal)

    def _learn(
        self, rows: LabelledRows, schema: Schema, callback: Callback | None
    ) -> NumberEnsemble:
        settings = self._make_settings(schema, callback, coarse_first=not is_whole(self.max_bins))
        if self.loss == "squared":
            return learn_number(rows, schema, settings)
        powers = {"poisson": POISSON, "gamma": 2.0, "tweedie": float(self.tweedie_power)}
        return learn_rate(rows, schema, powers[self.loss], settings)

    # answers

    def staged_predict(self, X: options.TableLike) -> Iterator[np.ndarray]:
        """The mean of each row's distribution after each round.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Yields
        ------
        y : ndarray of shape (n_rows,)
            The last is what ``predict`` gives, unless ``statistic="median"``. There is one where no round was learnt.
        """
        check_is_fitted(self)
        yield from self._ensemble.staged_means(self._read(X), resolve_threads(self.n_jobs))

    def collapse(self) -> CollapsedRegressor:
        """The sum of all rounds as one model of tables.

        Returns
        -------
        model : CollapsedRegressor
            An estimator that answers as this one does; its tables are in ``model_``.
        """
        return CollapsedRegressor.of(self, self._fitted(), self._counts())

    def _tables_to_edit(self) -> EditableTables:
        return self.collapse()._tables_to_edit()

    def _fitted(self) -> NumberPredictor | RatePredictor:
        check_is_fitted(self)
        return self._ensemble.predictor

    def _counts(self) -> JointCounts:
        return self._ensemble.counts

    def _say_more(self) -> dict[str, Any]:
        return {"rounds": self.n_rounds_} | super()._say_more()

    def _summarise_target(self) -> dict[str, float]:
        return self._ensemble.target

    def _find_held_out(self) -> HeldOutScore:
        return self._ensemble.held_out
