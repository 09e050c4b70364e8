"""What model files hold of the imputer."""

from __future__ import annotations

from bayfold.core.schema import Schema
from bayfold.families.imputation.columns import ColumnModel
from bayfold.families.imputation.estimator import NaiveBayesImputer
from bayfold.persist import register, register_estimator

register(ColumnModel)
register_estimator(
    NaiveBayesImputer, _has_target=bool, schema_=Schema, _models=dict[int, ColumnModel]
)
