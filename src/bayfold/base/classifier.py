"""What all classifiers share: accuracy, exports, and answers from one score per class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from bayfold import errors
from bayfold.base.decisions import Costs
from bayfold.base.editing import balance_classes
from bayfold.base.estimator import Readout
from bayfold.base.inputs import read_target, read_weights
from bayfold.base.options import ClassLabel, TableLike, VectorLike
from bayfold.base.predicting import BasePredictor
from bayfold.base.sources.predict import Answers, name_answers
from bayfold.core.frames import Table, find_groups
from bayfold.core.scoring import log_probabilities, probabilities
from bayfold.core.scoring.conformal import SCORE_ROUNDING, ConformalScores

if TYPE_CHECKING:
    from bayfold.export.scorecard import Scorecard


class BaseClassifier(ClassifierMixin, BasePredictor):
    """A classifier, however it comes to its answers: its accuracy, its answers for a source, its exports."""

    classes_: np.ndarray

    @abstractmethod
    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row."""

    @abstractmethod
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Probability of each class."""

    def _answers(self, table: Table) -> Answers:
        best = np.searchsorted(self.classes_, self.predict(table))
        return name_answers(self.classes_, best, self.predict_proba(table))

    def _score_rows(self, table: Table) -> np.ndarray:
        """The probability of the second of two classes, or of the most probable one."""
        return find_score(self.predict_proba(table))

    def score(self, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None) -> float:
        """Accuracy: the share of the rows that are predicted correctly.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            The true classes. Rows where it is missing are left out, and classes that the model has not learnt are
            wrong, each with a warning.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        accuracy : float
        """
        predicted, labels = find_groups(self.predict(X))
        truth = find_truth(y, self.classes_, len(predicted))
        weights = read_weights(sample_weight, len(predicted))
        if weights is not None and not weights.any():
            raise errors.all_weights_zero()
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        of_label = np.array([place[label] for label in labels.tolist()], np.int64)
        right = truth.place_of == of_label[predicted[truth.known]]
        return float(np.average(right, weights=None if weights is None else weights[truth.known]))

    def decide(
        self,
        X: TableLike,
        costs: Mapping[Any, Mapping[Any, float]] | ArrayLike | None = None,
        reject: float | None = None,
    ) -> np.ndarray:
        """The decision of least expected cost for each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        costs : mapping or array-like of shape (n_classes, n_classes), optional
            ``costs[true][decided]`` by class, where right decisions cost nothing unless named; or an array in the order
            of ``classes_``. By default every wrong decision costs 1. Negative costs are gains.
        reject : float, optional
            The cost of leaving a row undecided. By default every row is decided.

        Returns
        -------
        decisions : ndarray of shape (n_rows,)
            Classes; the missing value of their type (None, ``nan`` or ``NaT``) where every class is expected to cost
            more than ``reject``.

        Examples
        --------
        >>> from bayfold import NaiveBayesClassifier
        >>> X, y = [["cough"], ["cough"], ["cough"], ["fever"]] * 9, ["well", "well", "sick", "well"] * 9
        >>> model = NaiveBayesClassifier().fit(X, y)
        >>> costs = {"sick": {"well": 4}, "well": {"sick": 1}}
        >>> print(model.predict([["fever"], ["cough"]]), model.decide([["fever"], ["cough"]], costs))
        ['well' 'well'] ['well' 'sick']
        """
        probability = self.predict_proba(X)
        return Costs.read(self.classes_, costs, reject).decide(probability)

    def _find_conformal(self) -> ConformalScores | None:
        """Scores of rows that were held out, where any were."""
        return None

    def predict_set(
        self, X: TableLike, coverage: float = 0.9, *, by_class: bool = False
    ) -> np.ndarray:
        """The classes that each row may well have: together they hold the true one as often as asked for.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        coverage : float, default=0.9
            The share of rows whose set holds their class.
        by_class : bool, default=False
            Whether the sets hold so many of the rows of each class, and not of all rows together.

        Returns
        -------
        is_in_set : ndarray of bool of shape (n_rows, n_classes)
            In the order of ``classes_``. A set is empty where no class is likely enough, as may be where the model is
            right more often than ``coverage`` asks for.

        Notes
        -----
        A conformal prediction: a class is in the set if its probability is at least that which the share ``coverage``
        of the training rows' own classes had while these rows were held out. No further model is fitted; see "Dependent
        rows and guarantees" in the documentation for what is guaranteed.

        Examples
        --------
        >>> from bayfold import NaiveBayesClassifier
        >>> X, y = [["cough"], ["cough"], ["fever"], ["fever"]] * 20, ["well", "sick", "well", "well"] * 20
        >>> NaiveBayesClassifier().fit(X, y).predict_set([["cough"], ["fever"]])
        array([[ True,  True],
               [False,  True]])
        """
        errors.check_fraction("coverage", coverage)
        errors.check_flag("by_class", by_class)
        probability = self.predict_proba(X)
        scores = self._find_conformal()
        if scores is None:
            raise errors.nothing_held_out(type(self).__name__, hasattr(self, "calibration"))
        if self._find_edits():
            errors.warn(errors.held_out_before_edits())
        limits = scores.find_limits(coverage, len(self.classes_), by_class)
        return 1.0 - probability <= limits + SCORE_ROUNDING

    def to_sql(
        self,
        dialect: str = "duckdb",
        *,
        table: str | Sequence[str] = "data",
        keep: Sequence[str] = (),
        evidence: bool = False,
    ) -> str:
        """The model as one SELECT that scores a table in a database.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgres"}, default="duckdb"
        table : str or sequence of str, default="data"
            Name of the table, or schema and name. It has the columns of the training table, in any order.
        keep : sequence of str, default=()
            Columns of the table to return before the answers, such as its key: no order of rows is promised.
        evidence : bool, default=False
            Return what each column and pair of columns adds to the score as well.

        Returns
        -------
        sql : str
            It returns ``prediction``, one ``probability_`` for each class, and with ``evidence`` one ``evidence_`` for
            each column (of each class, if there are more than two). Columns without weight are not read.
        """
        from bayfold.export.sql import write_sql

        errors.check_flag("evidence", evidence)
        return write_sql(self._exported_model(), dialect, table=table, keep=keep, evidence=evidence)

    def to_scorecard(
        self,
        points_to_double_odds: float = 20,
        base_points: float = 600,
        base_odds: float = 50,
        good: ClassLabel | None = None,
        *,
        X: TableLike | None = None,
        y: VectorLike | None = None,
        sample_weight: VectorLike | None = None,
    ) -> Scorecard:
        """The model as points to be added up, as banks use them.

        Parameters
        ----------
        points_to_double_odds : float, default=20
            A score higher by this many points has twice the odds of the good class.
        base_points, base_odds : float, default=600, 50
            A score of ``base_points`` has odds of ``base_odds`` to 1 of the good class.
        good : class label, default=None
            The class that high scores stand for; the second by default.
        X, y, sample_weight
            Rows whose class is known, such as those of a later month: the card then has the rows, the event rate (the
            share of the other class), the weight of evidence (WoE) and the information value (IV) of each bin, and in
            ``measures`` Gini, KS and the IV of each column.

        Returns
        -------
        card : Scorecard
            Whole points by column and bin, and what rounding them costs. For models of two classes.
        """
        from bayfold.export.scorecard import make_scorecard

        card = make_scorecard(
            self._exported_model(), points_to_double_odds, base_points, base_odds, good
        )
        if X is None and y is None:
            return card
        if X is None or y is None:
            raise errors.card_without_rows("y" if y is None else "X")
        table = self._read(X)
        truth = find_truth(y, self.classes_, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        weights = np.ones(table.n_rows) if weights is None else weights
        outcomes = np.zeros((table.n_rows, 2))
        known = np.flatnonzero(truth.known)
        learnt = truth.place_of >= 0
        is_good = self.classes_[truth.place_of[learnt]] == card.good
        outcomes[known[learnt], is_good.astype(np.int64)] = weights[known[learnt]]
        if not (outcomes.sum(axis=0) > 0).all():
            raise errors.card_of_one_class()
        return card.measured(table, outcomes)


class TableClassifier(BaseClassifier):
    """A classifier whose answers all come from one score per class (one in all for two classes).

    A subclass supplies the scores and the prior that stands in where every class is impossible.
    """

    @abstractmethod
    def _score(self, X: Any, readout: Readout | None = None) -> np.ndarray:
        """Scores of all rows of shape (n_rows, n_scores), or what ``readout`` makes of them."""

    @abstractmethod
    def _log_prior(self) -> np.ndarray:
        """Log prior of every class; raises if the model is not fitted."""

    def _balance(self, X: Any, y: Any, sample_weight: Any) -> np.ndarray:
        """The step of the intercept after which mean probabilities of rows are the shares of their classes."""
        if X is None or y is None:
            raise errors.rows_to_refit()
        scores = self._score(X)
        truth = find_truth(y, self.classes_, len(scores))
        weights = read_weights(sample_weight, len(scores))
        weights = np.ones(len(scores)) if weights is None else weights
        learnt = truth.place_of >= 0
        known = np.flatnonzero(truth.known)[learnt]
        return balance_classes(scores[known], truth.place_of[learnt], weights[known])

    def _answers(self, table: Table) -> Answers:
        scores = self._score(table)
        log_prior = self._log_prior()
        best = log_probabilities(scores, log_prior).argmax(axis=1)
        return name_answers(self.classes_, best, probabilities(scores, log_prior))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Log-odds of the second class for two classes, otherwise centred log scores per class.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            Where the model has ``explain``, prior plus weights of evidence, which it shows one by one.
        """
        scores = self._score(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        classes : ndarray of shape (n_rows,)
        """
        log_prior = self._log_prior()

        def most_probable(scores: np.ndarray) -> np.ndarray:
            return log_probabilities(scores, log_prior).argmax(axis=1)

        return self.classes_[self._score(X, readout=most_probable)]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Probability of each class.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        probability : ndarray of shape (n_rows, n_classes)
            One column per class, in the order of ``classes_``.
        """
        log_prior = self._log_prior()
        return self._score(X, readout=lambda scores: probabilities(scores, log_prior))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Log-probability of each class, accurate also where the probability underflows.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in the same order.

        Returns
        -------
        log_probability : ndarray of shape (n_rows, n_classes)
            One column per class, in the order of ``classes_``.
        """
        log_prior = self._log_prior()
        return self._score(X, readout=lambda scores: log_probabilities(scores, log_prior))


def find_score(probability: np.ndarray) -> np.ndarray:
    """The probability of the second of two classes, or of the most probable one."""
    return probability[:, 1] if probability.shape[1] == 2 else probability.max(axis=1)


@dataclass(frozen=True, eq=False)
class Truth:
    """The true classes of rows that a model is judged by.

    Attributes
    ----------
    known : ndarray of bool
        Which rows have a class.
    place_of : ndarray of int
        Of these rows: the position of the class among those of the model, -1 for others.
    """

    known: np.ndarray
    place_of: np.ndarray


def find_truth(y: VectorLike, classes: np.ndarray, n_rows: int) -> Truth:
    """The true classes as positions; rows without one are left out, and other classes are wrong, with a warning."""
    truth, groups = find_groups(read_target(y, n_rows))
    known = truth >= 0
    if not known.any():
        raise errors.target_missing_entirely()
    if not known.all():
        errors.warn(errors.missing_targets(int((~known).sum())))
    place = {label: k for k, label in enumerate(classes.tolist())}
    unknown = [label for label in groups.tolist() if label not in place]
    if unknown:
        errors.warn(errors.classes_not_learnt(unknown, classes.tolist()))
    of_truth = np.array([place.get(label, -1) for label in groups.tolist()], np.int64)
    return Truth(known, of_truth[truth[known]])
