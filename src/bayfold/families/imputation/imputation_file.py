"""What model files hold of the imputer."""

from __future__ import annotations

from bayfold.core.schema import NominalColumn, Schema
from bayfold.families.imputation.columns import ColumnModel
from bayfold.families.imputation.estimator import NaiveBayesImputer
from bayfold.families.imputation.sums import Beside, CellStatistics
from bayfold.persist import expect, register, register_estimator
from bayfold.persist.checks import expect_counts, expect_floats
from bayfold.persist.schema_kinds import check_statistics


def check_cells(statistics: CellStatistics) -> None:
    """Sums over the bins of every column."""
    check_statistics(statistics)
    schema = statistics.schema
    columns = () if schema is None else schema.columns
    expect(len(statistics.cells) in (0, len(columns)), "the sums of cells")
    for sums, column in zip(statistics.cells, columns, strict=False):
        n_sums = 1 if isinstance(column, NominalColumn) else 3
        expect_floats(sums, (n_sums, column.n_bins), "the sums of cells")


def check_beside(beside: Beside) -> None:
    """Counts of codes by groups."""
    for table in beside.tables.values():
        expect_counts(table, (None, None), "the counts of pairs")


def check_column_model(model: ColumnModel) -> None:
    """Labels of the groups where the column is nominal."""
    naive = model.predictor.mte.naive
    expect(0 <= model.column < len(naive.schema.columns), "the column that is filled")
    is_nominal = isinstance(naive.schema.columns[model.column], NominalColumn)
    expect(is_nominal == (model.labels is not None), "the column that is filled")
    if model.labels is not None:
        expect(model.labels.shape == (naive.n_groups,), "what a column is filled with")
        expect(all(isinstance(label, str) for label in model.labels), "what is filled in")


def check_imputer(imputer: NaiveBayesImputer) -> None:
    """Models of the columns of one schema."""
    n_columns = imputer.n_features_in_ + imputer._has_target
    expect(len(imputer.schema_.columns) == n_columns, "the number of columns")
    for j, model in imputer._models.items():
        expect(j == model.column < imputer.n_features_in_, "the column that is filled")
        expect(model.predictor.model.schema == imputer.schema_, "the schema of a column")


register(CellStatistics, check_cells)
register(Beside, check_beside)
register(ColumnModel, check_column_model)
register_estimator(
    NaiveBayesImputer,
    check_imputer,
    _has_target=bool,
    schema_=Schema,
    _models=dict[int, ColumnModel],
)
