"""What a column is and how it is coded, as data."""

from bayfold.core.schema.bags import BagOfWords
from bayfold.core.schema.coding import Coder, RowBlock
from bayfold.core.schema.extend import extend_schema
from bayfold.core.schema.infer import infer_schema
from bayfold.core.schema.target import infer_target
from bayfold.core.schema.text import TextColumn, WordRows
from bayfold.core.schema.types import ColumnSchema, NominalColumn, NumericColumn, Schema
