"""MDL discretization as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bayfold import errors
from bayfold.base.columns import resolve_asked_numbers, resolve_monotone
from bayfold.base.estimator import TableEstimator
from bayfold.base.inputs import read_classes, record_features
from bayfold.base.options import Direction, NumericColumns, TableLike, VectorLike
from bayfold.base.sources.fit import SourceFit, SourceLearner
from bayfold.core.counts import JointCounts, LabelledRows, Statistics
from bayfold.core.discretize import merge_mdl, merge_monotone
from bayfold.core.engine import block_rows, map_in_threads, resolve_threads
from bayfold.core.engine.learn import learn_statistics
from bayfold.core.evidence import describe_training
from bayfold.core.evidence.bins import format_number
from bayfold.core.frames import Table
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import Coder, Schema, infer_schema

SHOWN_CUTS = 4
"""Of a column, in a summary."""


class MDLDiscretizer(SourceLearner, OneToOneFeatureMixin, TransformerMixin, TableEstimator):
    """Cut numeric columns where the classes change, by the minimum description length criterion.

    Fayyad and Irani's recursive entropy splits with the minimum description length criterion. Columns that tell nothing
    about the class become a single bin.

    Parameters
    ----------
    monotone : {"increasing", "decreasing", "peak", "valley", "auto"}, dict or None, default=None
        Merge bins further until the share of the second class only rises or only falls with the bin; a
        dict maps columns (by name or position) to these. For two classes.
    numeric_features : array-like of str, int or bool, or dict, default=None
        Columns of strings that must be numbers. A dict says the decimal sign of each: ``{"weight": ","}``. Strings
        with a unit, money and percent are numbers by themselves.
    n_jobs : int, default=None
        Number of threads; all cores by default (one inside a joblib worker). The result does not depend on it.

    Attributes
    ----------
    bin_edges_ : list of ndarray
        The cuts of each column: bin k holds ``edges[k-1] <= x < edges[k]``.
    n_bins_ : ndarray of int
        Number of bins of each column.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if the table had column names.

    Notes
    -----
    Exact while a column has at most 254 distinct values (in the 10,000 sampled rows of a table of more than
    20,000); beyond that cuts are sought among 253 quantiles, snapped to midpoints between neighbouring values.
    One pass over the rows counts, and cuts are found by merging after counting.

    References
    ----------
    .. [1] U. Fayyad, K. Irani (1993). Multi-interval discretization of continuous-valued attributes for
       classification learning. IJCAI, 1022-1027.

    Examples
    --------
    >>> import numpy as np
    >>> from bayfold import MDLDiscretizer
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [np.nan]])
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> discretizer = MDLDiscretizer().fit(X, y)
    >>> discretizer.bin_edges_
    [array([4.5])]
    >>> discretizer.transform(X).ravel()
    array([ 0.,  0.,  0.,  0.,  1.,  1.,  1., nan])
    """

    def __init__(
        self,
        *,
        monotone: Direction | Mapping[Any, Direction] | None = None,
        numeric_features: NumericColumns = None,
        n_jobs: int | None = None,
    ) -> None:
        self.monotone = monotone
        self.numeric_features = numeric_features
        self.n_jobs = n_jobs

    def fit(
        self, X: TableLike, y: VectorLike, sample_weight: VectorLike | None = None
    ) -> MDLDiscretizer:
        """Find the cuts of every column.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            Numeric columns; missing cells are fine.
        y : array-like of shape (n_rows,)
            The class of each row; rows where it is missing are left out with a warning.
        sample_weight : array-like of shape (n_rows,), optional
            Frequencies.

        Returns
        -------
        self : MDLDiscretizer
        """
        return self._fit_rows(read_classes(self, X, y, sample_weight))

    def _fit_rows(self, rows: LabelledRows) -> MDLDiscretizer:
        schema = self._infer_schema(rows)
        statistics = learn_statistics(rows, schema, n_threads=resolve_threads(self.n_jobs))
        return self._take_counts(schema, statistics.counts, rows.table)

    def _infer_schema(self, rows: LabelledRows) -> Schema:
        asked = resolve_asked_numbers(self, [column.name for column in rows.table.columns])
        schema = infer_schema(rows.table, rows.weights, asked_numbers=asked)
        nominal = [column.name for column in schema.columns if column.kind == "nominal"]
        if nominal:
            raise errors.nominal_columns(nominal)
        return schema

    def _take_counts(self, schema: Schema, counts: JointCounts, table: Table) -> MDLDiscretizer:
        """Become the discretizer of these counts."""
        merges = self._find_merges(schema, counts)
        record_features(self, table)
        self._coder = Coder(schema)
        self._bin_of_code = [np.concatenate([[np.nan, np.nan], merge]) for merge in merges]
        columns = zip(schema.columns, merges, strict=True)
        self.bin_edges_ = [c.edges[np.flatnonzero(np.diff(merge))] for c, merge in columns]  # type: ignore[union-attr]
        self.n_bins_ = np.array([len(edges) + 1 for edges in self.bin_edges_])
        self._facts = describe_training(counts)
        return self

    def _say_more(self) -> dict[str, Any]:
        return {"bins": int(self.n_bins_.sum())}

    def _describe_columns(self) -> dict[str, Any]:
        return {"density": [_describe_cuts(edges) for edges in self.bin_edges_]}

    def _check_source(self) -> None:
        """All parameters can be learnt with."""

    def _fit_passes(self, fit: SourceFit) -> None:
        survey = fit.look(frozenset())
        rows = survey.to_rows()
        if survey.sample.is_whole:
            self._fit_rows(rows)
            return
        schema = self._infer_schema(rows)
        statistics = fit.count(learn_statistics, schema, Statistics.zero(), survey)
        self._take_counts(schema, statistics.counts, fit.roles.header())

    def _find_merges(self, schema: Schema, counts: JointCounts) -> list[np.ndarray]:
        directions = resolve_monotone(self.monotone, schema)
        merges = []
        for j, table in enumerate(counts.tables):
            merge = merge_mdl(table[FIRST_BIN:])
            if j in directions:
                merge = merge_monotone(table[FIRST_BIN:], merge, directions[j])
            merges.append(merge)
        return merges

    def transform(self, X: TableLike) -> np.ndarray:
        """The number of each cell's bin, as floats; NaN where the cell is missing.

        Parameters
        ----------
        X : array-like or frame

        Returns
        -------
        bins : ndarray of shape (n_rows, n_columns)
        """
        check_is_fitted(self)
        table = self._read(X)
        coded = self._coder.open(table)
        bins = np.empty((table.n_rows, len(table.columns)))
        size = block_rows(len(table.columns))

        def transform_block(start: int) -> None:
            codes = coded.block(start, min(start + size, table.n_rows)).narrow
            for j, bin_of_code in enumerate(self._bin_of_code):
                bins[start : start + size, j] = bin_of_code[codes[:, j]]

        starts = range(0, table.n_rows, size)
        map_in_threads(transform_block, starts, resolve_threads(self.n_jobs))
        return bins

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        tags.input_tags.string = False
        tags.target_tags.required = True
        return tags


def _describe_cuts(edges: np.ndarray) -> str:
    """The first cuts of a column, and how many there are."""
    shown = ", ".join(format_number(edge) for edge in edges[:SHOWN_CUTS].tolist())
    more = f" and {len(edges) - SHOWN_CUTS} more" if len(edges) > SHOWN_CUTS else ""
    return f"cut at {shown}{more}" if len(edges) else "one bin"
