"""Additive boosting of tables of one, two and three columns, for raw tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from bayfold.base import options
from bayfold.base.columns import resolve_texts
from bayfold.base.given_bins import find_special, resolve_nominal
from bayfold.base.inputs import record_features
from bayfold.base.progress import Callback, follow_rounds
from bayfold.base.rounds import RoundsClassifier
from bayfold.base.sources.fit import SourceFit
from bayfold.core.counts import LabelledRows, Statistics
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.schema import Schema
from bayfold.core.scoring.derive import find_group_factors
from bayfold.core.scoring.quality import HeldOutScore, judge_prior
from bayfold.errors import is_whole, monotone_for_many, single_class
from bayfold.families.boosting.kept.learner import learn_where_rows_are
from bayfold.families.boosting.learner import AdditiveEnsemble, learn_additive
from bayfold.families.boosting.rounds.cross_fit import choose_n_folds
from bayfold.families.boosting.settings import HOW_LEFT_OUT, BoostedTables, BoostSettings


class BoostedNaiveBayesClassifier(BoostedTables, RoundsClassifier):
    """Boosted naive Bayes on the table as it is: the same kind of model, fitted better.

    It keeps the form of naive Bayes, a prior and a table of evidence per column, adds tables of two columns, and fits
    them all together to the log-loss instead of counting each alone. It is the most accurate model of this library,
    its probabilities need no calibration, and every prediction is still a sum of table entries that ``explain`` lists
    and ``evidence_`` shows.

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
        The order of the probability of the second of two classes along all columns of numbers, or by column.
        A peak rises, then falls, a valley falls, then rises; it turns where the column's own table does. ``"auto"``
        rises or falls, whichever left-out rows prefer. It holds whatever the other cells of a row are; missing cells
        and special codes have no place in the order.
    n_rounds : int, default=2000
        Most rounds; a warning says if the loss of left-out rows was still falling. After 200 rounds trees have a third
        level, which asks again about the columns on its path.
    learning_rate : float, default=0.1
        Part of a Newton step that is taken in the first rounds; it grows by as much again every 200 rounds, up to a
        half.
    early_stopping : bool, default=True
        Stop when the log-loss of left-out rows has not fallen for ``patience`` rounds, and keep the rounds up to the
        lowest loss; for an average of models, which over-fits later than each of them, a fifth more. From 1,000 rounds
        on, also when the last hundred have lowered it by less than .001.
    patience : int, default=30
        Rounds without a lower loss before it stops; only with ``early_stopping``.
    n_models : int, default=None
        So many models are fitted side by side, each without a fold of its own, and averaged. By default 16 up to 4,000
        rows, 8 up to 20,000, 4 up to 50,000, 2 up to 2,000,000, then 1.
    validation_fraction : float, default=0.125
        Part of the rows that each model leaves out, 0.001 to 0.5, and not more than 260,000 rows; with many models
        less, as each has a fold of its own.
    max_pairs : int, default=None
        Keep only so many tables of two and three columns, the strongest; ``left_out_share_`` says what that costs. Not
        with ``interactions=1``.
    max_bins : "auto", int or dict, default="auto"
        Most bins of a numeric column, 2 to 254, with equally many rows in each; or a dict by column, also of
        categories, of which the rarest then share one bin. "auto": 128 to 254, of which trees tell
        apart as many as there are 20 rows for each, at least 32; in tables of fewer than 20,000 rows the first 200
        rounds see 32, except in columns where finer bins alone predict held-out rows better. More than 128 are cut by
        value as well: each holds a like sum of three quarters of its share of rows and a quarter of that of the range.
    linear : bool, default=True
        Whether some of the models may begin with a regularised linear one, where that does nearly as well as the
        trees: straight lines across many columns are learnt at once that trees would draw slowly. Slopes become
        entries of the tables of their columns. With at least two numeric columns, and at most 50,000 rows.
    class_weight : None, "balanced" or dict, default=None
        Factor on the weight of the rows of each class, as in scikit-learn: ``"balanced"`` gives all classes the same
        weight, a dict maps classes to factors from 1e-6 to 1e6. Probabilities then are those of rows so weighted.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    text_features : array-like of str, int or bool, default=None
        Columns to take as text whatever they look like, by name, position or mask; by itself a column of sentences is.
    ngrams : tuple of int, default=(1, 1)
        Neighbouring words that are counted as one: ``(1, 2)`` for words and pairs of words.
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
        What the columns are and how they are coded, from another model's ``schema_``, in place of ``max_bins``,
        ``categorical_features``, ``text_features``, ``ngrams``, ``bins`` and ``special_codes``.
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
    classes_ : ndarray
        Sorted class labels.
    schema_ : Schema
        What the columns are and how they are coded.
    n_rounds_ : int
        Rounds that were kept.
    evidence_ : Records
        The model as a table: weight of evidence, counts and bounds of every bin of every column, then of every pair.
    feature_importances_ : ColumnArray
        Share of each column in the evidence, by position or name: the mean over training rows of its absolute weight,
        with half of that of each of its pairs.
    validation_loss_ : ndarray
        Mean log-loss of left-out rows after each round that was run, of the models that begin with the prior.
    left_out_share_ : float
        Share of the variance of all tables that ``max_pairs`` left out.
    blend_weights_ : ndarray of shape (3,)
        Weights of the trees, a linear model, and the trees that started from the linear model, fitted on held-out rows.
        (1, 0, 0) where no linear model came near.
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

    Columns of more than 32 categories start from the evidence that naive Bayes counts for each category. A row gets it
    from counts of other rows, shrunk by an amount that held-out rows choose; the trees go on from there. So every
    category keeps its own weight, and one that no other row has (an identifier) has none. Texts start from the
    evidence of their words, weighed as ``NaiveBayesClassifier`` weighs them, from counts of all other rows; trees see
    only whether a text is missing.

    Where two columns tell together most of what they tell, and no small tree would see it (a checkerboard), their
    bins are cut into a grid, and trees go on from what its cells say, counted like categories. All pairs are looked at
    in coarse tables of at least 400 rows and up to about 200 columns; without such a pair nothing changes.

    Where three columns tell more together, in tables of 1,000 rows and more, cells of three columns are added in the
    end: columns that strong pairs join, eight bins of each, stepwise towards a lower loss of left-out rows, each cell
    with what its neighbours say. They are purified like pairs, so tables of fewer columns keep their meaning.

    Where a regularised linear model does nearly as well on left-out rows (at most 1.5 times the loss), half as many
    models again begin with it, and left-out rows weigh trees, linear model, and trees after it against each other, with
    weights that add up to one at most. A number counts in a slope by the middle of its bin, so slopes are entries of
    the tables like all else.

    A missing cell is a value of its own if there were any in training; otherwise it gives no evidence, like a category
    that did not occur. Weights are frequencies: equal rows are one row with the sum of their weights, drawn and
    dealt to folds by what is in them, so weight 2 is exactly the row twice and the order of rows does not matter,
    nor that of columns. (Of more than 20,000 rows in memory, those that bound the bins are drawn by their numbers and
    by how many rows there are: there, weight 2 and the row twice may have other bins, unless ``schema`` gives them.)

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
        class_weight: options.ClassWeight = None,
        categorical_features: options.Columns = None,
        numeric_features: options.NumericColumns = None,
        text_features: options.Columns = None,
        ngrams: tuple[int, int] = (1, 1),
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
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.text_features = text_features
        self.ngrams = ngrams
        self.bins = bins
        self.special_codes = special_codes
        self.schema = schema
        self.random_state = random_state
        self.callback = callback
        self.progress = progress
        self.n_jobs = n_jobs

    _ensemble: AdditiveEnsemble
    _stays_with_rows = True

    def _infer_schema(self, rows: LabelledRows, nominal: frozenset[int]) -> Schema:
        texts = resolve_texts(self, [column.name for column in rows.table.columns])
        return self._infer_bins(rows, nominal, texts)

    def _learn(
        self, rows: LabelledRows, schema: Schema, callback: Callback | None
    ) -> AdditiveEnsemble:
        return learn_additive(rows, schema, self._find_settings(schema, rows, callback))

    def _find_settings(
        self, schema: Schema, rows: LabelledRows, callback: Callback | None
    ) -> BoostSettings:
        settings = self._make_settings(schema, callback, coarse_first=not is_whole(self.max_bins))
        if settings.monotone and len(rows.groups) > 2:
            raise monotone_for_many(len(rows.groups))
        return replace(settings, group_weights=self.class_weight)

    def _fit_kept(self, fit: SourceFit) -> None:
        names = list(fit.roles.features)
        survey = fit.look(resolve_nominal(self, names), find_special(self, names))
        rows = survey.to_rows()
        if len(rows.groups) < 2:
            raise single_class(rows.groups.tolist()[0])
        self.classes_ = rows.groups
        if survey.sample.is_whole:
            self._fit_rows(rows)
            return
        statistics = fit.count(learn_statistics, self._schema_for(rows), Statistics.zero(), survey)
        with follow_rounds(self.progress, self.callback, "boosting") as callback:
            settings = self._find_settings(statistics.counts.schema, rows, callback)
            ensemble = learn_where_rows_are(fit, survey, statistics, settings)
        record_features(self, fit.roles.header())
        self._remember(ensemble)

    def _find_held_out(self) -> HeldOutScore | None:
        losses = self.validation_loss_
        counts = self._ensemble.counts
        if not len(losses):
            return None
        totals = counts.totals * find_group_factors(counts, self.class_weight)
        prior = {"log_loss": judge_prior(totals / totals.sum())["log_loss"]}
        rule = self._find_monotone()
        price = 0.0 if rule is None else rule.ordered - rule.free
        loss = float(losses[max(self.n_rounds_, 1) - 1]) + price
        gained = self._ensemble.gained
        found = {"log_loss": loss - gained}
        of_two = {"log_loss": loss} if gained else {}
        n_rows = counts.n_rows * self._left_out_share()
        return HeldOutScore(HOW_LEFT_OUT, n_rows, found, prior, of_two)

    def _left_out_share(self) -> float:
        """The part of the rows that some model has left out; NaN in a model saved without its rounds."""
        rounds = self._ensemble.rounds
        if rounds is None:
            return float("nan")
        n_models = len(rounds.trees.splits)
        n_folds = choose_n_folds(rounds.counts.n_rows, n_models, self.validation_fraction)
        return n_models / n_folds
