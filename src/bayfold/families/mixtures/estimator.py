"""Mixtures of naive Bayes components: clusters, densities and latent classes of raw tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from bayfold import errors
from bayfold.base import options
from bayfold.base.columns import resolve_asked_numbers, resolve_columns, resolve_n_bins
from bayfold.base.inputs import (
    check_schema,
    read_unlabelled,
    record_features,
    take_weighted_rows,
)
from bayfold.base.notices import warn_about_columns
from bayfold.base.per_row import PerRow
from bayfold.base.progress import SearchProgress
from bayfold.base.sources.scratch import ScratchLearner
from bayfold.core.counts import JointCounts, LabelledRows
from bayfold.core.counts.folds import GivenUnits
from bayfold.core.engine import resolve_threads
from bayfold.core.frames import Table
from bayfold.core.schema import Schema, extend_schema, infer_schema
from bayfold.core.scoring.predictor import Predictor
from bayfold.families.mixtures.answers import MixtureAnswers
from bayfold.families.mixtures.em import EMProblem, EMRun
from bayfold.families.mixtures.model import count_components, derive_mixture
from bayfold.families.mixtures.parameters import (
    resolve_em,
    resolve_mixture_methods,
    resolve_numbers,
    resolve_settings,
    resolve_start,
)
from bayfold.families.mixtures.rows import MixtureRows, read_rows
from bayfold.families.mixtures.search import Search, best_number, find_held_out

MixtureDensity = Literal["auto", "gaussian", "equal_frequency", "equal_width"]


class NaiveBayesMixture(ScratchLearner, MixtureAnswers):
    """A mixture of naive Bayes components, by EM: clusters of the table as it is.

    Within a component columns are independent: a normal distribution or frequencies per numeric column, frequencies per
    nominal column. A missing cell contributes nothing. With nominal columns only it is latent class analysis; with
    numeric columns only it is a Gaussian mixture with diagonal covariances.

    Parameters
    ----------
    n_components : int, iterable of int or "cv", default="cv"
        Number of components. ``"cv"`` adds one (beyond ten, a fifth) while the log-likelihood of rows left out still
        rises; of several numbers the one with the highest is taken. Of a longer table 20,000 distinct rows decide.
    numeric : {"auto", "gaussian", "equal_frequency", "equal_width"} or dict, default="auto"
        The density of numeric columns within a component. ``"auto"`` is Gaussian, except that of a column with at most
        ten values each has its probability, and that a column where some values stand out from their neighbours (zeros,
        prices, limits) has bins of equal frequency. A dict maps columns (by name or position) to these.
    n_bins : int or dict, default=10
        Number of bins of columns that are not Gaussian, 1 to 254; or a dict by column.
    smoothing : {"laplace", "m_estimate", "none"}, float or None, default="laplace"
        What is added to the counts of categories and bins, as in ``NaiveBayesClassifier``. None maximizes the
        likelihood.
    m : float, default=2.0
        Strength of ``smoothing="m_estimate"``.
    variance_floor : float, default=1e-6
        Smallest variance of a Gaussian within a component, as a share of the column's own variance: a component
        must not shrink to a point. Where values repeat, nor to less than the unit they were rounded to.
    init : "seeds" or array-like of shape (n_rows, n_components), default="seeds"
        Where EM starts: from rows drawn far from each other, every row with the nearest of them (k-means++), or from
        given memberships, for a given number of components.
    n_init : int, default=5
        Number of starts. After a few iterations the best of them is run to the end.
    max_iter : int, default=200
    tol : float, default=1e-5
        EM stops when the log-likelihood per row rises by no more than this.
    n_folds : int, default=10
        Number of folds in the search for the number of components.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    schema : Schema, default=None
        What the columns are and how they are coded; inferred by default.
    random_state : int, RandomState or None, default=None
        Draws the starts and the folds.
    progress : bool, default=False
        Show the search as it goes, if standard error is a terminal.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    n_components_ : int
        Number of components, largest first. Components that died out are left away.
    weights_ : ndarray of shape (n_components_,)
        Share of each component.
    components_ : Records
        Which columns make each component: its typical values, and how much they tell.
    held_out_log_likelihood_ : dict of int to float
        Per row left out, for each number of components tried; empty if the number was given.
    log_likelihoods_ : ndarray
        Per row, after each iteration of the final run.
    converged_ : bool
    n_iter_ : int
    schema_ : Schema
    counts_ : JointCounts
        The fractional counts the model is derived from.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    Numbers so far out, and so few, that no component can be estimated from them (at most four rows, beyond twice the
    distance from the median of the fifth farthest) count as missing while EM runs.

    The E-step is scoring, the M-step counts fractionally, both in one pass over the rows. Equal rows are collapsed,
    and rows are ordered by what is in them: a weight of 2 is the row twice, and neither the order of rows nor the unit
    of a column matters.

    References
    ----------
    .. [1] A. Dempster, N. Laird, D. Rubin (1977). Maximum likelihood from incomplete data via the EM algorithm.
       Journal of the Royal Statistical Society B 39(1), 1-38.
    .. [2] R. Vilalta, I. Rish (2003). A decomposition of classes via clustering to explain and improve naive Bayes.
       ECML, 444-455. https://doi.org/10.1007/978-3-540-39857-8_40

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import NaiveBayesMixture
    >>> X = np.array([[1.0], [1.2], [0.9], [7.0], [7.1], [6.8]])
    >>> mixture = NaiveBayesMixture(2, random_state=0).fit(X)
    >>> mixture.predict([[1.1], [7.2]])
    array([1, 0])
    >>> mixture.weights_.round(2)
    array([0.5, 0.5])
    """

    def __init__(
        self,
        n_components: Literal["cv"] | int | Iterable[int] = "cv",
        *,
        numeric: MixtureDensity | Mapping[Any, MixtureDensity] = "auto",
        n_bins: int | Mapping[Any, int] = 10,
        smoothing: options.SmoothingRule = "laplace",
        m: float = 2.0,
        variance_floor: float = 1e-6,
        init: Literal["seeds"] | ArrayLike = "seeds",
        n_init: int = 5,
        max_iter: int = 200,
        tol: float = 1e-5,
        n_folds: int = 10,
        categorical_features: options.Columns = None,
        numeric_features: options.NumericColumns = None,
        schema: Schema | None = None,
        random_state: options.RandomState = None,
        progress: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.numeric = numeric
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.m = m
        self.variance_floor = variance_floor
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_folds = n_folds
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.schema = schema
        self.random_state = random_state
        self.progress = progress
        self.n_jobs = n_jobs

    _has_target = False

    def fit(
        self,
        X: options.TableLike,
        y: options.VectorLike | None = None,
        sample_weight: options.VectorLike | None = None,
        groups: options.VectorLike | None = None,
        time: options.VectorLike | None = None,
    ) -> NaiveBayesMixture:
        """Find the components of a table.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            NumPy, pandas, polars, pyarrow, a DuckDB relation, or anything with ``__arrow_c_stream__``.
        y : ignored
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies: weight 2 is the row twice, weight 0 the row absent.
        groups, time : array-like of shape (n_rows,), optional
            Rows of one group are held out together; rows that are held out are later than those that are learnt from.

        Returns
        -------
        self : NaiveBayesMixture
        """
        given = read_unlabelled(self, X, PerRow(sample_weight, groups, time))
        counted = take_weighted_rows(given)
        table = counted.table
        rows = self._prepare(counted)
        shares = resolve_start(self, rows, given.find_weights() > 0)
        problem = EMProblem(rows, rows.weights)
        rng = check_random_state(self.random_state)
        n_components, held_out = self._choose_number(rows, rng, table.n_rows)
        run = self._run(problem, n_components, rng, shares)
        counts = count_components(problem, run)
        warn_about_columns(rows.overall)
        record_features(self, table)
        self._set_model(rows, run, counts, held_out)
        if self.n_components_ < n_components:
            errors.warn(errors.components_died_out(n_components, self.n_components_))
        return self

    def fit_predict(
        self,
        X: options.TableLike,
        y: options.VectorLike | None = None,
        sample_weight: options.VectorLike | None = None,
        groups: options.VectorLike | None = None,
        time: options.VectorLike | None = None,
    ) -> np.ndarray:
        """Find the components, then give the most probable one of each row.

        Parameters
        ----------
        X, y, sample_weight, groups, time
            As in ``fit``.

        Returns
        -------
        components : ndarray of int of shape (n_rows,)
        """
        return self.fit(X, y, sample_weight, groups, time).predict(X)

    def _prepare(self, rows: LabelledRows) -> MixtureRows:
        """The rows as EM wants them."""
        schema = self._schema_for(rows.table, rows.weights)
        settings = resolve_settings(self, schema)
        said = GivenUnits.of_dependent(rows)
        return read_rows(rows.table, schema, rows.weights, settings, said)

    def _run(
        self,
        problem: EMProblem,
        n_components: int,
        rng: np.random.RandomState,
        shares: np.ndarray | None = None,
    ) -> EMRun:
        em = resolve_em(self)
        if shares is None:
            return problem.fit(n_components, em, rng)
        return problem.run(problem.start_from(shares), em)

    def _find_clusters(self, problem: EMProblem, number: Any, seed: int) -> np.ndarray:
        """The most probable component of each distinct row; the number given, or by ``"cv"``."""
        rng = np.random.RandomState(seed)
        if number == "cv":
            number, _ = self._choose_number(problem.rows, rng, problem.rows.n_rows)
        run = self._run(problem, number, rng)
        return problem.find_posteriors(run.terms)[0].argmax(axis=1)

    def _schema_for(self, table: Table, weights: np.ndarray | None) -> Schema:
        if self.schema is not None:
            check_schema(self, table)
            return extend_schema(self.schema, table)
        names = [column.name for column in table.columns]
        methods = resolve_mixture_methods(self.numeric, names)
        bins = resolve_n_bins(self.n_bins, names)
        widths = {j: bins[j] for j, method in methods.items() if method == "equal_width"}
        nominal = resolve_columns(self.categorical_features, names)
        asked = resolve_asked_numbers(self, names)
        return infer_schema(table, weights, nominal, widths, asked_numbers=asked)

    def _choose_number(
        self, rows: MixtureRows, rng: np.random.RandomState, n_rows: int
    ) -> tuple[int, dict[int, float]]:
        """The number of components, and how well each number tried did.

        Weights are frequencies, so a row of weight 2 counts twice; but shares may add up to less than there are rows.
        """
        em = resolve_em(self)
        n_copies = max(n_rows, int(rows.weights.sum()))
        candidates = resolve_numbers(self.n_components, n_copies)
        if len(candidates) == 1 or rows.n_rows < 2:
            return candidates[0], {}
        stop_early = isinstance(self.n_components, str)
        search = Search(candidates, stop_early, int(self.n_folds))
        with SearchProgress(self.progress) as shown:

            def report(number: int, value: float) -> None:
                shown.say(f"{number} components: held-out log-likelihood {value:.4f} per row")

            held_out = find_held_out(rows, search, em, rng, resolve_threads(self.n_jobs), report)
        return best_number(held_out), held_out

    def _set_model(
        self, rows: MixtureRows, run: EMRun, counts: JointCounts, held_out: dict[int, float]
    ) -> None:
        self._predictor = Predictor(derive_mixture(rows, counts))
        self.schema_ = rows.schema
        self.counts_ = counts
        self.n_components_ = len(counts.groups)
        self.weights_ = counts.totals / counts.n_rows
        self.held_out_log_likelihood_ = held_out
        unit = float(rows.weights @ rows.log_unit) / counts.n_rows
        self.log_likelihoods_ = run.trace + unit
        self.converged_ = run.converged
        self.n_iter_ = len(run.trace)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "counts_")
