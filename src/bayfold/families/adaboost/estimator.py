"""AdaBoost of naive Bayes and of trees with naive Bayes leaves, for raw tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Literal

from bayfold import errors
from bayfold.base.given_bins import infer_given_schema, resolve_nominal
from bayfold.base.inputs import record_features
from bayfold.base.notices import warn_about_columns
from bayfold.base.options import Bins, ClassWeight, Columns, NumericColumns, RandomState
from bayfold.base.progress import Callback, follow_rounds
from bayfold.base.rounds import Ensemble, RoundsClassifier, draw_seed
from bayfold.base.sources.fit import SourceFit
from bayfold.core.counts import LabelledRows
from bayfold.core.engine import resolve_threads
from bayfold.core.schema import Schema
from bayfold.families.adaboost.learner import learn_m1, learn_real
from bayfold.families.adaboost.m1 import AdaBoostSettings
from bayfold.families.adaboost.row_weights import BoostedPart
from bayfold.families.trees.estimator import NaiveBayesTreeClassifier, resolve_tree_settings
from bayfold.families.trees.grower import TreeSettings
from bayfold.families.trees.prepare import Prepared, prepare_rows, prepare_source

DEFAULT_ROUNDS = {"m1": 100, "real": 20}
"""Votes: as many as Ting & Zheng (2003) count. Confidence-rated rounds of a tenth each: two full steps in all."""


class AdaBoostNaiveBayesClassifier(RoundsClassifier):
    """AdaBoost of naive Bayes, or of shallow trees with naive Bayes leaves, on the table as it is.

    Each round learns from the rows weighted by how wrong the rounds before were. Boosting helps naive Bayes itself
    little; over trees, which take care of interactions, it is among the best of its time [1]_. For accuracy and for
    probabilities that mean what they say see ``BoostedNaiveBayesClassifier``.

    Parameters
    ----------
    method : {"m1", "real"}, default="m1"
        How rounds are added up: by votes for one class each (AdaBoost.M1), as Ting and Zheng ran it; or by
        confidence-rated votes of naive Bayes, which collapse into one naive Bayes.
    max_depth : int, default=0
        Depth of the trees with naive Bayes leaves; 0 is naive Bayes itself. Only for "m1", and only without ``base``.
    base : NaiveBayesTreeClassifier, default=None
        How the trees are grown, in place of ``max_depth``; "real" takes one of depth 0, with its ``m`` and
        ``denominator``.
    n_rounds : int, default=None
        Most rounds: 100 for "m1" and 20 for "real" by default.
    learning_rate : float, default=0.1
        Part of the log-odds that a round adds. Only for "real".
    restarts : bool, default=True
        Go on from a bootstrap sample when a model is no better than chance, or perfect. Only for "m1".
    calibration : "temperature" or None, default="temperature"
        One factor for the log shares of the votes and an intercept per class, fitted on held-out rows: probabilities
        then are how often the ensemble is right. None: probabilities are the shares of the votes, and the prediction is
        the class with most of them, as it is written. Only for "m1".
    class_weight : None, "balanced" or dict, default=None
        Factor on the weight of the rows of each class, as in scikit-learn: ``"balanced"`` gives all classes the same
        weight, a dict maps classes to factors from 1e-6 to 1e6. Probabilities then are those of rows so weighted.
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
        What the columns are and how they are coded, from another model's ``schema_``, in place of
        ``categorical_features`` and ``bins``.
    random_state : int, RandomState instance or None, default=0
        Draws of the bootstrap samples after restarts. Without restarts, and with "real", nothing is drawn.
    callback : callable, default=None
        Called after each round with the number of rounds so far, the most there will be, and the weighted error of the
        round (NaN for "real").
    progress : bool, default=False
        Show a progress bar, if there is a terminal.
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
    n_rounds_ : int
        Rounds that were made.
    round_errors_, round_votes_, round_restarts_ : ndarray
        For "m1": the weighted training error and the vote of each round, and how often weights were drawn anew for it.
    feature_importances_ : ColumnArray
        Share of each column in the evidence, by position or name, averaged over the rounds by their votes.
    evidence_ : Records
        For "real": the weight of evidence, counts and bounds of every bin of every column.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    Elkan [2]_ saw that boosted naive Bayes adds up to one naive Bayes, which ``method="real"`` makes exact and
    ``collapse`` returns. Ting and Zheng [1]_ saw that boosting therefore helps it little, and grew trees first:
    ``max_depth=3`` is their BLNBT(3).

    Shares of votes say how sure the ensemble is of its decision, not how often that is right: rows that three further
    ensembles were not learnt from say that. Fitting takes up to three times as long for it.

    References
    ----------
    .. [1] K. M. Ting, Z. Zheng (2003). A study of AdaBoost with naive Bayesian classifiers: weakness and improvement.
       Computational Intelligence 19(2), 186-200. https://doi.org/10.1111/1467-8640.00219
    .. [2] C. Elkan (1997). Boosting and naive Bayesian learning. Technical Report CS97-557, University of
       California, San Diego.

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import AdaBoostNaiveBayesClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice(["a", "b", "c"], size=(400, 3))
    >>> y = (X[:, 0] == X[:, 1]).astype(int)  # no column says anything alone
    >>> model = AdaBoostNaiveBayesClassifier(max_depth=1, n_rounds=10).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.predict([["a", "a", "b"], ["a", "c", "b"]])
    array([1, 0])
    """

    def __init__(
        self,
        *,
        method: Literal["m1", "real"] = "m1",
        max_depth: int = 0,
        base: NaiveBayesTreeClassifier | None = None,
        n_rounds: int | None = None,
        learning_rate: float = 0.1,
        restarts: bool = True,
        calibration: Literal["temperature"] | None = "temperature",
        class_weight: ClassWeight = None,
        categorical_features: Columns = None,
        numeric_features: NumericColumns = None,
        bins: Bins = None,
        schema: Schema | None = None,
        random_state: RandomState = 0,
        callback: Callback | None = None,
        progress: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.max_depth = max_depth
        self.base = base
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.restarts = restarts
        self.calibration = calibration
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.bins = bins
        self.schema = schema
        self.random_state = random_state
        self.callback = callback
        self.progress = progress
        self.n_jobs = n_jobs

    _stays_with_rows = True

    def _check_parameters(self) -> None:
        errors.check_choice("method", self.method, DEFAULT_ROUNDS)
        errors.check_whole("max_depth", self.max_depth)
        errors.check_whole("n_rounds", self.n_rounds, 1, words=[None])
        errors.check_number("learning_rate", self.learning_rate, 0, 1, above=True)
        errors.check_flag("restarts", self.restarts)
        errors.check_choice("calibration", self.calibration, ["temperature", None])
        errors.check_callable("callback", self.callback)
        errors.check_flag("progress", self.progress)
        unused = {"m1": ["learning_rate"], "real": ["max_depth", "restarts", "calibration"]}
        for name in unused[self.method]:
            errors.check_unused(self, name, f'method="{self.method}"')
        if self.base is not None:
            errors.check_unused(self, "max_depth", "a base")
            self._check_base(self.base)

    def _check_base(self, base: Any) -> None:
        if not isinstance(base, NaiveBayesTreeClassifier):
            raise errors.bad_base(base)
        for name in ("categorical_features", "numeric_features", "bins", "n_jobs"):
            if getattr(base, name) is not None:
                raise errors.parameter_of_base(name, getattr(base, name), type(self).__name__)
        if self.method == "real" and base.max_depth != 0:
            raise errors.deep_base(base.max_depth)

    def _infer_schema(self, rows: LabelledRows, nominal: frozenset[int]) -> Schema:
        return infer_given_schema(self, rows, nominal)

    def _learn(self, rows: LabelledRows, schema: Schema, callback: Callback | None) -> Ensemble:
        settings = self._make_settings(callback)
        prepared = prepare_rows(
            rows,
            schema,
            plan=settings.plan,
            kind=BoostedPart,
            n_threads=resolve_threads(self.n_jobs),
        )
        return self._boost(prepared, settings)

    def _fit_kept(self, fit: SourceFit) -> None:
        nominal = resolve_nominal(self, list(fit.roles.features))
        with follow_rounds(self.progress, self.callback, "boosting") as callback:
            settings = self._make_settings(callback)
            prepared = prepare_source(
                fit, nominal, self._schema_for, plan=settings.plan, kind=BoostedPart
            )
            with closing(prepared):
                ensemble = self._boost(prepared, settings)
        record_features(self, fit.roles.header())
        self._remember(ensemble)
        self.classes_ = ensemble.counts.groups

    def _find_obstacles(self) -> Iterator[str]:
        if self.method == "m1" and self.restarts:
            yield "restarts"
        if self.base is not None and self.base.utility == "leave_one_out":
            yield "base"

    def _boost(self, prepared: Prepared, settings: AdaBoostSettings) -> Ensemble:
        warn_about_columns(prepared.coding.counts, prepared.coding.effective)
        return (learn_m1 if self.method == "m1" else learn_real)(prepared, settings)

    def _make_settings(self, callback: Callback | None) -> AdaBoostSettings:
        n_rounds = DEFAULT_ROUNDS[self.method] if self.n_rounds is None else self.n_rounds
        return AdaBoostSettings(
            tree=self._tree_settings(),
            n_rounds=n_rounds,
            learning_rate=self.learning_rate,
            restarts=self.restarts,
            calibrate=self.calibration is not None,
            group_weights=self.class_weight,
            seed=draw_seed(self.random_state),
            callback=callback,
        )

    def _tree_settings(self) -> TreeSettings:
        """What is boosted: trees as ``base`` says, otherwise with the defaults and ``max_depth``."""
        base = NaiveBayesTreeClassifier(self.max_depth) if self.base is None else self.base
        return resolve_tree_settings(base)
