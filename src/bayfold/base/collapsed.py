"""What the rounds of a boosted model add up to, as a model of its own."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.classifier import TableClassifier
from bayfold.base.editing import EditableTables
from bayfold.base.estimator import Readout
from bayfold.base.options import ClassLabel, TableLike, VectorLike
from bayfold.core import evidence
from bayfold.core.counts import JointCounts
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence.editing import WeightReader
from bayfold.core.scoring import NaiveBayesModel
from bayfold.core.scoring.conformal import ConformalScores
from bayfold.core.scoring.edits import Edit
from bayfold.core.scoring.monotone import MonotoneRule
from bayfold.core.scoring.predictor import Predictor
from bayfold.core.scoring.quality import HeldOutScore
from bayfold.export.plain import PlainModel, make_plain_classifier

if TYPE_CHECKING:
    from bayfold.base.rounds import RoundsClassifier


class CollapsedClassifier(TableClassifier):
    """A boosted model without its rounds: a prior, a table per column, tables of pairs of columns.

    It is what ``collapse`` of a boosted model returns, and answers as that model does. It keeps nothing of the rounds,
    so it is small, but cannot say how the model came about (``staged_predict_proba``), nor learn.

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        Sorted class labels.
    schema_ : Schema
        What the columns are and how they are coded.
    evidence_ : Records
        The model as a table: weight of evidence, counts and bounds of every bin of every column, then of every pair.
    feature_importances_ : ColumnArray
        Share of each column in the evidence, by position or name: the mean over training rows of its absolute weight,
        with half of that of each of its pairs.
    model_ : NaiveBayesModel
        The prior, the terms of the columns and those of pairs.
    counts_ : JointCounts
        Of the training rows.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import BoostedNaiveBayesClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> model = BoostedNaiveBayesClassifier().fit(X, y).collapse()
    >>> model.predict([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    array([1, 0])
    """

    model_: NaiveBayesModel
    counts_: JointCounts
    _held_out: HeldOutScore | None = None
    _conformal: ConformalScores | None = None

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    @classmethod
    def of(cls, boosted: RoundsClassifier, model: NaiveBayesModel, counts: JointCounts) -> Self:
        """The estimator of a fitted boosted one's tables."""
        collapsed = cls(n_jobs=boosted.n_jobs)
        collapsed.model_ = model
        collapsed.counts_ = counts
        collapsed._held_out = boosted._find_held_out()
        collapsed._conformal = boosted._find_conformal()
        collapsed.schema_ = model.schema
        collapsed.classes_ = boosted.classes_
        collapsed.n_features_in_ = boosted.n_features_in_
        if hasattr(boosted, "feature_names_in_"):
            collapsed.feature_names_in_ = boosted.feature_names_in_
        return collapsed

    def fit(
        self,
        X: TableLike | None = None,
        y: VectorLike | None = None,
        sample_weight: VectorLike | None = None,
    ) -> Self:
        """Refused: fit the boosted model, then collapse it."""
        raise errors.collapsed_cannot_learn()

    @cached_property
    def _predictor(self) -> Predictor:
        return Predictor(self.model_)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is quickly made ready again."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_predictor"}

    def _training_counts(self) -> JointCounts:
        return self.counts_

    def _tables_to_edit(self) -> EditableTables:
        check_is_fitted(self)
        classes = self.classes_.tolist()
        return EditableTables(
            self.model_, self.counts_, WeightReader(), self._with_model, self._balance, classes
        )

    def _find_monotone(self) -> MonotoneRule | None:
        return self.model_.monotone

    def _find_edits(self) -> tuple[Edit, ...]:
        return self.model_.edits

    def _with_model(self, model: NaiveBayesModel) -> Self:
        """The same estimator with other tables."""
        changed = copy.copy(self)
        changed.model_ = model
        changed._facts = replace(
            self._training_facts(), importances=evidence.share_evidence(model, self.counts_)
        )
        return changed

    # answers

    def explain(
        self, X: TableLike, top: int | None = None, against: ClassLabel | None = None
    ) -> evidence.Records:
        """Why each row is scored as it is: the weight of evidence of its cells, alone and two by two.

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
            Columns row, column, value, bin, class and weight. The first record of a row is its prior, then come its
            cells, then its pairs of cells. For two classes weights speak for the second class (negative: for the
            first) and add up to ``decision_function``; for more there is one record per class.
        """
        check_is_fitted(self)
        records = evidence.explain_rows(self._predictor, self.counts_, self._read(X))
        return evidence.choose_strongest(records, top, against, self.classes_.tolist())

    @property
    def evidence_(self) -> evidence.Records:
        """Weight of evidence of every bin of every column and of every pair, with bounds and counts."""
        check_is_fitted(self)
        return evidence.describe_evidence(self.model_, self.counts_)

    def _find_facts(self) -> evidence.TrainingFacts:
        facts = evidence.describe_training(self.counts_)
        return replace(facts, importances=evidence.share_evidence(self.model_, self.counts_))

    def _count_classes(self) -> np.ndarray:
        return self.counts_.totals

    def _find_held_out(self) -> HeldOutScore | None:
        return self._held_out

    def _find_conformal(self) -> ConformalScores | None:
        return self._conformal

    def _say_more(self) -> dict[str, Any]:
        return dict(evidence.count_joined(self.model_))

    def _describe_columns(self) -> dict[str, Any]:
        return {"density": evidence.describe_tables(self.model_)}

    def _score(self, X: Any, readout: Readout | None = None) -> np.ndarray:
        check_is_fitted(self)
        n_threads = resolve_threads(self.n_jobs)
        return self._predictor.score(self._read(X), readout=readout, n_threads=n_threads)

    def _plain_model(self) -> PlainModel:
        check_is_fitted(self)
        return make_plain_classifier(self.model_, self.classes_, self.counts_)

    def _log_prior(self) -> np.ndarray:
        check_is_fitted(self)
        return self.model_.log_prior

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")
