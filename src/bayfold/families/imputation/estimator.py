"""Missing cells of a mixed table filled by naive Bayes, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn import get_config
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.columns import resolve_asked_numbers, resolve_columns
from bayfold.base.estimator import TableEstimator
from bayfold.base.inputs import (
    read_target,
    read_unlabelled,
    record_features,
    take_weighted_rows,
)
from bayfold.base.notices import warn_about_columns
from bayfold.base.options import (
    ClusterClient,
    Columns,
    NumericColumns,
    PathLike,
    RandomState,
    SourceLike,
    TableLike,
    VectorLike,
)
from bayfold.base.sources.fit import SourceFit, SourceOptions
from bayfold.base.sources.follow import Callback
from bayfold.core.counts import LabelledRows
from bayfold.core.engine import map_in_threads, resolve_threads
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.evidence import describe_training
from bayfold.core.evidence.training import count_copies_once
from bayfold.core.frames import LabelColumn, NullColumn, Table
from bayfold.core.frames.columns import number_column
from bayfold.core.frames.concat import hold_rows
from bayfold.core.frames.fill import fill_gaps
from bayfold.core.frames.filling import Filling
from bayfold.core.frames.output import convert_arrow
from bayfold.core.frames.read import array_column
from bayfold.core.schema import Coder, NumericColumn, Schema, infer_schema
from bayfold.core.schema.written import notations_of, read_written
from bayfold.families.imputation.columns import (
    ColumnModel,
    LearntColumns,
    choose_others,
    derive_column,
)
from bayfold.families.imputation.sums import (
    Beside,
    CellStatistics,
    Grouping,
    ImputationRows,
    count_all_beside,
    count_beside,
    group_column,
    learn_cells,
    sum_cells,
)
from bayfold.families.mte.draws import draw_uniform, find_row_keys, name_stream
from bayfold.families.mte.learner import find_domains

STRATEGIES = ("expected", "draw")
TARGET_COLUMN = "(target)"
SHOWN_OTHERS = 3
"""Columns that a column is filled by, in a summary."""


class NaiveBayesImputer(OneToOneFeatureMixin, TransformerMixin, TableEstimator):
    """Fill missing cells from the other cells of their row, in tables of numbers and categories.

    Each column is predicted from the others that tell most about it, at most 15, by naive Bayes: numeric columns cut
    into pieces, categories as they are, densities by mixtures of truncated exponentials. A row's other gaps say
    nothing, so there is no first guess and nothing to iterate. What comes out is the kind of table that went in, with
    its names and types.

    Parameters
    ----------
    strategy : {"expected", "draw"}, default="expected"
        Fill in the expected number or the most probable category, or a draw from the distribution. Draws keep the
        spread of a column; several gaps of a row are drawn one given the other.
    n_pieces : int, default=12
        Pieces of a numeric column.
    use_target : bool, default=False
        Whether ``y`` tells about the gaps: in ``fit_transform``, not in ``transform``. For imputations that are
        analysed together with the target; not for a pipeline, which has no target when it predicts.
    categorical_features : array-like of str, int or bool, default=None
        Columns to take as categories whatever their type, by name, position or mask.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``.
    random_state : int, RandomState or None, default=None
        Of the draws of ``strategy="draw"``; nothing else is drawn.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    schema_ : Schema
        What the columns are.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    Numbers stay within the column's training range. A column of whole numbers that cannot hold others gets rounded
    ones; one of strings with a unit, money or percent gets such strings, with as many decimals as it has.
    Of a column with more than 50 categories only the 50 most frequent are filled in. A column of which no cell
    was known at fit keeps its gaps. One that has no type of its own because nothing in it is known gets floats,
    timestamps or strings. Of a DuckDB relation or a stream comes an Arrow table.

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import NaiveBayesImputer
    >>> X = np.arange(40.0).reshape(20, 2)
    >>> X[3, 1] = np.nan
    >>> filled = NaiveBayesImputer().fit_transform(X)
    >>> bool(abs(filled[3, 1] - 7) < 4), bool((filled[:, 0] == X[:, 0]).all())
    (True, True)
    """

    def __init__(
        self,
        *,
        strategy: Literal["expected", "draw"] = "expected",
        n_pieces: int = 12,
        use_target: bool = False,
        categorical_features: Columns = None,
        numeric_features: NumericColumns = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.strategy = strategy
        self.n_pieces = n_pieces
        self.use_target = use_target
        self.categorical_features = categorical_features
        self.numeric_features = numeric_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: TableLike, y: VectorLike | None = None, sample_weight: VectorLike | None = None
    ) -> NaiveBayesImputer:
        """Learn every column given the others.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,), optional
            Used only with ``use_target=True``.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies.

        Returns
        -------
        self : NaiveBayesImputer
        """
        self._learn(X, y, sample_weight)
        return self

    def fit_source(
        self,
        source: SourceLike,
        *,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        engine: ClusterClient | None = None,
        resume: PathLike | None = None,
        progress: bool = True,
        callback: Callback | None = None,
    ) -> NaiveBayesImputer:
        """Learn from rows that need not fit in memory, in three passes: look, count cells, count pairs of columns.

        Parameters
        ----------
        source, weight, columns, engine, resume, progress, callback
            As for ``NaiveBayesClassifier.fit_source``; without ``columns``, all but the weights are learnt from.

        Returns
        -------
        self : NaiveBayesImputer
        """
        self._check_parameters()
        if self.use_target:
            raise errors.not_from_sources("use_target", True, False)
        options = SourceOptions(engine, resume, progress, callback)
        fit = SourceFit(
            self,
            source,
            target=None,
            weight=weight,
            columns=columns,
            options=options,
            has_target=False,
        )
        learnt = self._learn_passes(fit)
        record_features(self, fit.roles.header())
        self._remember(learnt, has_target=False)
        fit.done()
        return self

    def _learn_passes(self, fit: SourceFit) -> LearntColumns:
        n_columns = len(fit.roles.features)
        nominal = resolve_columns(self.categorical_features, list(fit.roles.features))
        survey = fit.look(nominal)
        rows = survey.to_rows()
        if survey.sample.is_whole:
            return self._learn_columns(rows, n_columns)
        schema = self._infer_schema(rows, n_columns)
        statistics = fit.count(learn_cells, schema, CellStatistics.zero(), survey)
        warn_about_columns(
            statistics.counts, count_copies_once(statistics.counts, statistics.sample.even)
        )
        groups = self._group_columns(schema, statistics.cells)
        chosen = choose_others(statistics.sample.even, n_columns)

        def count_pairs(rows: LabelledRows) -> Beside:
            return count_all_beside(ImputationRows.read(rows, schema), groups, chosen)

        beside = fit.reduce_rows("pairing", count_pairs, survey)
        domains = find_domains(statistics.counts)
        models = {j: derive_column(schema, domains, j, groups[j], beside) for j in groups}
        return LearntColumns(schema, models, describe_training(statistics.counts))

    def fit_transform(
        self, X: TableLike, y: VectorLike | None = None, sample_weight: VectorLike | None = None
    ) -> Any:
        """Learn, and fill the gaps of the same table.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        Returns
        -------
        filled
            A table of the kind of ``X``.
        """
        X = hold_rows(X)
        table = self._learn(X, y, sample_weight)
        return self._fill(X, self._find_fillings(table, self._seed()))

    def transform(self, X: TableLike) -> Any:
        """Fill the gaps of a table.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        filled
            A table of the kind of ``X``.
        """
        check_is_fitted(self)
        X = hold_rows(X)
        return self._fill(X, self._find_fillings(self._with_target(self._read(X)), self._seed()))

    def _fill(self, X: Any, fillings: dict[int, Filling]) -> Any:
        """The filled table; of the library given to ``set_output``, which cannot convert Arrow tables itself."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        wanted = own or get_config()["transform_output"]
        return convert_arrow(fill_gaps(X, fillings), wanted)

    def draw(
        self, X: TableLike, n_draws: int = 5, random_state: RandomState | None = None
    ) -> list[Any]:
        """Several completed tables, for multiple imputation.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        n_draws : int, default=5
        random_state : int, RandomState or None

        Returns
        -------
        filled : list
            Tables of the kind of ``X`` that differ in the cells that were missing.
        """
        check_is_fitted(self)
        errors.check_whole("n_draws", n_draws, 1)
        X = hold_rows(X)
        table = self._with_target(self._read(X))
        generator = check_random_state(random_state)
        seeds = generator.randint(np.iinfo(np.int32).max, size=n_draws).tolist()
        return [fill_gaps(X, self._find_fillings(table, seed, draw=True)) for seed in seeds]

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """Learn from a table, and give it back as it was read, with the target if it is used."""
        self._check_parameters()
        rows = read_unlabelled(self, X, sample_weight)
        table = whole = rows.table
        if self.use_target:
            if y is None:
                raise errors.target_required(type(self).__name__)
            target = read_target(y, table.n_rows)
            whole = _add_column(table, array_column(TARGET_COLUMN, target))
        counted = take_weighted_rows(replace(rows, table=whole))
        learnt = self._learn_columns(counted, len(table.columns))
        # the last step, so that an error loses nothing
        record_features(self, table)
        self._remember(learnt, has_target=self.use_target)
        return whole

    def _remember(self, learnt: LearntColumns, has_target: bool) -> None:
        self._has_target = has_target
        self.schema_ = learnt.schema
        self._models = learnt.models
        self._facts = learnt.facts

    def _learn_columns(self, rows: LabelledRows, n_columns: int) -> LearntColumns:
        """What all columns are, and each of the first ones given others."""
        n_threads = resolve_threads(self.n_jobs)
        schema = self._infer_schema(rows, n_columns)
        statistics = learn_statistics(rows, schema, n_threads=n_threads)
        warn_about_columns(
            statistics.counts, count_copies_once(statistics.counts, statistics.sample.even)
        )
        schema = statistics.counts.schema or schema
        coded = ImputationRows.read(rows, schema)
        groups = self._group_columns(schema, sum_cells(coded)[:n_columns])
        chosen = choose_others(statistics.sample.even, n_columns)
        domains = find_domains(statistics.counts)

        def learn_column(j: int) -> ColumnModel:
            beside = count_beside(coded, j, groups[j], chosen[j])
            return derive_column(schema, domains, j, groups[j], beside)

        found = map_in_threads(learn_column, groups, n_threads)
        models = {model.column: model for model in found}
        return LearntColumns(schema, models, describe_training(statistics.counts))

    def _say_more(self) -> dict[str, Any]:
        return {"columns that can be filled": len(self._models)}

    def _describe_columns(self) -> dict[str, Any]:
        names = self.schema_.names
        words = [""] * self.n_features_in_
        for j, model in self._models.items():
            others = [names[term.column] for term in model.predictor.model.terms]
            words[j] = "filled by " + ", ".join(others[:SHOWN_OTHERS]) if others else "filled alone"
            words[j] += f" and {len(others) - SHOWN_OTHERS} more" * (len(others) > SHOWN_OTHERS)
        return {"density": words}

    def _infer_schema(self, rows: LabelledRows, n_columns: int) -> Schema:
        names = [column.name for column in rows.table.columns]
        nominal = resolve_columns(self.categorical_features, names[:n_columns])
        asked = resolve_asked_numbers(self, names[:n_columns])
        return infer_schema(rows.table, rows.weights, nominal, asked_numbers=asked)

    def _group_columns(self, schema: Schema, cells: Sequence[np.ndarray]) -> dict[int, Grouping]:
        """The groups of the columns of which some cell is known."""
        found = (group_column(schema.columns[j], c, self.n_pieces) for j, c in enumerate(cells))
        return {j: grouping for j, grouping in enumerate(found) if grouping is not None}

    def _with_target(self, table: Table) -> Table:
        """The table with an empty target if there was one at fit."""
        if not self._has_target:
            return table
        return _add_column(table, NullColumn(TARGET_COLUMN, table.n_rows))

    def _find_fillings(
        self, table: Table, seed: int, draw: bool | None = None
    ) -> dict[int, Filling]:
        """What goes into the gaps, column by column, those with the fewest gaps first."""
        draw = self.strategy == "draw" if draw is None else draw
        n_threads = resolve_threads(self.n_jobs)
        # checks the columns and warns of unseen categories, once
        block = Coder(self.schema_).open(table).block(0, table.n_rows)
        notations = notations_of(self.schema_)
        written = table
        table = read_written(table, notations)
        keys = find_row_keys(self.schema_, block)
        gaps = {j: np.flatnonzero(_is_gap(table, self.schema_, j)) for j in self._models}
        fillings: dict[int, Filling] = {}
        with errors.ignore_warnings(errors.UnseenCategoryWarning):
            for j in sorted(gaps, key=lambda j: len(gaps[j])):
                rows = gaps[j]
                if not len(rows):
                    continue
                known = table.take(rows)
                if draw:
                    u = draw_uniform(keys[rows], seed, 0, name_stream(self.schema_.columns[j].name))
                    values = self._models[j].draw(known, u, n_threads)
                    table = _replace_column(table, self.schema_, j, rows, values)
                else:
                    values = self._models[j].expect(known, n_threads)
                if j in notations and written.columns[j].kind == "nominal":
                    values = notations[j].write(values, written.columns[j].labels()[1])
                is_time = getattr(self.schema_.columns[j], "is_time", False)
                fillings[j] = Filling(rows, values, is_time)
        return fillings

    def _seed(self) -> int:
        if self.strategy != "draw":
            return 0
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _check_parameters(self) -> None:
        errors.check_choice("strategy", self.strategy, STRATEGIES)
        errors.check_whole("n_pieces", self.n_pieces, 1)
        errors.check_flag("use_target", self.use_target)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_models")


def _add_column(table: Table, column: Any) -> Table:
    names = None if table.names is None else (*table.names, column.name)
    return Table((*table.columns, column), table.n_rows, names)


def _is_gap(table: Table, schema: Schema, j: int) -> np.ndarray:
    if isinstance(schema.columns[j], NumericColumn):
        return np.isnan(table.columns[j].numbers(0, table.n_rows))
    return table.columns[j].labels()[0] < 0


def _replace_column(
    table: Table, schema: Schema, j: int, rows: np.ndarray, values: np.ndarray
) -> Table:
    """The table with some cells of a column filled."""
    column = table.columns[j]
    if isinstance(schema.columns[j], NumericColumn):
        numbers = column.numbers(0, table.n_rows).copy()
        numbers[rows] = values
        filled: Any = number_column(column.name, numbers, column.zone)
    else:
        indices, labels = column.labels()
        position = {label: k for k, label in enumerate(dict.fromkeys([*labels, *values]))}
        indices = indices.copy()
        indices[rows] = [position[label] for label in values]
        filled = LabelColumn(column.name, indices, list(position))
    columns = (*table.columns[:j], filled, *table.columns[j + 1 :])
    return replace(table, columns=columns, matrix=None)
