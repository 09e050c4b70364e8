"""The only place that knows dataframe libraries: any table in, plain columns out, and back.

pyarrow takes a fifth of a second to import and pandas longer: the functions that need them import them, so that
arrays cost neither.
"""

from bayfold.core.frames.bags import BagColumn
from bayfold.core.frames.columns import (
    Column,
    LabelColumn,
    NullColumn,
    NumberColumn,
    ObjectColumn,
    StringColumn,
)
from bayfold.core.frames.concat import concat_tables
from bayfold.core.frames.read import read_table
from bayfold.core.frames.strings import Strings
from bayfold.core.frames.table import Table
from bayfold.core.frames.vectors import (
    find_groups,
    find_numbers,
    find_target_notation,
    number_labels,
    read_vector,
)
from bayfold.core.threads import map_in_threads
