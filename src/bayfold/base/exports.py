"""Saving: what every estimator can do with a model file.
Exports as methods: what a fitted model can be written as, so that it runs elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bayfold import errors
from bayfold.base.options import ClassLabel, FileLike
from bayfold.base.summarised import SummarisedEstimator
from bayfold.export.plain import PlainModel
from bayfold.persist import write_model

if TYPE_CHECKING:
    from onnx import ModelProto

    from bayfold.export.scorecard import Scorecard


class SavedEstimator(SummarisedEstimator):
    """An estimator that can be saved to a file."""

    def save(
        self, file: FileLike, *, statistics: bool = True, notes: Mapping[str, str] | None = None
    ) -> None:
        """Write the model to a file that ``bayfold.load`` reads. Nothing in it is run when it is read.

        Parameters
        ----------
        file : str, PathLike or binary file object
            A file of that name is replaced as a whole once the new one is complete.
        statistics : bool, default=True
            False: a smaller file for predictions and explanations. The loaded model cannot be added to others or
            learn from further batches, and does not know its rounds.
        notes : dict of str to str, optional
            Kept in the file for whoever uses it, such as the name of the target; ``bayfold info`` shows them.

        Examples
        --------
        >>> import io, bayfold
        >>> model = bayfold.NaiveBayesClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
        >>> file = io.BytesIO()
        >>> model.save(file)
        >>> bayfold.load(io.BytesIO(file.getvalue())).predict([[2.5]])
        array([1])
        """
        errors.check_flag("statistics", statistics)
        self._make_ready()
        errors.check_notes("notes", notes)
        write_model(self, file, statistics=bool(statistics), notes=notes)


# Writers are imported when asked for: nobody who only predicts should wait for them.


class Exportable:
    """A model that can be written as JSON and ONNX, if it is a sum of terms.

    A subclass that is one returns its plain form.
    """

    def _plain_model(self) -> PlainModel:
        """The model as plain numbers; raises if it is not fitted, or no sum of terms."""
        raise errors.cannot_export(type(self).__name__)

    def to_json(self) -> str:
        """The model as JSON, for the scorer in JavaScript that comes with bayfold or for one of your own.

        Returns
        -------
        text : str
            The format is described in docs/exports.md; ``bayfold.export.scorer_path()`` is where the scorer is.
        """
        from bayfold.export.json import write_json

        return write_json(self._plain_model())

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

        return write_onnx(self._plain_model())


class ExportableClassifier(Exportable):
    """A classifier that can be written as SQL, JSON, ONNX and a scorecard."""

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
        return write_sql(self._plain_model(), dialect, table=table, keep=keep, evidence=evidence)

    def to_scorecard(
        self,
        points_to_double_odds: float = 20,
        base_points: float = 600,
        base_odds: float = 50,
        good: ClassLabel | None = None,
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

        Returns
        -------
        card : Scorecard
            Whole points by column and bin, and what rounding them costs. For models of two classes.
        """
        from bayfold.export.scorecard import make_scorecard

        return make_scorecard(
            self._plain_model(), points_to_double_odds, base_points, base_odds, good
        )


class ExportableRegressor(Exportable):
    """A regressor that can be written as SQL, JSON and ONNX."""

    def to_sql(
        self,
        dialect: str = "duckdb",
        *,
        table: str | Sequence[str] = "data",
        keep: Sequence[str] = (),
        quantiles: Sequence[float] = (),
    ) -> str:
        """The model as one SELECT that predicts for a table in a database.

        Parameters
        ----------
        dialect : {"duckdb", "sqlite", "postgres"}, default="duckdb"
        table : str or sequence of str, default="data"
            Name of the table, or schema and name. It has the columns of the training table, in any order.
        keep : sequence of str, default=()
            Columns of the table to return before the answers, such as its key: no order of rows is promised.
        quantiles : sequence of float, default=()
            Quantiles to return as well, between 0 and 1.

        Returns
        -------
        sql : str
            It returns ``prediction`` and one ``quantile_`` for each quantile.
        """
        from bayfold.export.sql import write_sql

        q = errors.as_numbers("quantiles", "a list of probabilities", quantiles)
        if q.ndim != 1 or not ((q > 0) & (q < 1)).all():
            raise errors.bad_quantiles(quantiles)
        return write_sql(self._plain_model(), dialect, table=table, keep=keep, quantiles=q.tolist())
