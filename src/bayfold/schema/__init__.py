"""What a column is and how it is coded, as data."""

from bayfold.schema.coding import Coder, RowBlock
from bayfold.schema.infer import infer_schema
from bayfold.schema.target import infer_target
from bayfold.schema.types import ColumnSchema, NominalColumn, NumericColumn, Schema

__all__ = [
    "Coder",
    "ColumnSchema",
    "NominalColumn",
    "NumericColumn",
    "RowBlock",
    "Schema",
    "infer_schema",
    "infer_target",
]
