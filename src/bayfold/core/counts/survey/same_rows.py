"""Whether the second pass has seen the rows of the first, as far as both have summed up the same.

Nothing is read or hashed for it, and no order of rows matters: the weight of every category, and the range of every
column of numbers.
"""

from __future__ import annotations

import numpy as np

from bayfold.core.counts.joint import JointCounts
from bayfold.core.counts.survey.labels import LabelSummary
from bayfold.core.counts.survey.numbers import NumberSummary
from bayfold.core.counts.survey.survey import Survey
from bayfold.core.kernels.encode import FIRST_BIN
from bayfold.core.schema import NominalColumn, NumericColumn

LAST_DIGITS = 1e-9
"""Weights with fractions are added in another order on a cluster, where 12 digits agree."""


def find_changed_column(survey: Survey, counts: JointCounts) -> str | None:
    """The first column that the counts of all rows know other cells of than the survey; None if there is none."""
    assert counts.schema is not None
    for j, (summary, column) in enumerate(zip(survey.columns, counts.schema.columns, strict=True)):
        if isinstance(summary, LabelSummary) and isinstance(column, NominalColumn):
            same = _are_same_labels(summary, column, counts.tables[j])
        elif isinstance(summary, NumberSummary) and isinstance(column, NumericColumn):
            place = counts.schema.numeric_position[j]
            found = counts.minimum[place], counts.maximum[place]
            same = found == (summary.low, summary.high)
        else:
            continue  # no cell was known: there is nothing to compare
        if not same:
            return column.name
    return None


def _are_same_labels(summary: LabelSummary, column: NominalColumn, table: np.ndarray) -> bool:
    counted = table[FIRST_BIN : FIRST_BIN + len(column.categories)].sum(axis=1)
    known = np.zeros(len(counted))
    for label, code in column.code_of.items():
        known[code - FIRST_BIN] += summary.weight_of.get(label, 0.0)
    if not summary.is_whole:  # a label that the survey let go of may be counted, and is not known
        counted = np.where(known > 0.0, counted, 0.0)
    return bool(np.allclose(counted, known, rtol=LAST_DIGITS, atol=0.0))
