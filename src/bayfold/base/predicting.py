"""What all estimators that predict a target share: answers for a source, exports, edits by hand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.drift import DriftReference, KnownScores
from bayfold.base.editing import EditableTables
from bayfold.base.estimator import TableEstimator
from bayfold.base.options import PathLike, SourceLike, TableLike, VectorLike
from bayfold.base.sources.follow import Callback
from bayfold.base.sources.output import OutputOptions
from bayfold.base.sources.predict import Answers, write_answers
from bayfold.core.counts import JointCounts
from bayfold.core.evidence import ColumnArray, Records, describe_wrong_steps
from bayfold.core.frames import Table
from bayfold.core.schema import Schema
from bayfold.core.schema.written import notations_of
from bayfold.core.scoring.edits import UNDO
from bayfold.export.plain import PlainModel

if TYPE_CHECKING:
    from onnx import ModelProto


class BasePredictor(TableEstimator):
    """An estimator that predicts a target.

    A subclass that is a sum of terms returns its plain form (``_plain_model``), and can then be exported. Writers are
    imported when asked for: nobody who only predicts should wait for them.
    """

    @abstractmethod
    def _answers(self, table: Table) -> Answers:
        """What is predicted for the rows of a table, as columns that can be written."""

    @property
    def feature_importances_(self) -> ColumnArray:
        """Share of each column in what the model says, by position or by name; none negative, adding up to one."""
        check_is_fitted(self)
        importances = self._training_facts().importances
        if importances is None:
            raise errors.no_importances(type(self).__name__)
        return ColumnArray(importances, self._column_names())

    def predict_source(
        self,
        source: SourceLike,
        output: PathLike,
        *,
        keep: Sequence[str] = (),
        overwrite: bool = False,
        progress: bool = True,
        callback: Callback | None = None,
    ) -> Path:
        """Write the predictions for all rows of a source, in the order of the rows.

        Parameters
        ----------
        source : path-like, list of them, DuckDB relation, dataframe of Dask or Spark, frame or callable
            As for ``fit_source``; columns are found by their names, and others may be there. Of a dataframe of a
            cluster the workers write the parts of a folder, which all of them must be able to write to; for a file, its
            partitions come here one by one.
        output : path-like
            A file if its name ends in ``.parquet``, ``.arrow`` or ``.csv``, a folder of Parquet files if it has no
            ending. It appears when it is complete, and is never what the source reads.
        keep : list of str
            Columns of the source to write beside the answers, such as an identifier.
        overwrite : bool, default=False
            Whether an output that exists is replaced; it stays until the new one is complete. A folder is replaced
            only if it is empty or holds nothing but what an earlier call wrote.
        progress : bool, default=True
            Show rows, rate and time left, on a terminal.
        callback : callable, optional
            Called after every partition with a ``SourceProgress``.

        Returns
        -------
        output : Path
            With the columns of ``keep``, ``prediction`` and, of a classifier, ``probability_`` and the name of each
            class.
        """
        check_is_fitted(self)
        errors.check_name_list("keep", keep)
        options = OutputOptions(output, keep, overwrite, progress, callback)
        return write_answers(self, type(self)._answers, source, options)

    def _plain_model(self) -> PlainModel:
        """The model as plain numbers; raises if it is not fitted, or no sum of terms."""
        raise errors.cannot_export(type(self).__name__)

    def _exported_model(self) -> PlainModel:
        """The same for use elsewhere, where columns with units must come as numbers."""
        plain = self._plain_model()
        schema: Schema = self.schema_
        units = {schema.names[j]: known.show("12") for j, known in notations_of(schema).items()}
        if units:
            errors.warn(errors.wants_numbers(units))
        return plain

    def to_json(self) -> str:
        """The model as JSON, for the scorer in JavaScript that comes with bayfold or for one of your own.

        Returns
        -------
        text : str
            The format is described in docs/exports.md; ``bayfold.export.scorer_path()`` is where the scorer is.
        """
        from bayfold.export.json import write_json

        return write_json(self._exported_model())

    def to_onnx(self) -> ModelProto:
        """The model in ONNX, with one input per column.

        Returns
        -------
        model : onnx.ModelProto
            Inputs are named as the columns, of shape (n_rows, 1): doubles, NaN where missing (timestamps are seconds
            since 1970), and strings, "" where missing. Outputs are ``prediction`` and ``probabilities``.

        Notes
        -----
        Needs the package onnx: ``pip install 'bayfold[onnx]'``.
        """
        from bayfold.export.onnx import write_onnx

        return write_onnx(self._exported_model())

    # rows beside those of the training

    def _training_counts(self) -> JointCounts:
        """Counts of the training rows; raises where the model keeps none."""
        raise errors.cannot_compare(type(self).__name__)

    def _known_scores(self) -> KnownScores | None:
        """Scores of training rows, where the model keeps some."""
        return None

    @abstractmethod
    def _score_rows(self, table: Table) -> np.ndarray:
        """One number for each row, by which its prediction is followed over time."""

    def compare_data(
        self, X: TableLike, *, reference: TableLike | None = None, level: float = 0.05
    ) -> Records:
        """Whether other rows still look like the training rows: each column, and the score, worst first.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The rows to compare; no target is needed.
        reference : array-like or frame, default=None
            Rows to compare with in place of the training rows, such as those the model was accepted on. Models that
            keep no training rows, such as boosted ones, compare the score only with these.
        level : float, default=0.05
            How often some column (or the score) may be called drifted where nothing has changed.

        Returns
        -------
        records : Records
            Columns column, psi (population stability index; by custom below 0.1 is stable, above 0.25 is not), p (of a
            chi-square test of this column alone), p_holm (corrected for all columns by Holm's method), drifted (p_holm
            below the level), bins, and moved, the bin whose share changed most. The score is the probability of the
            second class (of more classes that of the most probable one), or the predicted number.

        Notes
        -----
        Only sums are compared: rows by bin in the model, and rows by bin of X under the same schema. Numbers are in ten
        bins of equally many training rows; missing cells and unseen categories are bins of their own. Bins with fewer
        than five rows expected in the smaller table are taken together. Tests take rows to be independent: of repeated
        measurements of few units, they see drift where there is none.

        Examples
        --------
        >>> from bayfold import NaiveBayesClassifier
        >>> from bayfold.datasets import make_credit
        >>> credit, later = make_credit(2000), make_credit(2000, random_state=1)
        >>> model = NaiveBayesClassifier().fit(credit.frame, credit.target)
        >>> bool(model.compare_data(later.frame)["drifted"].any())
        False
        >>> old = later.frame.filter(later.frame["age"].to_numpy(zero_copy_only=False) > 40)
        >>> model.compare_data(old)["column"][0]
        'age'
        """
        found = self._drift_reference(reference)
        return found.compare_table(self._read(X), level)

    def compare_source(
        self,
        source: SourceLike,
        *,
        reference: TableLike | None = None,
        level: float = 0.05,
        progress: bool = True,
    ) -> Records:
        """The same of files of any size, in one pass.

        Parameters
        ----------
        source : path-like, list of them, DuckDB relation, dataframe of Dask or Spark, frame or callable
            As for ``predict_source``.
        reference, level
            As for ``compare_data``.
        progress : bool, default=True
            Show rows, rate and time left, on a terminal.

        Returns
        -------
        records : Records
        """
        return self._drift_reference(reference).compare_source(source, level, progress)

    def _drift_reference(self, reference: Any) -> DriftReference:
        check_is_fitted(self)
        if not hasattr(self, "schema_"):
            raise errors.cannot_compare(type(self).__name__)
        if reference is not None:
            return DriftReference.of_rows(self, self._read(reference))
        return DriftReference.of_training(self, self._training_counts())

    # edits by hand

    def _tables_to_edit(self) -> EditableTables:
        """The tables of the model; raises if it is not fitted, or not made of tables."""
        raise errors.cannot_edit(type(self).__name__)

    @property
    def edits_(self) -> Records:
        """What people changed by hand, in order: one record for each bin (and class) of each edit."""
        return self._tables_to_edit().describe()

    @property
    def monotone_violations_(self) -> Records:
        """Steps against the order that ``monotone`` asked for, over all cells that a row may have: none.

        Columns column, direction, value (the edge where the step is) and step (of the log-odds, or of the location).
        Only edits by hand can bring some about.
        """
        if self._find_monotone() is None:
            raise errors.not_monotone(type(self).__name__)
        return describe_wrong_steps(self._tables_to_edit().model)

    def edit(
        self,
        column: Any,
        bin: Any,
        weight: float | Mapping[Any, float],
        *,
        reason: str,
        author: str = "",
    ) -> Any:
        """A model in which a bin has another weight; this one stays as it is.

        Parameters
        ----------
        column : str, int or pair of these
            A column, or two that have a table together.
        bin : str, tuple or list
            A label as ``evidence_`` shows it, or a list of labels. Of numbers also ``"< 22"``, ``">= 65"`` or
            ``(22, 65)`` (from 22 up to but not including 65), which may span several bins and must end where bins do.
            Of a pair the labels of both sides.
        weight : float or dict
            The weight of evidence, for the second class. Of more than two classes a dict from classes to weights: the
            others move by equal amounts, so that all add up to zero. Of a numeric target the ``shift`` that
            ``evidence_`` shows.
        reason : str
            Why; kept in ``edits_`` and in the file of the model.
        author : str, default=""
            Who, as given.

        Returns
        -------
        model : estimator
            A boosted model becomes one of tables alone, as ``collapse()`` makes it.

        Examples
        --------
        >>> from bayfold import NaiveBayesClassifier
        >>> model = NaiveBayesClassifier(numeric="equal_frequency", n_bins=2, calibration=None)
        >>> model = model.fit([[20.0], [30.0], [40.0], [50.0]], [0, 1, 0, 1])
        >>> edited = model.edit("x0", "< 35", weight=-0.5, reason="policy 12", author="A. Turing")
        >>> edited.edits_["bin"], edited.edits_["after"], edited.undo().predict([[20.0]])
        (array(['< 35'], dtype=object), array([-0.5]), array([0]))
        """
        tables = self._tables_to_edit()
        values = tables.read_weight(weight)
        found = tables.find_bins(column, bin if isinstance(bin, list) else [bin])
        return tables.apply("edit", *found, values, reason, author)

    def merge_bins(self, column: Any, bins: Any, *, reason: str, author: str = "") -> Any:
        """A model in which some bins are one, with the mean of their weights over the training rows.

        Parameters
        ----------
        column : str or int
        bins : list or tuple
            As for ``edit``; intervals must be neighbours. Categories keep their names and share one weight.
        reason, author
            As for ``edit``.

        Returns
        -------
        model : estimator
        """
        tables = self._tables_to_edit()
        found = tables.find_bins(column, bins if isinstance(bins, list) else [bins])
        return tables.apply("merge_bins", *found, (), reason, author)

    def cap(
        self,
        column: Any,
        most: float,
        least: float | None = None,
        *,
        reason: str,
        author: str = "",
    ) -> Any:
        """A model in which no bin of a column, or cell of a pair, has a weight beyond limits.

        Parameters
        ----------
        column : str, int or pair of these
        most : float
            Not negative.
        least : float, default=None
            Not positive; by default ``-most``.
        reason, author
            As for ``edit``.

        Returns
        -------
        model : estimator
            Of more than two classes, all weights of a bin shrink by one factor.
        """
        tables = self._tables_to_edit()
        errors.check_number("most", most)
        least = -most if least is None else least
        errors.check_number("least", least, -float("inf"), 0.0)
        columns = tables.find_columns(column)
        return tables.apply("cap", columns, (), (float(least), float(most)), reason, author)

    def smooth(self, column: Any, times: int = 1, *, reason: str, author: str = "") -> Any:
        """A model in which each interval of a column of numbers is averaged with its neighbours.

        Parameters
        ----------
        column : str or int
        times : int, default=1
            How often. Each time neighbours exchange half their difference, each in proportion to the rows of the
            other; so the mean weight over the training rows stays as it is.
        reason, author
            As for ``edit``.

        Returns
        -------
        model : estimator
        """
        tables = self._tables_to_edit()
        errors.check_whole("times", times, 1, 1000)
        columns = tables.find_columns(column)
        return tables.apply("smooth", columns, (), (float(times),), reason, author)

    def remove_column(self, column: Any, *, reason: str, author: str = "") -> Any:
        """A model in which a column has no weight, alone and in pairs; or a pair none of its own.

        Parameters
        ----------
        column : str, int or pair of these
        reason, author
            As for ``edit``.

        Returns
        -------
        model : estimator
            Tables to predict still have the column; no cell of it counts, and no query reads it.
        """
        tables = self._tables_to_edit()
        columns = tables.find_columns(column)
        return tables.apply("remove_column", columns, (), (), reason, author)

    def refit_intercept(
        self,
        X: TableLike | None = None,
        y: VectorLike | None = None,
        sample_weight: VectorLike | None = None,
        *,
        reason: str = "balance",
        author: str = "",
    ) -> Any:
        """A model with the intercept that some rows ask for: mean predictions equal what was observed.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``. Naive Bayes can do without, by the rows in its statistics, unless these were left out of
            its file.
        reason, author
            As for ``edit``.

        Returns
        -------
        model : estimator
            The mean probability of each class is its share; of a numeric target, the mean is the mean target.
        """
        tables = self._tables_to_edit()
        step = tables.balance(X, y, sample_weight)
        return tables.apply("refit_intercept", (), (), tuple(step.tolist()), reason, author)

    def undo(self, number: int | None = None, *, reason: str = "undo", author: str = "") -> Any:
        """A model without one of its edits; all others are made again, in their order.

        Parameters
        ----------
        number : int, default=None
            Of the edit in ``edits_``; by default the last one that counts and is no undo. Undoing an undo makes its
            edit count again.
        reason, author
            As for ``edit``.

        Returns
        -------
        model : estimator
            Its ``edits_`` keep what was undone, with ``active`` False.
        """
        tables = self._tables_to_edit()
        value = float(tables.find_edit(number))
        return tables.apply(UNDO, (), (), (value,), reason, author)
