"""What a fitted mixture tells: components of rows, densities, new rows, explanations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.estimator import Readout, TableEstimator
from bayfold.base.inputs import read_weights
from bayfold.base.options import TableLike, VectorLike
from bayfold.core.counts import JointCounts
from bayfold.core.densities import Term
from bayfold.core.engine import resolve_threads
from bayfold.core.evidence import Records, TrainingFacts, describe_training, explain_rows
from bayfold.core.frames.output import make_frame
from bayfold.core.schema import Schema
from bayfold.core.scoring import Scorer, probabilities
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.mixtures.model import draw_mixture_rows
from bayfold.families.mixtures.parameters import describe_components

SHOWN_SHARES = 6
"""Of components in a summary, the largest first."""


class MixtureAnswers(DensityMixin, TableEstimator):
    """The answers of a mixture, all read off one model and its counts."""

    _predictor: Predictor
    counts_: JointCounts
    schema_: Schema
    n_components_: int
    weights_: np.ndarray
    held_out_log_likelihood_: dict[int, float]
    random_state: Any

    def _find_facts(self) -> TrainingFacts:
        return describe_training(self.counts_)

    def _say_more(self) -> dict[str, Any]:
        shares = ", ".join(f"{share:.1%}" for share in self.weights_[:SHOWN_SHARES])
        more = self.n_components_ - SHOWN_SHARES
        said = {
            "components": self.n_components_,
            "of shares": shares + (f" and {more} more" if more > 0 else ""),
        }
        held_out = self.held_out_log_likelihood_.get(self.n_components_)
        if held_out is not None:
            said["log-likelihood per row left out"] = f"{held_out:.4g}"
        return said

    def _describe_columns(self) -> dict[str, Any]:
        terms = self._predictor.model.terms
        return {"density": [_describe_term(term, self.schema_) for term in terms]}

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable component of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        components : ndarray of int of shape (n_rows,)
        """
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Probability of each component.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        probability : ndarray of shape (n_rows, n_components_)
        """
        check_is_fitted(self)
        log_prior = self._predictor.model.log_prior
        return self._score(X, lambda scores: probabilities(scores, log_prior))

    def score_samples(self, X: TableLike) -> np.ndarray:
        """Log p(x) of each row, over the cells that are known.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        log_density : ndarray of shape (n_rows,)
            Log-probability of categories plus log-density of numbers.
        """
        check_is_fitted(self)
        joint = Scorer(self._predictor.model, centred=False)
        return self._score(X, lambda scores: logsumexp(scores, axis=1), joint)

    def score(
        self, X: TableLike, y: VectorLike | None = None, sample_weight: VectorLike | None = None
    ) -> float:
        """Mean log-likelihood per row.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : ignored
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        log_likelihood : float
        """
        log_density = self.score_samples(X)
        return float(np.average(log_density, weights=_weights(sample_weight, len(log_density))))

    def bic(self, X: TableLike, sample_weight: VectorLike | None = None) -> float:
        """Bayesian information criterion: the lower, the better.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        bic : float
        """
        log_density = self.score_samples(X)
        weights = _weights(sample_weight, len(log_density))
        total = float(log_density @ weights)
        return self._n_parameters() * float(np.log(weights.sum())) - 2.0 * total

    def _n_parameters(self) -> int:
        """Free parameters: shares, two per Gaussian, one less than there are values per table."""
        per_component = 0
        for term, table in zip(self._predictor.model.terms, self.counts_.tables, strict=True):
            if term.kind == "quadratic":
                per_component += 2
            else:
                merge = term.merge
                occurs = table[2:].sum(axis=1) > 0
                values = occurs.sum() if merge is None else len(np.unique(merge[occurs]))
                per_component += max(int(values) - 1, 0)
        return self.n_components_ * per_component + self.n_components_ - 1

    def sample(self, n_samples: int = 1, library: str | None = None) -> tuple[Any, np.ndarray]:
        """New rows drawn from the mixture.

        Parameters
        ----------
        n_samples : int, default=1
        library : {"pandas", "polars", "arrow"} or None, default=None
            Whose frame is wanted. None: a NumPy array if the table had no column names, otherwise an Arrow table.

        Returns
        -------
        X : ndarray or frame
            Without missing cells; numbers as floats, times as timestamps, categories and booleans as text.
        components : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        errors.check_whole("n_samples", n_samples, 1)
        rng = check_random_state(self.random_state)
        columns, components = draw_mixture_rows(
            self._predictor.model, self.counts_, int(n_samples), rng
        )
        if library is None and not self.schema_.named:
            mixed = len({column.dtype.kind for column in columns.values()}) > 1
            cells = [column.astype(object) if mixed else column for column in columns.values()]
            return np.stack(cells, axis=1), components
        return make_frame(columns, library or "arrow"), components

    def explain(self, X: TableLike) -> Records:
        """Why each row belongs to its component: the weight of evidence of each of its cells.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        records : Records
            Columns row, column, value, bin, component and weight. For two components weights speak for the second one;
            for more there is one record per component. The first record of a row is the component's share.
        """
        check_is_fitted(self)
        records = explain_rows(self._predictor, self.counts_, self._read(X))
        renamed = {"class": "component"}
        return Records({renamed.get(name, name): records[name] for name in records.names})

    @property
    def components_(self) -> Records:
        """Which columns make each component: typical values, and how much they tell (in nats)."""
        check_is_fitted(self)
        return describe_components(self._predictor.model, self.counts_)

    def _score(self, X: Any, readout: Readout, scorer: Scorer | None = None) -> np.ndarray:
        return self._predictor.score(
            self._read(X), scorer=scorer, readout=readout, n_threads=resolve_threads(self.n_jobs)
        )


def _weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    weights = read_weights(sample_weight, n_rows)
    if weights is None:
        return np.ones(n_rows)
    if not weights.any():
        raise errors.all_weights_zero()
    return weights


def _describe_term(term: Term, schema: Schema) -> str:
    """The density of a column within components."""
    if term.kind == "quadratic":
        return "gaussian"
    if term.column not in schema.numeric_position or term.merge is None:
        return "frequencies"
    n_bins = int(term.merge.max(initial=0)) + 1
    return f"{n_bins} bin{'s' * (n_bins != 1)}"
